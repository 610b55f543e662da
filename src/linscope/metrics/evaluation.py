"""What a classifier's predictions are worth: the numbers of the notes in one object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from linscope.data.frames import to_backend

from . import render, table
from .confusion import Averages, Confusion
from .curves import ScoreCurve
from .rates import mean


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Evaluation(Confusion):
    """Confusion matrix, rates and curves of predictions; made by ``linscope.evaluate``.

    Precision, recall and the like are numbers for the positive class of two. With K classes they
    are arrays, one entry a class in the order of ``labels``, unless a positive class was chosen. A
    ratio 0/0 is NaN, and ``notes`` says why.

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

    @property
    def roc_auc(self) -> Any:
        return self._of_curve("roc_auc")

    @property
    def average_precision(self) -> Any:
        return self._of_curve("average_precision")

    def _of_curve(self, name: str) -> Any:
        if self.curves is None:
            return None
        values = self.of_curves[name]
        return values if self.position is None else float(values[self.position])

    def curve(self, label: Any = None) -> ScoreCurve:
        """The counts at every threshold, of the positive class or of the one that is named."""
        if self.curves is None:
            raise ValueError("there are no curves without scores: pass scores= to evaluate")
        if label is None and self.positive is None:
            raise ValueError(
                f"which class? With {len(self.labels)} classes there is one curve a class: pass "
                f"label=, one of {', '.join(self.names[:10])}"
            )
        known = self.labels.tolist()
        label = self.positive if label is None else label
        if label not in known:
            raise ValueError(f"label={label!r} is no class: known are {', '.join(self.names[:10])}")
        return self.curves[known.index(label)]

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
        return table.notes(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a class, then the three averages.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        return to_backend(table.columns(self), backend)

    def to_html(self) -> str:
        """Matrix and rates for notebooks and pages."""
        return render.html(self)

    def to_latex(self) -> str:
        """Matrix and rates as two LaTeX ``tabular``."""
        return render.latex(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return render.text(self)

    __repr__ = __str__
