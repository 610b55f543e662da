"""The perceptron rule in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions
from linscope.arithmetic.enclosures import UNIT, Ball, dense
from linscope.data import to_matrix
from linscope.data.tables import TableLike
from linscope.fitting.linear_prediction import Hyperplanes
from linscope.fitting.scores import in_type, into_range, kernel_errors
from linscope.fitting.training import Problem, Training, read_features
from linscope.fitting.verified import Verified
from linscope.kernels import NAMES, gram, kernel_name, refuse_two_widths, resolve_gamma
from linscope.kernels.gram import CANCELS
from linscope.results import Result, Status
from linscope.results.certificate import proofs_wanted
from linscope.rows.finite import check_finite
from linscope.rows.memory_budget import available_memory
from linscope.rows.operations import GramRows
from linscope.verify.answers import Answers, kernel_answers, some, voted_answers
from linscope.verify.kernel_signs import signed_sums
from linscope.verify.kernel_values import Kernel, Values, kernel_sums, matrix_sums, values

from ..certificates.perceptron import KernelPerceptronCertificate, combine, with_committees
from ..solvers.rule import OutOfRange, PerceptronRule, coefficients, gram_start
from ..solvers.samples import Visited
from ..solvers.voted import Committee, update_rows
from ..verify.kernel_perceptron import KernelFacts, measure
from .family import PerceptronFamily

# Kernel values below this have lost digits.
TINY = 1e-280
VANISHING = (
    "kernel values vanish in floating point: scale the columns of X, e.g. with "
    "sklearn.preprocessing.StandardScaler, or raise gamma"
)


class KernelPerceptron(Verified, PerceptronFamily):
    """Perceptron in the feature space of a kernel.

    The weight vector is w = Σ α_i φ(x_i) and is known only by its coefficients: a mistake on
    sample i adds η y_i to α_i, and the score of x is Σ α_i K(x_i, x). With ``fit_intercept`` the
    feature space gets the constant 1 as well, so K becomes K + 1 and the bias is Σ α_i. With
    ``kernel="linear"`` it makes the same updates as ``Perceptron``.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable (X, Z) → matrix
        "gaussian" and "polynomial" are other names of "rbf" and "poly".
    gamma : {"scale", "auto"} or float
    sigma : float, optional
        The notes' width, γ = 1/(2σ²), in place of ``gamma``.
    degree, coef0 : of the polynomial (γ x·z + coef0)^degree and sigmoid tanh(γ x·z + coef0)
    rule, output, eta0, schedule, margin, tie, stop, shuffle, batch_size, max_iter, multi_class, \
fit_intercept, class_weight, random_state : as in ``Perceptron``

    Attributes
    ----------
    support_ : training rows with a coefficient other than 0 in some binary problem
    support_vectors_ : those rows (empty for a precomputed kernel)
    dual_coef_ : their coefficients α, one row per binary problem (not for ``output="voted"``)
    intercept_ : Σ α_i, or 0 without intercept
    classes_, n_iter_, n_updates_, certificate_, results_ : as in ``Perceptron``

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> model = ls.KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> model.predict(X).tolist() == y.tolist()
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **PerceptronFamily._parameter_constraints,
        "kernel": [StrOptions(NAMES), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }
    del _parameter_constraints["warm_start"]

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | str = "scale",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        rule: str = "single",
        output: str = "last",
        eta0: float = 1.0,
        schedule: str = "constant",
        margin: float = 0.0,
        tie: str = "update",
        stop: str = "streak",
        shuffle: bool = False,
        batch_size: int = 32,
        max_iter: int = 1000,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.rule = rule
        self.output = output
        self.eta0 = eta0
        self.schedule = schedule
        self.margin = margin
        self.tie = tie
        self.stop = stop
        self.shuffle = shuffle
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def _kernel_name(self) -> Any:
        return kernel_name(self.kernel)

    def _start(self, training: Training) -> None:
        super()._start(training)
        X = training.X
        check_finite(X, getattr(self, "feature_names_in_", None))
        refuse_two_widths(self.gamma, self.sigma)
        if self.kernel == "precomputed":
            self._gram_rows = np.setdiff1d(np.arange(X.shape[1]), training.ignored)
            X = X[:, self._gram_rows]
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"a precomputed kernel must be square, one row and column per sample, "
                    f"but X has shape {training.X.shape}"
                )
            self._gamma = None
        else:
            weight = training.weight if len(training.weight) else None
            has_none = self.kernel == "linear" or callable(self.kernel)
            self._gamma = (
                1.0 if has_none else resolve_gamma(self.gamma, X, weight, sigma=self.sigma)
            )
        products = self._products(X)
        largest = float(np.abs(products).max(initial=0.0))
        if largest < TINY and not self.fit_intercept and abs(X).max() > 0.0:
            raise ValueError(VANISHING)
        self._gram = products + (1.0 if self.fit_intercept else 0.0)

    def _products(self, X: TableLike, Z: Any = None) -> np.ndarray:
        """Kernel values in float64, whatever the type of the rows."""
        return gram(
            X.astype(np.float64, copy=False),
            None if Z is None else Z.astype(np.float64, copy=False),
            kernel=self._kernel_name,
            gamma=self._gamma,
            degree=self.degree,
            coef0=self.coef0,
            memory_limit=0.5 * available_memory(),
        )

    def _solver(
        self, training: Training, problem: Problem, number: int, keep_log: bool
    ) -> PerceptronRule:
        products, weight = self._gram, training.weight
        if problem.rows is not None:
            products = products[np.ix_(problem.rows, problem.rows)]
            weight = weight[problem.rows] if len(weight) else weight
        n = len(products)
        return PerceptronRule(
            samples=Visited(GramRows(products), problem.y, weight),
            rule=self._rule(),
            order=self._order(n),
            initial=gram_start(n),
            kind=self.rule,
            batch_size=self.batch_size,
            keep_log=keep_log or self.output == "voted",
        )

    def _run(self, solver: PerceptronRule, training: Training) -> Result:
        try:
            return super()._run(solver, training)
        except OutOfRange:
            raise ValueError(
                "kernel values leave the range of floating point: scale the columns of X, e.g. "
                "with sklearn.preprocessing.StandardScaler, or lower degree or gamma"
            ) from None

    def _keep(self, training: Training, problems: Any, solvers: Any, results: Any) -> None:
        self._counts(training, results)
        n = len(training.codes)
        alphas = np.zeros((len(results), n))
        for k, (problem, solver, result) in enumerate(zip(problems, solvers, results, strict=True)):
            rows = slice(None) if problem.rows is None else problem.rows
            alphas[k, rows] = coefficients(solver.samples.rows, self._output(result))
        self.support_ = np.flatnonzero(alphas.any(axis=0))
        if self.output == "voted":
            self._keep_committees(training, problems, solvers, results)
        else:
            self.dual_coef_ = in_type(alphas[:, self.support_], training.X.dtype)
            self.intercept_ = self._biases(alphas, training.X.dtype)
        self.support_vectors_ = self._vectors(training, self.support_)
        kept = np.delete(np.arange(n + len(training.ignored)), training.ignored)
        self._rows = [kept if p.rows is None else kept[p.rows] for p in problems]
        self.certificate_ = combine(
            {
                problem.name: self._certificate(training, problem, solver, result, alpha)
                for problem, solver, result, alpha in zip(
                    problems, solvers, results, alphas, strict=True
                )
            }
        )
        self.support_ = kept[self.support_]
        if self.output == "voted":
            self.certificate_ = with_committees(self.certificate_, self.committees_)
        del self._gram

    def _vectors(self, training: Training, rows: Any) -> Any:
        return np.empty((0, 0)) if self.kernel == "precomputed" else training.X[rows]

    def _keep_committees(self, training: Any, problems: Any, solvers: Any, results: Any) -> None:
        self.committees_ = []
        for problem, solver, result in zip(problems, solvers, results, strict=True):
            distinct, places, steps = update_rows(solver, result.log)
            rows = distinct if problem.rows is None else problem.rows[distinct]
            support = self._vectors(training, rows)
            if self.kernel == "precomputed":
                support = self._gram_rows[rows]
            self.committees_.append(
                Committee(support, places, steps, result.log.survival, initial=None)
            )

    def _biases(self, alphas: np.ndarray, dtype: Any) -> np.ndarray:
        """b = Σα of the coefficients in the type of the model."""
        if not self.fit_intercept:
            return np.zeros(len(alphas), dtype)
        held = in_type(alphas, dtype).astype(np.float64)
        return in_type(np.array([fsum(row) for row in held.tolist()]), dtype)

    def _certificate(
        self, training: Any, problem: Any, solver: Any, result: Any, alpha: Any
    ) -> Any:
        rows = slice(None) if problem.rows is None else problem.rows
        dtype, X = training.X.dtype, training.X[rows]
        if self.kernel == "precomputed":
            X = np.asarray(X[:, self._gram_rows[rows]], dtype=np.float64)
        stored = in_type(alpha[rows], dtype).astype(np.float64)
        bias = float(self._biases(alpha[None], dtype)[0])
        kernel = self._kernel()
        about = kernel, X, problem.y
        rows_of_gram = solver.samples.rows
        plain = self._plain_scores(rows_of_gram.gram, stored, bias)
        known = measure if proofs_wanted() else _nothing_known
        facts = known(*about, stored, bias, self.tie, self.fit_intercept, plain)
        claim = self._claim(training, problem, solver, result, facts)
        if claim["status"] is Status.CONVERGED:
            last = in_type(coefficients(rows_of_gram, result.weights), dtype).astype(np.float64)
            own = float(last.sum()) if self.fit_intercept else 0.0
            found = known(*about, last, own, self.tie, self.fit_intercept)
            # The last vector is a witness for others only: held itself, it has made mistakes.
            witness = self.output == "averaged" and found.mistakes == 0
            claim |= {"last": last} if witness else {"status": Status.STALLED}
        return KernelPerceptronCertificate(
            **claim,
            alpha=stored,
            bias=bias,
            kernel=self._kernel_name,
            parameters=self._kernel_parameters(),
        )

    def _kernel_parameters(self) -> dict[str, Any]:
        return {"gamma": self._gamma, "degree": self.degree, "coef0": self.coef0}

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        form, part = self._certified_form(), self._certified_parts()[0]
        numbers: Any = {name: value or 0.0 for name, value in part.parameters.items()}
        kernel, given = Kernel(part.kernel, **numbers), self.kernel == "precomputed"
        if self.output != "voted":
            X = some(X, len(self.support_) * X.shape[1])
            Z = None if given else self.support_vectors_
            of = X[:, self.support_] if given else X
            held = self.dual_coef_, self.intercept_
            return X, kernel_answers(kernel, of, Z, *held, X.dtype, **form)
        X = some(X, max(len(committee) for committee in self.committees_) * X.shape[1])
        bias = float(self.fit_intercept)

        def products(committee: Committee) -> tuple[Any, np.ndarray]:
            Z = committee.support
            K: Any = dense(X[:, Z]) if given else sum(values(kernel, X, Z).layers)
            return K + bias, np.zeros(X.shape[0])

        return X, voted_answers(self.committees_, products, X.dtype, **form)

    def _kernel(self) -> Kernel:
        return Kernel(self._kernel_name, self._gamma or 0.0, self.degree, self.coef0)

    def _plain_scores(self, products: np.ndarray, alpha: np.ndarray, bias: float) -> Ball | None:
        """Scores of the training rows from the products of the fit, or None."""
        if self._kernel_name != "rbf":
            return None
        used = np.flatnonzero(alpha)
        return _gaussian_sums(products[:, used] - float(self.fit_intercept), alpha[used], bias)

    def _live_claim(self, X: TableLike) -> Any:
        """The certificate, if the attributes hold the coefficients it speaks of."""
        claim: Any = self.certificate_
        parts = self._certified_parts()
        if any(part.kernel != self._kernel_name for part in parts):
            raise ValueError(f"kernel={self.kernel!r} is not that of the certificate")
        if any(part.parameters != self._kernel_parameters() for part in parts):
            raise ValueError("gamma, degree or coef0 are not those of the certificate")
        if self.output == "voted":
            self._check_committees(parts)
            return claim
        matrix, _ = to_matrix(X)
        if self.kernel != "precomputed":
            given, held = matrix[self.support_], self.support_vectors_
            if (given != held).sum():
                raise ValueError("support_vectors_ are not the rows support_ of X")
        alphas = np.zeros((len(parts), matrix.shape[0]))
        alphas[:, self.support_] = self.dual_coef_
        for k, part in enumerate(parts):
            mine = alphas[k][self._rows[k]]
            same = np.array_equal(mine, part.alpha) and self.intercept_[k] == part.bias
            if not same or np.count_nonzero(alphas[k]) != np.count_nonzero(mine):
                raise ValueError("dual_coef_ or intercept_ are not those of the certificate")
        return claim

    def _claimed_weight(self, y: Any, sample_weight: Any) -> Any:
        return None  # the certificate names the rows of weight 0; other weights play no part

    def _scores(self, X: TableLike) -> np.ndarray:
        matrix = read_features(self, X)
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        if self.output == "voted":
            return self._votes(matrix).astype(matrix.dtype, copy=False)
        K = self._similarity(matrix, self.support_vectors_, self.support_).astype(np.float64)
        with np.errstate(all="ignore"):
            columns = [self._signed_scores(matrix, K, k) for k in range(len(self.dual_coef_))]
        return into_range(np.column_stack(columns), matrix.dtype)

    def prediction_error_bound(self, X: TableLike) -> np.ndarray:
        check_is_fitted(self)
        if self.output == "voted":
            raise ValueError("a voted perceptron has votes, not the score of one function")
        matrix, vectors = read_features(self, X), self.support_vectors_
        if self.kernel == "precomputed":
            matrix, vectors = matrix[:, self.support_], None
        parts = zip(
            self._scores(X).T, self.dual_coef_.astype(np.float64), self.intercept_, strict=True
        )
        kernel = self._kernel()
        errors = [
            kernel_errors(own, kernel, matrix, vectors, beta, float(bias))
            for own, beta, bias in parts
        ]
        return errors[0] if len(errors) == 1 else np.column_stack(errors)

    prediction_error_bound.__doc__ = Hyperplanes.prediction_error_bound.__doc__

    def _signed_scores(self, matrix: Any, K: np.ndarray, k: int) -> np.ndarray:
        """One problem's scores; where they are within rounding of 0 their sign is exact."""
        beta, bias = self.dual_coef_[k].astype(np.float64), float(self.intercept_[k])
        used = np.flatnonzero(beta)
        beta, own, kernel = beta[used], K[:, used], self._kernel()
        if self.kernel == "precomputed":
            plain = matrix_sums(Values([own], np.zeros(own.shape)), beta, bias)
            return signed_sums(kernel, own, None, beta, bias, plain)[0]
        Z = self.support_vectors_[used]
        if not len(used):
            return np.full(len(own), bias)
        if self._kernel_name == "rbf":
            plain = _gaussian_sums(own, beta, bias)
        else:
            plain = kernel_sums(kernel, matrix, Z, beta, bias)
        return signed_sums(kernel, matrix, Z, beta, bias, plain)[0]

    def _similarity(self, matrix: Any, vectors: Any, rows: Any) -> np.ndarray:
        if self.kernel == "precomputed":
            return matrix[:, rows]
        if vectors.shape[0] == 0:
            return np.zeros((matrix.shape[0], 0))
        return self._products(matrix, vectors)

    def _votes(self, matrix: Any) -> np.ndarray:
        at_zero = -1.0 if self.tie == "negative" else 1.0
        bias = 1.0 if self.fit_intercept else 0.0

        def products(support: Any, points: Any) -> Any:
            return self._similarity(points, support, support).T + bias

        def zeros(points: Any) -> Any:
            return np.zeros(points.shape[0])

        return np.column_stack(
            [committee.votes(matrix, products, zeros, at_zero) for committee in self.committees_]
        )

    @property
    def coef_(self) -> Any:
        """The weights in the original features; only a linear kernel has them."""
        check_is_fitted(self, "dual_coef_")
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available with kernel='linear'")
        return self.dual_coef_ @ self.support_vectors_


# The values of ``gram`` are wrong by less than CANCELS; 1 was added to them and taken off again.
def _gaussian_sums(K: np.ndarray, beta: np.ndarray, bias: float) -> Ball:
    """Kβ + b with a bound of its rounding."""
    return matrix_sums(Values([K], np.full(K.shape, 2.0 * CANCELS + 8.0 * UNIT)), beta, bias)


def _nothing_known(kernel: Kernel, X: Any, y: np.ndarray, *vector: Any) -> KernelFacts:
    """In place of ``measure`` where no proof is wanted: every sample may be a mistake."""
    return KernelFacts(max(len(y), 1), 0, -np.inf, np.inf, 0.0, len(y))
