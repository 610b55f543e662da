"""Claims changed in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from linscope.results import Certificate, Status

LEFT_ALONE = (
    "how", "names", "class_weight", "parameters", "side", "dependent", "separation", "classes",
    "labels", "ignored", "kernel", "tie", "output", "positive", "negative", "others", "no_bound",
    "tol", "tolerance", "parts", "constant", "replaced",
)  # fmt: skip


def forgeries(claim: Certificate) -> Iterator[tuple[str, Certificate]]:
    """(what was changed, the changed claim), of the whole and of its first part."""
    yield from _changed(claim)
    for name, part in list(claim.parts.items())[:1]:
        for what, forged in _changed(part):
            yield f"{name}: {what}", replace(claim, parts={**claim.parts, name: forged})
    inner = getattr(claim, "regression", None)
    if inner is not None:
        for what, forged in _changed(inner):
            yield (
                f"regression: {what}",
                replace(claim, regression=forged, **_shared(claim, forged)),
            )


def _shared(claim: Any, inner: Any) -> dict[str, Any]:
    """What a classifier's claim repeats of its regression's."""
    names = ("status", "primal", "dual", "gap", "kkt", "backward_error")
    return {name: getattr(inner, name) for name in names}


def _changed(claim: Any) -> Iterator[tuple[str, Any]]:
    for each in fields(claim):
        value = getattr(claim, each.name)
        if each.name in LEFT_ALONE or is_dataclass(value):
            continue
        for what, other in _others(value):
            yield f"{each.name} {what}", replace(claim, **{each.name: other})


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Status):
        for status in Status:
            if status is not value:
                yield f"→ {status.name}", status
    elif isinstance(value, bool | np.bool_):
        yield f"→ {not value}", not value
    elif isinstance(value, int | np.integer):
        yield "+ 1", value + 1
        yield "− 1", value - 1
        yield "→ 10⁹", 10**9
    elif isinstance(value, float | np.floating):
        for other in (np.nan, np.inf, -np.inf, 0.0, 1e9, -1.0):
            if other != value:
                yield f"→ {other}", other
        if np.isfinite(value) and value:
            yield "doubled", 2 * float(value)
            yield "× 0.1", 0.1 * float(value)
            yield "negated", -float(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
        yield "doubled", 2 * value
        yield "negated", -value
        for other in (np.nan, np.inf, 1e9):
            changed = value.copy()
            changed.flat[0] = other
            yield f"[0] → {other}", changed
        changed = value.copy()
        changed.flat[-1] = changed.flat[-1] * 1.001 + 1e-3
        yield "[-1] moved", changed
        yield "→ 0", np.zeros_like(value)
