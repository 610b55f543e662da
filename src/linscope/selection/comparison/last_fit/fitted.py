"""What checks and figures see of the recommended model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.validation.splits import Split


class Fitted(NamedTuple):
    """Answers for rows that were held out, and the fit to all rows.

    folds : of the first repeat
    final : pipeline of preparation and model on ``Question.X``
    probabilities : of the positive class by the fold that held a row out; None where there are none
    predictions : of those folds, class codes or numbers; NaN for rows that no fold held out
    encoded, names : the prepared table of all rows, and its columns
    choices : key of the candidate that each outer fold chose
    """

    folds: list[Split]
    final: Any
    probabilities: np.ndarray | None
    predictions: np.ndarray
    encoded: Any
    names: list[str]
    choices: tuple[str, ...]
