/**
 * The page: the pictures first, the controls second, theory on demand. `render` is what anywidget,
 * the page and the hand-out call.
 */

function makeHeader(app, sheets, theme) {
  const open = (dialog) => () => { dialog.fill?.(); dialog.showModal(); };
  const toggle = (title, test, act) => button(title, act, { class: "quiet", "aria-pressed": "false", "data-testid": test });
  const everyone = toggle("Compare", "view-everyone", () => setView(app, app.view === "one" ? "everyone" : "one"));
  const quiz = toggle("Quiz", "quiz-open", () => setQuiz(app, !app.quiz));
  set(everyone, { title: "Same points, every classifier (e)" });
  app.on("look run", () => {
    set(everyone, { "aria-pressed": app.view === "everyone" ? "true" : "false" });
    set(quiz, { "aria-pressed": app.quiz ? "true" : "false" });
    quiz.disabled = Boolean(app.run?.closed) && !app.quiz;
    set(quiz, { title: app.run?.closed ? "This method takes no steps: nothing to guess" : "What is the next update? (q)" });
    show(everyone, app.editable && app.spec?.mode === "classes" && app.spec.data.features.length === 2);
  });
  const title = html("h1", { "data-testid": "title" });
  app.on("run", () => write(title, app.run.title));
  const lectures = button("Lectures", open(sheets.lectures), { class: "quiet", "data-testid": "lectures" });
  const data = button("Data", () => openData(app), { class: "quiet", "data-testid": "open-data" });
  show(data, app.editable);
  show(lectures, app.catalog.lectures.length > 0);
  return html("header", { class: "bar" },
    wordmark(app), title,
    html("nav", { "aria-label": "Playground" }, lectures, data, everyone, quiz,
      button("Share", open(sheets.share), { class: "quiet", "data-testid": "share" }), makeExportMenu(app)),
    html("div", { class: "bar-end" },
      button("Light or dark", theme, { sign: "light", class: "quiet", "data-testid": "theme" }),
      button("?", open(sheets.help), { class: "quiet", "aria-label": "Keys", title: "Keys (?)", "data-testid": "help" })));
}

/** The name; where the page is embedded, a way to the whole of it. */
function wordmark(app) {
  if (!app.embed) return html("span", { class: "wordmark", text: "linscope" });
  const link = html("a", { class: "wordmark", text: "linscope", target: "_blank", rel: "noopener", href: location.href, title: "Open the playground" });
  link.addEventListener("click", () => { link.href = linkOf(app); });
  return link;
}

/** The theme that is asked for, else that of the notebook around, else that of the system. */
function startTheme(app) {
  const body = document.body?.dataset ?? {};
  let kept = null;
  try { kept = localStorage.getItem("linscope-theme"); } catch { /* no storage for this page */ }
  if (app.options.host === "widget") {
    if (body.jpThemeLight) kept = body.jpThemeLight === "true" ? "light" : "dark";
    else if (document.documentElement.classList.contains("dark") || document.body.classList.contains("dark")) kept = "dark";
    else kept = document.body.classList.contains("light") ? "light" : kept;
  }
  set(app.root, { "data-theme": app.options.theme || kept });
}

function turnTheme(app) {
  const dark = app.root.dataset.theme ? app.root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const next = dark ? "light" : "dark";
  set(app.root, { "data-theme": next });
  try { localStorage.setItem("linscope-theme", next); } catch { /* no storage for this page */ }
}

/** The first picture with its key and caption. */
function makeInputCard(app) {
  app.input = makeInput(app);
  makeEditable(app, app.input);
  return html("section", { class: "card first", "aria-label": "Input space" },
    html("div", { class: "card-head" }, app.input.title, app.input.caption),
    html("div", { class: "stage" }, html("div", { class: "view" }, app.input.picture, app.input.key, app.input.about, makeTools(app))));
}

function makeFault(app) {
  const text = html("span");
  const box = html("div", { class: "fault banner", role: "alert", "data-testid": "error" }, text,
    button("Close", () => complain(app, null), { sign: "close", class: "quiet close" }));
  show(box, false);
  app.on("error", () => write(show(box, Boolean(app.error)).firstChild, app.error));
  return box;
}

function layOut(app) {
  const sheets = { lectures: makeLectureSheet(app), data: makeDataSheet(app), share: makeShareSheet(app), help: makeHelpSheet() };
  const theme = () => turnTheme(app);
  const pictures = html("div", { class: "pictures" }, makeInputCard(app), makeSecond(app).box);
  const cursor = html("div", { class: "cursor-bar" }, makeSentence(app), makeTransport(app));
  const main = html("main", {}, makeFault(app), pictures, makeEveryone(app), cursor, makeLedger(app).box);
  const rail = html("aside", { class: "rail", "aria-label": "Controls" },
    makeLectureCard(app), makeQuiz(app), makeAlgorithm(app), makeTheory(app));
  app.root.append(makeHeader(app, sheets, theme), html("div", { class: "body" }, main, rail), ...Object.values(sheets));
  listenToKeys(app, { help: () => sheets.help.showModal(), theme });
}

/** Redraws when the room for the pictures changes. */
function watchSize(app) {
  let width = 0;
  const watcher = new ResizeObserver(() => {
    const now = app.root.clientWidth;
    if (now === width) return;
    width = now;
    app.emit("size");
  });
  watcher.observe(app.root);
  app.closers.push(() => watcher.disconnect());
}

/** The first thing on the screen: what the address says, else a lecture, else the run that came along. */
async function begin(app) {
  const shared = stateFromAddress(app);
  const wanted = app.options.step;
  let fault = null;
  if (shared) {
    app.lecture = findLecture(app, shared.lecture);
    if (TABS.some((tab) => tab.id === shared.tab)) app.tab = shared.tab;
    const step = Number.isInteger(wanted) ? wanted : Number.isInteger(shared.step) ? shared.step : null;
    if (!shared.spec && app.lecture) return openLecture(app, app.lecture, step);
    if (shared.spec) {
      app.spec = shared.spec;
      app.emit("lecture");
      if (await refit(app, { step })) return setView(app, shared.view === "everyone" ? "everyone" : "one");
      fault = app.error;
    }
  }
  await beginAfresh(app, wanted);
  if (fault) complain(app, `The link could not be opened: ${fault}`);
}

/** Without a link: the lecture that is asked for, the run that came along, or the first lecture. */
async function beginAfresh(app, wanted) {
  const run = app.model.get("run");
  const lecture = findLecture(app, app.options.lecture) || (run ? lectureOf(app, run) : findLecture(app, app.catalog.first));
  if (lecture) await openLecture(app, lecture, wanted);
  else if (run) takeRun(app, run, wanted ?? null);
}

/** The lecture whose run a hand-out opens with, if it is one. */
function lectureOf(app, run) {
  const runs = app.model.get("runs") || {};
  const spec = JSON.stringify(run.spec);
  return app.catalog.lectures.find((lecture) => JSON.stringify(runs[lecture.run_key]?.spec) === spec) || null;
}

/** Draws the playground of `model` into `el`; returns what undoes it. */
function render({ model, el }) {
  const root = html("div", { class: "linscope", "data-testid": "linscope", "data-view": "one", "data-lm-suppress-shortcuts": "true" });
  const app = makeApp(model, root);
  set(root, { "data-host": app.options.host || "page", "data-embed": app.embed ? "yes" : null, "data-fixed": app.editable ? null : "yes" });
  el.append(root);
  startTheme(app);
  connect(app);
  layOut(app);
  keepAddress(app);
  talkToParent(app);
  watchSize(app);
  const fromPython = () => { const run = model.get("run"); if (run) takeRun(app, run); };
  model.on("change:run", fromPython);
  app.closers.push(() => model.off?.("change:run", fromPython), () => stopPlaying(app));
  app.emit("look");
  app.emit("lecture");
  begin(app).then(() => { if (app.options.quiz) setQuiz(app, true); });
  return () => { for (const close of app.closers) close(); root.remove(); };
}

export default { render };
