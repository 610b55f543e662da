"""K classes in the plane of the two directions that separate them best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.inputs import Samples, read_samples

from .projection import ProjectionDisplay


@dataclass(eq=False, kw_only=True, repr=False)
class DiscriminantsDisplay(Display):
    """K classes in the plane of the two best directions.

    Attributes
    ----------
    samples : the samples
    values : array (n, 2), their coordinates
    means : array (K, 2), the class means
    ratio : share of the two directions in the variance between classes
    """

    samples: Samples
    values: np.ndarray
    means: np.ndarray
    ratio: np.ndarray
    size = 6.4, 5.2

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any) -> Self:
        """The first two columns of ``transform`` of a fitted discriminant."""
        check_is_fitted(estimator)
        samples = read_samples(X, y)
        if not hasattr(estimator, "scalings_"):
            raise ValueError(
                f"{type(estimator).__name__} has no directions for {len(samples.classes)} classes: "
                "pass a fitted FisherDiscriminant, or the samples of two classes"
            )
        directions = np.asarray(estimator.scalings_, dtype=np.float64)[:, :2]
        if directions.shape[1] < 2:
            raise ValueError("the model has one direction only: pass the samples of two classes")
        values = (samples.X - estimator.xbar_) @ directions
        K = len(samples.classes)
        between = _between((samples.X - estimator.xbar_) @ estimator.scalings_, samples.codes)
        return cls(
            samples=samples,
            values=values,
            means=np.array([values[samples.codes == k].mean(axis=0) for k in range(K)]),
            ratio=between[:2] / (between.sum() or 1.0),
        )

    @property
    def title(self) -> str:
        share = 100.0 * float(self.ratio.sum())
        d = self.samples.X.shape[1]
        return f"Two of {d} dimensions keep {share:.3g} % of what separates the classes"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        theme.scatter(ax, self.values, self.samples.codes, size=30)
        for k, mean in enumerate(self.means):
            ax.scatter(
                mean[0],
                mean[1],
                s=150,
                marker=theme.class_marker(k),
                c=theme.class_colour(k),
                edgecolors="white",
                linewidths=2.2,
                zorder=6,
            )
        for axis, share in zip(("x", "y"), self.ratio, strict=True):
            number = 1 if axis == "x" else 2
            getattr(ax, f"set_{axis}label")(f"discriminant {number} ({100 * float(share):.3g} %)")
        mean = theme.class_entry(0, "large: class mean")
        mean.set(markerfacecolor=theme.SOFT, markeredgecolor="white", markersize=11)
        theme.title_and_key(ax, self.title, [*theme.class_entries(self.samples.labels), mean])


def _between(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The variance of the class means along each direction."""
    count = np.bincount(codes)
    means = np.array([values[codes == k].mean(axis=0) for k in range(len(count))])
    return count @ (means - values.mean(axis=0)) ** 2 / len(codes)


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
    ax : matplotlib axes, one per panel, optional

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
    many = len(getattr(estimator, "classes_", ())) > 2
    kind = DiscriminantsDisplay if many else ProjectionDisplay
    return kind.from_estimator(estimator, X, y).plot(ax)
