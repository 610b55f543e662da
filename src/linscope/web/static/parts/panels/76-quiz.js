/**
 * "What is the next update?" The learner answers, then sees the step. The page knows the next state
 * from Python and only compares.
 */

const CLOSE = 1e-9;

function makeQuiz(app) {
  const question = html("p", { class: "question", "data-testid": "quiz-question" });
  const yes = html("input", { type: "radio", name: `linscope-quiz-${frames}`, value: "yes", "data-testid": "quiz-yes" });
  const no = html("input", { type: "radio", name: `linscope-quiz-${frames++}`, value: "no", "data-testid": "quiz-no" });
  const fields = html("div", { class: "quiz-weights" });
  const verdict = html("p", { class: "verdict", role: "status", "data-testid": "quiz-verdict" });
  const score = html("span", { class: "quiet-text", "data-testid": "quiz-score" });
  const check = html("button", { type: "submit", class: "main", text: "Check", "data-testid": "quiz-check" });
  const keep = button("Export score (JSON)", () => exportScore(app), { class: "quiet small", "data-testid": "quiz-export" });
  const form = html("form", { class: "quiz-form" },
    question,
    html("div", { class: "row" }, html("label", {}, yes, html("span", { text: "yes" })), html("label", {}, no, html("span", { text: "no" }))),
    fields, html("div", { class: "row" }, check, score));
  const box = html("section", { class: "panel quiz", "aria-label": "What is the next update?", "data-testid": "quiz" },
    html("div", { class: "panel-head" }, html("h2", { text: "What is the next update?" }),
      button("End the quiz", () => setQuiz(app, false), { sign: "close", class: "quiet close" })),
    form, verdict, keep);
  const self = { box, question, yes, no, fields, verdict, score, check, keep };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    checkGuess(app, self);
  });
  app.on("step look", () => drawQuiz(app, self));
  app.quizBox = box;
  return box;
}

/** Begins or ends the quiz; the score goes on over runs. */
function setQuiz(app, on) {
  if (Boolean(app.quiz) === on) return;
  app.score ||= [];
  app.quiz = on ? { verdict: "" } : null;
  if (on && app.run && app.step >= lastStep(app)) goTo(app, 0);
  app.emit("look");
  app.emit("size"); // an embedded page has less room beside it
  if (on && !app.embed) app.quizBox.scrollIntoView({ block: "nearest" });
}

const nextState = (app) => app.run.states[app.step + 1] || null;

function askedWeights(state) {
  return state?.w?.length === 1 && state.w[0].length <= 4 ? state.w[0] : null;
}

function drawQuiz(app, self) {
  show(self.box, Boolean(app.quiz));
  if (!app.quiz || !app.run || app.run.brief) return;
  const next = nextState(app);
  write(self.question, next ? questionOf(app, next) : "This was the last step. Go back, or choose other points.");
  self.check.disabled = !next;
  const weights = askedWeights(next);
  const inputs = pool(self.fields, weights ? weights.length : 0, (k) => html("label", {}, html("span", { text: `w${k}` }),
    html("input", { type: "text", inputmode: "text", autocomplete: "off", "data-testid": `quiz-w${k}` })));
  show(self.fields, inputs.length > 0);
  write(self.verdict, app.quiz.step === app.step ? app.quiz.verdict : ""); // of this step, not of one before
  show(self.keep, app.score.length > 0);
  set(self.verdict, { "data-right": app.quiz.right === undefined ? null : app.quiz.right ? "yes" : "no" });
  const right = app.score.filter((guess) => guess.right).length;
  write(self.score, app.score.length ? `${right} of ${app.score.length} right` : "");
}

function questionOf(app, next) {
  const regression = app.run.mode === "regression";
  if (next.sample !== null && next.sample !== undefined) {
    const point = pointsNow(app)[next.sample];
    return regression ? `Next: ${point?.name}. Do the weights change, and to what?`
      : `Next: ${point?.name}. Is it on the wrong side, so that the weights change? What are they afterwards?`;
  }
  return "Do the weights change in the next step? What are they afterwards?";
}

/** Whether a typed number is the value: to nine digits, or correctly rounded to at least three. */
function matches(text, value) {
  const guess = readNumber(text);
  if (!Number.isFinite(guess)) return false;
  if (Math.abs(guess - value) <= CLOSE * Math.max(1, Math.abs(value))) return true;
  if (/[/e]/i.test(text)) return false;
  const digits = text.replace(/[^0-9]/g, "").replace(/^0+/, "").length;
  const decimals = (text.split(".")[1] || "").length;
  return digits >= 3 && Math.abs(guess - value) <= 0.5000001 * 10 ** -decimals;
}

function checkGuess(app, self) {
  const next = nextState(app);
  if (!next || (!self.yes.checked && !self.no.checked)) {
    write(self.verdict, next ? "Choose yes or no first." : "");
    return;
  }
  const texts = [...self.fields.querySelectorAll("input")].map((input) => input.value.trim());
  const weights = askedWeights(next);
  const verdictRight = self.yes.checked === Boolean(next.update);
  const answered = texts.some((text) => text !== "");
  const weightsRight = weights && answered ? texts.every((text, k) => matches(text, weights[k])) : null;
  const guess = {
    algorithm: app.spec.algorithm, step: app.step + 1 + app.run.start - 1, sample: next.sample ?? null,
    update: self.yes.checked, updateRight: verdictRight,
    weights: answered ? texts : null, weightsRight, right: verdictRight && weightsRight !== false,
  };
  app.score.push(guess);
  const truth = next.update ? "The weights change" : "The weights stay";
  const now = next.wtext?.length === 1 ? ` w = ${next.wtext[0]}.` : "";
  app.quiz = { right: guess.right, step: app.step + 1, verdict: `${guess.right ? "Right." : "Not so."} ${truth}${next.update ? ":" : "."}${now}` };
  self.yes.checked = self.no.checked = false;
  for (const input of self.fields.querySelectorAll("input")) input.value = "";
  app.guess = guess;
  jump(app, app.step + 1);
  app.emit("guess");
}

function exportScore(app) {
  const guesses = app.score || [];
  const summary = { right: guesses.filter((guess) => guess.right).length, of: guesses.length, guesses };
  download("linscope-score.json", JSON.stringify(summary, null, 2), "application/json");
}
