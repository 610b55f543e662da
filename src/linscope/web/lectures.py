"""Presets that replay the slides of the lecture notes, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .algorithms import MACHINES, OTHERS
from .samples import sample


@dataclass(frozen=True)
class Lecture:
    """One preset: what to load, which panels to show, what to say and what to try.

    step : where it opens; None at the end
    """

    id: str
    part: str
    title: str
    text: str
    try_this: str
    data: str
    algorithm: str
    params: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False
    step: int | None = None
    views: tuple[str, ...] = ("weights",)
    loss: str | None = None

    def document(self) -> dict[str, Any]:
        made = sample(self.data, self.made)
        return {
            "id": self.id,
            "part": self.part,
            "title": self.title,
            "text": self.text,
            "try": self.try_this,
            "step": self.step,
            "views": list(self.views),
            "run_key": self.id,
            "spec": {
                **made,
                "algorithm": self.algorithm,
                "params": dict(self.params),
                "exact": self.exact,
                "start": 1,
                "loss": self.loss,
            },
        }


REGRESSION, LOGISTIC, PERCEPTRON = "Linear regression", "Logistic regression", "The perceptron"
# What is shown where nothing else is asked for.
FIRST = "or"

LECTURES = (
    Lecture(
        "five-points", REGRESSION, "A line through five points",
        "Means, deviations, S_xy and S_xx: slope and intercept follow. The squares on the "
        "residuals are what the line makes as small as possible, all together; over all lines "
        "their sum is a bowl, and the answer lies at its bottom.",
        "Drag the last point up and watch the line follow it.",
        "five_points", "least-squares", exact=True, views=("loss",),
    ),
    Lecture(
        "lms", REGRESSION, "Downhill in a bowl",
        "The squared error is a bowl over (w0, w1). Gradient descent rolls down; it never arrives "
        "exactly, but the line soon looks the same.",
        "Press Home and play it from the start. Then raise η until the path jumps across.",
        "five_points", "lms-batch", {"eta0": 0.02, "max_iter": 200}, views=("loss",),
    ),
    Lecture(
        "eta-too-large", REGRESSION, "η too large",
        "A step that is too long lands higher on the other side of the valley than it started, and "
        "the next one higher still.",
        "Halve η until the path comes to rest.",
        "five_points", "lms-batch", {"eta0": 0.065, "max_iter": 12}, views=("loss",),
    ),
    Lecture(
        "sgd", REGRESSION, "One sample at a time",
        "The LMS rule looks at one point and moves the line towards it: noisy, cheap, and the same "
        "update as the perceptron's with another h(x).",
        "Let η fall as η/k and watch the noise die.",
        "noisy_line", "lms-stochastic", {"max_iter": 5}, {"n": 30}, views=("loss",),
    ),
    Lecture(
        "logistic", LOGISTIC, "Uphill on the likelihood",
        "Instead of a hard sign, σ(w·x) is a probability. Every point pulls on the line by how "
        "wrong its probability is.",
        "Raise C: the line hardly moves, but the weights grow.",
        "overlapping", "logistic-batch", {"max_iter": 60}, {"n": 40, "distance": 3.0},
        views=("loss",),
    ),
    Lecture(
        "newton", LOGISTIC, "Newton's method",
        "Each step fits a parabola to the likelihood and jumps to its top. A few steps do what "
        "hundreds of small ones do.",
        "Compare the path with gradient ascent on the same points.",
        "overlapping", "logistic-newton", {}, {"n": 40, "distance": 3.0}, views=("loss",),
    ),
    Lecture(
        "flat", PERCEPTRON, "Why not count mistakes?",
        "The number of mistakes is flat almost everywhere: no slope says where to go. The "
        "perceptron criterion J_p has a slope wherever something is wrong.",
        "Switch the surface under the picture to “perceptron criterion J_p”.",
        "overlapping", "perceptron", {"max_iter": 5}, {"n": 30, "distance": 2.5},
        step=30, views=("loss",), loss="mistakes",
    ),
    Lecture(
        "batch", PERCEPTRON, "All mistakes at once",
        "The batch rule adds up the mistakes of a whole pass before it moves: a gradient step on "
        "J_p. Fewer, larger steps.",
        "Compare the rules “sample by sample” and “mini-batches”.",
        "separable", "perceptron", {"rule": "batch"},
        {"n": 20, "margin": 0.05, "random_state": 5}, views=("loss",),
    ),
    Lecture(
        "students", PERCEPTRON, "Four students",
        "Who passes? Each student is a vector of ±1 answers, and the weights start at 1/4. The "
        "rule visits Jane, Steve, Mary and Peter in turn, and adds y·x wherever the sign is wrong.",
        "Steve is next. Open the quiz and predict the new weights before you look.",
        "students", "perceptron", {"init": [0.25] * 5}, exact=True, step=1, views=("curves",),
    ),
    Lecture(
        "not-separable", PERCEPTRON, "Not separable: iterations 900–915",
        "No line separates these classes, so the weights wander for ever: the solution region is "
        "empty. Here are updates 900 to 915, in rows 1,750 to 1,787; some are good, some are not, "
        "and which one you get depends on when you stop.",
        "Choose “pocket” or “averaged” as the answer and compare.",
        "non_separable", "perceptron", {"max_iter": 1000, "init": [1.0, 1.0, 1.0]},
        step=1787,
    ),
    Lecture(
        "two-points", PERCEPTRON, "Two points: an update that breaks another",
        "The update that mends the second point has just turned the first one wrong. Errors may "
        "rise on the way, and yet the rule arrives: one more update, and all is right.",
        "Step on. Then drag one point towards the other: how does the number of updates grow?",
        "two_points", "perceptron", {"tie": "positive"}, exact=True, step=2, views=("curves",),
    ),
    Lecture(
        "bound", PERCEPTRON, "Why it must stop: R²/γ²",
        "Every update adds at least γ to w·w_opt and at most R² to ‖w‖². The two curves cross at "
        "R²/γ², and no run is longer than that.",
        "Drag two points of different classes together and watch the bound explode.",
        "separable", "perceptron", {}, {"n": 20, "margin": 0.1, "random_state": 3},
        views=("bound",),
    ),
    Lecture(
        "or", PERCEPTRON, "OR, step by step",
        "Four points, three weights, thirteen visits. Score 0 counts as class −1 here, as on the "
        "slide, so the run ends with w = [0 1 1], which leaves one point on the boundary.",
        "Step with → to the end. Then change “score 0” to “is a mistake”: the boundary moves "
        "away from the point.",
        "or", "perceptron", {"tie": "negative"}, exact=True, step=5,
    ),
    Lecture(
        "iris", OTHERS, "Three kinds of iris",
        "Three classes, one discriminant function for each; the largest decides. With one variance "
        "for all classes the borders are straight.",
        "Choose least squares on labels: it hardly leaves room for the class in the middle.",
        "iris", "naive-bayes", {"shared_variance": True}, views=("points",),
    ),
    Lecture(
        "fisher", OTHERS, "Fisher's direction",
        "Not the line between the means, but the direction in which the classes are far apart and "
        "narrow: S_W⁻¹(m₂ − m₁). On the right the points as they land on it.",
        "Stretch one class by dragging its points, and see the direction turn.",
        "overlapping", "fisher", {}, {"n": 40, "distance": 4.0, "random_state": 4},
        views=("points",),
    ),
    Lecture(
        "one-outlier", OTHERS, "One outlier",
        "Least squares on labels punishes a point for being too right: one point far out on the "
        "good side turns its line until another point is wrong. The SVM and logistic regression "
        "do not care.",
        "Drag the far point back and forth. “Compare” leads back to one classifier.",
        "outlier", "least-squares-classifier", {}, {"n": 30, "random_state": 3},
        views=("everyone",),
    ),
    Lecture(
        "hard-margin", MACHINES, "Hard and soft margin",
        "The SVM looks for the widest street between the classes. A few points hold it: those with "
        "α > 0.",
        "Lower C: the street widens, and points may stand in it at a price.",
        "separable", "svm", {"kernel": "linear", "C": 100.0},
        {"n": 24, "margin": 0.15, "random_state": 5}, views=("curves",),
    ),
    Lecture(
        "slack", MACHINES, "Points in the street",
        "Where classes overlap each point on the wrong side of its margin pays C times its slack. "
        "Its α is at the price C; the table says so of every point.",
        "Move a point from deep inside the other class to its margin.",
        "overlapping", "svm", {"kernel": "linear", "C": 1.0},
        {"n": 30, "distance": 3.0, "random_state": 1}, views=("points",),
    ),
    Lecture(
        "xor", MACHINES, "XOR and the kernel trick",
        "No line separates XOR. With K(x, z) = (x·z + 1)² the machine draws its plane in a space "
        "where it can, and the border here is a curve.",
        "Choose the Gaussian kernel and turn γ.",
        "xor", "svm", {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1.0, "C": 100.0},
        views=("points",),
    ),
    Lecture(
        "ring", MACHINES, "A disc in a ring",
        "The kernel perceptron keeps a list of its mistakes and lets them vote with their "
        "similarity.",
        "Add a point in the middle of the disc with the other label.",
        "ring", "kernel-perceptron", {"kernel": "rbf", "gamma": 1.0}, {"n": 40},
        views=("curves",),
    ),
)  # fmt: skip


@cache
def documents() -> list[dict[str, Any]]:
    return [each.document() for each in LECTURES]
