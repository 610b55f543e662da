"""What the figures of regressions read: a linear model as a ``LinearFit``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from linscope.data import to_matrix
from linscope.display import theme
from linscope.display.inputs import dense
from linscope.fitting.scores import row_scores
from linscope.rows.finite import check_finite

from ..inference.fit import LinearFit


def linear_fit(
    estimator: Any, X: Any = None, y: Any = None, output: Any = 0, *, rows: bool = True
) -> LinearFit:
    """The fit of a linear model with its rows.

    Parameters
    ----------
    estimator : fitted ``LinearRegression`` or ``Ridge``, any linear model with ``coef_`` and
        ``intercept_``, or a ``LinearFit``
    X, y : the training data, needed unless the model has them at hand
    output : which target, by number or name
    rows : whether training rows are needed; if not, a fit from moments alone will do
    """
    if isinstance(estimator, LinearFit):
        return estimator
    if is_classifier(estimator):
        raise TypeError(
            f"{type(estimator).__name__} is a classifier, and this figure is about a regression: "
            "see linscope.plot.boundary, or fit a LinearRegression to labels 0 and 1"
        )
    if hasattr(estimator, "_linear_fit"):
        check_is_fitted(estimator)
        at_hand = X is not None or estimator._moments is None or estimator._found() is not None
        return estimator._linear_fit(output, X, y, rows=rows or at_hand)
    if not hasattr(estimator, "coef_") or not hasattr(estimator, "intercept_"):
        raise TypeError(
            f"this figure needs a fitted linear model with coef_ and intercept_, got "
            f"{type(estimator).__name__}"
        )
    if X is None or y is None:
        raise ValueError(f"{type(estimator).__name__} does not keep its data: give X and y")
    return _from_coefficients(estimator, X, y)


def _from_coefficients(estimator: Any, X: Any, y: Any) -> LinearFit:
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    target = np.asarray(y, dtype=np.float64)
    slopes = np.asarray(estimator.coef_, dtype=np.float64)
    if slopes.ndim > 1 and slopes.shape[0] == 1:
        slopes = slopes[0]
    if slopes.shape != (matrix.shape[1],) or target.shape != (matrix.shape[0],):
        raise ValueError(
            f"X is {matrix.shape[0]} × {matrix.shape[1]}, y has shape {target.shape} and coef_ "
            f"{np.shape(estimator.coef_)}: one target and a coefficient per feature are needed"
        )
    check_finite(target, name="y")
    if names is None:
        names = ["x"] if len(slopes) == 1 else [f"x{j + 1}" for j in range(len(slopes))]
    intercept = bool(getattr(estimator, "fit_intercept", True))
    bias = float(np.ravel(estimator.intercept_)[0])
    residuals = target - row_scores(matrix, np.r_[bias, slopes])
    centre = target.mean() if intercept else 0.0
    return LinearFit(
        names=["intercept"] * intercept + names,
        weights=np.append([bias] * intercept, slopes),
        rss=float(residuals @ residuals),
        tss=float(np.sum((target - centre) ** 2)),
        fit_intercept=intercept,
        n=len(target),
        refused="the model was fitted elsewhere",
        target=str(getattr(y, "name", None) or "y"),
        X=matrix,
        y=target,
    )


# So small beside y, numbers are rounding errors.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Straight:
    """A line ŷ = w₀ + w₁ x with its points, if they are known.

    Attributes
    ----------
    fit : the model
    x, y : of each row; empty if only moments are known
    places : x where the line is drawn
    weights : w₀ (0 without intercept) and w₁
    means : (x̄, ȳ) if the line goes through them, else None
    names : of x and y
    """

    fit: LinearFit
    x: np.ndarray
    y: np.ndarray
    places: np.ndarray
    weights: tuple[float, float]
    means: tuple[float, float] | None
    names: tuple[str, str]

    def at(self, x: Any) -> np.ndarray:
        """ŷ at some x."""
        return self.weights[0] + self.weights[1] * np.asarray(x, dtype=np.float64)

    @property
    def size(self) -> float:
        """The largest |ŷ| of the line that is drawn."""
        return float(np.abs(self.at(self.places)).max())

    @property
    def equation(self) -> str:
        """w₀ + w₁·x for a title."""
        bias, slope = self.weights
        first = f"{theme.number(bias)} " if abs(bias) > ROUNDING * self.size else ""
        sign = ("+ " if slope >= 0 else "− ") if first else ("" if slope >= 0 else "−")
        return f"{first}{sign}{theme.number(abs(slope))}·{short_name(self.names[0])}"


def short_name(name: str) -> str:
    """The name of a feature in a formula; x if it would be too long there."""
    return name if len(name) <= 24 else "x"


def straight_line(estimator: Any, X: Any = None, y: Any = None, output: Any = 0) -> Straight:
    """The line of a model of one feature; its parameters are those of ``linear_fit``."""
    fit = linear_fit(estimator, X, y, output, rows=False)
    if fit.df_model != 1:
        raise ValueError(
            f"the model has {fit.df_model} features, and a line has one: see "
            "linscope.plot.residuals for several"
        )
    weights = float(fit.weights[0]) if fit.fit_intercept else 0.0, float(fit.slopes[0])
    x = dense(fit.X)[:, 0] if fit.has_rows else np.zeros(0)
    means = None
    if fit.fit_intercept and fit.weight is None and fit.refused is None:
        middle = float(x.mean() if fit.means is None else fit.means[0])
        means = middle, weights[0] + weights[1] * middle
    # Without a name of its own, the only feature is x and not x1.
    unnamed = hasattr(estimator, "_linear_fit") and not hasattr(estimator, "feature_names_in_")
    return Straight(
        fit=fit,
        x=x,
        y=np.asarray(fit.y if fit.has_rows else (), dtype=np.float64),
        places=np.linspace(*_reach(fit, x), 120),
        weights=weights,
        means=means,
        names=("x" if unnamed else fit.features[0], fit.target),
    )


def _reach(fit: LinearFit, x: np.ndarray) -> tuple[float, float]:
    """Where the line is drawn: a little beyond the points, or x̄ ± 2.5 s_x."""
    if len(x):
        more = 0.08 * float(np.ptp(x)) or 1.0
        return float(x.min()) - more, float(x.max()) + more
    if fit.means is None:
        fit.engine()  # raises
    assert fit.means is not None
    spread = 1.0
    if fit.inverse is not None and fit.inverse[-1, -1] > 0:  # 1/S_xx
        spread = float(1 / np.sqrt(fit.inverse[-1, -1] * max((fit.n or 2) - 1, 1)))
    return float(fit.means[0]) - 2.5 * spread, float(fit.means[0]) + 2.5 * spread
