/**
 * Editing by pointer and keyboard: draw, drag, relabel, delete. Each edit asks Python for a new run.
 */

const SPRAY = 26;

/** Coordinates are set on a grid of round numbers, so that fractions stay short. */
function gridSteps(box) {
  return [niceStep((box[1] - box[0]) / 100), niceStep((box[3] - box[2]) / 100)];
}

/** Puts point k of the data at (u, v). */
function place(data, mode, k, u, v) {
  if (mode === "regression") {
    data.points[k] = [u];
    data.labels[k] = v;
  } else data.points[k] = [u, v, ...data.points[k].slice(2)];
}

function placeInView(app, u, v) {
  const box = boxNow(app);
  const [su, sv] = gridSteps(box);
  return [snap(Math.max(box[0], Math.min(box[1], u)), su), snap(Math.max(box[2], Math.min(box[3], v)), sv)];
}

/** Adds a point; returns its number. */
function addPoint(app, u, v, options) {
  const most = app.catalog.limits?.points || 500;
  if (app.spec.data.points.length >= most) return complain(app, `At most ${most} points fit here.`);
  const [pu, pv] = placeInView(app, u, v);
  const classes = classNames(app);
  editData(app, (data) => {
    data.points.push(app.spec.mode === "regression" ? [pu] : [pu, pv]);
    data.labels.push(app.spec.mode === "regression" ? pv : classes[app.drawClass] ?? "A");
    if (data.names) data.names.push(`sample ${data.points.length - 1}`);
  }, options);
  return app.spec.data.points.length - 1;
}

/** Deletes the selected point. */
function deletePoint(app, k = app.selected) {
  if (k === null || !app.editable || app.spec.data.points.length <= 1) return;
  app.selected = null;
  app.hovered = null;
  editData(app, (data) => {
    data.points.splice(k, 1);
    data.labels.splice(k, 1);
    data.names?.splice(k, 1);
  });
}

/** The class with this number for the selected point, else for new points. A new class gets a new name. */
function relabel(app, code) {
  if (app.spec.mode === "regression") return;
  const classes = classNames(app);
  const name = classes[code] ?? newClassName(classes, code);
  if (app.selected === null) {
    if (code < classes.length) app.drawClass = code;
    return app.emit("look");
  }
  app.drawClass = Math.min(code, classes.length);
  const k = app.selected;
  editData(app, (data) => { data.labels[k] = name; });
  app.emit("look");
}

function newClassName(classes, code) {
  if (classes.every((name) => /^-?\d+$/.test(name))) return String(Math.max(...classes.map(Number)) + 1);
  const letter = "ABC"[code] || `class ${code + 1}`;
  return classes.includes(letter) ? `class ${code + 1}` : letter;
}

/** Moves the selected point by so many grid steps. */
function nudge(app, du, dv) {
  const k = app.selected;
  if (k === null || !canMove(app)) return;
  const [su, sv] = gridSteps(boxNow(app));
  const point = pointsNow(app)[k];
  editData(app, (data) => place(data, app.spec.mode, k, snap(point.u + du * su, su), snap(point.v + dv * sv, sv)), { quick: true });
}

/** Selects a point, or none, and gives it the focus if asked to. */
function select(app, k, focus = false) {
  app.selected = k;
  app.emit("select");
  if (focus && k !== null) app.input.groups.points.childNodes[k]?.focus({ preventScroll: true });
}

/** The data place under the pointer. */
function pointerPlace(self, event) {
  const rect = self.picture.getBoundingClientRect();
  const map = self.map;
  return [map.u(event.clientX - rect.left), map.v(event.clientY - rect.top)];
}

const pointUnder = (event) => {
  const node = event.target.closest?.(".point");
  return node ? Number(node.getAttribute("data-index")) : null;
};

/** Makes a picture of the data plane editable by pointer. */
function makeEditable(app, self) {
  let drag = null;
  self.picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !self.map || !app.run) return;
    const k = pointUnder(event);
    if (k === null && !app.editable) return;
    if (k !== null) drag = { k, moved: false };
    else if (canMove(app) && (app.tool === "draw" || event.shiftKey)) drag = startDrawing(app, self, event);
    else return select(app, null);
    app.frozenBox = self.map.box;
    self.picture.setPointerCapture(event.pointerId);
    if (drag.k !== undefined) select(app, drag.k, true);
    event.preventDefault();
  });
  self.picture.addEventListener("pointermove", (event) => {
    if (!drag) return hover(app, pointUnder(event));
    if (drag.spray) return spray(app, self, event, drag);
    if (canMove(app)) dragPoint(app, self, event, drag);
  });
  const stop = () => {
    if (!drag) return;
    const moved = drag.moved || drag.spray;
    drag = null;
    app.frozenBox = null;
    if (moved && app.view === "one") refit(app, { quick: true });
    else app.emit("select");
  };
  self.picture.addEventListener("pointerup", stop);
  self.picture.addEventListener("pointercancel", stop);
  self.picture.addEventListener("pointerleave", () => hover(app, null));
}

function hover(app, k) {
  if (k === app.hovered) return;
  app.hovered = k;
  if (app.run) write(app.input.caption, captionOf(app, pointsNow(app)));
}

function dragPoint(app, self, event, drag) {
  const [u, v] = placeInView(app, ...pointerPlace(self, event));
  const now = pointsNow(app)[drag.k];
  if (!now || (now.u === u && now.v === v)) return;
  editData(app, (data) => place(data, app.spec.mode, drag.k, u, v), { remember: !drag.moved, quick: true });
  drag.moved = true;
}

/** In draw mode a click sets one point, a stroke a row of them; the stroke is one step of undo. */
function startDrawing(app, self, event) {
  app.frozenBox = self.map.box;
  addPoint(app, ...pointerPlace(self, event), { quick: true });
  return { spray: true, x: event.clientX, y: event.clientY };
}

function spray(app, self, event, drag) {
  if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SPRAY) return;
  [drag.x, drag.y] = [event.clientX, event.clientY];
  addPoint(app, ...pointerPlace(self, event), { remember: false, quick: true });
}
