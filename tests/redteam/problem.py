"""One problem of the campaign: an estimator, a table, and the snippet that fits it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

import linscope as ls

# Bits of the references: sums of terms that lie as far apart as the scales of a level allow.
BITS = {"ordinary": 300, "hard": 600, "extreme": 2500}


@dataclass(frozen=True)
class Problem:
    """What is fitted.

    Attributes
    ----------
    estimator : name of the class in linscope, or "separability"
    params : its parameters
    X, y, weight : as the user gives them; weight may be None
    level : ordinary, hard or extreme
    kind : what is adverse about it
    """

    estimator: str
    params: dict[str, Any]
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    level: str
    kind: str
    place: str = field(default="", compare=False)

    @property
    def bits(self) -> int:
        return BITS[self.level]

    @property
    def dense(self) -> np.ndarray:
        """The table as float64, which holds float32 and whole numbers exactly."""
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        return np.asarray(X, dtype=np.float64)

    @property
    def c(self) -> np.ndarray:
        """The weight of each row, times that of its class."""
        c = np.ones(len(self.y)) if self.weight is None else np.asarray(self.weight, float)
        factors = self.params.get("class_weight")
        return (
            c if factors is None else c * np.array([factors.get(v, 1.0) for v in self.y.tolist()])
        )

    @property
    def given(self) -> dict[str, Any]:
        """What ``fit`` and ``model.verify`` are given besides the data."""
        return {} if self.weight is None else {"sample_weight": self.weight}

    @property
    def claimed(self) -> dict[str, Any]:
        """What ``certificate_.verify`` is given: some claims know the weights of the classes."""
        if self.estimator in UNWEIGHTED:
            return {}
        if self.estimator in TIMES_CLASS_WEIGHT and self.params.get("class_weight"):
            return {"sample_weight": self.c}
        return self.given

    def fit(self) -> Any:
        if self.estimator == "separability":
            return ls.separability(self.X, self.y)
        return getattr(ls, self.estimator)(**self.params).fit(self.X, self.y, **self.given)

    def snippet(self) -> str:
        """Lines of Python that fit this problem; every float by its repr."""
        lines = ["import numpy as np, linscope as ls"]
        if sparse.issparse(self.X):
            lines.append("from scipy import sparse")
        lines.append(f"X = {_table(self.X)}")
        lines.append(f"y = np.array({self.y.tolist()!r})")
        extra = ""
        if self.weight is not None:
            lines.append(f"c = np.array({np.asarray(self.weight).tolist()!r})")
            extra = ", sample_weight=c"
        if self.estimator == "separability":
            lines.append("v = ls.separability(X, y); print(v, v.verify(X, y))")
            return "\n".join(lines)
        given = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        given = given.replace("=inf", "=np.inf")
        lines.append(f"m = ls.{self.estimator}({given}).fit(X, y{extra}); c_ = m.certificate_")
        lines.append(f"print(c_, m.verify(X, y{extra}))")
        return "\n".join(lines)


# Certificates whose ``verify`` takes no weights: they name the rows that do not count.
UNWEIGHTED = ("Perceptron", "KernelPerceptron")
# Certificates whose ``verify`` takes sample weights times class weights.
TIMES_CLASS_WEIGHT = ("LogisticRegression", "LinearSVC", "SVC")


def _table(X: Any) -> str:
    if sparse.issparse(X):
        made = f"sparse.csr_array(np.array({X.toarray().tolist()!r}, dtype=np.{X.dtype}))"
        if X.indices.dtype == np.int64:
            made += "  # with int64 indices"
        return made
    return f"np.array({X.tolist()!r}, dtype=np.{X.dtype})"
