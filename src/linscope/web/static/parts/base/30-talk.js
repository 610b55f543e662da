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
    const [kind] = waiting.keys();
    if (kind === undefined) return setBusy(app, false);
    const question = waiting.get(kind);
    waiting.delete(kind);
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
    waiting.get(kind)?.resolve(null);
    waiting.set(kind, question);
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
  const brief = dragged ? { at: app.step >= lastStep(app) ? null : app.step, view: app.tab } : null;
  try {
    const run = await app.ask("fit", { ...spec, brief }, key);
    if (!run) return false;
    if (app.spec !== spec) return showOnTheWay(app, run);
    complain(app, null);
    takeRun(app, run, toEnd ? Infinity : step);
    return true;
  } catch (error) {
    if (app.spec === spec) complain(app, error.message);
    return false;
  }
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
