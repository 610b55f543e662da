"""Least squares to the last digit: minimise ½ Σ_i c_i ‖y_i − w·[1, x_i]‖² + ½ α‖w_1…d‖².

1. Moments of the rows, one pass. Many well-behaved rows: in floats, and if the error bound says
   that this is enough, the answer is there. Otherwise in double-double.
2. Cholesky (``normal_equations.py``), dependent columns set aside.
3. While the bound asks for it, refine: one pass in double-double gives the gradient of the current
   weights, and the factor turns it into a correction,

       v ← v + S Sᵀ g(v),       g(v) = Σ_i c_i (y_i − v·a_i) a_i − Λv,       S = R⁻¹

   with v held in double-double. Each round multiplies the error by about condition·u.
4. A small table so ill-conditioned that double-double cannot vouch for every digit is solved in
   rational arithmetic.

The error bound of each weight goes into the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..data import check_finite
from ..data.double_double import UNIT, Pair
from ..results import Result, Status
from . import normal_equations as equations
from . import original_units as units
from . import refinement
from .driver import run
from .iterative_least_squares import IterativeLeastSquares, too_large
from .moments import NO_WEIGHT, Moments, exact_moments, pilot, quick_moments, weight_exponent
from .qr import factor_by_qr
from .rational_least_squares import WORTH_FRACTIONS, rational_least_squares
from .wide_least_squares import WideLeastSquares

# Up to so many products the moments are taken in double-double without asking.
CHEAP_PRODUCTS = 4_000_000
# Beyond so many columns, QR in floats replaces Cholesky in double-double, which takes seconds.
MOST_EXACT_COLUMNS = 500
# Error of the weights, relative to the largest, that makes the moments in floats good enough.
GOOD_ENOUGH = 1e-10
# Condition number from which the inverse is corrected by a pass over the rows.
ROUGH_INVERSE = 1e7
# Below SMALL the rounding of a double-double is not relative any more; LEAST is twice the spacing.
SMALL, LEAST = 2.0**-960, 2.0**-1073
BEYOND = (
    "a weight is beyond the range of floats: divide large columns, or multiply small ones, by a "
    "power of 2"
)


@dataclass
class State:
    """v in the frame of the moments, a bound on its error, the last step and rounds made."""

    moments: Moments
    factor: equations.Factor
    v: Pair
    error: np.ndarray
    path: str
    rounds: int = 0
    last: float = np.inf
    status: Status | None = None
    exact: Pair | None = None  # weights in original units, rounded once
    exact_rss: list[Fraction] | None = None


@dataclass
class LeastSquares:
    """The exact solver.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d), or None when there are only moments
    Y : float array (n, targets)
    weight : n positive weights, or an empty array
    names : of the features, for messages
    moments : start from these; rows that are not given cannot refine the answer
    """

    X: Any
    Y: Any
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    fit_intercept: bool = True
    alpha: float = 0.0
    names: list[str] | None = None
    moments: Moments | None = None
    task = "least squares"

    def init(self) -> State:
        if self.moments is not None:
            return self._from(self.moments, "moments")
        n, d = self.X.shape
        if n * (1 + d) ** 2 > CHEAP_PRODUCTS and (state := self._quickly()) is not None:
            return state
        if d > MOST_EXACT_COLUMNS:
            return self._by_qr()
        moments = exact_moments(self.X, self.Y, self.weight, centred=self.fit_intercept)
        if not moments.gram.finite():
            self._complain()
        return self._from(moments, "double-double")

    def _quickly(self) -> State | None:
        """From moments in floats, if the bound says that they are good enough."""
        moments = quick_moments(self.X, self.Y, self.weight, centred=self.fit_intercept)
        if not moments.gram.finite():
            check_finite(self.X, self.names)
            check_finite(self.Y, name="y")
            return None
        return self.if_good_enough(moments.tamed(self.alpha))

    def if_good_enough(self, moments: Moments) -> State | None:
        """The answer from moments in floats; None if the bound asks for more."""
        factor = equations.factor_quickly(moments, **self._options)
        if factor is None:
            return None
        v = equations.solve(moments, factor)
        error = equations.bound(moments, factor, v)
        size = (factor.norms[:, None] * np.abs(v.hi[factor.kept])).max(axis=0)
        if (factor.norms[:, None] * error > GOOD_ENOUGH * size).any():
            return None
        return State(moments, factor, v, error, "float", status=Status.CONVERGED)

    def _from(self, moments: Moments, path: str) -> State:
        moments = self._in_use(moments)
        factor = equations.factor_exactly(moments, **self._options)
        v = equations.solve(moments, factor)
        state = State(moments, factor, v, equations.bound(moments, factor, v), path)
        if self.X is None or _last_digit(state):
            state.status = Status.CONVERGED
        return state

    def _by_qr(self) -> State:
        """Start at 0; the rounds of refinement do the work."""
        frame = pilot(self.X, self.Y, rows=None, centred=self.fit_intercept).frame
        moments = quick_moments(self.X, self.Y, self.weight, frame).tamed(self.alpha)
        if not moments.gram.finite():
            self._complain()
        factor = factor_by_qr(self.X, self.weight, moments.frame, **self._options)
        v = Pair.of(np.zeros((1 + self.X.shape[1], self.Y.shape[1])))
        return State(moments, factor, v, np.full((len(factor.kept), v.hi.shape[1]), np.inf), "QR")

    def _in_use(self, moments: Moments) -> Moments:
        # Without intercept nothing can take up a shift.
        if not self.fit_intercept and moments.frame.shift.any():
            moments = moments.in_frame(moments.frame.unshifted())
        return moments.tamed(self.alpha)

    @property
    def _options(self) -> dict[str, Any]:
        return {"fit_intercept": self.fit_intercept, "alpha": self.alpha}

    def _complain(self) -> None:
        check_finite(self.X, self.names)
        check_finite(self.Y, name="y")
        raise ValueError(
            "the values of X, y or sample_weight span too many powers of ten: divide large "
            "columns by a power of 2"
        )

    def step(self, state: State) -> State:
        """One round of refinement."""
        if state.status is not None:
            return state
        if state.rounds == 0 and state.factor.condition > ROUGH_INVERSE:
            self._improve_inverse(state)
        with np.errstate(over="ignore", invalid="ignore"):
            made = refinement.refine(
                self.X, self.Y, self.weight, state.moments, state.factor, state.v, self.alpha
            )
        if not made.length < 0.5 * state.last:  # it no longer helps, or left the range of floats
            return self._settle(state)
        state.rounds, state.last = state.rounds + 1, made.length
        state.v, state.error = made.v, made.error
        return self._settle(state) if _last_digit(state) else state

    def _improve_inverse(self, state: State) -> None:
        n, p = self.X.shape[0], len(state.factor.kept)
        if n * p * p <= 25 * CHEAP_PRODUCTS and self.alpha == 0:
            state.factor = refinement.improved(
                self.X, self.weight, state.moments.frame, state.factor
            )

    def _settle(self, state: State) -> State:
        """Done; in fractions, if nothing less vouches for every digit and the table is small."""
        state.status = Status.CONVERGED
        n, d = self.X.shape
        if _last_digit(state) or state.factor.dependent or n * (1 + d) ** 2 > WORTH_FRACTIONS:
            return state
        fit = rational_least_squares(self.X, self.Y, self.weight, **self._options)
        if fit is not None:
            state.exact, state.exact_rss = self._rounded(fit.weights), fit.rss
            state.v = units.into_frame(state.moments.frame, state.exact)
            state.error = np.zeros_like(state.error)
            state.path = "fractions"
        return state

    @staticmethod
    def _rounded(weights: np.ndarray) -> Pair:
        try:
            return Pair.of_fractions(weights)
        except OverflowError:
            raise ValueError(BEYOND) from None

    def result(self, state: State) -> Result:
        frame, factor = state.moments.frame, state.factor
        v = equations.least_norm(factor, state.moments, state.v)
        w = units.weights(frame, v) if state.exact is None else state.exact
        if not self.fit_intercept:
            w.hi[0], w.lo[0] = 0.0, 0.0
        if not np.isfinite(w.hi).all():
            raise ValueError(BEYOND)
        squares = self._residual_squares(state, v)
        with np.errstate(over="ignore"):
            rss = np.ldexp(squares, -2 * frame.exponent[frame.targets])
        if not np.isfinite(rss).all():
            raise ValueError(
                "the squared residuals are beyond the range of floats: divide y by a power of 2"
            )
        error = units.errors(frame, factor, state.error, w)
        if state.exact is not None:
            error = units.rounding(w)
        # Numbers near the end of the range of floats are spaced evenly.
        error = np.where(np.abs(w.hi) < SMALL, error + LEAST, error).T
        details = {
            "moments": state.moments,
            "backward_error": self._backward_error(state, v, w, squares),
            "path": state.path,
            "condition": factor.condition,
            "rank": int((factor.kept > 0).sum()),
            "dependent": units.dependences(state.moments, factor),
            "error": None if factor.dependent else error,
            "rss": rss,
            "tss": units.total_squares(state.moments, centred=self.fit_intercept),
            "inverse_root": units.inverse_root(frame, factor),
        }
        status = Status.RANK_DEFICIENT if factor.dependent else Status.SOLVED
        return Result(w.hi.T.copy(), status, state.rounds, 1, None, details)

    def _backward_error(self, state: State, v: Pair, w: Pair, squares: np.ndarray) -> float:
        """At the weights as rounded, with what the sums may hide."""
        if state.path == "float":
            return state.moments.rounding * len(state.factor.kept)
        kept = state.factor.kept
        v = units.into_frame(state.moments.frame, Pair.of(w.hi))
        if state.moments.rounding < UNIT:
            squares, _ = equations.residual_squares(state.moments, v)
        g = equations.gradient(state.moments, v, self.alpha).hi[kept]
        pull = np.ldexp(self.alpha, 2 * state.moments.frame.exponent[state.moments.frame.features])
        squares = squares + pull @ v.hi[1:] ** 2
        norms, targets = state.factor.norms, equations.target_norms(state.moments)
        found = equations.backward_error(g, norms, v.hi[kept], squares, targets)
        return max(found, state.moments.rounding)

    def _residual_squares(self, state: State, v: Pair) -> np.ndarray:
        """Σ c r² in the frame: from the moments, or by a pass where they cannot tell."""
        frame = state.moments.frame
        if state.exact_rss is not None:
            back = frame.exponent[frame.targets].tolist()
            exact = zip(state.exact_rss, back, strict=True)
            return np.array([float(r * Fraction(4) ** k) for r, k in exact])
        rss, error = equations.residual_squares(state.moments, v)
        trusted = 1e-10 if state.path == "float" else 1e-15
        if self.X is not None and (error > trusted * rss).any():
            with np.errstate(over="ignore", invalid="ignore"):
                _, squares = refinement.gradient(self.X, self.Y, self.weight, frame, v, 0.0)
            rss = np.where(np.isfinite(squares), squares, rss)
        return rss


def _last_digit(state: State) -> bool:
    """Does the bound leave nothing but the rounding of each weight?"""
    w = units.weights(state.moments.frame, state.v)
    used = state.factor.kept
    with np.errstate(invalid="ignore"):
        error = units.errors(state.moments.frame, state.factor, state.error, w) - np.abs(w.lo)
        return bool((error[used] <= 0.25 * UNIT * np.abs(w.hi[used])).all())


def solve_exactly(
    X: Any, Y: np.ndarray, weight: np.ndarray, *, alpha: float, most_rounds: int, **options: Any
) -> Result:
    """Run ``solver_for``; weights far from 1 are divided by a power of two, 2^e, and alpha too.

    Σ c r² and α are then 2^e times, the inverse 2^−e times what was found.
    """
    e = weight_exponent(weight)
    if e == 0:
        return run(solver_for(X, Y, weight, alpha=alpha, **options), most_rounds)
    weight, alpha = scaled_weight(weight, alpha, e)
    result = run(solver_for(X, Y, weight, alpha=alpha, **options), most_rounds)
    details = dict(result.details)
    with np.errstate(over="ignore"):
        for name in ("rss", "tss"):
            details[name] = np.ldexp(details[name], e)
        if details["inverse_root"] is not None:
            details["inverse_root"] = np.ldexp(details["inverse_root"], -(e // 2))
    # In the units of the weights the moments would lose digits.
    details["moments"] = None
    return replace(result, details=details)


def scaled_weight(weight: np.ndarray, alpha: float, e: int) -> tuple[np.ndarray, float]:
    """Both divided by 2^e."""
    with np.errstate(over="ignore", under="ignore"):
        alpha, weight = float(np.ldexp(alpha, -e)), np.ldexp(weight, -e)
    if not np.isfinite(alpha):
        raise ValueError("alpha is too large for such small sample_weight: multiply the weights")
    return weight, alpha


def solver_for(
    X: Any,
    Y: np.ndarray,
    weight: np.ndarray,
    *,
    fit_intercept: bool,
    alpha: float,
    names: list[str] | None = None,
) -> LeastSquares | WideLeastSquares | IterativeLeastSquares:
    """The exact solver that suits the shape of the table."""
    n, d = X.shape
    kind: Any = LeastSquares
    if too_large(X):
        kind = IterativeLeastSquares
    elif n <= d and d > MOST_EXACT_COLUMNS:
        kind = WideLeastSquares
    return kind(X, Y, weight, fit_intercept, alpha, names)
