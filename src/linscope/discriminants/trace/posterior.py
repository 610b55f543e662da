"""The derivation of Gaussian naive Bayes, written down; ``naive_bayes`` has the numbers."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np

from linscope.tracing.derivation_matrices import MatrixPart
from linscope.tracing.derivation_numbers import shown
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .classes import scalar
from .naive_bayes import NaiveBayesWork

MU, SIGMA = r"\boldsymbol{\mu}", r"\boldsymbol{\sigma}"
DIFFERENT = (
    "The classes do not share their variances, so x² does not cancel; with shared_variance=True it "
    "does, and P(Y | x) is that of a logistic regression."
)
SLIDES = (
    "The notes' 1/(1 + exp(w·x)) has the same numbers with the other sign, "
    "w = (μ₀ − μ₁)/σ²: the same probability."
)


def posterior(work: NaiveBayesWork, table: SampleTable, q: Quantities) -> list[Part]:
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
    numbers = "<log_odds> + <spreads> + <constant>"
    q.add("c", "c", work.bias, numbers=numbers, words="the sum of the three")


def _many(work: NaiveBayesWork, table: SampleTable, q: Quantities) -> list[Part]:
    """K classes: priors, means, variances, and g_k of the samples."""
    data, labels = work.data, work.data.labels
    for k, label in enumerate(labels, start=1):
        q.add(f"pi_{k}", rf"\pi_{{{k}}}", work.priors[k - 1], words=f"P(class {label})")
    first = list(q)
    symbols = {"means": MU, "variances": rf"{SIGMA}^2", "W": "W"}
    q.add("means", symbols["means"], work.means)
    q.add("variances", symbols["variances"], work.variances)
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
        matrices.append(MatrixPart(name, titles[name], values, labels, columns, symbols[name]))
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
