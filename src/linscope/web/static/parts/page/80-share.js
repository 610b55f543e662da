/**
 * Sharing: the whole state in the address, a link to copy, and messages to a page that embeds this one.
 */

/** Text as base64url, in which a JSON document survives any address bar. */
function encode(document_) {
  const bytes = new TextEncoder().encode(JSON.stringify(document_));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The document behind such a text, or null if it is damaged. */
function decode(text) {
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (sign) => sign.charCodeAt(0))));
  } catch {
    return null;
  }
}

/** What a link carries. A hand-out has its runs inside, so it only needs to know which and where. */
function sharedState(app) {
  const kept = { step: app.step, tab: app.tab, view: app.view, lecture: app.lecture?.id ?? null };
  return app.options.host === "handout" ? kept : { ...kept, spec: app.spec };
}

/** The state in the address, or null. */
function stateFromAddress(app) {
  if (app.options.host === "widget") return null;
  const found = /(?:^#|&)s=([\w-]+)/.exec(location.hash);
  const state = found && decode(found[1]);
  if (!state || typeof state !== "object") return null;
  const before = (state.spec?.start ?? 1) - 1; // older links count steps from the first row that they show
  return before > 0 && Number.isInteger(state.step) ? { ...state, step: before + state.step } : state;
}

const hasAddress = (app) => app.options.host !== "widget";

/** Writes the state into the address after a moment of rest, without new entries in the history. */
function keepAddress(app) {
  if (!hasAddress(app)) return;
  let timer = null;
  let known = location.hash;
  const rest = () => {
    clearTimeout(timer);
    timer = null;
  };
  const keep = () => {
    if (timer === null) return;
    rest();
    if (!app.run || app.playing || location.hash !== known) return; // a link is about to be followed
    try { history.replaceState(history.state, "", `#s=${encode(sharedState(app))}`); } catch { /* file pages may forbid it */ }
    known = location.hash;
  };
  app.on("run step look lecture play", () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 250);
  });
  window.addEventListener("pagehide", keep); // who reloads at once finds the last change, too
  const follow = () => { // a link pasted into the address bar of this page
    rest();
    known = location.hash;
    begin(app);
  };
  window.addEventListener("hashchange", follow);
  app.closers.push(() => {
    rest();
    window.removeEventListener("pagehide", keep);
    window.removeEventListener("hashchange", follow);
  });
}

function linkOf(app, embed = false) {
  const address = new URL(location.href);
  address.hash = `s=${encode(sharedState(app))}`;
  address.searchParams.delete("token");
  for (const name of ["embed", "step", "lecture", "quiz"]) address.searchParams.delete(name);
  if (embed) {
    address.searchParams.set("embed", "1");
    address.searchParams.set("step", String(app.step));
    if (app.quiz) address.searchParams.set("quiz", "1");
  }
  return address.href;
}

/** The sheet with the link, the frame for slides and course pages, and the Python code. */
function makeShareSheet(app) {
  const entry = (title, test, about) => {
    const field = html("textarea", { rows: 3, readonly: true, "aria-label": title, "data-testid": test });
    const done = html("span", { class: "quiet-text", role: "status" });
    const take = button("Copy", async () => write(done, (await copy(field.value, field)) ? "Copied." : "Select the text and copy it."), { "data-testid": `${test}-copy` });
    return { field, done, box: html("div", { class: "share-entry" }, html("h3", { text: title }), html("p", { class: "about", text: about }), field, html("div", { class: "row" }, take, done)) };
  };
  const link = entry("Link", "share-link", "Points, algorithm, parameters and step are all in it.");
  const framed = entry("For slides and course pages", "share-embed", "An iframe for reveal.js or Moodle: pictures and steps only.");
  const code = entry("Python", "share-python", "Runs the same fit without the browser.");
  const parts = hasAddress(app) ? [link, framed, code] : [code];
  const dialog = sheet("Share", { "data-testid": "share-sheet" }, parts.map((part) => part.box));
  dialog.fill = () => {
    for (const part of parts) write(part.done, "");
    if (hasAddress(app)) {
      link.field.value = linkOf(app);
      framed.field.value = `<iframe src="${linkOf(app, true)}" width="960" height="600" title="linscope"></iframe>`;
    }
    code.field.value = app.run?.python || "";
  };
  return dialog;
}

/** Embedded: tells the parent page each state and guess, and lets it set the step. */
function talkToParent(app) {
  if (!app.embed || window.parent === window) return;
  const tell = (guess) => app.run && window.parent.postMessage({ type: "linscope", step: app.step, spec: app.spec, guess }, "*");
  app.on("run step", () => tell(null));
  app.on("guess", () => tell(app.guess)); // each guess is told once
  const hear = (event) => {
    if (event.source !== window.parent || event.data?.type !== "linscope" || !Number.isInteger(event.data.step)) return;
    jump(app, event.data.step);
  };
  window.addEventListener("message", hear);
  app.closers.push(() => window.removeEventListener("message", hear));
}
