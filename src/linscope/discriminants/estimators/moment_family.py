"""What the classifiers that need only class moments share: one pass, priors, exact partial_fit."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from linscope._bridge import StrOptions, fits
from linscope.data import encode_labels
from linscope.data.tables import TableLike
from linscope.engines import Engine, choose
from linscope.fitting.training import (
    Training,
    classes_of,
    has_weights,
    need_rows,
    read_training,
)
from linscope.rows.blocks import Block, Largest, Least, blind
from linscope.rows.finite import check_weights

from ..solvers.class_sums import Kind
from ..solvers.moments import ClassMoments, class_moments


class Lesson(NamedTuple):
    """What a model learns from: the moments of all rows, and the rows that came last.

    ``classes``: all labels, which the targets of the rows count; ``whole``: these rows are all
    there are; ``weighted``: some samples had weights; ``seen``: which classes have had samples of
    positive weight.
    """

    moments: Any
    rows: Engine
    classes: np.ndarray
    whole: bool
    weighted: bool
    seen: np.ndarray


class MomentClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose answer follows from the weights, means and scatter of the classes.

    Subclasses say which moments they need (``_kind``) and what follows from them (``_learn``).
    """

    _parameter_constraints: ClassVar[dict] = {
        "class_weight": [dict, StrOptions({"balanced"}), None]
    }

    classes_: np.ndarray
    priors: Any
    # Whether a class may be ruled out by a prior probability of 0.
    _zero_priors = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _kind(self) -> Kind:
        raise NotImplementedError

    def _learn(self, lesson: Lesson) -> Any:
        """Work out the answer, set the fitted attributes, return the moments to go on from."""
        raise NotImplementedError

    def _far_advice(self) -> tuple[str, ...]:
        return ()

    @fits
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on samples X (n, d) with labels y of any kind, in one pass over the rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : labels, or a one-hot or ±1 matrix
        sample_weight : array of n weights, optional
            A weight of 2 means the same as the row twice.

        Returns
        -------
        self
        """
        training = read_training(self, X, y, sample_weight)
        return self._accept(self._lesson(training, True, has_weights(X, sample_weight)))

    @fits
    def partial_fit(
        self, X: TableLike, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more samples: the model is the one that ``fit`` makes of all of them together.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        classes : all labels that will ever come; needed in the first call unless y has them all

        Returns
        -------
        self
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all samples at once: pass a dict of weights"
            )
        known = self._known_classes(X, y, classes)
        training = read_training(self, X, y, sample_weight, classes=known)
        need_rows(training.X)
        lesson = self._lesson(training, False, has_weights(X, sample_weight))
        if hasattr(self, "classes_"):
            lesson = lesson._replace(
                moments=self._merged(lesson.moments),
                weighted=lesson.weighted or self._weighted,
                seen=lesson.seen | self._seen,
            )
        return self._accept(lesson)

    def _lesson(self, training: Training, whole: bool, weighted: bool) -> Lesson:
        rows, classes = choose(training.X, training.codes, training.weight), training.classes
        if rows.weighted:
            least, most = rows.fold(_range_of_weights)
            check_weights(least.value, most.value)
        moments = self._read(rows, len(classes), whole)
        # Weights are positive here, and their sums are there already.
        counted = isinstance(moments, ClassMoments)
        seen = (moments.weight if counted else training.counts) > 0
        return Lesson(moments, rows, classes, whole, weighted, seen)

    def _merged(self, moments: Any) -> Any:
        if self._moments is None:
            raise ValueError(
                "this model was fitted without moments (very many columns), so rows cannot be "
                "added: start with partial_fit"
            )
        if getattr(moments, "kind", None) != getattr(self._moments, "kind", None):
            raise ValueError(
                "priors or shrinkage changed since the model was started: call fit, or "
                "partial_fit on a new model"
            )
        return self._moments.merge(moments)

    def _known_classes(self, X: Any, y: Any, classes: Any) -> np.ndarray:
        if not hasattr(self, "classes_"):
            return classes_of(X, y) if classes is None else encode_labels(classes).classes
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes!r} differs from the first call: {self.classes_!r}")
        return self.classes_

    def _read(self, rows: Engine, n_classes: int, whole: bool) -> Any:
        """The moments of these rows; ``whole``: they are all there are."""
        names = getattr(self, "feature_names_in_", None)
        return class_moments(rows, n_classes, kind=self._kind, feature_names=names)

    def _accept(self, lesson: Lesson) -> Any:
        self._moments = self._learn(lesson)
        # only now: a fit that failed leaves the model as it was
        self.classes_, self._weighted = lesson.classes, lesson.weighted
        self._seen = lesson.seen
        return self

    def _given_priors(self, n_classes: int) -> np.ndarray | None:
        """The parameter ``priors``, checked."""
        if self.priors is None:
            return None
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != (n_classes,):
            raise ValueError(
                f"priors has {priors.size} numbers, but there are {n_classes} classes: the number "
                "of priors must match the number of classes, in sorted order"
            )
        if not ((priors > 0) | (self._zero_priors & (priors == 0))).all():
            raise ValueError(f"priors must be positive, got {priors.tolist()}")
        if abs(priors.sum() - 1.0) > 1e-8:
            raise ValueError(f"the sum of the priors should be 1, got {priors.sum():.6g}")
        return priors / priors.sum()

    def _priors_over(self, moments: ClassMoments) -> np.ndarray:
        """The probabilities of the classes; 0 for those that no sample has had yet."""
        given = self._given_priors(len(moments.weight))
        if given is None:
            return moments.shares
        seen = np.where(moments.weight > 0, given, 0.0)
        if not seen.any():
            raise ValueError("priors are 0 for every class that has samples")
        return seen / seen.sum()

    def _check_live_priors(self, held: np.ndarray) -> None:
        """Whether the priors that the model holds are those it was given."""
        if self.priors is None:
            return
        if not np.allclose(self._priors_over(self._moments), held, rtol=1e-9, atol=0.0):
            raise ValueError("the priors are not those that were given")


@blind
def _range_of_weights(block: Block) -> tuple[Least, Largest]:
    """Of rows whose weight is 0 there are none."""
    values = block.weight
    least, most = values.min(initial=np.inf), values.max(initial=0.0)
    return Least(float(least)), Largest(float(most))
