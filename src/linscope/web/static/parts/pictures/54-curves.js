/**
 * Curves over the steps (criterion, mistakes, primal, dual, gap), and the bound on the number of
 * updates with the two curves of its proof.
 */

const THIN = { left: 52, right: 14, top: 8, bottom: 20 };

/** Small multiples, one for each curve, with the cursor on all of them. */
function makeCurves(app) {
  const self = { plots: html("div", { class: "multiples" }), missing: () => (app.run.overview.curves?.length ? null : "This run has no curves.") };
  self.note = html("p", { class: "caption" });
  self.box = html("div", { class: "view", "data-testid": "curves" }, self.plots, self.note);
  self.draw = () => {
    const { curves, steps } = app.run.overview;
    const boxes = pool(self.plots, curves.length, () => makeMultiple(app));
    curves.forEach((_, k) => drawMultiple(app, boxes[k], curveOf(app, k)));
    const thin = Math.round(app.run.total / (steps.length - 1));
    write(show(self.note, thin > 1), `Drawn through all steps near the cursor, and about one step in ${thin.toLocaleString("en")} elsewhere.`);
  };
  return self;
}

/** A curve of the whole run: [step, value] of all steps in this window, and of some elsewhere. */
function curveOf(app, k) {
  const here = windowNow(app);
  const { steps, curves } = app.run.overview;
  const known = here.curves?.[k]?.values || [];
  const some = curves[k].values.map((value, at) => [steps[at], value]);
  const elsewhere = (step) => known.length === 0 || step < here.first || step > here.last;
  const points = [...some.filter(([step]) => elsewhere(step)), ...known.map((value, at) => [here.first + at, value])];
  return { name: curves[k].name, points: points.sort((one, other) => one[0] - other[0]), now: known[app.step - here.first] };
}

function makeMultiple(app) {
  const picture = svg("svg", { class: "multiple", role: "img" },
    svg("g", { class: "grid" }), svg("g", { class: "ticks" }), svg("line", { class: "cursor" }),
    svg("path", { class: "curve future" }), svg("path", { class: "curve" }), svg("circle", { class: "now", r: 4 }));
  const node = html("figure", {}, html("figcaption", {}, html("span"), html("strong")), picture);
  picture.addEventListener("click", (event) => {
    const rect = picture.getBoundingClientRect();
    const share = (event.clientX - rect.left - THIN.left) / (rect.width - THIN.left - THIN.right);
    jump(app, firstStep(app) + share * (lastStep(app) - firstStep(app)));
  });
  return node;
}

/** A curve that spans more than three powers of ten is drawn on a logarithmic axis. */
function curveScale(values) {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const log = finite.length > 0 && low > 0 && high / low > 1000;
  const turn = (value) => (log ? Math.log10(value) : value);
  let [a, b] = finite.length ? [turn(low), turn(high)] : [0, 1];
  if (a === b) [a, b] = a === 0 ? [0, 1] : [Math.min(a, 0), Math.max(a, 0)];
  const air = (b - a) * 0.06;
  return { turn, log, range: [a >= 0 && !log ? Math.max(0, a - air) : a - air, b + air] };
}

function drawMultiple(app, node, curve) {
  const [caption, picture] = node.childNodes;
  const { now, points } = curve;
  const { turn, log, range } = curveScale(points.map(([, value]) => value));
  const [begin, end] = [firstStep(app), lastStep(app)];
  write(caption.firstChild, log ? `${curve.name} (log scale)` : curve.name);
  write(caption.lastChild, number(now));
  const [width, height] = [picture.clientWidth || 420, picture.clientHeight || 110];
  set(picture, { viewBox: `0 0 ${width} ${height}`, "aria-label": `${curve.name}: ${number(now)} at step ${app.step}` });
  const map = mapping([begin, Math.max(begin + 1, end), ...range], width, height, THIN, false);
  const [grid, texts, cursor, future, past, dot] = picture.childNodes;
  const rows = ticks(range[0], range[1], 2).filter((value) => curve.name !== "mistakes" || Number.isInteger(value));
  const lines = pool(grid, rows.length, () => svg("line"));
  const labels = pool(texts, rows.length + 2, () => svg("text"));
  rows.forEach((value, k) => {
    const y = pixel(map.py(value));
    set(lines[k], { x1: map.left, x2: pixel(map.left + map.wide), y1: y, y2: y });
    write(set(labels[k], { x: map.left - 7, y: pixel(map.py(value) + 4), "text-anchor": "end" }), number(log ? 10 ** value : value, 3));
  });
  const foot = pixel(map.top + map.high + 14);
  write(set(labels[rows.length], { x: map.left, y: foot, "text-anchor": "start" }), begin.toLocaleString("en"));
  write(set(labels[rows.length + 1], { x: pixel(map.left + map.wide), y: foot, "text-anchor": "end" }), end.toLocaleString("en"));
  const vertices = points.map(([k, value]) => [k, turn(value ?? NaN)]).filter(([k, value]) => k >= begin && k <= end && Number.isFinite(value));
  for (const path of [past, future]) path.classList.toggle("dense", vertices.length > 300);
  set(past, { d: pathOf(map, vertices.filter(([k]) => k <= app.step)) });
  set(future, { d: app.quiz ? "" : pathOf(map, vertices.filter(([k]) => k >= app.step)) });
  const x = pixel(map.px(app.step));
  set(cursor, { x1: x, x2: x, y1: map.top, y2: pixel(map.top + map.high) });
  const placed = Number.isFinite(now) && Number.isFinite(turn(now));
  set(dot, placed ? { cx: x, cy: pixel(map.py(turn(now))), visibility: null } : { visibility: "hidden" });
}

/** The bound of Novikoff: so many updates at most, and why. */
function makeBound(app) {
  const self = frame("bound", "Bound on the number of updates", ["between", "curves", "marks"]);
  self.lower = svg("path", { class: "proof lower" });
  self.upper = svg("path", { class: "proof upper" });
  self.groups.curves.append(self.lower, self.upper);
  self.limit = svg("line", { class: "limit" });
  self.progress = svg("g", { class: "progress-dots" });
  self.length = svg("g", { class: "length-dots" });
  self.groups.marks.append(self.limit, self.progress, self.length);
  self.figures = html("dl", { class: "figures" });
  self.key = html("div", { class: "key" });
  self.box = html("div", { class: "view" }, self.figures, self.picture, self.key);
  self.missing = () => app.run.bound?.why;
  self.draw = () => drawBound(app, self);
  fillBoundKey(self.key);
  return self;
}

function fillBoundKey(key) {
  const entries = [
    ["M-8 0H8", "proof upper", "‖w‖ is at most √k·R"], [markerPath(1, 4), "length-key", "‖w‖ so far"],
    ["M-8 0H8", "proof lower", "w·w_opt is at least k·γ"], [markerPath(0, 4), "progress-key", "w·w_opt so far"],
  ];
  for (const [d, look, text] of entries)
    key.append(html("span", {}, svg("svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" }, svg("path", { d, class: look })), html("span", { text })));
}

function drawBound(app, self) {
  const bound = app.run.bound;
  const done = stateNow(app).updates;
  const figures = [["R", number(bound.R)], ["γ", number(bound.gamma)], ["R²/γ²", number(bound.bound)], ["updates so far", number(done)]];
  const cells = pool(self.figures, figures.length, () => html("div", {}, html("dt"), html("dd")));
  figures.forEach(([name, value], k) => { write(cells[k].firstChild, name); write(cells[k].lastChild, value); });
  const right = Math.max(1, ...bound.k);
  const high = Math.max(1e-9, ...bound.upper, ...bound.lower, ...bound.length.filter(Number.isFinite));
  const map = layFrame(self, [0, right, 0, high * 1.05], ["updates k", ""], { equal: false });
  set(self.lower, { d: pathOf(map, bound.k.map((k, at) => [k, bound.lower[at]])) });
  set(self.upper, { d: pathOf(map, bound.k.map((k, at) => [k, bound.upper[at]])) });
  const x = pixel(map.px(bound.bound));
  set(self.limit, { x1: x, x2: x, y1: map.top, y2: pixel(map.top + map.high) });
  drawSoFar(self.progress, map, bound.some, bound.progress, done, () => svg("circle", { r: 3.5 }), ([x0, y0]) => ({ cx: x0, cy: y0 }));
  drawSoFar(self.length, map, bound.some, bound.length, done, () => svg("path", { d: markerPath(1, 3.5) }), ([x0, y0]) => ({ transform: `translate(${x0} ${y0})` }));
}

/** Dots up to the present number of updates, of a long run some. */
function drawSoFar(group, map, updates, values, done, make, at) {
  const few = values.map((value, k) => [updates[k], value]).filter(([k, value]) => Number.isFinite(value) && k <= done);
  const dots = pool(group, few.length, make);
  few.forEach(([k, value], place) => set(dots[place], at([pixel(map.px(k)), pixel(map.py(value))])));
}
