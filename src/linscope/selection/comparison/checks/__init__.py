"""Checks with codes: what may be wrong with a table, its fits and its scores.

run           run all checks
registry      code, title, level and meaning of each
page          docs/checks.md, written from the registry
subject       what the checks look at, prepared once
leaks         LS10x columns that know the answer
identity      LS11x identifiers, groups, dates
repeated_rows LS12x copies and near-copies of rows, contradictions
relations     LS13x constant columns, copies, combinations
amounts       LS14x imbalance, too few rows, rare categories
outliers      LS15x values that decide a column
fits          LS20x edges of searches, certificates, models that were not finished
separated     LS21x classes that a hyperplane or a column separates
scores        LS3xx perfect scores, calibration, stability of the choice
assumptions   LS4xx the assumptions of a regression
"""

from .registry import RULES
from .run import run_checks

__all__ = ["RULES", "run_checks"]
