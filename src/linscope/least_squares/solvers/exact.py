"""Least squares to the last digit: minimise ½ Σ_i c_i ‖y_i − w·[1, x_i]‖² + ½ α‖w_1…d‖².

1. Moments of the rows, one pass. Many well-behaved rows: in floats, and if the proven error is
   small enough, the answer is there. Otherwise in double-double.
2. Cholesky (``cholesky.py``), and a proof of the distance from the solution
   (``inverse_proof.py`` for few columns, else ``proof.py``).
3. If that does not vouch for the last digits, refine: one pass in double-double gives the gradient
   of the current weights, and the factor turns it into a correction,

       v ← v + S Sᵀ g(v),       g(v) = Σ_i c_i (y_i − v·a_i) a_i − Λv,       S = R⁻¹

   with v held in double-double. Each round multiplies the error by about condition·u.
4. Where the rounds do not prove the last digits either and the table is not large: whole numbers
   (``whole_numbers.py``), which also tell dependent columns from nearly dependent ones.

What is proven about the weights as floats goes into the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.arithmetic.double_double import UNIT, UNIT2, Pair
from linscope.engines import Engine, check_rows
from linscope.results import Result, Status
from linscope.rows.pilot import look

from ..verify.facts import TOLERANCE, within
from . import cholesky as equations
from . import refinement
from .inverse_proof import InverseProof
from .moments import Moments, exact_moments, lighter, quick_moments
from .proof import MomentProof
from .qr import factor_by_qr
from .set_aside import without_dependent
from .whole_numbers import WholeFit, affordable, carefully_rounded, rounded, whole_fit

# Up to so many products the moments are taken in double-double without asking.
CHEAP_PRODUCTS = 4_000_000
# Beyond so many columns, QR in floats replaces Cholesky in double-double, which takes seconds.
MOST_EXACT_COLUMNS = 500
# An inverse in double-double is the quickest proof for few columns, and can be had for so many.
FEW_COLUMNS, MOST_INVERTED = 32, 160
# Rounds of refinement before whole numbers.
MOST_TRIED = 4
# Error of the weights, relative to the largest, that makes the moments in floats good enough.
GOOD_ENOUGH = 1e-8
# The same for moments in double-double: nothing but the rounding of the weights is left.
LAST_DIGIT = 2.0**-58
TINY_PRODUCTS = 50_000
# Condition number from which the inverse is corrected by a pass over the rows.
ROUGH_INVERSE = 1e7
# How much larger the objective may be without columns that depend on others up to rounding.
MUCH = 1.5
BEYOND = (
    "a weight is beyond the range of floats: divide large columns, or multiply small ones, by a "
    "power of 2"
)


@dataclass
class State:
    """v in the frame of the moments, what proves weights, the last step and rounds made.

    ``aside`` is the result without the columns that are combinations of others, if there are any.
    """

    moments: Moments
    factor: equations.Factor
    v: Pair
    proof: Any
    path: str
    rounds: int = 0
    last: float = np.inf
    status: Status | None = None
    whole: WholeFit | None = None
    aside: Result | None = None


@dataclass
class LeastSquares:
    """The exact solver.

    Parameters
    ----------
    engine : the rows with their targets (n, targets), or None when there are only moments
    names : of the features, for messages
    moments : start from these; rows that are not given cannot refine the answer
    exponent : weights and alpha were divided by 2^exponent
    """

    engine: Engine | None
    fit_intercept: bool = True
    alpha: float = 0.0
    names: list[str] | None = None
    moments: Moments | None = None
    exponent: int = 0
    task = "least squares"

    def init(self) -> State:
        if self.moments is not None:
            return self._from(self.moments, "moments")
        n, d = self._engine.n_rows, self._engine.n_features
        if n * (1 + d) ** 2 > CHEAP_PRODUCTS and (state := self._quickly()) is not None:
            return state
        if d > MOST_EXACT_COLUMNS:
            return self._by_qr()
        moments = exact_moments(self._engine, centred=self.fit_intercept)
        if not moments.gram.finite():
            self._complain()
        return self._from(moments, "double-double")

    def _quickly(self) -> State | None:
        """From moments in floats, if the bound says that they are good enough."""
        moments = quick_moments(self._engine, centred=self.fit_intercept)
        if not moments.gram.finite():
            check_rows(self._engine, self.names)
            return None
        moments = moments.tamed(self.alpha)
        state = self.if_good_enough(moments)
        if state is None and self._engine.n_features <= MOST_EXACT_COLUMNS:
            return self._without_dependent(moments)
        return state

    def _without_dependent(self, moments: Moments) -> State | None:
        """From moments in floats, if columns are combinations of others."""
        moments = self._in_use(moments)
        aside = without_dependent(self, moments)
        if aside is None:
            return None
        empty: Any = None
        return State(moments, empty, empty, None, "float", status=Status.CONVERGED, aside=aside)

    def if_good_enough(self, moments: Moments) -> State | None:
        """The answer from moments in floats; None if the bound asks for more."""
        factor = equations.factor_quickly(moments, **self._options)
        if factor is None:
            return None
        v = equations.solve(moments, factor)
        state = State(moments, factor, v, self._proof(moments), "float", status=Status.CONVERGED)
        return state if state.proof.settled(v, GOOD_ENOUGH) else None

    def _proof(self, moments: Moments, **more: Any) -> MomentProof:
        return MomentProof(moments, self.fit_intercept, self.alpha, self.engine, **more)

    @property
    def _engine(self) -> Engine:
        assert self.engine is not None
        return self.engine

    def _from(self, moments: Moments, path: str) -> State:
        moments = self._in_use(moments)
        gram, columns = equations.penalised(moments, **self._options)
        factor = equations.factor_exactly(moments, gram, columns, self.alpha)
        v = equations.solve(moments, factor)
        aside = without_dependent(self, moments, factor)
        if aside is not None:
            return State(moments, factor, v, None, path, status=Status.CONVERGED, aside=aside)
        with np.errstate(all="ignore"):
            state = State(moments, factor, v, self._best_proof(moments, gram, factor), path)
            if self._settled(state, state.proof.settled(v, LAST_DIGIT)) or self.engine is None:
                state.status = Status.CONVERGED
        return state

    def _best_proof(self, moments: Moments, gram: Pair, factor: equations.Factor) -> Any:
        """By an inverse in double-double, or by eigenvalues in floats if these are quicker."""
        p, plain = len(factor.kept), None
        if p > FEW_COLUMNS or factor.dependent:
            plain = self._proof(moments)
            if plain.unique or p > MOST_INVERTED or factor.dependent:
                return plain
        proof = InverseProof(moments, gram, factor, **self._options, engine=self.engine)
        return proof if proof.proven else plain or self._proof(moments)

    def _settled(self, state: State, near: bool) -> bool:
        """Is nothing but the rounding of the weights left, if v is as near as can be told?

        In a tiny table that means each weight, however small; else relative to the largest.
        """
        if not near or state.factor.dependent:
            return False
        engine = self.engine
        if engine is None or engine.n_rows * (1 + engine.n_features) ** 2 > TINY_PRODUCTS:
            return True
        W = self._weights(state)
        return bool((state.proof.errors(W) <= 2 * UNIT * np.abs(W)).all())

    def _by_qr(self) -> State:
        """Start at 0; the rounds of refinement do the work."""
        engine = self._engine
        frame = look(engine, everywhere=True, centred=self.fit_intercept).frame
        moments = quick_moments(engine, frame).tamed(self.alpha)
        if not moments.gram.finite():
            self._complain()
        factor = factor_by_qr(engine, moments.frame, **self._options)
        aside = without_dependent(self, moments, factor)
        v = Pair.of(np.zeros((1 + engine.n_features, engine.n_targets)))
        if aside is not None:
            return State(moments, factor, v, None, "QR", status=Status.CONVERGED, aside=aside)
        return State(moments, factor, v, self._proof(moments, closely=True), "QR")

    def _in_use(self, moments: Moments) -> Moments:
        # Without intercept nothing can take up a shift.
        if not self.fit_intercept and moments.frame.shift.any():
            moments = moments.in_frame(moments.frame.unshifted())
        return moments.tamed(self.alpha)

    @property
    def _options(self) -> dict[str, Any]:
        return {"fit_intercept": self.fit_intercept, "alpha": self.alpha}

    def _complain(self) -> None:
        check_rows(self._engine, self.names)
        raise ValueError(
            "the values of X, y or sample_weight span too many powers of ten: divide large "
            "columns by a power of 2"
        )

    def step(self, state: State) -> State:
        """Whole numbers if the table is small enough for them, else one round of refinement."""
        if state.status is not None:
            return state
        done = state.rounds == 0 and self._refined(state)
        if state.factor.condition > ROUGH_INVERSE and (done or state.rounds == 0):
            self._improve_inverse(state)
        if done:
            return state
        if state.rounds == 0:
            state.whole = self._whole()
        if state.whole is not None:
            state.status, state.proof, state.path = Status.CONVERGED, state.whole, "whole numbers"
            return state
        with np.errstate(over="ignore", invalid="ignore"):
            made = refinement.refine(self._engine, state.moments, state.factor, state.v, self.alpha)
        if not made.length < 0.5 * state.last:  # it no longer helps, or left the range of floats
            state.status = Status.CONVERGED
            return state
        state.rounds, state.last, state.v = state.rounds + 1, made.length, made.v
        if made.length <= UNIT2 * made.size:
            state.status = Status.CONVERGED
        return state

    def _refined(self, state: State) -> bool:
        """Whether some rounds end at weights that an inverse proves to the last digit.

        Where there are no whole numbers to turn to, the best that was reached will do.
        """
        proof, start, last = state.proof, state.v, np.inf
        if not isinstance(proof, InverseProof):
            return False
        for state.rounds in range(MOST_TRIED):
            g, near = self._by_rows(state)
            if self._settled(state, near) and self._holds(state):
                state.status = Status.CONVERGED
                return True
            if not proof.far < 0.5 * last:
                break
            state.v, last = refinement.moved(state.factor, state.v, g)[0], proof.far
        if not affordable(self._engine):
            self._by_rows(state)
            state.status = Status.CONVERGED
            return True
        state.v, state.rounds = start, 0
        return False

    def _by_rows(self, state: State) -> tuple[Pair, bool]:
        """The gradient at v by a pass over the rows, and whether it proves the last digit."""
        frame = state.moments.frame
        g, squares = refinement.gradient(self._engine, frame, state.v, self.alpha)
        return g, state.proof.settled_by_rows(state.v, g, squares, LAST_DIGIT)

    def _holds(self, state: State) -> bool:
        """Whether floats can hold the solution."""
        W = self._weights(state)
        return within(state.proof(W), W, TOLERANCE)

    def _whole(self) -> WholeFit | None:
        """In the units of the weights as given, so that ``verify`` finds the very same bounds."""
        # Weights and penalty as they were given: powers of two move no bit.
        engine = self._engine
        if self.exponent:
            engine = engine.derive(lighter, -self.exponent)
        alpha = float(np.ldexp(self.alpha, self.exponent))
        return whole_fit(engine, fit_intercept=self.fit_intercept, alpha=alpha)

    def _improve_inverse(self, state: State) -> None:
        n, p = self._engine.n_rows, len(state.factor.kept)
        if n * p * p <= 25 * CHEAP_PRODUCTS and self.alpha == 0:
            state.factor = refinement.improved(self._engine, state.moments.frame, state.factor)

    def result(self, state: State) -> Result:
        if state.aside is not None:
            return state.aside
        factor, whole = state.factor, state.whole
        if whole is None and np.isfinite(state.last):
            self._settle_again(state)
        W = self._weights(state) if whole is None else self._from_whole(state, whole)
        if not np.isfinite(W).all():
            raise ValueError(BEYOND)
        rss = self._least_squares(state, W)
        if not np.isfinite(rss).all():
            raise ValueError(
                "the squared residuals are beyond the range of floats: divide y by a power of 2"
            )
        unique = state.proof.unique
        details = {
            "moments": state.moments,
            "assess": state.proof,
            "path": state.path,
            "condition": factor.condition_about_means if whole is None else whole.condition,
            "unique": unique,
            "rank": state.proof.rank,
            "dependent": {} if whole is None else whole.dependences(),
            "nearly": self._nearly(state),
            "rss": rss,
            "tss": state.moments.total_squares(centred=self.fit_intercept),
            "inverse_root": equations.inverse_root(state.moments.frame, factor) if unique else None,
        }
        return Result(W, Status.SOLVED, state.rounds, 1, None, details)

    def _settle_again(self, state: State) -> None:
        """v has moved since the proof was made."""
        if isinstance(state.proof, InverseProof):
            self._by_rows(state)
        else:
            state.proof.settled(state.v, 0.0)

    def _nearly(self, state: State) -> dict[int, dict[int, float]]:
        """Columns that depend on others up to rounding, but not to the last bit."""
        found = equations.dependences(state.moments, state.factor)
        if state.whole is None:
            return found
        if len(found) <= state.moments.n_features - state.whole.rank:
            return {}
        exact = state.whole.best.rank.shares
        return {j: parts for j, parts in found.items() if j not in exact}

    def _weights(self, state: State) -> np.ndarray:
        """From moments, (targets, d + 1); columns that were set aside take part by least norm."""
        v = equations.least_norm(state.factor, state.moments, state.v)
        w = state.moments.frame.weights(v).hi.T.copy()
        if not self.fit_intercept:
            w[:, 0] = 0.0
        return w

    def _from_whole(self, state: State, whole: WholeFit) -> np.ndarray:
        """The solution as floats: of several ways to round, the one with the least objective."""
        W = rounded(whole)
        if not np.isfinite(W).all():
            raise ValueError(BEYOND)
        found = whole(W)
        if within(found, W, TOLERANCE):
            return W
        careful = carefully_rounded(whole, W, found.lengths)
        if careful is not None and whole(careful).primal.sum() < found.primal.sum():
            W, found = careful, whole(careful)
        if within(found, W, TOLERANCE) or int((state.factor.kept > 0).sum()) >= whole.rank:
            return W
        # Floats cannot hold the solution. Differences of columns that are rounding are left out
        # unless much would be lost: huge weights that cancel serve nobody.
        aside = self._weights(state)
        return aside if whole(aside).primal.sum() <= MUCH * found.primal.sum() else W

    def _least_squares(self, state: State, W: np.ndarray) -> np.ndarray:
        """Σ c r² of the solution that the weights stand for."""
        if state.whole is not None:
            with np.errstate(over="ignore", under="ignore"):
                return np.ldexp(state.whole.least_squares, -self.exponent)
        with np.errstate(over="ignore", invalid="ignore"):
            return state.proof.residual_squares(state.v, W)
