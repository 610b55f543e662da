"""An evaluation as columns, and what has to be said beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .rates import AVERAGES, RATIOS

if TYPE_CHECKING:
    from .evaluation import Evaluation

MOST_NAMES = 5


def columns(result: Evaluation) -> dict[str, Any]:
    """One row a class, then one an average."""
    averages = [getattr(result, kind) for kind in AVERAGES]
    rates = {name: result.counts.ratio(name) for name in RATIOS}
    rates["f1"] = result.counts.fbeta(1.0)
    if result.curves is not None:
        rates |= result.of_curves
    out: dict[str, Any] = {
        "label": np.array([*result.names, *(f"{kind} avg" for kind in AVERAGES)], dtype=object)
    }
    for name, values in rates.items():
        means = [getattr(average, name) for average in averages]
        out[name] = np.r_[values, [np.nan if value is None else value for value in means]]
    out["support"] = np.r_[result.support, [result.matrix.sum()] * len(AVERAGES)]
    for name in ("tp", "fp", "fn", "tn"):
        values = getattr(result.counts, name)
        # Only the micro average has counts: those of all classes together.
        out[name] = np.r_[values.astype(np.float64), [np.nan, values.sum(), np.nan]]
    return out


def notes(result: Evaluation) -> list[str]:
    """A sentence for everything that is not defined."""
    if len(result.labels) == 2 and result.position is not None:
        sentences = _undefined(result, [result.position])
    else:
        sentences = _undefined(result, list(range(len(result.labels))))
        if sentences:
            sentences.append("Averages leave out the classes without a value.")
    if result.log_loss == np.inf:
        sentences.append("log_loss is ∞: a sample has probability 0 for its own class.")
    return sentences


def _undefined(result: Evaluation, positions: list[int]) -> list[str]:
    counts, names = result.counts, result.names
    sentences = []
    for ratio, (_, _, reason) in RATIOS.items():
        values = counts.ratio(ratio)
        empty = [names[k] for k in positions if np.isnan(values[k])]
        if empty:
            sentences.append(f"{ratio} of {_list(empty)} is 0/0: {reason}.")
    if result.curves is not None:
        empty = [names[k] for k in positions if np.isnan(result.of_curves["roc_auc"][k])]
        if empty:
            sentences.append(f"roc_auc of {_list(empty)} is 0/0: it needs samples of both kinds.")
    return sentences


def _list(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (" …" if len(names) > MOST_NAMES else "")
