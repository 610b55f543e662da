"""Tables of many shapes, on which ``solver="auto"`` has to choose well.

Real ones come with scikit-learn and with Python itself: the docstrings of its library are texts.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .case import Data
from .data import named, narrow, overlapping, text_like
from .linear_svm_cases import one_of_each
from .logistic_cases import weak_classes

PACKAGES = (
    "asyncio", "ctypes", "email", "http", "idlelib", "importlib", "logging", "multiprocessing",
    "unittest", "xml",
)  # fmt: skip


class Table(NamedTuple):
    """A table in a few words, how it is made, and the strength C of the penalty."""

    what: str
    make: Callable[[], Data]
    C: float = 1.0


def binary_pages(rows: int, features: int, entries: int = 12, share: float = 0.03) -> Data:
    """CSR of zeros and ones with a rare class, in the shape of LIBSVM's w8a."""
    rng = np.random.default_rng(0)
    often = rng.dirichlet(np.full(features, 0.4))
    count = np.clip(rng.poisson(entries, rows), 1, features)
    columns = rng.choice(features, size=count.sum(), p=often)
    indptr = np.r_[0, np.cumsum(count)]
    X = sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(rows, features))
    X.sum_duplicates()
    X.data[:] = 1.0
    score = X @ rng.standard_normal(features)
    score += 0.5 * score.std() * rng.standard_normal(rows)
    return Data(narrow(X), np.where(score > np.quantile(score, 1 - share), 1, -1))


def rare(rows: int, features: int, share: float = 0.01) -> Data:
    """Dense, correlated columns of different sizes, one class in a hundred."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features)) @ rng.standard_normal((features, features))
    X /= rng.uniform(1, 10, features)
    score = X @ rng.standard_normal(features)
    score += score.std() * rng.standard_normal(rows)
    return Data(X, np.where(score > np.quantile(score, 1 - share), 1, -1))


def in_float32(data: Data) -> Data:
    return data._replace(X=data.X.astype(np.float32))


def dense(data: Data) -> Data:
    return data._replace(X=data.X.toarray())


def as_two(data: Data) -> Data:
    """The first half of the classes, or of the numbers, against the other."""
    return data._replace(y=np.where(data.y > np.median(data.y), 1, -1))


def sparse_classes(rows: int, features: int, count: int) -> Data:
    """CSR like word counts, classes with words of their own."""
    data, rng = text_like(rows, features), np.random.default_rng(1)
    scores = data.X @ rng.standard_normal((features, count))
    scores = scores / scores.std(axis=0) + rng.gumbel(size=scores.shape)
    return data._replace(y=scores.argmax(axis=1))


def several(rows: int, features: int, count: int) -> Data:
    """Categories in CSR, some classes."""
    data, rng = one_of_each(rows, features), np.random.default_rng(1)
    scores = data.X @ rng.standard_normal((features, count)) + rng.gumbel(size=(rows, count))
    return data._replace(y=scores.argmax(axis=1))


def docstrings(two: bool) -> Data:
    """tf-idf of the docstrings of Python's library; the classes are its packages.

    With ``two`` the package that has most against the others.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = {name: _docstrings(name) for name in PACKAGES}
    pairs = [(text, name) for name, found in texts.items() for text in found]
    X = narrow(sparse.csr_array(TfidfVectorizer().fit_transform([text for text, _ in pairs])))
    y = np.array([name for _, name in pairs])
    most = max(texts, key=lambda name: len(texts[name]))
    return Data(X, np.where(y == most, 1, -1) if two else y)


@cache
def _docstrings(package: str) -> list[str]:
    """The docstrings of a package of Python's library, but for its tests."""
    out: list[str | None] = []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted((Path(sysconfig.get_paths()["stdlib"]) / package).rglob("*.py")):
        if path.parent.name not in ("test", "tests", "idle_test"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            out += [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [text for text in out if text]


def _of(make: Callable[..., Data], *arguments: int, then: Callable | None = None) -> Callable:
    """``make`` with its arguments, called later."""
    return lambda: make(*arguments) if then is None else then(make(*arguments))


TABLES = {
    "iris": Table("real, 3 classes", partial(named, "iris")),
    "wine": Table("real, 3 classes", partial(named, "wine")),
    "breast-cancer": Table("real, 2 classes", partial(named, "breast_cancer")),
    "breast-cancer-100": Table("real, 2 classes, C = 100", partial(named, "breast_cancer"), 100.0),
    "digits": Table("real, 10 classes", partial(named, "digits")),
    "digits-two": Table("real, 0–4 or 5–9", lambda: as_two(named("digits"))),
    "diabetes": Table("real, above the median", lambda: as_two(named("diabetes"))),
    "docstrings": Table("real text, tf-idf, 2 classes", partial(docstrings, True)),
    "docstrings-many": Table("real text, tf-idf, 10 classes", partial(docstrings, False)),
    "pages": Table("sparse 0/1, 3 % positive, as w8a", _of(binary_pages, 49_749, 300)),
    "pages-100": Table("the same, C = 100", _of(binary_pages, 49_749, 300), 100.0),
    "pages-small": Table("sparse 0/1, few rows", _of(binary_pages, 3000, 300)),
    "categories": Table("one-hot, CSR, as a9a", _of(one_of_each, 32_561, 123)),
    "categories-many": Table("one-hot, CSR, many values", _of(one_of_each, 50_000, 3000)),
    "categories-dense": Table("one-hot, dense", _of(one_of_each, 20_000, 120, then=dense)),
    "categories-classes": Table("one-hot, CSR, 5 classes", _of(several, 20_000, 120, 5)),
    "words": Table("sparse, few columns", _of(text_like, 50_000, 300)),
    "words-medium": Table("sparse, some columns", _of(text_like, 50_000, 1500)),
    "words-wide": Table("sparse, more columns than rows", _of(text_like, 10_000, 50_000)),
    "words-classes": Table("sparse, 8 classes", _of(sparse_classes, 20_000, 2000, 8)),
    "tall": Table("dense, tall", _of(overlapping, 200_000, 20)),
    "tall-float32": Table("dense, tall, float32", _of(overlapping, 200_000, 30, then=in_float32)),
    "medium": Table("dense", _of(overlapping, 5000, 100)),
    "columns": Table("dense, many columns", _of(overlapping, 10_000, 600)),
    "square": Table("dense, as many columns as rows", _of(overlapping, 1500, 1500)),
    "wide": Table("dense, wide", _of(overlapping, 200, 5000)),
    "wide-weak": Table("dense, wide, C = 0.01", _of(overlapping, 200, 5000), 0.01),
    "rare": Table("dense, correlated, 1 % positive", _of(rare, 50_000, 30)),
    "classes-tall": Table("dense, 3 classes", _of(weak_classes, 100_000, 20, 3)),
    "classes-many": Table("dense, 26 classes", _of(weak_classes, 20_000, 16, 26)),
    "classes-wide": Table("dense, 4 classes, wide", _of(weak_classes, 300, 2000, 4)),
}
