/**
 * The one cursor: first, back, play or pause, step, last, scrub, speed. And the sentence of the step.
 */

/** The sentence; it is read aloud when it changes, but not while the run plays. */
function makeSentence(app) {
  const text = html("p", { class: "say", role: "status", "aria-live": "polite", "data-testid": "say" });
  const draw = () => {
    set(text, { "aria-live": app.playing ? "off" : "polite" });
    if (app.run) write(text, stateNow(app).say);
  };
  app.on("step play", draw);
  return text;
}

function makeTransport(app) {
  const hint = (label, key) => ({ label, title: `${label} (${key})` });
  const control = (sign, { label, title }, act, test) =>
    set(button(label, act, { sign, class: "quiet", "data-testid": test }), { title });
  const first = control("first", hint("First step", "Home"), () => jump(app, 0), "first");
  const back = control("back", hint("Step back", "←"), () => jump(app, app.step - 1), "back");
  const play = set(control("play", hint("Play", "Space"), () => togglePlay(app), "play"), { class: "play" });
  const next = control("next", hint("Step", "→"), () => jump(app, app.step + 1), "next");
  const last = control("last", hint("Last step", "End"), () => jump(app, lastStep(app)), "last");
  const scrub = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Step", "data-testid": "scrub" });
  scrub.addEventListener("input", () => jump(app, Number(scrub.value)));
  const place = html("output", { class: "place", "data-testid": "place" }, html("span", { text: "step " }), html("span"));
  const speed = choice("Speed", SPEEDS.map((rate) => ({ value: rate, title: `${rate} / s` })), app.speed,
    (rate) => setSpeed(app, Number(rate)), { class: "small", title: "Steps per second (+ and −)", "data-testid": "speed" });
  const box = html("div", { class: "transport", role: "toolbar", "aria-label": "Steps" },
    html("div", { class: "buttons" }, first, back, play, next, last), scrub, place, speed);

  app.on("step play", () => {
    if (!app.run) return;
    const end = lastStep(app);
    set(scrub, { max: end, disabled: end === 0 });
    scrub.value = app.step;
    scrub.style.setProperty("--share", end ? `${(100 * app.step) / end}%` : "0%");
    const name = `${stepName(app, app.step)} of ${app.run.total.toLocaleString("en")}`;
    set(scrub, { "aria-valuetext": `step ${name}` });
    write(place.lastChild, name);
    first.disabled = app.step === 0;
    back.disabled = app.step === 0 && !hasRows(app, -1);
    next.disabled = app.step >= end && !hasRows(app, 1);
    last.disabled = app.step >= end;
    play.disabled = end === 0;
    const label = app.playing ? "Pause" : "Play";
    set(play, { "aria-label": label, title: `${label} (Space)` });
    set(play.firstChild.firstChild, { d: ICONS[app.playing ? "pause" : "play"] });
    speed.value = String(app.speed);
  });
  return box;
}

/** Moves the cursor by hand: playing stops. */
function jump(app, step) {
  stopPlaying(app);
  if (!app.run) return;
  const way = step - app.step;
  const beyond = step < 0 || step > lastStep(app);
  if (beyond && Math.abs(way) === 1 && hasRows(app, way)) turnPage(app, way);
  else goTo(app, step);
}

/** Whether a long run goes on beyond the rows that are here, or begins before them. */
const hasRows = (app, way) => app.options.host !== "handout"
  && (way > 0 ? app.run.start - 1 + lastStep(app) < app.run.total : app.run.start > 1);

/** The rows after these, at the first of them; or those before, at the last. */
function turnPage(app, way) {
  const { start } = app.run;
  const other = Math.max(1, start + way * app.catalog.limits.rows);
  app.spec = { ...app.spec, start: other };
  return refit(app, { step: way > 0 ? 1 : start - other - 1 });
}

async function togglePlay(app) {
  if (app.playing) return stopPlaying(app);
  if (!app.run || lastStep(app) === 0) return;
  if (app.step >= lastStep(app)) await (hasRows(app, 1) ? turnPage(app, 1) : goTo(app, 0));
  app.playing = true;
  app.emit("play");
  const tick = () => {
    if (!app.playing) return;
    goTo(app, app.step + 1);
    if (app.step >= lastStep(app)) return stopPlaying(app);
    app.timer = setTimeout(tick, 1000 / app.speed);
  };
  app.timer = setTimeout(tick, Math.min(400, 1000 / app.speed));
}

function stopPlaying(app) {
  clearTimeout(app.timer);
  if (!app.playing) return;
  app.playing = false;
  app.emit("play");
}

function setSpeed(app, rate) {
  app.speed = rate;
  app.emit("play");
}

/** One speed up (+1) or down (−1). */
function changeSpeed(app, way) {
  const at = SPEEDS.indexOf(app.speed) + way;
  if (SPEEDS[at]) setSpeed(app, SPEEDS[at]);
}
