/**
 * The user's own table: pasted, dropped or chosen as a file; Python reads it and says what it found.
 * The text never leaves the machine that runs Python.
 */

function makeTableForm(app) {
  const text = html("textarea", { rows: 6, spellcheck: "false", placeholder: "height,weight,species\n1.2,3.4,cat\n…",
    "aria-label": "Table as CSV", "data-testid": "csv" });
  const file = html("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv,text/plain", "aria-label": "Choose a file" });
  const fault = html("p", { class: "fault", role: "alert", "data-testid": "csv-fault" });
  const columns = html("div", { class: "fields inline", "data-testid": "csv-columns" });
  const notes = html("ul", { class: "notes" });
  const use = button("Use these points", () => form.accept(), { class: "main", "data-testid": "csv-use" });
  const form = { app, text, fault, columns, notes, use, table: null };
  form.accept = () => {
    if (!form.table) return;
    app.dataSheet.close();
    replaceData(app, form.table.data, form.table.mode);
  };
  text.addEventListener("change", () => readTable(form));
  text.addEventListener("paste", () => setTimeout(() => readTable(form), 0));
  file.addEventListener("change", () => file.files[0] && readFile(form, file.files[0]));
  show(use, false);
  acceptDrops(app, form);
  return html("div", { class: "table-form" },
    html("p", { class: "about", text: "Paste CSV, choose a file, or drop one on the page. The first row holds the names of the columns." }),
    text, html("div", { class: "row" }, file, button("Read", () => readTable(form), { "data-testid": "csv-read" })),
    fault, columns, notes, use);
}

async function readFile(form, file) {
  const most = form.app.catalog.limits.table_bytes;
  if (file.size > most) return write(form.fault, `${file.name} has ${file.size.toLocaleString("en")} bytes; at most ${most.toLocaleString("en")} fit here.`);
  form.text.value = await file.text();
  return readTable(form);
}

/** Asks Python what the table holds; `choice` names the columns to use, or none for its own guess. */
async function readTable(form, chosen = { x: null, y: null }) {
  const asked = JSON.stringify([form.text.value, chosen]);
  if (form.text.value.trim() === "" || asked === form.asked) return;
  form.asked = asked;
  try {
    const table = await form.app.ask("table", { text: form.text.value, ...chosen });
    if (!table) return;
    form.table = table;
    write(form.fault, "");
    fillColumns(form, table);
    show(form.use, true);
  } catch (error) {
    form.table = null;
    write(form.fault, error.message);
    form.columns.replaceChildren();
    form.notes.replaceChildren();
    show(form.use, false);
  }
  form.use.scrollIntoView?.({ block: "nearest" });
}

function fillColumns(form, table) {
  const all = table.columns.map((column) => ({ value: column.name, title: `${column.name} (${column.kind})` }));
  const ask = () => readTable(form, { x: [...new Set(lists.slice(0, -1).map((list) => list.value).filter(Boolean))], y: lists[lists.length - 1].value });
  const optional = [{ value: "", title: "none" }, ...all];
  const lists = [
    choice("Across", all, table.x[0], ask, { "data-testid": "csv-x1" }),
    choice("Up", optional, table.x[1] ?? "", ask, { "data-testid": "csv-x2" }),
    choice("Class or target", all, table.y, ask, { "data-testid": "csv-y" }),
  ];
  form.columns.replaceChildren(...lists.map((list) =>
    html("label", { class: "field" }, html("span", { text: list.getAttribute("aria-label") }), list)));
  const what = table.mode === "regression" ? "regression" : `${new Set(table.data.labels).size} classes`;
  const taken = table.data.points.length;
  const sampled = table.rows > taken;
  const of = sampled ? `The table has ${count(table.rows, "row")}, more than fit here: take a random sample of ${taken}` : count(taken, "point");
  write(form.use, sampled ? `Use a sample of ${taken}` : "Use these points");
  const sentences = [`${of}, ${what}.`, ...(table.notes || [])];
  const items = pool(form.notes, sentences.length, () => html("li"));
  sentences.forEach((sentence, k) => write(set(items[k], { class: k ? "fault" : null }), sentence));
}

/** A file dropped anywhere on the page opens the form with its text. */
function acceptDrops(app, form) {
  if (!app.editable) return;
  const carriesFile = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
  app.root.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    set(app.root, { "data-drop": "yes" });
  });
  app.root.addEventListener("dragleave", (event) => {
    if (!app.root.contains(event.relatedTarget)) set(app.root, { "data-drop": null });
  });
  app.root.addEventListener("drop", (event) => {
    set(app.root, { "data-drop": null });
    const file = event.dataTransfer?.files?.[0];
    if (!file) return;
    event.preventDefault();
    if (!app.dataSheet.open) openData(app);
    readFile(form, file);
  });
}
