"""``linscope.path`` of an SVC: C and γ by cross-validation, all folds on one Gram matrix."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import validate_params
from linscope.fitting.training import Training, read_training
from linscope.kernels import resolve_gamma
from linscope.kernels.source import ADVICE
from linscope.results import current_observer
from linscope.results.caller import warn_caller
from linscope.rows.threads import Workers
from linscope.validation.scoring import Scoring, read_scoring, refuse_probabilities
from linscope.validation.splits import Split, inside, labels_of, read_splits
from linscope.validation.values import Progress, read_values

from ..solvers.fold_gram import Grams
from .fits import Fold, FoldFits
from .result import GridPath

LEAST_C, MOST_C = 1e-2, 1e3
# Numbers of γ are spread so far to both sides of gamma="scale".
SPREAD = 100.0
WITH_GAMMA = ("rbf", "poly", "sigmoid")
# Means that differ only by rounding are equal.
EQUAL = 1e-12


def svc_path(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    one_standard_error: bool,
    *,
    Cs: Any,
    gammas: Any,
    cv: Any,
    scoring: Any,
) -> GridPath:
    """See ``linscope.path``."""
    asked = _read(estimator, X, y, sample_weight, Cs, gammas, cv, scoring)
    values, widths, judge, model, training, given, _ = asked
    run = _run(asked)
    widths = widths[: run.scores.shape[1]]
    best = choose(run.scores, one_standard_error)
    _warn_unfinished(run.certificates, float(model.tol))
    chosen = clone(estimator).set_params(C=float(values[best[0]]))
    if gammas is not None:
        chosen.set_params(gamma=float(widths[best[1]]))
    return GridPath(
        Cs_=values,
        gammas_=widths,
        scores=run.scores,
        certificates=run.certificates,
        best_index=best,
        best_estimator=chosen.fit(X, y, sample_weight),
        classes_=training.classes,
        scoring=judge.name,
        one_standard_error=one_standard_error,
        splits=tuple(given),
    )


def svc_scores(
    estimator: Any, X: Any, y: Any, *, Cs: Any, gammas: Any, cv: Any, scoring: Any
) -> np.ndarray:
    """The scores alone, (C, γ, folds); without γ (C, folds)."""
    asked = _read(estimator, X, y, None, Cs, gammas, cv, scoring)
    scores = _run(asked, prove=False).scores
    return scores[:, 0] if gammas is None else scores


class Asked(NamedTuple):
    """The arguments, read and checked."""

    values: np.ndarray
    widths: np.ndarray
    judge: Scoring
    model: Any
    training: Training
    given: list[Split]
    fits: list[FoldFits]


def _read(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    Cs: Any,
    gammas: Any,
    cv: Any,
    scoring: Any,
) -> Asked:
    values, judge = read_values("Cs", Cs, LEAST_C, MOST_C, infinite=True), read_scoring(scoring)
    _check(estimator, gammas, judge)
    if gammas is not None:  # before any work; a number of values needs the rows
        read_values("gammas", gammas, 1.0, 2.0)
    model = clone(estimator).set_params(C=float(values[0]))
    validate_params(model)
    training = model._checked(read_training(model, X, y, sample_weight))
    widths = _read_gammas(gammas, model, training)
    given = read_splits(cv, labels_of(y, training))
    splits = inside(given, training)
    weight = None
    if sample_weight is not None:
        weight = np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(y))
        weight = np.delete(weight, training.ignored)
    fits = [FoldFits(model, training, split, judge, weight) for split in splits]
    return Asked(values, widths, judge, model, training, given, fits)


def _check(estimator: Any, gammas: Any, judge: Scoring) -> None:
    kernel = estimator._kernel_name
    if gammas is not None and kernel not in WITH_GAMMA:
        name = "a kernel function" if callable(kernel) else f"kernel={kernel!r}"
        raise ValueError(f"gammas are for kernels with γ, and {name} has none: leave it out")
    if gammas is not None and estimator.sigma is not None:
        raise ValueError(
            f"sigma={estimator.sigma!r} and gammas both say how wide the kernel is: give one of "
            "them"
        )
    refuse_probabilities(judge, "an SVC")


def _read_gammas(gammas: Any, model: Any, training: Training) -> np.ndarray:
    if gammas is None:
        return np.array([model._gamma if model._kernel_name in WITH_GAMMA else np.nan])
    weight = training.weight if len(training.weight) else None
    middle = resolve_gamma("scale", training.X, weight)
    return read_values("gammas", gammas, middle / SPREAD, middle * SPREAD)


class Run(NamedTuple):
    """Arrays (n_Cs, n_gammas, n_folds)."""

    scores: np.ndarray
    certificates: np.ndarray


def _run(asked: Asked, prove: bool = True) -> Run:
    """One or two γ at a time, their folds side by side; an observer may ask for an end."""
    Cs, gammas, judge, fits = asked.values, asked.widths, asked.judge, asked.fits
    grams = Grams(asked.model, asked.training.X)
    columns: list[list[Fold]] = []
    workers, observer = Workers(), current_observer()
    observer.begin("grid of C and γ", len(gammas))
    wanted = [gamma if np.isfinite(gamma) else 1.0 for gamma in gammas.tolist()]
    try:
        ended = False
        while len(columns) < len(wanted) and not ended:
            some = grams.fill(wanted[len(columns) :])
            if not all(np.isfinite(gram.K).all() for gram in some):
                raise ValueError(f"kernel values leave the range of floating point{ADVICE}")
            tasks = [(gram, fit) for gram in some for fit in fits]
            folds = workers.map(lambda task: task[1].fit(task[0], Cs, prove), tasks)
            for gram in some:
                columns.append(list(islice(folds, len(fits))))
                means = np.mean([fold.scores for fold in columns[-1]], axis=0)
                top = np.nanmax(means) if np.isfinite(means).any() else np.nan
                note = Progress(f"γ = {gram.gamma:.3g}, {judge.name} {top:.4g}")
                ended = bool(observer.step(len(columns), note))
                if ended:
                    folds.close()
                    break
    finally:
        observer.end()
    scores = np.array([[fold.scores for fold in column] for column in columns])
    claims = np.empty(scores.shape, dtype=object)
    for j, f, k in np.ndindex(*scores.shape):
        claims[j, f, k] = columns[j][f].certificates[k]
    return Run(np.moveaxis(scores, 2, 0), np.moveaxis(claims, 2, 0))


def choose(scores: np.ndarray, one_standard_error: bool) -> tuple[int, int]:
    """The smallest C of the best, then the smallest γ; or of those within one standard error."""
    mean = scores.mean(axis=2)
    if not np.isfinite(mean).any():
        raise ValueError(
            "no fold can be separated without slack, and C=inf allows none: add finite values to Cs"
        )
    i, j = np.unravel_index(np.nanargmax(mean), mean.shape)
    room = EQUAL * abs(mean[i, j])
    if one_standard_error:
        room += scores[i, j].std(ddof=1) / np.sqrt(scores.shape[2])
    good = np.nan_to_num(mean, nan=-np.inf) >= mean[i, j] - room
    i, j = np.unravel_index(np.argmax(good), good.shape)
    return int(i), int(j)


def _warn_unfinished(certificates: np.ndarray, tol: float) -> None:
    """One warning for all fits that did not get to their tolerance."""
    known = [one for one in certificates.ravel() if one is not None]
    bad = [one for one in known if not one.status.ok]
    if bad:
        worst = max(one.kkt for one in bad)
        warn_caller(
            f"{len(bad)} of {len(known)} fits on the path did not reach tol={tol:g}: the "
            f"optimality conditions are violated by up to {worst:.2g}; raise max_iter, scale the "
            "columns or leave out the largest C",
            ConvergenceWarning,
        )
