/**
 * Curves over the steps (criterion, mistakes, primal, dual, gap), and the bound on the number of
 * updates with the two curves of its proof.
 */

const THIN = { left: 52, right: 14, top: 8, bottom: 20 };

/** Small multiples, one for each curve, with the cursor on all of them. */
function makeCurves(app) {
  const self = { plots: html("div", { class: "multiples" }), missing: () => (app.run.curves?.length ? null : "This run has no curves.") };
  self.box = html("div", { class: "view", "data-testid": "curves" }, self.plots);
  self.draw = () => {
    const curves = app.run.curves;
    const boxes = pool(self.plots, curves.length, () => makeMultiple(app));
    curves.forEach((curve, k) => drawMultiple(app, boxes[k], curve));
  };
  return self;
}

function makeMultiple(app) {
  const picture = svg("svg", { class: "multiple", role: "img" },
    svg("g", { class: "grid" }), svg("g", { class: "ticks" }), svg("line", { class: "cursor" }),
    svg("path", { class: "curve future" }), svg("path", { class: "curve" }), svg("circle", { class: "now", r: 4 }));
  const node = html("figure", {}, html("figcaption", {}, html("span"), html("strong")), picture);
  picture.addEventListener("click", (event) => {
    const rect = picture.getBoundingClientRect();
    const share = (event.clientX - rect.left - THIN.left) / (rect.width - THIN.left - THIN.right);
    goTo(app, share * lastStep(app));
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
  const values = curve.values;
  const now = values[app.step];
  const { turn, log, range } = curveScale(values);
  write(caption.firstChild, log ? `${curve.name} (log scale)` : curve.name);
  write(caption.lastChild, number(now));
  const [width, height] = [picture.clientWidth || 420, picture.clientHeight || 110];
  set(picture, { viewBox: `0 0 ${width} ${height}`, "aria-label": `${curve.name}: ${number(now)} at step ${app.step}` });
  const map = mapping([0, Math.max(1, values.length - 1), ...range], width, height, THIN, false);
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
  write(set(labels[rows.length], { x: map.left, y: foot, "text-anchor": "start" }), stepName(app, 0));
  write(set(labels[rows.length + 1], { x: pixel(map.left + map.wide), y: foot, "text-anchor": "end" }), stepName(app, values.length - 1));
  const vertices = values.map((value, k) => [k, turn(value ?? NaN)]).filter(([, value]) => Number.isFinite(value));
  set(past, { d: pathOf(map, vertices.filter(([k]) => k <= app.step)) });
  set(future, { d: app.quiz ? "" : pathOf(map, vertices.filter(([k]) => k >= app.step)) });
  const x = pixel(map.px(app.step));
  set(cursor, { x1: x, x2: x, y1: map.top, y2: pixel(map.top + map.high) });
  const placed = Number.isFinite(now) && Number.isFinite(turn(now));
  set(dot, placed ? { cx: x, cy: pixel(map.py(turn(now))), visibility: null } : { visibility: "hidden" });
}

/** The number of the ledger row behind a step: 0 is before the first. */
const stepName = (app, k) => String(app.run.start - 1 + k);

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
  const done = bound.updates[Math.min(app.step, bound.updates.length - 1)];
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
  drawSoFar(self.progress, map, bound.progress, done, () => svg("circle", { r: 3.5 }), ([x0, y0]) => ({ cx: x0, cy: y0 }));
  drawSoFar(self.length, map, bound.length, done, () => svg("path", { d: markerPath(1, 3.5) }), ([x0, y0]) => ({ transform: `translate(${x0} ${y0})` }));
}

/** Dots up to the present number of updates. */
function drawSoFar(group, map, values, done, make, at) {
  const shown = values.slice(0, done + 1);
  const thin = Math.max(1, Math.ceil(shown.length / 150));
  const few = shown.map((value, k) => [k, value]).filter(([k, value]) => Number.isFinite(value) && (k % thin === 0 || k === done));
  const dots = pool(group, few.length, make);
  few.forEach(([k, value], place) => set(dots[place], at([pixel(map.px(k)), pixel(map.py(value))])));
}
