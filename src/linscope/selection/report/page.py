"""The report: one HTML file that opens without a network, the answer first."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

from linscope.display.base import Display
from linscope.selection.comparison.findings import Findings

from . import tables, twin, words
from .figures.against_rest import class_curves_display, small_bands
from .figures.coefficients import coefficients_display
from .figures.decision import decision_display
from .figures.differences import differences_display
from .figures.learning import learning_display
from .figures.predictions import bands_display, curve_display, residual_display
from .figures.svg import inline
from .glossary import GLOSSARY, anchor, term
from .paragraph import results_paragraph
from .templating import environment, source

# Widths in inches of a figure that stands alone, and of one that has a neighbour.
WIDE, HALF = 5.0, 4.2
# Width and height of one of many.
SMALL = (2.2, 2.1)


def render(findings: Findings) -> str:
    """The whole page. The same findings give the same bytes.

    Parameters
    ----------
    findings : what a comparison found

    Returns
    -------
    HTML with style, figures and the JSON twin inside
    """
    return (
        environment()
        .get_template("page.html")
        .render(
            found=findings,
            words=words,
            tables=tables,
            term=term,
            glossary=[(name, anchor(name), text) for name, text in GLOSSARY.items()],
            figures=_figures(findings),
            small=_small_figures(findings),
            level=words.percent(findings.plan.level).replace(" ", "\u00a0"),
            metric=words.metric(findings.plan.metric),
            paragraph=results_paragraph(findings),
            checks=tables.checks_by_level(findings),
            twin=Markup(twin.OPENING + twin.in_page(findings) + twin.CLOSING),
            style=source("style.css"),
            script=source("page.js"),
            script_hash=_hash(source("page.js")),
        )
    )


def _hash(script: str) -> str:
    """The only script that the page may run, as its policy names it."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _figures(findings: Findings) -> dict[str, Markup]:
    """All figures that the findings have arrays for, by name."""
    data = findings.data
    made: dict[str, tuple[Display | None, float, float | None]] = {
        "differences": (
            differences_display(findings) if findings.differences else None,
            WIDE,
            None,
        ),
        "learning": (learning_display(findings) if findings.curves else None, WIDE, 3.4),
        "roc": (curve_display(findings, "roc"), HALF, 4.2),
        "pr": (curve_display(findings, "pr"), HALF, 4.2),
        "class-roc": (class_curves_display(findings, "roc"), HALF, 4.2),
        "class-pr": (class_curves_display(findings, "pr"), HALF, 4.2),
        "calibration": (bands_display(findings), HALF, 4.2),
        "residuals": (residual_display(findings, normal=False), HALF, 3.7),
        "normal": (residual_display(findings, normal=True), HALF, 3.7),
        "coefficients": (
            coefficients_display(findings) if findings.final.coefficients else None,
            WIDE,
            None,
        ),
        "decision": (decision_display(findings), WIDE, 3.6),
    }
    about = f"{data.target} in {data.name}"
    return {
        name: inline(display, f"{display.title} ({about}).", (width, height or display.size[1]))
        for name, (display, width, height) in made.items()
        if display is not None
    }


def _small_figures(findings: Findings) -> list[tuple[str, Markup]]:
    """Calibration of each class that is drawn, with its name."""
    return [(each.label, inline(each, f"{each.title}.", SMALL)) for each in small_bands(findings)]
