"""Save fitted models as files and load them again."""

from __future__ import annotations

import json
import os
import sys
import warnings
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

from linscope._version import __version__
from linscope.display.files import complete_file

from .allowed import ESTIMATORS, name_of
from .container import FORMAT, Contents, Damaged, read, strict_json, write
from .reading import Reader
from .writing import Writer

Path = str | os.PathLike[str]


def save(model: Any, path: Path, *, about: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file that ``linscope.load`` reads.

    The file is written beside its place and then put there, so an older one is either replaced as a
    whole or left as it was.

    Parameters
    ----------
    model : fitted estimator of linscope, or a pipeline of one with scikit-learn's usual
        transformers; see ``docs/model_files.md`` for the list
    path : str or path
        Any name; ``.linscope`` is usual.
    about : dict, optional
        What else to write down, such as where the table came from: anything that is JSON.
        ``linscope.persist.read_about`` gives it back.

    Raises
    ------
    TypeError
        If the model, or something in it, cannot be written, such as a kernel that is a function.
    NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import linscope as ls
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "or.linscope"
    >>> X, y = ls.datasets.load("or")
    >>> ls.save(ls.Perceptron().fit(X, y), path)
    >>> ls.load(path).predict(X)
    array([-1,  1,  1,  1])
    """
    if name_of(type(model)) not in ESTIMATORS:
        raise TypeError(_unknown(model))
    check_is_fitted(model)
    writer = Writer()
    try:
        tree = writer.value(model)
    except Damaged as error:
        raise TypeError(f"this {type(model).__name__} cannot be saved: it {error}") from None
    document = {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "about": _plain(about or {}),
        "model": tree,
    }
    with complete_file(os.path.realpath(path)) as temporary, open(temporary, "xb") as file:
        write(file, document, writer.tensors)


def load(path: Path) -> Any:
    """Read a model that ``linscope.save`` has written.

    It predicts what the saved one did, to the last bit, and ``verify`` checks the same certificate.
    Nothing in the file is executed. What only the fit itself needed, such as ``results_``, is not
    in it.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator of the class that was saved

    Raises
    ------
    ValueError
        If the file is damaged, is not a model of linscope, or comes from a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import linscope as ls
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "regression.linscope"
    >>> X, y = ls.datasets.load("diabetes")
    >>> ls.save(ls.LinearRegression().fit(X, y), path)
    >>> bool(ls.load(path).verify(X, y))
    True
    """
    contents = _contents(path)
    try:
        reader = Reader(contents.tensors)
        model = reader.value(contents.document["model"])
        reader.finish()
        if name_of(type(model)) not in ESTIMATORS:
            raise Damaged("is damaged: it holds no model")
        _warn_of_versions(path, contents.document)
    except Damaged as error:
        raise ValueError(f"{os.fspath(path)} {error}") from None
    except _BROKEN as error:
        raise ValueError(f"{os.fspath(path)} is damaged: its parts do not fit") from error
    return model


def read_about(path: Path) -> dict[str, Any]:
    """What was written down about a saved model, without building it.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict : the ``about`` that was given to ``save``; and under "file" the number of the format, the
        class of the model, when it was written, by which versions, and the checksum of the file

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import linscope as ls
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "or.linscope"
    >>> X, y = ls.datasets.load("or")
    >>> ls.save(ls.Perceptron().fit(X, y), path, about={"target": "y"})
    >>> found = read_about(path)
    >>> found["target"], found["file"]["model"], found["file"]["format"]
    ('y', 'Perceptron', 1)
    """
    contents = _contents(path)
    document = contents.document
    try:
        about, model = dict(document["about"]), str(document["model"]["object"])
        file = {"written": document["written"], "versions": document["versions"]}
    except _BROKEN as error:
        raise ValueError(f"{os.fspath(path)} is damaged: its parts do not fit") from error
    return about | {"file": {"format": FORMAT, "model": model, "sha256": contents.sha256, **file}}


# What code that meets values of other kinds than it expects may raise.
_BROKEN = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, ZeroDivisionError,
    RecursionError,
)  # fmt: skip


def _contents(path: Path) -> Contents:
    try:
        return read(path)
    except Damaged as error:
        raise ValueError(f"{os.fspath(path)} {error}") from None
    except _BROKEN as error:
        raise ValueError(f"{os.fspath(path)} is damaged: its parts do not fit") from error


def _unknown(model: Any) -> str:
    kind = type(model)
    better = [name for name in ("best_estimator_", "best_") if hasattr(model, name)][:1]
    hint = f": save its {better[0]}" if better else ""
    if isinstance(model, type):
        return f"save takes a fitted model, not the class {model.__name__}"
    return f"a {kind.__module__}.{kind.__name__} cannot be saved{hint}"


def _plain(about: dict[str, Any]) -> Any:
    try:
        return strict_json(json.dumps(about, allow_nan=False).encode())
    except (TypeError, ValueError, Damaged) as error:
        raise TypeError(f"about must be a dict of plain JSON values: {error}") from None


def _versions() -> dict[str, str]:
    return {
        "linscope": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _warn_of_versions(path: Path, document: Any) -> None:
    """Transformers of scikit-learn keep private attributes, which may mean something else later."""
    then = str(document["versions"].get("scikit-learn", ""))
    if then.split(".")[:2] != sklearn.__version__.split(".")[:2] and _uses_sklearn(document):
        warnings.warn(
            f"{os.fspath(path)} was written with scikit-learn {then}, and this is "
            f"{sklearn.__version__}: its transformers may not work; fit again if they do not",
            stacklevel=3,
        )


def _uses_sklearn(document: Any) -> bool:
    text = json.dumps(document["model"])
    names = [name for name, row in ESTIMATORS.items() if row.module.startswith("sklearn")]
    return any(f'"object": "{name}"' in text for name in [*names, "Preparation", "Categories"])
