"""Figures. Each function computes, draws and returns a Display.

A Display keeps the computed arrays, and ``figure_``, ``ax_`` and ``axes_`` of matplotlib.
``display.save("name.png")`` writes it; ``ax=`` draws into axes of yours. No figure touches pyplot's
state. Where a figure needs the path of the weights, it takes an array (one row before the first
update and one after each, bias first), a :class:`~linscope.Perceptron` (a clone is fitted on X, y),
or the trace of one.

>>> import linscope as ls
>>> X, y = ls.datasets.load("or")
>>> ls.plot.boundary(ls.Perceptron().fit(X, y), X, y)
<BoundaryDisplay: Perceptron gets all 4 samples right>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linscope.data.tables import TableLike
from linscope.discriminants.estimators.fisher import FisherDiscriminant
from linscope.discriminants.estimators.least_squares_classifier import LeastSquaresClassifier
from linscope.discriminants.figures import ordinal_codes as _codes
from linscope.discriminants.figures import outliers as _outliers
from linscope.discriminants.figures.discriminants import DiscriminantsDisplay, best_projection
from linscope.discriminants.figures.projection import ProjectionDisplay
from linscope.display.boundary import BoundaryDisplay
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.descent import EXAMPLES, DescentDisplay
from linscope.display.inputs import read_samples
from linscope.display.lms_curve import LmsCurveDisplay
from linscope.kernel_svm.figures.dual_ascent import DualAscentDisplay
from linscope.least_squares.estimators.linear_regression import LinearRegression
from linscope.least_squares.figures.line_fit import LineFitDisplay
from linscope.least_squares.figures.lms_fit import LmsFitDisplay
from linscope.least_squares.figures.lms_paths import LmsPathsDisplay
from linscope.least_squares.figures.overfitting import OverfittingDisplay
from linscope.least_squares.figures.residuals import ResidualsDisplay
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.linear_svm.figures.svm_margin import SvmMarginDisplay
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.metrics.calibration_figure import CalibrationDisplay
from linscope.metrics.confusion_figure import ConfusionDisplay
from linscope.metrics.roc_figure import RocDisplay
from linscope.perceptron.estimators.perceptron import Perceptron
from linscope.perceptron.figures.convergence import ConvergenceDisplay
from linscope.perceptron.figures.criterion import CriterionDisplay
from linscope.perceptron.figures.loss_surface import LossSurfaceDisplay
from linscope.perceptron.figures.orders import OrdersDisplay
from linscope.perceptron.figures.solutions import SolutionsDisplay
from linscope.perceptron.figures.step_size import StepSizeDisplay, example
from linscope.perceptron.figures.weight_path import weight_path
from linscope.perceptron.figures.weight_space import WeightSpaceDisplay
from linscope.separation.figure import MarginDisplay
from linscope.validation.grid_figure import GridDisplay
from linscope.validation.path_figure import PathDisplay

__all__ = [
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
    "orders",
    "ordinal_codes",
    "outliers",
    "overfitting",
    "path",
    "path_of_boundaries",
    "projection",
    "residuals",
    "roc",
    "solutions",
    "step_size",
    "weight_space",
]


def boundary(
    estimator: Any, X: TableLike, y: Any, *, features: Any = None, ax: Any = None
) -> BoundaryDisplay:
    """Samples, decision regions and boundary of a fitted classifier, also with K classes.

    Parameters
    ----------
    estimator : any fitted classifier with ``predict``; ``decision_function`` gives smooth borders
    X, y : samples and labels
    features : two features by number or name, needed if X has more than two
        The figure is then a slice through the mean of the other features.
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> model = ls.KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> ls.plot.boundary(model, X, y).wrong.sum()
    np.int64(0)
    """
    return BoundaryDisplay.from_estimator(estimator, X, y, features=features).plot(ax)


def solutions(
    source: Any,
    X: TableLike,
    y: Any,
    *,
    updates: Any = None,
    also: Any = (),
    tie: str = "update",
    ax: Any = None,
) -> SolutionsDisplay:
    """Several answers side by side, with their mistakes: some are good and some are not.

    Parameters
    ----------
    source : with ``updates`` a perceptron, its trace or its weights; without, a dict or pairs of
        (name, weights with the bias first, or a fitted classifier)
    updates : show the weights after these updates
    also : more pairs of (name, weights or fitted classifier) after them
    tie : what score 0 means for weights, see ``Perceptron``
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("non_separable")
    >>> model = ls.Perceptron(init=[1, 1, 1], max_iter=1000)
    >>> ls.plot.solutions(model, X, y, updates=range(900, 904)).mistakes
    array([1, 1, 2, 2])
    """
    if updates is None:
        return SolutionsDisplay.from_solutions(source, X, y, tie=tie).plot(ax)
    display = SolutionsDisplay.from_path(source, X, y, updates=updates, also=also, tie=tie)
    return display.plot(ax)


def weight_space(
    X: TableLike,
    y: Any,
    *,
    weights_path: Any = None,
    weights: Any = None,
    fit_intercept: bool = True,
    ax: Any = None,
) -> WeightSpaceDisplay:
    """The weight plane: a constraint line a sample, the solution region, the path of w.

    Parameters
    ----------
    X, y : samples of two classes
    weights_path : path of the weights (array, perceptron or trace), optional
    weights : which two weights to draw, 0 is the bias; by default the last two
        Others are held at the end of the path (0 without path), and the figure says so.
    fit_intercept : whether there is a bias
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [4], [5]], [-1, -1, 1, 1]
    >>> ls.plot.weight_space(X, y, weights_path=ls.Perceptron())
    <WeightSpaceDisplay: All weights in the shaded region separate the classes>
    """
    display = WeightSpaceDisplay.from_data(
        X, y, path=weights_path, weights=weights, fit_intercept=fit_intercept
    )
    return display.plot(ax)


def loss_surface(
    X: TableLike,
    y: Any,
    *,
    path: Any = None,
    loss: str = "perceptron",
    weights: Any = None,
    at: Any = None,
    box: Any = None,
    fit_intercept: bool = True,
    ax: Any = None,
) -> LossSurfaceDisplay:
    """Contours of a loss over two weights, with the path of the weights.

    Parameters
    ----------
    X, y : samples of two classes
    path : path of the weights (array, perceptron or trace), optional
    loss : {"perceptron", "mistakes", "both"}
        J_p, the plain number of mistakes (flat: gradient descent is useless), or side by side.
    weights : which two weights to draw, 0 is the bias; by default the last two
    at : all weights, bias first; those not drawn are held there, by default at the path's end
    box : limits (u0, u1, v0, v1) of the two weights, optional
    fit_intercept : whether there is a bias
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [4], [5]], [-1, -1, 1, 1]
    >>> sorted(ls.plot.loss_surface(X, y, path=ls.Perceptron(), loss="both").values)
    ['mistakes', 'perceptron']
    """
    display = LossSurfaceDisplay.from_data(
        X, y, path=path, loss=loss, weights=weights, at=at, box=box, fit_intercept=fit_intercept
    )
    return display.plot(ax)


def convergence(
    w_path: Any, X: TableLike, y: Any, *, eta0: float = 1.0, ax: Any = None
) -> ConvergenceDisplay:
    """The curves of the convergence proof, k·γ ≤ w·w_opt ≤ ‖w‖ ≤ √k·R, and the bound R²/γ².

    Parameters
    ----------
    w_path : path of the weights from zeros (array, perceptron or trace)
    X, y : separable samples of two classes
    eta0 : the rate that made an array of weights; the curves are for w/η
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> display = ls.plot.convergence(ls.Perceptron(), X, y)
    >>> display.updates <= display.bound, round(display.bound, 6)
    (True, 27.0)
    """
    return ConvergenceDisplay.from_path(w_path, X, y, eta0=eta0).plot(ax)


def criterion(
    source: Any, X: TableLike, y: Any, *, tie: str = "update", ax: Any = None
) -> CriterionDisplay:
    """J_p and the number of mistakes after each update; rises are marked.

    Parameters
    ----------
    source : path of the weights (array, perceptron or trace)
    X, y : samples of two classes
    tie : what score 0 means for an array of weights, see ``Perceptron``
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.criterion(ls.Perceptron(tie="negative"), X, y)
    <CriterionDisplay: J_p is not monotonic: it rises twice in 4 updates>
    """
    return CriterionDisplay.from_path(source, X, y, tie=tie).plot(ax)


def step_size(
    X: TableLike = None,
    y: Any = None,
    w: Any = None,
    sample: Any = None,
    *,
    etas: Sequence[float] | None = None,
    ax: Any = None,
) -> StepSizeDisplay:
    """One update with a rate that is too small, right, and too large.

    Parameters
    ----------
    X, y : samples of two classes with one or two features; without them a built-in example
    w : weights before the update, bias first
    sample : row of the mistake that causes the update
    etas : the rates, one a panel; by default three telling ones are computed
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.step_size()
    >>> [display.verdict(panel) for panel in range(3)]
    ['too small: still wrong', 'right: mistake corrected', 'too large: 1 now wrong']
    """
    given = [value is not None for value in (X, y, w, sample)]
    if any(given) and not all(given):
        raise ValueError("step_size needs all of X, y, w and sample, or none for the example")
    if not any(given):
        X, y, w, sample = example()
    return StepSizeDisplay.from_mistake(X, y, w, sample, etas=etas).plot(ax)


def orders(
    X: TableLike,
    y: Any,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    inits: Sequence[Any] = (),
    estimator: Any = None,
    features: Any = None,
    ax: Any = None,
) -> OrdersDisplay:
    """Order and first weights change the answer: several boundaries in one figure.

    Parameters
    ----------
    X, y : samples of two classes
    seeds : a run with a shuffled order for each seed, beside the given order
    inits : a run from each of these first weights (bias first, or "random")
    estimator : the ``Perceptron`` to run; by default with its defaults
    features : two features by number or name, needed if X has more than two
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.orders(X, y, seeds=[0], inits=[[1, 1, 1]]).runs
    ['given order', 'shuffle 0', 'from [1, 1, 1]']
    """
    base = Perceptron() if estimator is None else estimator
    display = OrdersDisplay.from_seeds(base, X, y, seeds=seeds, inits=inits, features=features)
    return display.plot(ax)


def path_of_boundaries(
    X: TableLike, y: Any, weights: Any, *, features: Any = None, ax: Any = None
) -> BoundaryPathDisplay:
    """The boundary after each update, from faint to strong.

    Parameters
    ----------
    X, y : samples of two classes
    weights : path of the weights (array, perceptron or trace)
    features : two features by number or name, needed if X has more than two
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.path_of_boundaries(X, y, ls.Perceptron(tie="negative"))
    <BoundaryPathDisplay: 4 updates: the boundary moves from faint to dark>
    """
    path = weight_path(weights, read_samples(X, y, binary=True), name="weights").weights
    return BoundaryPathDisplay.from_path(path, X, y, features=features).plot(ax)


def margin(
    source: Any, X: TableLike, y: Any, *, ax: Any = None
) -> MarginDisplay | SvmMarginDisplay:
    """The margin of a support vector machine, or why classes are separable or not.

    A fitted linear machine: the boundary f = 0, the lines f = ±1, the width M = 2/‖w‖, support
    vectors ringed, and slack as lines from f = ±1 to the samples beyond it. Another kernel: the
    curves f = −1, 0, +1. A verdict of ``separability``: the widest margin, or a common point of
    both hulls.

    Parameters
    ----------
    source : a fitted ``LinearSVC`` or ``SVC`` of two classes, or what
        ``linscope.separability(X, y)`` returned for two classes
    X, y : the samples it is about, with one or two features
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> ls.plot.margin(ls.separability(X, y), X, y).point
    array([0.5, 0.5])
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.margin(ls.LinearSVC(C=float("inf")).fit(X, y), X, y)
    <SvmMarginDisplay: M = 2/‖w‖ = 0.7071, 3 support vectors, no slack>
    """
    if hasattr(source, "fit"):
        return SvmMarginDisplay.from_estimator(source, X, y).plot(ax)
    return MarginDisplay.from_verdict(source, X, y).plot(ax)


def dual_ascent(
    dual: Any, gap: Any, *, steps: Any = None, tol: float | None = None, ax: Any = None
) -> DualAscentDisplay:
    """The dual value of a support vector machine after each step, and the gap m(α) − M(α).

    Parameters
    ----------
    dual, gap : numbers; the columns of a trace of ``SVC``
    steps : after how many steps each was measured, by default 0, 1, 2 …
    tol : gap at which the run ends, optional
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.dual_ascent([0, 0.9, 1.1, 1.2], [2, 1, 0.2, 0])
    <DualAscentDisplay: D rises from 0 to 1.2 in 3 steps>
    """
    return DualAscentDisplay.from_values(dual, gap, steps, tol).plot(ax)


def descent(runs: Any = "rates", *, together: bool | None = None, ax: Any = None) -> DescentDisplay:
    """Runs of ``linscope.gradient_descent`` on the function: a curve, contours, or f by step.

    Parameters
    ----------
    runs : one or several runs of one function, or an example of the notes: "rates" (too small,
        right, too large), "minima" (which local minimum depends on the start), "valley"
    together : all runs in one panel, or a panel each; by default in one if the starts differ
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.descent()
    >>> [display.verdict(panel) for panel in range(3)]
    ['too small: 25 steps, not there', '6 steps to the minimum', 'too large: the steps grow']
    >>> run = ls.gradient_descent(lambda x: x[0] ** 2 + 3 * x[1] ** 2, None, [2.0, 1.0])
    >>> ls.plot.descent(run)
    <DescentDisplay: η = 0.1: 58 steps to the minimum>
    """
    if isinstance(runs, str):
        if runs not in EXAMPLES:
            raise ValueError(
                f"runs={runs!r} is no example: choose from {', '.join(map(repr, EXAMPLES))}, or "
                "pass what linscope.gradient_descent returned"
            )
        runs = EXAMPLES[runs]()
    return DescentDisplay.from_runs(runs, together=together).plot(ax)


def lms_paths(
    X: TableLike = None,
    y: Any = None,
    *,
    passes: int = 30,
    eta0: float | str = "auto",
    random_state: int | np.random.RandomState | None = 0,
    ax: Any = None,
) -> LmsPathsDisplay:
    """A line fitted by batch and by stochastic descent: paths of its weights on contours of J.

    Batch descent settles in the minimum. Stochastic descent with a constant rate keeps oscillating
    around it; the average of its second half does not.

    Parameters
    ----------
    X, y : samples of one feature and their targets; without them a built-in example
    passes : passes over the samples
    eta0 : rate of the stochastic descent; "auto" as in ``LinearRegression``
    random_state : for the order of the visits
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.lms_paths()
    >>> batch, last, mean = display.distances
    >>> batch < mean < last
    True
    """
    options: dict[str, Any] = {"passes": passes, "eta0": eta0, "random_state": random_state}
    return LmsPathsDisplay.from_data(X, y, **options).plot(ax)


def lms_fit(
    X: TableLike,
    y: Any,
    weights: Any,
    *,
    sample_weight: Any = None,
    alpha: float = 0.0,
    ax: Any = None,
) -> LmsFitDisplay:
    """A line that learns: over the samples after each update, and as a path of weights on J.

    Parameters
    ----------
    X, y : samples of one feature and their targets
    weights : (bias, slope) before the first update and after each, one row each
    sample_weight, alpha : as in the criterion J
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.lms_fit([[0], [1], [2]], [1, 3, 5], [[0, 0], [0.5, 1], [0.9, 1.8]])
    <LmsFitDisplay: 2 updates: the line from faint to dark, its weights downhill on J>
    """
    display = LmsFitDisplay.from_path(weights, X, y, weight=sample_weight, alpha=alpha)
    return display.plot(ax)


def residuals(
    estimator: Any, X: TableLike = None, y: Any = None, *, output: int | str = 0, ax: Any = None
) -> ResidualsDisplay:
    """Four looks at the residuals of a linear model: bend, normality, spread, influence.

    Parameters
    ----------
    estimator : fitted ``LinearRegression`` or ``Ridge``, or any model with ``coef_`` and
        ``intercept_``
    X, y : the training data, needed unless the model still has them
    output : which target, by number or name
    ax : four matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("diabetes")
    >>> ls.plot.residuals(ls.LinearRegression().fit(X, y))
    <ResidualsDisplay: Four looks at the residuals of y: 442 rows>
    """
    return ResidualsDisplay.from_estimator(estimator, X, y, output).plot(ax)


def line_fit(
    estimator: Any,
    X: TableLike = None,
    y: Any = None,
    *,
    level: float = 0.95,
    output: int | str = 0,
    ax: Any = None,
) -> LineFitDisplay:
    """Points and the fitted line of one feature, with residuals, confidence and prediction band.

    Parameters
    ----------
    estimator, X, y, output : as for ``residuals``
    level : of the bands
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.line_fit(ls.LinearRegression().fit(*ls.datasets.load("five_points")))
    <LineFitDisplay: ŷ = 1.108 + 1.162·x1, R² = 0.961>
    """
    return LineFitDisplay.from_estimator(estimator, X, y, level=level, output=output).plot(ax)


def lms_curve(values: Any, *, updates: Any = None, ax: Any = None) -> LmsCurveDisplay:
    """J after each update of a descent.

    Parameters
    ----------
    values : J before the first update and after each
    updates : after how many updates, by default 0, 1, 2 …
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.lms_curve([8.0, 4.0, 2.0])
    <LmsCurveDisplay: J falls from 8 to 2 in 2 updates>
    """
    return LmsCurveDisplay.from_values(values, updates).plot(ax)


def overfitting(
    X: TableLike,
    y: Any,
    *,
    degrees: Any = None,
    cv: Any = 5,
    validation: Any = None,
    ax: Any = None,
) -> OverfittingDisplay:
    """How many terms? Errors of polynomial fits by degree, on old samples and on new ones.

    Parameters
    ----------
    X, y : samples of one or several features, and a number for each
    degrees : the degrees to try; by default from 1 up to 12, or as many as the samples allow
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
    """
    display = OverfittingDisplay.from_data(
        LinearRegression(), X, y, degrees=degrees, cv=cv, validation=validation
    )
    return display.plot(ax)


def projection(
    estimator: Any, X: TableLike, y: Any, *, ax: Any = None
) -> ProjectionDisplay | DiscriminantsDisplay:
    """The samples along the best direction, or in the plane of the two best.

    Two classes: histograms along the weights of a linear classifier, with the means and spreads of
    the classes, beside those along the difference of the means; with two features also the samples
    themselves. K classes: the plane of the first two directions of a discriminant.

    Parameters
    ----------
    estimator : fitted linear classifier for two classes; ``FisherDiscriminant`` for K classes
    X, y : samples and labels
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("breast_cancer")
    >>> display = ls.plot.projection(ls.FisherDiscriminant().fit(X, y), X, y)
    >>> display.criteria.round(4)
    array([0.0087, 0.0258])
    >>> X, y = ls.datasets.load("iris")
    >>> ls.plot.projection(ls.FisherDiscriminant().fit(X, y), X, y)
    <DiscriminantsDisplay: Two of 4 dimensions keep 100 % of what separates the classes>
    """
    return best_projection(estimator, X, y).plot(ax)


def outliers(
    X: TableLike = None, y: Any = None, outliers: Any = None, *, models: Any = None, ax: Any = None
) -> _outliers.OutliersDisplay:
    """The boundaries of linear classifiers without and with samples far on their own side.

    Least squares punishes samples that are too right, so such outliers move its boundary.

    Parameters
    ----------
    X, y : samples of two classes with two features; without them a built-in example
    outliers : array (m, 2), more samples of the second class
    models : {name: linear classifier}; by default the linear classifiers of the notes
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> models = {"least squares": ls.LeastSquaresClassifier(), "perceptron": ls.Perceptron()}
    >>> ls.plot.outliers(models=models).wrong
    array([[0, 0], [9, 0]])
    """
    given = [value is not None for value in (X, y, outliers)]
    if any(given) and not all(given):
        raise ValueError("outliers needs all of X, y and outliers, or none for the example")
    if not any(given):
        X, y, outliers = _outliers.example()
    if models is None:
        models = {
            "least squares": LeastSquaresClassifier(),
            "Fisher": FisherDiscriminant(),
            "perceptron": Perceptron(),
            "logistic regression": LogisticRegression(),
            "support vectors": LinearSVC(),
        }
    return _outliers.OutliersDisplay.from_data(models, X, y, outliers).plot(ax)


def ordinal_codes(
    X: TableLike = None, y: Any = None, *, features: Any = None, ax: Any = None
) -> _codes.OrdinalCodesDisplay:
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
    if (X is None) != (y is None):
        raise ValueError("ordinal_codes needs both X and y, or none for the example")
    if X is None:
        X, y = _codes.example()
    models = LinearRegression(), LeastSquaresClassifier()
    return _codes.OrdinalCodesDisplay.from_data(*models, X, y, features=features).plot(ax)


def confusion(
    source: Any, *data: Any, normalize: str | None = None, ax: Any = None
) -> ConfusionDisplay:
    """The confusion matrix, drawn as in the notes: rows predicted, columns actual.

    Parameters
    ----------
    source, data : an ``Evaluation``; a fitted classifier, X and y; or y_true and y_pred
    normalize : None, or shares of each actual class ("true"), each predicted class ("pred") or of
        all samples ("all")
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.confusion(["A", "A", "F"], ["A", "F", "F"])
    <ConfusionDisplay: 66.67 % right: 1 error in 3 samples>
    """
    return ConfusionDisplay.from_data(source, *data, normalize=normalize).plot(ax)


def roc(source: Any, *data: Any, kind: str = "roc", ax: Any = None) -> RocDisplay:
    """Hits against false alarms at every threshold, and precision against recall.

    Parameters
    ----------
    source, data : an ``Evaluation`` with scores; a fitted classifier, X and y; y_true and scores;
        or a dict of evaluations (or classifiers, then X and y) to compare
        With K classes there is a curve for each class against the rest.
    kind : "roc", "pr" (precision against recall) or "both"
    ax : matplotlib axes, one a panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.roc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    <RocDisplay: ROC AUC 0.75>
    """
    return RocDisplay.from_data(source, *data, kind=kind).plot(ax)


def path(source: Any, *, ax: Any = None) -> PathDisplay | GridDisplay:
    """Weights against C, and the score of held-out rows with the chosen C marked.

    For an SVC a heat map of the scores over C and γ, or a curve for one γ.

    Parameters
    ----------
    source : what ``linscope.path`` returns
    ax : matplotlib axes, optional: two, or one for an SVC

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("iris")
    >>> ls.plot.path(ls.path(ls.LogisticRegression(), X, y, Cs=[0.01, 1, 100]))
    <PathDisplay: C = 100 is chosen: accuracy 0.98 ± 0.013>
    >>> ls.plot.path(ls.path(ls.SVC(), X, y, Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]))
    <GridDisplay: C = 1, γ = 0.1 are chosen: accuracy 0.98 ± 0.0082>
    """
    kind = GridDisplay if hasattr(source, "gammas_") else PathDisplay
    return kind.from_path(source).plot(ax)


def calibration(source: Any, *data: Any, n_bins: int = 10, ax: Any = None) -> CalibrationDisplay:
    """Predicted probabilities against observed shares; well calibrated is on the diagonal.

    Parameters
    ----------
    source, data : as for ``roc``, with probabilities
    n_bins : number of bins of equal width
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.calibration([0, 0, 1, 1], [0.2, 0.6, 0.6, 0.8], n_bins=5)
    <CalibrationDisplay: Probabilities are off by 0.15 on average>
    """
    return CalibrationDisplay.from_data(source, *data, n_bins=n_bins).plot(ax)
