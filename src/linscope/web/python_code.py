"""The Python that makes a run again."""

from __future__ import annotations

from typing import Any

from .spec import Spec


def of(spec: Spec) -> str:
    """A script: the points, the estimator, its trace."""
    model = spec.algorithm.estimator(spec.params)
    data = spec.data
    labels = data.labels.tolist()
    names = f", sample_names={data.names!r}" if data.names else ""
    exact = ", exact=True" if spec.exact else ""
    return "\n".join(
        [
            "import numpy as np",
            "",
            "import linscope as ls",
            "",
            f"X = np.array({_rows(data.points.tolist())})",
            f"y = np.array({labels!r})",
            f"trace = ls.trace(ls.{model!r}, X, y{names}{exact})",
            "print(trace)",
            "trace.plot().save('run.png')",
            "",
        ]
    )


def _rows(points: list[Any]) -> str:
    return "[" + ", ".join(repr(row) for row in points) + "]"
