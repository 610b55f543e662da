"""Presets that replay the slides of the lecture notes, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .samples import sample


@dataclass(frozen=True)
class Lecture:
    """One preset: what to load, which panels to show, what to say and what to try."""

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
    start: int = 1
    step: int = 0
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
                "start": self.start,
                "loss": self.loss,
            },
        }


REGRESSION, PERCEPTRON = "Linear regression", "The perceptron"
LOGISTIC, OTHERS, MACHINES = "Logistic regression", "Other classifiers", "Support vector machines"

LECTURES = (
    Lecture(
        "students", PERCEPTRON, "Four students",
        "Who passes? Each student is a vector of ±1 answers, and the weights start at 1/4. The "
        "rule visits Jane, Steve, Mary and Peter in turn, and adds y·x wherever the sign is wrong.",
        "Step to Steve's visit and predict the new weights before you look.",
        "students", "perceptron", {"init": [0.25] * 5}, exact=True, views=("curves",),
    ),
    Lecture(
        "or", PERCEPTRON, "OR, step by step",
        "Four points, three weights, thirteen visits. Score 0 counts as class −1 here, as on the "
        "slide, so the run ends with w = [0 1 1], which leaves one point on the boundary.",
        "Change “score 0” to “is a mistake”: the boundary moves away from the point.",
        "or", "perceptron", {"tie": "negative"}, exact=True,
    ),
    Lecture(
        "two-points", PERCEPTRON, "Two points: an update that breaks another",
        "The update that mends the second point turns the first one wrong. Errors may rise on the "
        "way, and yet the rule arrives.",
        "Drag one point towards the other: how do the updates grow?",
        "two_points", "perceptron", {"tie": "positive"}, exact=True, views=("curves",),
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
        "not-separable", PERCEPTRON, "Not separable: iterations 900–915",
        "No line separates these classes, so the weights wander for ever. Which vector you get "
        "depends on when you stop.",
        "Choose “pocket” or “averaged” as the answer and compare.",
        "non_separable", "perceptron", {"max_iter": 1000, "tie": "negative"}, start=900, step=1,
    ),
    Lecture(
        "flat", PERCEPTRON, "Why not count mistakes?",
        "The number of mistakes is flat almost everywhere: no slope says where to go. The "
        "perceptron criterion J_p has a slope wherever something is wrong.",
        "Switch the surface between “number of mistakes” and “J_p”.",
        "overlapping", "perceptron", {"max_iter": 5}, {"n": 30, "distance": 4.0},
        views=("loss",), loss="mistakes",
    ),
    Lecture(
        "batch", PERCEPTRON, "All mistakes at once",
        "The batch rule adds up the mistakes of a whole pass before it moves: a gradient step on "
        "J_p. Fewer, larger steps.",
        "Compare “one sample at a time” and “mini-batches”.",
        "separable", "perceptron", {"rule": "batch"}, {"n": 30, "random_state": 1},
        views=("loss",),
    ),
    Lecture(
        "five-points", REGRESSION, "A line through five points",
        "Means, deviations, S_xy and S_xx: slope and intercept follow. The squares on the "
        "residuals are what the line makes as small as possible, all together.",
        "Drag the last point up and watch the line follow it.",
        "five_points", "least-squares", exact=True, views=("loss",),
    ),
    Lecture(
        "lms", REGRESSION, "Downhill in a bowl",
        "The squared error is a bowl over (w0, w1). Gradient descent rolls down; it never arrives "
        "exactly, but the line soon looks the same.",
        "Raise η until the path jumps across the valley.",
        "five_points", "lms-batch", {"eta0": 0.02, "max_iter": 200}, views=("loss",),
    ),
    Lecture(
        "eta-too-large", REGRESSION, "η too large",
        "A step that is too long lands higher on the other side of the valley than it started, and "
        "the next one higher still.",
        "Halve η until the path comes to rest.",
        "five_points", "lms-batch", {"eta0": 0.065, "max_iter": 25}, views=("loss",),
    ),
    Lecture(
        "sgd", REGRESSION, "One sample at a time",
        "The LMS rule looks at one point and moves the line towards it: noisy, cheap, and the same "
        "update as the perceptron's with another h(x).",
        "Let η fall as η/k and watch the noise die.",
        "noisy_line", "lms-stochastic", {"max_iter": 5}, {"n": 30}, views=("curves",),
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
        "Each step fits a parabola to the likelihood and jumps to its top. Five steps do what "
        "hundreds of small ones do.",
        "Compare the path with gradient ascent on the same points.",
        "overlapping", "logistic-newton", {}, {"n": 40, "distance": 3.0}, views=("loss",),
    ),
    Lecture(
        "one-outlier", OTHERS, "One outlier",
        "Least squares on labels punishes a point for being too right. One point far out on the "
        "good side turns the line; the SVM and logistic regression do not care.",
        "Drag the far point back and forth with “every classifier” open.",
        "outlier", "least-squares-classifier", {}, {"n": 30, "random_state": 2},
        views=("everyone",),
    ),
    Lecture(
        "fisher", OTHERS, "Fisher's direction",
        "Not the line between the means, but the direction in which the classes are far apart and "
        "narrow: S_W⁻¹(m₂ − m₁).",
        "Stretch one class by dragging its points, and see the direction turn.",
        "overlapping", "fisher", {}, {"n": 40, "distance": 4.0, "random_state": 4},
    ),
    Lecture(
        "iris", OTHERS, "Three kinds of iris",
        "Three classes, one discriminant function for each; the largest decides. Regions meet in a "
        "point.",
        "Try least squares: the middle class is masked.",
        "iris", "naive-bayes", {"shared_variance": True},
    ),
    Lecture(
        "hard-margin", MACHINES, "Hard and soft margin",
        "The SVM looks for the widest street between the classes. A few points hold it: those with "
        "α > 0.",
        "Lower C: the street widens, and points may stand in it at a price.",
        "separable", "svm", {"kernel": "linear", "C": 1e6},
        {"n": 24, "margin": 0.15, "random_state": 5}, views=("curves",),
    ),
    Lecture(
        "slack", MACHINES, "Points in the street",
        "Where classes overlap each point on the wrong side of its margin pays C times its slack. "
        "Its α is at the price C.",
        "Move a point from deep inside the other class to its margin.",
        "overlapping", "svm", {"kernel": "linear", "C": 1.0},
        {"n": 30, "distance": 3.0, "random_state": 1}, views=("curves",),
    ),
    Lecture(
        "xor", MACHINES, "XOR and the kernel trick",
        "No line separates XOR. With K(x, z) = (x·z + 1)² the machine draws its plane in a space "
        "where it can, and the border here is a curve.",
        "Choose the Gaussian kernel and turn γ.",
        "xor", "svm", {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1.0, "C": 1e6},
        views=("curves",),
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
