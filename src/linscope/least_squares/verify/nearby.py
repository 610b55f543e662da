"""What holds for all columns of a nearby table, from what holds for its independent columns.

The floats w act as effective weights β = b + δ, b floats and |δ| known (``verify.relations``). With
J(b) − min J known and ‖Xδ‖ ≤ m = √W |δ_0| + Σ_k ‖x_k‖ |δ_k|,

    J(β) − min J  ≤  ½ (√(2 (J(b) − min J)) + m)²

and Σ c r² at β differs from that at b by at most 2m√(Σ c r²) + m².
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.rational import as_float
from linscope.rows.blocks import Block, Largest
from linscope.verify.relations import Relations, effective, from_shortest, independent, shares_of

from .facts import Facts

ROOM = 1 + 1e-12


class Nearby(NamedTuple):
    """The relations, √W and the lengths of all columns about 0."""

    relations: Relations
    total: float
    raw: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """The independent columns."""
        return independent(self.relations, len(self.raw))

    def facts(self, found: Facts, W: np.ndarray, doubt: np.ndarray) -> Facts:
        """Facts at W (targets, d + 1) from those of the independent columns at b."""
        move = self._move(doubt)
        gap = 0.5 * (np.sqrt(2 * found.gap) + move) ** 2
        off = 2 * np.sqrt(found.rss) * move + move * move
        return found._replace(
            gap=np.where(move > 0, np.nextafter(gap * ROOM, np.inf), found.gap),
            rounding=found.rounding + off * ROOM,
            error=from_shortest(W, found.error + doubt, self.relations),
            lengths=self._lengths(found.lengths),
        )

    def least_gap(self, gap: float, doubt: np.ndarray) -> float:
        """A lower bound of the gaps of all targets together, from that at b."""
        move = float(np.linalg.norm(self._move(doubt)))
        return 0.5 * max(0.0, float(np.sqrt(2 * gap)) - move * ROOM) ** 2 / ROOM

    def _move(self, doubt: np.ndarray) -> np.ndarray:
        return (self.total * doubt[:, 0] + doubt[:, 1:] @ self.raw[self.kept]) * ROOM

    def _lengths(self, own: np.ndarray) -> np.ndarray:
        """Those of dependent columns are at most Σ_k |s_jk| times those of the others."""
        out = np.zeros(1 + len(self.raw))
        out[0], out[1 + self.kept] = own[0], own[1:]
        for j, parts in shares_of(self.relations).items():
            most = sum(abs(as_float(s)) * out[1 + k] for k, s in parts.items() if k >= 0)
            out[1 + j] = min(most, self.raw[j])
        return out


def at_independent(W: np.ndarray, relations: Relations) -> np.ndarray:
    """The effective weights at the places of the independent columns, 0 at the others."""
    if not relations:
        return W
    out = np.zeros(W.shape)
    B = effective(W, relations)[0]
    out[:, np.r_[0, 1 + independent(relations, W.shape[1] - 1)]] = B
    return out


def lengths_of(engine: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """√Σ c, and √Σ c a² of each feature and each target, without overflow."""
    heaviest, x, y = (top.value for top in engine.fold(_tops))
    e = int(np.frexp(heaviest)[1]) // 2
    x, y = np.frexp(x)[1], np.frexp(y)[1]
    total, features, targets = engine.fold(_squares, e, x, y)
    parts = (np.sqrt(total), 0), (np.sqrt(features), x), (np.sqrt(targets), y)
    return tuple(np.ldexp(root, e + exponent) for root, exponent in parts)


def _tops(block: Block) -> tuple[Largest, Largest, Largest]:
    """The largest weight, and the largest of each feature and target."""
    X, d = block.X, block.X.shape[1]
    top = np.zeros(d)
    if sparse.issparse(X):
        np.maximum.at(top, X.indices, np.abs(X.data, dtype=np.float64))
    else:
        top = np.abs(X).max(axis=0, initial=0.0).astype(np.float64)
    heaviest = block.weight.max(initial=0.0) if block.weighted else 1.0
    return Largest(heaviest), Largest(top), Largest(np.abs(block.y).max(axis=0, initial=0.0))


def _squares(block: Block, e: int, x: np.ndarray, y: np.ndarray) -> tuple:
    """Σ c, Σ c x² and Σ c y² in powers of two."""
    c = np.ldexp(block.weight if block.weighted else np.ones(len(block.y)), -2 * e)
    if sparse.issparse(block.X):
        part = block.X.astype(np.float64).tocsr()
        part.data = np.ldexp(part.data, -x[part.indices])
        features = np.ravel(part.multiply(part).T @ c)
    else:
        features = c @ np.ldexp(np.asarray(block.X, dtype=np.float64), -x) ** 2
    return c.sum(), features, c @ np.ldexp(block.y, -y) ** 2
