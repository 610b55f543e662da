"""The derivation of a line or plane by least squares, as on the slides of the notes.

    β̂ = (S_xx + αI)⁻¹ S_xy        S_xx = Σ c_i (x_i − x̄)(x_i − x̄)ᵀ,  S_xy = Σ c_i (x_i − x̄)(y_i − ȳ)
    β̂₀ = ȳ − β̂·x̄

Without intercept x̄ = 0 and ȳ = 0. With one feature this is β̂₁ = S_xy / S_xx.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from linscope.fitting.targets import read_regression
from linscope.tracing.derivation_elimination import Elimination
from linscope.tracing.derivation_numbers import Samples, read_samples, shown
from linscope.tracing.fractions import rational


class RegressionWork:
    """All numbers of the derivation.

    Attributes
    ----------
    samples : the table, in fractions or floats
    centre : means of the features and of y; 0 without intercept
    S : sums of squares and products about the centre, of the features and y together
    elimination : the normal equations
    slopes, intercept : the solution
    target : the name of y
    lost : why the elimination cannot be trusted to all digits, or ""
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exact: bool):
        training = read_regression(model, X, y, sample_weight, reset=False)
        if training.Y.shape[1] > 1:
            raise ValueError(
                f"y has {training.Y.shape[1]} targets, and a derivation shows one: pass one column"
            )
        self.model, self.exact, self.target = model, exact, training.targets[0]
        d = training.X.shape[1]
        self.rows = np.arange(training.X.shape[0]) if training.rows is None else training.rows
        given = _as_given(y, training.Y, self.rows) if exact else training.Y
        self.centred = bool(model.fit_intercept)
        options: dict[str, Any] = {"exact": exact, "unknowns": d}
        self.samples = read_samples(training.X, given, training.weight, **options)
        self._solve()
        if (
            not exact
            and self.samples.rational
            and len(self.elimination.dependent) != d - model.certificate_.columns_in_use
        ):
            # The fit leaves out columns that depend on others but for rounding.
            self.samples = read_samples(training.X, given, training.weight, rough=True, **options)
            self._solve()

    @property
    def width(self) -> int:
        return self.samples.width

    def _solve(self) -> None:
        d, samples = self.width, self.samples
        self.means = samples.means()
        self.centre = self.means if self.centred else self.means * 0
        self.S = samples.squares(self.centre)
        A = self.S[:d, :d].copy()
        self.alpha = penalty(self.model, samples, self.exact)
        A[np.diag_indices(d)] = A.diagonal() + self.alpha
        self.elimination = Elimination(A, self.S[:d, d:])
        self.slopes = self.elimination.solution()[:, 0]
        self.intercept = self.centre[d] - self.slopes.dot(self.centre[:d])
        self.lost = ""
        if not samples.rational:
            self._trust_the_fit()

    def _trust_the_fit(self) -> None:
        """Take the weights of the fit, which are right where an elimination in floats is not."""
        fitted = self.model.result_.weights[0]
        size = np.abs(fitted[1:]).max(initial=0.0)
        wrong = np.abs(self.slopes - fitted[1:]).max(initial=0.0) / (size or 1.0)
        if wrong > 1e-6:
            self.lost = (
                "This elimination in floats loses digits; the weights below are those of the fit."
            )
        self.intercept, self.slopes = fitted[0], fitted[1:]

    @property
    def solution(self) -> Any:
        """Intercept and slopes in fractions; None where those of the model are as good."""
        return [[self.intercept, *self.slopes]] if self.exact else None

    def warnings(self) -> list[str]:
        """What a reader of the elimination should know."""
        said = [self.lost] if self.lost else []
        dependent = self.elimination.dependent
        for j in dependent:
            flat = self.elimination.A[j, j] == 0
            said.append(f"x{j + 1} " + ("does not vary." if flat else "depends on earlier ones."))
        if dependent:
            said.append("Many weights fit equally well: the shortest are taken.")
        return said

    @property
    def names(self) -> list[str]:
        """x, or x1 … xd, and y."""
        return [*(["x"] if self.width == 1 else [f"x{j + 1}" for j in range(self.width)]), "y"]

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """One row per sample: what was measured, its deviations, the fit and what it leaves."""
        d, samples = self.width, self.samples
        z = samples.rows(start, stop)
        c, dz = samples.c(start, stop)[:, 0], z - self.centre
        out = {"weight": c} if samples.weight is not None else {}
        out |= {name: z[:, j] for j, name in enumerate(self.names)}
        sign = "d" if self.centred else ""
        out |= {f"{sign}{name}": dz[:, j] for j, name in enumerate(self.names)}
        if d == 1:
            dx, dy = dz.T
            out |= {f"{sign}x{sign}y": c * dx * dy, f"{sign}x2": c * dx * dx}
            out |= {f"{sign}y2": c * dy * dy}
        residual = dz[:, d] - dz[:, :d].dot(self.slopes)
        out |= {"fitted": z[:, d] - residual, "residual": residual}
        return out | {"residual2": c * residual * residual}

    def columns_of(self, names: list[str]) -> np.ndarray:
        """Some of the columns for all samples, as an array."""
        found = self.columns(0, self.samples.n)
        return shown(np.column_stack([found[name] for name in names]), self.exact)

    @property
    def rss(self) -> Any:
        """Σ c_i (y_i − ŷ_i)²; in fractions S_yy − 2 S_xy·β̂ + β̂ᵀ S_xx β̂, which is the same."""
        if not self.samples.rational:
            return self.sums["residual2"]
        away = np.append(-self.slopes, 1)
        return away.dot(self.S).dot(away)

    @cached_property
    def sums(self) -> dict[str, Any]:
        """The sums of the columns; of weighted samples only where the weight is in the column."""
        samples, d = self.samples, self.width
        sign = "d" if self.centred else ""
        sums = samples.total(
            lambda start, stop: np.array([v.sum() for v in self.columns(start, stop).values()])
        )
        found = dict(zip(self.columns(0, 1), sums, strict=True))
        if samples.weight is not None:
            kept = ["weight", "residual2"]
            kept += [f"{sign}x{sign}y", f"{sign}x2", f"{sign}y2"] if d == 1 else []
            return {name: found[name] for name in kept}
        if self.centred and not samples.rational:  # floats would leave some rounding
            zero = [*(f"d{name}" for name in self.names), "residual"]
            found |= dict.fromkeys(zero, 0.0)
        return found


def penalty(model: Any, samples: Samples, exact: bool) -> Any:
    """The strength α of a ridge penalty in the numbers of the table."""
    alpha = getattr(model, "alpha", 0.0)
    if not samples.rational:
        return float(alpha)
    return rational(alpha) if exact else Fraction(float(alpha))


def _as_given(y: Any, read: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """y in its own type, so that a float32 is read as its own shortest decimal."""
    given = np.asarray(y)
    single = given.dtype.kind == "f" and given.dtype.itemsize < 8
    return given.reshape(len(given), -1)[rows] if single else read
