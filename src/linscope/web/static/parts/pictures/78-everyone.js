/**
 * Same points, every classifier: one small picture each. A drag in any of them moves the point in all.
 */

function makeEveryone(app) {
  const grid = html("div", { class: "everyone", "data-testid": "everyone" });
  const box = html("section", { class: "card everyone-card", "aria-label": "Same points, every classifier" },
    html("div", { class: "card-head" }, html("h2", { text: "Same points, every classifier" }),
      html("span", { class: "quiet-text", text: "Drag a point far out: who swings, who holds?" })), grid);
  const self = { box, answer: null, tiles: [] };
  const draw = () => app.view === "everyone" && self.answer && drawTiles(app, self, grid);
  const ask = async () => {
    if (app.view !== "everyone" || !app.spec) return;
    try {
      const answer = await app.ask("everyone", { data: app.spec.data, mode: app.spec.mode });
      if (!answer) return;
      self.answer = answer;
      complain(app, null);
      draw();
    } catch (error) { complain(app, error.message); }
  };
  app.on("edit view", ask);
  app.on("run", () => { if (self.of !== app.run) { self.of = app.run; if (!app.frozenBox) ask(); } });
  app.on("edit size select", draw);
  return box;
}

function drawTiles(app, self, grid) {
  const { models, box } = self.answer;
  while (self.tiles.length > models.length) self.tiles.pop().node.remove();
  while (self.tiles.length < models.length) {
    const tile = makeTile(app);
    self.tiles.push(tile);
    grid.append(tile.node);
  }
  const points = pointsNow(app);
  models.forEach((model, k) => drawTile(app, self.tiles[k], model, app.frozenBox || box, points));
}

function makeTile(app) {
  const self = frame("everyone-picture", "", ["regions", "lines", "points"]);
  self.title = html("h3");
  self.wrong = html("span", { class: "quiet-text" });
  self.equation = html("p", { class: "equation" });
  self.note = html("p", { class: "quiet-text" });
  self.node = html("figure", { class: "tile", "data-testid": "tile" },
    html("figcaption", {}, self.title, self.wrong), self.picture, self.equation, self.note);
  makeEditable(app, self);
  return self;
}

const TILE_EDGE = { left: 1, right: 1, top: 1, bottom: 1 };

function drawTile(app, self, model, box, points) {
  const map = layFrame(self, box, ["", ""], { equal: false, edge: TILE_EDGE });
  self.texts.replaceChildren();
  set(self.picture, { "aria-label": model.title });
  drawRegions(self.groups.regions, map, model.regions);
  drawLines(self.groups.lines, map, model.lines);
  const predicted = model.predicted;
  drawPoints(self.groups.points, map, points, (point, k) =>
    Boolean(predicted) && predicted[k] !== null && predicted[k] !== undefined && predicted[k] !== point.code);
  write(self.title, model.title);
  write(self.wrong, model.mistakes === null || model.mistakes === undefined ? "" : count(model.mistakes, "mistake"));
  write(self.equation, model.equation);
  write(show(self.note, Boolean(model.note)), model.note);
}

/** One algorithm with its steps, or all classifiers side by side. */
function setView(app, view) {
  if (app.view === view) return;
  stopPlaying(app);
  app.view = view;
  set(app.root, { "data-view": view });
  app.emit("view");
  if (view === "one" && app.run && app.spec !== app.run.spec) refit(app);
  app.emit("look");
  app.emit("size");
}
