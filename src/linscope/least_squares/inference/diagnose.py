"""Check the five assumptions of linear regression, and collinearity."""

from __future__ import annotations

from .basis import basis_of
from .collinearity import collinearity, dependence, variance_inflation
from .context import Context
from .existence import existence
from .fit import LinearFit
from .homoscedasticity import homoscedasticity
from .independence import independence
from .linearity import linearity
from .normality import normality
from .rows import row_values
from .verdict import Diagnosis, Verdict

# In the order of the notes.
ASSUMPTIONS = {
    "existence": existence,
    "independence": independence,
    "linearity": linearity,
    "homoscedasticity": homoscedasticity,
    "normality": normality,
}


def diagnose(fit: LinearFit) -> Diagnosis:
    """One verdict an assumption, with the tests behind it.

    Parameters
    ----------
    fit : LinearFit

    Returns
    -------
    Diagnosis
    """
    reason = fit.why_not
    if reason is None and not fit.has_rows:
        reason = "the model was fitted from moments, without the rows"
    if reason is not None:
        verdicts = [_unknown(name, reason) for name in ASSUMPTIONS]
        verdicts.append(dependence(fit) if fit.dependent else _unknown("collinearity", reason))
        return Diagnosis(verdicts=verdicts, n=fit.n, target=fit.target)
    basis = basis_of(fit)
    rows = row_values(fit, basis)
    if rows.exact:
        exact = "the fit is exact, its residuals are rounding errors"
        verdicts = [_unknown(name, exact) for name in ASSUMPTIONS]
    else:
        context = Context(fit, basis, rows)
        verdicts = [check(context) for check in ASSUMPTIONS.values()]
    vif, condition = variance_inflation(fit, basis)
    alone = not fit.dependent
    verdicts.append(collinearity(fit.features, vif, condition) if alone else dependence(fit))
    return Diagnosis(
        verdicts=verdicts,
        n=fit.n,
        target=fit.target,
        rows=rows,
        vif=dict(zip(fit.features, vif.tolist(), strict=True)),
        condition_number=condition,
    )


def _unknown(name: str, reason: str) -> Verdict:
    return Verdict(name, None, f"Cannot be judged: {reason}.")
