/**
 * The ledger: one row a step as on the lecture slide, and beside it this step in formulas.
 */

const LONG = 28;

/** The table; it scrolls with the cursor, and a click on a row goes there. */
function makeLedger(app) {
  const head = html("tr");
  const body = html("tbody");
  const table = html("table", { class: "ledger", "data-testid": "ledger" }, html("thead", {}, head), body);
  const scroller = html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ledger, one row a step" }, table);
  const title = html("h2", { text: "Ledger" });
  const range = html("span", { class: "quiet-text", "data-testid": "ledger-range" });
  const pages = makePages(app);
  const box = html("section", { class: "card ledger-card", "aria-label": "Ledger" },
    html("div", { class: "card-head" }, title, range, pages.box), scroller);
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    app.inLedger = true; // the row that was clicked stays where it is
    if (row && !app.quiz) goTo(app, Number(row.dataset.row));
    app.inLedger = false;
  });
  const more = () => box.toggleAttribute("data-more", scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft > 4);
  scroller.addEventListener("scroll", more, { passive: true });
  app.on("run size", more);
  let lit = [];
  let shown = null;
  app.on("run", () => { shown = null; });
  app.on("step look", () => {
    const now = app.run && windowNow(app);
    if (!now) return;
    if (now !== shown && now.ledger) {
      shown = now;
      fillLedger(app, head, body, now);
      write(range, rangeOf(app, now));
      pages.draw(now);
      more();
    }
    if (shown) lit = lightRow(app, body, scroller, lit, shown.first);
  });
  return { box, body };
}

function rangeOf(app, { first, last }) {
  const { total } = app.run;
  const [start, many] = [first + 1, last - first];
  if (many === 0) return "no steps: solved in closed form";
  if (many === total) return count(total, "row");
  return `rows ${start.toLocaleString("en")}–${(start + many - 1).toLocaleString("en")} of ${total.toLocaleString("en")}`;
}

/** Writes the rows; cells that already hold their text are left alone. */
function fillLedger(app, head, body, { first, ledger }) {
  const { columns, rows, marks } = ledger;
  const titles = pool(head, columns.length, () => html("th", { scope: "col" }));
  columns.forEach((column, k) => write(set(titles[k], { class: column.right ? "right" : null }), column.title));
  const lines = pool(body, rows.length, () => html("tr", { "data-testid": "row" }));
  rows.forEach((row, r) => {
    const cells = pool(lines[r], row.length, () => html("td"));
    lines[r].dataset.row = first + r + 1;
    lines[r].classList.toggle("update", Boolean(marks?.[r]));
    row.forEach((text, k) => writeCell(set(cells[k], { class: columns[k]?.right ? "right" : null }), text));
  });
}

/** A long change of weights may be broken at its arrow, a matrix between its rows. */
function writeCell(cell, text) {
  if (cell.textContent === text) return;
  writeParts(cell, text.length < LONG ? [text] : text.split(/(?=→)|(?<=\] )/));
}

/** A line that is broken between its parts, and inside one only if it is longer than a whole line. */
function writeParts(node, parts) {
  if (node.textContent === parts.join("")) return;
  if (parts.length === 1) write(node, parts[0]);
  else node.replaceChildren(...parts.map((part) => html("span", { class: "unbroken", text: part })));
}

/** Lights the row under the cursor and brings it into view. */
function lightRow(app, body, scroller, lit, first) {
  for (const row of lit) { row.removeAttribute("aria-current"); }
  scroller.classList.toggle("hides-future", Boolean(app.quiz && !app.run.closed));
  const rows = body.childNodes;
  const current = rows[app.step - 1 - first];
  for (let k = 0; k < rows.length; k++) {
    const future = k >= app.step - first;
    if (rows[k].classList.contains("future") !== future) rows[k].classList.toggle("future", future);
  }
  if (!current) { scroller.scrollTop = 0; return []; }
  current.setAttribute("aria-current", "step");
  if (!app.inLedger) bringInView(body, scroller, app.step - first - 3);
  return [current];
}

/** Scrolls so that this row is the first, or as near to it as the end allows; the first one is never cut. */
function bringInView(body, scroller, row) {
  const most = scroller.scrollHeight - scroller.clientHeight;
  const under = (k) => body.childNodes[k].offsetTop - body.offsetTop;
  let first = Math.max(0, row);
  while (first > 0 && under(first) > most) first--;
  scroller.scrollTop = under(first);
}

/** The ledger has the rows around the cursor: to those before, those after, or to a row by its number. */
function makePages(app) {
  const field = html("input", { type: "number", min: 1, class: "small", "aria-label": "Go to row", placeholder: "row", "data-testid": "go-row" });
  field.addEventListener("change", () => { if (field.value) jump(app, Number(field.value)); });
  const earlier = button("Earlier", () => jump(app, windowNow(app).first), { class: "quiet small" });
  const later = button("Later", () => jump(app, windowNow(app).last + 1), { class: "quiet small" });
  const box = html("span", { class: "pages" }, earlier, field, later);
  const draw = ({ first, last }) => {
    show(box, last - first < lastStep(app) - firstStep(app));
    earlier.disabled = first <= firstStep(app);
    later.disabled = last >= lastStep(app);
    set(field, { max: app.run.total });
  };
  return { box, draw };
}

/** This step in formulas, then the answer of the whole run with its certificate. */
function makeTheory(app) {
  const formulas = html("div", { class: "formulas", "data-testid": "formulas" });
  const weights = html("p", { class: "weights-text", "data-testid": "weights-text" });
  const answer = html("dl", { class: "answer", "data-testid": "answer" });
  const seal = html("p", { class: "seal", "data-testid": "certificate" }, html("strong"), html("span"));
  const notes = html("ul", { class: "notes" });
  const rest = html("details", { class: "result", open: true }, html("summary", { text: "Answer of the whole run" }), answer, seal, notes);
  const box = html("section", { class: "panel theory", "aria-label": "This step in numbers" },
    html("h2", { text: "This step in numbers" }), formulas, weights, rest);
  app.on("step look", () => {
    if (!app.run) return;
    const state = stateNow(app);
    const lines = state.formula || [];
    const nodes = pool(formulas, lines.length, () => html("p"));
    lines.forEach((line, k) => writeParts(nodes[k], line.split(/(?=→)|(?<=[\],] )|(?=\+ \()|(?<=.{6})(?== )/)));
    write(show(weights, Boolean(state.wtext?.length)), state.wtext ? `w = ${state.wtext.join("   ")}` : "");
    show(rest, !app.quiz || app.run.closed);
  });
  app.on("run", () => fillAnswer(app, answer, seal, notes));
  return box;
}

function fillAnswer(app, answer, seal, notes) {
  const { answer: pairs = [], certificate, notes: sentences = [] } = app.run;
  const cells = pool(answer, pairs.length, () => html("div", {}, html("dt"), html("dd")));
  pairs.forEach(([name, value], k) => { write(cells[k].firstChild, name); write(cells[k].lastChild, value); });
  show(seal, Boolean(certificate));
  if (certificate) {
    set(seal, { "data-ok": certificate.ok ? "yes" : "no" });
    write(seal.firstChild, certificate.ok ? "✓ proved" : "not proved");
    write(seal.lastChild, certificate.about ? `${certificate.text} (this is about ${certificate.about})` : certificate.text);
  }
  const items = pool(notes, sentences.length, () => html("li"));
  sentences.forEach((sentence, k) => write(items[k], sentence));
}
