/**
 * Questions to Python and their answers. One question is in flight at a time; while it is, only the
 * newest of the waiting ones is kept, so a drag never queues up.
 */

/** Makes `app.ask(kind, body, key)`, a promise of the answer; null if a newer question replaced it. */
function connect(app) {
  let last = Math.floor(Math.random() * 2 ** 40); // two views of one widget must not take each other's answers
  let flying = null;
  const waiting = new Map();

  const send = (question) => {
    flying = question;
    app.model.set("request", { id: question.id, kind: question.kind, body: question.body, key: question.key });
    app.model.save_changes();
  };
  const next = () => {
    const [line] = waiting.keys();
    if (line === undefined) return setBusy(app, false);
    const question = waiting.get(line);
    waiting.delete(line);
    send(question);
  };
  const receive = () => {
    const answer = app.model.get("response");
    if (!answer || !flying || answer.id !== flying.id) return;
    const question = flying;
    flying = null;
    if (answer.ok) question.resolve(answer.body);
    else question.reject(new Error(answer.error || "Python gave no answer."));
    next();
  };
  app.model.on("change:response", receive);
  app.closers.push(() => app.model.off?.("change:response", receive));

  app.ask = (kind, body, key = null) => new Promise((resolve, reject) => {
    const question = { id: ++last, kind, body, key, resolve, reject };
    setBusy(app, true);
    if (!flying) return send(question);
    const line = body?.window ? "window" : kind; // windows of a run do not push a new run aside
    waiting.get(line)?.resolve(null);
    waiting.set(line, question);
  });
}

/** Tells the page that an answer is awaited; shown only when it takes longer than a moment. */
function setBusy(app, busy) {
  set(app.root, { "data-busy": busy ? "yes" : null });
}

/** Asks Python to run the specification as it is now. */
async function refit(app, { step = null, toEnd = false, key = null, quick = false } = {}) {
  const algorithm = algorithmOf(app);
  const spec = algorithm ? { ...app.spec, params: usedParameters(algorithm, app.spec.params, app.spec) } : app.spec;
  app.spec = spec;
  if (!quick) stopPlaying(app);
  // while a point is dragged one state and one view will do; all of it comes when the point is let go
  const dragged = quick && app.frozenBox !== null && app.run?.spec.algorithm === spec.algorithm;
  const here = app.wanted ?? app.step; // perhaps still on its way there
  const atEnd = toEnd || (step === null && (!app.run || here >= lastStep(app)));
  const place = atEnd ? Infinity : step ?? here;
  const brief = dragged ? { at: atEnd ? null : place, view: app.tab } : null;
  try {
    const run = await app.ask("fit", { ...spec, start: brief ? 1 : startOf(app, place), brief }, key);
    if (!run) return false;
    if (app.spec !== spec) return showOnTheWay(app, run);
    complain(app, null);
    takeRun(app, run, place);
    return true;
  } catch (error) {
    if (app.spec === spec) complain(app, error.message);
    return false;
  }
}

/** Asks for the window with step k of the run as it is; true if it has come. */
async function askWindow(app, k) {
  const { run } = app;
  if (run.reach || run.brief) return false;
  try {
    const sent = await app.ask("fit", { ...run.spec, start: startOf(app, k), brief: null, window: true });
    if (!sent || app.run !== run) return false;
    keepWindow(app, sent);
    return true;
  } catch (error) {
    if (app.run === run) complain(app, error.message);
    return false;
  }
}

/** Asks for the next window before the cursor is at its border. */
function askAhead(app) {
  const one = windowNow(app);
  const next = one.last + 1;
  if (app.ahead || app.run.brief || app.run.reach || next > lastStep(app) || windowOf(app, next)) return;
  if (one.last - app.step > app.catalog.limits.rows / 4) return;
  app.ahead = true;
  askWindow(app, next).then((came) => {
    app.ahead = false;
    if (came && app.quiz) app.emit("look"); // it asks about the next state
  });
}

/** A run of points that have moved on since: shown while the newer one is computed. */
function showOnTheWay(app, run) {
  const { data, algorithm } = app.spec;
  if (run.points.length !== data.points.length || run.spec.algorithm !== algorithm) return false;
  const spec = app.spec;
  takeRun(app, run, null, spec);
  return true;
}

/** Shows the sentence of an error, or takes it away. */
function complain(app, sentence) {
  app.error = sentence;
  app.emit("error");
}
