"""What every estimator does at its door: data sets in place of X and y, parameters by name."""

from __future__ import annotations

from functools import cache
from inspect import getattr_static, signature
from types import FunctionType
from typing import TYPE_CHECKING, Any

from linscope.data.given import accepts_dataset, of_samples
from linscope.data.suggest import did_you_mean

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


class Estimator:
    """Mixin of all estimators; it stands before those of scikit-learn."""

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

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for name in OF_SAMPLES:
            method = getattr_static(cls, name, None)  # what depends on parameters is no function
            new = isinstance(method, FunctionType) and not hasattr(method, "accepts_dataset")
            if new and of_samples(method):
                setattr(cls, name, accepts_dataset(method))
        super().__init_subclass__(**kwargs)


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
