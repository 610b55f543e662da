/**
 * The points: tools to draw and change them, data sets by name, generators, and the user's own table.
 */

const LONG_NAMES = 16; // so many letters have no room on the chips: the markers stand for them, as in the key

/** The tools under the first picture: move or draw, the class, delete, undo. */
function makeTools(app) {
  const move = button("Move", () => setTool(app, "move"), { class: "small", "data-testid": "tool-move", title: "Drag points" });
  const draw = button("Draw", () => setTool(app, "draw"), { class: "small", "data-testid": "tool-draw", title: "Click or stroke to add points (d)" });
  const tools = html("div", { class: "segments", role: "group", "aria-label": "Tool" }, move, draw);
  const chips = html("div", { class: "chips", role: "group", "aria-label": "Class" });
  const remove = set(button("Delete the selected point", () => deletePoint(app), { sign: "trash", class: "quiet small", "data-testid": "delete" }), { title: "Delete the selected point (Del)" });
  const undo = set(button("Undo", () => undoData(app), { sign: "undo", class: "quiet small", "data-testid": "undo" }), { title: "Undo (Ctrl+Z)" });
  const box = html("div", { class: "tools", role: "toolbar", "aria-label": "Points" }, tools, chips, remove, undo);
  app.on("run step look select edit", () => {
    if (!app.run) return;
    show(box, canMove(app));
    set(move, { "aria-pressed": app.tool === "move" ? "true" : "false" });
    set(draw, { "aria-pressed": app.tool === "draw" ? "true" : "false" });
    set(app.root, { "data-tool": app.tool });
    remove.disabled = app.selected === null;
    undo.disabled = app.undo.length === 0;
    paintChips(app, chips);
  });
  return box;
}

function setTool(app, tool) {
  app.tool = tool;
  app.emit("look");
}

/** One chip a class: relabels the selected point, or says what the next point will be. */
function paintChips(app, chips) {
  show(chips, app.spec.mode === "classes");
  const names = classNames(app);
  const shown = app.selected !== null && names.length < 3 ? names.length + 1 : names.length;
  const long = names.join("").length > LONG_NAMES;
  const current = app.selected === null ? app.drawClass : pointsNow(app)[app.selected]?.code;
  const nodes = pool(chips, shown, (k) => button("", () => relabel(app, k), { class: "small" }));
  for (let k = 0; k < shown; k++) {
    const text = names[k] ? (long ? "" : signed(names[k])) : "+";
    if (nodes[k].childNodes.length !== 2)
      nodes[k].replaceChildren(svg("svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" }, svg("path", { d: markerPath(k, 6), class: `marker ${hue(k)}` })), html("span"));
    write(nodes[k].lastChild, text);
    set(nodes[k], { "aria-pressed": k === current ? "true" : "false", "data-testid": `class-${k}`,
      title: `${app.selected === null ? "Draw" : "Relabel as"} ${names[k] ?? "a new class"} (${k + 1})` });
  }
}

/** The sheet with data sets, generators and the user's own table. */
function makeDataSheet(app) {
  const { samples, generators } = app.catalog;
  const take = async (name, params) => {
    try {
      const answer = await app.ask("sample", { name, params });
      if (!answer) return;
      app.dataSheet.close();
      replaceData(app, answer.data, answer.mode);
    } catch (error) { write(fault, error.message); }
  };
  const fault = html("p", { class: "fault", role: "alert", "data-testid": "data-fault" });
  const named = html("div", { class: "cards" }, samples.map((sample) =>
    button(sample.title, () => take(sample.name, {}), { class: "pick", "data-testid": `sample-${sample.name}` })));
  const made = html("div", { class: "generators" }, generators.map((one) => makeGenerator(one, take)));
  const self = sheet("Data", { "data-testid": "data-sheet" }, fault,
    html("h3", { text: "Data sets" }), named, html("h3", { text: "Generators" }), made,
    html("h3", { text: "Your own table" }), makeTableForm(app));
  app.dataSheet = self;
  app.on("data-sheet", () => write(fault, ""));
  return self;
}

function makeGenerator(generator, take) {
  const values = Object.fromEntries(generator.params.map((parameter) => [parameter.name, parameter.default]));
  const fields = generator.params.map((parameter) =>
    makeField(parameter, parameter.default, (name, value) => { values[name] = value; }));
  return html("div", { class: "generator" }, html("strong", { text: generator.title }),
    html("div", { class: "fields inline" }, fields),
    button("Generate", () => take(generator.name, { ...values }), { "data-testid": `generate-${generator.name}` }));
}

function openData(app) {
  app.emit("data-sheet");
  app.dataSheet.showModal();
}
