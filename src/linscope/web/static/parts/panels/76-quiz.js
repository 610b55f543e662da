/**
 * "What is the next update?" The learner answers, then sees the step. The page knows the next state
 * from Python and only compares. Where there is no next step, nothing is asked.
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
  const answers = html("div", { class: "quiz-answers" },
    html("div", { class: "row" }, html("label", {}, yes, html("span", { text: "yes" })), html("label", {}, no, html("span", { text: "no" }))),
    fields, html("div", { class: "row" }, check));
  const form = html("form", { class: "quiz-form" },
    question,
    answers, score);
  const box = html("section", { class: "panel quiz", "aria-label": "What is the next update?", "data-testid": "quiz" },
    html("div", { class: "panel-head" }, html("h2", { text: "What is the next update?" }),
      button("End the quiz", () => setQuiz(app, false), { sign: "close", class: "quiet close" })),
    form, verdict, keep);
  const self = { box, question, answers, yes, no, fields, verdict, score, keep };
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
  if (on && app.run && app.step >= lastStep(app)) goTo(app, firstStep(app));
  app.emit("look");
  app.emit("size"); // an embedded page has less room beside it
  if (on && !app.embed) app.quizBox.scrollIntoView({ block: "nearest" });
}

const nextState = (app) => (app.run.closed || app.step >= lastStep(app) ? null : stateAt(app, app.step + 1));

/** Why there is nothing to ask; "" if there is. */
function nothingToAsk(app) {
  if (app.run.closed) return "This method finds its answer in one go: there is no next update. Choose one that takes steps, such as the perceptron.";
  if (app.step < lastStep(app)) return "";
  return app.run.reach ? "The steps of this file end here. Go back to see others." : "That was the last step: there is no next update. Go back to see others.";
}

function askedWeights(state) {
  return state?.w?.length === 1 && state.w[0].length <= 4 ? state.w[0] : null;
}

function drawQuiz(app, self) {
  show(self.box, Boolean(app.quiz));
  if (!app.quiz || !app.run || app.run.brief) return;
  const next = nextState(app);
  write(self.question, nothingToAsk(app) || (next ? questionOf(app, next) : "…"));
  show(self.answers, Boolean(next));
  const weights = next && askedWeights(next);
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
  const what = next.w ? "the weights change" : "an α change";
  const then = askedWeights(next) ? " What are they afterwards?" : "";
  if (next.sample === null || next.sample === undefined) return `Does ${what} in the next step?${then}`.replace("Does the", "Do the");
  const point = pointsNow(app)[next.sample];
  return regression ? `Next: ${point?.name}. Do ${what}?${then}` : `Next: ${point?.name}. Is it on the wrong side, so that ${what.replace("an α change", "its α changes")}?${then}`;
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
    algorithm: app.spec.algorithm, step: app.step + 1, sample: next.sample ?? null,
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
