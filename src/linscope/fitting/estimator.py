"""What every estimator does at its door: data sets in place of X and y, parameters by name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from inspect import getattr_static, signature
from types import FunctionType
from typing import TYPE_CHECKING, Any

from linscope._printable import printable
from linscope.data.given import accepts_dataset, of_samples
from linscope.data.suggest import did_you_mean
from linscope.data.tables import at_hand
from linscope.results.notebook import facts

from .far import OF_ROWS, answers_far_rows, goes_on, opens_collections, scores_far_rows

# Of what a notebook shows under a fitted estimator.
MOST_EQUATIONS, LONGEST_EQUATION = 4, 200
# Methods of X and y, where there are such.
OF_SAMPLES = ["fit", "partial_fit", "score", "verify"]
OF_SAMPLES += ["summary", "diagnose", "odds_ratios", "log_likelihood"]
# What a parameter is called elsewhere -> what it may be called here, the first that there is.
ELSEWHERE = {
    "eta": ("eta0",),
    "learning_rate": ("eta0",),
    "lr": ("eta0",),
    "rate": ("eta0",),
    "epochs": ("max_iter",),
    "n_epochs": ("max_iter",),
    "n_iter": ("max_iter",),
    "passes": ("max_iter",),
    "seed": ("random_state",),
    "bias": ("fit_intercept",),
    "intercept": ("fit_intercept",),
    "weights": ("init", "class_weight"),
    "w0": ("init",),
    "start": ("init",),
    "order": ("shuffle",),
    "delta": ("epsilon",),
    "power": ("degree",),
    "lam": ("alpha", "C"),
    "lambda": ("alpha", "C"),
    "lambda_": ("alpha", "C"),
    "lambd": ("alpha", "C"),
}
# Parameters of these types are either right or wrong, whoever has them: fits of thousands of small
# tables need not ask again.
PLAIN, MOST_VALIDATED = frozenset({str, int, float, bool, type(None)}), 10_000
_validated: set[tuple] = set()


class Estimator:
    """Mixin of all estimators; it stands before those of scikit-learn."""

    n_features_in_: int

    if not TYPE_CHECKING:  # a type checker reads __init__

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            known = _parameters(cls.__init__)
            for name in kwargs:
                if known and name not in known:
                    raise TypeError(_unknown(cls.__name__, name, known))
            return super().__new__(cls)

        def __getattr__(self, name: str) -> Any:  # only asked for what is not there
            if name in vars(self).get("_not_kept", ()):
                model = type(self).__name__
                raise AttributeError(f"a loaded {model} does not keep {name}: fit it again")
            return object.__getattribute__(self, name)  # raises again what was raised before

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, with those of estimators inside if ``deep``."""
        known = _parameters(type(self).__init__)
        if not known:
            return super().get_params(deep)  # type: ignore[misc]
        found = {name: getattr(self, name) for name in sorted(known) if name != "self"}
        inner = deep and any(hasattr(value, "get_params") for value in found.values())
        return super().get_params(deep) if inner else found  # type: ignore[misc]

    def _validate_params(self) -> None:
        """scikit-learn's, once for parameters of the same plain types and values."""
        given = self.get_params(deep=False)
        plain = all(type(value) in PLAIN for value in given.values())
        key = (type(self), *((type(value), value) for value in given.values())) if plain else None
        if key is None or key not in _validated:
            super()._validate_params()  # type: ignore[misc]
            if key is not None and len(_validated) < MOST_VALIDATED:
                _validated.add(key)

    def _names(self) -> list[str]:
        """The printable names of the training columns, or x1, x2 … where there are none."""
        names = vars(self).get("feature_names_in_")
        if names is None:
            return [f"x{j + 1}" for j in range(self.n_features_in_)]
        return list(map(printable, names))

    def _html_repr(self) -> str:
        """scikit-learn's diagram; under it what the fit has found, and what is proven of it."""
        diagram = super()._html_repr()  # type: ignore[misc]
        certificate = getattr(self, "certificate_", None)
        return diagram if certificate is None else diagram + _found(self, certificate)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for name in OF_SAMPLES:
            method = getattr_static(cls, name, None)  # what depends on parameters is no function
            new = isinstance(method, FunctionType) and not hasattr(method, "accepts_dataset")
            if new and of_samples(method):
                far = scores_far_rows(method) if name == "score" else method
                far = goes_on(far) if name.endswith("fit") else far
                setattr(cls, name, _door(method, accepts_dataset(opens_collections(far))))
        for name in OF_ROWS:
            method = getattr_static(cls, name, None)
            if isinstance(method, FunctionType) and not hasattr(method, "answers_far_rows"):
                setattr(cls, name, _door(method, answers_far_rows(method)))
        super().__init_subclass__(**kwargs)


def _door(method: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """The method for a table in memory, ``otherwise`` for whatever else stands for X."""

    @wraps(otherwise)
    def opened(self: Any, *args: Any, **kwargs: Any) -> Any:
        near = at_hand(args[0] if args else kwargs.get("X"))
        return (method if near else otherwise)(self, *args, **kwargs)

    return opened


def _found(model: Any, certificate: Any) -> str:
    """The equation, and the certificate in a sentence."""
    equations: Any = {}
    with suppress(AttributeError, ValueError):  # kernel machines and committees have none
        equations = model.equation()
    if isinstance(equations, str):
        equations = {"equation": equations}
    lines = [(str(label), _cut(line)) for label, line in equations.items()]
    if len(lines) > MOST_EQUATIONS:
        lines = [*lines[:MOST_EQUATIONS], ("…", f"{len(lines)} equations in all")]
    if not certificate.ok:
        lines.append(("advice", certificate.advice))
    return facts(certificate.text, lines, certificate.ok)


def _cut(line: str) -> str:
    """The beginning of a long equation, whose last words say what follows from it."""
    if len(line) <= LONGEST_EQUATION:
        return line
    terms, sign, end = line.rpartition(" > ")
    return f"{terms[:LONGEST_EQUATION].rpartition(' ')[0]} …{sign}{end if sign else ''}"


@cache
def _parameters(init: Any) -> dict[str, Any]:
    """The names that a constructor takes; none if it takes any."""
    found = dict(signature(init).parameters)
    return {} if any(one.kind is one.VAR_KEYWORD for one in found.values()) else found


def _unknown(model: str, name: str, known: dict[str, Any]) -> str:
    near = [other for other in ELSEWHERE.get(name, ()) if other in known][:1]
    hint = f"; did you mean {near[0]!r}?" if near else did_you_mean(name, known)
    if name.startswith("lam") and near == ["C"]:
        hint += " The notes' λ‖w‖² is C = 1/(2λ)"
    return f"{model} has no parameter {name!r}{hint or f'. It has {_list(known)}'}"


def _list(known: dict[str, Any]) -> str:
    return ", ".join(name for name in known if name != "self")
