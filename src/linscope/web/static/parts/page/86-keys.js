/**
 * Everything by keyboard, and the sheet that lists the keys.
 */

const KEYS = [
  ["Space", "play or pause"], ["→  ←", "one step on, one step back"], ["Home  End", "first step, last step"],
  ["+  −", "faster, slower"], ["n  p", "select the next, the previous point"],
  ["arrow keys", "move the selected point (with Shift: five times as far)"], ["Esc", "let go of the point"],
  ["1  2  3", "class of the selected point, or of new ones"], ["Del", "delete the selected point"],
  ["d", "draw points, or move them again"], ["Enter", "add a point in the middle (when drawing)"],
  ["Ctrl+Z  Ctrl+Y", "undo, redo an edit of the data"], ["w  l  b  c  a", "weight space, loss surface, bound, curves, all points"],
  ["q", "what is the next update?"], ["e", "same points, every classifier"], ["t", "light or dark"], ["?", "this list"],
];

function makeHelpSheet() {
  return sheet("Keys", { "data-testid": "help-sheet" },
    html("dl", { class: "keys" }, KEYS.map(([key, what]) => html("div", {}, html("dt", {}, key.split("  ").map((one) => html("kbd", { text: one }))), html("dd", { text: what })))));
}

const FIELDS = "input, textarea, select, [contenteditable], dialog";

/** Listens on the page, or, inside a notebook, on the widget alone. */
function listenToKeys(app, actions) {
  const target = app.options.host === "widget" ? app.root : document;
  const hear = (event) => {
    if (event.defaultPrevented || event.altKey) return;
    if (event.ctrlKey || event.metaKey) return onControlKey(app, event);
    if (event.target.closest?.(FIELDS)) return;
    const onButton = event.target.closest?.("button, summary, a");
    if (onButton && (event.key === " " || event.key === "Enter")) return;
    const act = keyAction(app, event, actions);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  target.addEventListener("keydown", hear);
  app.closers.push(() => target.removeEventListener("keydown", hear));
}

function onControlKey(app, event) {
  if (event.target.closest?.("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const redo = key === "y" || (key === "z" && event.shiftKey);
  if (key !== "z" && !redo) return;
  event.preventDefault();
  if (redo) undoData(app, app.redo, app.undo);
  else undoData(app);
}

function keyAction(app, event, actions) {
  if (!app.run) return null;
  return (app.selected !== null && app.editable && pointKey(app, event)) || commonKey(app, event, actions);
}

/** Keys that act on the selected point. */
function pointKey(app, event) {
  const far = event.shiftKey ? 5 : 1;
  const ways = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
  if (ways[event.key]) return () => nudge(app, ...ways[event.key]);
  if (event.key === "Delete" || event.key === "Backspace") return () => deletePoint(app);
  if (event.key === "Escape") return () => { select(app, null); app.input.picture.focus({ preventScroll: true }); };
  return null;
}

function commonKey(app, event, actions) {
  const { key } = event;
  const moves = { ArrowRight: () => jump(app, app.step + 1), ArrowLeft: () => jump(app, app.step - 1), Home: () => jump(app, firstStep(app)), End: () => jump(app, lastStep(app)) };
  if (moves[key]) return moves[key];
  if (key === " ") return () => togglePlay(app);
  if (key === "+" || key === "=") return () => changeSpeed(app, 1);
  if (key === "-" || key === "−") return () => changeSpeed(app, -1);
  if (key === "?") return actions.help;
  if (key === "t") return actions.theme;
  if (app.embed) return null;
  if (key === "q") return () => setQuiz(app, !app.quiz);
  const tab = { w: "weights", l: "loss", b: "bound", c: "curves", a: "points" }[key];
  if (tab) return () => pickTab(app, tab);
  if (key === "n" || key === "p") return () => walkPoints(app, key === "n" ? 1 : -1);
  if (!app.editable) return null;
  if (key === "e") return () => setView(app, app.view === "one" ? "everyone" : "one");
  if (key === "d") return () => setTool(app, app.tool === "draw" ? "move" : "draw");
  if (key >= "1" && key <= "3" && key.length === 1) return () => relabel(app, Number(key) - 1);
  if (key === "Enter" && app.tool === "draw") return () => addInTheMiddle(app);
  return null;
}

function walkPoints(app, way) {
  const many = app.spec.data.points.length;
  if (many) select(app, app.selected === null ? (way > 0 ? 0 : many - 1) : (app.selected + way + many) % many, true);
}

function addInTheMiddle(app) {
  const [u0, u1, v0, v1] = boxNow(app);
  const k = addPoint(app, (u0 + u1) / 2, (v0 + v1) / 2);
  if (k !== undefined) select(app, k, true);
}
