"""Closed forms take no steps: a run goes from quantity to quantity, and ends with the answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.display.decisions import decide, leads, predict
from linscope.display.geometry import Box
from linscope.reports.cells import text, vector
from linscope.tracing.derivation import Derivation
from linscope.tracing.derivation_quantities import Quantity

from ..limits import ROWS
from ..spec import Data, Spec
from . import pictures
from .loss_view import loss_view
from .words import words_of_quantity

NO_STEPS = "A closed form takes no steps through weight space."
# With the first of these the line is known; with none of them at the end.
ANSWERS = {"intercept", "w", "W", "directions"}


def derived(trace: Derivation, spec: Spec, box: Box) -> dict[str, Any]:
    """The parts of a run that is a derivation."""
    quantities = [each for each in trace.steps if _short(each)][:ROWS]
    answer = picture(trace.estimator, spec.data, box)
    last = len(quantities)
    known = next((k for k, each in enumerate(quantities, 1) if each.name in ANSWERS), last)
    states = [
        _state("From the points to the answer, one quantity after the other.", [], answer, False)
    ]
    for k, each in enumerate(quantities, 1):
        said = words_of_quantity(each.name, each.symbol, _cell(each))
        states.append(_state(said, [_line(each)], answer, k >= known))
    own_box = {"box": answer["box"]} if "box" in answer else {}
    rows = [[each.symbol, each.numbers or each.formula, _cell(each)] for each in quantities]
    return {
        **own_box,
        "brief": False,
        "closed": True,
        "start": 1,
        "total": last,
        "overview": {"steps": list(range(last + 1)), "w": None, "curves": []},
        "ledger": {
            "columns": [
                {"title": "quantity", "right": False},
                {"title": "from", "right": False},
                {"title": "value", "right": True},
            ],
            "rows": rows,
            "marks": [False] * last,
        },
        "states": states,
        "curves": [],
        "weights": {"why": NO_STEPS},
        "loss": _bowl(spec, answer["w"]),
        "bound": {"why": "The bound R²/γ² is the perceptron's."},
    }


def _short(each: Quantity) -> bool:
    """Whether it has room in a row: a number, a vector, a matrix; no column of all samples."""
    return not callable(each.given)


def _cell(each: Quantity) -> str:
    if np.ndim(each.value) < 2:
        return str(each.cell)
    return " ".join(text(vector(row)) for row in each.value)


def _line(each: Quantity) -> str:
    """The quantity in one line; a matrix with its numbers."""
    return str(each).replace(each.words, _cell(each)) if np.ndim(each.value) == 2 else str(each)


def _bowl(spec: Spec, w: Any) -> dict[str, Any]:
    """The squared loss, whose lowest place is the answer."""
    if spec.algorithm.loss is None or w is None:
        return {"why": NO_STEPS}
    return loss_view(np.array(w), spec.data, spec)


def _state(say: str, formula: list[str], answer: dict[str, Any], end: bool) -> dict[str, Any]:
    """The answer is faint until it is found."""
    shown = answer
    if not end:
        lines = [{**each, "kind": "faint"} for each in answer["lines"]]
        nothing = dict.fromkeys(("predicted", "scores", "fitted", "residuals", "w"))
        shown = {**answer, **nothing, "regions": [], "lines": lines}
    return {
        "sample": None, "batch": None, "epoch": None, "update": False, "updates": 0, "say": say,
        "formula": formula, "wtext": None, "normal": None, "alpha": None, "slack": None,
        "kkt": None, "feet": None, "places": None,
        **{key: value for key, value in shown.items() if key != "box"},
    }  # fmt: skip


def picture(model: Any, data: Data, box: Box) -> dict[str, Any]:
    """What a fitted model draws: its line, or its regions, boundary and predictions."""
    out: dict[str, Any] = {
        "lines": [], "regions": [], "predicted": None, "scores": None, "fitted": None,
        "residuals": None, "w": None,
    }  # fmt: skip
    if data.mode == "regression":
        return out | _fitted_line(model, data, box)
    d = data.points.shape[1]
    codes = {label: code for code, label in enumerate(np.unique(data.labels).tolist())}
    out["predicted"] = [codes[label] for label in predict(model, data.points).tolist()]
    if len(codes) == 2:
        out["scores"] = pictures.rounded(decide(model, data.points))
        if hasattr(model, "coef_"):
            w: np.ndarray = np.append(model.intercept_, model.coef_)
            out["w"] = [w.tolist()] if len(w) == d + 1 else None
    if d > 2:
        return out if out["w"] is None else out | _far_away(model, out, data)
    grid = pictures.Grid(box)
    ahead = leads(model, grid.points[:, :d])
    out["regions"] = grid.regions(ahead)
    if len(ahead) == 2:
        found = grid.where_equal(ahead[1], 0.0)
        out["lines"] = [pictures.line(each, "boundary") for each in found]
    return out


def _far_away(model: Any, out: dict[str, Any], data: Data) -> dict[str, Any]:
    away = decide(model, data.points) / (float(np.linalg.norm(out["w"][0][1:])) or 1.0)
    box = pictures.distance_box(away)
    return {"box": list(box), **pictures.distances(away, box)}


def _fitted_line(model: Any, data: Data, box: Box) -> dict[str, Any]:
    w = np.array([float(model.intercept_), float(model.coef_[0])])
    return {"w": [w.tolist()], **pictures.fitted_line(w, data.points[:, 0], data.labels, box)}
