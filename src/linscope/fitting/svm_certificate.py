"""What the certificates of linear and of kernel support vector machines have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.results import Certificate


@dataclass(frozen=True, kw_only=True, repr=False)
class SVMCertificate(Certificate):
    """Claim about a support vector machine, or about those of several binary problems.

    Attributes
    ----------
    alpha : dual coefficients of the samples with a positive weight; those with α > 0 are the
        support vectors
    classes : the two labels, the second is +1; or all labels, for a certificate of several parts
    weighted : whether samples have weights of their own
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    alpha: np.ndarray
    classes: np.ndarray
    weighted: bool = False
    side: tuple[Any, Any] | None = None
    how: str = ""

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "objective": self.primal,
            "above the minimum by at most": self.gap,
        }
        if self.kkt is not None:
            facts["KKT violation"] = self.kkt
        if not self.parts:
            facts["support vectors"] = int(np.count_nonzero(self.alpha))
        return facts | {"how": self.how}
