"""What Newton's method and the trust-region method cost for two classes, before either is run.

Both pass over the rows about equally often, but where no share of them is solved first, Newton's
method about twice more. They differ in how they use the Hessian of p = d + 1
weights: Newton's method forms and factorises it, the trust-region method multiplies with it.

    Newton         a·(H(n) + F) + b·(H(m) + F) + 2 passes           F = p³ · FACTOR
    trust region   k·Q(n) + l·Q(m) + 2·(H(m) + I) + copy            I = p³ · INVERT

    dense    H(r) = r·(d²·DENSE_GRAM + d·DENSE_SCALE)               Q(r) = r·d·DENSE_PRODUCT + S
    sparse   H(r) = ½ Σ e²·(r/n)·SPARSE_GRAM + blocks·p²·ADD        Q(r) = r·ē·SPARSE_PRODUCT + S

e are the entries of a row, ē their mean, m the rows of the first share of the table that both solve
to begin with, S = CALL + p²·APPLY one step of conjugate gradients. The counts a, b, k, l depend on
whether there is such a share. A rare class needs more products, as few rows have most of the
curvature: k is divided by √(4 q (1 − q)), with q the share of the rarer class.
"""

from __future__ import annotations

from typing import NamedTuple

# Nanoseconds on one thread of a core of 2020. Only their ratios matter, and those only to a factor
# of about 1.3: where the two methods are nearer to each other, either will do.
DENSE_GRAM = 0.015  # a multiplication of XᵀDX by BLAS in float32
DENSE_SCALE = 1.0  # a number of √D·X, written for that product
DENSE_PRODUCT = 0.2  # a number of X, read once for Xᵀ(D(Xv)) in float32
DENSE_COPY = 1.0  # a number of X, copied to float32 once for these products
DENSE_PASS = 1.0  # a number of X, read twice for scores and gradient
SPARSE_GRAM = 2.0  # a pair of entries of one row, added to its place in the Hessian
SPARSE_PRODUCT = 2.2  # an entry of X, read twice for Xᵀ(D(Xv))
ADD = 1.5  # a number of the Hessians of the blocks, set to zero and added
FACTOR = 0.02  # p³ of a Cholesky factor
INVERT = 0.06  # p³ of a factor and its inverse
APPLY = 0.4  # a number of the inverse, multiplied in each step of conjugate gradients
CALL = 60_000.0  # calls between two products, whatever the size

# Hessians and products of a whole table that no share goes before.
ALONE = (7, 40)
# Those of the whole table after one share, and after several: the better the start, the fewer.
AFTER_ONE, AFTER_SEVERAL = (2.0, 15.0), (0.5, 8.0)
# Those of the first share, and Hessians of each further one.
FIRST, FURTHER = (8, 25), 4
# A rare class makes the products so many times more at most.
MOST_RARE = 3.0


class Shape(NamedTuple):
    """What the costs depend on.

    pairs : Σ e² of the rows' entries; blocks : in which a sparse table is added up
    shares : rows of the shares that Newton's method solves first
    rarer : share of the rarer class
    inverse : whether the trust-region method inverts a Hessian, or has its diagonal only
    """

    n: int
    d: int
    sparse: bool
    entries: int
    pairs: float
    blocks: int
    shares: tuple[int, ...]
    rarer: float
    inverse: bool

    def hessian(self, rows: int) -> float:
        """Of so many rows, in nanoseconds."""
        if not self.sparse:
            return rows * (self.d**2 * DENSE_GRAM + self.d * DENSE_SCALE)
        part = rows / self.n
        return part * (0.5 * self.pairs * SPARSE_GRAM + self.blocks * (self.d + 1) ** 2 * ADD)

    def product(self, rows: int) -> float:
        """Of the Hessian of so many rows with a vector, and the step that follows."""
        number = SPARSE_PRODUCT if self.sparse else DENSE_PRODUCT
        step = CALL + ((self.d + 1) ** 2 * APPLY if self.inverse else self.d)
        return rows / self.n * self.entries * number + step


def newton_cost(shape: Shape) -> float:
    """Nanoseconds of the Hessians of Newton's method.

    >>> table = Shape(50_000, 300, True, 600_000, 8e6, 25, (12_040,), 0.03, True)
    >>> newton_cost(table) < trust_region_cost(table)
    True
    """
    factor = (shape.d + 1) ** 3 * FACTOR
    if not shape.shares:
        passes = 0.0 if shape.sparse else 2 * shape.entries * DENSE_PASS
        return ALONE[0] * (shape.hessian(shape.n) + factor) + passes
    whole = (AFTER_ONE if len(shape.shares) == 1 else AFTER_SEVERAL)[0]
    total = whole * (shape.hessian(shape.n) + factor)
    for number, rows in enumerate(shape.shares):
        total += (FURTHER if number else FIRST[0]) * (shape.hessian(rows) + factor)
    return total


def trust_region_cost(shape: Shape) -> float:
    """Nanoseconds of the products of the trust-region method, and of what makes them quick."""
    invert = (shape.d + 1) ** 3 * INVERT
    total = 0.0 if shape.sparse else shape.entries * DENSE_COPY
    first = shape.shares[0] if shape.shares else shape.n
    if shape.inverse:
        total += 2 * (shape.hessian(first) + invert)
    if not shape.shares:
        return total + ALONE[1] * shape.product(shape.n)
    whole = (AFTER_ONE if len(shape.shares) == 1 else AFTER_SEVERAL)[1]
    total += whole * _rarity(shape.rarer) * shape.product(shape.n)
    return total + FIRST[1] * shape.product(first)


def _rarity(q: float) -> float:
    """1/√(4 q (1 − q)), or MOST_RARE.

    >>> _rarity(0.5), _rarity(0.0)
    (1.0, 3.0)
    """
    spread = 4 * q * (1 - q)
    return min(MOST_RARE, spread**-0.5) if spread > 0 else MOST_RARE
