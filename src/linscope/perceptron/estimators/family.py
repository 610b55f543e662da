"""What ``Perceptron`` and ``KernelPerceptron`` share: parameters, the fit, the tie rule."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions, fits_with_callbacks
from linscope.data.tables import TableLike
from linscope.fitting.discriminants import Discriminants
from linscope.fitting.driver import run
from linscope.fitting.equations import equation, rules, vote
from linscope.fitting.scores import pair_votes
from linscope.fitting.training import (
    Fitted,
    Problem,
    Solved,
    Training,
    binary_problems,
    read_training,
    watched,
)
from linscope.losses.perceptron import TIES
from linscope.results import Result, Status, VisitOrder
from linscope.results.caller import warn_caller
from linscope.results.observer import watching
from linscope.rows.far import FarRows
from linscope.rows.threads import thread_count

from ..solvers.loops import Rule
from ..solvers.rule import PerceptronRule, averaged_weights

# Below this many numbers a thread costs more than it saves.
WORTH_THREADS = 1_000_000


MIXING_BOUND = "with rule='mixing' and S partitions, S·R²/γ² bounds the corrections"


class PerceptronFamily(Discriminants, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """The perceptron rule on rows of some kind; subclasses say which rows and what to keep."""

    _parameter_constraints: ClassVar[dict] = {
        "rule": [StrOptions({"single", "batch", "mini-batch"})],
        "output": [StrOptions({"last", "averaged", "voted", "pocket"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "schedule": [StrOptions({"constant", "inverse"})],
        "margin": [Interval(Real, 0, None, closed="left")],
        "tie": [StrOptions(set(TIES))],
        "stop": [StrOptions({"streak", "pass"})],
        "shuffle": ["boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # On classes that overlap, the last vector of an order-dependent rule can be anywhere.
        tags.classifier_tags.poor_score = self.rule != "batch"
        return tags

    @fits_with_callbacks
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on samples X (n, d) with labels y of any kind.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : labels, or a one-hot or ±1 matrix
        sample_weight : array of n weights, optional
            Multiplies the step of each sample; rows with weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(
        self, X: TableLike, y: Any, sample_weight: Any = None, keep_log: bool = False
    ) -> Fitted:
        training = read_training(self, X, y, sample_weight)
        self._start(training)
        problems = binary_problems(training.classes, training.codes, self.multi_class)
        solvers = [
            self._solver(training, problem, number, keep_log)
            for number, problem in enumerate(problems)
        ]
        with watched(self, X, y, len(solvers) * self.max_iter):
            results = self._run_all(solvers, training)
        self._keep(training, problems, solvers, results)
        self._warn()
        return Fitted(training, list(map(Solved, problems, solvers, results)))

    def _start(self, training: Training) -> None:
        """Fix what must not change between the passes of a fit: classes, seeds, first weights."""
        if self.output == "voted" and self.rule != "single":
            raise ValueError(
                "output='voted' needs rule='single': batch rules have no votes to count"
            )
        random = check_random_state(self.random_state)
        self._first_epoch = 0
        self._seed = int(random.randint(2**31 - 1)) if self.shuffle else None
        self._random = random

    def _rule(self) -> Rule:
        positive, negative = TIES[self.tie]
        return Rule(
            eta0=float(self.eta0),
            inverse=self.schedule == "inverse",
            margin=float(self.margin),
            tie_positive=positive,
            tie_negative=negative,
            stop_streak=self.stop == "streak",
            averaged=self.output == "averaged",
            pocket=self.output == "pocket",
        )

    def _order(self, n: int) -> VisitOrder:
        return VisitOrder(n, self._seed, self._first_epoch)

    def _solver(self, training: Training, problem: Problem, number: int, keep_log: bool) -> Any:
        raise NotImplementedError

    def _keep(self, training: Training, problems: Any, solvers: Any, results: Any) -> None:
        raise NotImplementedError

    def _run(self, solver: PerceptronRule, training: Training) -> Result:
        return run(solver, self.max_iter)

    def _run_all(self, solvers: list[PerceptronRule], training: Training) -> list[Result]:
        """Binary problems are independent: several large ones run on threads.

        Not where rows are elsewhere: each would read them at the same time.
        """
        for number, solver in enumerate(solvers):
            solver.task = f"{type(self).__name__} {number + 1}/{len(solvers)}"
        size = training.X.shape[0] * training.X.shape[1]
        alone = len(solvers) == 1 or isinstance(training.X, FarRows)
        if alone or size < WORTH_THREADS or watching.get() is not None:
            return [self._run(solver, training) for solver in solvers]
        with ThreadPoolExecutor(thread_count()) as pool:
            return list(pool.map(lambda solver: self._run(solver, training), solvers))

    def _counts(self, training: Training, results: list[Result]) -> None:
        self.classes_ = training.classes  # only now: a fit that failed leaves the model as it was
        self.results_ = results
        self.n_iter_ = max(result.n_iter for result in results)
        self.n_updates_ = max(result.n_updates for result in results)

    def _output(self, result: Result) -> np.ndarray:
        progress = result.details["progress"]
        if self.output == "averaged":
            return averaged_weights(progress)
        return progress.best if self.output == "pocket" else result.weights

    def _claim(
        self, training: Training, problem: Problem, solver: Any, result: Result, facts: Any
    ) -> dict:
        """What the certificates of both kinds of perceptron say."""
        status = result.status
        if facts.mistakes == 0 and status is not Status.PARTIAL:
            status = Status.SEPARATED_BY_TIE if facts.ties else Status.SEPARATED
        return {
            "status": status,
            "positive": problem.positive,
            "negative": problem.negative,
            "others": problem.others,
            "tie": self.tie,
            "updates": result.n_updates,
            "passes": result.n_iter,
            "mistakes": facts.mistakes,
            "margin": facts.margin,
            "radius": facts.radius,
            "intercept": self.fit_intercept,
            "ignored": training.ignored,
            "no_bound": self._no_bound(training.weight, solver.initial),
            "eta0": float(self.eta0),
            "output": self.output,
        }

    def _certified_parts(self) -> list[Any]:
        return list(self.certificate_.parts.values()) or [self.certificate_]

    def _certified_form(self) -> dict[str, Any]:
        """Labels, pairs and tie rule of the certificate; ValueError if the model has others."""
        parts = self._certified_parts()
        first, pairs = parts[0], len(parts) > 1 and not parts[0].others
        labels = [part.positive for part in parts]
        if len(parts) == 1 or pairs:
            labels = list(dict.fromkeys([first.negative, *labels]))
        about = {"tie": first.tie, "output": first.output, "fit_intercept": first.intercept}
        for name, value in about.items():
            if getattr(self, name) != value:
                raise ValueError(f"the certificate is about {name}={value!r}")
        form = {"classes": labels, "pairs": "votes" if pairs else ""}
        return form | {"zero_is_second": first.tie != "negative"}

    def _check_committees(self, parts: list[Any]) -> None:
        both = zip(self.committees_, parts, strict=True)
        if any(part.committee not in ("", committee.digest()) for committee, part in both):
            raise ValueError("the committee is not the one of the certificate")

    def _no_bound(self, weight: np.ndarray, initial: np.ndarray) -> str:
        """Why the convergence theorem's bound does not apply, "" if it does."""
        reasons = {
            MIXING_BOUND: self.rule == "mixing",
            "it is proved for the single-sample rule": self.rule not in ("single", "mixing"),
            "it needs a start from zeros": bool(np.any(initial)),
            "it needs a constant rate": self.schedule != "constant",
            "it needs margin=0": self.margin > 0,
            "it needs equal weights": len(weight) > 0,
            "it is about the last vector": self.output != "last",
            "it is worked out for models with an intercept": not self.fit_intercept,
        }
        return "; ".join(reason for reason, holds in reasons.items() if holds)

    def _warn(self) -> None:
        certificate = self.certificate_
        parts = certificate.parts or {"": certificate}
        stalled = [part for part in parts.values() if part.status is Status.STALLED]
        limited = not certificate.status.ok and self.n_iter_ >= self.max_iter
        if not stalled and not limited:
            return
        unfinished = [part for part in parts.values() if part.status is Status.MAX_ITER] or stalled
        if not unfinished:
            unfinished = [replace(next(iter(parts.values())), status=Status.MAX_ITER)]
        left = [
            f"{part.mistakes:,}{' (' + name + ')' if name else ''}"
            for name, part in parts.items()
            if part.mistakes
        ]
        more = ", …" if len(left) > 4 else ""
        passes = f"max_iter={self.max_iter}" if limited else str(self.n_iter_)
        passes += " pass" if self.n_iter_ == 1 else " passes"
        samples = "sample" if left == ["1"] else "samples"
        about: Any = unfinished[0]
        by = "" if self.output == "last" else f" by {about.about}"
        warn_caller(
            f"{type(self).__name__} stopped after {passes} with "
            f"{', '.join(left[:4])}{more} {samples} misclassified{by}. {unfinished[0].advice}",
            ConvergenceWarning,
        )

    def _scores(self, X: TableLike) -> np.ndarray:
        """One column of scores for each binary problem."""
        raise NotImplementedError

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores: w·x for two classes (positive means the second class), one column for each of K.

        The voted perceptron gives the share of votes, between -1 and +1.
        """
        check_is_fitted(self)
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return scores[:, 0]
        if self.multi_class == "ovo":
            return pair_votes(scores, self._positive(scores), len(self.classes_))
        return scores

    def predict(self, X: TableLike) -> np.ndarray:
        """Labels; a score of 0 goes where the tie rule sends it."""
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[self._positive(decision).astype(np.intp)]
        return self.classes_[decision.argmax(axis=1)]

    def _positive(self, scores: np.ndarray) -> np.ndarray:
        return scores > 0 if self.tie == "negative" else scores >= 0

    def _lines(self, features: Sequence[str], weights: Any = None) -> Any:
        """What ``predict`` does with these weights, bias first, in words; by default its own."""
        if weights is None:
            weights = np.column_stack([self.intercept_, self.coef_])
        labels, relation = self.classes_.tolist(), "≥" if self.tie == "positive" else ">"
        if len(labels) == 2:
            return equation(weights[0], features, labels[1], relation)
        pair = partial(vote, relation=relation) if self.multi_class == "ovo" else None
        lines = rules(weights, features, labels, pair)
        return dict(zip(self.certificate_.parts, lines, strict=True))

    def _traced_by(self) -> Any:
        from ..trace import STEPS

        return STEPS
