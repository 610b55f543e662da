"""What predictions for held-out rows are worth: higher is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from linscope.data.suggest import did_you_mean
from linscope.fitting.training import Training
from linscope.losses.softmax import loss

from .splits import Split

# Like scikit-learn's log loss: a probability below this counts as this.
MOST_LOSS = -float(np.log(np.finfo(np.float64).eps))


def accuracy(codes: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> float:
    """Share of the rows that are right, from scores (n, 1) or (n, K)."""
    found = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(np.average(found == codes, weights=weight))


def neg_log_loss(codes: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> float:
    """−mean loss."""
    values = loss(scores, codes)
    return -float(np.average(np.minimum(values, MOST_LOSS), weights=weight))


QUICK = {"accuracy": accuracy, "neg_log_loss": neg_log_loss}


class Scoring(NamedTuple):
    """A score by name, from scores of rows where there is a quick way, else from a model."""

    name: str
    quick: Callable[..., float] | None
    scorer: Any

    def of_fold(
        self, fits: Any, fold: int, split: Split, training: Training, weight: np.ndarray | None
    ) -> float:
        """The score of the rows held out; ``weight`` are the weights of all rows, or None."""
        held = fits.held_out(fold) if self.quick is not None else None
        if held is not None:
            rows, scores = held
            own = None if weight is None else weight[rows]
            return self.quick(training.codes[rows], scores, own)  # type: ignore[misc]
        rows, more = split.test, {}
        if weight is not None:
            more["sample_weight"] = weight[rows]
        y = training.classes[training.codes[rows]]
        value = float(self.scorer(fits.model(fold + 1), training.X[rows], y, **more))
        if not np.isfinite(value):
            raise ValueError(f"scoring={self.name!r} is {value} for fold {fold}: choose another")
        return value


def refuse_probabilities(judge: Scoring, model: str) -> None:
    """For models that have decisions only."""
    if getattr(judge.scorer, "_response_method", None) == "predict_proba":
        raise ValueError(
            f"scoring={judge.name!r} needs probabilities, and the fits on a path of {model} have "
            "none: choose by accuracy, 'roc_auc' or another score of decisions"
        )


def read_scoring(scoring: Any) -> Scoring:
    """A name of scikit-learn's, a scorer, or None for accuracy."""
    if scoring is None:
        scoring = "accuracy"
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            hint = did_you_mean(scoring, get_scorer_names())
            raise ValueError(f"scoring={scoring!r} is unknown{hint or ': see get_scorer_names()'}")
        return Scoring(scoring, QUICK.get(scoring), get_scorer(scoring))
    if not callable(scoring):
        raise TypeError(f"scoring must be a name or a scorer(estimator, X, y), got {scoring!r}")
    return Scoring(getattr(scoring, "__name__", None) or repr(scoring), None, scoring)
