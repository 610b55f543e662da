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
  const first = control("first", hint("First step", "Home"), () => jump(app, firstStep(app)), "first");
  const back = control("back", hint("Step back", "←"), () => jump(app, app.step - 1), "back");
  const play = set(control("play", hint("Play", "Space"), () => togglePlay(app), "play"), { class: "play" });
  const next = control("next", hint("Step", "→"), () => jump(app, app.step + 1), "next");
  const last = control("last", hint("Last step", "End"), () => jump(app, lastStep(app)), "last");
  const scrub = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Step", "data-testid": "scrub" });
  scrub.addEventListener("input", () => jump(app, Number(scrub.value)));
  const place = html("output", { class: "place", "data-testid": "place" }, html("span", { text: "step " }), html("span"));
  const speed = choice("Speed", SPEEDS.map((rate) => ({ value: rate, title: `${rate} / s` })), app.speed,
    (rate) => setSpeed(app, Number(rate)), { class: "small", title: "Steps per second (+ and −)", "data-testid": "speed" });
  const part = html("p", { class: "part-of quiet-text", "data-testid": "part-of" });
  const box = html("div", { class: "transport", role: "toolbar", "aria-label": "Steps" },
    html("div", { class: "buttons" }, first, back, play, next, last), scrub, place, speed, part);

  app.on("step play", () => {
    if (!app.run) return;
    const [begin, end, total] = [firstStep(app), lastStep(app), app.run.total];
    set(scrub, { min: begin, max: end, disabled: end === begin });
    scrub.value = app.step;
    scrub.style.setProperty("--share", end > begin ? `${(100 * (app.step - begin)) / (end - begin)}%` : "0%");
    const name = `${app.step.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    set(scrub, { "aria-valuetext": `step ${name}` });
    write(place.lastChild, name);
    first.disabled = back.disabled = app.step <= begin;
    next.disabled = last.disabled = app.step >= end;
    play.disabled = end === begin;
    write(show(part, end - begin < total), `This file has steps ${begin.toLocaleString("en")} to ${end.toLocaleString("en")} of ${total.toLocaleString("en")}; linscope playground shows all of them.`);
    const label = app.playing ? "Pause" : "Play";
    set(play, { "aria-label": label, title: `${label} (Space)` });
    set(play.firstChild.firstChild, { d: ICONS[app.playing ? "pause" : "play"] });
    speed.value = String(app.speed);
    askAhead(app);
  });
  return box;
}

/** Moves the cursor by hand: playing stops. */
function jump(app, step) {
  stopPlaying(app);
  return app.run ? goTo(app, step) : false;
}

/** Plays to the last step, from the first one if the cursor is at the end. */
async function togglePlay(app) {
  if (app.playing) return stopPlaying(app);
  if (!app.run || lastStep(app) === firstStep(app)) return;
  app.playing = true;
  app.emit("play");
  if (app.step >= lastStep(app)) await goTo(app, firstStep(app));
  const tick = async () => {
    if (!app.playing) return;
    const came = await goTo(app, app.step + 1); // waits for states that are still to come
    if (!app.playing) return;
    if (!came || app.step >= lastStep(app)) return stopPlaying(app);
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
