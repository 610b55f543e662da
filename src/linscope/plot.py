"""Figures. Each function computes, draws and returns a Display.

A Display keeps the computed arrays, and ``figure_``, ``ax_`` and ``axes_`` of matplotlib.
``display.save("name.png")`` writes it; ``ax=`` draws into axes of yours. No figure touches pyplot's
state. Where a figure needs the path of the weights, it takes an array (one row before the first
update and one after each, bias first), a :class:`~linscope.Perceptron` (a clone is fitted on X, y),
or the trace of one. Where a figure takes X and y, a data set may stand for both.

>>> import linscope as ls
>>> data = ls.datasets.load("or")
>>> ls.plot.boundary(ls.Perceptron().fit(data), data)
<BoundaryDisplay: Perceptron gets all 4 samples right>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from linscope.data.given import accepts_dataset, of_samples
from linscope.data.tables import TableLike
from linscope.discriminants.estimators.fisher import FisherDiscriminant
from linscope.discriminants.estimators.least_squares_classifier import LeastSquaresClassifier
from linscope.discriminants.figures.discriminants import projection
from linscope.discriminants.figures.ordinal_codes import OrdinalCodesDisplay
from linscope.discriminants.figures.outliers import OutliersDisplay
from linscope.display.augmented import augmented_space
from linscope.display.boundary import boundary
from linscope.display.descent import descent
from linscope.display.lms_curve import lms_curve
from linscope.display.network import network
from linscope.display.plane import plane
from linscope.display.radial import RadialDisplay
from linscope.kernel_svm.figures.dual_ascent import dual_ascent
from linscope.least_squares.estimators.huber import HuberRegressor
from linscope.least_squares.estimators.linear_regression import LinearRegression
from linscope.least_squares.figures.line_fit import line_fit
from linscope.least_squares.figures.lms_fit import lms_fit
from linscope.least_squares.figures.lms_paths import lms_paths
from linscope.least_squares.figures.normal_curves import normal_curves
from linscope.least_squares.figures.overfitting import OverfittingDisplay
from linscope.least_squares.figures.residuals import residuals
from linscope.least_squares.figures.slopes import slopes
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.linear_svm.figures.svm_margin import margin
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.logistic.figures.overfitting import OverfittingClassesDisplay
from linscope.logistic.figures.sigmoid import sigmoid
from linscope.logistic.figures.steepening import SteepeningDisplay
from linscope.metrics.calibration_figure import calibration
from linscope.metrics.confusion_figure import confusion
from linscope.metrics.roc_figure import roc
from linscope.perceptron.estimators.perceptron import Perceptron
from linscope.perceptron.figures.angle import angle
from linscope.perceptron.figures.convergence import convergence
from linscope.perceptron.figures.criterion import criterion
from linscope.perceptron.figures.loss_surface import loss_surface
from linscope.perceptron.figures.orders import OrdersDisplay
from linscope.perceptron.figures.reflection import reflection
from linscope.perceptron.figures.solutions import solutions
from linscope.perceptron.figures.step_size import step_size
from linscope.perceptron.figures.weight_path import path_of_boundaries
from linscope.perceptron.figures.weight_space import weight_space
from linscope.separation.question import separability
from linscope.separation.verdicts import Separable
from linscope.validation.grid_figure import path

__all__ = [
    "angle",
    "augmented_space",
    "boundary",
    "calibration",
    "confusion",
    "convergence",
    "criterion",
    "descent",
    "dual_ascent",
    "line_fit",
    "lms_curve",
    "lms_fit",
    "lms_paths",
    "loss_surface",
    "margin",
    "network",
    "normal_curves",
    "orders",
    "ordinal_codes",
    "outliers",
    "overfitting",
    "path",
    "path_of_boundaries",
    "plane",
    "projection",
    "radial",
    "reflection",
    "residuals",
    "roc",
    "sigmoid",
    "slopes",
    "solutions",
    "steepening",
    "step_size",
    "weight_space",
]


# Figures that choose the models themselves stand here: a figure of a family knows no estimators.


def orders(
    X: TableLike,
    y: Any,
    *,
    seeds: Sequence[int] | None = None,
    inits: Sequence[Any] = (),
    etas: Sequence[float] = (),
    estimator: Any = None,
    features: Any = None,
    ax: Any = None,
) -> OrdersDisplay:
    """Order, first weights and rate change the answer: several boundaries in one figure.

    Parameters
    ----------
    X, y : samples of two classes
    seeds : a run with a shuffled order for each seed, beside the given order
        By default three that end with different boundaries, if a few tries find them.
    inits : a run from each of these first weights (bias first, or "random")
    etas : a run with each of these rates
        From zeros a constant rate only scales the weights; from other weights it matters.
    estimator : the ``Perceptron`` to run; by default with its defaults
    features : two features by number or name, needed if X has more than two
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.orders(X, y, seeds=[0], inits=[[1, 1, 1]]).runs
    ['given order', 'shuffle 0', 'from [1, 1, 1]']

    The rate, from first weights other than 0:

    >>> from_ones = ls.Perceptron(init=[1, 1, 1])
    >>> ls.plot.orders(X, y, seeds=[], etas=[0.1, 10], estimator=from_ones)
    <OrdersDisplay: Same samples, 3 runs: 3 different boundaries>
    """
    base = Perceptron() if estimator is None else estimator
    display = OrdersDisplay.from_runs(
        base, X, y, seeds=seeds, inits=inits, etas=etas, features=features
    )
    return display.plot(ax)


def overfitting(
    X: TableLike,
    y: Any,
    *,
    estimator: Any = None,
    degrees: Any = None,
    cv: Any = 5,
    validation: Any = None,
    ax: Any = None,
) -> OverfittingDisplay | OverfittingClassesDisplay:
    """How many terms? Errors of polynomial fits by degree, on old samples and on new ones.

    Parameters
    ----------
    X, y : samples of one or several features, and a number for each; for a classifier of one or
        two features, and a label for each
    estimator : regressor or classifier to fit on all powers and products; by default
        ``LinearRegression()``, for labels that are no numbers ``LogisticRegression(C=1e6)``
    degrees : the degrees to try; by default from 1 up to 12 (of several features 8), or as many as
        the samples allow
    cv : number of parts (shuffled), or a splitter of scikit-learn such as ``KFold``
    validation : pair (X, y) of samples kept back, instead of cross-validation
    ax : matplotlib axes, one for the errors and one for each fit that is shown, optional

    Examples
    --------
    y = 1 + x − x² with an error of ±0.1:

    >>> import numpy as np
    >>> import linscope as ls
    >>> x = np.linspace(-1, 2, 24)
    >>> y = 1 + x - x**2 + np.random.default_rng(0).uniform(-0.1, 0.1, 24)
    >>> ls.plot.overfitting(x[:, None], y)
    <OverfittingDisplay: Degree 2 predicts best; degree 12 fits better and predicts worse>

    The same fit by hand, in a pipeline of scikit-learn:

    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(ls.PolynomialFeatures(2, include_bias=False), ls.LinearRegression())
    >>> model.fit(x[:, None], y)[-1].coef_.round(1)
    array([ 1., -1.])

    A classifier: boundaries of a high degree wind round single samples.

    >>> X, y = ls.datasets.make_overlapping(60, distance=2, random_state=0)
    >>> ls.plot.overfitting(X, y, estimator=ls.LogisticRegression(C=1e6), degrees=[1, 2, 5])
    <OverfittingClassesDisplay: Degree 1 predicts best: more terms only fit the noise>
    """
    if estimator is None:
        numbers = np.asarray(y).dtype.kind in "biuf"
        estimator = LinearRegression() if numbers else LogisticRegression(C=1e6)
    kind = OverfittingClassesDisplay if is_classifier(estimator) else OverfittingDisplay
    display = kind.from_data(estimator, X, y, degrees=degrees, cv=cv, validation=validation)
    return display.plot(ax)


def steepening(
    X: TableLike = None,
    y: Any = None,
    *,
    Cs: Sequence[float] = (0.1, 1.0, 10.0, 100.0, 1000.0),
    ax: Any = None,
) -> SteepeningDisplay:
    """Logistic regression of separable classes: the sigmoid steepens as the penalty fades.

    Parameters
    ----------
    X, y : samples of two classes with one feature; without them a built-in example
    Cs : values of C, each with a curve
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.steepening(Cs=[0.1, 10, 1000])
    >>> display.weights[:, 1].round(1), display.losses.round(3)
    (array([0.5, 3. , 9.4]), array([4.136, 0.503, 0.019]))
    """
    return SteepeningDisplay.from_data(LogisticRegression(), X, y, Cs).plot(ax)


def outliers(
    X: TableLike = None, y: Any = None, outliers: Any = None, *, models: Any = None, ax: Any = None
) -> OutliersDisplay:
    """The boundaries of linear classifiers without and with samples far on their own side.

    Least squares punishes samples that are too right, so such outliers move its boundary. Huber's
    loss limits what a sample can pull, and that is the remedy if ε is near 1: samples far away have
    a long lever besides.

    Parameters
    ----------
    X, y : samples of two classes with two features; without them a built-in example
    outliers : array (m, 2), more samples of the second class
    models : {name: linear classifier, or a regressor, which is fitted to −1 and +1}; by default
        the linear classifiers of the notes, and a ``HuberRegressor``
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> models = {"least squares": ls.LeastSquaresClassifier(), "perceptron": ls.Perceptron()}
    >>> ls.plot.outliers(models=models).wrong
    array([[0, 0], [9, 0]])
    """
    if models is None:
        models = {
            "least squares": LeastSquaresClassifier(),
            "Fisher": FisherDiscriminant(),
            "perceptron": Perceptron(),
            "logistic": LogisticRegression(),
            "SVM": LinearSVC(),
            "Huber's loss": HuberRegressor(epsilon=1.1),
        }
    return OutliersDisplay.from_data(models, X, y, outliers).plot(ax)


def ordinal_codes(
    X: TableLike = None, y: Any = None, *, features: Any = None, ax: Any = None
) -> OrdinalCodesDisplay:
    """Why classes must not be numbered 1, 2, 3, … for a regression: 1-of-K targets beside codes.

    Parameters
    ----------
    X, y : samples and labels; without them a built-in example of four classes
    features : two features by number or name, needed if X has more than two
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.ordinal_codes().wrong.sum(axis=1)
    array([159,   1])
    """
    models = LinearRegression(), LeastSquaresClassifier()
    return OrdinalCodesDisplay.from_data(*models, X, y, features=features).plot(ax)


def radial(
    X: TableLike, y: Any, *, center: Any = "origin", estimator: Any = None, ax: Any = None
) -> RadialDisplay:
    """A class inside a ring of the other: with r² as a third coordinate, a plane separates them.

    Parameters
    ----------
    X, y : samples of two classes with two features
    center : from where the distance r is measured: "origin", "mean" or a point
    estimator : a linear classifier for (x1, x2, r²); by default a ``LinearSVC``
    ax : matplotlib axes, a plain one and one with ``projection="3d"``, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.make_ring(100, random_state=0)
    >>> display = ls.plot.radial(X, y)
    >>> display.wrong.sum(), round(display.radius, 2)
    (np.int64(0), 1.45)
    """
    base = LinearSVC() if estimator is None else estimator
    straight = isinstance(separability(X, y), Separable)
    return RadialDisplay.from_data(base, X, y, center, straight).plot(ax)


# A data set may stand for X and y in every figure.
for _name in __all__:
    if of_samples(globals()[_name]):
        globals()[_name] = accepts_dataset(globals()[_name])
