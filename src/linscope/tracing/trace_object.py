"""The steps of a fit as tables, figures and answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from linscope.data.frames import join, to_backend, to_csv
from linscope.reports import documents
from linscope.reports.page import Printed
from linscope.reports.table import Column, Row, Table, shortened
from linscope.results.numbers import counted

from .answer import footnotes
from .replay import WINDOW_NUMBERS, Replay
from .steps import Steps

MAX_ROWS = 25


class Rise(NamedTuple):
    """The first step after which the criterion was higher than before."""

    step: int
    update: int
    before: Any
    after: Any
    problem: str


class Trace(Printed):
    """All steps of a fit; made by ``linscope.trace``.

    Every table method takes the same choice of rows: ``start`` and ``stop`` are the first and the
    last step (counted from 1, both included); ``updates=(a, b)`` shows instead the solutions after
    updates a … b, one row each; ``problem`` picks one binary problem, one target of a regression,
    or one class of a softmax, by name or number.

    Attributes
    ----------
    estimator : the fitted clone
    steps : the steps, a lazy sequence
    n_updates : how many of them changed the weights
    problems : names of the binary problems, of the targets, or of the classes of a softmax
    exact : whether numbers are fractions
    answer : what was found, in the original features: the lines under the table

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("two_points")
    >>> print(ls.trace(ls.Perceptron(tie="positive"), X, y).to_csv(), end="")
    step,epoch,sample,score,normalized,update,w0,w1,w2
    1,1,0,0.0,0.0,False,0.0,0.0,0.0
    2,1,1,0.0,0.0,True,-1.0,-2.0,-1.0
    3,2,0,-5.0,-5.0,True,0.0,-1.0,1.0
    4,2,1,-1.0,1.0,False,0.0,-1.0,1.0
    5,3,0,1.0,1.0,False,0.0,-1.0,1.0
    """

    def __init__(
        self,
        estimator: Any,
        replays: Any,
        criterion: Any,
        exact: Any,
        sample_names: Any,
        features: Any,
        title: Any,
    ) -> None:
        self.estimator = estimator
        self.exact = exact
        self.sample_names = sample_names
        self.feature_names = features
        self.title = title
        self._replays: Sequence[Replay] = replays
        self._first = replays[0]
        self._criterion = criterion

    @property
    def steps(self) -> Steps:
        return Steps(self._replays, self.sample_names)

    @property
    def problems(self) -> list[str]:
        return [replay.name for replay in self._replays]

    @property
    def n_updates(self) -> int:
        return sum(replay.n_updates for replay in self._replays)

    @property
    def answer(self) -> list[tuple[str, str]]:
        """What the run ended with, as words under a label: the equation, of a machine its margin.

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.SVC(kernel="linear", C=float("inf")), ls.datasets.load("or"))
        >>> for label, words in run.answer:
        ...     print(f"{label}: {words}")
        equation: 2·x1 + 2·x2 > 1 ⇒ 1
        weights: w = [2 2], b = −1
        margin: M = 2/‖w‖ = 0.707107
        support vectors: 3 of 4 samples: α = 4 (0), 2 (1), 2 (2)
        """
        return self._first.answer(self, self._replays)

    def replay(self) -> list:
        """The last state of each problem, from the log alone.

        Equals the weights that the solver returned (``estimator.results_[k].weights``, of a
        regression ``result_.weights[k]``, of a softmax ``results_[0].weights[k]``) bit for bit,
        unless ``exact``; of ``SVC`` the α of the samples (``alphas_``); of Newton's method and
        coordinate descent the bias and the row of ``coef_``. Of gradient descent with
        ``average=True`` these are the last weights before the average was taken.
        """
        return [replay.last_state() for replay in self._replays]

    def to_frame(
        self,
        *,
        start: int = 1,
        stop: int | None = None,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        criterion: bool | None = None,
        backend: str | None = None,
    ) -> Any:
        """One row per step: what was seen, whether it caused an update, the weights after it.

        Columns are ``step`` and ``epoch`` (from 1), ``sample`` (row number from 0), ``score``
        (w·x before the update), ``normalized`` (y·w·x), ``update``, and ``w0`` … ``wd``. Batch
        rules have ``batch`` (from 1 in each pass) and ``batch_mistakes`` instead of the sample and
        its score; kernel rules have the sample's coefficient ``alpha`` and the number of
        ``support`` vectors instead of weights. ``criterion`` adds the ``mistakes`` over all
        samples after the step, and J_p = Σ over mistakes of −y w·x (``distances`` has its parts).

        What the output of a perceptron keeps is in columns of its own: voted the ``survival`` of
        the vector in force, averaged the sum of the weights so far ``sum_w0`` … (``sum_alpha`` of
        a kernel rule), pocket the update that made its vector (``pocket``; 0 for the first weights)
        and its ``pocket_mistakes``.

        Gradient descent has ``prediction`` (h(x) before the update; the ``score`` w·x too where it
        is not h itself), ``error`` (y − h(x)) and ``eta`` for single samples; for batches
        ``batch``, ``gradient_norm`` (of the batch, before the update) and ``eta``. There
        ``criterion`` adds J over all samples after the step.

        Dual coordinate descent has ``normalized``, ``gradient`` (of −D in the sample's α before the
        step), ``alpha_before`` and ``alpha``; there ``criterion`` adds the ``dual`` and the
        ``primal`` value after the step.

        Sequential minimal optimisation has the pair ``i`` and ``j``, their α before and after the
        step, ``clipped`` (a bound, 0 or C, ended the step), ``dual`` and ``gap`` (m(α) − M(α))
        after it, for up to 8 samples all α as ``a0`` … , and ``w0`` … ``wd`` if the kernel is
        linear; there ``criterion`` adds the ``primal`` value.

        Newton's method has a row for each look at the samples, with what it found before it went
        on: the objective ``P``, ``gradient_norm``, the Newton ``decrement`` λ (½λ² estimates
        P − min P) and the step ``t``, ``rows`` if it began with a share of them; of a softmax
        ``products`` with the Hessian. Coordinate descent has ``P``, the duality ``gap``, the
        ``features`` with a weight, ``sweeps`` over them and ``t``; a linear support vector machine
        ``P``, ``gap``, the ``active`` samples, and ``t`` or the ``newton_steps`` of a round. The
        last row is the end.

        Parameters
        ----------
        start, stop, updates, problem : which rows, see the class; ``updates`` adds a column ``k``
        criterion : by default as asked of ``trace``
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns = self._columns(start, stop, updates, problem, criterion)
        return to_backend(columns, backend)

    def to_csv(self, **which: Any) -> str:
        """The same table as ``to_frame`` as text with commas."""
        return to_csv(self.to_frame(**which, backend="dict"))

    def ledger(self, *, width: int | None = None, **which: Any) -> Any:
        """The table of the lecture slides, for a terminal (a ``rich`` table).

        Long vectors are shortened, and much longer ones left out, until the table fits.

        Parameters
        ----------
        start, stop, updates, problem : which rows, see the class
        max_rows : at most so many rows per problem, the first ones and the last five; None for all
        criterion : by default as asked of ``trace``
        width : characters per line, by default those of the terminal

        Examples
        --------
        >>> import linscope as ls
        >>> from rich.console import Console
        >>> run = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
        >>> table = run.ledger(stop=2, width=80)
        >>> table.title = table.caption = None
        >>> Console(width=80).print(table)  # doctest: +ELLIPSIS
        <BLANKLINE>
         visit  sample  x         y  w·x  verdict           weights
         ───...
             1  0       [1 0 0]  −1    0  correct           [0 0 0]
             2  1       [1 0 1]  +1    0  mistake → update  [0 0 0] → [1 0 1]
        <BLANKLINE>
        """
        from rich import get_console

        from linscope.reports.terminal import ledger

        return ledger(self._table(**which), get_console().width if width is None else width)

    def to_markdown(self, **which: Any) -> str:
        """The ledger as a Markdown table; takes what ``ledger`` takes."""
        return documents.markdown(self._table(**which))

    def to_latex(self, *, longtable: bool | None = None, **which: Any) -> str:
        """The ledger as a LaTeX ``tabular`` or ``longtable``; takes what ``ledger`` takes.

        A table of more than 40 rows is a ``longtable``, unless you choose. Wide tables get a
        smaller font; a comment says which package a table needs.
        """
        return documents.latex(self._table(**which), longtable)

    def to_html(self, **which: Any) -> str:
        """The ledger as an HTML table; takes what ``ledger`` takes."""
        return documents.html(self._table(**which))

    def __repr__(self) -> str:
        kind = "exact trace" if self.exact else "trace"
        count = f"{counted(len(self.steps), 'step')}, {counted(self.n_updates, 'update')}"
        problems = f", {len(self._replays)} problems" if len(self._replays) > 1 else ""
        return f"<{kind} of {type(self.estimator).__name__}: {count}{problems}>"

    def effects(
        self,
        *,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        backend: str | None = None,
    ) -> Any:
        """What each update did to all samples: was the step too small, or too large?

        Columns are ``update`` and ``step`` (from 1), ``sample`` (or ``batch``), the mistakes and
        the criterion before and after, ``fixed`` (is this sample right now? for batch rules: how
        many samples became right) and ``broken`` (how many that were right are now mistakes).
        Gradient descent has J before and after, and for single samples the error of that sample.

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
        >>> frame = run.effects(backend="dict")
        >>> frame["fixed"].tolist(), frame["broken"].tolist()
        ([True, True], [1, 0])
        """
        parts = []
        for replay in self._pick(problem):
            first, last = replay.update_range(updates)
            most = max(1, WINDOW_NUMBERS // replay.width)
            for at in range(first, max(last, first + 1), most):
                part = replay.effects(at, min(at + most, last))
                parts.append(self._with_problem(replay, part))
        return to_backend(join(parts), backend)

    def votes(self, points: Any = None, *, problem: str | int | None = None) -> Any:
        """How the vectors of a voted or averaged perceptron decide: w_k, c_k, and their votes.

        Parameters
        ----------
        points : samples to vote on, optional; by default those of the fit
        problem : which binary problem, by default the first

        Returns
        -------
        Votes, which prints as a table and has ``to_frame``, ``to_markdown``, ``to_latex``

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.Perceptron(output="voted", tie="negative"), ls.datasets.load("or"))
        >>> votes = run.votes([[0, 0], [1, 1]])
        >>> votes.survival.tolist(), votes.totals.tolist(), votes.predicted
        ([1, 3, 2, 2, 5], [-3, 11], [-1, 1])
        """
        return self._pick(0 if problem is None else problem)[0].votes(self, points)

    def distances(
        self, *, updates: tuple[int, int] | None = None, problem: str | int | None = None
    ) -> Any:
        """The mistakes of a perceptron after each update, with their distances: J_p = ‖w‖ Σ d.

        Parameters
        ----------
        updates, problem : as for ``path``

        Returns
        -------
        Distances, which prints as a table and has ``to_frame``, ``to_markdown``, ``to_latex``

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
        >>> found = run.distances(updates=(1, 1))
        >>> found.norms.round(4).tolist(), found.totals.round(4).tolist(), found.criterion.tolist()
        ([2.4495], [2.0412], [5.0])
        """
        return self._pick(0 if problem is None else problem)[0].distances(self, updates)

    def monotonic(self, problem: str | int | None = None) -> bool:
        """Whether no step made the criterion higher than before.

        Perceptron and stochastic rules lower the error of the sample they look at, not that of all
        samples; ``first_rise`` says where.

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("or")
        >>> ls.trace(ls.Perceptron(), X, y).monotonic()
        False
        >>> ls.trace(ls.LogisticRegression(solver="batch"), X, y).monotonic()
        True
        """
        return self.first_rise(problem) is None

    def first_rise(self, problem: str | int | None = None) -> Rise | None:
        """The first step after which the criterion was higher than before, None if it never rose.

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
        >>> run.first_rise()
        Rise(step=2, update=1, before=0.0, after=5.0, problem='1 vs -1')
        """
        for replay in self._pick(problem):
            for at in range(0, replay.n_updates, 256):
                end = min(at + 256, replay.n_updates)
                values = replay.criterion(replay.states(at, end))
                for k in range(end - at):
                    if values[k + 1] > values[k]:
                        step = int(replay.update_steps[at + k]) + 1
                        before, after = values[k : k + 2].tolist()
                        return Rise(step, at + k + 1, before, after, replay.name)
        return None

    def path(
        self, *, updates: tuple[int, int] | None = None, problem: str | int | None = None
    ) -> np.ndarray:
        """The weights before the first update and after each, one row each, always bias first.

        ``updates=(a, b)`` gives those after updates a − 1 … b. Fractions become floats.

        Examples
        --------
        >>> import linscope as ls
        >>> ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points")).path()
        array([[ 0.,  0.,  0.],
               [-1., -2., -1.],
               [ 0., -1.,  1.]])
        """
        replay = self._pick(0 if problem is None else problem)[0]
        if not replay.weight_names:
            raise ValueError("only a linear kernel has weights in the original features: no path")
        weights = replay.weights(replay.states(*replay.update_range(updates))).astype(np.float64)
        return weights if replay.intercept else np.column_stack([0 * weights[:, 0], weights])

    def plot(
        self,
        *,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        features: Any = None,
        ax: Any = None,
    ) -> Any:
        """What the updates did: the boundary, or the fitted line, from faint to strong.

        A regression of several features shows J after each update, and a kernel machine that is not
        linear in two features its dual value and gap.

        Parameters
        ----------
        updates, problem : as for ``path``
        features : two features by number or name, needed for a boundary if there are more than two
        ax : matplotlib axes, optional

        Returns
        -------
        a Display, see ``linscope.plot.path_of_boundaries``, ``lms_fit`` and ``lms_curve``
        """
        replay = self._pick(0 if problem is None else problem)[0]
        return replay.plot(self, updates, features, ax)

    def animate(
        self,
        path: Any = None,
        *,
        fps: float = 2.0,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        features: Any = None,
        max_frames: int = 200,
    ) -> Any:
        """The boundary or the line as a moving picture, one frame per update.

        Parameters
        ----------
        path : file that ends in .gif, optional
        fps : frames per second
        updates, problem, features : as for ``plot``
        max_frames : at most so many of the updates, evenly spread

        Returns
        -------
        matplotlib.animation.FuncAnimation
        """
        from .drawing import check_path, save

        if path is not None:
            check_path(path)
        replay = self._pick(0 if problem is None else problem)[0]
        moving = replay.animation(self, updates, features, max_frames, fps)
        if path is not None:
            save(moving, path, fps)
        return moving

    def _pick(self, problem: str | int | None) -> Sequence[Replay]:
        if problem is None:
            return self._replays
        if isinstance(problem, str):
            found = [replay for replay in self._replays if replay.name == problem]
            if not found:
                raise ValueError(f"no problem is called {problem!r}: {', '.join(self.problems)}")
            return found
        if not 0 <= problem < len(self._replays):
            raise ValueError(f"problem={problem} is not in 0 … {len(self._replays) - 1}")
        return [self._replays[problem]]

    def _with_problem(self, replay: Replay, columns: dict) -> dict:
        if len(self._replays) == 1:
            return columns
        size = len(next(iter(columns.values())))
        return {"problem": np.full(size, replay.name), **columns}

    def _columns(
        self, start: Any, stop: Any, updates: Any, problem: Any, criterion: Any
    ) -> dict[str, np.ndarray]:
        criterion = self._criterion if criterion is None else criterion
        parts = []
        for replay in self._pick(problem):
            steps = np.asarray(replay.chosen(start, stop, updates), dtype=np.int64)
            empty = [replay.window(steps)] if len(steps) == 0 else []
            for window in empty or replay.windows(steps):
                shown = replay.shown(window, self.sample_names, criterion)
                part = {each.key: each.values for each in shown if each.key}
                if updates is not None:
                    part = {"k": window.first + window.after, **part}
                parts.append(self._with_problem(replay, part))
        return join(parts)

    def _table(
        self,
        *,
        start: int = 1,
        stop: int | None = None,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        max_rows: int | None = MAX_ROWS,
        criterion: bool | None = None,
    ) -> Table:
        if max_rows is not None and max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {max_rows}")
        replays = self._pick(problem)
        criterion = self._criterion if criterion is None else criterion
        lead = [Column("problem")] if len(replays) > 1 else []
        lead += [Column.formula("k")] if updates is not None else []
        first = self._first
        empty = first.shown(first.window(np.arange(0)), None, criterion)
        columns = [*lead, *(each.column for each in empty if each.column is not None)]
        rows: list[Row] = []
        for replay in replays:
            chosen = replay.chosen(start, stop, updates)
            rows += self._rows(replay, chosen, max_rows, columns, criterion)
        name = replays[0].name if len(replays) < len(self._replays) else ""
        said = footnotes(self._first.answer(self, replays))
        return Table(self._heading(name), self._notes(replays), columns, rows, footnotes=said)

    def _rows(
        self, replay: Replay, chosen: Any, most: Any, columns: list[Column], criterion: bool
    ) -> list[Row]:
        def some(start: int, stop: int) -> list[Row]:
            windows = replay.windows(np.asarray(chosen[start:stop], dtype=np.int64))
            parts = [self._window_rows(replay, here, columns, criterion) for here in windows]
            return list(chain.from_iterable(parts))

        place = [column.header for column in columns].index(replay.gap)
        rows = shortened(0, len(chosen), most, some, len(columns), place)
        if rows:
            rows[0] = rows[0]._replace(first=True)
        return rows

    def _window_rows(
        self, replay: Replay, window: Any, columns: list[Column], criterion: bool
    ) -> list[Row]:
        lead = {"problem": [replay.name] * len(window.steps), "k": window.first + window.after}
        parts = [lead[column.header] for column in columns[:2] if column.header in lead]
        for each in replay.shown(window, self.sample_names, criterion):
            if each.column is not None:
                parts.append(each.values if each.cells is None else each.cells())
        marked = window.updated & replay.marks_updates
        return [Row(list(cells), bool(mark)) for mark, *cells in zip(marked, *parts, strict=True)]

    def _heading(self, problem: str) -> str:
        parts = [type(self.estimator).__name__, self._first.heading(self.estimator)]
        if self.exact:
            parts.append("exact")
        if problem:
            parts.append(problem)
        heading = ", ".join(parts)
        return f"{self.title}: {heading}" if self.title else heading

    def _notes(self, replays: Sequence[Replay]) -> list[str]:
        first = replays[0]
        notes = [" · ".join(first.settings(self.estimator))]
        plain = [f"x{j + 1}" for j in range(len(self.feature_names))]
        if self.feature_names[:9] not in ([], plain[:9]) and len(plain) <= 8:
            one = ["1"] if first.augmented else []
            notes.append(f"x = [{', '.join([*one, *self.feature_names])}]")
        notes.append(first.ending(self.estimator, replays))
        return notes
