"""That the means, variances and priors of a naive Bayes model are those of the samples.

They are the maximum-likelihood estimates, so nothing else has to be shown. ``verify`` takes the
moments again from the data, by two plain passes for each class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..results import Certificate, Check, Status
from .class_scatter import ClassRows, check_classes, counts, listed, read_classes
from .verify import Refuted, require

# Standard deviations agree to this, relatively.
SAME = 1e-9


@dataclass(frozen=True, kw_only=True, repr=False)
class NaiveBayesCertificate(Certificate):
    """Claim about a Gaussian naive Bayes model.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    means, spreads : (K, d) mean and standard deviation of each feature in each class
    priors, totals : (K,) probability and weight of each class
    shared : whether the classes share their variances
    replaced : numbers of columns with a variance of 0, which was replaced
    names : of the features
    given_priors : whether the priors were chosen, not counted
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    """

    labels: tuple
    means: np.ndarray
    spreads: np.ndarray
    priors: np.ndarray
    totals: np.ndarray
    shared: bool
    replaced: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    given_priors: bool = False
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False

    def facts(self) -> dict[str, Any]:
        K, d = self.means.shape
        facts: dict[str, Any] = {
            "likelihood": "at its maximum: means and variances are those of the samples",
            "samples (weight) of each class": counts(self.labels, self.totals),
            "variances": f"{d}, shared by the classes" if self.shared else f"{K} · {d}",
        }
        if self.replaced:
            facts["variance 0 replaced by V/(n + 1), V that of the column"] = listed(
                [self.names[j] for j in self.replaced]
            )
        return facts

    def verify(self, X, y, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        try:
            require(self.weighted or sample_weight is None, "the fit had no sample weights")
            require(
                not self.weighted or sample_weight is not None,
                "the fit used sample weights: pass them as sample_weight",
            )
            return Check(True, _claims(self, read_classes(X, y, sample_weight, self.class_weight)))
        except Refuted as refuted:
            return Check(False, str(refuted))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")


def _claims(claim: NaiveBayesCertificate, rows: ClassRows) -> str:
    require(claim.status is Status.SOLVED, f"no such model ends with: {claim.status}")
    seen = check_classes(claim, rows)
    K, d = len(claim.labels), len(rows.exponent)
    require(np.shape(claim.spreads) == (K, d), f"a deviation a class and feature is needed ({d})")
    expected, zero = _expected(claim, rows)
    claimed = np.ldexp(np.asarray(claim.spreads, np.float64)[seen], -rows.exponent)
    # Values that differ only by rounding may count as equal or as different.
    vague = expected**2 <= (1e-13 * rows.size) ** 2
    wrong = ~(np.abs(claimed - expected) <= SAME * expected) & ~vague
    if wrong.any():
        k, j = np.argwhere(wrong)[0]
        found = np.ldexp(expected[k, j], rows.exponent[j])
        require(False, f"class {rows.labels[k]!r}, column {j}: the deviation is {found:.12g}")
    require(bool((claimed > 0).all()), "a standard deviation is not positive")
    require(
        list(claim.replaced) == np.flatnonzero(zero.any(axis=0)).tolist(), "other columns are 0"
    )
    return f"means and deviations of {len(seen)} classes and {d} features are those of the samples"


def _expected(claim: NaiveBayesCertificate, rows: ClassRows) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviations in units 2^exponent, and which variances were 0."""
    variances, count = rows.variances(), rows.totals
    share = count / count.sum()
    apart, _ = rows.apart(share)
    whole = share @ (variances + apart**2)
    if claim.shared:
        variances = np.tile(share @ variances, (len(count), 1))
        count = np.full_like(count, count.sum())
    # What rounding leaves of a column that does not vary.
    rounding = (4 * np.finfo(np.float64).eps * rows.size) ** 2
    unit = np.ldexp(1.0, -2 * rows.exponent)
    floor = np.where(whole > rounding, whole / (count + 1.0)[:, None], unit)
    zero = variances <= rounding
    return np.sqrt(np.where(zero, floor, variances)), zero
