"""``Comparison``: what ``linscope.compare`` returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linscope.display.files import complete_file

from .findings import Check, Findings, Recommendation
from .screen.answer import answer
from .screen.tables import DifferenceTable, ScoreTable
from .settings import one_of


class Comparison:
    """Which linear model to use, how good it really is, why, and what would change that.

    Attributes
    ----------
    findings : everything that was found, as plain values
    best_ : the recommended model, fitted to all rows: a pipeline that predicts from a table like
        the one given; None if the comparison was stopped before
    """

    def __init__(self, findings: Findings, best: Any = None) -> None:
        self.findings = findings
        self.best_ = best

    @property
    def recommendation(self) -> Recommendation:
        """The simplest model that is practically equal to the best; it prints as words."""
        return self.findings.recommendation

    @property
    def table(self) -> ScoreTable:
        """Scores of all models; it has ``to_frame``, ``to_markdown`` and ``to_latex``."""
        return ScoreTable(self.findings)

    @property
    def differences(self) -> DifferenceTable:
        """Differences of all pairs; it has ``to_frame``, ``to_markdown`` and ``to_latex``."""
        return DifferenceTable(self.findings)

    @property
    def checks(self) -> tuple[Check, ...]:
        """What was found about the data and the fits, with codes."""
        return self.findings.checks

    def report(self, path: Any) -> Path:
        """Write the report: one HTML file that opens anywhere and can be verified.

        The file is written as a whole or not at all.

        Parameters
        ----------
        path : name of the file, ending in .html
        """
        from linscope.selection.report.page import render

        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"{path}: a report is an HTML file, so its name must end in .html")
        page = render(self.findings)
        with complete_file(path) as name:
            name.write_text(page, encoding="utf-8", newline="\n")
        return path

    def plot(self, kind: str = "scores", ax: Any = None) -> Any:
        """Draw the scores of all models, their differences, or the learning curve.

        Parameters
        ----------
        kind : "scores", "differences" or "learning"
        ax : matplotlib axes, optional
        """
        from linscope.selection.report.figures.differences import differences_display
        from linscope.selection.report.figures.learning import learning_display
        from linscope.selection.report.figures.scores import scores_display

        figures = {
            "scores": scores_display,
            "differences": differences_display,
            "learning": learning_display,
        }
        one_of("kind", kind, figures)
        if kind == "learning" and not self.findings.curves:
            raise ValueError("there is no learning curve: the comparison was stopped before it")
        return figures[kind](self.findings).plot(ax)

    def to_json(self) -> str:
        """The findings as JSON, by the published schema; the report holds the same."""
        from linscope.selection.report.twin import to_json

        return to_json(self.findings)

    def __str__(self) -> str:
        return answer(self.findings).plain

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from linscope.selection.report.fragment import notebook_html

        return notebook_html(self.findings)
