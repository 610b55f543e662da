"""Every leaf of a fitted model is changed; what then predicts otherwise must not be verified.

A leaf is a number, a text, a truth value or an array in a parameter or a fitted attribute, however
deep. A mutant is the model with one leaf changed, in place or in its file (with a true checksum).
It is judged by its answers for the training rows and for rows that it has never seen: if one bit of
them differs, ``model.verify`` must say no, and say so without an error.

``python -m tests.redteam.mutation --seconds 60 --seed 0`` prints counts for each model.
"""

from __future__ import annotations

import argparse
import copy
import enum
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, is_dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import linscope as ls
from linscope.cli import main as command_line
from linscope.cli.errors import BadInput
from linscope.cli.saved.checking import check, question_of
from linscope.cli.saved.model_file import read_model
from linscope.data.files import Table, read_table
from linscope.results import Check
from tests.persist.checks import sealed, split
from tests.registry import REGISTRY, noisy_plane, overlapping, three_classes

ACCEPTED, CRASHED, REFUSED, SAME, DEAF = "accepted", "crashed", "refused", "same answers", "deaf"
NOT_LOADED = "not loaded"
TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "BOOL": "?", "U8": "u1",
         "U64": "<u8", "U32": "<u4", "I16": "<i2", "I8": "i1"}  # fmt: skip
METHODS = ("decision_function", "predict", "predict_proba", "predict_log_proba", "transform")
# Attributes of scikit-learn's or of the fit that belong to no model, and rows that are kept.
LEFT_OUT = ("_training", "_seen", "_counts", "_random", "_skl_callbacks", "_sklearn_output_config")
# Texts that a parameter may become.
WORDS = ("linear", "rbf", "poly", "sigmoid", "precomputed", "ovr", "ovo", "softmax", "positive",
         "negative", "update", "last", "averaged", "voted", "pocket", "random", "")  # fmt: skip
MOST_OF_AN_ARRAY = 6


# A model in a file with its preparation: columns of a table become numbers.
PREPARED = "fitted by the command line"


def models() -> dict[str, Callable[[], tuple[Any, np.ndarray, np.ndarray]]]:
    """Fitted models of every kind, by name, with their training data."""
    made: dict[str, Any] = {}
    for name, entry in REGISTRY.items():
        made[name] = lambda entry=entry: (entry.make(), *entry.problem())
    kinds = {
        "logistic ovr": ls.LogisticRegression(multi_class="ovr"),
        "logistic ovo": ls.LogisticRegression(multi_class="ovo"),
        "logistic reference": ls.LogisticRegression(reference=1),
        "logistic l1": ls.LogisticRegression(penalty="l1"),
        "hinge ovo": ls.LinearSVC(multi_class="ovo"),
        "SVC ovr": ls.SVC(multi_class="ovr"),
        "SVC probability": ls.SVC(probability=True),
        "SVC linear": ls.SVC(kernel="linear"),
        "SVC poly": ls.SVC(kernel="poly", degree=2, coef0=1.0),
        "random features": ls.ApproximateSVC(method="random", n_components=20, random_state=0),
        "perceptron ovo": ls.Perceptron(multi_class="ovo", output="pocket"),
        "voted": ls.Perceptron(output="voted", max_iter=30),
        "kernel voted": ls.KernelPerceptron(output="voted", multi_class="ovo", max_iter=200),
        "kernel averaged": ls.KernelPerceptron(output="averaged", tie="negative"),
        "Fisher components": ls.FisherDiscriminant(n_components=1),
        "naive Bayes shared": ls.GaussianNaiveBayes(shared_variance=True),
        "least squares of K classes": ls.LeastSquaresClassifier(alpha=0.5),
    }
    for name, model in kinds.items():
        made[name] = lambda model=model: (model, *three_classes())
    made["Perceptron tie"] = lambda: (ls.Perceptron(tie="negative"), *ls.datasets.load("or"))
    made["SVC probability of two"] = lambda: (ls.SVC(probability=True), *overlapping())
    made["two targets"] = lambda: (
        ls.LinearRegression(), noisy_plane()[0], np.column_stack([noisy_plane()[1]] * 2)
    )  # fmt: skip
    return {name: lambda make=make: _fitted(*make()) for name, make in made.items()}


def _fitted(model: Any, X: Any, y: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y), X, y


@dataclass
class Leaf:
    """A place in a model: how to read it, how to write it, and its name."""

    name: str
    value: Any
    put: Callable[[Any], None]


def leaves(model: Any) -> Iterator[Leaf]:
    """All places of a model, without those that belong to the machine or to the rows."""
    yield from _inside(model, type(model).__name__, 0)


def _inside(whole: Any, name: str, depth: int) -> Iterator[Leaf]:
    if depth > 24:
        return
    if isinstance(whole, dict):
        items = [(key, value, lambda new, key=key: whole.__setitem__(key, new))
                 for key, value in whole.items()]  # fmt: skip
    elif isinstance(whole, list):
        items = [(i, value, lambda new, i=i: whole.__setitem__(i, new))
                 for i, value in enumerate(whole)]  # fmt: skip
    elif hasattr(whole, "__dict__") and not isinstance(whole, type | enum.Enum) and (
        is_dataclass(whole) or type(whole).__module__.split(".")[0] in ("linscope", "sklearn")
    ):  # fmt: skip
        items = [(key, value, lambda new, key=key: object.__setattr__(whole, key, new))
                 for key, value in vars(whole).items() if key not in LEFT_OUT]  # fmt: skip
    else:
        return
    for key, value, put in items:
        place = f"{name}.{key}"
        if _is_leaf(value):
            yield Leaf(place, value, put)
        elif isinstance(value, tuple):
            yield from _of_tuple(value, place, put, depth)
        else:
            yield from _inside(value, place, depth + 1)


def _of_tuple(value: tuple, place: str, put: Callable, depth: int) -> Iterator[Leaf]:
    for i, one in enumerate(value):

        def put_one(new: Any, i: int = i) -> None:
            parts = (*value[:i], new, *value[i + 1 :])
            put(type(value)(*parts) if hasattr(value, "_fields") else parts)

        if _is_leaf(one):
            yield Leaf(f"{place}[{i}]", one, put_one)
        else:
            yield from _inside(one, f"{place}[{i}]", depth + 1)


def _is_leaf(value: Any) -> bool:
    known = bool | int | float | str | Fraction | np.generic | np.ndarray | enum.Enum | None
    return isinstance(value, known) or sp.issparse(value)


def mutants(value: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Other values of the same kind, and some of another."""
    if isinstance(value, enum.Enum):
        others = [one for one in type(value) if one is not value]
        yield from rng.permutation(np.array(others, dtype=object))[:3]
    elif isinstance(value, np.ndarray):
        yield from _arrays(value, rng)
    elif sp.issparse(value):
        for data in _arrays(value.data, rng):
            other = value.copy()
            if np.shape(data) == value.data.shape:
                other.data = data
                yield other
    elif isinstance(value, bool | np.bool_):
        yield not value
    elif isinstance(value, str):
        yield from (word for word in rng.permutation(WORDS)[:4].tolist() if word != value)
    elif isinstance(value, int | np.integer):
        yield from (type(value)(value + step) for step in (1, -1, 7))
    elif value is None:
        yield from (1.0, "ovo", True)
    else:
        yield from (-value, value * 1.5 + 0.25, value * (1 + 1e-9), np.inf, "0.5")


def _arrays(value: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    if value.size == 0:
        return
    yield value[::-1].copy()
    for _ in range(MOST_OF_AN_ARRAY):
        flat, at = value.copy().ravel(), int(rng.integers(value.size))
        number = flat[at]
        if value.dtype.kind == "f":
            flat[at] = rng.choice([-number - 1.0, number * (1 + 1e-6), 0.0, np.inf, np.nan])
        elif value.dtype.kind in "iu":
            flat[at] = number + 1
        elif value.dtype.kind == "b":
            flat[at] = not number
        elif value.dtype.kind in "UO":
            flat[at] = flat[int(rng.integers(value.size))]
        yield flat.reshape(value.shape)


def answers(model: Any, rows: list[np.ndarray]) -> list[Any]:
    """All that a model says of rows, an error by its kind."""
    said: list[Any] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for X in rows:
            for method in METHODS:
                try:
                    has = hasattr(model, method)
                    said.append(np.asarray(getattr(model, method)(X)).tolist() if has else "none")
                except Exception as error:
                    said.append(type(error).__name__)
    return said


@dataclass
class Report:
    """Counts of a model, and what was found."""

    counts: Counter = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    deaf: set[str] = field(default_factory=set)


def judge(model: Any, X: Any, y: Any, rows: list, before: list, report: Report, name: str) -> None:
    """Count one mutant."""
    after = answers(model, rows)
    changed = any(_differs(one, other) for one, other in zip(before, after, strict=True))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = bool(model.verify(X, y).claim_holds)
        except Exception as error:
            report.counts[CRASHED] += 1
            report.found.append(f"{CRASHED}: {name}: {type(error).__name__}: {error}")
            return
    if not changed:
        report.counts[DEAF if found else SAME] += 1
        if found:
            report.deaf.add(name.split(" -> ")[0])
    elif found:
        report.counts[ACCEPTED] += 1
        report.found.append(f"{ACCEPTED}: {name}")
    else:
        report.counts[REFUSED] += 1


def _differs(before: Any, after: Any) -> bool:
    """Whether another answer is given; an error is none."""
    return not isinstance(after, str) and repr(before) != repr(after)


def attack(
    name: str, rng: np.random.Generator, stop: float = np.inf, most: int = 1 << 30
) -> Report:
    """Mutants of one model until the time is over."""
    model, X, y = models()[name]()
    report = Report()
    fresh = rng.normal(size=(20, X.shape[1])) * X.std(axis=0) * 3 + X.mean(axis=0)
    rows = [X, fresh.astype(X.dtype)]
    if getattr(model, "kernel", None) == "precomputed":
        rows = [X]
    assert model.verify(X, y).claim_holds, f"{name}: {model.verify(X, y)}"
    before = answers(model, rows)
    places = list(leaves(model))
    for at in sorted(rng.permutation(len(places)), key=lambda at: places[at].name.count(".")):
        leaf = places[at]
        for other in mutants(leaf.value, rng):
            if time.monotonic() > stop or report.counts.total() >= most:
                return report
            try:
                leaf.put(other)
            except Exception:
                continue
            judge(model, X, y, rows, before, report, f"{leaf.name} -> {_short(other)}")
            leaf.put(leaf.value)
    assert repr(answers(model, rows)) == repr(before), f"{name} was not restored"
    return report


def attack_file(
    name: str, rng: np.random.Generator, stop: float = np.inf, most: int = 1 << 30
) -> Report:
    """The same with the file of a model: one entry of its document, or of one of its arrays."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.linscope"
        if name == PREPARED:
            load, X, y, rows = prepared(path, rng)
        else:
            load = ls.load
            model, X, y = models()[name]()
            rows = [X, rng.normal(size=(20, X.shape[1])) * X.std(axis=0) * 3 + X.mean(axis=0)]
            ls.save(model, path)
        header, document, tensors = split(path.read_bytes())
        before = answers(load(path), rows)
        places = list(_of_file(header, document["model"], tensors, rng))
        for at in sorted(rng.permutation(len(places)), key=lambda at: places[at][0].count(".")):
            if time.monotonic() > stop or report.counts.total() >= most:
                break
            where, change = places[at]
            own, data = copy.deepcopy(document), bytearray(tensors)
            what = change(own["model"], data)
            path.write_bytes(sealed(header, own, bytes(data)))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    other = load(path)
            except (ValueError, BadInput):
                report.counts[NOT_LOADED] += 1
                continue
            except Exception as error:
                report.counts[CRASHED] += 1
                report.found.append(f"{CRASHED}: load {where}: {type(error).__name__}: {error}")
                continue
            judge(other, X, y, rows, before, report, f"{where} -> {what}")
    return report


class Prepared:
    """A file of ``linscope fit`` as a model: it reads a table, prepares it, and is verified."""

    def __init__(self, path: Path) -> None:
        self.file = read_model(path)

    def verify(self, X: Table, y: Any) -> Any:
        try:
            question = question_of(self.file, X)
        except (ValueError, BadInput) as error:  # the command ends with this sentence
            return Check(False, str(error))
        return check(self.file, question)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS or not hasattr(self.file.steps, name):
            raise AttributeError(name)
        return lambda table: self.file.answers(table, (name,))[1][0]


def prepared(path: Path, rng: np.random.Generator) -> tuple:
    """A model of numbers, texts and gaps, fitted by the command line."""
    table = path.with_name("t.csv")
    lines = ["size,age,town,label"]
    for _ in range(60):
        size, age, town = rng.normal(), rng.integers(20, 60), rng.choice(["Ulm", "Bonn", "Kiel"])
        label = "yes" if size + 0.05 * age + (town == "Ulm") + rng.normal() > 2.3 else "no"
        own = "" if rng.random() < 0.1 else round(size, 3)
        lines.append(f"{own},{age},{town},{label}")
    table.write_text("\n".join(lines) + "\n")
    words = ["fit", "logistic", table, "--target", "label", "--scale", "--missing", "impute"]
    assert command_line([*map(str, words), "--save", str(path), "--quiet"]) == 0
    content = read_table(table)
    return Prepared, content, None, [content]


def _of_file(header: Any, document: Any, tensors: bytes, rng: Any) -> Iterator[tuple[str, Any]]:
    """Places of a file and what changes each: (name, change(document, tensors) -> what)."""
    for leaf in _inside(document, "file", 0):
        for other in mutants(leaf.value, rng):
            if isinstance(other, float | int | bool | str | None):
                yield leaf.name, partial(_change_entry, leaf.name.split(".")[1:], other)
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        dtype = np.dtype(TYPES[entry["dtype"]])
        for _ in range(min(3, (end - begin) // dtype.itemsize)):
            at = begin + dtype.itemsize * int(rng.integers((end - begin) // dtype.itemsize))
            yield f"{name}[{at - begin}]", partial(_change_number, at, dtype, int(rng.integers(5)))


def _change_entry(keys: list[str], value: Any, document: Any, tensors: bytearray) -> str:
    for key in keys[:-1]:
        document = document[int(key) if isinstance(document, list) else key]
    document[int(keys[-1]) if isinstance(document, list) else keys[-1]] = value
    return _short(value)


def _change_number(at: int, dtype: Any, kind: int, document: Any, tensors: bytearray) -> str:
    here = slice(at, at + dtype.itemsize)
    number = np.frombuffer(bytes(tensors[here]), dtype)[0]
    if dtype.kind == "f":
        choices = [-number - 1, number * (1 + 1e-6), 0.0, np.inf, np.nextafter(number, np.inf)]
        new = np.array(choices[kind], dtype)
    else:
        new = np.array(not number if dtype.kind == "b" else number + 1, dtype)
    tensors[here] = new.tobytes()
    return f"{number} -> {new}"


def _short(value: Any) -> str:

    text = repr(value)
    return text if len(text) < 60 else text[:57] + "…"


def run(seconds: float = 60.0, seed: int = 0, first: int = 0) -> dict[str, Report]:
    """Each model in turn, then its file, again with other mutants while there is time."""
    reports: dict[str, Report] = {}
    begin, number = time.monotonic(), first
    while time.monotonic() < begin + seconds:
        for name in [*models(), *([PREPARED] if number % 2 else [])]:
            rng = np.random.default_rng([seed, number, *name.encode()])
            found = (attack_file if number % 2 else attack)(name, rng, begin + seconds)
            known = reports.setdefault(name, Report())
            known.counts += found.counts
            known.found += found.found
            known.deaf |= found.deaf
        number += 1
    return reports


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.redteam.mutation", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=20, help="findings that are printed")
    parser.add_argument("--files", action="store_true", help="begin with files of models")
    parser.add_argument("--deaf", action="store_true", help="name the leaves that decide nothing")
    options = parser.parse_args(given)
    reports, every = run(options.seconds, options.seed, int(options.files)), Counter()
    for name, report in reports.items():
        every += report.counts
        print(f"{name:28}", dict(report.counts))
        for line in sorted(set(report.found))[: options.show]:
            print("    ", line)
        if options.deaf:
            print("     decides nothing:", ", ".join(sorted(report.deaf)))
    print(every.total(), "mutants", dict(every))
    return int(every[ACCEPTED] + every[CRASHED] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
