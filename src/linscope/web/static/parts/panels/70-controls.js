/**
 * The algorithm and its parameters, as the catalogue of Python describes them.
 */

function makeAlgorithm(app) {
  const list = choice("Algorithm", [], null, (id) => pickAlgorithm(app, id), { "data-testid": "algorithm", class: "main-choice" });
  const about = html("p", { class: "about" });
  const fields = html("div", { class: "fields" });
  const exact = html("input", { type: "checkbox", "data-testid": "exact" });
  exact.addEventListener("change", () => {
    app.spec = { ...app.spec, exact: exact.checked };
    refit(app);
  });
  const exactRow = html("label", { class: "field flag" }, exact, html("span", { text: "Exact fractions" }));
  const box = html("section", { class: "panel algorithm", "aria-label": "Algorithm" }, html("h2", { text: "Algorithm" }), list, about, fields, exactRow);
  app.on("run", () => {
    const algorithm = algorithmOf(app);
    fillChoice(list, algorithmOptions(app), app.spec.algorithm);
    list.disabled = !app.editable;
    write(about, algorithm?.about);
    show(exactRow, Boolean(algorithm?.exact));
    exact.checked = Boolean(app.spec.exact);
    exact.disabled = !app.editable;
    if (algorithm) fillFields(app, fields, algorithm);
  });
  return box;
}

/** Those for such points first, then those that bring points of their own. */
function algorithmOptions(app) {
  const own = app.catalog.algorithms.filter((one) => one.modes.includes(app.spec.mode));
  const others = app.catalog.algorithms.filter((one) => !own.includes(one));
  const option = (one, group) => ({ value: one.id, title: one.title, group, disabled: own.includes(one) && !suits(one, app.spec) });
  return [...own.map((one) => option(one, one.group)), ...others.map((one) => option(one, `${one.group} (brings its points)`))];
}

/** An algorithm for other points than these: it comes with the first set of its kind. */
async function pickWithData(app, algorithm) {
  const [mode] = algorithm.modes;
  const { name } = app.catalog.samples.find((one) => one.mode === mode);
  try {
    const found = await app.ask("sample", { name, params: {} });
    if (found) replaceData(app, found.data, found.mode, algorithm.id);
  } catch (error) { complain(app, error.message); }
}

/** Another algorithm on the same points; parameters of the same name keep their values where they may. */
function pickAlgorithm(app, id) {
  const algorithm = algorithmOf(app, id);
  if (!algorithm.modes.includes(app.spec.mode)) return pickWithData(app, algorithm);
  const kept = {};
  for (const parameter of algorithm.params) {
    const value = app.spec.params?.[parameter.name];
    if (value !== undefined && allows(parameter, value)) kept[parameter.name] = value;
  }
  app.tabPicked = false;
  app.spec = { ...app.spec, algorithm: id, params: kept, loss: null, exact: Boolean(app.spec.exact && algorithm.exact_at_once) };
  app.lecture = null;
  app.emit("lecture");
  return refit(app, { toEnd: true });
}

function allows(parameter, value) {
  if (parameter.kind === "choice") return parameter.choices.some((one) => one.value === value);
  if (parameter.kind === "flag") return typeof value === "boolean";
  return typeof value === "number" && value >= (parameter.min ?? -Infinity) && value <= (parameter.max ?? Infinity);
}

/** One field for each parameter in use, rare ones folded. Fields are kept while the same ones are in use. */
function fillFields(app, fields, algorithm) {
  const values = parameterValues(algorithm, app.spec.params, app.spec);
  const used = algorithm.params.filter((parameter) => inUse(parameter, values));
  const wanted = `${algorithm.id}:${used.map((parameter) => parameter.name).join()}`;
  if (fields.dataset.of !== wanted) {
    fields.dataset.of = wanted;
    const change = (name, value) => {
      app.spec = { ...app.spec, params: { ...app.spec.params, [name]: value } };
      refit(app);
    };
    const make = (rare) => used.filter((parameter) => parameter.rare === rare)
      .map((parameter) => makeField(parameter, values[parameter.name], change));
    const more = make(true);
    const rest = html("details", { class: "more", open: app.moreOpen, ontoggle: () => { app.moreOpen = rest.open; } },
      html("summary", { text: "More settings", "data-testid": "more" }), html("div", { class: "fields" }, more));
    fields.replaceChildren(...make(false), ...(more.length ? [rest] : []));
  }
  for (const parameter of used) {
    const control = fields.querySelector(`[data-testid="param-${parameter.name}"]`);
    setField(control, parameter, values[parameter.name]);
    control.disabled = !app.editable;
  }
}

function setField(control, parameter, value) {
  if (control === control.getRootNode().activeElement && control.type === "text") return;
  if (parameter.kind === "flag") control.checked = Boolean(value);
  else control.value = value === null || value === undefined ? "" : String(value);
}

/** A labelled control for one parameter. `change(name, value)` is called with a value that is allowed. */
function makeField(parameter, value, change) {
  const test = { "data-testid": `param-${parameter.name}`, title: parameter.help };
  const tell = (next) => change(parameter.name, next);
  if (parameter.kind === "flag") {
    const box = html("input", { type: "checkbox", ...test, onchange: () => tell(box.checked) });
    return html("label", { class: "field flag" }, box, html("span", { text: parameter.title }));
  }
  const control = parameter.kind === "choice" ? choiceField(parameter, tell, test) : numberField(parameter, tell, test);
  setField(control, parameter, value);
  return html("label", { class: "field", title: parameter.help }, html("span", { text: parameter.title }), control);
}

function choiceField(parameter, tell, test) {
  return choice(parameter.title, parameter.choices.map((one) => ({ value: String(one.value), title: one.title })), null,
    (text) => tell(parameter.choices.find((one) => String(one.value) === text).value), test);
}

/** A number typed in, or doubled and halved (log), or stepped, by ↑ and ↓. */
function numberField(parameter, tell, test) {
  const whole = parameter.kind === "integer";
  const field = html("input", { type: "text", inputmode: whole ? "numeric" : "decimal", autocomplete: "off", ...test });
  const fits = (value) => Number.isFinite(value) && (!whole || Number.isInteger(value))
    && value >= (parameter.min ?? -Infinity) && value <= (parameter.max ?? Infinity);
  const commit = () => {
    const text = field.value.trim();
    const value = readNumber(text);
    const empty = text === "" && (parameter.default === null || parameter.default === undefined);
    const good = empty || fits(value);
    set(field, { "aria-invalid": good ? null : "true", title: good ? parameter.help : rangeText(parameter) });
    if (good) tell(empty ? null : value);
  };
  field.addEventListener("change", commit);
  field.addEventListener("keydown", (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const now = readNumber(field.value);
    if (!way || !Number.isFinite(now)) return;
    event.preventDefault();
    const next = parameter.log ? (now === 0 && way > 0 ? 0.01 : now * 2 ** way) : now + way * (whole ? 1 : niceStep(Math.max(Math.abs(now), 1) / 20));
    if (!fits(next)) return;
    field.value = String(Number(next.toPrecision(6)));
    commit();
  });
  return field;
}

function rangeText(parameter) {
  const what = parameter.kind === "integer" ? "a whole number" : "a number";
  return `Enter ${what} from ${number(parameter.min ?? -Infinity)} to ${number(parameter.max ?? Infinity)}.`;
}

/** A number as people write it: 0.5, 1/2, −1, 1e-3. NaN if it is none. */
function readNumber(text) {
  const parts = text.trim().replace(/[−–]/g, "-").split("/");
  if (parts.length > 2 || parts.some((part) => part.trim() === "")) return NaN;
  const [top, bottom] = parts.map(Number);
  return bottom === undefined ? top : bottom === 0 ? NaN : top / bottom;
}
