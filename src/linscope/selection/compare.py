"""``linscope.compare``: from a table to the right linear model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.data.columns import as_table
from linscope.data.datasets import Dataset
from linscope.data.files import Table, read_table
from linscope.engines.scan import Scan
from linscope.results.caller import warn_caller

from .comparison.result import Comparison
from .comparison.scoring.candidates import choose_models
from .comparison.scoring.judging import read_metric
from .comparison.screen.progress import watch
from .comparison.settings import Settings
from .comparison.sharing.processes import Process
from .comparison.times import budget_text


def compare(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    models: Sequence[str] | None = None,
    cv: int | None = None,
    repeats: int | None = None,
    metric: str | None = None,
    positive: Any = None,
    task: str | None = None,
    missing: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: Any = None,
    time: Any = None,
    rope: float = 0.01,
    level: float = 0.95,
    budget: str | float | None = "2m",
    ignore: Sequence[str] = (),
    random_state: int = 0,
    sheet: str | None = None,
    verbose: bool | None = None,
) -> Comparison:
    """Which linear model suits this table, how good is it really, why, and what would change that?

    Every suitable model is judged on the same folds, with all preparation and every choice of a
    parameter inside the fold. The headline score is that of the whole procedure: the model, too, is
    chosen inside each fold. The recommended model is the simplest one that is practically equal to
    the best, and it is fitted to all rows in the end.

    Parameters
    ----------
    X : data frame of any library, dict of columns, array, sparse matrix, Dataset or file name
        Columns of text become categories. With ``target`` it holds the target as well.
    y : array or series, optional
        What to predict, where it is no column of X.
    target : str, optional
        The column of X to predict; with ``y`` what to call it.
    models : list of str, optional
        Keys of the models to compare, such as ``["fisher", "logistic-l2"]``; all by default.
    cv, repeats : int, optional
        Folds, 5 by default, 10 up to 300 rows (fewer where a class is rare), and how often they
        are drawn: small tables are split more than once.
    metric : str, optional
        For classes ``"balanced_accuracy"`` (the default), ``"accuracy"``, ``"f1"``, ``"roc_auc"``,
        ``"log_loss"`` or ``"brier"``; for numbers ``"rmse"`` (the default), ``"mae"`` or ``"r2"``.
    positive : label, optional
        Of two classes the one that is looked for; yes, true and 1 are found by themselves.
    task : "classes" or "number", optional
        How to read a target of whole numbers.
    missing : "drop" or "impute", optional
        What to do with missing values, which are an error otherwise.
    drop, keep : lists of str
        Columns to leave out; columns to use although they look like identifiers, for example.
    groups, time : names of columns, or arrays, optional
        Rows of one group stay together in the folds; with a time every fold is judged by later
        rows.
    rope : float
        Differences up to this one are of no practical importance; for "rmse" and "mae" a share of
        the target's standard deviation.
    level : float
        Of the intervals.
    budget : str or float, optional
        Time to keep to, such as "90s", "2m" or 30 (seconds); None or "none" is no limit. What does
        not fit is left out, and the result says so.
    ignore : list of str
        Codes of checks that are known and accepted, such as ``["LS203"]``.
    random_state : int
        Seed of the folds.
    sheet : str, optional
        Of an Excel file the sheet to read, in place of the first.
    verbose : bool, optional
        Show how it goes on; by default if standard error is a terminal.

    Returns
    -------
    Comparison
        With ``recommendation``, ``table``, ``differences``, ``checks``, ``best_`` (the fitted
        pipeline), ``plot()`` and ``report(path)``.

    Examples
    --------
    >>> import linscope as ls
    >>> data = ls.datasets.load("breast_cancer")
    >>> found = ls.compare(data.X[:, :4], data.y, models=["majority", "fisher"], repeats=1)
    >>> found.recommendation.key
    'fisher'
    >>> found.findings.headline.score.mean > 0.8
    True
    >>> found.best_.predict(data.X[:2, :4]).tolist()
    [0, 0]
    """
    if isinstance(X, Scan):
        X, target = _scanned(X), target or X.targets[0]
    given = _read(X, y, groups, time, sheet)
    settings = Settings(
        target=target if target is not None else given.target,
        positive=positive,
        task=task,
        missing=missing,
        drop=_several(drop),
        keep=_several(keep),
        group=given.group,
        time=given.time,
        metric=metric,
        models=_several(models or ()),
        folds=cv,
        repeats=repeats,
        rope=rope,
        level=level,
        budget=budget_text(budget),
        ignore=_several(ignore),
        seed=random_state,
        sheet=sheet,
    )
    meant = replace(settings, keep=(*given.keep, *settings.keep))
    question = meant.read(given.table, given.name, given.values)
    quiet = not (sys.stderr.isatty() if verbose is None else verbose)
    command = settings.command(given.file) if given.file else ""  # arrays have no command
    python = settings.python(*given.words, arrays=given.arrays)
    return run(settings, question, quiet=quiet, command=command, python=python)


def run(
    settings: Settings,
    question: Any,
    *,
    quiet: bool,
    command: str = "",
    python: str = "",
    left_out: dict[str, str] | None = None,
    processes: Sequence[Process] | None = None,
) -> Comparison:
    """The study, watched on standard error; Ctrl-C ends it with what is finished.

    Parameters
    ----------
    left_out : models that are not run, and why, when a study is repeated
    processes : others to use, where some are started already
    """
    from .comparison.study import run_study

    options = replace(settings.options(command, python), left_out=left_out or {})
    metric = read_metric(settings.metric, question.task)
    models = [(one.key, one.title) for one in choose_models(question.task, options.models)]
    with watch(metric, models, options.budget, quiet=quiet) as progress:
        study = run_study(question, options, watch=progress, processes=processes)
    return Comparison(study.findings, study.best)


class Given(NamedTuple):
    """The table with its arrays.

    words : what was given, in Python; file : on a command line, or nothing if there is no such word
    arrays : of groups and times those that were given as arrays
    """

    table: Any
    values: Any
    name: str
    words: tuple[str, ...]
    file: str = ""
    target: str | None = None
    group: str | None = None
    time: str | None = None
    keep: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()


def _read(X: Any, y: Any, groups: Any, time: Any, sheet: str | None) -> Given:
    """The table; groups and times that are arrays become columns of it."""
    words = ("X",) if y is None else ("X", "y")
    table, name, file = X, "the table", "TABLE" if y is None else ""
    if isinstance(X, str | PathLike):
        path = Path(X)
        table, name = read_table(path, sheet=sheet), path.name
        file = str(path) if y is None else ""
        words = (repr(str(path)), *words[1:])
    elif sheet is not None:
        raise TypeError(f"sheet {sheet!r} is for the name of an Excel file")
    elif isinstance(X, Dataset):
        name, file = X.name, X.name if y is None else ""
        words = (f"ls.datasets.load({X.name!r})", *words[1:])
    columns = {
        key: values
        for key, values in (("groups", groups), ("time", time))
        if values is not None and not isinstance(values, str)
    }
    keep: tuple[str, ...] = ()
    if columns:
        file = ""
        plain = isinstance(table, np.ndarray | list | tuple) and not sp.issparse(table)
        table, keep = _with_columns(as_table(table), columns, plain)
    return Given(
        table,
        y,
        name,
        words,
        file,
        target=str(y.name) if getattr(y, "name", None) is not None else None,
        group="groups" if "groups" in columns else groups,
        time="time" if "time" in columns else time,
        keep=keep,
        arrays=tuple(columns),
    )


def _with_columns(
    table: Table, columns: dict[str, Any], plain: bool
) -> tuple[Table, tuple[str, ...]]:
    """The table and these columns; of a plain array all columns are meant as numbers."""
    for name, values in columns.items():
        if name in table.columns:
            raise ValueError(
                f"the table has a column {name!r} already: give its name, or rename it"
            )
        if len(values) != len(table):
            raise ValueError(f"{name} has {len(values)} values, the table has {len(table)} rows")
    made = as_table({name: np.asarray(values) for name, values in columns.items()})
    keep = tuple(table.names) if plain else ()
    both = {**table.columns, **made.columns}
    return Table(both, table.sparse, table.truth | made.truth), keep


def _several(names: Sequence[str]) -> tuple[str, ...]:
    """One name or several, also with commas between them."""
    return tuple(names.split(",")) if isinstance(names, str) else tuple(names)


def _scanned(rows: Scan) -> dict[str, Any]:
    """A table in batches as columns: all rows, or as many as fit, evenly spread."""
    columns, step, n = rows.sample()
    if rows.engine.weighted and rows.weight_kind != "frequency":
        warn_caller("compare does not use the weights of the rows", UserWarning)
    if step > 1:
        warn_caller(
            f"{n:,} rows do not fit in memory: one of every {step} is compared, "
            f"{-(-n // step):,} in all; fit the recommended model to the whole table with "
            "fit(scan)",
            UserWarning,
        )
    return columns
