"""Closed forms take no steps: a run goes from quantity to quantity, and ends with the answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.display.geometry import Box
from linscope.tracing.derivation import Derivation

from . import pictures
from .limits import ROWS
from .spec import Spec

NO_STEPS = "A closed form takes no steps through weight space."


def derived(trace: Derivation, spec: Spec, box: Box) -> dict[str, Any]:
    """The parts of a run that is a derivation."""
    quantities = [each for each in trace.steps if each.listed][:ROWS]
    answer = _picture(trace.estimator, spec, box)
    last = len(quantities)
    start: dict[str, Any] = {
        "say": "From the points to the answer, one quantity after the other.",
        "formula": [],
    }
    states = [_state(start, answer, last == 0)]
    for k, each in enumerate(quantities, 1):
        end = ". That is the answer." if k == last else ""
        words = {"say": f"{each.symbol} = {each.words}{end}", "formula": [str(each)]}
        states.append(_state(words, answer, k == last))
    return {
        "start": 1,
        "total": last,
        "ledger": {
            "columns": [
                {"title": "quantity", "right": False},
                {"title": "from", "right": False},
                {"title": "value", "right": True},
            ],
            "rows": [[each.symbol, each.numbers or each.formula, each.cell] for each in quantities],
            "marks": [False] * last,
        },
        "states": states,
        "curves": [],
        "weights": {"why": NO_STEPS},
        "loss": {"why": NO_STEPS},
        "bound": {"why": "The bound R²/γ² is the perceptron's."},
        "exports": {
            "csv": trace.to_csv(),
            "markdown": trace.to_markdown(max_rows=None),
            "latex": trace.to_latex(max_rows=None),
        },
    }


def _state(words: dict[str, Any], answer: dict[str, Any], end: bool) -> dict[str, Any]:
    """The answer is faint until it is found."""
    shown = answer
    if not end:
        lines = [{**each, "kind": "faint"} for each in answer["lines"]]
        nothing = dict.fromkeys(("predicted", "scores", "fitted"))
        shown = {**answer, **nothing, "regions": [], "lines": lines}
    return {
        "sample": None, "batch": None, "epoch": None, "update": False, **words,
        "w": answer["w"] if end else None, "wtext": None, "normal": None, "alpha": None,
        "slack": None, "kkt": None, "feet": None, "places": None,
        **{key: shown[key] for key in ("lines", "regions", "predicted", "scores", "fitted")},
    }  # fmt: skip


def _picture(model: Any, spec: Spec, box: Box) -> dict[str, Any]:
    """What the fitted model draws."""
    if spec.data.mode == "regression":
        w0, w1 = float(model.intercept_), float(model.coef_[0])
        ends = pictures.segments(box, np.array([[w0, w1, -1.0]]))
        lines = [] if np.isnan(ends).any() else [pictures.line(ends[0], "fit")]
        fitted = (w0 + w1 * spec.data.points[:, 0]).tolist()
        return {
            "lines": lines, "regions": [], "predicted": None, "scores": None, "fitted": fitted,
            "w": [[w0, w1]],
        }  # fmt: skip
    return classifier_picture(model, spec.data, box)


def classifier_picture(model: Any, data: Any, box: Box) -> dict[str, Any]:
    """Regions, boundary and predictions of any fitted classifier of one or two features."""
    from linscope.display.boundary import leads, predict

    grid = pictures.Grid(box)
    d = data.points.shape[1]
    codes = {label: code for code, label in enumerate(np.unique(data.labels).tolist())}
    predicted = [codes[label] for label in predict(model, data.points).tolist()]
    out: dict[str, Any] = {
        "lines": [], "regions": [], "predicted": predicted, "scores": None, "fitted": None,
        "w": None,
    }  # fmt: skip
    if d > 2:
        return out
    ahead = leads(model, grid.points[:, :d])
    out["regions"] = grid.regions(ahead)
    if len(ahead) == 2:
        found = grid.where_equal(ahead[1], 0.0)
        out["lines"] = [pictures.line(each, "boundary") for each in found]
    return out
