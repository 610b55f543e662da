"""A comparison in a notebook: the answer, the headline score and a small table."""

from __future__ import annotations

from linscope.selection.comparison.findings import Findings

from . import tables, words
from .templating import environment, source


def notebook_html(findings: Findings) -> str:
    """HTML for a cell's output; it takes its colours from the notebook, light or dark.

    Parameters
    ----------
    findings : what a comparison found
    """
    return (
        environment()
        .get_template("fragment.html")
        .render(
            found=findings,
            words=words,
            tables=tables,
            metric=words.metric(findings.plan.metric),
            level=words.percent(findings.plan.level),
            checks=tables.checks_by_level(findings),
            style=source("fragment.css"),
        )
    )
