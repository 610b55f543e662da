"""``linscope.path``: fits for many values of C, judged by cross-validation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import validate_params
from linscope.data.given import accepts_dataset
from linscope.fitting.training import Training, read_training
from linscope.kernel_svm.estimators.svc import SVC
from linscope.kernel_svm.path.grid import svc_path, svc_scores
from linscope.kernel_svm.path.result import GridPath
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.logistic.path.fits import Fits, make_fits
from linscope.logistic.path.result import RegularizationPath
from linscope.logistic.solving.choice import check_options
from linscope.results import current_observer
from linscope.results.caller import warn_caller
from linscope.results.certificate import without_proofs
from linscope.rows.finite import check_finite
from linscope.validation.refits import RefitFits
from linscope.validation.scoring import Scoring, read_scoring, refuse_probabilities
from linscope.validation.splits import Split, inside, labels_of, read_splits
from linscope.validation.values import Progress, read_values

from .best import Data, best_model

LEAST_C, MOST_C = 1e-4, 1e4
LEAST_SVM_C, MOST_SVM_C = 1e-2, 1e3


@accepts_dataset
def path(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    Cs: Any = 10,
    gammas: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    one_standard_error: bool = False,
) -> RegularizationPath | GridPath:
    """A regularisation path with cross-validation: which C, and which γ, predicts best?

    All folds and all values of C share their work: for dense tables one pass over the rows serves
    every fold, and each C begins where the last one ended. For an SVC the folds share one Gram
    matrix; for a LinearSVC they are fits of their own.

    Parameters
    ----------
    estimator : LogisticRegression, LinearSVC or SVC
        Its ``C`` is not used, nor its ``gamma`` with ``gammas``; its other parameters are. It is
        not changed.
    X, y : samples and labels of any kind; a data set may stand for both
    Cs : int or array
        So many values from 1e-4 to 1e4 (LinearSVC, SVC: 1e-2 to 1e3), evenly spaced in log C, or
        the values themselves. For an SVC ``np.inf`` may be one of them, the hard margin; where that
        cannot separate a fold, the score is NaN.
    gammas : int or array, optional
        For an SVC with kernel "rbf", "poly" or "sigmoid": the values, or so many from 0.01 to 100
        times that of ``gamma="scale"``. None is the estimator's own, worked out from all rows.
    cv : int, splitter or pairs of row numbers
        An int is ``StratifiedKFold(cv)``, not shuffled.
    scoring : name of a scikit-learn score, or a scorer, optional
        Accuracy by default.
    sample_weight : array of n weights, optional
        They count in the fits and in the scores.
    one_standard_error : bool
        Choose the smallest C whose mean score is within one standard error of the best, rather
        than the best itself (the smallest of those that are equally good).

    Returns
    -------
    RegularizationPath; GridPath for an SVC

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("iris")
    >>> found = ls.path(ls.LogisticRegression(), X, y, Cs=[0.01, 1, 100], cv=5)
    >>> found.best_C, found.scores.shape, bool(found.verify(X, y))
    (100.0, (3, 5), True)
    >>> found.best_estimator.certificate_.ok
    True
    >>> grid = ls.path(ls.SVC(), X, y, Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1])
    >>> grid.best_C, grid.best_gamma, grid.mean_score.shape
    (1.0, 0.1, (3, 3))
    >>> ls.path(ls.LinearSVC(), ls.datasets.load("iris"), Cs=[0.01, 1, 100]).best_C
    100.0
    """
    if isinstance(estimator, SVC):
        options = {"Cs": Cs, "gammas": gammas, "cv": cv, "scoring": scoring}
        return svc_path(estimator, X, y, sample_weight, one_standard_error, **options)
    asked = _read(estimator, X, y, Cs, gammas, cv, scoring, sample_weight)
    linear_svm = isinstance(estimator, LinearSVC)
    judge, model, training = asked.judge, asked.model, asked.training
    run = _run(asked)
    values = asked.values[: len(run.scores)]
    best = _choose(run.scores, one_standard_error)
    _warn_unfinished(run.certificates)
    data, claim = Data(X, y, sample_weight, training), run.certificates[best, 0]
    if linear_svm:
        chosen = clone(estimator).set_params(C=float(values[best])).fit(X, y, sample_weight)
    else:
        chosen = best_model(estimator, claim, run.weights[best, 0], int(run.steps[best]), data)
    return RegularizationPath(
        Cs_=values,
        coefs=run.weights[:, 0],
        fold_coefs=run.weights[:, 1:],
        scores=run.scores,
        best_index=best,
        best_estimator=chosen,
        whole_certificates=run.certificates[:, 0],
        certificates=run.certificates[:, 1:],
        classes_=training.classes,
        feature_names=tuple(model._names()),
        scoring=judge.name,
        one_standard_error=one_standard_error,
        splits=tuple(asked.given),
    )


def fold_scores(
    estimator: Any, X: Any, y: Any, *, Cs: Any, gammas: Any = None, cv: Any, scoring: Any
) -> np.ndarray:
    """The scores of a path alone, (C, folds) or (C, γ, folds): no proofs, no last fit.

    For searches whose winner is fitted, and certified, by itself.
    """
    if isinstance(estimator, SVC):
        return svc_scores(estimator, X, y, Cs=Cs, gammas=gammas, cv=cv, scoring=scoring)
    asked = _read(estimator, X, y, Cs, gammas, cv, scoring, None)
    with without_proofs():
        fits = _fits(asked, whole=False)
        return np.array([_scores(asked, fits, C) for C in asked.values.tolist()])


class Asked(NamedTuple):
    """The arguments of a path, read and checked; ``splits`` are those ``given``, without rows of
    weight 0."""

    values: np.ndarray
    judge: Scoring
    model: Any
    training: Training
    given: list[Split]
    splits: list[Split]
    weight: np.ndarray | None


def _read(
    estimator: Any, X: Any, y: Any, Cs: Any, gammas: Any, cv: Any, scoring: Any, sample_weight: Any
) -> Asked:
    judge = read_scoring(scoring)
    _check_estimator(estimator, gammas, judge)
    linear_svm = isinstance(estimator, LinearSVC)
    values = read_values(
        "Cs", Cs, *((LEAST_SVM_C, MOST_SVM_C) if linear_svm else (LEAST_C, MOST_C))
    )
    model = clone(estimator).set_params(C=float(values[0]))
    validate_params(model)
    training = read_training(model, X, y, sample_weight)
    check_finite(training.X, getattr(model, "feature_names_in_", None))
    if not linear_svm:
        check_options(model, training)
    given = read_splits(cv, labels_of(y, training))
    splits = inside(given, training)
    weight = None
    if sample_weight is not None:
        weight = np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(y))
        weight = np.delete(weight, training.ignored)
    return Asked(values, judge, model, training, given, splits, weight)


def _check_estimator(estimator: Any, gammas: Any, judge: Scoring) -> None:
    if not isinstance(estimator, LogisticRegression | LinearSVC):
        what = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        hint = f": pass {what}()" if isinstance(estimator, type) else ""
        raise TypeError(
            f"there is no path for {what}: supported are SVC, LinearSVC and a LogisticRegression "
            f"with penalty 'l2', 'l1' or 'elasticnet'{hint}"
        )
    if gammas is not None:
        what = type(estimator).__name__
        raise ValueError(f"gammas are for kernels, and {what} has none: leave it out")
    if isinstance(estimator, LinearSVC):
        refuse_probabilities(judge, "a LinearSVC")
    elif estimator.penalty not in ("l2", "l1", "elasticnet"):
        raise ValueError(
            f"penalty={estimator.penalty!r} has no C to choose: use 'l2', 'l1' or 'elasticnet'"
        )


class Run(NamedTuple):
    """Of each C: weights (problems, rows, d + 1), certificates, scores (folds,), and steps."""

    weights: np.ndarray
    certificates: np.ndarray
    scores: np.ndarray
    steps: np.ndarray


def _fits(asked: Asked, *, whole: bool = True) -> Fits:
    make = RefitFits if isinstance(asked.model, LinearSVC) else make_fits
    return make(asked.model, asked.training, asked.splits, whole=whole)


def _scores(asked: Asked, fits: Fits, C: float) -> list[float]:
    """Of every fold, after fits for this C."""
    fits.solve(C)
    return [
        asked.judge.of_fold(fits, fold, split, asked.training, asked.weight)
        for fold, split in enumerate(asked.splits)
    ]


def _run(asked: Asked) -> Run:
    """C after C; an observer may ask for an end before the last."""
    fits, observer = _fits(asked), current_observer()
    weights, certificates, scores, steps = [], [], [], []
    observer.begin("regularisation path", len(asked.values))
    try:
        for done, C in enumerate(asked.values.tolist(), 1):
            scores.append(_scores(asked, fits, C))
            weights.append(fits.weights)
            steps.append(fits.steps)
            certificates.append([fits.certificate(m) for m in range(len(asked.splits) + 1)])
            note = f"C = {C:.3g}, {asked.judge.name} {np.mean(scores[-1]):.4g}"
            if observer.step(done, Progress(note)):
                break
    finally:
        observer.end()
    claims = np.array(certificates, dtype=object)
    return Run(np.array(weights), claims, np.array(scores), np.array(steps))


def _choose(scores: np.ndarray, one_standard_error: bool) -> int:
    """The smallest C of the best; or of those within one standard error of the best."""
    mean = scores.mean(axis=1)
    best = int(np.argmax(mean))
    if not one_standard_error:
        return best
    error = scores[best].std(ddof=1) / np.sqrt(scores.shape[1])
    return int(np.argmax(mean >= mean[best] - error))


def _warn_unfinished(certificates: np.ndarray) -> None:
    """One warning for all fits that did not get to their tolerance."""
    bad = [one for one in certificates.ravel() if not one.status.ok]
    if bad:
        worst = max(float(one.gap or 0.0) / max(abs(one.primal or 0.0), 1e-300) for one in bad)
        warn_caller(
            f"{len(bad)} of {certificates.size} fits on the path did not reach their tolerance: "
            f"the objective may be {worst:.2g} above its minimum, relatively; raise max_iter or "
            "scale the columns",
            ConvergenceWarning,
        )
