"""What the playground can run: estimators, and the parameters that a person may turn.

A new algorithm is one entry of ``ALGORITHMS``; the page makes its controls from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import linscope as ls

from .limits import KERNEL_POINTS, PASSES, POINTS

# What 0 means to the page, where it means anything: the word that the estimators have for it.
BY_ITSELF = {"eta0": "auto", "gamma": "scale"}
OTHERS, MACHINES = "Other classifiers", "Support vector machines"


@dataclass(frozen=True)
class Parameter:
    """One control: a choice, a number (``log``: its slider is logarithmic) or a flag.

    name : as the estimator calls it
    when : other parameters and the values at which this one has an effect; "classes" is how many
    rare : folded away with others
    """

    name: str
    title: str
    kind: str
    default: Any
    choices: tuple[tuple[Any, str], ...] = ()
    min: float | None = None
    max: float | None = None
    log: bool = False
    when: Mapping[str, tuple[Any, ...]] | None = None
    help: str = ""
    rare: bool = False

    def document(self) -> dict[str, Any]:
        out = asdict(self)
        out["choices"] = [{"value": value, "title": title} for value, title in self.choices]
        return out


def choice(name: str, title: str, *values: tuple[Any, str], **more: Any):
    return Parameter(name, title, "choice", values[0][0], choices=values, **more)


def number(name: str, title: str, default: float, low: float, high: float, **more: Any):
    return Parameter(name, title, "number", default, min=low, max=high, **more)


def integer(name: str, title: str, default: int, low: int, high: int, **more: Any):
    return Parameter(name, title, "integer", default, min=low, max=high, **more)


def flag(name: str, title: str, default: bool = False, **more: Any):
    return Parameter(name, title, "flag", default, **more)


@dataclass(frozen=True)
class Algorithm:
    """One entry of the menu.

    model : the estimator by its name, so that nobody waits for those that are not asked for.
    classes : how many it takes. exact : whether fractions exist. loss : the surface on which its
    weights are shown.
    """

    id: str
    title: str
    group: str
    about: str
    model: str
    parameters: tuple[Parameter, ...] = ()
    mode: str = "classes"
    classes: tuple[int, ...] = (2, 3)
    kernel: bool = False
    exact: bool = False
    loss: str | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def estimator(self, values: Mapping[str, Any]) -> Any:
        given = {**self.fixed, **values}
        for each in self.parameters:  # a batch size, say, without batches
            when = (each.when or {}).items()
            if any(given.get(name, those[0]) not in those for name, those in when):
                given.pop(each.name, None)
        for name, word in BY_ITSELF.items():
            if given.get(name) == 0:
                given[name] = word
        return getattr(ls, self.model)(**given)

    def document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "group": self.group,
            "about": self.about,
            "modes": [self.mode],
            "classes": list(self.classes),
            "points": KERNEL_POINTS if self.kernel else POINTS,
            "exact": self.exact,
            "exact_at_once": self.exact and AUTO_ETA not in self.parameters,
            "params": [each.document() for each in self.parameters],
        }


ETA = number("eta0", "rate η", 1.0, 0.001, 10.0, log=True, help="how far an update goes")
AUTO_ETA = number(
    "eta0",
    "rate η (0: auto)",
    0.0,
    0.0,
    10.0,
    log=True,
    help="how far a step goes; 0 takes a safe rate",
)
SCHEDULE = choice(
    "schedule", "schedule", ("constant", "constant"), ("inverse", "η/k"), help="η at update k"
)
PASSES_OF = integer("max_iter", "passes at most", 100, 1, PASSES, log=True)
SHUFFLE = flag("shuffle", "shuffle", help="visit the samples in a random order")
SEED = integer("random_state", "seed", 0, 0, 9999, when={"shuffle": (True,)})
BATCH = integer("batch_size", "batch size", 8, 1, 500)
RULE = choice(
    "rule",
    "rule",
    ("single", "sample by sample"),
    ("batch", "all mistakes at once"),
    ("mini-batch", "mini-batches"),
)
TIE = choice(
    "tie",
    "score 0",
    ("update", "is a mistake"),
    ("positive", "means +1"),
    ("negative", "means −1"),
    help="the notes disagree about a score of exactly 0",
)
OUTPUT = choice(
    "output",
    "answer",
    ("last", "last weights"),
    ("averaged", "averaged"),
    ("voted", "voted"),
    ("pocket", "pocket"),
)
MARGIN = number("margin", "margin b", 0.0, 0.0, 10.0, help="y w·x must exceed b to count as right")
STOP = choice(
    "stop",
    "stops after",
    ("streak", "n right in a row"),
    ("pass", "a right pass"),
)
OF_MINI_BATCHES = {"rule": ("mini-batch",)}
OF_THREE = {"classes": (3,)}
REST, PAIRS = ("ovr", "one against the rest"), ("ovo", "pairs")
MANY = choice("multi_class", "three classes", REST, PAIRS, when=OF_THREE)
SOFTMAX = choice(
    "multi_class",
    "three classes",
    ("softmax", "softmax"),
    REST,
    PAIRS,
    when=OF_THREE,
)
KERNEL = choice(
    "kernel",
    "kernel",
    ("rbf", "Gaussian"),
    ("poly", "polynomial"),
    ("linear", "linear"),
)
GAMMA = number(
    "gamma", "γ (0: auto)", 0.0, 0.0, 100.0, log=True, when={"kernel": ("rbf", "poly")},
    help="how quickly the similarity of two samples falls; 0 takes 1 / (features · variance)",
)  # fmt: skip
DEGREE = integer("degree", "degree", 2, 1, 8, when={"kernel": ("poly",)})
COEF0 = number("coef0", "constant", 1.0, 0.0, 10.0, when={"kernel": ("poly",)})
PRICE = number("C", "price C of slack", 1.0, 0.001, 1e6, log=True, help="large: a hard margin")
PENALTY = number("C", "C (1/penalty)", 1.0, 0.001, 1e6, log=True, help="small: weights stay near 0")


STEPS = (AUTO_ETA, SCHEDULE, PASSES_OF)
# Solver -> how it walks, and its controls.
WALKS = {
    "batch": ("all at once", STEPS),
    "stochastic": ("one by one", (*STEPS, SHUFFLE, SEED)),
    "mini-batch": ("mini-batches", (*STEPS, BATCH, SHUFFLE, SEED)),
}
REGRESSIONS = tuple(
    Algorithm(
        f"lms-{solver}",
        f"Gradient descent, {words}",
        "Least squares",
        "w ← w + η Σ (y − w·x) x, the LMS rule: downhill on the squared error.",
        "LinearRegression",
        parameters,
        mode="regression",
        classes=(),
        exact=True,
        loss="squared",
        fixed={"shuffle": False, "random_state": 0, "solver": solver},
    )
    for solver, (words, parameters) in WALKS.items()
)
LOGISTICS = tuple(
    Algorithm(
        f"logistic-{solver}",
        f"Gradient ascent, {words}",
        "Logistic regression",
        "The same update with h(x) = σ(w·x): uphill on the likelihood.",
        "LogisticRegression",
        (PENALTY, *parameters, SOFTMAX),
        loss="logistic",
        fixed={"shuffle": False, "random_state": 0, "solver": solver},
    )
    for solver, (words, parameters) in WALKS.items()
)
LISTED = (
    Algorithm(
        "perceptron",
        "Perceptron",
        "Perceptron",
        "Visit the samples in order; add y·x to the weights wherever the sign is wrong.",
        "Perceptron",
        (
            RULE,
            ETA,
            TIE,
            OUTPUT,
            integer("batch_size", "batch size", 8, 1, 500, when=OF_MINI_BATCHES),
            MANY,
            *(
                replace(each, rare=True)
                for each in (MARGIN, SCHEDULE, STOP, SHUFFLE, SEED, PASSES_OF)
            ),
        ),
        exact=True,
        loss="perceptron",
        fixed={"random_state": 0},
    ),
    Algorithm(
        "kernel-perceptron",
        "Kernel perceptron",
        "Perceptron",
        "The same rule in feature space: a mistake adds the sample to the sum that decides.",
        "KernelPerceptron",
        (KERNEL, GAMMA, DEGREE, COEF0, ETA, TIE, PASSES_OF),
        kernel=True,
    ),
    Algorithm(
        "least-squares",
        "Normal equations",
        "Least squares",
        "The line with the least sum of squares, quantity by quantity.",
        "LinearRegression",
        mode="regression",
        classes=(),
        exact=True,
        loss="squared",
    ),
    *REGRESSIONS,
    Algorithm(
        "logistic-newton",
        "Newton's method",
        "Logistic regression",
        "Each step solves a weighted least squares problem; few steps are needed.",
        "LogisticRegression",
        (PENALTY, MANY),
        loss="logistic",
        fixed={"solver": "newton"},
    ),
    *LOGISTICS,
    Algorithm(
        "least-squares-classifier",
        "Least squares on labels",
        OTHERS,
        "Regression on 1-of-K targets: simple, and swung by outliers.",
        "LeastSquaresClassifier",
        exact=True,
        loss="squared",
    ),
    Algorithm(
        "fisher",
        "Fisher's discriminant",
        OTHERS,
        "The direction S_W⁻¹(m₂ − m₁) that keeps means apart and classes narrow.",
        "FisherDiscriminant",
        exact=True,
    ),
    Algorithm(
        "naive-bayes",
        "Gaussian naive Bayes",
        OTHERS,
        "A normal curve for each class and feature; Bayes' rule does the rest.",
        "GaussianNaiveBayes",
        (flag("shared_variance", "one variance for all classes", True),),
    ),
    Algorithm(
        "linear-svm",
        "Linear SVM, coordinate descent",
        MACHINES,
        "One α at a time; the bias is penalised, so that no constraint ties them together.",
        "LinearSVC",
        (PRICE, integer("max_iter", "passes at most", 50, 1, PASSES, log=True), MANY),
        loss="hinge",
        fixed={"solver": "coordinate", "loss": "hinge", "penalize_intercept": True},
    ),
    Algorithm(
        "svm",
        "SVM, pair by pair (SMO)",
        MACHINES,
        "Two α at a time, those that violate the conditions of the optimum most.",
        "SVC",
        (
            choice(
                "kernel",
                "kernel",
                ("linear", "linear"),
                ("rbf", "Gaussian"),
                ("poly", "polynomial"),
            ),
            PRICE,
            GAMMA,
            DEGREE,
            COEF0,
            choice("multi_class", "three classes", PAIRS, REST, when=OF_THREE),
        ),
        kernel=True,
        exact=True,
        loss="hinge",
    ),
)
ALGORITHMS = {each.id: each for each in LISTED}
