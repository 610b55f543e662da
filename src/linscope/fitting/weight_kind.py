"""What sample weights mean for standard errors and tests.

    frequency   a row of weight 2 is 2 equal rows       n = Σ c (``freq_weights`` of statsmodels)
    precision   a row of weight 2 has half the variance n = rows (``var_weights``, or WLS)

Coefficients are the same. A compressed table brings "frequency" with it. If its rows had weights
before, it brings "summed": sums of frequencies are frequencies, but n of precisions is lost.
"""

from __future__ import annotations

from typing import Any

from linscope._bridge import StrOptions
from linscope.engines import Source

WEIGHT_KINDS = [StrOptions({"auto", "frequency", "precision"})]
SUMMED = (
    "the weights of equal rows were added, and their number is lost if weights are precisions: "
    "fit with weight_kind='frequency' if they count rows, else scan without compress"
)


def weight_kind(asked: str, X: Any, usual: str) -> str:
    """The kind of the weights of a fit.

    Parameters
    ----------
    asked : the parameter of the estimator, "auto", "frequency" or "precision"
    X : what was given to ``fit``
    usual : the kind that weights have where nothing else is said
    """
    carried = X.weight_kind if isinstance(X, Source) else None
    wanted = usual if asked == "auto" else asked
    if asked == "precision" and carried == "frequency":
        raise ValueError(
            "weight_kind='precision', but the weights of this table count equal rows "
            "(compress): leave weight_kind='auto', or scan without compress"
        )
    if carried == "summed" and wanted == "precision":
        return carried
    return "frequency" if carried else wanted
