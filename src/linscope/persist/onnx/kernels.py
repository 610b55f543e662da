"""Kernel values, kernel machines and their approximations.

Rows and vectors are brought near 1 by a power of two 2^−k, with γ 4^k in place of γ, so that
squares neither overflow nor vanish. A Gaussian kernel measures from the mean of its vectors:

    ‖x − z‖² = ‖x‖² − 2 x·z + ‖z‖²         where rounding is small against 1/γ, else Σ (x_j − z_j)²

Far from all vectors the first has a large error only where exp(−γ‖x − z‖²) vanishes.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.kernel_approximation import Nystroem

from linscope.kernels import kernel_name
from linscope.kernels.rounding import gaussian_rounding

from . import decisions
from .committees import votes
from .distances import squared_distances
from .graph import Answer, Graph, dense
from .linear import by_sign, by_tie_rule, hyperplanes, linear_svc

KNOWN = ("rbf", "linear", "poly", "sigmoid")
# Rounding of a kernel value beyond which differences are summed.
CANCELS = 1e-13
# Beyond this (in units of the vectors) an rbf kernel is 0, and squares must not overflow.
FAR = 2.0**200
# Vectors whose largest number is between 2^±this are left as they are.
USUAL = 20


class Kernel(NamedTuple):
    """A kernel by name, with the numbers in its formula."""

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def of(self, graph: Graph, x: str, Z: np.ndarray) -> str:
        """K(x, z) for all rows of x and Z, (n, m)."""
        if self.name == "linear":
            return graph.product(x, Z.T)
        k = int(np.frexp(np.abs(Z).max(initial=0.0))[1])
        gamma = self.gamma
        if abs(k) > USUAL:
            Z, gamma = np.ldexp(Z, -k), float(np.ldexp(gamma, 2 * k))
            x = graph("Mul", x, np.array(np.ldexp(1.0, -k)))
        if self.name == "rbf":
            return gaussian(graph, x, Z, gamma)
        product = graph.product(x, gamma * Z.T)
        product = graph("Add", product, np.array(self.coef0))
        return graph("Tanh", product) if self.name == "sigmoid" else self._power(graph, product)

    def _power(self, graph: Graph, t: str) -> str:
        if self.degree == 0:
            return graph("Pow", t, decisions.ZERO)
        power = t
        for _ in range(1, self.degree):
            power = graph("Mul", power, t)
        return power


def formula(model: Any) -> Kernel:
    """The kernel of a fitted machine."""
    name = kernel_name(model.kernel)
    if name not in KNOWN:
        what = "kernel='precomputed'" if name == "precomputed" else "a function as its kernel"
        raise ValueError(
            f"{type(model).__name__} has {what}, which ONNX cannot compute: fit it with one of the "
            f"kernels {', '.join(KNOWN)}"
        )
    return Kernel(name, float(model._gamma or 1.0), int(model.degree), float(model.coef0))


def gaussian(graph: Graph, x: str, Z: np.ndarray, gamma: float) -> str:
    """exp(−γ‖x − z‖²)."""
    x = graph("Clip", x, np.array(-FAR), np.array(FAR))
    centre = Z.mean(axis=0)
    away = Z - centre
    size = gamma * float(np.einsum("ij,ij->i", away, away).max(initial=0.0))
    if gaussian_rounding(size, Z.shape[1]).error <= CANCELS:
        distances = _quick_distances(graph, graph("Sub", x, centre), away)
    else:
        distances = squared_distances(graph, x, Z)
    return graph("Exp", graph("Mul", distances, np.array(-gamma)))


def _quick_distances(graph: Graph, x: str, Z: np.ndarray) -> str:
    norms = graph.reduced("ReduceSum", graph("Mul", x, x))
    out = graph("Add", graph.product(x, -2.0 * Z.T), norms)
    return graph("Max", graph("Add", out, np.einsum("ij,ij->i", Z, Z)), decisions.ZERO)


def svc(graph: Graph, model: Any, x: str) -> Answer:
    count = len(model.classes_)
    pairs = model.multi_class == "ovo" and count > 2
    scores = _svc_scores(graph, model, x, -1.0 if pairs else 1.0)
    answer = by_sign(graph, scores, count, pairs)
    if not model.probability:
        return answer
    # σ(a f) of two classes, softmax(a·scores) of K
    columns = decisions.both(graph, scores) if count == 2 else answer.scores
    logits = graph("Mul", columns, np.array(model.slope_ * (0.5 if count == 2 else 1.0)))
    P = decisions.ordered(graph, decisions.softmax(graph, logits), columns)
    return answer._replace(probabilities=P)


def _svc_scores(graph: Graph, model: Any, x: str, sign: float) -> str:
    """Σ_j c_j K(x, z_j) + b of each problem, positive for the second class of a pair."""
    kernel, bias = formula(model), sign * dense(model.intercept_)
    vectors = dense(model.support_vectors_)
    if kernel.name == "linear":
        return hyperplanes(graph, x, sign * dense(model.coef_), bias)
    if not len(vectors):  # a fit that was stopped at once: all scores are the bias
        return hyperplanes(graph, x, np.zeros((len(bias), model.n_features_in_)), bias)
    coefficients = _by_problem(model) if sign < 0 else dense(model.dual_coef_).T
    sums = graph.product(kernel.of(graph, x, vectors), sign * coefficients)
    return graph("Add", sums, bias)


def _by_problem(model: Any) -> np.ndarray:
    """(m, pairs): a vector of class a has its coefficient against b in row b − 1, of b in row a."""
    stops = np.cumsum(model.n_support_)
    starts, count = stops - model.n_support_, len(model.classes_)
    held, pairs = dense(model.dual_coef_), list(combinations(range(count), 2))
    out = np.zeros((held.shape[1], len(pairs)))
    for column, (a, b) in enumerate(pairs):
        of_a, of_b = slice(starts[a], stops[a]), slice(starts[b], stops[b])
        out[of_a, column] = held[b - 1, of_a]
        out[of_b, column] = held[a, of_b]
    return out


def kernel_perceptron(graph: Graph, model: Any, x: str) -> Answer:
    kernel = formula(model)
    if model.output == "voted":
        one, nothing = float(model.fit_intercept), np.zeros((model.n_features_in_, 1))
        scores = votes(
            graph,
            model,
            lambda support: graph("Add", kernel.of(graph, x, support), np.array(one)),
            lambda committee: graph.product(x, nothing),
        )
        return by_tie_rule(graph, model, scores)
    vectors, bias = dense(model.support_vectors_), dense(model.intercept_)
    if not len(vectors):
        scores = hyperplanes(graph, x, np.zeros((len(bias), model.n_features_in_)), bias)
        return by_tie_rule(graph, model, scores)
    alpha = dense(model.dual_coef_).T
    scores = graph("Add", graph.product(kernel.of(graph, x, vectors), alpha), bias)
    if kernel.name == "rbf" and (bias == 0).any():
        far = _far_signs(graph, x, vectors, kernel.gamma, np.where(bias == 0, alpha, 0.0))
        scores = graph("Where", graph("Equal", scores, decisions.ZERO), far, scores)
    return by_tie_rule(graph, model, scores)


# Σ_j α_j exp(−γ‖x − z_j‖²) has the sign of Σ_j α_j e^(t_j − max t), t_j = γ(2 x·z_j − ‖z_j‖²)
def _far_signs(graph: Graph, x: str, Z: np.ndarray, gamma: float, alpha: np.ndarray) -> str:
    """±1e-300, as linscope has it, for rows so far off that all kernel values vanish."""
    centre = Z.mean(axis=0)
    away = Z - centre
    t = graph.product(graph("Sub", x, centre), 2.0 * gamma * away.T)
    t = graph("Sub", t, gamma * np.einsum("ij,ij->i", away, away))
    e = graph("Exp", graph("Sub", t, graph.reduced("ReduceMax", t)))
    return graph("Mul", graph("Sign", graph.product(e, alpha)), np.array(1e-300))


def approximate_svc(graph: Graph, model: Any, x: str) -> Answer:
    """A linear machine on features that stand for the kernel."""
    if kernel_name(model.kernel) not in KNOWN:
        formula(model)
    write = nystroem if isinstance(model.map_, Nystroem) else random_features
    return linear_svc(graph, model.linear_, write(graph, model.map_, x))


def nystroem(graph: Graph, step: Any, x: str) -> str:
    """Kernel values of some rows times a matrix that makes their kernel an inner product."""
    name = kernel_name(step.kernel)
    if name not in KNOWN or step.kernel_params:
        raise ValueError(
            f"Nystroem(kernel={step.kernel!r}) cannot be written as ONNX: use one of the kernels "
            f"{', '.join(KNOWN)} with gamma, degree and coef0"
        )
    Z = dense(step.components_)
    kernel = Kernel(
        name,
        1.0 / Z.shape[1] if step.gamma is None else float(step.gamma),
        3 if step.degree is None else int(step.degree),
        1.0 if step.coef0 is None else float(step.coef0),
    )
    return graph.product(kernel.of(graph, x, Z), dense(step.normalization_).T)


# √(2/m) cos(w·x + b)
def random_features(graph: Graph, step: Any, x: str) -> str:
    """Random Fourier features of a Gaussian kernel."""
    angles = graph.product(x, dense(step.random_weights_))
    waves = graph("Cos", graph("Add", angles, dense(step.random_offset_)))
    return graph("Mul", waves, np.array((2.0 / step.n_components) ** 0.5))
