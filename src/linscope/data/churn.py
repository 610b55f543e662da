"""A made-up table of a mobile operator's customers, with columns of every kind.

log odds of leaving = −1.65 + 1.0 [monthly] − 1.0 [two years] + 0.45 (support calls − 1)
                      + 0.04 (bill − 35) − 0.02 (months a customer − 30) − 0.6 [family bundle]
                      + 0.35 [invoice] + 0.25 [roaming] − 0.015 (age − 45)
                      + 0.05 [monthly] (bill − 35)

The last term is the only one that no linear model of the columns can have: a high bill drives those
away who may leave at the end of the month. Sex and gigabytes play no part of their own.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

TODAY = date(2024, 1, 1)
_PLANS = {"basic": 18.0, "plus": 32.0, "premium": 55.0}
_CONTRACTS = ("monthly", "one year", "two years")
_PAYMENTS = ("card", "direct debit", "invoice")


def make_churn(n: int = 800, random_state: Any = None) -> dict[str, np.ndarray]:
    """Customers of a mobile operator, and whether they left: about one in four did.

    Parameters
    ----------
    n : int
        Customers, at least two.
    random_state : int, Generator or None

    Returns
    -------
    dict of columns: customer_id, joined, age, sex, contract, plan, payment, family_bundle, roaming,
        monthly_bill, data_gb, support_calls, churn

    Examples
    --------
    >>> customers = make_churn(1000, random_state=0)
    >>> [str(customers[name][0]) for name in ("customer_id", "joined", "contract", "churn")]
    ['C107570', '2023-12-10', 'monthly', 'yes']
    """
    if n < 2:
        raise ValueError(f"n must be at least 2, got {n!r}")
    # Uniform numbers only, rounded in the end: the same table on every machine.
    rng = np.random.default_rng(random_state)
    u = rng.random((n, 13))
    plan = _choice(u[:, 0], _PLANS, (0.40, 0.38, 0.22))
    contract = _choice(u[:, 1], _CONTRACTS, (0.45, 0.33, 0.22))
    payment = _choice(u[:, 2], _PAYMENTS, (0.45, 0.37, 0.18))
    days = np.floor(1800 * u[:, 3] ** 1.3).astype(int) + 14
    age = np.rint(18 + 62 * (u[:, 4] + u[:, 5]) / 2)
    family, roaming = u[:, 6] < 0.35, u[:, 7] < 0.20 + 0.25 * (plan == "premium")
    base = np.array([_PLANS[name] for name in plan])
    bill = np.round(base * (0.8 + 0.5 * u[:, 8]) + 6.0 * roaming, 2)
    gigabytes = np.round(base / 4 * (-np.log1p(-0.999 * u[:, 9])) + 0.2, 1)
    calls = np.searchsorted([0.42, 0.70, 0.86, 0.94, 0.98], u[:, 10]).astype(float)
    monthly = contract == "monthly"
    log_odds = (
        -1.65
        + 1.0 * monthly
        - 1.0 * (contract == "two years")
        + 0.45 * (calls - 1)
        + 0.04 * (bill - 35)
        - 0.02 * (days / 30.4 - 30)
        - 0.6 * family
        + 0.35 * (payment == "invoice")
        + 0.25 * roaming
        - 0.015 * (age - 45)
        + 0.05 * monthly * (bill - 35)
    )
    left = u[:, 11] < 1 / (1 + np.exp(-log_odds))
    numbers = 100_000 + rng.permutation(9 * n)[:n]
    return {
        "customer_id": _texts(f"C{number}" for number in numbers),
        "joined": _texts((TODAY - timedelta(days=int(d))).isoformat() for d in days),
        "age": age,
        "sex": _texts("female" if value < 0.5 else "male" for value in u[:, 12]),
        "contract": contract,
        "plan": plan,
        "payment": payment,
        "family_bundle": _yes_no(family),
        "roaming": _yes_no(roaming),
        "monthly_bill": bill,
        "data_gb": gigabytes,
        "support_calls": calls,
        "churn": _yes_no(left),
    }


def _choice(u: np.ndarray, names: Any, shares: tuple[float, ...]) -> np.ndarray:
    return np.array(list(names), dtype=object)[np.searchsorted(np.cumsum(shares)[:-1], u)]


def _texts(values: Any) -> np.ndarray:
    return np.array(list(values), dtype=object)


def _yes_no(truth: np.ndarray) -> np.ndarray:
    return _texts("yes" if value else "no" for value in truth)
