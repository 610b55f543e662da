"""One binary support vector machine in balls: its objective, its least value, its kernel."""

from __future__ import annotations

from typing import NamedTuple

from flint import arb, arb_mat, ctx

from .exact import precision
from .interior import dual_solution
from .judging import NOTHING

# Precomputed values are rounded: a kernel is indefinite if it is so by more than this.
NEGATIVE = 1e-10
# Bits of a second try, relative to the first.
MORE = 4


def closeness() -> arb:
    """By what share a value that is sure may be above the least one."""
    return arb(2) ** (-ctx.prec // 8)


class Machine(NamedTuple):
    """One binary problem: kernel, signs, prices (None: no slack), and what the bias is."""

    K: list[list[arb]]
    y: list[int]
    C: list[arb] | None
    squared: bool
    bias: str  # "free", "penalised" or "none"

    def price(self, scores: list[arb]) -> arb:
        """Σ C max(0, 1 − y f)^p."""
        total = arb(0)
        for f, y, c in zip(scores, self.y, self.C, strict=True):
            slack = _positive(1 - y * f)
            total += c * (slack * slack if self.squared else slack)
        return total

    def value(self, norm2: arb, scores: list[arb]) -> arb | None:
        """P, or None where a margin is not positive and no slack is allowed."""
        if self.C is not None:
            return norm2 / 2 + self.price(scores)
        least = min((y * f for f, y in zip(scores, self.y, strict=True)), key=lambda v: v.mid())
        return norm2 / 2 / (least * least) if least > 0 else None

    def best(self) -> tuple[arb | None, bool]:
        """A value of P that can be reached, and whether the dual value says it is the least."""
        value, sure, enough = self._best()
        if sure or not enough:  # where steps run out, they do so with more digits, too
            return value, sure
        with precision(MORE * ctx.prec):
            return self._best()[:2]

    def _best(self) -> tuple[arb | None, bool, bool]:
        alpha, dual, enough = dual_solution(self._products(), self._signs(), self._tops())
        beta = [a * y for a, y in zip(alpha, self.y, strict=True)]
        products = (arb_mat(self.K) * arb_mat([[b] for b in beta])).entries()
        norm2 = sum((b * s for b, s in zip(beta, products, strict=True)), arb(0))
        if self.bias == "penalised":
            b = sum(beta, arb(0))
            value = self.value(norm2 + b * b, [s + b for s in products])
        else:
            value = self._least_over_bias(norm2, products)
        # A dual value above the primal one is of coefficients that are not balanced.
        sure = value is not None and abs(value - dual) < abs(value) * closeness()
        return value, bool(sure), enough

    def _products(self) -> arb_mat:
        more = 1 if self.bias == "penalised" else 0
        n = len(self.y)
        Q = [[self.y[i] * self.y[j] * (self.K[i][j] + more) for j in range(n)] for i in range(n)]
        if self.squared and self.C is not None:
            for i in range(n):
                Q[i][i] = Q[i][i] + 1 / (2 * self.C[i])
        return arb_mat(Q)

    def _signs(self) -> list[int] | None:
        return self.y if self.bias == "free" else None

    def _tops(self) -> list[arb] | None:
        return None if self.squared or self.C is None else self.C

    def _least_over_bias(self, norm2: arb, s: list[arb]) -> arb | None:
        if self.bias == "none":
            return self.value(norm2, s)
        found = [self.value(norm2, [v + b for v in s]) for b in self._biases(s)]
        found = [value for value in found if value is not None]
        return min(found, key=lambda v: v.mid()) if found else None

    def _biases(self, s: list[arb]) -> list[arb]:
        """Where the least value over the bias can be."""
        kinks = [(y - v).mid() for y, v in zip(self.y, s, strict=True)]
        if self.C is None:
            up = [v for v, y in zip(s, self.y, strict=True) if y > 0]
            down = [v for v, y in zip(s, self.y, strict=True) if y < 0]
            return [
                (-(min(up, key=lambda v: v.mid()) + max(down, key=lambda v: v.mid())) / 2).mid()
            ]
        if not self.squared:
            return kinks
        found = list(kinks)
        order = sorted(kinks)
        for edge in [order[0] - 1, *order]:  # the rows with slack just right of an edge
            active = [i for i, (y, k) in enumerate(zip(self.y, kinks, strict=True))
                      if (k > edge if y > 0 else k <= edge)]  # fmt: skip
            total = sum((self.C[i] for i in active), arb(0))
            if active:
                found.append((sum((self.C[i] * kinks[i] for i in active), arb(0)) / total).mid())
        return found


def _positive(v: arb) -> arb:
    if v > 0:
        return v
    return arb(0) if v < 0 else v.nonnegative_part()


def kernel_value(kernel: str, x: list[arb], z: list[arb], *, gamma, coef0, degree) -> arb:
    """K(x, z) as the formula says."""
    if kernel == "rbf":
        apart = sum(((a - b) * (a - b) for a, b in zip(x, z, strict=True)), arb(0))
        return (-arb(float(gamma)) * apart).exp()
    product = sum((a * b for a, b in zip(x, z, strict=True)), arb(0))
    if kernel == "linear":
        return product
    inner = arb(float(gamma)) * product + arb(coef0)
    return inner ** int(degree) if kernel == "poly" else inner.tanh()


def definiteness(K: list[list[arb]]) -> str:
    """By elimination with the largest diagonal entry first: definite, indefinite or unsure."""
    K = [list(row) for row in K]
    left = list(range(len(K)))
    size = sum((abs(K[i][i]) for i in left), arb(0)) + sum(
        (abs(v) for row in K for v in row), arb(0)
    )
    limit = -arb(NEGATIVE) * size - arb(NOTHING)
    vague = False
    while left:
        if any(K[i][i] < limit for i in left):
            return "indefinite"
        vague |= any(not K[i][i] >= 0 for i in left)
        p = max(left, key=lambda i: K[i][i].mid())
        if not K[p][p] > size * arb(2) ** (-ctx.prec // 2):
            rest = [K[i][j] for i in left for j in left if i != j]
            large = any(abs(v) > -limit for v in rest)
            return "indefinite" if large else ("unsure" if vague or _any(rest) else "definite")
        left.remove(p)
        for i in left:
            factor = K[i][p] / K[p][p]
            for j in left:
                K[i][j] = K[i][j] - factor * K[p][j]
    return "unsure" if vague else "definite"


def _any(values: list[arb]) -> bool:
    return any(not v.contains(0) for v in values)
