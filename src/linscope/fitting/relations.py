"""Find the relations that ``verify.relations`` speaks of, from guesses in floats.

A guess has about the right factors. Tables are made with simple ones (a total, degrees Fahrenheit,
a column in other units), so the simplest fractions near the guess are tried first, then the guess
itself, then what least squares on some rows makes of it. All rows decide. Many other factors whose
terms cancel can imitate a column, so such a relation may be off by fewer ulps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.arithmetic.rational import as_float
from linscope.engines import Engine
from linscope.rows.blocks import Block
from linscope.verify.exact_rank import simplest
from linscope.verify.relations import MOST_ULPS, ULP, ULP_32, Relations, farthest

# A column as a combination: {column or −1 for the constant: factor}.
Guess = Mapping[int, float]

SOME_ROWS = 4096
# Ulps of relations whose factors are not simple, and how far their terms may cancel.
PLAIN_ULPS, MOST_CANCELLED = 2, 1024.0
STEPS, TINY = 2, 1e-300
# Simple constants have no larger denominators.
MOST_BELOW = 10_000
# Relative errors of the factors of a guess.
SLIPS = (Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 10**12))


def ulp_of(dtype: Any) -> float:
    """The spacing of the numbers from 1 to 2 in which a table is held."""
    return ULP_32 if dtype == np.float32 else ULP


@np.errstate(all="ignore")
def find_relations(
    engine: Engine, guesses: Mapping[int, Guess], intercept: bool, ulp: float
) -> tuple[dict[int, dict[int, float]], int]:
    """The guesses that hold on all rows up to some ulp, as relations; and up to how many."""
    if not guesses:
        return {}, 0
    part, limit = engine.some(SOME_ROWS), MOST_ULPS * ulp
    if engine.weighted:
        part = Block(0, part.X[np.flatnonzero(part.weight > 0)])
    tried = {j: _best(part, j, guess, intercept, limit) for j, guess in guesses.items()}
    found = {j: terms for j, terms in tried.items() if terms is not None}
    if not found:
        return {}, 0
    far = engine.fold(farthest_that_count, list(found.items())).value
    kept = {j: terms for (j, terms), a in zip(found.items(), far, strict=True) if a <= limit}
    return kept, int(np.ceil(max((a for a in far if a <= limit), default=0.0) / ulp))


def farthest_that_count(block: Block, relations: Any) -> Any:
    """``farthest`` of the rows that have a weight."""
    if block.weighted and not block.weight.all():
        block = Block(0, block.X[np.flatnonzero(block.weight)])
    return farthest(block, relations)


def in_words(relations: Relations) -> dict[int, dict[int, float]]:
    """Each dependent column as a combination: {column: {other or −1 (constant): factor}}."""
    return {
        j: {k: -t / terms[j] for k, t in terms.items() if k != j and t}
        for j, terms in relations.items()
    }


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


def _best(
    part: Block, j: int, guess: Guess, intercept: bool, limit: float
) -> dict[int, float] | None:
    """The first candidate that holds on some rows; of the simple ones an exact one, if any is."""
    simple, others = _candidates(part, j, guess, limit, intercept)
    found = None
    for terms in simple:
        away = _away(part, j, terms)
        if away == 0.0:
            return terms
        if found is None and away <= limit:
            found = terms
    if found is not None:
        return found
    limit = limit * PLAIN_ULPS / MOST_ULPS
    return next((terms for terms in others if _away(part, j, terms) <= limit), None)


def _away(part: Block, j: int, terms: dict[int, float]) -> float:
    return float(farthest(part, [(j, terms)]).value[0])


def _candidates(
    part: Block, j: int, guess: Guess, limit: float, intercept: bool
) -> tuple[Iterator[dict[int, float]], Iterator[dict[int, float]]]:
    """Relations with simple factors, and others."""
    columns = np.array([k for k in guess if k >= 0], dtype=np.intp)
    rough = np.array([guess[k] for k in columns.tolist()])
    A = dense(part.X[:, [j, *columns]])
    sizes = np.abs(A).sum(axis=0)
    used = np.abs(rough) * sizes[1:] > limit * sizes[0]
    columns, rough, A = columns[used], rough[used], A[:, np.r_[True, used]]
    if not np.isfinite(np.abs(A) @ np.abs(np.r_[1.0, rough])).all():  # beyond the range of floats
        return iter(()), iter(())
    factors = [Fraction(c) for c in rough.tolist()]
    seen: list[list[Fraction]] = []
    for slip in (slip for slip in SLIPS if slip > 2 * Fraction(limit)):
        simple = [s for c in factors if (s := simplest(c, abs(c) * slip)) is not None]
        if len(simple) == len(factors) and simple not in seen:
            seen.append(simple)

    def with_constants(choices: Iterable[list[Fraction]]) -> Iterator[dict[int, float]]:
        for chosen in choices:
            for constant in _constants(A, chosen, limit) if intercept else [Fraction(0)]:
                yield _terms(j, columns.tolist(), chosen, constant)

    cancelled = np.abs(rough) @ sizes[1:][used] > MOST_CANCELLED * sizes[0]
    constant = float(guess.get(-1, 0.0)) if intercept else 0.0
    others = [] if cancelled else chain([factors], _corrected(A, rough, constant, intercept))
    return with_constants(seen), with_constants(others)


def _constants(A: np.ndarray, factors: list[Fraction], limit: float) -> Iterator[Fraction]:
    """x_j − Σ c x where its terms are smallest: nothing, the simplest numbers near, as it is."""
    terms = np.abs(A) @ np.abs([1.0, *map(float, factors)])
    row = int(np.argmin(terms))
    own, *others = (Fraction(float(v)) for v in A[row])
    value = own - sum((c * x for c, x in zip(factors, others, strict=True)), Fraction(0))
    size = Fraction(float(terms[row]))
    if abs(value) <= 2 * Fraction(limit) * size:
        yield Fraction(0)
    for share in (SLIPS[-1], Fraction(limit)):
        near = simplest(value, size * share)
        if near is not None and near.denominator <= MOST_BELOW:
            yield near
    yield value


def _corrected(A: np.ndarray, c: np.ndarray, b: float, intercept: bool) -> Iterator[list[Fraction]]:
    """Steps of least squares from residuals in long floats, each row relative to its terms."""
    sizes = np.abs(A).max(axis=0, initial=0.0)
    Z = (A / np.where(sizes > 0, sizes, 1.0)).astype(np.longdouble)
    unit = sizes[0] / sizes[1:]
    c, b = c / unit, b / sizes[0]
    full = np.column_stack([np.asarray(Z[:, 1:], float), np.full(len(A), float(intercept))])
    for _ in range(STEPS):
        r = np.asarray(Z[:, 0] - Z[:, 1:] @ c.astype(np.longdouble) - np.longdouble(b), float)
        weight = 1 / np.maximum(np.abs(full) @ np.abs(np.r_[c, b]), TINY)
        step = np.linalg.lstsq(full * weight[:, None], r * weight, rcond=None)[0]
        c, b = c + step[:-1], b + float(step[-1])
        if not np.isfinite(c * unit).all():
            return
        yield [Fraction(v) for v in (c * unit).tolist()]


def _terms(
    j: int, columns: list[int], factors: list[Fraction], constant: Fraction
) -> dict[int, float]:
    """t with t_j = −1 or minus the common denominator, where floats hold that exactly."""
    exact = dict(zip(columns, factors, strict=True)) | ({-1: constant} if constant else {})
    for size in (1, lcm(*(c.denominator for c in exact.values()))):
        terms = {k: as_float(c * size) for k, c in exact.items() if c} | {
            j: -as_float(Fraction(size))
        }
        right = {k: c * size for k, c in exact.items() if c} | {j: Fraction(-size)}
        known = np.isfinite(list(terms.values())).all()
        if known and all(Fraction(terms[k]) == right[k] for k in terms):
            return terms
    return {k: as_float(c) for k, c in exact.items() if c} | {j: -1.0}
