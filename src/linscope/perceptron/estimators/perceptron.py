"""The perceptron: every rule, rate, stop and output of the notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import StrOptions, fits
from linscope.arithmetic.enclosures import dense
from linscope.data import encode_labels
from linscope.data.tables import TableLike
from linscope.engines import Engine, check_rows, choose
from linscope.fitting.driver import run
from linscope.fitting.linear_prediction import Hyperplanes
from linscope.fitting.scores import LARGEST, SMALLEST, in_type, into_range
from linscope.fitting.training import (
    Problem,
    Training,
    binary_problems,
    classes_of,
    read_features,
    read_training,
)
from linscope.fitting.verified import Verified
from linscope.results import Result, Status
from linscope.rows.far import FarRows
from linscope.rows.finite import check_finite
from linscope.rows.operations import as_rows
from linscope.verify.answers import Answers, linear_answers, some, voted_answers

from ..certificates.perceptron import PerceptronCertificate, combine, examine, with_committees
from ..solvers import loops
from ..solvers.loops import Progress
from ..solvers.rule import OutOfRange, PerceptronRule
from ..solvers.samples import InBlocks, Visited
from ..solvers.voted import Committee, join, update_rows, votes_of
from .family import PerceptronFamily


class Perceptron(Verified, Hyperplanes, PerceptronFamily):
    """Perceptron classifier.

    Finds a hyperplane w·x = 0 (x augmented with 1) by correcting mistakes: w ← w + η y x. On
    separable data the number of corrections is bounded by R²/γ²; on other data it never converges,
    which ``certificate_`` says, and averaged, voted or pocket outputs are the remedy.

    Parameters
    ----------
    rule : {"single", "batch", "mini-batch", "mixing"}
        Correct after each mistake, after each pass by the sum of all mistakes, or by the sum over
        ``batch_size`` samples. "mixing" is for rows in partitions, see Notes.
    output : {"last", "averaged", "voted", "pocket"}
        The last vector; the mean over all visits; the vote of all vectors weighted by the visits
        they survived; the vector with the fewest errors on the training set.
    eta0, schedule : learning rate η_k = eta0 ("constant") or eta0/k ("inverse", k counts updates)
    margin : a sample is a mistake unless y w·x exceeds it (``tie`` decides if they are equal)
    tie : {"update", "positive", "negative"}
        Whether score 0 is a mistake, counts for +1, or counts for -1.
    init : {"zeros", "random"} or array with the bias first
    stop : {"streak", "pass"}
        End after n correct visits in a row, or after a pass without mistakes. With ``shuffle``
        both mean a clean pass, since only that has seen every sample.
    shuffle : visit the samples in a new random order each pass
    batch_size : samples of a mini-batch
    max_iter : most passes
    warm_start : begin ``fit`` at the weights of the last one
    multi_class : {"ovr", "ovo"}
        K classes as one against the rest, or each pair.
    fit_intercept : whether samples are augmented with 1
    class_weight : {label: weight} or "balanced"; multiplies the steps
    random_state : seed for ``init="random"`` and ``shuffle``

    Attributes
    ----------
    coef_, intercept_ : the hyperplanes, one row for each binary problem (a voted one has none)
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn
    n_iter_, n_updates_ : passes and corrections made (of the longest binary problem)
    certificate_ : what the fit can prove; ``certificate_.verify(X, y)`` checks it again
    results_ : the solver's result for each binary problem

    Notes
    -----
    ``rule="mixing"`` is iterative parameter mixing (McDonald, Hall and Mann, 2010), the
    single-sample rule on a cluster: in each pass every partition corrects its own mistakes one
    after the other, beginning at the same w, and the mean of where they end is the next w. On
    separable data it ends at weights that separate all samples: with S partitions the corrections
    of all passes together are at most S·R²/γ². Where it ends depends on the partitions; a table in
    memory is one, and mixing is then the single-sample rule.

    The rows of a table in batches (``ls.scan``) are visited in their order, to the same bits as in
    memory. ``shuffle=True``, votes, and a pocket with a rule other than "batch" and "mixing" need
    the table in memory.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> model = ls.Perceptron(tie="negative").fit(X, y)
    >>> model.intercept_, model.coef_
    (array([0.]), array([[1., 1.]]))
    >>> print(model.certificate_.status)
    every sample is classified correctly, some only by the tie rule
    """

    _parameter_constraints: ClassVar[dict] = {
        **PerceptronFamily._parameter_constraints,
        "rule": [StrOptions({"single", "batch", "mini-batch", "mixing"})],
        "init": [StrOptions({"zeros", "random"}), "array-like"],
    }

    committees_: list[Committee]

    def __init__(
        self,
        *,
        rule: str = "single",
        output: str = "last",
        eta0: float = 1.0,
        schedule: str = "constant",
        margin: float = 0.0,
        tie: str = "update",
        init: Any = "zeros",
        stop: str = "streak",
        shuffle: bool = False,
        batch_size: int = 32,
        max_iter: int = 1000,
        warm_start: bool = False,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.rule = rule
        self.output = output
        self.eta0 = eta0
        self.schedule = schedule
        self.margin = margin
        self.tie = tie
        self.init = init
        self.stop = stop
        self.shuffle = shuffle
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state

    def _far_advice(self) -> tuple[str, ...]:
        sums = self.rule in ("batch", "mixing") and self.output != "voted"
        in_order = self.output in ("last", "averaged") and not self.shuffle
        if sums or in_order:
            return ()
        who = "a perceptron that shuffles, votes or has a pocket for each correction"
        return who, "Perceptron(rule='batch') or 'mixing', or shuffle=False and output='averaged'"

    @fits
    def partial_fit(
        self, X: TableLike, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """One more pass over these samples, going on from where the model is.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        classes : all labels that will ever come; needed in the first call unless y has them all
        """
        first = not hasattr(self, "classes_")
        if not first and self._kept_settings() != self._settings:
            raise ValueError(
                "output, multi_class or fit_intercept changed since the model was started: call "
                "fit, or partial_fit on a new model"
            )
        if first:
            known = classes_of(X, y) if classes is None else encode_labels(classes).classes
        else:
            known = self.classes_
            if classes is not None and not np.array_equal(np.unique(classes), known):
                raise ValueError(f"classes={classes!r} differs from the first call: {known!r}")
        training = read_training(self, X, y, sample_weight, classes=known)
        if first:
            self._start(training)
        before = getattr(self, "_progress", None)
        problems = binary_problems(training.classes, training.codes, self.multi_class)
        solvers = []
        for number, problem in enumerate(problems):
            solver = self._solver(training, problem, number, keep_log=False)
            if before:  # a copy: an error in this pass must leave the model as it was
                solver.progress = Progress(*map(np.copy, before[number]))
            solvers.append(solver)
        committees: Any = getattr(self, "committees_", None)
        results = [self._one_pass(solver, training) for solver in solvers]
        self._first_epoch += 1
        self._keep(training, problems, solvers, results)
        if committees:
            stack = sparse.vstack if sparse.issparse(training.X) else np.vstack
            self.committees_ = [
                join(a, b, stack) for a, b in zip(committees, self.committees_, strict=True)
            ]
            self.certificate_ = with_committees(self.certificate_, self.committees_)
        return self

    def _one_pass(self, solver: PerceptronRule, training: Training) -> Result:
        if solver.order.n_samples == 0:
            state = solver.init()
            state.status = Status.PARTIAL
            return solver.result(state)
        result = self._run(solver, training, max_iter=1)
        return replace(result, status=Status.PARTIAL)

    def _kept_settings(self) -> tuple:
        """What decides the shape and the meaning of the state that partial_fit goes on from."""
        return self.output, self.multi_class, self.fit_intercept

    def _start(self, training: Training) -> None:
        self._settings = self._kept_settings()
        previous = getattr(self, "_weights", None)
        super()._start(training)
        n_classes = len(training.classes)
        pairs = n_classes * (n_classes - 1) // 2
        n_problems = 1 if n_classes == 2 else n_classes if self.multi_class == "ovr" else pairs
        shape = n_problems, training.X.shape[1] + 1
        if self.warm_start and previous is not None and previous.shape == shape:
            self._initial = previous
        else:
            self._initial = self._first_weights(shape)

    def _first_weights(self, shape: Any) -> np.ndarray:
        """``init`` as one row for each problem, with a 0 in front where there is no bias."""
        weights = np.zeros(shape)
        inside = weights if self.fit_intercept else weights[:, 1:]
        if isinstance(self.init, str):
            if self.init == "random":
                inside[:] = self._random.standard_normal(inside.shape)
            return weights
        given = np.asarray(self.init, dtype=np.float64)
        if given.shape[-1:] != inside.shape[-1:] or given.ndim > 2:
            what = "bias first" if self.fit_intercept else "no bias, since fit_intercept=False"
            raise ValueError(
                f"init has shape {given.shape}, but {inside.shape[1]} weights are needed ({what})"
            )
        if not np.isfinite(given).all():
            raise ValueError("init has NaN or inf: give finite weights")
        try:
            inside[:] = given
        except ValueError:
            raise ValueError(
                f"init has {len(given)} rows, but there are {len(inside)} binary problems"
            ) from None
        return weights

    def _solver(
        self, training: Training, problem: Problem, number: int, keep_log: bool
    ) -> PerceptronRule:
        X, weight = training.X, training.weight
        if problem.rows is not None:
            X = X[problem.rows]
            weight = weight[problem.rows] if len(weight) else weight
        bias = 1.0 if self.fit_intercept else 0.0
        samples: Visited | InBlocks
        if self.rule == "mixing":
            self._check_mixing(keep_log)
            samples = InBlocks(choose(X, problem.y, weight).cut(max(1, X.shape[0])), bias)
        elif (self.rule == "batch" or isinstance(X, FarRows)) and X.shape[0]:
            samples = InBlocks(choose(X, problem.y, weight), bias)
        else:
            samples = Visited(as_rows(X, bias), problem.y, weight)
        return PerceptronRule(
            samples=samples,
            rule=self._rule(),
            order=self._order(X.shape[0]),
            initial=self._initial[number],
            kind=self.rule,
            batch_size=self.batch_size,
            keep_log=keep_log or self.output == "voted",
        )

    def _check_mixing(self, keep_log: bool) -> None:
        """Refuse what has no meaning where partitions go their own ways."""
        if self.output == "averaged" or self.schedule == "inverse" or self.shuffle or keep_log:
            raise ValueError(
                "rule='mixing' corrects in all partitions at once, in their order and at a "
                "constant rate: it has no trace, and needs output='last' or 'pocket', "
                "schedule='constant' and shuffle=False"
            )

    def _run(self, solver: PerceptronRule, training: Training, max_iter: Any = None) -> Result:
        limit = self.max_iter if max_iter is None else max_iter
        again = replace(solver)  # the run changes the progress it goes on from
        if solver.progress is not None:
            again.progress = Progress(*map(np.copy, solver.progress))
        try:
            result = run(solver, limit)
        except OutOfRange:
            check_rows(choose(training.X), getattr(self, "feature_names_in_", None))
            return _run_scaled(again, limit)
        tiny = result.details["progress"].sizes[loops.RADIUS] < SMALLEST
        if tiny and not self.fit_intercept and result.status is Status.MAX_ITER:
            return _run_scaled(again, limit)
        return result

    def _keep(self, training: Training, problems: Any, solvers: Any, results: Any) -> None:
        outputs = np.array([self._output(result) for result in results])
        outputs = in_type(outputs, training.X.dtype)
        self._counts(training, results)
        self._weights = np.array([result.weights for result in results])
        self._progress = [result.details["progress"] for result in results]
        if self.output == "voted":
            self.committees_ = [
                _committee(solver, result, training, problem)
                for solver, result, problem in zip(solvers, results, problems, strict=True)
            ]
        else:
            self.coef_, self.intercept_ = outputs[:, 1:], outputs[:, 0]
        self.certificate_ = combine(
            {
                problem.name: self._certificate(training, problem, solver, result, weights)
                for problem, solver, result, weights in zip(
                    problems, solvers, results, outputs, strict=True
                )
            }
        )
        if self.output == "voted":
            self.certificate_ = with_committees(self.certificate_, self.committees_)

    def _certificate(
        self, training: Any, problem: Any, solver: Any, result: Any, weights: Any
    ) -> PerceptronCertificate:
        engine = _engine_of(solver.samples, training, problem)
        radius = float(result.details["progress"].sizes[loops.RADIUS])
        weights = weights.astype(np.float64)
        facts = examine(engine, weights, self.tie, self.fit_intercept, radius)
        claim = self._claim(training, problem, solver, result, facts)
        if claim["status"] is Status.CONVERGED:  # in floats, while the held vector has mistakes
            last = result.weights.copy()
            found = examine(engine, last, self.tie, self.fit_intercept, radius)
            if self.output == "averaged" and not found.mistakes:
                claim["last"] = last
            else:
                claim["status"] = Status.STALLED
        return PerceptronCertificate(**claim, weights=weights)

    def _live_claim(self, X: TableLike) -> Any:
        """The certificate, if the attributes hold the weights it speaks of."""
        parts, claimed = self._certified_parts(), self._certified_weights()
        if self.output == "voted":
            bias, both = float(self.fit_intercept), zip(self.committees_, claimed, strict=True)
            same = all(committee.ends_at(w, bias) for committee, w in both)
            self._check_committees(parts)
        else:
            same = np.array_equal(np.column_stack([self.intercept_, self.coef_]), claimed)
        if not same:
            raise ValueError("the model does not hold the weights of the certificate")
        return self.certificate_

    def _certified_weights(self) -> np.ndarray:
        return np.vstack([part.weights for part in self._certified_parts()])

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        form = self._certified_form()
        if self.output != "voted":
            weights = np.column_stack([self._certified_weights()])
            return X, linear_answers(X, weights, X.dtype, **form)
        bias = float(self.fit_intercept)
        X = some(X, max(len(committee) for committee in self.committees_))

        def products(committee: Committee) -> tuple[np.ndarray, np.ndarray]:
            assert committee.initial is not None
            Z, w = committee.support.astype(np.float64), committee.initial
            return dense(X @ Z.T) + bias, np.asarray(X @ w[1:]).ravel() + bias * w[0]

        return X, voted_answers(self.committees_, products, X.dtype, **form)

    def _claimed_weight(self, y: Any, sample_weight: Any) -> Any:
        return None  # the certificate names the rows of weight 0; other weights play no part

    def _scores(self, X: TableLike) -> np.ndarray:
        if self.output != "voted":
            return self._problem_scores(X)
        matrix = read_features(self, X)
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        bias, at_zero = float(self.fit_intercept), -1.0 if self.tie == "negative" else 1.0
        votes = [votes_of(committee, matrix, bias, at_zero) for committee in self.committees_]
        return into_range(np.column_stack(votes), matrix.dtype)

    def _hyperplanes(self) -> np.ndarray:
        weights = super()._hyperplanes()
        if not self.fit_intercept:
            weights[:, 0] = 0.0
        return weights

    def prediction_error_bound(self, X: TableLike) -> np.ndarray:
        if self.output == "voted":
            raise ValueError("a voted perceptron has votes, not the score of one hyperplane")
        return super().prediction_error_bound(X)

    prediction_error_bound.__doc__ = Hyperplanes.prediction_error_bound.__doc__

    def equation(self) -> Any:
        """The hyperplane in the original features, largest weight first, as the notes write it.

        One line for two classes; for K classes a dict of lines, the score of each (the largest
        wins) or the vote of each pair.

        Examples
        --------
        >>> import linscope as ls
        >>> data = ls.datasets.load("students")
        >>> print(ls.Perceptron(init=[0.25] * 5).fit(data.X, data.y).equation())
        1.25·x1 − 0.75·x2 − 0.75·x3 − 0.75·x4 > 0.75 ⇒ 1
        """
        check_is_fitted(self)
        if self.output == "voted":
            raise ValueError("a voted perceptron is a committee, not one hyperplane: no equation")
        features = getattr(self, "feature_names_in_", None)
        if features is None:
            features = [f"x{j + 1}" for j in range(self.coef_.shape[1])]
        return self._lines(features)


def _engine_of(samples: Any, training: Training, problem: Problem) -> Engine:
    """The rows of a problem."""
    if isinstance(samples, InBlocks):
        return samples.engine
    X = training.X if problem.rows is None else training.X[problem.rows]
    return choose(X, problem.y)


def _committee(solver: PerceptronRule, result: Result, training: Training, problem: Problem) -> Any:
    X = training.X if problem.rows is None else training.X[problem.rows]
    distinct, places, steps = update_rows(solver, result.log)
    return Committee(X[distinct], places, steps, result.log.survival, result.log.initial)


def _run_scaled(solver: PerceptronRule, limit: int) -> Result:
    """Fit with all augmented rows times c = 2^-e, which changes no decision, and scale back."""
    largest = solver.samples.largest()
    if largest > LARGEST:
        raise ValueError(
            f"X has values up to {largest:.3g}, beyond {LARGEST:g}: their squares leave the range "
            "of floating point. Scale the columns, e.g. with sklearn.preprocessing.StandardScaler"
        )
    if largest == 0.0:
        return run(solver, limit)
    c = 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
    small = solver.scaled(c)
    try:
        result = run(small, limit)
    except OutOfRange:
        raise ValueError(
            "the weights leave the range of floating point: lower eta0 "
            f"(now {solver.rule.eta0:g}), init or sample_weight"
        ) from None
    progress = result.details["progress"]
    for vector in (progress.w, progress.u, progress.best):
        vector /= c
    progress.sizes[[loops.RADIUS, loops.NORM]] /= c
    if result.log is not None:
        result = replace(result, log=replace(result.log, initial=result.log.initial / c))
    return result
