/**
 * What the page knows: one run, one specification, one cursor. Everything drawn is a function of it.
 *
 * The cursor goes from 0 to the number of steps of the run. States come in windows, asked for as the cursor moves;
 * a few windows are kept.
 */

const UNDO_DEPTH = 200;
const EXACT_POINTS = 12; // fractions of larger tables grow long and slow
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64];
const WINDOWS = 4; // kept at once
const LAST = 1e7; // a row beyond every end: asks for the last window

/** The application: its state, and listeners by the name of what changed. */
function makeApp(model, root) {
  const listeners = {};
  const app = {
    model, root,
    catalog: model.get("catalog") || { algorithms: [], samples: [], generators: [], lectures: [], limits: {} },
    options: model.get("options") || {},
    run: null, spec: null, step: 0, windows: [], wanted: null,
    playing: false, speed: 2,
    selected: null, hovered: null, tool: "move", drawClass: 0,
    view: "one", tab: "weights", lecture: null, quiz: null,
    frozenBox: null, undo: [], redo: [], closers: [],
    on(names, act) { for (const name of names.split(" ")) (listeners[name] ||= []).push(act); },
    emit(name) { for (const act of listeners[name] || []) act(); },
  };
  app.embed = Boolean(app.options.embed);
  app.editable = app.options.host !== "handout" && !app.embed;
  return app;
}

/** The steps that can be reached: all, but in a hand-out those that the file has. */
const firstStep = (app) => app.run?.reach?.[0] ?? 0;
const lastStep = (app) => app.run?.reach?.[1] ?? app.run?.total ?? 0;

/** The window with the state after step k and the row of that step; state 0 has no row. */
const windowOf = (app, k) => app.windows.find((one) => k > one.first && k <= one.last)
  || app.windows.find((one) => k === one.first && (k === 0 || k === firstStep(app) || one.brief));

const windowNow = (app) => windowOf(app, app.step);
const stateAt = (app, k) => { const one = windowOf(app, k); return one ? one.states[k - one.first] : null; };

/** The state under the cursor. */
const stateNow = (app) => stateAt(app, app.step);

/** The state before the cursor, to show where the boundary came from. */
function stateBefore(app) {
  const one = windowNow(app);
  return app.step > one.first ? one.states[app.step - 1 - one.first] : null;
}

/** The first row of the window to ask for, to see step k. */
const startOf = (app, k) => (k === Infinity ? LAST : 1 + app.catalog.limits.rows * Math.max(0, Math.ceil(k / app.catalog.limits.rows) - 1));

/** A window as Python works it out: what a state has in common with the one before it was not sent. */
function unpack(sent) {
  let before = null;
  const states = sent.states.map((state) => (before = { ...before, ...state }));
  let view = null;
  const views = sent.weights?.states?.map((one) => (view = one === 0 ? view : one));
  const first = sent.start - 1;
  return { first, last: first + states.length - 1, states, views, ledger: sent.ledger, curves: sent.curves, brief: Boolean(sent.brief) };
}

/** Keeps a window, and of the others those nearest to the cursor. */
function keepWindow(app, sent) {
  const one = unpack(sent);
  const far = (other) => Math.max(other.first - app.step, app.step - other.last, 0);
  app.windows = app.windows.filter((other) => other.first !== one.first);
  if (!app.run.reach) app.windows = app.windows.sort((a, b) => far(a) - far(b)).slice(0, WINDOWS - 1);
  app.windows.push(one);
}

/**
 * Moves the cursor; where the states there are still to come, as soon as they are here. The last place
 * that is wanted wins. True when the cursor is there.
 */
async function goTo(app, step) {
  const place = Math.max(firstStep(app), Math.min(lastStep(app), Math.round(step)));
  app.wanted = place;
  if (!windowOf(app, place) && !(await askWindow(app, place))) return false;
  if (app.wanted !== place || !windowOf(app, place)) return false;
  if (place === app.step) return true;
  app.step = place;
  app.emit("step");
  return true;
}

/**
 * Takes a run that Python has sent. The cursor stays, or stays at the end if it was there.
 * A brief one has one state and one view, for a picture while a point moves; all else stays as it was.
 */
function takeRun(app, sent, step = null, spec = sent.spec) {
  const atEnd = !app.run || app.step >= lastStep(app);
  const { states, windows, ...run } = sent;
  app.run = run.brief ? { ...app.run, ...withoutNull(run) } : run;
  app.spec = spec.start === 1 ? spec : { ...spec, start: 1 }; // the same one, if it is asked about just now
  app.windows = [];
  for (const one of windows || [sent]) keepWindow(app, one);
  const place = Math.max(firstStep(app), Math.min(lastStep(app), step ?? (atEnd ? Infinity : app.step)));
  const { first, last } = app.windows[0];
  app.step = windowOf(app, place) ? place : Math.max(first + (first > 0), Math.min(last, place));
  app.wanted = null;
  if (app.selected !== null && app.selected >= run.points.length) app.selected = null;
  app.drawClass = Math.min(app.drawClass, classNames(app).length - 1);
  set(app.root, { "data-stale": run.brief ? "yes" : null });
  if (!run.brief) app.emit("run");
  app.emit("step");
  if (app.step !== place) goTo(app, place);
}

const withoutNull = (run) => Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null));

/** Classes by number: those of the run, then labels that an edit has added. */
function classNames(app) {
  const names = [...(app.run?.classes || [])];
  if (app.spec?.mode === "classes")
    for (const label of app.spec.data.labels) if (!names.includes(String(label))) names.push(String(label));
  return names;
}

/** The points as they are now, perhaps ahead of the run while one is dragged. */
function pointsNow(app) {
  const { points, labels, names } = app.spec.data;
  const classes = classNames(app);
  const regression = app.spec.mode === "regression";
  const places = stateNow(app).places;
  return points.map((point, k) => ({
    u: places?.[k]?.[0] ?? point[0],
    v: places?.[k]?.[1] ?? (regression ? labels[k] : point[1] ?? 0),
    code: regression ? null : classes.indexOf(String(labels[k])),
    name: names?.[k] || `sample ${k}`,
  }));
}

/** Points of more than two features are shown where the state puts them: those cannot be dragged. */
const canMove = (app) => app.editable && !stateNow(app).places;

const predictedCode = (app, k) => stateNow(app).predicted?.[k] ?? null;

/** Whether the state under the cursor puts point k into the wrong class; before there are regions, none is. */
function isWrong(app, point, k) {
  const code = stateNow(app).regions?.length ? predictedCode(app, k) : null;
  return code !== null && point.code !== null && code !== point.code;
}

/** A change of the data that can be undone. `change` gets a copy to alter. */
function editData(app, change, { remember = true, quick = false } = {}) {
  if (!app.editable) return;
  if (remember) rememberData(app);
  const data = structuredClone(app.spec.data);
  change(data);
  app.spec = { ...app.spec, data };
  fitAlgorithmToData(app);
  if (app.view === "one") refit(app, { quick }); // Python works while the page draws
  app.emit("edit");
}

/** Keeps the data as they are, for undo. */
function rememberData(app) {
  app.undo.push({ data: app.spec.data, mode: app.spec.mode });
  if (app.undo.length > UNDO_DEPTH) app.undo.shift();
  app.redo.length = 0;
}

/** One edit of the data back, or forth again. */
function undoData(app, from = app.undo, to = app.redo) {
  if (!app.editable || from.length === 0) return;
  to.push({ data: app.spec.data, mode: app.spec.mode });
  const kept = from.pop();
  app.spec = { ...app.spec, ...kept };
  app.selected = null;
  fitAlgorithmToData(app);
  app.emit("edit");
  refit(app);
}

/** Data from elsewhere (a sample, a generator, a file): replaces the points. */
function replaceData(app, data, mode, algorithm = app.spec.algorithm) {
  rememberData(app);
  if (algorithm !== app.spec.algorithm) app.spec = { ...app.spec, algorithm, params: {}, loss: null };
  app.spec = { ...app.spec, data, mode, params: turnable(app), exact: app.spec.exact && data.points.length <= EXACT_POINTS };
  app.selected = null;
  app.lecture = null;
  app.tabPicked = false;
  fitAlgorithmToData(app);
  refit(app, { toEnd: true });
  app.emit("lecture");
}

/** The parameters with a control; others, such as a start of the weights, belong to the data they came with. */
function turnable(app) {
  const names = (algorithmOf(app)?.params || []).map((parameter) => parameter.name);
  return Object.fromEntries(Object.entries(app.spec.params || {}).filter(([name]) => names.includes(name)));
}

/** How many classes the points have. */
const classCount = (spec) => new Set(spec.data.labels.map(String)).size;

/** Whether the algorithm can be used on such data. */
function suits(algorithm, spec) {
  if (!algorithm.modes.includes(spec.mode) || spec.data.points.length > algorithm.points) return false;
  return spec.mode === "regression" || !algorithm.classes || algorithm.classes.includes(Math.max(2, classCount(spec)));
}

const algorithmOf = (app, id = app.spec?.algorithm) => app.catalog.algorithms.find((one) => one.id === id);

/** Keeps the algorithm if the data allow it, else takes the first that suits them. */
function fitAlgorithmToData(app) {
  const current = algorithmOf(app);
  if (current && suits(current, app.spec)) return;
  const other = app.catalog.algorithms.find((one) => suits(one, app.spec));
  if (other) app.spec = { ...app.spec, algorithm: other.id, params: {}, loss: null, exact: Boolean(app.spec.exact && other.exact_at_once) };
}

/** Whether a parameter is in use under these values. */
function inUse(parameter, values) {
  return Object.entries(parameter.when || {}).every(([name, allowed]) =>
    [].concat(allowed).map(String).includes(String(values[name])));
}

/** Values of all parameters: those given, else the defaults; and how many classes there are. */
function parameterValues(algorithm, params, spec) {
  const values = { classes: spec.mode === "classes" ? Math.max(2, classCount(spec)) : 0 };
  for (const parameter of algorithm.params) values[parameter.name] = params?.[parameter.name] ?? parameter.default;
  return values;
}

/** Only the parameters in use, and those without a control that a lecture has set: what goes to Python. */
function usedParameters(algorithm, params, spec) {
  const values = parameterValues(algorithm, params, spec);
  const used = { ...params };
  for (const parameter of algorithm.params) delete used[parameter.name];
  for (const parameter of algorithm.params) {
    const value = values[parameter.name];
    if (value !== null && value !== undefined && inUse(parameter, values)) used[parameter.name] = value;
  }
  return used;
}
