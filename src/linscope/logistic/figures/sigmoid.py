"""The sigmoid, by which logistic regression makes a probability of a score.

h(a)   =  σ(a)  =  1 / (1 + e^−a)        between 0 and 1, ½ at a = 0
h'(a)  =  h(a) (1 − h(a))                steepest at a = 0, where it is ¼

A fitted model says P(second class | x) = σ(w·x), and predicts the second class where that is at
least ½, that is where w·x ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.decisions import predict
from linscope.display.inputs import Samples, dense, read_samples
from linscope.losses.logistic import root_of_bend
from linscope.losses.logistic import sigmoid as probability

from .logit_table import LogitTable

POINTS = 401
REACH = 6.0
# A probability crosses ½ so far from the samples (in their range) and is still drawn.
FAR = 1.0


def sigmoid(
    estimator: Any = None, X: TableLike = None, y: Any = None, *, ax: Any = None
) -> SigmoidDisplay | ProbabilityDisplay:
    """The sigmoid with its derivative, or the probabilities of a fitted logistic regression.

    Parameters
    ----------
    estimator : fitted logistic regression of two classes, optional; one feature is drawn as it is,
        several along their score w·x
    X, y : its samples, needed unless the model still has them
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.sigmoid()
    >>> display
    <SigmoidDisplay: σ(a) = 1 / (1 + e⁻ᵃ), with the slope σ(a)·(1 − σ(a))>
    >>> print(display.table)
       p  odds = p / (1 − p)  logit = log odds
       0                   0                −∞
    0.01            0.010101          −4.59512
     0.1            0.111111          −2.19722
    0.25            0.333333          −1.09861
     0.5                   1                 0
    0.75                   3           1.09861
     0.9                   9           2.19722
    0.99                  99           4.59512
       1                   ∞                 ∞
    >>> hours, passed = [[1], [2], [3], [4], [5], [6]], [0, 0, 1, 0, 1, 1]
    >>> ls.plot.sigmoid(ls.LogisticRegression(C=10).fit(hours, passed))
    <ProbabilityDisplay: P(1 | x) = σ(−3.942 + 1.126·x) is 0.5 at x = 3.5>
    """
    if estimator is None:
        if X is not None or y is not None:
            raise ValueError("X and y are samples of a fitted model: pass that too")
        places = np.linspace(-REACH, REACH, POINTS)
        return SigmoidDisplay(
            places=places, values=probability(places), slopes=root_of_bend(places, 1.0) ** 2
        ).plot(ax)
    bias, w = _weights(estimator)
    samples = _samples(estimator, X, y)
    if samples.X.shape[1] != len(w):
        raise ValueError(f"X has {samples.X.shape[1]} features, but the model has {len(w)}")
    single = len(w) == 1
    at = samples.X[:, 0] if single else bias + samples.X @ w
    line = (bias, float(w[0])) if single else (0.0, 1.0)
    threshold = -line[0] / line[1] if line[1] else float("nan")
    places = np.linspace(*_reach(at, threshold), POINTS)
    return ProbabilityDisplay(
        samples=samples,
        at=at,
        places=places,
        values=probability(line[0] + line[1] * places),
        line=line,
        threshold=threshold,
        wrong=predict(estimator, samples.X) != samples.truth,
        name=samples.names[0] if single else "w·x",
    ).plot(ax)


def _weights(estimator: Any) -> tuple[float, np.ndarray]:
    """The bias and the other weights of a logistic regression of two classes."""
    check_is_fitted(estimator)
    known = all(hasattr(estimator, name) for name in ("coef_", "intercept_", "predict_proba"))
    if not known or len(np.atleast_2d(estimator.coef_)) != 1:
        raise TypeError(
            f"sigmoid needs a fitted logistic regression of two classes, got "
            f"{type(estimator).__name__}"
            + (f" of {len(estimator.classes_)} classes" if known else "")
        )
    coef = np.asarray(estimator.coef_, dtype=np.float64).ravel()
    return float(np.ravel(estimator.intercept_)[0]), coef


def _samples(estimator: Any, X: Any, y: Any) -> Samples:
    """Those given, or the training samples; a single feature without a name is x."""
    named = getattr(estimator, "feature_names_in_", None)
    if X is None or y is None:
        training = estimator._found() if hasattr(estimator, "_found") else None
        if training is None or X is not None or y is not None:
            raise ValueError(f"{type(estimator).__name__} needs its samples here: pass X and y")
        names = None if named is None else list(named)
        return Samples(dense(training.X), training.codes, training.classes, names or ["x"])
    samples = read_samples(X, y, binary=True)
    if named is None and samples.names == ["x1"]:
        return Samples(samples.X, samples.codes, samples.classes, ["x"])
    return samples


def _reach(at: np.ndarray, threshold: float) -> tuple[float, float]:
    """A little beyond the samples, and as far as the threshold unless that is far away."""
    low, high = float(at.min()), float(at.max())
    size = high - low or max(abs(high), 1.0)
    if low - FAR * size < threshold < high + FAR * size:
        low, high = min(low, threshold), max(high, threshold)
    return low - 0.12 * size, high + 0.12 * size


@dataclass(eq=False, kw_only=True, repr=False)
class SigmoidDisplay(Display):
    """The sigmoid and its derivative.

    Attributes
    ----------
    places : values of the score a
    values, slopes : σ(a) and σ'(a) there
    table : probabilities with their odds and log odds; ``print`` it
    """

    places: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    table = LogitTable.of()

    @property
    def title(self) -> str:
        return "σ(a) = 1 / (1 + e⁻ᵃ), with the slope σ(a)·(1 − σ(a))"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        for height in (0.0, 0.5, 1.0):
            ax.axhline(height, color=theme.SOFT, lw=0.8, ls=theme.DASHED, zorder=1)
        ax.axvline(0, color=theme.SOFT, lw=0.8, zorder=1)
        ax.plot(self.places, self.values, color=theme.BLUE, lw=2.4, zorder=3)
        slope: dict[str, Any] = {"color": theme.ORANGE, "lw": 2.0, "ls": (0, (5, 2))}
        ax.plot(self.places, self.slopes, zorder=2, **slope)
        for height, text, below in ((0.5, "σ(0) = ½", 14), (0.25, "σ′(0) = ¼", -6)):
            ax.plot(0, height, marker="o", ms=6, color=theme.INK, zorder=4)
            place: dict[str, Any] = {"textcoords": "offset points", "xytext": (8, -below)}
            ax.annotate(text, (0, height), fontsize=theme.TEXT, color=theme.INK, **place)
        ax.set(xlim=self.places[[0, -1]], ylim=(-0.05, 1.05), yticks=[0, 0.25, 0.5, 0.75, 1])
        ax.set(xlabel="score a = w·x = log odds", ylabel="probability σ(a)")
        entries = [
            theme.line_entry("sigmoid σ(a)", color=theme.BLUE, lw=2.4),
            theme.line_entry("its derivative σ′(a)", **slope),
        ]
        theme.title_and_key(ax, self.title, entries)


@dataclass(eq=False, kw_only=True, repr=False)
class ProbabilityDisplay(Display):
    """Samples of two classes and the probability of the second.

    Attributes
    ----------
    samples : the table with its classes
    at : the feature of each sample, or its score w·x if there are several features
    places, values : where the curve is drawn, and the probability there
    line : (c, a) of the log odds c + a·(place)
    threshold : the place where the probability is ½; NaN if it is the same everywhere
    wrong : which samples the model gets wrong
    name : of the feature, or w·x
    table : probabilities with their odds and log odds; ``print`` it
    """

    samples: Samples
    at: np.ndarray
    places: np.ndarray
    values: np.ndarray
    line: tuple[float, float]
    threshold: float
    wrong: np.ndarray
    name: str
    table = LogitTable.of()

    @property
    def title(self) -> str:
        label, name = self.samples.labels[1], self.name if len(self.name) <= 24 else "x"
        bias, slope = self.line
        if np.isnan(self.threshold):
            return f"P({label} | x) is {theme.number(float(self.values[0]))} everywhere"
        if name == "w·x":
            return f"P({label} | x) = σ(w·x) is 0.5 where w·x = 0"
        sign = "+" if slope >= 0 else "−"
        score = f"{theme.number(bias)} {sign} {theme.number(abs(slope))}·{name}"
        return f"P({label} | x) = σ({score}) is 0.5 at {name} = {theme.number(self.threshold)}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        ends = self.places[[0, -1]]
        self._draw_shades(ax, ends)
        ax.plot(self.places, self.values, color=theme.INK, lw=2.2, zorder=3)
        ax.axhline(0.5, color=theme.SOFT, lw=0.9, ls=theme.DASHED, zorder=2)
        if ends[0] <= self.threshold <= ends[1]:
            ax.axvline(self.threshold, color=theme.SOFT, lw=1.2, ls=theme.DASHED, zorder=2)
        points = np.column_stack([self.at, self.samples.codes])
        theme.scatter(ax, points, self.samples.codes)
        theme.ring(ax, points[self.wrong], size=130 if len(points) <= 100 else 60)
        label = theme.name(self.samples.labels[1])
        ax.set(xlim=ends, ylim=(-0.1, 1.1), yticks=[0, 0.25, 0.5, 0.75, 1])
        ax.set(xlabel=theme.name(self.name), ylabel=f"P({label} | x)")
        entries = [
            *theme.class_entries(self.samples.labels),
            theme.line_entry(f"P({label} | x)"),
            theme.line_entry("threshold 0.5", color=theme.SOFT, lw=1.2, ls=theme.DASHED),
        ]
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, self.title, entries)

    def _draw_shades(self, ax: Axes, ends: np.ndarray) -> None:
        """The ground in the colours of the classes, as strong as the model is sure."""
        first, second = (theme.tint(theme.class_colour(code), 0.45) for code in (0, 1))
        colours = LinearSegmentedColormap.from_list("classes", [first, (1.0, 1.0, 1.0), second])
        ax.imshow(
            self.values[None, :],
            extent=(*ends, -0.1, 1.1),
            cmap=colours,
            vmin=0,
            vmax=1,
            aspect="auto",
            interpolation="bilinear",
            zorder=0,
        )
