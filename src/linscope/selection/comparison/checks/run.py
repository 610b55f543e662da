"""Run all checks on a table and on what a study made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linscope.rows.threads import one_blas_thread

from ..findings import Candidate, Check, Plan
from . import (  # noqa: F401  (each enters its checks into the registry)
    amounts,
    assumptions,
    fits,
    identity,
    leaks,
    outliers,
    relations,
    repeated_rows,
    scores,
    separated,
)
from .registry import LEVELS, RULES, known_codes
from .subject import Subject


def run_checks(
    question: Any,
    candidates: Sequence[Candidate],
    plan: Plan,
    fitted: Any,
    ignore: Iterable[str] = (),
) -> tuple[Check, ...]:
    """Look for faults in the table, the fits and the scores.

    Parameters
    ----------
    question : the table and its target, see ``data/question.py``
    candidates : the models of the study
    plan : how they were judged
    fitted : has ``folds`` (train and test rows of the first repeat), ``final`` (the fitted
        pipeline), ``probabilities`` of the second class and ``predictions`` for held-out rows,
        ``encoded`` and ``names`` (what the models see), ``choices`` (keys of the models that the
        folds chose); each may be None
    ignore : codes such as "LS203", which are still run but marked as ignored

    Returns
    -------
    tuple of Check
        Problems first, then warnings and notes, each in the order of their codes.

    Raises
    ------
    ValueError
        If there is no check of a code in ``ignore``.
    """
    codes = known_codes(ignore)
    subject = Subject(question, tuple(candidates), plan, fitted)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"), one_blas_thread():
        found = [
            check for code in sorted(RULES) for check in RULES[code].checks(subject, code in codes)
        ]
    return tuple(sorted(found, key=lambda check: (LEVELS.index(check.level), check.code)))
