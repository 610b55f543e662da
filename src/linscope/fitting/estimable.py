"""What the data determine of the coefficients where columns depend on each other.

With x_j = s_j0 + Σ_k s_jk x_k for the dependent columns j, predictions depend on

    β_k = w_k + Σ_j s_jk w_j        of the independent columns k (and of the intercept) alone

A coefficient w_k is determined if no dependent column has a share s_jk; otherwise only the sum is.
The statistics of β are those of the same model without the dependent columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope.engines import Engine
from linscope.rows.blocks import with_columns
from linscope.verify.relations import Relations, effective, farthest, independent, shares_of

# New rows follow the relations if they do so to this.
FOLLOWS = 1e-9
# Longer sums are not written out.
MOST_TERMS = 4


@dataclass(frozen=True, eq=False)
class Estimable:
    """The coefficients of all columns, and which of them are determined.

    Attributes
    ----------
    relations : as a certificate has them
    features : names of all columns
    weights : (rows, d + 1) the coefficients, intercept first
    fit_intercept : whether the model has one
    dependent : the relations in words
    ulps : up to how many ulp they hold
    """

    relations: Relations
    features: Sequence[str]
    weights: np.ndarray
    fit_intercept: bool
    dependent: Sequence[str]
    ulps: int

    @cached_property
    def kept(self) -> np.ndarray:
        """Numbers of the independent columns."""
        return independent(self.relations, len(self.features))

    @property
    def kept_names(self) -> list[str]:
        """Names of the coefficients β."""
        return [*self._first, *(self.features[k] for k in self.kept)]

    @property
    def effective(self) -> np.ndarray:
        """β."""
        return effective(self.weights, self.relations)[0][:, int(not self.fit_intercept) :]

    @property
    def _first(self) -> list[str]:
        return ["intercept"] * self.fit_intercept

    @cached_property
    def _sums(self) -> dict[int, str]:
        """Each β that is a sum, by its place, in words."""
        shares = shares_of(self.relations)
        found = {}
        for place, k in enumerate([-1] * self.fit_intercept + self.kept.tolist()):
            terms = [(self.features[j], float(s[k])) for j, s in shares.items() if k in s]
            if not terms:
                continue
            text = "intercept" if k < 0 else self.features[k]
            if len(terms) > MOST_TERMS:
                text += f" and shares of {len(terms)} dependent columns"
                terms = []
            for name, share in terms:
                factor = "" if abs(share) == 1 else f"{abs(share):.6g}·"
                text += f" {'−' if share < 0 else '+'} {factor}{name}"
            found[place] = text
        return found

    @property
    def names(self) -> list[str]:
        """Names of all coefficients, and of the sums that are determined."""
        return [*self._first, *self.features, *self._sums.values()]

    @cached_property
    def _places(self) -> np.ndarray:
        """For each name the place of its β; −1 for coefficients that are not determined."""
        numbers = [-1] * self.fit_intercept + self.kept.tolist()
        own = {k: place for place, k in enumerate(numbers) if place not in self._sums}
        all_numbers = [-1] * self.fit_intercept + list(range(len(self.features)))
        return np.array([*(own.get(k, -1) for k in all_numbers), *self._sums], dtype=np.intp)

    @property
    def slopes(self) -> np.ndarray:
        """Which names are not about the intercept."""
        own = np.ones(len(self.names), dtype=bool)
        if self.fit_intercept:
            own[0] = False
            own[1 + len(self.features) :] = [place > 0 for place in self._sums]
        return own

    def coefficients(self, effective: np.ndarray) -> np.ndarray:
        """(rows, names) from β (rows, kept)."""
        full = self.weights[:, int(not self.fit_intercept) :]
        return np.hstack([full, effective[:, list(self._sums)]])

    def spread(self, values: Any, axis: int = -1) -> Any:
        """What each name has, from what each β has; NaN for what is not determined."""
        if values is None:
            return None
        out = np.moveaxis(np.take(values, self._places, axis=axis), axis, 0).copy()
        out[self._places < 0] = np.nan
        return np.moveaxis(out, 0, axis)

    @property
    def sentence(self) -> str:
        """Which columns depend, and what that means for the table of coefficients."""
        exact = f" (up to {self.ulps} ulp of the table)" if self.ulps else ""
        return (
            f"Dependent columns{exact}: {'; '.join(self.dependent)}. Coefficients without an "
            "interval are not unique; their sums below are."
        )

    def reduced(self, engine: Engine) -> Engine:
        """The independent columns of rows that follow the relations; ValueError for others."""
        far = engine.fold(farthest, list(self.relations.items())).value
        if not (far <= FOLLOWS).all():
            raise ValueError(
                f"the training rows have {self.dependent[int(np.argmax(far))]}, but rows of X do "
                "not: nothing is known of their predictions"
            )
        return engine.derive(with_columns, self.kept)
