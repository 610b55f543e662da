/**
 * Stands in for anywidget's model outside a notebook. Joined after the parts: page and hand-out are one module.
 * In the page a question goes to Python by POST; in the hand-out it is answered from the runs inside.
 */

/** A model with `get`, `set`, `on`, `off` and `save_changes`; `answer(request)` is a promise of the body. */
function makeModel(values, answer) {
  const listeners = {};
  const model = {
    get: (name) => values[name],
    set(name, value) { values[name] = value; },
    on(event, act) { (listeners[event] ||= new Set()).add(act); },
    off(event, act) { listeners[event]?.delete(act); },
    async save_changes() {
      const request = values.request;
      try {
        values.response = { id: request.id, ok: true, body: await answer(request) };
      } catch (error) {
        values.response = { id: request.id, ok: false, error: error.message };
      }
      for (const act of listeners["change:response"] || []) act();
    },
  };
  return model;
}

/** The headers of a question; a server that is open to others wants the token of the address. */
function headers() {
  const token = new URLSearchParams(location.search).get("token");
  return { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
}

/** Asks the server; its sentence about a bad question becomes the error. */
async function askServer(request) {
  let reply;
  try {
    reply = await fetch(`./${request.kind}`, { method: "POST", body: JSON.stringify(request.body), headers: headers() });
  } catch {
    throw new Error("Python does not answer. Is linscope playground still running?");
  }
  const body = await reply.json().catch(() => null);
  if (!reply.ok) throw new Error(body?.error || `Python answered with status ${reply.status}.`);
  return body;
}

/** Answers from the runs that the file carries. */
function answerFromFile(data) {
  const runs = data.runs || {};
  return async (request) => {
    const run = runs[request.key] || (request.key === null ? data.run : null);
    if (request.kind === "fit" && run) return run;
    throw new Error("This hand-out has no Python behind it: start linscope playground to change points or algorithms.");
  };
}

/** What the address asks for stands above what Python has set. */
function optionsOf(given, host) {
  const asked = new URLSearchParams(location.search);
  const step = Number.parseInt(asked.get("step"), 10);
  return {
    host, ...given,
    embed: asked.get("embed") === "1" || Boolean(given?.embed),
    quiz: asked.get("quiz") === "1",
    step: Number.isInteger(step) ? step : given?.step ?? null,
    lecture: asked.get("lecture") ?? given?.lecture ?? null,
  };
}

async function startPage() {
  const block = document.getElementById("linscope-data");
  const given = block?.textContent.trim() ? JSON.parse(block.textContent) : null;
  const data = given || { catalog: await (await fetch("./catalog", { headers: headers() })).json() };
  const handout = data.options?.host === "handout";
  const options = optionsOf(data.options, handout ? "handout" : "page");
  const model = makeModel({ ...data, options }, handout ? answerFromFile(data) : askServer);
  render({ model, el: document.getElementById("linscope") });
}

startPage();
