"""Sequential minimal optimisation in fractions: the pairs of the fit, moved without rounding.

    t = min((g_j − g_i)/η, u_i − β_i, β_j − l_j)        η = K_ii + K_jj − 2K_ij,  g = Kβ − y

Linear and polynomial kernels of fractions are fractions. A float is read as its shortest decimal,
so 0.1 is 1/10. Nothing is shared with the solver but which pair moves when.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linscope.tracing.fractions import (
    LONGEST_RUN,
    column,
    dot,
    exact_weights,
    fractions,
    rational,
)
from linscope.tracing.replay import Window

from .replay import BIAS, EXTRA, Pairs, SmoReplay

# Fractions grow with every step: digits of all numbers that a run writes down.
MOST_DIGITS = 25_000_000
INFINITY = float("inf")


def check_exact(estimator: Any, exact: bool) -> None:
    """Refuse what has no fractions, before any work."""
    kernel = estimator.kernel
    if exact and (kernel not in ("linear", "poly") or estimator.sigma is not None):
        named = repr(kernel) if isinstance(kernel, str) else "a function"
        raise ValueError(
            "exact=True needs kernel values that are fractions: kernel='linear' or kernel='poly', "
            f"but the kernel is {named}"
        )


def exact_replays(model: Any, replays: list[SmoReplay], y: Any, sample_weight: Any) -> list[Any]:
    """The same problems, run again in fractions."""
    given = exact_weights(model, y, sample_weight)
    kept = np.unique(np.concatenate([replay.row_numbers for replay in replays]))
    tables = {int(row): x for replay in replays for row, x in _rows(replay)}
    gamma = _gamma(model, [tables[row] for row in kept.tolist()], given, kept)
    out = []
    for replay in replays:
        rows = replay.row_numbers.tolist()
        c = [Fraction(1) if given is None else given[row] for row in rows]
        out.append(ExactReplay(model, replay, [tables[row] for row in rows], c, gamma))
    return out


def _rows(replay: SmoReplay) -> Any:
    X = replay.X if isinstance(replay.X, np.ndarray) else replay.X.toarray()
    return zip(replay.row_numbers.tolist(), fractions(X).tolist(), strict=True)


def _gamma(model: Any, rows: list[list[Fraction]], given: Any, kept: np.ndarray) -> Fraction:
    """γ as a fraction; "scale" is 1/(d·Var) over all numbers of the table, 1 if they are equal."""
    d = len(rows[0])
    if model.kernel == "linear":
        return Fraction(1)
    if not isinstance(model.gamma, str):
        return rational(model.gamma)
    if model.gamma == "auto":
        return Fraction(1, d)
    c = [Fraction(1) if given is None else given[row] for row in kept.tolist()]
    pairs, total = list(zip(c, rows, strict=True)), d * sum(c, Fraction(0))
    mean = sum((weight * sum(x) for weight, x in pairs), Fraction(0)) / total
    squares = (weight * sum((v - mean) ** 2 for v in x) for weight, x in pairs)
    variance = sum(squares, Fraction(0)) / total
    return Fraction(1) / (d * variance) if variance else Fraction(1)


class ExactReplay(SmoReplay):
    """An exact run of the same pairs."""

    def __init__(
        self, model: Any, replay: SmoReplay, rows: list, c: list[Fraction], gamma: Fraction
    ):
        vars(self).update(vars(replay))  # the same problem
        n, self.unit, self.centre = len(rows), 1, None
        if n * n * len(rows[0]) > LONGEST_RUN:
            raise ValueError(
                f"{n:,} samples of {len(rows[0]):,} features are too many for exact arithmetic: "
                "take fewer, or trace without exact=True"
            )
        self.X, self.y, self.gamma = column(rows), column(int(sign) for sign in replay.y), gamma
        price = INFINITY if model.C == INFINITY else rational(model.C)
        self.C = [price if price == INFINITY else price * weight for weight in c]
        self._K = _gram(model, rows, gamma)
        self._run()

    def _run(self) -> None:
        """β, g, D and what is measured of them after every pair of the log."""
        K, y, n, log = self._K, self.y.tolist(), len(self.y), self.log
        beta, g, dual = [Fraction(0)] * n, [Fraction(-sign) for sign in y], Fraction(0)
        lower = [0 if sign > 0 else -top for sign, top in zip(y, self.C, strict=True)]
        upper = [top if sign > 0 else 0 for sign, top in zip(y, self.C, strict=True)]
        self._bounds = lower, upper
        history, before, after, clipped, digits = [self._state(beta, g, dual)], [], [], [], 0
        for i, j in zip(log.grown.tolist(), log.shrunk.tolist(), strict=True):
            ahead, eta = max(g[j] - g[i], Fraction(0)), K[i][i] + K[j][j] - 2 * K[i][j]
            room = min(upper[i] - beta[i], beta[j] - lower[j])
            free = ahead / eta if eta > 0 else INFINITY * (ahead > 0)
            t = min(free, room)
            before.append([beta[i], beta[j]])
            beta[i], beta[j] = beta[i] + t, beta[j] - t
            after.append([beta[i], beta[j]])
            clipped.append(bool(room < free))
            dual += t * ahead - t * t * eta / 2
            g = [value + t * (a - b) for value, a, b in zip(g, K[i], K[j], strict=True)]
            history.append(self._state(beta, g, dual))
            digits += sum(len(bin(value.denominator)) for value in g) // 3
            _check_length(digits)
        self._history = column(history)
        self.log = replace(log, clipped=np.array(clipped, dtype=bool))
        self._pairs = Pairs(column(before).T, column(after).T) if before else None

    def _state(self, beta: list, g: list, dual: Fraction) -> list:
        """α, then b, D, the gap m − M and P."""
        lower, upper = self._bounds
        y = self.y.tolist()
        grow = [v for v, b, top in zip(g, beta, upper, strict=True) if b < top]
        shrink = [v for v, b, low in zip(g, beta, lower, strict=True) if b > low]
        rows = zip(g, beta, lower, upper, strict=True)
        free = [v for v, b, low, top in rows if low < b < top]
        ends = [*([min(grow)] if grow else []), *([max(shrink)] if shrink else [])]
        level = free or ends
        b = -sum(level) / len(level) if level else Fraction(0)
        gap = max(shrink) - min(grow) if grow and shrink else Fraction(0)
        alpha = [sign * value for sign, value in zip(y, beta, strict=True)]
        return [*alpha, b, dual, gap, self._primal(beta, g, b)]

    def _primal(self, beta: list, g: list, b: Fraction) -> Any:
        """½‖w‖² + Σ C_i ξ_i; with C = ∞ that of f divided by its smallest margin."""
        y = self.y.tolist()
        half = sum(v * (slope + s) for v, slope, s in zip(beta, g, y, strict=True)) / 2
        margins = [s * (slope + s + b) for s, slope in zip(y, g, strict=True)]
        if INFINITY in self.C:
            least = min(margins)
            return half / least**2 if least > 0 else INFINITY
        slack = [max(Fraction(0), 1 - m) for m in margins]
        return half + sum(top * xi for top, xi in zip(self.C, slack, strict=True))

    @property
    def pairs(self) -> Any:
        return self._pairs

    @property
    def measures(self) -> Any:
        return self._history[:, -EXTRA:]

    def states(self, first: int, last: int) -> Any:
        return self._history[first : last + 1]

    def last_state(self) -> Any:
        return self._history[-1, :-EXTRA]

    def alphas(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        i, j = self.log.grown[window.steps], self.log.shrunk[window.steps]
        signs = np.vstack([self.y[i], self.y[j]])
        before, after = (signs * part[:, window.steps] for part in self.pairs)
        return before, after

    def weights(self, states: Any) -> Any:
        if not self.linear:
            return states[:, :0]
        w = (states[:, :-EXTRA] * self.y).dot(self.X)
        return np.column_stack([states[:, BIAS], w])


def _gram(model: Any, rows: list[list[Fraction]], gamma: Fraction) -> list[list[Fraction]]:
    linear = model.kernel == "linear"
    coef0, degree = rational(model.coef0), int(model.degree)
    K = [[Fraction(0)] * len(rows) for _ in rows]
    for i, x in enumerate(rows):
        for j, z in enumerate(rows[: i + 1]):
            value = dot(x, z)
            K[i][j] = K[j][i] = value if linear else (gamma * value + coef0) ** degree
    return K


def _check_length(digits: int) -> None:
    if digits > MOST_DIGITS:
        raise ValueError(
            "the fractions of this run become too long: raise tol or take fewer samples, or trace "
            "without exact=True"
        )
