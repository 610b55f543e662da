"""Can a hyperplane separate the classes? Always answered, always with a proof."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from linscope.arithmetic.rational import round_up, sqrt_up
from linscope.data import signs
from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.engines import source_of
from linscope.fitting.far import here
from linscope.rows.threads import one_blas_thread

from .class_table import ClassTable
from .margins import combine, squared_radius
from .maximum_margin import maximum_margin
from .reading import read_table
from .signed_rows import SignedRows, whole_numbers
from .three_cases import Outcome, decide, shared_point
from .verdicts import NotSeparable, QuasiSeparable, Separable, rounded


@accepts_dataset
def separability(
    X: TableLike, y: Any = None
) -> Separable | QuasiSeparable | NotSeparable | ClassTable:
    """Decide whether a hyperplane separates the classes, and prove the answer.

    Parameters
    ----------
    X : table of shape (n, d): array, nested list, SciPy sparse matrix or data frame
        Numbers are taken exactly as float64 holds them.
    y : n labels of any kind, at least two classes; the second of two sorted labels is +1
        A data set may stand for both: ``separability(dataset)``.

    Returns
    -------
    Separable, QuasiSeparable or NotSeparable
        For two classes. True (in an ``if``) only when separation is strict.
    ClassTable
        For more classes: the verdicts for every pair, and for each class against the rest.

    Notes
    -----
    Linear programming only guides the search. The verdict rests on exact rational arithmetic, and
    ``verify(X, y)`` repeats the proof from the data alone.

    Examples
    --------
    >>> import linscope as ls
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(ls.separability(X, [-1, 1, 1, 1]))
    Linearly separable: a hyperplane has all of class 1 strictly on one side and all of class -1
    on the other.
      widest margin: -1 + 2·x1 + 2·x2 = 0
      margin: 0.353553 (width 0.707107)
      support vectors: rows 0, 1, 2
      updates of the perceptron from zeros: at most 27 (R²/γ² with R = 1.73205, γ = 0.333333)
    >>> xor = ls.separability(X, [-1, 1, 1, -1])
    >>> print(xor)
    Not linearly separable: the convex hulls of the classes -1 and 1 meet, so every hyperplane has
    samples on the wrong side.
      common point: (1/2, 1/2)
      in class 1: 1/2 row 1 + 1/2 row 2
      in class -1: 1/2 row 0 + 1/2 row 3
    >>> bool(xor.verify(X, [-1, 1, 1, -1]))
    True
    """
    source = source_of(X, y)
    if source is not None:
        X, y, _ = here(source, classes=True)
    matrix, labels = read_table(X, y)
    with one_blas_thread():
        if len(labels.classes) == 2:
            return binary_verdict(matrix, signs(labels.codes), tuple(labels.classes.tolist()))
        return ClassTable.build(matrix, labels, binary_verdict)


def binary_verdict(matrix: Any, y: Any, classes: Any) -> Separable | QuasiSeparable | NotSeparable:
    """The verdict on two classes given as -1 and +1."""
    rows = SignedRows(matrix, y)
    outcome = decide(rows)
    if outcome.weights is None:
        point, positive, negative = _common_point(rows, outcome.circuit)
        return NotSeparable(classes, point, positive, negative, outcome.combination)
    if not outcome.circuit:
        return _separable(rows, classes)
    return _quasi_separable(rows, classes, outcome)


def _separable(rows: SignedRows, classes: Any) -> Separable:
    geometric, proven = maximum_margin(rows, "geometric")
    augmented, proven_augmented = maximum_margin(rows, "augmented", hint=geometric)
    exact = [Fraction(w) for w in geometric.weights.tolist()]
    # with a far offset the rounded weights may fail; the exact ones they came from do not
    if not (rows.signs_of(exact) > 0).all():
        exact = proven.weights
    radius2 = squared_radius(rows)
    return Separable(
        classes,
        geometric,
        augmented,
        tuple(exact),
        radius=sqrt_up(radius2),
        gamma=augmented.margin,
        bound=round_up(radius2 / proven_augmented.low2),
    )


def _quasi_separable(rows: SignedRows, classes: Any, outcome: Outcome) -> QuasiSeparable:
    assert outcome.weights is not None
    W, _ = whole_numbers(outcome.weights)
    boundary = np.flatnonzero(rows.signs_of(W) == 0)
    point, positive, negative = _common_point(rows, outcome.circuit)
    floats = list(map(Fraction, rounded(W).tolist()))
    alike = bool(np.array_equal(rows.signs_of(floats), rows.signs_of(W)))
    return QuasiSeparable(classes, tuple(W), alike, boundary, point, positive, negative)


def _common_point(rows: SignedRows, circuit: Any) -> Any:
    """(point, positive, negative): the circuit's two sides, each scaled to sum to 1.

    The bias part of Σ λ_i y_i [1, x_i] = 0 says that both sides have the same weight. An identical
    sample in both classes is the shortest proof, and is preferred.
    """
    shared = shared_point(rows)
    if shared is not None:
        negative, positive = {shared[0]: Fraction(1)}, {shared[1]: Fraction(1)}
    else:
        half = sum(v for i, v in circuit.items() if rows.signs[i] > 0)
        positive = {i: v / half for i, v in circuit.items() if rows.signs[i] > 0}
        negative = {i: v / half for i, v in circuit.items() if rows.signs[i] < 0}
    point = combine(rows, list(positive), list(positive.values()))[1:]
    return tuple(point), positive, negative
