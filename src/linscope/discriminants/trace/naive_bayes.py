"""The derivation of Gaussian naive Bayes: from class means and variances to P(Y | X).

    ln P(Y=1|x)/P(Y=0|x) = ln(π/(1 − π)) + Σ_j ln p(x_j | Y=1)/p(x_j | Y=0),    p normal

With shared variances σ_j² the squares of x cancel, and P(Y=1|x) = σ(w·[1, x]) with

    w_j = (μ_j1 − μ_j0)/σ_j²        w_0 = ln(π/(1 − π)) + Σ_j (μ_j0² − μ_j1²)/(2σ_j²)

Otherwise the log odds are a·x² + b·x + c, quadratic, with

    a_j = 1/(2σ_j0²) − 1/(2σ_j1²)   b_j = μ_j1/σ_j1² − μ_j0/σ_j0²
    c   = ln(π/(1 − π)) + Σ_j ln(σ_j0/σ_j1) + Σ_j (μ_j0²/(2σ_j0²) − μ_j1²/(2σ_j1²))

K classes have g_k(x) = ln π_k + Σ_j ln p(x_j | C_k) each, and P is their softmax.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, log
from typing import Any

import numpy as np

from linscope.fitting.equations import equation, score
from linscope.losses.logistic import sigmoid
from linscope.losses.softmax import softmax
from linscope.tracing.derivation_matrices import MatrixPart
from linscope.tracing.derivation_numbers import shown
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities
from linscope.tracing.fractions import rational

from .classes import ClassSamples, ClassWork, scalar

HALF_LOG_TWO_PI = 0.9189385332046727
MU, SIGMA = r"\boldsymbol{\mu}", r"\boldsymbol{\sigma}"
DIFFERENT = (
    "The classes do not share their variances, so x² does not cancel; with shared_variance=True it "
    "does, and P(Y | x) is that of a logistic regression."
)
SLIDES = (
    "The notes' 1/(1 + exp(w·x)) has the same numbers with the other sign, "
    "w = (μ₀ − μ₁)/σ²: the same probability."
)


class NaiveBayesWork(ClassWork):
    """All numbers of the derivation; of two classes 0 and 1, as the notes count them.

    Attributes
    ----------
    priors : P(class), one for each
    means, variances : (K, d)
    """

    elimination = None

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exact: bool):
        if not (model.class_count_ > 0).all() or not (model.class_prior_ > 0).all():
            raise ValueError(
                "a derivation needs samples and a prior above 0 for every class: leave out the "
                "classes that have none"
            )
        self.model, self.exact = model, exact
        self.data = ClassSamples(model, X, y, sample_weight, exact, unknowns=model.n_features_in_)
        data = self.data
        parts = [data.of_class(k) for k in range(len(data.labels))]
        self.totals, self.counts = [part.weights for part in parts], [part.n for part in parts]
        self.priors = self._priors()
        if data.samples.rational:
            self.means = np.array([part.means() for part in parts])
            pairs = zip(parts, self.means, strict=True)
            scatter = np.array([part.squares(mean).diagonal() for part, mean in pairs])
            self.variances = self._variances(scatter)
        else:
            self.means, self.variances = model.theta_, model.var_
        self.linear = bool((self.variances == self.variances[0]).all())

    def _priors(self) -> list[Any]:
        """The shares of the classes, or what was given, made to sum to 1."""
        if not self.data.samples.rational:
            return self.model.class_prior_.tolist()
        given = self.totals if self.model.priors is None else map(rational, self.model.priors)
        values = [Fraction(value) for value in given]
        return [value / sum(values) for value in values]

    def _variances(self, scatter: np.ndarray) -> np.ndarray:
        """Scatter by weight, of all classes if they share it; for 0 V/(n + 1), as in the fit."""
        n, weights = sum(self.totals), np.array(self.totals)[:, None]
        centre = (self.means * weights).sum(axis=0) / n
        total = (scatter.sum(axis=0) + (weights * (self.means - centre) ** 2).sum(axis=0)) / n
        shared = self.model.shared_variance
        count = [n] * len(self.totals) if shared else self.totals
        own = [scatter.sum(axis=0)] * len(count) if shared else scatter
        out = scatter.copy()
        for k, j in np.ndindex(*out.shape):
            out[k, j] = own[k][j] / count[k] or total[j] / (count[k] + 1) or Fraction(1)
        return out

    @property
    def odds(self) -> Any:
        return self.priors[1] / self.priors[0]

    @property
    def quadratic(self) -> np.ndarray:
        """a: what stands before x², two classes."""
        return 1 / (2 * self.variances[0]) - 1 / (2 * self.variances[1])

    @property
    def slopes(self) -> np.ndarray:
        """w or b: what stands before x, two classes."""
        return self.means[1] / self.variances[1] - self.means[0] / self.variances[0]

    @property
    def constant(self) -> Any:
        """Σ_j (μ_j0²/(2σ_j0²) − μ_j1²/(2σ_j1²))."""
        terms = self.means**2 / (2 * self.variances)
        return (terms[0] - terms[1]).sum()

    @property
    def spreads(self) -> float:
        """Σ_j ln(σ_j0/σ_j1); 0 where they are shared."""
        ratios = (self.variances[0] / self.variances[1]).tolist()
        return 0.5 * fsum(log(float(ratio)) for ratio in ratios)

    @property
    def bias(self) -> Any:
        """w_0 or c; a fraction only if no logarithm is in it."""
        logs = [] if self.odds == 1 else [log(float(self.odds))]
        logs += [] if self.linear or not self.spreads else [self.spreads]
        return float(self.constant) + fsum(logs) if logs else self.constant

    def joint(self, X: np.ndarray) -> np.ndarray:
        """g_k(x) of some rows, (rows, K)."""
        out = np.empty((len(X), len(self.priors)))
        for k, prior in enumerate(self.priors):
            squares = ((X - self.means[k]) ** 2 / self.variances[k]).sum(axis=1).astype(float)
            level = sum(0.5 * log(float(v)) + HALF_LOG_TWO_PI for v in self.variances[k])
            out[:, k] = log(float(prior)) - level - 0.5 * squares
        return out

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """One row per sample: its class, what was measured, log odds or g_k, P, predicted."""
        data = self.data
        X = data.samples.rows(start, stop)[:, : data.samples.width]
        out = {"class": data.classes_of(start, stop)}
        if data.samples.weight is not None:
            out["weight"] = data.samples.c(start, stop)[:, 0]
        out |= {name: X[:, j] for j, name in enumerate(data.names)}
        if len(data.labels) == 2:
            odds = X.dot(self.slopes) + self.bias
            odds = odds if self.linear else odds + (X * X).dot(self.quadratic)
            out["log_odds"], out["P"] = odds, sigmoid(odds.astype(float))
            second = odds > 0
            return out | {"predicted": np.array(data.labels)[second.astype(int)]}
        g = self.joint(X)
        P = softmax(g)
        out |= {f"g_{label}": g[:, k] for k, label in enumerate(data.labels)}
        out |= {f"P_{label}": P[:, k] for k, label in enumerate(data.labels)}
        return out | {"predicted": np.array(data.labels)[g.argmax(axis=1)]}

    def answer(self, features: Any) -> list[tuple[str, str]]:
        """The posterior in words."""
        names = list(features) or self.data.names
        if len(self.data.labels) > 2:
            return [("answer", "the class with the largest g(x); P(class | x) is their softmax")]
        positive, bias = self.data.labels[1], shown(self.bias, self.exact)
        W = [bias, *shown(self.slopes, self.exact)]
        if self.linear:
            return [
                ("equation", equation(W, names, positive)),
                ("probability", f"P({positive} | x) = σ({score(W, names)})"),
            ]
        squares = score([0, *shown(self.quadratic, self.exact)], [f"{name}²" for name in names])
        line = score(W, names)
        line = f"− {line[1:]}" if line.startswith("−") else f"+ {line}"
        return [
            ("equation", f"{squares} {line} > 0 ⇒ {positive}"),
            ("probability", f"P({positive} | x) = σ of the left side, quadratic in x"),
        ]


def naive_bayes(work: NaiveBayesWork, table: SampleTable, q: Quantities) -> list[Part]:
    """Add all quantities and return the parts that show them."""
    K = len(work.data.labels)
    if K > 2:
        return _many(work, table, q)
    _classes(work, q)
    first, start = list(q), len(q)
    (_linear if work.linear else _quadratic)(work, q)
    names = work.data.names
    heads = [
        *work.data.heads,
        Head(names[0] if len(names) == 1 else tuple(names), r"\mathbf{x}"),
        Head("log_odds", r"\ln(\frac{P(1|\mathbf{x})}{P(0|\mathbf{x})})", "log odds"),
        Head("P", r"P(1|\mathbf{x})"),
        Head("predicted"),
    ]
    title = "P(Y = 1 | x) = σ(w·x)" if work.linear else "the log odds are quadratic: a·x² + b·x + c"
    notes = [SLIDES] if work.linear else [DIFFERENT]
    sides = f"the classes: Y = 0 is {work.data.labels[0]}, Y = 1 is {work.data.labels[1]}"
    return [
        QuantitiesPart("classes", sides, first),
        QuantitiesPart("posterior", title, list(q)[start:], notes),
        SamplesPart("samples", "the samples and P(Y = 1 | x)", table, heads),
    ]


def _classes(work: NaiveBayesWork, q: Quantities) -> None:
    c = work.data.c
    counts, kind = (work.totals, "weight") if c else (work.counts, "samples")
    for k in (0, 1):
        q.add(f"n_{k}", f"n_{k}", counts[k], words=f"{kind} of class {work.data.labels[k]}")
    given = work.model.priors is not None
    formula = "" if given else r"\frac{n_1}{n_0 + n_1}"
    numbers = "" if given else r"\frac{<n_1>}{<n_0> + <n_1>}"
    words = "P(Y = 1), as given" if given else "P(Y = 1) = n₁ / (n₀ + n₁)"
    q.add("pi", r"\pi", work.priors[1], formula, numbers, words=words)
    for k in (0, 1):
        mean = rf"\frac{{1}}{{n_{k}}}\sum_{{i \in C_{k}}} {c}\mathbf{{x}}_i"
        q.add(f"mean_{k}", rf"{MU}_{k}", scalar(work.means[k]), mean)
    if work.model.shared_variance:
        square = rf"\frac{{1}}{{n}}\sum_i {c}(\mathbf{{x}}_i - {MU}_{{y_i}})^2"
        words = "variance within the classes, all samples"
        q.add("variance", rf"{SIGMA}^2", scalar(work.variances[0]), square, words=words)
        return
    for k in (0, 1):
        square = rf"\frac{{1}}{{n_{k}}}\sum_{{i \in C_{k}}} {c}(\mathbf{{x}}_i - {MU}_{k})^2"
        q.add(f"variance_{k}", rf"{SIGMA}_{k}^2", scalar(work.variances[k]), square)


def _log_odds(work: NaiveBayesWork, q: Quantities) -> None:
    q.add("odds", r"\frac{\pi}{1 - \pi}", work.odds, "", words="odds of the classes")
    value = Fraction(0) if work.odds == 1 else log(float(work.odds))
    q.add("log_odds", r"\ln(\frac{\pi}{1 - \pi})", value, words="its logarithm")


def _linear(work: NaiveBayesWork, q: Quantities) -> None:
    """w and w_0 of P(Y = 1 | x) = σ(w·[1, x])."""
    own = work.model.shared_variance
    below = rf"{SIGMA}^2" if own else rf"{SIGMA}_0^2"
    numbers = ""
    if work.data.samples.width == 1:
        variance = "<variance>" if own else "<variance_0>"
        numbers = rf"\frac{{<mean_1> - <mean_0>}}{{{variance}}}"
    q.add("w", r"\mathbf{w}", scalar(work.slopes), rf"\frac{{{MU}_1 - {MU}_0}}{{{below}}}", numbers)
    _log_odds(work, q)
    square = r"\sum_j \frac{\mu_{j0}^2 - \mu_{j1}^2}{2 \cdot \sigma_j^2}"
    q.add("constant", square, work.constant, words="the rest of w₀")
    q.add(
        "w_0", "w_0", work.bias, r"\ln(\frac{\pi}{1 - \pi}) + " + square, "<log_odds> + <constant>"
    )


def _quadratic(work: NaiveBayesWork, q: Quantities) -> None:
    """a, b and c of the log odds a·x² + b·x + c."""
    S0, S1 = rf"{SIGMA}_0^2", rf"{SIGMA}_1^2"
    formula = rf"\frac{{1}}{{2{S0}}} - \frac{{1}}{{2{S1}}}"
    words = "1/(2σ₀²) − 1/(2σ₁²), before x²"
    q.add("a", r"\mathbf{a}", scalar(work.quadratic), formula, words=words)
    formula = rf"\frac{{{MU}_1}}{{{S1}}} - \frac{{{MU}_0}}{{{S0}}}"
    words = "μ₁/σ₁² − μ₀/σ₀², before x"
    q.add("b", r"\mathbf{b}", scalar(work.slopes), formula, words=words)
    _log_odds(work, q)
    q.add(
        "spreads",
        r"\sum_j \ln(\frac{\sigma_{j0}}{\sigma_{j1}})",
        work.spreads,
        words="logarithms of the deviations",
    )
    square = (
        r"\sum_j (\frac{\mu_{j0}^2}{2 \cdot \sigma_{j0}^2} - "
        r"\frac{\mu_{j1}^2}{2 \cdot \sigma_{j1}^2})"
    )
    q.add("constant", square, work.constant, words="the squares of the means")
    total = r"\ln(\frac{\pi}{1 - \pi}) + \sum_j \ln(\frac{\sigma_{j0}}{\sigma_{j1}}) + " + square
    numbers = "<log_odds> + <spreads> + <constant>"
    q.add("c", "c", work.bias, total, numbers, words="the sum of the three")


def _many(work: NaiveBayesWork, table: SampleTable, q: Quantities) -> list[Part]:
    """K classes: priors, means, variances, and g_k of the samples."""
    data, labels = work.data, work.data.labels
    for k, label in enumerate(labels, start=1):
        q.add(f"pi_{k}", rf"\pi_{{{k}}}", work.priors[k - 1], words=f"P(class {label})")
    first = list(q)
    q.add("means", rf"{MU}", work.means)
    q.add("variances", rf"{SIGMA}^2", work.variances)
    rows = {"means": work.means, "variances": work.variances}
    titles = {"means": "means of the classes", "variances": "variances of the classes"}
    if work.linear:
        W = np.column_stack([np.zeros(len(labels)), np.zeros(work.means.shape)])
        W[:, 1:] = shown(work.means / work.variances, False)
        half = shown((work.means**2 / work.variances).sum(axis=1) / 2, False)
        W[:, 0] = [log(float(prior)) for prior in work.priors] - half
        q.add("W", "W", W, words="w = μ/σ², w₀ = ln π − ½ Σ μ²/σ²")
        rows["W"], titles["W"] = W, "weights: P(class | x) is the softmax of w·[1, x]"
    matrices: list[Part] = []
    for name, matrix in rows.items():
        columns = ["w₀", *data.names] if name == "W" else data.names
        values = shown(matrix, work.exact)
        matrices.append(MatrixPart(name, titles[name], values, labels, columns, q[name].symbol))
    heads = [
        *data.heads,
        Head(data.names[0] if len(data.names) == 1 else tuple(data.names), r"\mathbf{x}"),
        Head(tuple(f"g_{label}" for label in labels), r"g_k(\mathbf{x})"),
        Head(tuple(f"P_{label}" for label in labels), r"P(C_k|\mathbf{x})"),
        Head("predicted"),
    ]
    title = "the samples, ln P(x, class) and P(class | x)"
    return [
        QuantitiesPart("priors", "the classes", first),
        *matrices,
        SamplesPart("samples", title, table, heads),
    ]
