"""What a classifier's predictions are worth: the numbers of the notes in one object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from linscope.data.frames import to_backend
from linscope.reports.page import Report

from . import render
from .confusion import Averages, Confusion
from .curves import ScoreCurve
from .rates import AVERAGES, RATIOS, mean

MOST_NAMES = 5
NO_CURVES = "the curves are not known without scores: "


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Evaluation(Confusion, Report):
    """Confusion matrix, rates and curves of predictions; made by ``linscope.evaluate``.

    Precision, recall and the like are numbers for the positive class of two. With K classes they
    are arrays, one entry per class in the order of ``labels``, unless a positive class was chosen.
    A ratio 0/0 is NaN, and ``notes`` says why.

    Attributes
    ----------
    labels : the classes, in the order of the matrix and of all arrays
    positive : the positive class; None with K classes
    n_samples : number of samples
    rows : "predicted" or "actual", what the rows of the matrix are
    confusion_matrix : counts, or sums of weights
    accuracy, error_rate : share of the samples that are right, and wrong
    tp, fp, fn, tn : hits, false alarms, misses, correct rejections
    precision, recall, specificity, fpr, fnr, f1 : rates
    support : number of samples of each class
    macro, micro, weighted : ``Averages`` over the classes: all classes equal, all samples pooled,
        classes weighted by their support; classes without a value are left out
    roc_auc, average_precision : area under the ROC curve, Σ precision·Δrecall; None without
        scores
    log_loss, brier_score : of probabilities, None without
    notes : sentences on what is not defined
    """

    curves: list[ScoreCurve] | None = None
    probabilities: bool = False
    log_loss: float | None = None
    brier_score: float | None = None
    printed: bool = False  # only the matrix is known

    def _averages(self, kind: str) -> Averages:
        averages = super()._averages(kind)
        if self.curves is None or kind == "micro":
            return averages
        weight = self.support if kind == "weighted" else None
        return replace(averages, **{k: mean(v, weight) for k, v in self.of_curves.items()})

    @cached_property
    def of_curves(self) -> dict[str, np.ndarray]:
        """What each class has from its curve."""
        assert self.curves is not None
        names = ("roc_auc", "average_precision")
        return {name: np.array([getattr(c, name) for c in self.curves]) for name in names}

    roc_auc = property(lambda self: self._of_curve("roc_auc"))
    average_precision = property(lambda self: self._of_curve("average_precision"))

    def _of_curve(self, name: str) -> Any:
        if self.curves is None:
            return None
        values = self.of_curves[name]
        return values if self.position is None else float(values[self.position])

    def curve(self, label: Any = None) -> ScoreCurve:
        """The counts at every threshold, of the positive class or of the one that is named."""
        if self.curves is None:
            raise ValueError(NO_CURVES + self._advice)
        if label is None and self.positive is None:
            raise ValueError(
                f"which class? With {len(self.labels)} classes there is one curve per class: pass "
                f"label=, one of {', '.join(self.names[:10])}"
            )
        known = self.labels.tolist()
        label = self.positive if label is None else label
        if label not in known:
            raise ValueError(f"label={label!r} is no class: known are {', '.join(self.names[:10])}")
        return self.curves[known.index(label)]

    @property
    def _advice(self) -> str:
        return "a matrix of counts has none" if self.printed else "pass scores= to evaluate"

    def roc_curve(self, label: Any = None, *, drop_intermediate: bool = True) -> tuple:
        """fpr, tpr and thresholds, as ``sklearn.metrics.roc_curve`` gives them."""
        return self.curve(label).roc_curve(drop_intermediate)

    def precision_recall_curve(self, label: Any = None) -> tuple:
        """precision, recall, thresholds, as ``sklearn.metrics.precision_recall_curve``."""
        return self.curve(label).precision_recall_curve()

    def calibration_curve(self, label: Any = None, *, n_bins: int = 10) -> tuple:
        """prob_true and prob_pred of bins of equal width, as ``sklearn.calibration`` gives them."""
        return self.binned(label, n_bins)[:2]

    def binned(self, label: Any = None, n_bins: int = 10) -> tuple:
        """prob_true, prob_pred and the number (or weight) of the samples of each bin."""
        curve = self.curve(label)
        if not self.probabilities:
            raise ValueError(
                "calibration needs probabilities, and these scores are decision values: pass "
                "predict_proba instead"
            )
        if not (n_bins >= 1 and n_bins == int(n_bins)):
            raise ValueError(f"n_bins must be a whole number of at least 1, got {n_bins!r}")
        return curve.calibration_curve(int(n_bins))

    def best_threshold(
        self, rule: str = "youden", *, cost_fp: float = 1.0, cost_fn: float = 1.0
    ) -> float:
        """The threshold that a rule prefers on these samples; "score ≥ threshold" is positive.

        Parameters
        ----------
        rule : "youden" (most tpr − fpr), "f1" (most F1) or "cost" (least total cost)
        cost_fp, cost_fn : for "cost": the price of a false alarm and of a miss

        Notes
        -----
        Chosen on the samples it is judged by, a threshold looks better than it is: choose it on
        other samples.
        """
        if not (cost_fp >= 0 and cost_fn >= 0 and np.isfinite(cost_fp + cost_fn)):
            raise ValueError(f"costs must be at least 0, got {cost_fp!r} and {cost_fn!r}")
        return self._two_classes().best_threshold(rule, cost_fp, cost_fn)

    def at_threshold(self, threshold: float) -> Self:
        """The evaluation if a score of at least ``threshold`` meant positive."""
        curve = self._two_classes()
        tp, fp = curve.counts_at(float(threshold))
        fn, tn = curve.positives - tp, curve.negatives - fp
        yes = self.position
        assert yes is not None
        matrix = np.zeros_like(self.matrix)
        matrix[yes, yes], matrix[yes, 1 - yes] = tp, fn
        matrix[1 - yes, yes], matrix[1 - yes, 1 - yes] = fp, tn
        return replace(self, matrix=matrix)

    def _two_classes(self) -> ScoreCurve:
        if len(self.labels) != 2:
            raise ValueError(
                f"a threshold decides between two classes, here are {len(self.labels)}"
            )
        return self.curve()

    @property
    def notes(self) -> list[str]:
        """A sentence for everything that is not defined."""
        if len(self.labels) == 2 and self.position is not None:
            sentences = self._undefined([self.position])
        else:
            sentences = self._undefined(list(range(len(self.labels))))
            if sentences:
                sentences.append("Averages leave out the classes without a value.")
        if self.log_loss == np.inf:
            sentences.append("log_loss is ∞: a sample has probability 0 for its own class.")
        if self.printed:
            sentences.append("ROC, log loss and the like are not known: a matrix has no scores.")
        return sentences

    def _undefined(self, positions: list[int]) -> list[str]:
        counts, names = self.counts, self.names
        sentences = []
        for ratio, (_, _, reason) in RATIOS.items():
            values = counts.ratio(ratio)
            empty = [names[k] for k in positions if np.isnan(values[k])]
            if empty:
                sentences.append(f"{ratio} of {_list(empty)} is 0/0: {reason}.")
        if self.curves is not None:
            empty = [names[k] for k in positions if np.isnan(self.of_curves["roc_auc"][k])]
            if empty:
                sentences.append(
                    f"roc_auc of {_list(empty)} is 0/0: it needs samples of both kinds."
                )
        return sentences

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per class, then the three averages.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        averages = [getattr(self, kind) for kind in AVERAGES]
        rates = {name: self.counts.ratio(name) for name in RATIOS}
        rates["f1"] = self.counts.fbeta(1.0)
        if self.curves is not None:
            rates |= self.of_curves
        out: dict[str, Any] = {
            "label": np.array([*self.names, *(f"{kind} avg" for kind in AVERAGES)], dtype=object)
        }
        for name, values in rates.items():
            means = [getattr(average, name) for average in averages]
            out[name] = np.r_[values, [np.nan if value is None else value for value in means]]
        out["support"] = np.r_[self.support, [self.matrix.sum()] * len(AVERAGES)]
        for name in ("tp", "fp", "fn", "tn"):
            values = getattr(self.counts, name)
            # Only the micro average has counts: those of all classes together.
            out[name] = np.r_[values.astype(np.float64), [np.nan, values.sum(), np.nan]]
        return to_backend(out, backend)

    def to_html(self) -> str:
        """Matrix and rates for notebooks and pages."""
        return render.html(self)

    def to_latex(self) -> str:
        """Matrix and rates as two LaTeX ``tabular``."""
        return render.latex(self)

    def __str__(self) -> str:
        return render.text(self)


def _list(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (" …" if len(names) > MOST_NAMES else "")
