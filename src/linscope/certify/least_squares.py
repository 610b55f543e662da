"""What a least-squares fit can prove: how far each weight is from the exact solution.

At the solution the residuals r = y − w·[1, x] are orthogonal to every column, Aᵀr = 0. At weights
nearby, the gradient g = Aᵀ C r − αw tells the way to the solution: (AᵀCA + αP)⁻¹ g is the error of
the weights, up to the rounding of g. ``verify`` takes g in double-double from the data alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..data import check_finite, to_matrix
from ..data.double_double import UNIT, Pair
from ..results import Certificate, Check, Status
from ..solvers import normal_equations as equations
from ..solvers import original_units as units
from ..solvers import refinement
from ..solvers.driver import run
from ..solvers.least_squares import CHEAP_PRODUCTS, MOST_EXACT_COLUMNS, scaled_weight, solver_for
from ..solvers.moments import Moments, exact_moments, quick_moments, weight_exponent

# Room for the rounding of the claims themselves.
SLACK = 1.02
# Residuals and norms are claimed to this, relatively.
SAME = 1e-8
MOST_ROUNDS = 20


class Assessment(NamedTuple):
    """What the data say about some weights; arrays (targets, d + 1), or (targets,) for rss.

    ``distance`` is how far each weight is from the solution, give or take ``doubt``; None where
    the solution is not unique, or the problem too large to tell. ``excess`` is by how much the
    penalised sum of squares is above its minimum.
    """

    distance: np.ndarray | None
    doubt: np.ndarray | None
    rss: np.ndarray
    excess: np.ndarray
    backward_error: float
    condition: float | None
    rank: int | None

    @property
    def error(self) -> np.ndarray | None:
        """The distance at most."""
        return None if self.distance is None else self.distance + self.doubt


def assess(
    X: Any, Y: np.ndarray, weight: np.ndarray, w: np.ndarray, *, fit_intercept: bool, alpha: float
) -> Assessment:
    """How far weights w (targets, d + 1) are from the least-squares solution, from the data."""
    d = X.shape[1]
    if d > MOST_EXACT_COLUMNS:
        return _assess_by_residual(X, Y, weight, w, fit_intercept, alpha)
    moments, factor = _factored(X, Y, weight, fit_intercept, alpha)
    frame, kept = moments.frame, factor.kept
    v = units.into_frame(frame, Pair.of(w.T))
    pull = np.ldexp(alpha, 2 * frame.exponent[frame.features])
    with np.errstate(over="ignore", invalid="ignore"):
        g, squares = refinement.gradient(X, Y, weight, frame, v, alpha)
        distance = doubt = None
        excess = ((factor.inverse_root.T @ g.hi[kept]) ** 2).sum(axis=0)
        if not factor.dependent:
            distance, doubt = _distance(X, Y, weight, moments, factor, v, alpha)
    together = squares + pull @ v.hi[1:] ** 2
    backward = equations.backward_error(
        g.hi[kept], factor.norms, v.hi[kept], together, equations.target_norms(moments)
    )
    rss, excess = (np.ldexp(s, -2 * frame.exponent[frame.targets]) for s in (squares, excess))
    rank = int((kept > 0).sum())
    return Assessment(distance, doubt, rss, excess, backward, factor.condition, rank)


def _distance(X, Y, weight, moments, factor, v, alpha) -> tuple[np.ndarray, np.ndarray]:
    """How far v is from the solution, in original units: refine until it stays, and compare."""
    frame, here, last, error = moments.frame, v, np.inf, np.full((len(factor.kept), 1), np.inf)
    for _ in range(MOST_ROUNDS):
        made = refinement.refine(X, Y, weight, moments, factor, here, alpha)
        if not made.length < 0.5 * last:
            break
        here, last, error = made.v, made.length, made.error
        way = np.abs(here.plus(v.times(-1.0)).hi[factor.kept])
        if (error <= 0.005 * way).all():
            break
    way = np.abs(units.difference(frame, here, v))
    doubt = units.errors(frame, factor, error, Pair.of(np.zeros_like(v.hi)))
    return way.T, doubt.T


def _factored(X, Y, weight, fit_intercept, alpha) -> tuple[Moments, equations.Factor]:
    n, d = X.shape
    options = {"fit_intercept": fit_intercept, "alpha": alpha}
    if n * (1 + d) ** 2 > CHEAP_PRODUCTS:
        moments = quick_moments(X, Y, weight, centred=fit_intercept).tamed(alpha)
        factor = equations.factor_quickly(moments, **options)
        # The inverse must be right to some digits only: it turns a gradient into a distance.
        if factor is not None and factor.condition < 1e6:
            return moments, factor
    moments = exact_moments(X, Y, weight, centred=fit_intercept).tamed(alpha)
    return moments, equations.factor_exactly(moments, **options)


def _assess_by_residual(X, Y, weight, w, fit_intercept, alpha) -> Assessment:
    """In floats, without a factor: residuals and their angles with the columns."""
    c = weight if len(weight) else np.ones(len(Y))
    mean = (X.T @ c) / c.sum() * float(fit_intercept)
    slopes, residual = w[:, 1:].T, Y - X @ w[:, 1:].T - w[:, 0]
    weighted = c[:, None] * residual
    g = X.T @ weighted - np.outer(mean, weighted.sum(axis=0)) - alpha * slopes
    squared = X.multiply(X) if hasattr(X, "multiply") else X * X
    norms = np.sqrt(np.maximum(np.ravel(squared.T @ c) - mean**2 * c.sum(), 0.0) + alpha)
    centre = (c @ Y) / c.sum() * float(fit_intercept)
    targets = np.sqrt(c @ (Y - centre) ** 2)
    rss = c @ residual**2
    squares = rss + alpha * (slopes**2).sum(axis=0)
    level = np.abs(weighted.sum(axis=0)) / np.sqrt(c.sum()) if fit_intercept else np.zeros(len(rss))
    backward = equations.backward_error(
        np.vstack([level, g]), np.r_[1.0, norms], np.vstack([0 * level, slopes]), squares, targets
    )
    return Assessment(None, None, rss, 0 * rss, backward, None, None)


def _lengths(A: Any, c: np.ndarray) -> np.ndarray:
    """√Σ c a² of each column, without overflow."""
    top = np.ravel(abs(A).max(axis=0).toarray() if sparse.issparse(A) else np.abs(A).max(axis=0))
    exponent = np.frexp(top.astype(np.float64))[1]
    if sparse.issparse(A):
        part = A.astype(np.float64).tocsr()
        part.data = np.ldexp(part.data, -exponent[part.indices])
        squares = np.ravel(part.multiply(part).T @ c)
    else:
        squares = c @ np.ldexp(np.asarray(A, dtype=np.float64), -exponent) ** 2
    return np.ldexp(np.sqrt(squares), exponent)


@dataclass(frozen=True, kw_only=True, repr=False)
class LeastSquaresCertificate(Certificate):
    """Claim about the weights of a least-squares fit.

    Attributes
    ----------
    weights : array (targets, d + 1) in float64, bias first (0 without intercept)
    error : |weight − exact solution| is at most this, for each weight; None: not claimed
    rss : residual sum of squares of each target
    alpha : strength of the ridge penalty
    condition : condition number of the columns, scaled to length 1 about their means
    rank : how many independent columns were found (None: not determined)
    dependent : sentences that name dependent columns
    least_norm : whether w is claimed to be the shortest of all solutions
    weighted : whether the fit had sample weights, which ``verify`` then needs
    how : what the solver did
    """

    weights: np.ndarray
    rss: np.ndarray
    alpha: float = 0.0
    error: np.ndarray | None = None
    condition: float | None = None
    rank: int | None = None
    dependent: list[str] = field(default_factory=list)
    least_norm: bool = False
    fit_intercept: bool = True
    weighted: bool = False
    how: str = ""

    @property
    def digits(self) -> float | None:
        """Correct decimal digits of every weight, as vouched for; None if nothing is claimed.

        A weight that is 0 counts by its error alone.
        """
        if self.error is None:
            return None
        used = slice(0 if self.fit_intercept else 1, None)
        w, error = np.abs(self.weights[:, used]), self.error[:, used]
        relative = np.where(w > 0, error / np.where(w > 0, w, 1.0), error)
        worst = float(relative.max(initial=0.0))
        return 17.0 if worst == 0 else float(np.clip(-np.log10(worst), 0.0, 17.0))

    @property
    def advice(self) -> str:
        if self.status is Status.MAX_ITER:
            return "Raise max_iter, average the iterates, or use solver='exact'."
        return super().advice

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        if self.digits is not None:
            facts["digits of every weight, at least"] = f"{self.digits:.1f}"
        facts["backward error, at most"] = self.backward_error
        if self.condition is not None:
            facts["condition number"] = self.condition
        if self.dependent:
            facts["dependent columns"] = "; ".join(self.dependent)
        penalty = " (without the penalty)" if self.alpha > 0 else ""
        facts[f"residual sum of squares{penalty}"] = (
            float(self.rss[0]) if len(self.rss) == 1 else self.rss
        )
        facts["how"] = self.how
        return facts

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute the claim from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any
        """
        try:
            return self._check(X, y, sample_weight)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y, sample_weight) -> Check:
        X, Y, weight = self._data(X, y, sample_weight)
        if not np.isfinite(self.weights).all():
            return Check(False, "the weights are not finite")
        if not self.fit_intercept and self.weights[:, 0].any():
            return Check(False, "a model without intercept has a bias")
        e, alpha = weight_exponent(weight), self.alpha
        if e:
            weight, alpha = scaled_weight(weight, alpha, e)
        options: dict[str, Any] = {"fit_intercept": self.fit_intercept, "alpha": alpha}
        found = assess(X, Y, weight, self.weights, **options)
        found = found._replace(rss=np.ldexp(found.rss, e), excess=np.ldexp(found.excess, e))
        same = self._same_squares(found, np.ldexp(self._size(X, Y, weight), e // 2))
        if not same.all():
            k = int(np.argmin(same))
            return Check(
                False, f"the residual sum of squares is {found.rss[k]:.9g}, not {self.rss[k]:.9g}"
            )
        if self.rank is not None and found.rank is not None and self.rank != found.rank:
            return Check(False, f"{found.rank} columns are independent, not {self.rank}")
        if self.error is not None and found.distance is not None:
            return self._compare(found)
        claimed = self.backward_error
        if claimed is None or not found.backward_error <= 4 * claimed + 1e-14:
            return Check(
                False,
                f"the backward error is {found.backward_error:.2g}, not {claimed or 0.0:.2g}",
            )
        if self.least_norm:
            return self._shortest(X, Y, weight, options)
        return Check(True, f"the backward error is {found.backward_error:.2g}")

    def _same_squares(self, found: Assessment, size: np.ndarray) -> np.ndarray:
        """The claim may be about the weights as rounded, or about the solution they stand for."""
        rounded, exact = found.rss - self.rss, found.rss - found.excess - self.rss
        apart = np.minimum(np.abs(rounded), np.abs(exact))
        # Rounding the weights moves r by no more than u(|y| + Σ|x_j w_j|).
        moved = 8 * UNIT * size
        with np.errstate(over="ignore"):
            allowed = moved * (np.sqrt(self.rss) + moved)
        return apart <= SAME * self.rss + allowed

    def _size(self, X, Y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """‖y‖ + Σ_j ‖x_j w_j‖ with the bias, for each target."""
        c = weight if len(weight) else np.ones(len(Y))
        size = _lengths(Y, c) + np.abs(self.weights[:, 0]) * np.sqrt(c.sum())
        return size + np.abs(self.weights[:, 1:]) @ _lengths(X, c)

    def _data(self, X, y, sample_weight):
        matrix, names = to_matrix(X)
        Y = np.asarray(y, dtype=np.float64)
        if Y.ndim == 0 or len(Y) != matrix.shape[0]:
            raise ValueError(f"X has {matrix.shape[0]} rows, y has {Y.size} entries")
        Y = Y.reshape(len(Y), -1)
        expected = self.weights.shape
        if (Y.shape[1], matrix.shape[1] + 1) != expected:
            raise ValueError(
                f"{matrix.shape[1]} features and {Y.shape[1]} targets, expected "
                f"{expected[1] - 1} and {expected[0]}"
            )
        check_finite(matrix, names)
        check_finite(Y, name="y")
        if sample_weight is None:
            if self.weighted:
                raise ValueError("the fit used sample weights: pass sample_weight")
            return matrix, Y, np.zeros(0)
        weight = np.asarray(sample_weight, dtype=np.float64)
        keep = np.flatnonzero(weight)
        if len(keep) < len(weight):
            matrix, Y, weight = matrix[keep], Y[keep], weight[keep]
        return matrix, Y, weight

    def _compare(self, found: Assessment) -> Check:
        assert self.error is not None
        assert found.distance is not None
        assert found.doubt is not None
        over = found.distance > SLACK * self.error + found.doubt
        if over.any():
            t, j = np.argwhere(over)[0]
            what = "the intercept" if j == 0 else f"the weight of feature {j - 1}"
            return Check(
                False,
                f"{what} is {found.distance[t, j]:.2g} from the solution, more than the "
                f"{self.error[t, j]:.2g} that was claimed",
            )
        return Check(True, f"every weight is within its claimed error ({self.digits:.1f} digits)")

    def _shortest(self, X, Y, weight, options) -> Check:
        fresh = run(solver_for(X, Y, weight, **options), MOST_ROUNDS)
        both = [w[:, 1:].T for w in (self.weights, fresh.weights)]
        lengths = [_lengths(w, np.ones(len(w))) for w in both]
        if (lengths[0] > (1 + SAME) * lengths[1]).any():
            return Check(False, "there is a solution of smaller norm")
        return Check(True, "residuals orthogonal to the columns, and no solution is shorter")


def sentences(dependent: dict[int, dict[int, float]], names: list[str]) -> list[str]:
    """Dependent columns in words.

    >>> sentences({2: {0: 2.0, -1: 1.0}}, ["a", "b", "c"])
    ['c = 1 + 2·a']
    """
    lines = []
    for j, parts in dependent.items():
        others = [k for k in parts if k >= 0]
        if not others:
            lines.append(f"{names[j]} is constant")
        elif len(others) > 4:
            lines.append(f"{names[j]} is a combination of {len(others)} other columns")
        else:
            terms = [f"{parts[-1]:.6g}"] if -1 in parts else []
            for k in sorted(others):
                sign, size = ("−" if parts[k] < 0 else "+"), abs(parts[k])
                factor = "" if round(size, 9) == 1 else f"{size:.6g}·"
                lead = f" {sign} " if terms else ("−" if sign == "−" else "")
                terms.append(f"{lead}{factor}{names[k]}")
            lines.append(f"{names[j]} = {''.join(terms)}".replace("= -", "= −"))
    return lines


def certificate_of(result, *, names, alpha, fit_intercept, weighted) -> LeastSquaresCertificate:
    """The certificate of an exact solver's result."""
    details = result.details
    rss = details["rss"]
    penalty = alpha * (result.weights[:, 1:] ** 2).sum(axis=1) if alpha > 0 else 0.0
    return LeastSquaresCertificate(
        status=result.status,
        primal=float(0.5 * np.sum(rss + penalty)),
        backward_error=details["backward_error"],
        weights=result.weights,
        rss=rss,
        alpha=alpha,
        error=details["error"],
        condition=details["condition"],
        rank=details["rank"],
        dependent=sentences(details["dependent"], names),
        least_norm=result.status is Status.RANK_DEFICIENT,
        fit_intercept=fit_intercept,
        weighted=weighted,
        how=_how(details["path"], result.n_iter),
    )


HOW = {
    "float": "moments in floats, which the bound says is enough; Cholesky",
    "double-double": "moments and Cholesky in double-double",
    "moments": "Cholesky in double-double of the given moments",
    "QR": "QR in floats",
    "fractions": "rational arithmetic",
    "rows": "Cholesky of the n × n side",
    "LSMR": "LSMR, products only",
}


def _how(path: str, rounds: int) -> str:
    if path in ("float", "fractions", "rows", "LSMR") or rounds == 0:
        return HOW[path]
    return f"{HOW[path]}; refined in {rounds} round{'s' * (rounds > 1)}"
