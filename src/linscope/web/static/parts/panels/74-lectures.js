/**
 * Lectures: prepared runs that replay the notes, each with a few sentences and something to try.
 */

/** The card of the present lecture, above the controls. */
function makeLectureCard(app) {
  const part = html("p", { class: "part" });
  const title = html("h2");
  const text = html("p");
  const attempt = html("p", { class: "try", "data-testid": "try" }, html("strong", { text: "Try this " }), html("span"));
  const back = button("Previous", () => openLecture(app, neighbour(app, -1)), { class: "quiet small", "data-testid": "lecture-back" });
  const next = button("Next", () => openLecture(app, neighbour(app, 1)), { class: "quiet small", "data-testid": "lecture-next" });
  const again = button("Start over", () => openLecture(app, app.lecture), { class: "quiet small" });
  const box = html("section", { class: "panel lecture", "aria-label": "Lecture", "data-testid": "lecture" },
    part, title, text, attempt, html("div", { class: "row" }, back, again, next));
  const draw = () => {
    const lecture = app.lecture;
    show(box, Boolean(lecture));
    if (!lecture) return;
    write(part, lecture.part);
    write(title, lecture.title);
    write(text, lecture.text);
    write(show(attempt, Boolean(lecture.try)).lastChild, lecture.try);
    show(back, Boolean(neighbour(app, -1)));
    show(next, Boolean(neighbour(app, 1)));
  };
  app.on("lecture run", draw);
  return box;
}

const neighbour = (app, way) => {
  const at = app.catalog.lectures.indexOf(app.lecture);
  return at < 0 ? null : app.catalog.lectures[at + way] || null;
};

const findLecture = (app, id) => app.catalog.lectures.find((lecture) => lecture.id === id) || null;

/** Opens a lecture at its step, with the pictures it names. */
async function openLecture(app, lecture, step = null) {
  if (!lecture) return;
  app.lecture = lecture;
  app.spec = structuredClone(lecture.spec);
  app.undo.length = app.redo.length = 0;
  app.selected = null;
  const views = lecture.views || [];
  app.tab = TABS.map((tab) => tab.id).find((id) => views.includes(id)) || app.tab;
  app.tabPicked = false;
  setQuiz(app, views.includes("quiz"));
  setView(app, views.includes("everyone") ? "everyone" : "one");
  app.emit("lecture");
  await refit(app, { step: step ?? lecture.step ?? Infinity, key: lecture.run_key || lecture.id });
}

/** The sheet with all lectures, in the order of the notes. */
function makeLectureSheet(app) {
  const groups = new Map();
  for (const lecture of app.catalog.lectures) {
    if (!groups.has(lecture.part)) groups.set(lecture.part, []);
    groups.get(lecture.part).push(lecture);
  }
  const dialog = sheet("Lectures", { "data-testid": "lecture-sheet" }, [...groups].map(([part, lectures]) => [
    html("h3", { text: part }),
    html("div", { class: "cards tall" }, lectures.map((lecture) => {
      const card = html("button", { type: "button", class: "pick", "data-testid": `lecture-${lecture.id}` },
        html("strong", { text: lecture.title }), html("span", { text: lecture.text }));
      card.addEventListener("click", () => { dialog.close(); openLecture(app, lecture); });
      return card;
    })),
  ]).flat());
  return dialog;
}
