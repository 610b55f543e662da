/**
 * Input space: the data, the regions, the boundary with its margins, and what this step looked at.
 */

const LAYERS = ["regions", "squares", "before", "slack", "lines", "normal", "halos", "rings", "points", "names"];
const NAMED_POINTS = 12;
const SQUARES = 15;

/** The picture of the data plane with its caption. */
function makeInput(app) {
  const self = frame("input-space", "Input space", LAYERS);
  self.normalPath = svg("path", { class: "arrow", "data-testid": "normal" });
  self.groups.normal.append(self.normalPath);
  self.groups.squares.append(svg("g"), svg("g"));
  self.caption = html("p", { class: "caption", "data-testid": "caption" });
  self.title = html("h2", { text: "Input space" });
  self.about = html("p", { class: "caption", "data-testid": "about-picture" });
  self.key = html("div", { class: "key", "data-testid": "key" });
  self.draw = () => app.run && app.view === "one" && drawInput(app, self);
  set(self.picture, { tabindex: "0" });
  app.on("step edit select look size", self.draw);
  return self;
}

/** The box in view: that of the run, but held still while a point is dragged. */
const boxNow = (app) => app.frozenBox || app.run.box;

function axisNames(app) {
  const features = app.run.features;
  return app.run.mode === "regression" ? [features[0] || "x", features[1] || "y"] : [features[0] || "x1", features[1] || ""];
}

function drawInput(app, self) {
  const state = stateNow(app);
  const flat = Boolean(state.places);
  const map = layFrame(self, boxNow(app), axisNames(app), { equal: app.run.mode === "classes" && !flat, ticksUp: !flat });
  const points = pointsNow(app);
  drawRegions(self.groups.regions, map, state.regions);
  drawLines(self.groups.before, map, linesBefore(app));
  drawLines(self.groups.lines, map, state.lines, "line");
  set(self.normalPath, { d: state.normal ? arrowPath(map, state.normal) : "" });
  drawSquares(app, self.groups.squares, map, points, state.fitted);
  drawSlack(self.groups.slack, map, points, state.feet);
  drawHalos(self.groups.halos, map, points, state.alpha);
  drawRings(app, self.groups.rings, map, points, state);
  const nodes = drawPoints(self.groups.points, map, points, (point, k) => isWrong(app, point, k));
  describePoints(app, nodes, points);
  drawNames(app, self.groups.names, map, points, state);
  write(self.title, app.run.picture.title);
  write(show(self.about, Boolean(app.run.picture.about)), app.run.picture.about);
  write(self.caption, captionOf(app, points));
  drawKey(app, self.key, points);
}

/** The boundary before this step, if it has moved. */
function linesBefore(app) {
  const before = stateBefore(app);
  const { update, places } = stateNow(app);
  const moved = before && update && !places && app.run.mode === "classes";
  return moved ? before.lines.filter((line) => line.kind === "boundary") : [];
}

/** Regression: the residual of each point and its square; of many points only that of the one in hand. */
function drawSquares(app, group, map, points, fitted) {
  const residuals = fitted ? points.map((point, k) => ({ ...point, k, foot: fitted[k] })).filter(({ foot }) => Number.isFinite(foot)) : [];
  const inHand = [app.selected, stateNow(app).sample];
  const squares = residuals.filter(({ k }) => residuals.length <= SQUARES || inHand.includes(k));
  const [rects, lines] = group.childNodes;
  const boxes = pool(rects, squares.length, () => svg("rect", { class: "square" }));
  squares.forEach(({ u, v, foot }, at) => {
    const [x, y, end] = [map.px(u), map.py(v), map.py(foot)];
    const side = Math.abs(y - end);
    const toRight = x + side <= map.left + map.wide || x - side < map.left;
    set(boxes[at], { x: pixel(toRight ? x : x - side), y: pixel(Math.min(y, end)), width: pixel(side), height: pixel(side) });
  });
  const feet = pool(lines, residuals.length, () => svg("line", { class: "residual" }));
  residuals.forEach(({ u, v, foot }, at) => {
    const x = pixel(map.px(u));
    set(feet[at], { x1: x, x2: x, y1: pixel(map.py(v)), y2: pixel(map.py(foot)) });
  });
}

/** Soft margin: from each point that pays slack to the margin it should have reached. */
function drawSlack(group, map, points, feet) {
  const paying = points.map((point, k) => [point, feet?.[k]]).filter(([, foot]) => foot);
  const lines = pool(group, paying.length, () => svg("line", { class: "slack-line" }));
  paying.forEach(([point, [u, v]], k) =>
    set(lines[k], { x1: pixel(map.px(point.u)), y1: pixel(map.py(point.v)), x2: pixel(map.px(u)), y2: pixel(map.py(v)) }));
}

/** Support vectors: a disc whose area grows with α. */
function drawHalos(group, map, points, alpha) {
  const top = Math.max(0, ...(alpha || []).map(Math.abs));
  const bearing = top > 0 ? points.map((point, k) => [point, Math.abs(alpha[k] || 0)]).filter(([, size]) => size > 0) : [];
  const discs = pool(group, bearing.length, () => svg("circle"));
  bearing.forEach(([point, size], k) => set(discs[k], {
    class: `halo ${hue(point.code)}`, cx: pixel(map.px(point.u)), cy: pixel(map.py(point.v)),
    r: pixel(9 + 11 * Math.sqrt(size / top)),
  }));
}

/** Rings round the visited sample or batch, and round the point that is selected. */
function drawRings(app, group, map, points, state) {
  const visited = state.sample !== null && state.sample !== undefined ? [state.sample] : state.batch || [];
  const all = visited.length < points.length || visited.length === 1 ? visited : [];
  const rings = pool(group, all.length + 2, () => svg("circle"));
  const place = (k) => ({ cx: pixel(map.px(points[k].u)), cy: pixel(map.py(points[k].v)) });
  all.forEach((k, at) => points[k] && set(rings[at], { class: "visited", "data-testid": "visited", r: 14, ...place(k) }));
  const chosen = app.selected !== null && points[app.selected];
  set(rings[all.length], chosen
    ? { class: "selected", "data-testid": "selected", r: 18, ...place(app.selected) }
    : { class: "selected", "data-testid": null, r: 0 });
  const asked = app.quiz ? nextState(app)?.sample ?? null : null;
  set(rings[all.length + 1], points[asked]
    ? { class: "asked", "data-testid": "asked", r: 14, ...place(asked) }
    : { class: "asked", "data-testid": null, r: 0 });
}

/** Names from the data beside the points while there are few; else only that of the visited one. */
function drawNames(app, group, map, points, state) {
  const given = app.spec.data.names;
  const wanted = points.map((point, k) => ({ ...point, k }))
    .filter(({ k }) => given?.[k] && (points.length <= NAMED_POINTS || k === state.sample || k === app.selected));
  const texts = pool(group, wanted.length, () => svg("text", { class: "name" }));
  wanted.forEach((point, at) => {
    const x = map.px(point.u);
    const right = x < map.left + map.wide - 60;
    set(texts[at], { x: pixel(right ? x + 13 : x - 13), y: pixel(map.py(point.v) - 10), "text-anchor": right ? "start" : "end" });
    write(texts[at], point.name.length > 24 ? `${point.name.slice(0, 23)}…` : point.name);
  });
}

/** What a screen reader says of each point; one of them is in the tab order. */
function describePoints(app, nodes, points) {
  const classes = classNames(app);
  const entry = app.selected ?? 0;
  points.forEach((point, k) => {
    const wrong = isWrong(app, point, k);
    const label = point.code === null ? "" : `, class ${signed(classes[point.code])}`;
    set(nodes[k], {
      role: "img", tabindex: k === entry ? "0" : "-1", "data-testid": "point",
      "aria-label": `${point.name}${label}, at ${number(point.u)}, ${number(point.v)}${wrong ? ", on the wrong side" : ""}`,
    });
  });
}

/** One line about the point in hand, or how many are wrong. */
function captionOf(app, points) {
  const state = stateNow(app);
  const k = app.hovered ?? app.selected;
  const point = k === null ? null : points[k];
  if (!point) return "";
  const parts = [state.places ? `${point.name}, distance ${number(point.u)}` : `${point.name} (${number(point.u)}, ${number(point.v)})`];
  if (point.code !== null) parts.push(`class ${signed(classNames(app)[point.code])}`);
  if (Number.isFinite(state.scores?.[k])) parts.push(`score ${number(state.scores[k])}`);
  if (Number.isFinite(state.fitted?.[k])) parts.push(`ŷ = ${number(state.fitted[k])}`);
  if (Number.isFinite(state.alpha?.[k])) parts.push(`α = ${number(state.alpha[k])}`);
  if (Number.isFinite(state.slack?.[k])) parts.push(`ξ = ${number(state.slack[k])}`);
  if (isWrong(app, point, k)) parts.push("wrong side");
  return parts.join(" · ");
}

/** The key: classes with their markers, and the signs that this state uses. */
function drawKey(app, key, points) {
  const state = stateNow(app);
  const wrong = points.filter((point, k) => isWrong(app, point, k)).length;
  const entries = classNames(app).map((name, code) => [markerPath(code, 5), `marker ${hue(code)}`, signed(name)]);
  if (app.run.mode === "classes" && state.predicted && state.regions?.length)
    entries.push(["M-5 -5L5 5M5 -5L-5 5", "cross", wrong ? `${wrong} wrong` : "none wrong"]);
  if (state.sample !== null && state.sample !== undefined) entries.push([markerPath(0, 6), "visited", "visited"]);
  if (linesBefore(app).length) entries.push(["M-8 0H8", "line before-key", "before"]);
  if (app.quiz && nextState(app)) entries.push([markerPath(0, 6), "asked", "visited next"]);
  if (state.alpha?.some((a) => a)) entries.push([markerPath(0, 6), "halo plain", "disc: size of α"]);
  if (state.feet?.some(Boolean)) entries.push(["M-8 0H8", "slack-line", "slack"]);
  if (state.fitted && points.length <= SQUARES) entries.push([markerPath(1, 6), "square", "squared residual"]);
  else if (state.fitted) entries.push(["M0 -8V8", "residual", "residual"]);
  const nodes = pool(key, entries.length, () => html("span", {},
    svg("svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" }, svg("path")), html("span")));
  entries.forEach(([d, look, text], k) => {
    set(nodes[k].firstChild.firstChild, { d, class: look });
    write(nodes[k].lastChild, text);
  });
}
