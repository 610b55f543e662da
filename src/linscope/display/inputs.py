"""What figures read: a dense table with names, classes, and two of the features to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from linscope.data import encode_labels, signs, to_matrix
from linscope.rows.finite import check_finite

from .geometry import Box, box_around


@dataclass(frozen=True, eq=False)
class Samples:
    """A dense float64 table with class numbers.

    Attributes
    ----------
    X : array (n, d)
    codes : class number of each sample
    classes : the labels in sorted order
    names : a name for each feature
    """

    X: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    names: list[str]

    @property
    def augmented(self) -> np.ndarray:
        return np.column_stack([np.ones(len(self.X)), self.X])

    @property
    def y(self) -> np.ndarray:
        """−1 and +1 (two classes only)."""
        return signs(self.codes)

    @property
    def truth(self) -> np.ndarray:
        """The label of each sample."""
        return self.classes[self.codes]

    @property
    def labels(self) -> list[str]:
        """The class names."""
        return class_names(self.classes)


def class_names(classes: np.ndarray) -> list[str]:
    """Labels as text; numbers with the true minus sign."""
    return [
        label if isinstance(label, str) else str(label).replace("-", "−")
        for label in np.asarray(classes).tolist()
    ]


def dense(matrix: Any) -> np.ndarray:
    """A matrix, dense or sparse, as a float64 array."""
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)


def read_table(X: Any) -> tuple[np.ndarray, list[str] | None]:
    """A checked table as a float64 array, and the names of its columns if it has any."""
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    return dense(matrix), names


def read_regression(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
    """Samples and a number for each; the names of the first feature and of y."""
    matrix, names = read_table(X)
    target = np.asarray(y, dtype=np.float64)
    if target.shape not in ((len(matrix),), (len(matrix), 1)):
        raise ValueError(
            f"X has {len(matrix)} rows, but y has shape {target.shape}: one number per row is "
            "needed"
        )
    check_finite(target, name="y")
    name = getattr(y, "name", None)
    return matrix, target.ravel(), (names[0] if names else "x", str(name) if name else "y")


def given_or_example(what: str, example: Callable[[], tuple], *given: Any) -> tuple:
    """The arguments of a figure, or its built-in example if there are none."""
    if all(value is None for value in given):
        return example()
    if any(value is None for value in given):
        raise ValueError(f"{what}, or none for the example")
    return given


def read_series(name: str, values: Any, what: str) -> np.ndarray:
    """Finite numbers, one for each of the steps of a run."""
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) == 0 or not np.isfinite(series).all():
        raise ValueError(f"{name} must be finite numbers, one per {what}, got {values!r}")
    return series


def read_samples(X: Any, y: Any, *, binary: bool = False) -> Samples:
    """Check X and y and make them dense float64."""
    matrix, names = read_table(X)
    classes, codes = encode_labels(y, n_samples=matrix.shape[0])
    if binary and len(classes) != 2:
        raise ValueError(
            f"y has {len(classes)} classes, this figure is about two: keep the samples of two "
            "classes, or compare one class with the rest (y == label)"
        )
    names = names or [f"x{j + 1}" for j in range(matrix.shape[1])]
    return Samples(matrix, codes, classes, names)


def read_weights(weights: Any, d: int, *, name: str = "weights") -> np.ndarray:
    """Weight vectors with the bias first as an array (k, d + 1)."""
    array = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != d + 1:
        raise ValueError(
            f"{name} has shape {np.shape(weights)}, but {d + 1} weights per row are needed for {d} "
            "features: bias first (0 for a model without intercept)"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or inf: pass finite weights")
    return array


def model_weights(model: Any) -> np.ndarray:
    """Weights of a fitted linear model, bias first, a row for each score: (scores, d + 1)."""
    check_is_fitted(model)
    if hasattr(model, "as_logistic"):
        return np.atleast_2d(np.asarray(model.as_logistic(), dtype=np.float64))
    coef = getattr(model, "coef_", None)
    if coef is None:
        raise TypeError(
            f"a fitted linear model with coef_ is needed, and {type(model).__name__} has none"
        )
    coef = np.atleast_2d(dense(coef))
    bias = np.broadcast_to(getattr(model, "intercept_", 0.0), len(coef))
    return np.column_stack([bias, coef]).astype(np.float64)


def read_hyperplane(source: Any, d: int, *, name: str) -> np.ndarray:
    """One weight vector, bias first, of an array or of a fitted linear model of two classes."""
    weights = model_weights(source) if hasattr(source, "fit") else source
    weights = read_weights(weights, d, name=name)
    if len(weights) != 1:
        raise ValueError(
            f"{name} has {len(weights)} hyperplanes, this figure shows one: fit two classes, or "
            "one class and the rest (y == label)"
        )
    return weights[0]


@dataclass(frozen=True, eq=False)
class View:
    """Two features to look at; the others are held at their means.

    Attributes
    ----------
    pair : columns of the two features (the same twice for a table of one feature)
    centre : mean of every feature
    names : names of the two features
    held : names of the features that are held at their means
    """

    pair: tuple[int, int]
    centre: np.ndarray
    names: tuple[str, str]
    held: list[str]

    @property
    def flat(self) -> bool:
        """Whether there is one feature only."""
        return self.pair[0] == self.pair[1]

    def points(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of samples in the figure; one feature lies on the line y = 0."""
        points = X[:, list(self.pair)]
        if self.flat:
            points = points.copy()
            points[:, 1] = 0.0
        return points

    def box(self, points: np.ndarray, pad: float = 0.12) -> Box:
        """Limits of the figure around points; one feature lies in the middle of −1 … 1."""
        box = box_around(points, pad)
        return (*box[:2], -1.0, 1.0) if self.flat else box

    def rows(self, points: np.ndarray) -> np.ndarray:
        """Samples at points of the figure."""
        rows = np.tile(self.centre, (len(points), 1))
        rows[:, self.pair[0]] = points[:, 0]
        if not self.flat:
            rows[:, self.pair[1]] = points[:, 1]
        return rows

    def line(self, w: np.ndarray) -> np.ndarray:
        """(c, a, b) of the line w·x = 0 in the figure, c + a·u + b·v = 0."""
        i, j = self.pair
        a, b = w[1 + i], 0.0 if self.flat else w[1 + j]
        rest = np.delete(np.arange(len(self.centre)), [i, j])
        return np.array([w[0] + w[1 + rest] @ self.centre[rest], a, b])

    @property
    def note(self) -> str:
        """What is held fixed, for the title; "" if nothing is."""
        if not self.held:
            return ""
        shown = ", ".join(self.held[:3]) + (", …" if len(self.held) > 3 else "")
        return f"slice through the mean of {shown}"

    @property
    def remark(self) -> str:
        """The note as it stands at the end of a title."""
        return f" ({self.note})" if self.held else ""


def choose_view(samples: Samples, features: Sequence[Any] | None) -> View:
    """The two features of a figure, by number or name."""
    d = samples.X.shape[1]
    if features is None and d > 2:
        raise ValueError(
            f"X has {d} features and a figure has two axes: choose two with features=(i, j), by "
            "number or name; the figure is then a slice through the mean of the others"
        )
    chosen = tuple(range(min(d, 2))) if features is None else tuple(features)
    pair = [_column(feature, samples.names) for feature in chosen]
    if len(pair) not in (1, 2) or (len(pair) == 1 and d > 1) or (len(set(pair)) < len(pair)):
        raise ValueError(f"features must name two different features, got {features!r}")
    i, j = pair[0], pair[-1]
    held = [name for k, name in enumerate(samples.names) if k not in pair]
    names = samples.names[i], samples.names[j]
    return View((i, j), samples.X.mean(axis=0), names, held)


def _column(feature: Any, names: list[str]) -> int:
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(
                f"features names {feature!r}, which is not a feature of X: {', '.join(names[:10])}"
            )
        return names.index(feature)
    if not 0 <= int(feature) < len(names):
        raise ValueError(
            f"features has {feature!r}, but X has the features 0 to {len(names) - 1}: count from 0"
        )
    return int(feature)
