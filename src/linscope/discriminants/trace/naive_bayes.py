"""The numbers of Gaussian naive Bayes: from class means and variances to P(Y | X).

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
from linscope.tracing.derivation_numbers import shown
from linscope.tracing.fractions import rational

from .classes import ClassSamples, ClassWork

HALF_LOG_TWO_PI = 0.9189385332046727


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
