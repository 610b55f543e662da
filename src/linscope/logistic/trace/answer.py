"""What a logistic regression ended with: P(class | x), its hyperplane, and the likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.fitting.equations import equation, rules, score
from linscope.reports.cells import number
from linscope.tracing.answer import feature_names


def logistic_answer(trace: Any, index: int) -> list[tuple[str, str]]:
    """The answer of one row of weights."""
    model = trace.estimator
    labels, W = model.classes_.tolist(), np.column_stack([model.intercept_, model.coef_])
    features = feature_names(trace.feature_names, W.shape[1] - 1)
    if len(labels) == 2:
        return [
            ("equation", equation(W[0], features, labels[1])),
            ("probability", f"P({labels[1]} | x) = σ({score(W[0], features)})"),
            ("log likelihood", f"l(W) = {number(model.log_likelihood())}"),
        ]
    pair = model._pair_line if model.multi_class == "ovo" else None
    return [("equation", rules(W, features, labels, pair)[index])]
