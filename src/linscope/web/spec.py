"""What a run depends on, read from JSON: every mistake is one sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.data.suggest import did_you_mean

from .algorithms import ALGORITHMS, Algorithm, Parameter
from .limits import CLASSES, FEATURES, KERNEL_POINTS, LARGEST, NAME, POINTS, BadSpec

VIEWS = ("weights", "loss", "bound", "curves", "points")


@dataclass(frozen=True, eq=False)
class Data:
    """Points as the page has them: ``labels`` are class names, or numbers of a regression."""

    points: np.ndarray
    labels: np.ndarray
    features: list[str]
    names: list[str] | None
    mode: str

    @property
    def classes(self) -> list[str]:
        return [] if self.mode == "regression" else [str(each) for each in np.unique(self.labels)]

    @property
    def codes(self) -> np.ndarray:
        return np.unique(self.labels, return_inverse=True)[1]

    def document(self) -> dict[str, Any]:
        labels = self.labels.tolist()
        return {
            "points": self.points.tolist(),
            "labels": labels if self.mode == "regression" else [str(each) for each in labels],
            "features": self.features,
            "names": self.names,
        }


@dataclass(frozen=True)
class Brief:
    """One state of a run and one view, for a picture while a point moves.

    at : so many rows after those before ``start``; None for the last
    view : the panel that is shown beside the first picture
    """

    at: int | None = None
    view: str = "weights"


@dataclass(frozen=True, eq=False)
class Spec:
    """Data, algorithm and its parameters.

    start : the first row of the ledger to be sent; of a start beyond the end the last rows are
    window : whether only rows and states are wanted, of a run that the page has already
    """

    data: Data
    algorithm: Algorithm
    params: dict[str, Any]
    exact: bool = False
    start: int = 1
    loss: str | None = None
    brief: Brief | None = None
    window: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "data": self.data.document(),
            "mode": self.data.mode,
            "algorithm": self.algorithm.id,
            "params": self.params,
            "exact": self.exact,
            "start": self.start,
            "loss": self.loss,
        }


def read_spec(body: Any) -> Spec:
    """A spec from its JSON document."""
    given = _object(body, "the request")
    _known(
        given,
        ("data", "mode", "algorithm", "params", "exact", "start", "loss", "brief", "window"),
        "the request",
    )
    mode = given.get("mode", "classes")
    if mode not in ("classes", "regression"):
        raise BadSpec(f"mode must be 'classes' or 'regression', got {_short(mode)}")
    algorithm = _algorithm(given.get("algorithm"), mode)
    data = read_data(given.get("data"), mode)
    _fits(data, algorithm)
    exact, start, loss = given.get("exact", False), given.get("start", 1), given.get("loss")
    if not isinstance(exact, bool):
        raise BadSpec("exact must be true or false")
    if not _whole(start) or not 1 <= start <= 10**7:
        raise BadSpec("start must be a whole number from 1")
    if loss is not None and not isinstance(loss, str):
        raise BadSpec("loss must be a name or null")
    params = given.get("params")
    params = read_params({} if params is None else params, algorithm)
    if exact and algorithm.exact and params.get("eta0") == 0:
        raise BadSpec("fractions need a rate η of your own: the safe one, at 0, is none")
    brief, window = _brief(given.get("brief")), given.get("window", False)
    if not isinstance(window, bool):
        raise BadSpec("window must be true or false")
    exact = exact and algorithm.exact
    return Spec(data, algorithm, params, exact, int(start), loss, brief, window)


def _brief(body: Any) -> Brief | None:
    if body is None:
        return None
    given = _object(body, "brief")
    _known(given, ("at", "view"), "brief")
    at, view = given.get("at"), given.get("view", VIEWS[0])
    if at is not None and (not _whole(at) or not 0 <= at <= 10**7):
        raise BadSpec("at must be a whole number from 0, or null")
    if view not in VIEWS:
        raise BadSpec(f"view must be one of {', '.join(VIEWS)}, got {_short(view)}")
    return Brief(at, view)


def read_data(body: Any, mode: str) -> Data:
    """Points and labels; at most so many, finite, with two or three classes."""
    given = _object(body, "data")
    _known(given, ("points", "labels", "features", "names"), "data")
    points = _points(given.get("points"))
    labels = _labels(given.get("labels"), len(points), mode)
    features = given.get("features")
    if features is None:
        features = [f"x{k + 1}" for k in range(points.shape[1])]
    features = _names(features, points.shape[1], "features")
    names = given.get("names")
    if names is not None:
        names = _names(names, len(points), "names")
    return Data(points, labels, features, names, mode)


def _points(rows: Any) -> np.ndarray:
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not rows:
        raise BadSpec("there are no points: draw some, or choose a data set")
    if len(rows) > POINTS:
        raise BadSpec(
            f"the playground takes {POINTS} points, these are {len(rows):,}: take a sample"
        )
    width = len(rows[0]) if isinstance(rows[0], Sequence) else 0
    if not 1 <= width <= FEATURES:
        raise BadSpec(f"a point must be a list of 1 to {FEATURES} numbers")
    for place, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != width:
            raise BadSpec(f"point {place} must have {width} numbers like the first one")
        for value in row:
            _finite(value, f"point {place}")
    return np.array(rows, dtype=np.float64)


def _labels(labels: Any, count: int, mode: str) -> np.ndarray:
    if not isinstance(labels, Sequence) or isinstance(labels, str) or len(labels) != count:
        raise BadSpec(f"there must be one label for each of the {count} points")
    if mode == "regression":
        return np.array([_finite(y, f"y of point {k}") for k, y in enumerate(labels)])
    for place, label in enumerate(labels):
        _check_name(label, f"label of point {place}")
    if all(_is_integer(label) for label in set(labels)):
        found = np.array([int(label) for label in labels])
    else:
        found = np.array(labels)
    classes = np.unique(found)
    if len(classes) < 2:
        raise BadSpec(f"all points are of class {classes[0]}: add points of a second class")
    if len(classes) > CLASSES:
        raise BadSpec(f"{len(classes)} classes are too many for the playground: at most {CLASSES}")
    return found


def _is_integer(label: str) -> bool:
    """Whether a label is a whole number, written as Python writes it."""
    try:
        return str(int(label)) == label and abs(int(label)) < 10**9
    except ValueError:
        return False


def _fits(data: Data, algorithm: Algorithm) -> None:
    n, d, K = len(data.points), data.points.shape[1], len(data.classes)
    if algorithm.kernel and n > KERNEL_POINTS:
        raise BadSpec(f"{algorithm.title} takes at most {KERNEL_POINTS} points here, these are {n}")
    if data.mode == "regression" and d != 1:
        raise BadSpec("a regression here has one feature: choose one column")
    if data.mode == "classes" and K not in algorithm.classes:
        raise BadSpec(f"{algorithm.title} takes {algorithm.classes} classes here, these are {K}")
    if n < 2:
        raise BadSpec("at least two points are needed")


def _algorithm(name: Any, mode: str) -> Algorithm:
    if not isinstance(name, str) or name not in ALGORITHMS:
        hint = did_you_mean(_short(name), list(ALGORITHMS)) or ";"
        raise BadSpec(f"no algorithm is called {_short(name)}{hint} known: {', '.join(ALGORITHMS)}")
    found = ALGORITHMS[name]
    if found.mode != mode:
        raise BadSpec(f"{found.title} is for {found.mode}, and these points are for {mode}")
    return found


def read_params(given: Any, algorithm: Algorithm) -> dict[str, Any]:
    """All parameters of the algorithm: as given, else their defaults."""
    given = dict(_object(given, "params"))
    init = given.pop("init", None) if algorithm.id == "perceptron" else None
    out = read_params_of(given, algorithm.parameters, algorithm.title)
    return out if init is None else {**out, "init": _initial(init)}


def read_params_of(given: Any, parameters: Sequence[Parameter], what: str) -> dict[str, Any]:
    """Parameters as given, else their defaults."""
    given = _object(given, "params")
    known = {each.name: each for each in parameters}
    _known(given, list(known), f"params of {what}")
    return {name: _value(each, given.get(name, each.default)) for name, each in known.items()}


def _initial(values: Any) -> list[float]:
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) > FEATURES + 1:
        raise BadSpec("init must be a list of weights, bias first")
    return [_finite(value, "init") for value in values]


def _value(each: Parameter, value: Any) -> Any:
    if each.kind == "flag":
        if not isinstance(value, bool):
            raise BadSpec(f"{each.title} must be true or false")
        return value
    if each.kind == "choice":
        known = [one for one, _ in each.choices]
        if value not in known or isinstance(value, bool):
            names = ", ".join(map(str, known))
            raise BadSpec(f"{each.title} must be one of {names}, got {_short(value)}")
        return value
    value = _finite(value, each.title)
    if each.kind == "integer":
        if not float(value).is_integer():
            raise BadSpec(f"{each.title} must be a whole number, got {value:g}")
        value = int(value)
    if not each.min <= value <= each.max:
        raise BadSpec(f"{each.title} must be from {each.min:g} to {each.max:g}, got {value:g}")
    return value


def _object(body: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise BadSpec(f"{what} must be a JSON object")
    return body


def _known(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in given:
        if name not in known:
            hint = did_you_mean(str(name), list(known)) or "; "
            raise BadSpec(f"{what}: there is no {_short(name)}{hint} known: {', '.join(known)}")


def _names(names: Any, count: int, what: str) -> list[str]:
    if not isinstance(names, Sequence) or isinstance(names, str) or len(names) != count:
        raise BadSpec(f"{what} must be a list of {count} texts")
    for name in names:
        _check_name(name, f"each of the {what}")
    return list(names)


# Control characters have no picture (and NumPy drops a NUL); some turn the text around them.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str) or not 0 < len(name) <= NAME:
        raise BadSpec(f"{what} must be a text of 1 to {NAME} characters")
    unseen = UNSEEN.search(name)
    if unseen:
        raise BadSpec(
            f"{what} must not have the control character U+{ord(unseen[0]):04X}: remove it"
        )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadSpec(f"{what}: {_short(value)} is not a number")
    if not -LARGEST <= value <= LARGEST:
        raise BadSpec(f"{what}: numbers must be from −{LARGEST:g} to {LARGEST:g}")
    return float(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= NAME else text[:NAME] + "…"
