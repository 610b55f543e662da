"""All private names of scikit-learn, Numba and threadpoolctl that linscope uses, in one place.

A release of theirs that renames one of these breaks this file and no other. Each name is imported
when it is first asked for: most commands need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PRIVATE = {
    # Constraints on parameters, so that errors read as scikit-learn's do.
    "Interval": ("sklearn.utils._param_validation", "Interval"),
    "StrOptions": ("sklearn.utils._param_validation", "StrOptions"),
    "check_n_features": ("sklearn.utils.validation", "_check_n_features"),
    # Names of new features from those of the old ones.
    "check_feature_names_in": ("sklearn.utils.validation", "_check_feature_names_in"),
    # Weights of samples: a number, None or an array, with scikit-learn's messages.
    "check_sample_weight": ("sklearn.utils.validation", "_check_sample_weight"),
    # The length of anything that is a table.
    "num_samples": ("sklearn.utils.validation", "_num_samples"),
    # Votes of all pairs of classes, ties by the sum of scores.
    "ovr_decision_function": ("sklearn.utils.multiclass", "_ovr_decision_function"),
    # Tells when a kernel is compiled.
    "compile_events": ("numba.core", "event"),
    # A compiled kernel.
    "Dispatcher": ("numba.core.registry", "CPUDispatcher"),
}

__all__ = [
    *_PRIVATE,
    "begin_callbacks",
    "check_feature_names",
    "fits",
    "has_callbacks",
    "take_control",
    "validate_params",
]


def __getattr__(name: str) -> Any:
    if name not in _PRIVATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, original = _PRIVATE[name]
    value = getattr(import_module(module), original)
    globals()[name] = value
    return value


def check_feature_names(estimator: Any, X: Any, *, reset: bool) -> None:
    """Names of the user's table against those of the fit, or kept.

    ``validate_data`` takes the names and the number of the columns from one table; here the names
    are those of the user's table, the number that of the matrix made of it. An array has none:
    scikit-learn would first ask every library of data frames whether it is one of theirs.
    """
    plain = type(X).__module__.split(".")[0] in ("numpy", "scipy")
    if plain and "feature_names_in_" not in vars(estimator):
        return
    from sklearn.utils.validation import _check_feature_names

    _check_feature_names(estimator, X, reset=reset)


def fits(method: F) -> F:
    """Decorates ``fit``: parameters are validated once, not again in nested estimators."""
    from sklearn.base import _fit_context

    return _fit_context(prefer_skip_nested_validation=True)(method)


def fits_with_callbacks(method: F) -> F:
    """As ``fits``, and scikit-learn's callbacks are torn down when the fit ends."""
    from sklearn.callback import with_callbacks

    return fits(with_callbacks(method))


def validate_params(estimator: Any) -> None:
    """What ``fits`` does before the method, for those who fit by other doors (paths, traces)."""
    estimator._validate_params()


def has_callbacks(estimator: Any) -> bool:
    """Whether the user has set callbacks of scikit-learn."""
    return bool(vars(estimator).get("_skl_callbacks"))


def begin_callbacks(estimator: Any, most_tasks: int) -> Any:
    """The context of a fit, through which callbacks hear of its tasks."""
    return estimator._init_callback_context(max_subtasks=most_tasks)


def take_control(libraries: Iterable[Any]) -> None:
    """Newer threadpoolctl obeys one thread at a time: the next that asks, from now on."""
    for library in libraries:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
