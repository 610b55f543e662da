"""Samples with labels, as the derivations of classifiers read them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linscope.fitting.training import read_training
from linscope.reports.formulas import plain
from linscope.tracing.derivation_numbers import Samples, constant, read_samples
from linscope.tracing.derivation_parts import Head
from linscope.tracing.fractions import exact_weights
from linscope.tracing.replay import kept_rows


class ClassSamples:
    """The table in fractions or floats, with the 1-of-K matrix T of the labels as its targets.

    Attributes
    ----------
    samples : X, T and the weights
    codes : class number of each row
    classes : the labels; labels : the same as text
    rows : row numbers in the data as given
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exact: bool, unknowns: int):
        with warnings.catch_warnings():  # the fit has said it
            warnings.simplefilter("ignore")
            training = read_training(model, X, y, sample_weight, classes=model.classes_)
        self.exact, self.codes, self.classes = exact, training.codes, training.classes
        self.rows = kept_rows(training)
        self.labels = [str(label) for label in training.classes.tolist()]
        weight: Any = training.weight
        if exact and len(weight):
            given = exact_weights(model, y, sample_weight)
            assert given is not None
            weight = np.array([given[i] for i in self.rows], dtype=object)
        T = np.zeros((len(self.codes), len(self.classes)))
        T[np.arange(len(self.codes)), self.codes] = 1.0
        self._given = training.X, T, weight
        self._options: dict[str, Any] = {"exact": exact, "unknowns": unknowns}
        self.samples = read_samples(*self._given, **self._options)

    def in_floats(self) -> None:
        """Read the table again, in floats."""
        self.samples = read_samples(*self._given, rough=True, **self._options)

    def of_class(self, k: int) -> Samples:
        """The samples of one class, without targets."""
        rows = np.flatnonzero(self.codes == k)
        weight = self.samples.weight
        return Samples(
            self.samples.X[rows],
            self.samples.Y[rows, :0],
            None if weight is None else weight[rows],
        )

    @property
    def names(self) -> list[str]:
        """x, or x1 … xd."""
        d = self.samples.width
        return ["x"] if d == 1 else [f"x{j + 1}" for j in range(d)]

    @property
    def c(self) -> str:
        """The weight of a sample in a sum."""
        return "" if self.samples.weight is None else "c_i "

    @property
    def heads(self) -> list[Head]:
        """What every table of samples begins with."""
        return [Head("class"), *([Head("weight", "c_i")] if self.c else [])]

    def classes_of(self, start: int, stop: int) -> np.ndarray:
        """Labels of some rows as text."""
        return np.array(self.labels)[self.codes[start:stop]]

    def nothing(self, shape: Any) -> np.ndarray:
        return constant(0, shape, self.samples.rational)


class ClassWork:
    """What the derivations of classifiers have in common."""

    data: ClassSamples
    target = "y"

    @property
    def samples(self) -> Samples:
        return self.data.samples

    @property
    def rows(self) -> np.ndarray:
        return self.data.rows

    @property
    def solution(self) -> Any:
        """The boundary of two classes in fractions; None where it is that of the model."""
        return None

    @property
    def sums(self) -> dict[str, Any]:
        """Sums over all classes say nothing."""
        return {}


def unknowns(count: int) -> list[str]:
    """w₁ … w_count."""
    return [plain(f"w_{{{j + 1}}}") for j in range(count)]


def scalar(values: np.ndarray) -> Any:
    """A vector of one number as that number."""
    return values[0] if len(values) == 1 else values
