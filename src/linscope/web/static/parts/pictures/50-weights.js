/**
 * Weight space: each sample is a line there, the weights that get all of them right are a region,
 * and learning is a path of points. Under the same cursor as input space.
 */

const LONG_WAY = 150; // places on a path, from which only the RECENT stand out
const RECENT = 40;

/** The picture of the weight plane. */
function makeWeights(app) {
  const self = frame("weight-space", "Weight space", ["region", "constraints", "path", "marks"]);
  self.regionPath = svg("path", { class: "solutions", "data-testid": "solutions" });
  self.groups.region.append(self.regionPath);
  self.track = svg("g", {}, svg("path", { class: "track" }), svg("path", { class: "track" }));
  self.stops = svg("g", { class: "stops" });
  self.groups.path.append(self.track, self.stops);
  self.dot = svg("circle", { class: "now", r: 6, "data-testid": "weights-now" });
  self.dotName = svg("text", { class: "name" });
  self.groups.marks.append(self.dot, self.dotName);
  self.note = html("p", { class: "caption" });
  self.box = html("div", { class: "view" }, self.picture, self.note);
  self.missing = () => app.run.weights?.why;
  self.draw = () => drawWeights(app, self);
  return self;
}

function drawWeights(app, self) {
  const weights = app.run.weights;
  const here = windowNow(app);
  const state = here.views?.[app.step - here.first] || {};
  const path = pathSoFar(app, weights.pair);
  const map = layFrame(self, state.box || weights.box, weights.names);
  const region = state.region || [];
  set(self.regionPath, { d: region.length ? pathOf(map, region, true) : "" });
  drawConstraints(app, self.groups.constraints, map, state);
  drawTrack(self.track, self.stops, map, path);
  drawDot(self.dot, self.dotName, map, path[path.length - 1], "w");
  write(self.note, weightsNote(weights, state, region));
}

/** One line a sample, coloured like its class; that of the visited sample stands out. */
function drawConstraints(app, group, map, { lines = [], samples = [] }) {
  const visited = stateNow(app).sample;
  const paths = pool(group, lines.length, () => svg("path"));
  lines.forEach((ends, k) => {
    const sample = samples[k];
    const stands = sample === visited && visited !== null && visited !== undefined;
    set(paths[k], { d: pathOf(map, ends), class: `constraint ${hue(app.run.points[sample].code)}${stands ? " visited" : ""}` });
  });
}

/** Two of the weights up to the cursor: every step of this window, and some of those before it. */
function pathSoFar(app, [a, b]) {
  const here = windowNow(app);
  const { steps, w } = app.run.overview;
  const before = (w || []).filter((_, k) => steps[k] < here.first);
  const now = here.states.slice(0, app.step - here.first + 1).map((state) => state.w?.[0]);
  return [...before, ...now].filter(Boolean).map((one) => [one[a], one[b]]);
}

/** The way of the weights up to the cursor, the long past of it faint; every stop a small dot while there are few. */
function drawTrack(track, stops, map, gone) {
  const recent = gone.length > LONG_WAY ? gone.length - RECENT : 0;
  set(track.firstChild, { d: pathOf(map, gone.slice(0, recent + 1)), class: "track past" });
  set(track.lastChild, { d: pathOf(map, gone.slice(recent)) });
  const distinct = gone.filter((place, k) => k === 0 || place[0] !== gone[k - 1][0] || place[1] !== gone[k - 1][1]);
  const few = distinct.length <= 80 ? distinct : [];
  const dots = pool(stops, few.length, () => svg("circle", { r: 2.5 }));
  few.forEach(([u, v], k) => set(dots[k], { cx: pixel(map.px(u)), cy: pixel(map.py(v)) }));
}

function drawDot(dot, name, map, at, text) {
  const shown = at && at.every(Number.isFinite);
  set(dot, shown ? { cx: pixel(map.px(at[0])), cy: pixel(map.py(at[1])), visibility: null } : { visibility: "hidden" });
  write(name, shown ? text : "");
  if (!shown) return;
  const right = map.px(at[0]) < map.left + map.wide - 30;
  set(name, { x: pixel(map.px(at[0]) + (right ? 10 : -10)), y: pixel(map.py(at[1]) - 9), "text-anchor": right ? "start" : "end" });
}

/** What is seen: a slice where there are three weights, the solutions, and which samples have lines. */
function weightsNote(weights, state, region) {
  const slice = state.held ? `Slice at the current bias, ${state.held}. ` : "";
  const lines = weights.more ? "Lines are those of the first samples." : "Each line is one sample.";
  if (!weights.separable)
    return `${slice}Not separable: ${state.held ? "here and in every slice " : ""}the solution region is empty. ${lines}`;
  if (region.length) return `${slice}Shaded: weights that get every point right. ${lines}`;
  return `${slice}${state.held ? "The solution region does not reach into this slice." : "The solution region is out of sight."} ${lines}`;
}

/** The loss over two weights, darker where it is larger, with the same path. */
function makeLoss(app) {
  const self = frame("loss-surface", "Loss surface", ["bands", "path", "marks"]);
  self.track = svg("g", {}, svg("path", { class: "track" }), svg("path", { class: "track" }));
  self.stops = svg("g", { class: "stops" });
  self.groups.path.append(self.track, self.stops);
  self.lowest = svg("path", { class: "lowest", d: "M-11 0H11M0 -11V11", "data-testid": "lowest" });
  self.dot = svg("circle", { class: "now", r: 6, "data-testid": "loss-now" });
  self.dotName = svg("text", { class: "name" });
  self.groups.marks.append(self.lowest, self.dot, self.dotName);
  self.pick = choice("Loss", [], null, (id) => {
    app.spec = { ...app.spec, loss: id };
    refit(app);
  }, { class: "small", "data-testid": "loss-choice" });
  self.note = html("p", { class: "caption" });
  self.ramp = html("div", { class: "ramp", "aria-hidden": "true" });
  self.rampLow = html("span");
  self.rampHigh = html("span");
  const scale = html("span", { class: "ramp-row" }, self.rampLow, self.ramp, self.rampHigh);
  self.box = html("div", { class: "view" }, self.picture, self.note, html("div", { class: "loss-foot" }, self.pick, scale));
  self.missing = () => app.run.loss?.why;
  self.draw = () => drawLoss(app, self);
  return self;
}

function drawLoss(app, self) {
  const loss = app.run.loss;
  const map = layFrame(self, loss.box, loss.names, { equal: false });
  const paths = pool(self.groups.bands, loss.bands.length, () => svg("path", { "fill-rule": "evenodd" }));
  const top = Math.max(1, loss.bands.length - 1);
  loss.bands.forEach((band, k) =>
    set(paths[k], { d: polygonsOf(map, band.polygons), class: "band", "fill-opacity": (0.03 + 0.8 * (k / top)).toFixed(3) }));
  const path = pathSoFar(app, loss.pair);
  drawTrack(self.track, self.stops, map, path);
  drawDot(self.dot, self.dotName, map, path[path.length - 1], "w");
  set(self.lowest, loss.lowest
    ? { transform: `translate(${pixel(map.px(loss.lowest[0]))} ${pixel(map.py(loss.lowest[1]))})`, visibility: null }
    : { visibility: "hidden" });
  const held = loss.held ? `Slice at the last bias, ${loss.held}; the path is seen from above. ` : "";
  write(self.note, `${loss.title || loss.name}. ${held}${loss.lowest ? "The cross is the lowest place." : ""}`);
  const values = pool(self.ramp, loss.bands.length, () => html("i"));
  loss.bands.forEach((_, k) => { values[k].style.opacity = (0.03 + 0.8 * (k / top)).toFixed(3); });
  write(self.rampLow, loss.bands.length ? number(loss.bands[0].from, 3) : "");
  write(self.rampHigh, loss.bands.length ? number(loss.bands[loss.bands.length - 1].to, 3) : "");
}
