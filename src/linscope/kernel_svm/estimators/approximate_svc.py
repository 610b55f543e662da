"""A kernel SVM for very many rows, approximately: features whose products are nearly the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions, fits
from linscope.data.tables import TableLike
from linscope.engines import Block, Engine, Source, check_rows
from linscope.fitting.discriminants import Discriminants
from linscope.fitting.estimator import Estimator
from linscope.fitting.training import Training, read_features, read_training
from linscope.fitting.verified import rows_to_ask
from linscope.kernels import NAMES, kernel_name, resolve_gamma
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.results import Check
from linscope.rows.blocks import taken
from linscope.rows.far import FarRows
from linscope.rows.finite import check_finite
from linscope.verify.answers import digest, require_answers
from linscope.verify.claims import checked, require, same_claim

from .svc import SVC

CONFIDENCE = 0.95
# A comparison needs some rows of each class to learn from.
FEWEST_OF_A_CLASS = 5


class Comparison(NamedTuple):
    """The approximation beside the exact machine, both trained on the same training rows.

    Other rows, seen by neither, say how often each is wrong and how often the two predict different
    classes; with 95 % confidence that is true of new rows in at most ``disagreement_at_most`` of
    all cases. ``trained_on`` and ``held_out`` are row numbers (among those with weight).
    """

    trained_on: np.ndarray
    held_out: np.ndarray
    exact_error: float
    approximate_error: float
    disagreement: float
    disagreement_at_most: float

    def __str__(self) -> str:
        return (
            f"trained on {len(self.trained_on)} rows, wrong on {self.approximate_error:.2%} of "
            f"{len(self.held_out)} others, the exact one on {self.exact_error:.2%}; they differ "
            f"on {self.disagreement:.2%} (at most {self.disagreement_at_most:.2%}, 95 % confidence)"
        )


class ApproximateSVC(Estimator, Discriminants, ClassifierMixin, BaseEstimator):
    """Kernel SVM on features whose products approximate the kernel. Not exact; ``SVC`` is.

    φ(x)·φ(z) ≈ K(x, z), and a ``LinearSVC`` on φ(x). The cost grows linearly with the rows. What
    the approximation does to predictions is measured, see ``comparison_``.

    Parameters
    ----------
    C : float
    kernel : {"rbf", "poly", "sigmoid", "linear"}, as in ``SVC``, or callable of two rows
    gamma : {"scale", "auto"} or float
    degree, coef0 : as in ``SVC``
    method : {"nystroem", "random"}
        "nystroem": the kernel with some training rows; "random": random cosines (rbf only).
    n_components : how many features φ has
    loss : {"hinge", "squared_hinge"} of the linear machine
    check_rows : int
        So many rows, and as many others, compare the approximation with the exact machine; 0 for
        no comparison.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
        Which rows or cosines; None is 0, so that every fit gives the same answer.

    Attributes
    ----------
    classes_ : the labels, sorted
    map_ : the fitted map φ; linear_ : the fitted ``LinearSVC``
    certificate_ : that of ``linear_``: about the approximate problem, not about the kernel's;
        ``verify(X, y)`` of the model checks it on φ(X)
    comparison_ : ``Comparison``, or None

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.make_ring(600, random_state=0)
    >>> model = ls.ApproximateSVC(n_components=50, check_rows=150).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(NAMES - {"precomputed"}), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "method": [StrOptions({"nystroem", "random"})],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "check_rows": [Interval(Integral, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        method: str = "nystroem",
        n_components: int = 300,
        loss: str = "hinge",
        check_rows: int = 2000,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.n_components = n_components
        self.loss = loss
        self.check_rows = check_rows
        self.class_weight = class_weight
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @fits
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on samples X (n, d) with labels y of any kind.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : labels
        sample_weight : array of n weights, optional

        Returns
        -------
        self
        """
        if self.method == "random" and kernel_name(self.kernel) != "rbf":
            raise ValueError("method='random' is for kernel='rbf': use method='nystroem'")
        training = read_training(self, X, y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        if isinstance(training.X, FarRows):
            check_rows(training.X.engine, names)
        else:
            check_finite(training.X, names)
        weight = training.weight if len(training.weight) else None
        self._gamma = resolve_gamma(self.gamma, training.X, weight)
        random = check_random_state(0 if self.random_state is None else self.random_state)
        self.classes_ = training.classes
        self.map_ = self._fitted_map(training, random.randint(1 << 31))
        self.linear_ = LinearSVC(self.C, loss=self.loss).fit(*self._mapped(training))
        self.certificate_ = replace(self.linear_.certificate_, features=self._digest_of_map())
        self.comparison_ = self._compare(training, random)
        return self

    def _far_advice(self) -> tuple[str, ...]:
        return ()

    def _mapped(self, training: Training) -> tuple:
        """φ of the training rows, with labels and weights: what the linear machine is fitted to."""
        if isinstance(training.X, FarRows):
            return (_Mapped(training.X.engine.derive(_features_of, self.map_), training.classes),)
        weight = training.weight if len(training.weight) else None
        return self._features(training.X), training.classes[training.codes], weight

    def _fitted_map(self, training: Training, seed: int) -> Any:
        """φ; of rows that are elsewhere only those that it is made of are brought here."""
        n = training.X.shape[0]
        made = self._map(n, seed)
        if not isinstance(training.X, FarRows):
            return made.fit(training.X)
        if self.method == "random":
            return made.fit(np.zeros((1, training.X.shape[1]), training.X.dtype))
        m = made.n_components
        chosen = np.random.RandomState(seed).permutation(n)[:m]  # as scikit-learn chooses
        given = np.empty((m, training.X.shape[1]), training.X.dtype)
        given[np.random.RandomState(seed).permutation(m)] = _taken(training, chosen).X
        made.fit(given)  # which brings them in the order of ``chosen``
        made.component_indices_ = chosen
        return made

    def _map(self, n: int, seed: int) -> Any:
        if self.method == "random":
            return RBFSampler(gamma=self._gamma, n_components=self.n_components, random_state=seed)
        formula: dict[str, Any] = {}
        kernel = kernel_name(self.kernel)
        if not callable(kernel) and kernel != "linear":
            formula = {"gamma": self._gamma}
            if kernel != "rbf":
                formula["coef0"] = self.coef0
            if kernel == "poly":
                formula["degree"] = self.degree
        return Nystroem(
            kernel, n_components=min(self.n_components, n), random_state=seed, **formula
        )

    def _features(self, X: TableLike) -> np.ndarray:
        return np.ascontiguousarray(self.map_.transform(X))

    def _compare(self, training: Training, random: Any) -> Comparison | None:
        """Both machines on some rows, judged by other rows."""
        n = training.X.shape[0]
        count = min(self.check_rows, n // 2)
        if count == 0:
            return None
        chosen = random.permutation(n)[: 2 * count]
        inside, outside = chosen[:count], chosen[count:]
        learned, other = _taken(training, inside), _taken(training, outside)
        counts = np.bincount(learned.y, minlength=len(training.classes))
        if counts.min() < FEWEST_OF_A_CLASS:
            return None
        weight = learned.weight if learned.weighted else None
        labels, truth = training.classes[learned.y], training.classes[other.y]
        exact = SVC(
            self.C,
            kernel=self.kernel,
            gamma=self._gamma,
            degree=self.degree,
            coef0=self.coef0,
            multi_class="ovr",
        )
        exact.fit(learned.X, labels, weight)
        near = LinearSVC(self.C, loss=self.loss).fit(self._features(learned.X), labels, weight)
        a, b = exact.predict(other.X), near.predict(self._features(other.X))
        differ = int(np.sum(a != b))
        return Comparison(
            trained_on=inside,
            held_out=outside,
            exact_error=float(np.mean(a != truth)),
            approximate_error=float(np.mean(b != truth)),
            disagreement=differ / count,
            disagreement_at_most=_upper_limit(differ, count),
        )

    def verify(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Check:
        """Check the certificate of the linear machine on the features of these rows.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights given to ``fit``, if any; class weights are added here
        """
        check_is_fitted(self)
        try:
            training = read_training(clone(self), X, y, sample_weight)
            mapped = self._mapped(training)
        except (ValueError, TypeError, LookupError) as error:
            return Check(False, f"the model does not fit these data: {error}")
        found = self.linear_.verify(*mapped)
        asked = checked(self._answers_as_certified, training.X) if found.claim_holds else found
        return found if asked.claim_holds else asked

    def _digest_of_map(self) -> str:
        numbers = [getattr(self.map_, name, None) for name in ("gamma", "coef0", "degree")]
        numbers = [np.nan if value is None else float(value) for value in numbers]
        names = ("components_", "normalization_", "random_weights_", "random_offset_")
        return digest(*(getattr(self.map_, name, None) for name in names), np.array(numbers))

    def _answers_as_certified(self, X: Any) -> str:
        features = self.certificate_.features
        require(features in ("", self._digest_of_map()), "map_ is not that of the certificate")
        own = replace(self.certificate_, features="")
        require(same_claim(own, self.linear_.certificate_), "linear_ has another certificate")
        matrix = rows_to_ask(X)
        _, said = self.linear_._certified_answers(self._features(matrix))
        require_answers(self, matrix, said)
        return "the model answers as certified"

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores of the linear machine: (n,) for two classes, (n, K) for more."""
        Z = self._checked(X)
        return self.linear_.decision_function(Z)

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of each row."""
        Z = self._checked(X)
        return self.linear_.predict(Z)

    def _checked(self, X: TableLike) -> np.ndarray:
        check_is_fitted(self)
        matrix = read_features(self, X)
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        return self._features(matrix)


class _Mapped(Source):
    """φ of rows that are elsewhere, whose targets are class numbers."""

    def __init__(self, engine: Engine, classes: np.ndarray) -> None:
        super().__init__(engine)
        self.classes = classes

    def labelled(self, known: Any = None) -> tuple[np.ndarray, Engine]:
        return self.classes, self.engine


def _features_of(block: Block, made: Any) -> tuple:
    if block.X.shape[0] == 0:
        width = made.transform(np.zeros((1, block.X.shape[1]), block.X.dtype)).shape[1]
        return np.zeros((0, width), block.X.dtype), block.y, block.weight
    return np.ascontiguousarray(made.transform(block.X)), block.y, block.weight


def _taken(training: Training, rows: np.ndarray) -> Block:
    """Some training rows in this order, with class numbers and weights, here."""
    X, codes, weight = training.X, training.codes, training.weight
    if not isinstance(X, FarRows):
        return Block(0, X[rows], codes[rows], weight[rows] if len(weight) else weight)
    order = np.argsort(rows)
    return taken(X.engine.take(rows[order]), np.argsort(order))


# Clopper and Pearson: the share at which so few or fewer would be seen in 5 % of all cases.
def _upper_limit(count: int, trials: int) -> float:
    if count == trials:
        return 1.0
    return float(stats.beta.ppf(CONFIDENCE, count + 1, trials - count))
