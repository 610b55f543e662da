"""The derivation of a closed form: every quantity on the way from the data to the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from linscope.data.frames import to_backend, to_csv
from linscope.reports import documents
from linscope.reports.page import Printed

from .answer import footnotes
from .derivation_elimination import Elimination
from .derivation_parts import Choice, Part, SampleTable
from .derivation_quantities import Quantities

MAX_ROWS = 25


class ClosedForm(NamedTuple):
    """How an estimator is traced whose answer takes no steps.

    work : of a fitted model, X, y, sample_weight and whether in fractions: works out the numbers.
    write : writes them down. draw : of the model, X, y and axes. moments : writes down what follows
    from moments alone, where that is known.
    """

    work: Callable[[Any, Any, Any, Any, bool], Any]
    write: Callable[[Any, SampleTable, Quantities], list[Part]]
    draw: Callable[[Any, Any, Any, Any], Any]
    moments: Callable[[Mapping[str, float], Quantities], list[Part]] | None = None


class Derivation(Printed):
    """How the answer of a closed form comes about; made by ``linscope.trace``.

    Every table method takes the same choice of rows: ``start`` and ``stop`` are the first and the
    last sample (counted from 1, both included), ``max_rows`` how many rows of a table are shown
    (the first ones and the last five), and ``part`` one of ``parts``.

    Attributes
    ----------
    estimator : the fitted clone
    steps : all quantities in order; ``steps["slope"].value``
    elimination : the system of equations and its solution pivot by pivot, None for one unknown
    parts : names of the tables, in order
    exact : whether numbers are fractions
    answer : what it leads to, as words under a label; the tables end with it

    Examples
    --------
    >>> import linscope as ls
    >>> run = ls.trace(ls.LinearRegression(), ls.datasets.load("five_points"))
    >>> run.steps["S_xy"]
    S_xy = Σ (xᵢ − x̄)(yᵢ − ȳ) = 17.2
    >>> run.steps["slope"]
    β̂₁ = S_xy / S_xx = r·s_y / s_x = 17.2 / 14.8 = 1.16216
    >>> print(run.to_csv(stop=2), end="")
    sample,x,y,dx,dy,dxdy,dx2,dy2,fitted,residual,residual2
    0,1.0,2.0,-0.8,-1.2,0.96,0.64,1.44,2.27027027027027,-0.2702702702702703,0.07304601899196493
    1,2.0,4.0,0.2,0.8,0.16,0.04,0.64,3.4324324324324325,0.5675675675675675,0.32213294375456536
    """

    def __init__(
        self,
        estimator: Any,
        steps: Quantities,
        parts: list[Part],
        table: SampleTable | None,
        elimination: Elimination | None,
        *,
        exact: bool,
        title: str | None,
        notes: Sequence[str] = (),
        answer: Sequence[tuple[str, str]] = (),
        draw: Callable[[Any], Any] | None = None,
    ) -> None:
        self.estimator = estimator
        self.steps = steps
        self.elimination = elimination
        self.exact = exact
        self.title = title
        self.notes = list(notes)
        self.answer = list(answer)
        self._parts = parts
        self._table = table
        self._draw = draw

    @property
    def parts(self) -> list[str]:
        return [part.name for part in self._parts]

    def to_frame(
        self, *, start: int = 1, stop: int | None = None, backend: str | None = None
    ) -> Any:
        """One row per sample.

        For a regression: ``sample`` (row number from 0), ``x`` and ``y`` (``x1`` … ``xd`` for
        several features), deviations from the means ``dx`` and ``dy``, for one feature their
        products ``dxdy``, ``dx2`` and ``dy2``, then ``fitted``, ``residual`` and ``residual2``.
        Of weighted samples there is the ``weight``, and products and squares have it in them.
        Classifiers have the ``class``, and the ``projection`` on the direction, or a score for
        each class and the class ``predicted``.

        Parameters
        ----------
        start, stop : which samples, see the class
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        if self._table is None:
            raise ValueError("this derivation has no table of samples")
        choice = self._choice(start, stop, None)
        columns = self._table.columns(choice.start, choice.stop)
        rows = {"sample": self._table.work.rows[choice.start : choice.stop]}
        return to_backend({**rows, **columns}, backend)

    def to_csv(self, **which: Any) -> str:
        """The same table as ``to_frame`` as text with commas."""
        return to_csv(self.to_frame(**which, backend="dict"))

    def ledger(self, *, width: int | None = None, **which: Any) -> Any:
        """All tables of the derivation for a terminal (a ``rich`` group).

        Parameters
        ----------
        part : the name of one table, see ``parts``; by default all
        start, stop : which samples, see the class
        max_rows : at most this many rows per table; None for all
        width : characters per line, by default those of the terminal
        """
        from rich import get_console
        from rich.console import Group
        from rich.text import Text

        width = get_console().width if width is None else width
        tables = [_fitted(part, choice, width) for part, choice in self._chosen(**which)]
        heading = Text(self._heading, style="bold")
        notes = [Text(note, style="dim") for note in self.notes]
        return Group(heading, *notes, *tables, *map(Text, self._last_lines(which)))

    def to_markdown(self, **which: Any) -> str:
        """All tables in Markdown; takes what ``ledger`` takes."""
        opening = [f"## {documents.markdown_text(self._heading)}\n"]
        opening += [f"{documents.markdown_text(line)}\n" for line in self.notes]
        tables = [documents.markdown(part.table(choice)) for part, choice in self._chosen(**which)]
        return "\n".join([*opening, *tables, *documents.markdown_lines(self._last_lines(which))])

    def to_latex(self, **which: Any) -> str:
        """All tables in LaTeX (needs ``amsmath``); takes what ``ledger`` takes."""
        comments = map(documents.latex_comment, [self._heading, *self.notes])
        opening = "".join(f"{line}\n" for line in comments)
        tables = [part.latex(choice) for part, choice in self._chosen(**which)]
        return "\n".join([opening, *tables, documents.latex_lines(self._last_lines(which))])

    def to_html(self, **which: Any) -> str:
        """All tables in HTML; takes what ``ledger`` takes."""
        tables = [part.table(choice) for part, choice in self._chosen(**which)]
        return documents.html_page(self._heading, self.notes, tables, self._last_lines(which))

    def plot(self, *, ax: Any = None) -> Any:
        """What the derivation leads to: the line and its residuals, the direction, the boundary.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        a Display: ``linscope.plot.line_fit``, for several features ``residuals``, for a
        FisherDiscriminant ``projection``, for a LeastSquaresClassifier ``boundary``
        """
        if self._draw is None:
            raise ValueError("only moments are known: there are no samples to draw")
        return self._draw(ax)

    def __repr__(self) -> str:
        kind = "exact derivation" if self.exact else "derivation"
        return f"<{kind} of {type(self.estimator).__name__}: {', '.join(self.steps.names)}>"

    def _last_lines(self, which: Mapping[str, Any]) -> list[str]:
        """The answer, unless only one part is shown."""
        return footnotes(self.answer) if which.get("part") is None else []

    @property
    def _heading(self) -> str:
        kind = "in fractions" if self.exact else "in closed form"
        heading = f"{type(self.estimator).__name__}, {kind}"
        return f"{self.title}: {heading}" if self.title else heading

    def _chosen(
        self,
        *,
        part: str | None = None,
        start: int = 1,
        stop: int | None = None,
        max_rows: int | None = MAX_ROWS,
    ) -> list[tuple[Part, Choice]]:
        if max_rows is not None and max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {max_rows}")
        if part is not None and part not in self.parts:
            raise ValueError(f"no part is called {part!r}: {', '.join(self.parts)}")
        choice = self._choice(start, stop, max_rows)
        return [(each, choice) for each in self._parts if part in (None, each.name)]

    def _choice(self, start: int, stop: int | None, most: int | None) -> Choice:
        n = 0 if self._table is None else self._table.n
        if start < 1 or (stop is not None and stop < start - 1):
            raise ValueError(f"start={start}, stop={stop}: samples count from 1, start ≤ stop")
        return Choice(min(start - 1, n), n if stop is None else min(stop, n), most)


def _fitted(part: Part, choice: Choice, width: int) -> Any:
    """The table of a part under its title, with shorter words where the screen is narrow."""
    from rich.console import Console, Group
    from rich.text import Text

    from linscope.reports.terminal import ledger

    content = part.table(choice)
    table = ledger(content, width)
    if Console(width=10_000).measure(table).maximum > width:
        table = ledger(part.table(choice, narrow=True), width)
    table.title = table.caption = None
    notes = [Text(note, style="dim") for note in content.notes]
    return Group(Text(content.title, style="bold"), table, *notes, *([Text()] if notes else []))
