"""Support vector machines in the feature space of a kernel."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import Interval, StrOptions, fits_with_callbacks
from linscope.data.tables import TableLike
from linscope.fitting.scores import in_type
from linscope.fitting.training import Fitted, Training, read_training, watched
from linscope.kernels import NAMES, gram, refuse_two_widths, resolve_gamma
from linscope.kernels.tiles import DENSE_BYTES
from linscope.losses import hinge
from linscope.results.caller import warn_caller
from linscope.rows.finite import check_finite
from linscope.rows.threads import one_blas_thread

from ..certificates.kernel_svm import several
from ..solving.all_problems import solve_all
from ..solving.one_problem import FINE, Part
from .live import SVCLive
from .probability import SVCProbability, fit_slope

# Rows on which a kernel function is tried before the fit.
TRIED = 256


class SVC(SVCProbability, SVCLive, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """Kernel support vector machine: minimise ½‖w‖² + C Σ_i c_i ξ_i in feature space.

    The dual problem max Σα_i − ½ ΣΣ α_i α_j y_i y_j K(x_i, x_j) with 0 ≤ α_i ≤ C c_i and
    Σ α_i y_i = 0 is solved by decomposition; the decision is f(x) = Σ α_i y_i K(x_i, x) + b.

    Parameters
    ----------
    C : float
        Price of slack; ``np.inf`` allows none: the hard margin.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable (X, Z) → matrix
        "gaussian" and "polynomial" are other names of "rbf" and "poly".
        The sigmoid is not an inner product for every γ and coef0: then the gap proves nothing.
    gamma : {"scale", "auto"} or float
        "scale" is 1/(d·Var(X)) with the weighted variance.
    sigma : float, optional
        The notes' width, γ = 1/(2σ²), in place of ``gamma``.
    degree, coef0 : of the polynomial (γ x·z + coef0)^degree and sigmoid tanh(γ x·z + coef0)
    tol : float
        Largest violation of the optimality conditions, m(α) − M(α) as in LIBSVM. Small tables are
        solved to rounding, which costs nothing.
    multi_class : {"ovo", "ovr"}
        K classes as pairs, or one against the rest.
    probability : bool
        Whether ``predict_proba`` is there; it takes five more fits, of folds in which copies of a
        sample stay together.
    memory_limit : float, optional
        Bytes for kernel values at a time; by default a quarter of the memory that is available to
        the machine or container, as a power of two. Less memory, same answer.
    class_weight : dict, "balanced" or None
    max_iter : int, optional
        Most steps of each binary problem; a step is a working set of up to 1024 samples.
    random_state : not used; every fit is deterministic

    Attributes
    ----------
    classes_ : the labels, sorted
    support_, support_vectors_, n_support_ : rows with α > 0 in some problem, by class
    dual_coef_ : y_i α_i of the support vectors; with K > 2 as in scikit-learn: pairs (K − 1, n_SV),
        where row b − 1 (or b, if b < a) of a vector of class a is that of the pair with b
    intercept_ : b of each problem; pairs (a, b) are positive for a, as in scikit-learn
    coef_ : the weights, for ``kernel="linear"``
    alphas_, slack_ : arrays (problems, n): α and ξ of every training row
    margin_ : 2/‖w‖ in feature space; an array by problem for K > 2
    certificate_ : objective, proven lower bound, gap; ``verify(X, y)`` checks it
    n_iter_ : steps of each problem
    slope_ : a of P = σ(a f), with ``probability=True``

    Notes
    -----
    Ctrl-C ends a fit with the best answer so far, which is feasible, and a warning that says how
    far it is. ``with linscope.progress():`` shows the steps, and for a long fit about how long it
    will take.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> model = ls.SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=float("inf")).fit(X, y)
    >>> model.predict(X).tolist() == y.tolist(), bool(model.certificate_.verify(X, y))
    (True, True)
    >>> round(model.margin_, 6)
    0.612372
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="right"), Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(NAMES), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "multi_class": [StrOptions({"ovo", "ovr"})],
        "probability": ["boolean"],
        "memory_limit": [Interval(Real, 0, None, closed="neither"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | str = "scale",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        multi_class: str = "ovo",
        probability: bool = False,
        memory_limit: float | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.multi_class = multi_class
        self.probability = probability
        self.memory_limit = memory_limit
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @fits_with_callbacks
    @one_blas_thread()
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on samples X (n, d) with labels y of any kind.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y;
            (n, n) for a precomputed kernel
        y : labels, or a one-hot or ±1 matrix
        sample_weight : array of n weights, optional
            Multiplies C for each sample; rows with weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(
        self, X: TableLike, y: Any, sample_weight: Any = None, keep_log: bool = False
    ) -> Fitted:
        training = self._checked(read_training(self, X, y, sample_weight))
        solved = training._replace(X=dense_if_small(training.X))
        with watched(self, X, y, sys.maxsize):
            parts = solve_all(self, solved, self._gamma, textbook=keep_log)
        self._keep(training, parts)
        if self.probability:
            self.slope_ = fit_slope(self, solved, self._gamma)
            self.certificate_ = replace(self.certificate_, slope=self.slope_)
        return Fitted(training, parts)

    def _checked(self, training: Training) -> Training:
        X = training.X
        check_finite(X, getattr(self, "feature_names_in_", None))
        refuse_two_widths(self.gamma, self.sigma)
        if self.kernel == "precomputed":
            kept = np.delete(np.arange(X.shape[1]), training.ignored)
            if X.shape[0] != len(kept):
                raise ValueError(
                    "a precomputed kernel must be square, one row and column per sample, but X has "
                    f"shape {(X.shape[0] + len(training.ignored), X.shape[1])}"
                )
            X = X[:, kept]
            self._gamma = 1.0
            return training._replace(X=X.toarray() if sp.issparse(X) else X)
        if callable(self.kernel):
            gram(X[:TRIED], kernel=self.kernel)
            self._gamma = 1.0
            return training
        if self.kernel == "linear":  # has no γ
            self._gamma = 1.0
            return training
        weight = training.weight if len(training.weight) else None
        self._gamma = resolve_gamma(self.gamma, dense_if_small(X), weight, sigma=self.sigma)
        return training

    def _keep(self, training: Training, parts: list[Part]) -> None:
        n, dtype = len(training.codes), training.X.dtype
        self.classes_ = training.classes
        self.shape_fit_ = training.X.shape
        beta, slack = _by_row(parts, n)
        kept = np.delete(np.arange(n + len(training.ignored)), training.ignored)
        self.alphas_ = _spread(np.abs(beta), kept, n + len(training.ignored))
        self.slack_ = _spread(slack, kept, n + len(training.ignored))
        support = np.flatnonzero(beta.any(axis=0))
        support = support[np.argsort(training.codes[support], kind="stable")]
        counts = np.bincount(training.codes[support], minlength=len(self.classes_))
        self._rows = [kept if p.problem.rows is None else kept[p.problem.rows] for p in parts]
        self.support_, self.n_support_ = kept[support].astype(np.int32), counts.astype(np.int32)
        precomputed = self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0), dtype) if precomputed else training.X[support]
        sign = -1.0 if self._pairs else 1.0
        bias = np.array([part.bias for part in parts])
        self.intercept_ = in_type(sign * bias, dtype)
        coefficients = sign * beta[:, support]
        if self.kernel == "linear":
            self._coef = in_type(sign * np.vstack([_present(part.w) for part in parts]), dtype)
        if self._pairs:
            coefficients = _compact(coefficients, counts)
        self.dual_coef_ = in_type(coefficients, dtype)
        self._keep_results(parts)

    def _keep_results(self, parts: list[Part]) -> None:
        norms = [_length2(part) for part in parts]
        with np.errstate(divide="ignore"):
            margin = 2.0 / np.sqrt(np.array(norms))
        self.margin_: Any = float(margin[0]) if len(parts) == 1 else margin
        self.n_iter_ = np.array([max(1, part.result.n_iter) for part in parts], dtype=np.int32)
        self.results_ = [part.result for part in parts]
        named = {part.problem.name: part.certificate for part in parts}
        one = len(parts) == 1
        self.certificate_ = parts[0].certificate if one else several(named, self.classes_)
        for part in parts:
            claim = part.certificate
            if not claim.status.ok:
                text = (
                    f"{claim.text}: the optimality conditions are violated by {claim.kkt:.2g} "
                    f"where tol is {claim.tol:g}, and the objective {claim.primal:.6g} "
                    f"{_above(claim.gap)}. {claim.advice}"
                )
                text = text if one else f"{part.problem.name}: {text}"
                warn_caller(text, ConvergenceWarning)

    def _traced_by(self) -> Any:
        from ..trace import STEPS

        return STEPS


def dense_if_small(X: Any) -> Any:
    """A small sparse table as an array, so that its answer is that of the array, bit for bit."""
    small = sp.issparse(X) and X.shape[0] <= FINE and 8 * X.shape[0] * X.shape[1] <= DENSE_BYTES
    return X.toarray() if small else X


def _length2(part: Part) -> float:
    """‖w‖² = βᵀKβ = Σβ(f − b), or that of the weights."""
    with np.errstate(all="ignore"):
        if part.w is not None:
            return float(part.w @ part.w)
        return max(0.0, float((part.problem.y * part.alpha) @ (part.scores - part.bias)))


def _above(gap: float | None) -> str:
    return "has no bound" if gap is None else f"may be {gap:.2g} above its minimum"


def _present(w: np.ndarray | None) -> np.ndarray:
    assert w is not None  # a linear kernel has weights
    return w


def _by_row(parts: list[Part], n: int) -> tuple[np.ndarray, np.ndarray]:
    """β and ξ of all n rows, one row of each matrix per problem."""
    every = np.arange(n)
    rows = [every if p.problem.rows is None else p.problem.rows for p in parts]
    first = np.repeat(n * np.arange(len(parts)), [len(own) for own in rows])
    at = np.concatenate(rows) + first
    y = np.concatenate([p.problem.y for p in parts])
    beta, slack = np.zeros((len(parts), n)), np.zeros((len(parts), n))
    beta.ravel()[at] = y * np.concatenate([p.alpha for p in parts])
    margins = y * np.concatenate([p.scores for p in parts])
    slack.ravel()[at] = hinge.loss(margins)
    return beta, slack


def _spread(values: np.ndarray, kept: np.ndarray, total: int) -> np.ndarray:
    """One column for each row that was given; 0 for those of weight 0."""
    if values.shape[1] == total:
        return values
    out = np.zeros((len(values), total))
    out[:, kept] = values
    return out


def _compact(beta: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """From one row per pair to K − 1 rows: a vector of class a is in K − 1 pairs only.

    The columns are sorted by class, ``counts`` of each.
    """
    out = np.zeros((len(counts) - 1, beta.shape[1]))
    cuts = np.concatenate([[0], np.cumsum(counts)]).tolist()
    own = [slice(i, j) for i, j in pairwise(cuts)]
    for row, (a, b) in zip(beta, combinations(range(len(counts)), 2), strict=True):
        out[b - 1, own[a]] = row[own[a]]
        out[a, own[b]] = row[own[b]]
    return out
