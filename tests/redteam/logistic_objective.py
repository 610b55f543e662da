"""The objective of a logistic regression in balls, and Newton's method down to its minimum.

    P(θ) = Σ_i c_i ℓ_i(θ) + Σ_kj a_j |θ_kj| + ½ Σ_kj b_j θ_kj²

An l1 penalty is smooth on the face of the signs: what would change its sign stays at 0, and an
entry at 0 whose gradient is larger than its strength leaves it.
"""

from __future__ import annotations

import numpy as np
from flint import arb, arb_mat, ctx

from .exact import approximate_solution, ball

STEPS = 150


class Objective:
    """P of one problem in balls; parameters θ (rows, d + 1) of columns scaled to size near 1."""

    def __init__(
        self, X, codes, c, *, rows: int, C: float, l1: float, l2: float, intercept: bool, exact=None
    ):
        """``exact`` has the rationals that X is about."""
        n, d = X.shape
        self.codes, self.rows, self.n = codes, rows, n
        self.columns = d + intercept
        size = np.abs(X).max(axis=0, initial=0.0)
        exponents = [int(e) for e in np.frexp(np.where(size > 0, size, 1.0))[1]]
        self.units = [arb(1)] * intercept + [arb(2) ** -e for e in exponents]
        inner = [[ball(v) * u for v, u in zip(row, self.units[intercept:], strict=True)]
                 for row in (X if exact is None else exact)]  # fmt: skip
        self.A = [[arb(1)] * intercept + row for row in inner]
        self.table = arb_mat(n, self.columns, [v for row in self.A for v in row])
        strength = arb(C) if np.isfinite(C) else arb(1)
        self.c = [strength * arb(float(v)) for v in c]
        free = [arb(0)] * intercept
        # w_j x_j = (w_j / u_j) (u_j x_j): a penalty on w is one on θ = w / u times u.
        self.l1 = free + [arb(l1) * u for u in self.units[intercept:]]
        self.l2 = free + [arb(l2) * u * u for u in self.units[intercept:]]
        self.has_l1 = l1 > 0

    def inside(self, W: np.ndarray, intercept: bool) -> list[list[arb]]:
        W = W if intercept else W[:, 1:]
        return [[arb(float(v)) / u for v, u in zip(w, self.units, strict=True)] for w in W]

    def scores(self, theta) -> list[list[arb]]:
        products = (self.table * arb_mat(theta).transpose()).tolist()
        return [[arb(0), *s] for s in products] if self.rows == 1 else products

    def losses(self, theta) -> arb:
        total = arb(0)
        for s, y, c in zip(self.scores(theta), self.codes, self.c, strict=True):
            top = max((v.mid() for v in s), key=lambda v: v)
            total += c * (sum(((v - top).exp() for v in s), arb(0)).log() + top - s[y])
        return total

    def value(self, theta) -> arb:
        total = self.losses(theta)
        for row in theta:
            for t, a, b in zip(row, self.l1, self.l2, strict=True):
                total += a * abs(t) + b * t * t / 2
        return total

    def slopes(self, theta, free) -> tuple[arb_mat, arb_mat]:
        """Gradient and Hessian over the free entries, with the l1 term of their signs."""
        m, rows = self.columns, self.rows
        g = [[b * t + a * _sign(t) for t, a, b in zip(row, self.l1, self.l2, strict=True)]
             for row in theta]  # fmt: skip
        H: dict[tuple[int, int], list] = {}
        first = int(rows == 1)
        blocks = [[[arb(0)] * self.n for _ in range(rows)] for _ in range(rows)]
        off = [[arb(0)] * self.n for _ in range(rows)]
        for i, (s, y, c) in enumerate(zip(self.scores(theta), self.codes, self.c, strict=True)):
            top = max((v.mid() for v in s), key=lambda v: v)
            e = [(v - top).exp() for v in s]
            total = sum(e, arb(0))
            p = [v / total for v in e]
            for k in range(rows):
                pk = p[k + first]
                off[k][i] = c * (pk - int(y == k + first))
                for l in range(k, rows):
                    blocks[k][l][i] = c * pk * ((1 - pk) if k == l else -p[l + first])
        T = self.table.transpose()
        for k in range(rows):
            pull = (T * arb_mat([[v] for v in off[k]])).tolist()
            g[k] = [v + r[0] for v, r in zip(g[k], pull, strict=True)]
            for l in range(k, rows):
                weighted = arb_mat(
                    [[v * h for v in a] for a, h in zip(self.A, blocks[k][l], strict=True)]
                )
                H[k, l] = (T * weighted).tolist()
        index = [(k, j) for k in range(rows) for j in range(m) if (k, j) in free]
        size = max((abs(H[k, k][j][j]) + self.l2[j] for k, j in index), default=arb(0))
        tiny = (size + arb(2) ** -5000).mid() * arb(2) ** (-_bits() // 2)
        entries = []
        for k, j in index:
            line = []
            for l, i in index:
                h = H[k, l][j][i] if k <= l else H[l, k][i][j]
                line.append(h + (self.l2[j] + tiny if (k, j) == (l, i) else 0))
            entries.append(line)
        return arb_mat([[g[k][j]] for k, j in index]), arb_mat(entries)

    def lowest(self, theta, limit: int = STEPS) -> tuple[arb, list[list[arb]]]:
        """A value of P near its minimum, by Newton's method from θ."""
        theta = [[t.mid() for t in row] for row in theta]
        here = self.value(theta)
        free = {(k, j) for k, row in enumerate(theta) for j, t in enumerate(row)
                if self.l1[j].is_zero() or not t.is_zero()}  # fmt: skip
        for _ in range(limit):
            made = self._step(theta, here, free)
            if made is None or not made[0] < here - abs(here) * arb(2) ** (-_bits() // 3):
                better = made if made is not None and made[0] < here else (here, theta)
                here, theta = better
                entering = self._entering(theta) - free
                if not entering:
                    break
                theta, free = self._enter(theta, here, entering, free)
                here = self.value(theta)
                continue
            here, theta = made
            free = {(k, j) for k, j in free
                    if self.l1[j].is_zero() or not theta[k][j].is_zero()}  # fmt: skip
        return here, theta

    def _step(self, theta, here, free):
        if not free:
            return None
        index = sorted(free)
        g, H = self.slopes(theta, free)
        step = approximate_solution(H, g)
        t = arb(1)
        for _ in range(300):  # where the loss is flat a step may be 1e100 times too long
            moved = [list(row) for row in theta]
            for (k, j), s in zip(index, step.entries(), strict=True):
                v = (theta[k][j] - t * s).mid()
                # On the face of the signs: what would change its sign stays at 0.
                crosses = not self.l1[j].is_zero() and v * _sign(theta[k][j]) < 0
                moved[k][j] = arb(0) if crosses else v
            value = self.value(moved)
            if value < here:
                return value, moved
            t = t / 4
        return None

    def _entering(self, theta) -> set:
        """Entries at 0 whose gradient is larger than their l1 strength: the largest of them."""
        if not self.has_l1:
            return set()
        every = {(k, j) for k in range(self.rows) for j in range(self.columns)}
        g, _ = self.slopes(theta, every)
        worst, found = arb(0), set()
        for (k, j), v in zip(sorted(every), g.entries(), strict=True):
            over = abs(v.mid()) - self.l1[j]
            if theta[k][j].is_zero() and not self.l1[j].is_zero() and over > worst:
                worst, found = over.mid(), {(k, j)}
        return found

    def _enter(self, theta, here, entering, free):
        """A first small step of an entry that was 0, against its gradient."""
        ((k, j),) = entering
        every = {(a, b) for a in range(self.rows) for b in range(self.columns)}
        g, H = self.slopes(theta, every)
        i = sorted(every).index((k, j))
        slope, bend = g.entries()[i].mid(), H[i, i].mid()
        t = (abs(slope) - self.l1[j]) / (bend if bend > 0 else arb(1))
        for _ in range(200):
            moved = [list(row) for row in theta]
            moved[k][j] = (-_sign(slope) * t).mid()
            if self.value(moved) < here:
                return moved, free | {(k, j)}
            t = t / 2
        return theta, free | {(k, j)}


def _sign(t: arb) -> int:
    return 0 if t.is_zero() else (1 if t > 0 else -1)


def _bits() -> int:
    return ctx.prec
