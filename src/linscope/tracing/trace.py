"""Every step of a fit, worked out from its log."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import with_callbacks
from sklearn.utils.validation import _num_samples

from ..data.datasets import Dataset
from ..estimators import KernelPerceptron, Perceptron
from ..estimators.base import binary_problems, read_training
from ..estimators.perceptron_family import PerceptronFamily
from . import frames, render
from .exact import exact_replays
from .ledger import ledger
from .replay import WINDOW_NUMBERS, GramReplay, Replay, in_range
from .sheet import Column, Gap, Row, Sheet, columns_of, number, rows_of, text, vector

MAX_ROWS, TAIL = 25, 5
ITERATION_STEPS = 1024


def trace(
    estimator,
    X,
    y=None,
    *,
    sample_weight=None,
    criterion: bool = False,
    exact: bool = False,
    sample_names: Sequence[str] | None = None,
    title: str | None = None,
) -> Trace:
    """Fit a clone of the estimator and show every step it took.

    Parameters
    ----------
    estimator : Perceptron or KernelPerceptron
    X, y : the samples and their labels as for ``fit``, or a ``Dataset`` alone
    sample_weight : array of n weights, optional
    criterion : also show the mistakes and the criterion J_p over all samples after each step
    exact : run in rational arithmetic, where 0.1 means 1/10; numbers are then fractions
    sample_names : names of the samples; by default those of the data set or of a pandas index
    title : name of the data for headings

    Returns
    -------
    Trace

    Examples
    --------
    >>> import linscope as ls
    >>> run = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    >>> len(run.steps), run.n_updates
    (13, 4)
    >>> run.steps[1]
    Step 2: sample 1, w·x = 0, mistake → update, [0 0 0] → [1 0 1]
    """
    if not isinstance(estimator, PerceptronFamily):
        raise TypeError(
            f"trace shows the steps of Perceptron and KernelPerceptron, not of "
            f"{type(estimator).__name__}"
        )
    if isinstance(X, Dataset):
        sample_names = sample_names or X.sample_names or None
        title, features = title or X.name, X.feature_names
        X, labels = X
        y = labels if y is None else y
    else:
        sample_names = _index_names(X) if sample_names is None else sample_names
        features = []
    if y is None:
        raise ValueError("y is missing: trace(estimator, X, y), or trace(estimator, dataset)")
    model = _fitted_clone(estimator, X, y, sample_weight)
    replays = _replays(model, X, y, sample_weight)
    if exact:
        replays = exact_replays(model, replays, y, sample_weight)
    if sample_names is not None:
        sample_names = [str(name) for name in sample_names]
        if len(sample_names) != _num_samples(X):
            raise ValueError(
                f"sample_names has {len(sample_names)} names for {_num_samples(X)} samples"
            )
    features = [str(name) for name in getattr(model, "feature_names_in_", features)]
    return Trace(model, replays, criterion, exact, sample_names, features, title)


def _fitted_clone(estimator, X, y, sample_weight):
    """As ``fit`` does it (two calls deep, so that warnings name the caller), but with the log."""
    model = clone(estimator)
    model._validate_params()
    return with_callbacks(type(model)._fit)(model, X, y, sample_weight, keep_log=True)


def _index_names(X) -> list[str] | None:
    """The index of a pandas frame, unless it just counts."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return None
    return None if getattr(index.dtype, "kind", "O") in "iu" else list(index)


def _replays(model, X, y, sample_weight) -> list[Replay]:
    """One replay for each binary problem of a fitted model."""
    with warnings.catch_warnings():  # the fit has said it
        warnings.simplefilter("ignore")
        training = read_training(model, X, y, sample_weight)
    problems = binary_problems(training.classes, training.codes, model.multi_class)
    n = len(training.codes) + len(training.ignored)
    kept = np.delete(np.arange(n), training.ignored)
    kernel = isinstance(model, KernelPerceptron)
    precomputed = kernel and model.kernel == "precomputed"
    if kernel:
        matrix = training.X[:, model._gram_rows] if precomputed else training.X
        model._gram = model._products(matrix) + (1.0 if model.fit_intercept else 0.0)
    replays = []
    for number_, (problem, result) in enumerate(zip(problems, model.results_, strict=True)):
        solver = model._solver(training, problem, number_, keep_log=False)
        rows = slice(None) if problem.rows is None else problem.rows
        shown = None if precomputed else training.X[rows]
        if kernel:
            options = {"linear": model.kernel == "linear", "intercept": model.fit_intercept}
            replay: Replay = GramReplay(problem, solver, result.log, shown, kept[rows], **options)
        else:
            solver, c = in_range(solver, shown, result.weights)
            replay = Replay(problem, solver, result.log, shown, kept[rows], c)
        replays.append(replay)
    if kernel:
        del model._gram
    return replays


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a visited sample, or a batch.

    Attributes
    ----------
    number, epoch : counted from 1
    problem : name of the binary problem
    update : whether the weights changed
    before, after : the weights, bias first (empty for a kernel other than linear)
    sample, name, x, y, score, normalized : of the visited sample: row number from 0, its name,
        the augmented vector, ±1, w·x and y·w·x before the update (single-sample rules)
    alpha : coefficient of the sample after the step (kernel rules)
    batch, batch_mistakes : of the batch (batch rules), counted from 1 in each pass
    """

    number: int
    epoch: int
    problem: str
    update: bool
    before: Any
    after: Any
    sample: int | None = None
    name: str | None = None
    x: Any = None
    y: int | None = None
    score: Any = None
    normalized: Any = None
    alpha: Any = None
    batch: int | None = None
    batch_mistakes: int | None = None
    _replay: Any = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        return "mistake → update" if self.update else "correct"

    def _states(self):
        log = self._replay.update_steps
        first = int(np.searchsorted(log, self.number - 1))
        return self._replay.states(first, first + 1)

    @property
    def too_small(self) -> bool:
        """Is the sample still misclassified after its update (the step was too small)?"""
        if not self.update or self.sample is None:
            return False
        here = self._replay.samples(np.array([self.number - 1]))
        return not bool(self._replay.fixed(here, self._states())[0])

    @property
    def broken(self) -> int:
        """How many samples that were right became mistakes (the step was too large)."""
        return int(self._replay.changes(self._states())[1][0]) if self.update else 0

    def __repr__(self) -> str:
        where = f"sample {self.name if self.name is not None else self.sample}"
        if self.sample is None:
            where = f"batch {self.batch}, {self.batch_mistakes} mistakes"
        score = "" if self.score is None else f", w·x = {number(self.score)}"
        change = ""
        if len(self.after):
            change = f", {text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{score}, {self.verdict}{change if self.update else ''}"


class Steps(Sequence):
    """The steps of a trace, worked out when they are asked for.

    Steps of several binary problems follow each other. A slice is again such a sequence.
    """

    def __init__(self, replays: list[Replay], names, places: range | None = None):
        self._replays, self._names = replays, names
        self._ends = np.cumsum([replay.n_steps for replay in replays])
        self._places = range(int(self._ends[-1])) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Steps(self._replays, self._names, self._places[index])
        place = self._places[index]
        which = int(np.searchsorted(self._ends, place, side="right"))
        first = int(self._ends[which]) - self._replays[which].n_steps
        return self._make(self._replays[which], np.array([place - first]))[0]

    def __iter__(self) -> Iterator[Step]:
        if self._places.step != 1:
            yield from (self[k] for k in range(len(self)))
            return
        end = 0
        for replay in self._replays:
            begin, end = end, end + replay.n_steps
            low, high = max(self._places.start, begin), min(self._places.stop, end)
            for at in range(low, high, ITERATION_STEPS):
                yield from self._make(
                    replay, np.arange(at, min(at + ITERATION_STEPS, high)) - begin
                )

    def __repr__(self) -> str:
        return f"<Steps: {len(self):,}>"

    def _make(self, replay: Replay, steps: np.ndarray) -> list[Step]:
        return [
            step
            for window in replay.windows(steps)
            for step in _steps_of(replay, window, self._names)
        ]


def _steps_of(replay: Replay, window, names) -> Iterator[Step]:
    weights = replay.weights(window.states)
    columns = frames.step_columns(replay, window, criterion=False)
    samples = replay.samples(window.steps) if replay.single else window.steps
    for t, sample in enumerate(samples):
        extra: dict[str, Any] = {}
        if replay.single:
            given = int(columns["sample"][t])
            extra = {
                "sample": given,
                "name": None if names is None else names[given],
                "x": replay.row(sample),
                "y": int(replay.solver.y[sample]),
                "score": columns["score"][t],
                "normalized": columns["normalized"][t],
                "alpha": columns["alpha"][t] if "alpha" in columns else None,
            }
        else:
            for key in ("batch", "batch_mistakes"):
                extra[key] = int(columns[key][t])
        yield Step(
            number=int(columns["step"][t]),
            epoch=int(columns["epoch"][t]),
            problem=replay.problem.name,
            update=bool(window.updated[t]),
            before=weights[window.versions[t]],
            after=weights[window.after[t]],
            _replay=replay,
            **extra,
        )


class Rise(NamedTuple):
    """The first step after which the criterion was higher than before."""

    step: int
    update: int
    before: Any
    after: Any
    problem: str


class Trace:
    """All steps of a fit; made by ``linscope.trace``.

    Every table method takes the same choice of rows: ``start`` and ``stop`` are the first and the
    last step (counted from 1, both included); ``updates=(a, b)`` shows instead the solutions after
    updates a … b, one row each; ``problem`` picks one binary problem by name or number.

    Attributes
    ----------
    estimator : the fitted clone
    steps : the steps, a lazy sequence
    n_updates : how many of them changed the weights
    problems : names of the binary problems
    exact : whether numbers are fractions

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

    def __init__(self, estimator, replays, criterion, exact, sample_names, features, title):
        self.estimator = estimator
        self.exact = exact
        self.sample_names = sample_names
        self.feature_names = features
        self.title = title
        self._replays: list[Replay] = replays
        self._criterion = criterion

    @property
    def steps(self) -> Steps:
        return Steps(self._replays, self.sample_names)

    @property
    def problems(self) -> list[str]:
        return [replay.problem.name for replay in self._replays]

    @property
    def n_updates(self) -> int:
        return sum(replay.n_updates for replay in self._replays)

    def replay(self) -> list:
        """The last state of each binary problem, from the log alone.

        Equals ``estimator.results_[k].weights`` bit for bit (unless ``exact``).
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
        """One row a step: what was seen, whether it caused an update, the weights after it.

        Columns are ``step`` and ``epoch`` (from 1), ``sample`` (row number from 0), ``score``
        (w·x before the update), ``normalized`` (y·w·x), ``update``, and ``w0`` … ``wd``. Batch
        rules have ``batch`` (from 1 in each pass) and ``batch_mistakes`` instead of the sample and
        its score; kernel rules have the sample's coefficient ``alpha`` and the number of
        ``support`` vectors instead of weights. ``criterion`` adds the ``mistakes`` over all
        samples after the step, and J_p = Σ over mistakes of −y w·x.

        Parameters
        ----------
        start, stop, updates, problem : which rows, see the class; ``updates`` adds a column ``k``
        criterion : by default as asked of ``trace``
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns = self._columns(start, stop, updates, problem, criterion)
        return frames.to_backend(columns, backend)

    def to_csv(self, **which) -> str:
        """The same table as ``to_frame`` as text with commas."""
        return frames.to_csv(self.to_frame(**which, backend="dict"))

    def ledger(self, *, width: int | None = None, **which) -> Any:
        """The table of the lecture slides, for a terminal (a ``rich`` table).

        Long vectors are shortened, and much longer ones left out, until the table fits.

        Parameters
        ----------
        start, stop, updates, problem : which rows, see the class
        max_rows : at most this many rows a problem, the first ones and the last five; None for all
        criterion : by default as asked of ``trace``
        width : characters a line, by default those of the terminal

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

        return ledger(self._sheet(**which), get_console().width if width is None else width)

    def to_markdown(self, **which) -> str:
        """The ledger as a Markdown table; takes what ``ledger`` takes."""
        return render.markdown(self._sheet(**which))

    def to_latex(self, *, longtable: bool = False, **which) -> str:
        """The ledger as a LaTeX ``tabular`` or ``longtable``; takes what ``ledger`` takes."""
        return render.latex(self._sheet(**which), longtable)

    def to_html(self, **which) -> str:
        """The ledger as an HTML table; takes what ``ledger`` takes."""
        return render.html(self._sheet(**which))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(no_color=True, highlight=False, force_terminal=False, width=120)
        with console.capture() as capture:
            console.print(self.ledger(width=120))
        return "\n".join(line.rstrip() for line in capture.get().splitlines())

    def __repr__(self) -> str:
        kind = "exact trace" if self.exact else "trace"
        count = f"{len(self.steps):,} steps, {self.n_updates:,} updates"
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
            first, last = _updates(replay, updates)
            most = max(1, WINDOW_NUMBERS // replay.width)
            for at in range(first, max(last, first + 1), most):
                part = frames.effect_columns(replay, at, min(at + most, last))
                parts.append(self._with_problem(replay, part))
        return frames.to_backend(frames.join(parts), backend)

    def monotonic(self, problem: str | int | None = None) -> Rise | None:
        """The first step after which J_p was higher than before, None if it never rose.

        The perceptron rule lowers the error of the sample it corrects, not that of all samples.

        Examples
        --------
        >>> import linscope as ls
        >>> run = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
        >>> run.monotonic()
        Rise(step=2, update=1, before=0.0, after=5.0, problem='1 vs -1')
        """
        for replay in self._pick(problem):
            for at in range(0, replay.n_updates, 256):
                end = min(at + 256, replay.n_updates)
                _, values = replay.measure(replay.states(at, end))
                for k in range(end - at):
                    if values[k + 1] > values[k]:
                        step = int(replay.update_steps[at + k]) + 1
                        before, after = values[k : k + 2].tolist()
                        return Rise(step, at + k + 1, before, after, replay.problem.name)
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
        weights = replay.weights(replay.states(*_updates(replay, updates))).astype(np.float64)
        return weights if replay.intercept else np.column_stack([0 * weights[:, 0], weights])

    def plot(
        self,
        *,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        features=None,
        ax=None,
    ) -> Any:
        """The samples and the boundary after each update, from faint to strong.

        Parameters
        ----------
        updates, problem : as for ``path``
        features : two features by number or name, needed if there are more than two
        ax : matplotlib axes, optional

        Returns
        -------
        a Display, see ``linscope.plot.path_of_boundaries``
        """
        from ..display import plot

        X, y = self._samples(problem)
        weights = self.path(updates=updates, problem=problem)
        return plot.path_of_boundaries(X, y, weights, features=features, ax=ax)

    def animate(
        self,
        path=None,
        *,
        fps: float = 2.0,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        features=None,
        max_frames: int = 200,
    ) -> Any:
        """The same as a moving picture, a frame an update.

        Parameters
        ----------
        path : file that ends in .gif, optional
        fps : frames a second
        updates, problem, features : as for ``plot``
        max_frames : at most so many of the updates, evenly spread

        Returns
        -------
        matplotlib.animation.FuncAnimation
        """
        from ..display.boundary_path import BoundaryPathDisplay
        from .animate import animation, check_path, save

        if path is not None:
            check_path(path)
        X, y = self._samples(problem)
        weights = self.path(updates=updates, problem=problem)
        display = BoundaryPathDisplay.from_path(weights, X, y, features=features)
        replay = self._pick(0 if problem is None else problem)[0]
        first, _ = _updates(replay, updates)
        shown = min(max_frames, len(weights))
        places = np.unique(np.linspace(0, len(weights) - 1, shown).astype(int))
        captions, samples = [], []
        for k in (first + places).tolist():
            sample = None
            if k and replay.single:
                sample = int(replay.samples(replay.update_steps[k - 1 : k])[0])
            name = None if sample is None else int(replay.row_numbers[sample])
            if name is not None and self.sample_names is not None:
                name = self.sample_names[name]
            captions.append(f"update {k}" + ("" if name is None else f": sample {name}"))
            samples.append(sample)
        moving = animation(display, places, captions, samples, fps)
        if path is not None:
            save(moving, path, fps)
        return moving

    def _samples(self, problem: str | int | None) -> tuple[Any, np.ndarray]:
        """The samples of a problem with the names of the features, and two labels."""
        replay = self._pick(0 if problem is None else problem)[0]
        X = replay.X.toarray() if sparse.issparse(replay.X) else replay.X
        if self.feature_names:
            with contextlib.suppress(ImportError):
                columns = {name: X[:, j] for j, name in enumerate(self.feature_names)}
                X = frames.to_backend(columns, frames.first_installed())
        positive, negative = replay.problem.positive, replay.problem.negative
        if replay.problem.negative == "rest":
            positive = str(positive)
        return X, np.where(replay.solver.y > 0, positive, negative)

    def _pick(self, problem: str | int | None) -> list[Replay]:
        if problem is None:
            return self._replays
        if isinstance(problem, str):
            found = [replay for replay in self._replays if replay.problem.name == problem]
            if not found:
                raise ValueError(
                    f"no binary problem is called {problem!r}: {', '.join(self.problems)}"
                )
            return found
        if not 0 <= problem < len(self._replays):
            raise ValueError(f"problem={problem} is not in 0 … {len(self._replays) - 1}")
        return [self._replays[problem]]

    def _with_problem(self, replay: Replay, columns: dict) -> dict:
        if len(self._replays) == 1:
            return columns
        size = len(next(iter(columns.values())))
        return {"problem": np.full(size, replay.problem.name), **columns}

    def _columns(self, start, stop, updates, problem, criterion) -> dict[str, np.ndarray]:
        criterion = self._criterion if criterion is None else criterion
        parts = []
        for replay in self._pick(problem):
            steps = np.asarray(_choose(replay, start, stop, updates), dtype=np.int64)
            empty = [replay.window(steps)] if len(steps) == 0 else []
            for window in empty or replay.windows(steps):
                part = frames.step_columns(replay, window, criterion)
                if updates is not None:
                    part = {"k": window.first + window.after, **part}
                parts.append(self._with_problem(replay, part))
        return frames.join(parts)

    def _sheet(
        self,
        *,
        start: int = 1,
        stop: int | None = None,
        updates: tuple[int, int] | None = None,
        problem: str | int | None = None,
        max_rows: int | None = MAX_ROWS,
        criterion: bool | None = None,
    ) -> Sheet:
        if max_rows is not None and max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {max_rows}")
        replays = self._pick(problem)
        options = {
            "updates": updates is not None,
            "criterion": self._criterion if criterion is None else criterion,
            "problems": len(self._replays) > 1 and len(replays) > 1,
        }
        columns = columns_of(replays[0], **options)
        rows: list[Row] = []
        for replay in replays:
            chosen = _choose(replay, start, stop, updates)
            rows += self._rows(replay, chosen, max_rows, options, columns)
        name = replays[0].problem.name if len(replays) < len(self._replays) else ""
        return Sheet(self._heading(name), self._notes(replays), columns, rows)

    def _rows(self, replay, chosen, max_rows, options, columns: list[Column]) -> list[Row]:
        count = len(chosen)
        if max_rows is None or count <= max_rows:
            pieces = [chosen]
        else:
            tail = min(TAIL, max_rows // 2)
            pieces = [chosen[: max_rows - tail], chosen[count - tail :]]
        rows: list[Row] = []
        for piece in pieces:
            if rows:
                cells: list[Any] = [None] * len(columns)
                cells[[column.header == "verdict" for column in columns].index(True)] = Gap(
                    count - max_rows
                )
                rows.append(Row(cells, gap=True))
            for window in replay.windows(np.asarray(piece, dtype=np.int64)):
                rows += rows_of(replay, window, self.sample_names, **options)
        if rows:
            rows[0] = rows[0]._replace(first=True)
        return rows

    def _heading(self, problem: str) -> str:
        model = self.estimator
        rule = {"single": "single-sample", "batch": "batch", "mini-batch": "mini-batch"}[model.rule]
        parts = [type(model).__name__, f"{rule} rule"]
        if self.exact:
            parts.append("exact")
        if problem:
            parts.append(problem)
        heading = ", ".join(parts)
        return f"{self.title}: {heading}" if self.title else heading

    def _notes(self, replays: list[Replay]) -> list[str]:
        notes = [" · ".join(self._settings(replays[0]))]
        plain = [f"x{j + 1}" for j in range(len(self.feature_names))]
        if self.feature_names[:9] not in ([], plain[:9]) and len(plain) <= 8:
            first = ["1"] if replays[0].augmented else []
            notes.append(f"x = [{', '.join([*first, *self.feature_names])}]")
        steps = sum(replay.n_steps for replay in replays)
        updates = sum(replay.n_updates for replay in replays)
        what = "visits" if replays[0].single else "batches"
        status = self.estimator.certificate_.status
        notes.append(f"{steps:,} {what}, {updates:,} updates: {status}")
        return notes

    def _settings(self, replay: Replay) -> list[str]:
        model = self.estimator
        rate = f"η = {number(model.eta0)}" + ("/k" if model.schedule == "inverse" else "")
        settings = [f"tie {model.tie}", rate]
        if isinstance(model, Perceptron):
            init = model.init if isinstance(model.init, str) else text(vector(np.ravel(model.init)))
            settings.append(f"init {init}")
        else:
            settings.append(f"kernel {model.kernel}")
        settings.append(f"stop {model.stop}")
        if model.margin:
            settings.append(f"margin {number(model.margin)}")
        if model.rule == "mini-batch":
            settings.append(f"batch size {replay.log.batch_size}")
        if model.shuffle:
            settings.append("shuffled")
        if len(replay.solver.weight):
            settings.append("weighted")
        if model.output != "last":
            settings.append(f"output {model.output}")
        return settings


def _updates(replay: Replay, updates: tuple[int, int] | None) -> tuple[int, int]:
    """Updates a … b as a Python range from 0."""
    if updates is None:
        return 0, replay.n_updates
    try:
        a, b = (int(k) for k in updates)
    except (TypeError, ValueError):
        raise ValueError(f"updates={updates!r}: give the first and the last as (a, b)") from None
    if a < 1 or b < a:
        raise ValueError(f"updates=({a}, {b}): updates count from 1, and a must not exceed b")
    return min(a - 1, replay.n_updates), min(b, replay.n_updates)


def _choose(replay: Replay, start: int, stop: int | None, updates):
    """The chosen steps, from 0: a range, or the steps of the chosen updates."""
    if updates is not None:
        if start != 1 or stop is not None:
            raise ValueError("choose rows by start and stop, or by updates, not by both")
        first, last = _updates(replay, updates)
        return replay.update_steps[first:last]
    if start < 1 or (stop is not None and stop < start):
        raise ValueError(f"start={start}, stop={stop}: steps count from 1 to stop, both included")
    last = replay.n_steps if stop is None else min(stop, replay.n_steps)
    return range(min(start - 1, last), last)
