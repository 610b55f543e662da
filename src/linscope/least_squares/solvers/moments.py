"""Moments of a regression problem: all of least squares that depends on the rows, in one pass.

    G = Σ_i c_i a_i a_iᵀ        a_i = [1, z_i, u_i]
    z = (x − m)·2^k             features about a shift m, scaled by powers of two
    u = (y − m_y)·2^k_y         targets likewise

m is near the mean, so that large offsets lose nothing; k makes all columns about equally large.
G is a sum over row blocks. It is kept in double-double (``exact_moments``), which makes streaming
and merging exact to about 30 digits, or in floats (``quick_moments``) when that is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope._compiling import kernel
from linscope.arithmetic.double_double import UNIT, UNIT2, Pair, add, add_gram, mul, product
from linscope.engines import Engine
from linscope.rows.blocks import Block, Largest, blind, block_rows_for, by_columns
from linscope.rows.column_products import add_column_products
from linscope.rows.double_operations import shifted
from linscope.rows.operations import REORDER, frozen
from linscope.rows.pilot import MILD_EXPONENT, Frame, Pilot, look

# Longer sums have larger bounds of their rounding.
MOST_ROWS = 10_000
MOST_PENALTY = 200
# Targets whose products are taken at once.
SOME = 16
LARGEST = Fraction(float(np.finfo(float).max))


class Form(NamedTuple):
    """Σ c r² = u·u + v·(G v − 2g) in its parts: G, g and −2g (targets, 1 + d), u·u, lengths."""

    gram: Pair
    right: Pair
    twice: Pair
    squares: Pair
    lengths: np.ndarray
    norms: np.ndarray

    def at(self, V: Pair) -> np.ndarray:
        """Of weights V (targets, k) of the first k columns; the others are 0."""
        k, rss = V.hi.shape[1], np.empty(len(V.hi))
        gram, twice, squares = self.gram, self.twice, self.squares
        used = Pair(gram.hi[:k, :k], gram.lo[:k, :k])
        H = product(V, used, Pair(twice.hi[:, :k], twice.lo[:, :k]))
        for first in range(0, len(rss), SOME):  # more than is needed, in fewer calls
            some = slice(first, first + SOME)
            rows, columns = Pair(V.hi[some], V.lo[some]), Pair(H.hi[some].T, H.lo[some].T)
            start = Pair(squares.hi[some, some], squares.lo[some, some])
            rss[some] = product(rows, columns, start).hi.diagonal()
        return rss


@dataclass(frozen=True, eq=False)
class Moments:
    """G (upper half) in its frame, the number of rows, and how exact the sums are."""

    frame: Frame
    gram: Pair
    n: int
    rounding: float

    @cached_property
    def n_features(self) -> int:
        return self.frame.n_features

    @cached_property
    def n_targets(self) -> int:
        return len(self.frame.shift) - self.frame.n_features

    @cached_property
    def total_weight(self) -> float:
        return float(self.gram.hi[0, 0])

    @property
    def means(self) -> np.ndarray:
        """The weighted means of the features."""
        first, of = self.gram.hi[0, 1 : 1 + self.n_features], self.frame.features
        return self.frame.shift[of] + np.ldexp(first / self.total_weight, -self.frame.exponent[of])

    @cached_property
    def full(self) -> Pair:
        """G with both halves."""
        return symmetric(self.gram)

    @cached_property
    def form(self) -> Form:
        x, y = slice(0, 1 + self.n_features), slice(1 + self.n_features, None)
        right, lengths = self.full.part(y, x), np.sqrt(np.maximum(np.diag(self.gram.hi), 0.0))
        twice = Pair(-2.0 * right.hi, -2.0 * right.lo)
        gram, squares = self.full.part(x, x), self.full.part(y, y)
        return Form(gram, right, twice, squares, lengths[x], lengths[y])

    def total_squares(self, *, centred: bool) -> np.ndarray:
        """Σ c (y − ȳ)² of each target, or Σ c y²."""
        return self._centred_squares if centred else self._squares

    @cached_property
    def _squares(self) -> np.ndarray:
        plain = self if not self.frame.shift.any() else self.in_frame(self.frame.unshifted())
        return _total_squares(plain, centred=False)

    @cached_property
    def _centred_squares(self) -> np.ndarray:
        """Σ c r² of a bias near the mean, whose error counts squared."""
        form = self.form
        with np.errstate(all="ignore"):
            out = form.at(Pair.of(form.right.hi[:, :1] / self.total_weight))
            if not ((1e-12 * form.norms**2 < out) & (out < np.inf)).all():
                return _total_squares(self, centred=True)
        return np.ldexp(out, -2 * self.frame.exponent[self.frame.targets])

    def in_frame(self, frame: Frame) -> Moments:
        """The same moments about another shift and scale.

        z' = 2^(k'−k) z + (m − m')·2^k'
        """
        scale = np.r_[0, frame.exponent - self.frame.exponent]
        hi = self.frame.shift - frame.shift
        back = hi + frame.shift
        lo = (self.frame.shift - back) - (frame.shift - (back - hi))
        offset = Pair(hi, lo).scaled(frame.exponent)
        offset = Pair(np.r_[0.0, offset.hi], np.r_[0.0, offset.lo])
        gram = Pair(np.zeros_like(self.gram.hi), np.zeros_like(self.gram.lo))
        with np.errstate(over="ignore", invalid="ignore"):
            _reframe(self.gram, np.ldexp(1.0, scale), offset, gram)
            rounding = self._rounding_in(gram, np.ldexp(1.0, scale), offset.hi)
        return Moments(frame, gram, self.n, rounding)

    def _rounding_in(self, gram: Pair, scale: np.ndarray, offset: np.ndarray) -> float:
        """Relative to the lengths of columns before the shift, which may be much longer."""
        before, after = (np.sqrt(np.maximum(np.diag(g.hi), 0.0)) for g in (self.gram, gram))
        moved = scale * before + np.abs(offset) * before[0]
        used = after > 0
        longer = float(np.max(moved[used] / after[used], initial=1.0))
        return (self.rounding + 8 * UNIT2) * longer * longer

    def tamed(self, alpha: float) -> Moments:
        """In a frame where the penalty α 4^k_j of no column leaves the range of floats."""
        most = (MOST_PENALTY - int(np.frexp(alpha)[1])) // 2
        frame, d = self.frame, self.n_features
        if alpha == 0 or (frame.exponent[:d] <= most).all():
            return self
        exponent = np.r_[np.minimum(frame.exponent[:d], most), frame.exponent[d:]]
        return self.in_frame(Frame(frame.shift, exponent, d))

    def merge(self, other: Moments) -> Moments:
        """Moments of the rows of both.

        Examples
        --------
        >>> import numpy as np
        >>> from linscope.engines import choose
        >>> X, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)[:, None]
        >>> first, rest = choose(X[:1], y[:1]), choose(X[1:], y[1:])
        >>> both = exact_moments(first).merge(exact_moments(rest))
        >>> both.n
        4
        """
        if (self.n_features, self.n_targets) != (other.n_features, other.n_targets):
            raise ValueError(
                f"moments of {other.n_features} features and {other.n_targets} targets cannot be "
                f"added to moments of {self.n_features} and {self.n_targets}"
            )
        large = self if self.n >= other.n else other
        ours, theirs = self.in_frame(large.frame), other.in_frame(large.frame)
        gram = ours.gram.plus(theirs.gram)
        rounding = max(ours.rounding, theirs.rounding) + 4 * UNIT2
        return Moments(large.frame, gram, self.n + other.n, rounding)


def symmetric(upper: Pair) -> Pair:
    """The whole matrix of its upper half."""
    above = _above(len(upper.hi))
    return Pair(*(np.where(above, part, part.T) for part in upper))


@lru_cache(maxsize=8)
def _above(p: int) -> np.ndarray:
    return np.triu(np.ones((p, p), dtype=bool))


def _total_squares(moments: Moments, *, centred: bool) -> np.ndarray:
    d, frame = moments.n_features, moments.frame
    out = np.empty(moments.n_targets)
    for k in range(moments.n_targets):
        entry = (1 + d + k, 1 + d + k), (0, 1 + d + k), (0, 0)
        square, total, n = (
            Fraction(float(moments.gram.hi[e])) + Fraction(float(moments.gram.lo[e])) for e in entry
        )
        value = square - total * total / n if centred else square
        value = max(value, Fraction(0)) * Fraction(4) ** int(-frame.exponent[d + k])
        out[k] = float(value) if value < LARGEST else np.inf
    return out


@kernel
def _reframe(gram: Pair, scale, offset: Pair, out: Pair):
    """G'_jk = s_j s_k G_jk + s_j b_k G_0j + b_j s_k G_0k + b_j b_k G_00, upper half."""
    p = len(scale)
    for j in range(p):
        for k in range(j, p):
            h, l = gram.hi[j, k] * scale[j] * scale[k], gram.lo[j, k] * scale[j] * scale[k]
            ah, al = gram.hi[0, j] * scale[j], gram.lo[0, j] * scale[j]
            qh, ql = mul(ah, al, offset.hi[k], offset.lo[k])
            h, l = add(h, l, qh, ql)
            bh, bl = gram.hi[0, k] * scale[k], gram.lo[0, k] * scale[k]
            qh, ql = mul(bh, bl, offset.hi[j], offset.lo[j])
            h, l = add(h, l, qh, ql)
            qh, ql = mul(offset.hi[j], offset.lo[j], offset.hi[k], offset.lo[k])
            qh, ql = mul(qh, ql, gram.hi[0, 0], gram.lo[0, 0])
            out.hi[j, k], out.lo[j, k] = add(h, l, qh, ql)


def weight_exponent(engine: Engine) -> int:
    """An even e: the weights divided by 2^e are near 1. 0 if they are not far from it."""
    if not engine.weighted:
        return 0
    e = int(np.frexp(engine.fold(_heaviest).value)[1])
    return 0 if abs(e) <= MILD_EXPONENT else e - e % 2


@blind
def _heaviest(block: Block) -> Largest:
    return Largest(block.weight.max(initial=0.0))


def lighter(block: Block, e: int) -> tuple[Any, Any, np.ndarray]:
    """The rows with weights divided by 2^e."""
    return block.X, block.y, np.ldexp(block.weight, -e)


def exact_moments(engine: Engine, *, centred: bool = True) -> Moments:
    """Moments in double-double, about a shift near the mean or (``centred=False``) about 0.

    Examples
    --------
    >>> import numpy as np
    >>> from linscope.engines import choose
    >>> moments = exact_moments(choose(np.array([[1e8], [1e8 + 1]]), np.array([[0.0], [1.0]])))
    >>> float(moments.frame.shift[0]), float(moments.gram.hi[1, 1])
    (100000000.5, 0.5)
    """
    frame = look(engine, centred=centred).frame
    gram = engine.fold(_exact_block, frame)
    if not gram.finite():
        frame = look(engine, everywhere=True, centred=centred).frame
        gram = engine.fold(_exact_block, frame)
    rounding = UNIT2 * (16.0 + 2.0 * engine.n_rows)
    return Moments(frame, gram, engine.n_rows, rounding)


def _exact_block(block: Block, frame: Frame) -> Pair:
    values = block.X.toarray() if sparse.issparse(block.X) else block.X
    scale, d = np.ldexp(1.0, frame.exponent), frame.n_features
    shape = len(values), 1 + len(frame.shift)
    H, L = np.ones(shape), np.zeros(shape)
    with np.errstate(over="ignore", invalid="ignore"):
        shifted(frozen(values), frame.shift[:d], scale[:d], H[:, 1 : 1 + d], L[:, 1 : 1 + d])
        shifted(frozen(block.y), frame.shift[d:], scale[d:], H[:, 1 + d :], L[:, 1 + d :])
        gram = Pair(np.zeros((shape[1], shape[1])), np.zeros((shape[1], shape[1])))
        add_gram(H, L, block.weight, gram.hi, gram.lo)
    return gram


def quick_moments(engine: Engine, frame: Frame | None = None, *, centred: bool = True) -> Moments:
    """Moments in floats, by BLAS: for many rows of well-behaved columns."""
    found = look(engine, centred=centred) if frame is None else Pilot(frame, mild=False)
    frame = found.frame
    if found.mild or engine.is_sparse:
        frame = Frame(np.zeros_like(frame.shift), np.zeros_like(frame.exponent), frame.n_features)
    if not engine.is_sparse:
        engine = engine.cut(min(2 * block_rows_for(engine.n_features, 8), MOST_ROWS))
    with np.errstate(over="ignore", invalid="ignore"):
        gram = engine.fold(_quick_block, None if found.mild else frame)
        gram = np.ldexp(gram, _outer_sum(found.frame.exponent - frame.exponent))
    frame = Frame(frame.shift, found.frame.exponent, frame.n_features)
    # Sums over a block in any order, then over the blocks: one rounding for each addition.
    rounding = UNIT * (16.0 + max(engine.sizes) + len(engine.sizes))
    return Moments(frame, Pair(gram, np.zeros_like(gram)), engine.n_rows, rounding)


@kernel(fastmath=REORDER)
def add_sums(X, y, sums, products):
    """Σ x and Σ y x in one look at the rows, which BLAS would take two for."""
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        y0, y1, y2, y3 = y[i], y[i + 1], y[i + 2], y[i + 3]
        for j in range(d):
            a, b, c, e = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
            sums[j] += (a + b) + (c + e)
            products[j] += (a * y0 + b * y1) + (c * y2 + e * y3)
    for i in range(whole, n):
        for j in range(d):
            sums[j] += X[i, j]
            products[j] += y[i] * X[i, j]


def _outer_sum(exponent: np.ndarray) -> np.ndarray:
    full = np.r_[0, exponent]
    return full[:, None] + full[None, :]


@by_columns
def _quick_block(block: Block, frame: Frame | None) -> np.ndarray:
    X, Y = block.X, block.y
    if frame is not None and not sparse.issparse(X):
        X = (X - frame.shift[frame.features]) * np.ldexp(1.0, frame.exponent[frame.features])
        Y = (Y - frame.shift[frame.targets]) * np.ldexp(1.0, frame.exponent[frame.targets])
    elif X.dtype != np.float64:
        X = X.astype(np.float64)
    c = block.weight if block.weighted else None
    cY = Y if c is None else Y * c[:, None]
    d = X.shape[1]
    gram = np.zeros((1 + d + Y.shape[1],) * 2)
    gram[0, 0], gram[0, 1 + d :] = len(Y) if c is None else c.sum(), cY.sum(axis=0)
    gram[1 + d :, 1 + d :] = Y.T @ cY
    products = _of_rows if sparse.issparse(X) or X.flags.c_contiguous else _of_columns
    products(X, Y, c, cY, gram[1 : 1 + d])
    gram[0, 1 : 1 + d] = gram[1 : 1 + d, 0]
    return gram


def _of_rows(X, Y, c, cY, out) -> None:
    """Σ c x [1, xᵀ, yᵀ]."""
    d = len(out)
    if sparse.issparse(X):
        square = (X.T @ (X if c is None else X.multiply(c[:, None]).tocsr())).toarray()
    else:
        square = X.T @ (X if c is None else X * c[:, None])
    out[:, 1 : 1 + d] = square
    if c is None and not sparse.issparse(X) and Y.shape[1] == 1:
        sums, products = np.zeros(d), np.zeros(d)
        add_sums(X, Y.ravel(), sums, products)
        out[:, 0], out[:, 1 + d] = sums, products
    else:
        out[:, 0] = X.T @ (np.ones(len(Y)) if c is None else c)
        out[:, 1 + d :] = X.T @ cY


def _of_columns(X, Y, c, cY, out) -> None:
    """The upper half of the same, where columns lie side by side."""
    d = len(out)
    square, rest = np.zeros((d, d)), np.zeros((d, 1 + Y.shape[1]))
    P = frozen(X.T)
    Q = P if c is None else frozen(X.T * c)
    T = np.vstack([np.ones(len(Y)) if c is None else c, cY.T])
    add_column_products(P, Q, frozen(T), square, rest)
    out[:, 1 : 1 + d], out[:, 0], out[:, 1 + d :] = square, rest[:, 0], rest[:, 1:]
