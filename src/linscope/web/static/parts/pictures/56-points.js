/**
 * All points under the cursor: their scores on a line, and a table with what each is to the machine.
 */

const STRIP_EDGE = { left: 10, right: 10, top: 6, bottom: 34 };
const STRIP_HEIGHT = 168;

function makePoints(app) {
  const self = frame("strip", "Scores of all points", ["threshold", "points"]);
  set(self.picture, { class: "picture strip" });
  self.zero = svg("path", { class: "line" });
  self.margins = svg("path", { class: "line margin" });
  self.groups.threshold.append(self.zero, self.margins);
  const head = html("tr");
  const body = html("tbody");
  const table = html("table", { class: "ledger", "data-testid": "points-table" }, html("thead", {}, head), body);
  self.scroller = html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All points" }, table);
  self.box = html("div", { class: "view points-view" }, self.picture, self.scroller);
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) select(app, Number(row.dataset.row));
  });
  self.missing = () => null;
  self.draw = () => {
    const state = stateNow(app);
    const scored = Boolean(state.scores);
    show(self.picture, scored);
    if (scored) drawStrip(app, self, state);
    drawTable(app, head, body, state);
  };
  return self;
}

/** Classes in two lanes, each point at its score; points that would cover each other are stacked. */
function drawStrip(app, self, state) {
  const points = pointsNow(app);
  const reach = 1.08 * Math.max(state.slack ? 1.2 : 1e-9, ...state.scores.map(Math.abs));
  const map = layFrame(self, [-reach, reach, 0, 1], ["score", ""], { equal: false, edge: STRIP_EDGE, ticksUp: false });
  const size = markerSize(points.length, map.wide) * 0.8;
  const columns = new Map();
  const placed = points.map((point, k) => {
    const x = Math.round(map.px(state.scores[k]) / (2 * size));
    const key = `${point.code}:${x}`;
    const level = columns.get(key) || 0;
    columns.set(key, level + 1);
    const foot = map.top + map.high * (point.code ? 0.5 : 1) - size - 3;
    return { ...point, x: map.px(state.scores[k]), y: Math.max(foot - level * 2 * size, map.top + size) };
  });
  const nodes = drawPoints(self.groups.points, { ...map, px: (u) => u, py: (v) => v }, placed.map((one) => ({ ...one, u: one.x, v: one.y })),
    (point, k) => isWrong(app, point, k), size);
  placed.forEach((_, k) => set(nodes[k], { "data-selected": k === app.selected ? "yes" : null }));
  const upright = (at) => `M${pixel(map.px(at))} ${pixel(map.top)}V${pixel(map.top + map.high)}`;
  set(self.zero, { d: upright(0) });
  set(self.margins, { d: state.slack ? upright(-1) + upright(1) : "" });
}

/** The columns that this state has something to say for: [title, right-aligned, text of point k]. */
function pointColumns(app, state, points) {
  const { data } = app.spec;
  const value = (list) => (k) => number(list[k]);
  const columns = [["point", false, (k) => points[k].name.replace(/^sample /, "")]];
  if (app.run.mode === "regression") {
    columns.push([data.features[0], true, (k) => number(data.points[k][0])], ["y", true, (k) => number(data.labels[k])]);
    if (state.fitted) columns.push(["ŷ", true, value(state.fitted)], ["y − ŷ", true, value(state.residuals)]);
    return columns;
  }
  const names = classNames(app).map(signed);
  columns.push(["class", false, (k) => names[points[k].code]]);
  if (state.scores) columns.push(["score", true, value(state.scores)]);
  if (state.alpha) columns.push(["α", true, value(state.alpha)]);
  if (state.slack) columns.push(["slack ξ", true, value(state.slack)]);
  if (state.kkt) columns.push(["optimal?", false, (k) => state.kkt[k]]);
  else if (state.predicted) columns.push(["decided as", false, (k) => (state.regions?.length || state.places ? names[state.predicted[k]] : "–")]);
  return columns;
}

function drawTable(app, head, body, state) {
  const points = pointsNow(app);
  const columns = pointColumns(app, state, points);
  const titles = pool(head, columns.length, () => html("th", { scope: "col" }));
  columns.forEach(([title, right], k) => write(set(titles[k], { class: right ? "right" : null }), title));
  const rows = pool(body, points.length, () => html("tr", { "data-testid": "point-row" }));
  points.forEach((point, r) => {
    const cells = pool(rows[r], columns.length, () => html("td"));
    const marks = [isWrong(app, point, r) && "wrong", state.kkt?.[r]?.startsWith("no") && "open", r === state.sample && "visited-row"];
    set(rows[r], { "data-row": r, class: marks.filter(Boolean).join(" ") || null, "aria-current": r === app.selected ? "true" : null });
    columns.forEach(([, right, text], k) => write(set(cells[k], { class: right ? "right" : null }), text(r)));
  });
}
