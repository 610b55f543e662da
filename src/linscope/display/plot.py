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

from .boundary import BoundaryDisplay
from .boundary_path import BoundaryPathDisplay
from .convergence import ConvergenceDisplay
from .criterion import CriterionDisplay
from .loss_surface import LossSurfaceDisplay
from .margin import MarginDisplay
from .orders import OrdersDisplay
from .solutions import SolutionsDisplay
from .step_size import StepSizeDisplay, example
from .weight_space import WeightSpaceDisplay

__all__ = [
    "boundary",
    "convergence",
    "criterion",
    "loss_surface",
    "margin",
    "orders",
    "path_of_boundaries",
    "solutions",
    "step_size",
    "weight_space",
]


def boundary(estimator, X, y, *, features=None, ax=None) -> BoundaryDisplay:
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


def solutions(source, X, y, *, updates=None, also=(), tie="update", ax=None) -> SolutionsDisplay:
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
    X, y, *, weights_path=None, weights=None, fit_intercept=True, ax=None
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
    X,
    y,
    *,
    path=None,
    loss="perceptron",
    weights=None,
    at=None,
    box=None,
    fit_intercept=True,
    ax=None,
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


def convergence(w_path, X, y, *, eta0=1.0, ax=None) -> ConvergenceDisplay:
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


def criterion(source, X, y, *, tie="update", ax=None) -> CriterionDisplay:
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


def step_size(X=None, y=None, w=None, sample=None, *, etas=None, ax=None) -> StepSizeDisplay:
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
    X, y, *, seeds=(0, 1, 2), inits=(), estimator=None, features=None, ax=None
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
    display = OrdersDisplay.from_seeds(
        X, y, seeds=seeds, inits=inits, estimator=estimator, features=features
    )
    return display.plot(ax)


def path_of_boundaries(X, y, weights, *, features=None, ax=None) -> BoundaryPathDisplay:
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
    return BoundaryPathDisplay.from_path(weights, X, y, features=features).plot(ax)


def margin(verdict, X, y, *, ax=None) -> MarginDisplay:
    """Why classes are separable (widest margin, support vectors) or not (a common point).

    Parameters
    ----------
    verdict : what ``linscope.separability(X, y)`` returned for two classes
    X, y : the same samples, with one or two features
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> ls.plot.margin(ls.separability(X, y), X, y).point
    array([0.5, 0.5])
    """
    return MarginDisplay.from_verdict(verdict, X, y).plot(ax)
