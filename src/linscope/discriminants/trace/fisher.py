"""The derivation of Fisher's direction.

    w = S_W⁻¹ (m₂ − m₁)        S_W = Σ_k Σ_{i in class k} (x_i − m_k)(x_i − m_k)ᵀ
    J(w) = (w·m₂ − w·m₁)² / (s₁² + s₂²),      s_k² = Σ_{i in class k} (w·x_i − w·m_k)²

For K classes the directions are eigenvectors of S_W⁻¹ S_B, S_B = Σ_k n_k (m_k − m)(m_k − m)ᵀ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.reports.formulas import plain
from linscope.tracing.derivation_elimination import Elimination
from linscope.tracing.derivation_matrices import EliminationPart, MatrixPart
from linscope.tracing.derivation_numbers import gram, root, shown
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .classes import ClassSamples, ClassWork, scalar, unknowns

DIFFERENCE = r"\mathbf{m}_2 - \mathbf{m}_1"
SINGULAR = "S_W is singular: no class varies along some direction."


class FisherWork(ClassWork):
    """All numbers of the derivation: means, scatter, the direction and its criterion."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exact: bool):
        if model.priors is not None or model.shrinkage:
            raise ValueError(
                "a derivation shows the plain S_W: trace with priors=None and shrinkage=None"
            )
        d, K = model.n_features_in_, len(model.classes_)
        if exact and K > 2:
            raise ValueError(
                f"with {K} classes the directions are eigenvectors, which are not rational: "
                "exact=True needs two classes"
            )
        self.model, self.exact = model, exact
        self.data = ClassSamples(model, X, y, sample_weight, exact, unknowns=d)
        self._solve()
        if self.data.samples.rational and self.singular:
            if exact:
                raise ValueError(f"{SINGULAR} J has no unique maximum: leave out some features")
            self.data.in_floats()
            self._solve()

    def _solve(self) -> None:
        data = self.data
        parts = [data.of_class(k) for k in range(len(data.labels))]
        self.totals = [part.weights for part in parts]
        self.counts = [part.n for part in parts]
        self.means = np.array([part.means() for part in parts])
        self.scatters = [part.squares(mean) for part, mean in zip(parts, self.means, strict=True)]
        self.S_W = np.asarray(sum(self.scatters[1:], start=self.scatters[0]))
        system = Elimination(self.S_W, (self.means[1] - self.means[0])[:, None])
        self.singular = bool(system.dependent)
        solved = len(parts) == 2 and not self.model.mean_difference
        self.elimination = system if solved else None
        if len(parts) == 2:
            self.w = self._direction()

    def _direction(self) -> np.ndarray:
        if self.elimination is None:
            return self.means[1] - self.means[0]
        if self.data.samples.rational and not self.singular:
            return self.elimination.solution()[:, 0]
        # The fit has solved for n times this, to more digits than an elimination in floats.
        return self.model.coef_[0].astype(np.float64) / float(sum(self.totals))

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """One row per sample: its class, what was measured, its deviation, and where it falls."""
        data = self.data
        X = data.samples.rows(start, stop)[:, : data.samples.width]
        deviations = X - self.means[data.codes[start:stop]]
        out = {"class": data.classes_of(start, stop)}
        if data.samples.weight is not None:
            out["weight"] = data.samples.c(start, stop)[:, 0]
        out |= {name: X[:, j] for j, name in enumerate(data.names)}
        out |= {f"d{name}": deviations[:, j] for j, name in enumerate(data.names)}
        if len(data.labels) == 2:
            out["projection"] = X.dot(self.w)
        return out


def fisher(work: FisherWork, table: SampleTable, q: Quantities) -> list[Part]:
    """Add all quantities and return the parts that show them."""
    _classes(work, q)
    means = list(q)
    data, d = work.data, work.data.samples.width
    two = len(data.labels) == 2
    within = work.S_W if d > 1 else work.S_W[0, 0]
    deviation = r"(\mathbf{x}_i - \mathbf{m}_k)"
    q.add("S_W", "S_W", within, rf"\sum_i {data.c}{deviation}{deviation}^\top")
    heads = _heads(work)
    parts: list[Part] = [
        SamplesPart("deviations", "samples and their deviations from the class mean", table, heads)
    ]
    if not two:
        return [*parts, QuantitiesPart("means", "class means", means), *_many(work, q)]
    if d > 1 and work.model.mean_difference:
        parts.append(_matrix("S_W", "scatter within the classes S_W", work.S_W, work))
    start = len(q) if d > 1 else len(q) - 1
    q.add("difference", DIFFERENCE, scalar(work.means[1] - work.means[0]))
    _direction(work, q)
    first = QuantitiesPart("means", "class means", [*means, q["difference"]])
    solution = [step for step in list(q)[start:] if step.name != "difference"]
    if d > 1 and work.elimination is not None:
        parts.append(first)
        parts.append(
            EliminationPart(
                "elimination",
                "S_W w = m₂ − m₁, eliminated",
                work.elimination,
                unknowns(d),
                ["m₂ − m₁"],
                work.exact,
                [SINGULAR + " The direction below is that of the fit."] if work.singular else [],
            )
        )
    else:
        parts.insert(1, first)
    parts.append(QuantitiesPart("direction", "the direction and its criterion", solution))
    where = [Head("class"), Head("projection", r"\mathbf{w}\cdot\mathbf{x}")]
    return [*parts, SamplesPart("projection", "the samples along the direction", table, where)]


def _heads(work: FisherWork) -> list[Head]:
    names, heads = work.data.names, work.data.heads
    if len(names) == 1:
        return [*heads, Head("x", "x_i"), Head("dx", "x_i - m_k")]
    deviations = tuple(f"d{name}" for name in names)
    x = r"\mathbf{x}"
    return [*heads, Head(tuple(names), x), Head(deviations, rf"{x} - \mathbf{{m}}_k")]


def _classes(work: FisherWork, q: Quantities) -> None:
    c = work.data.c
    counts, kind = (work.totals, "weight") if c else (work.counts, "samples")
    for k, label in enumerate(work.data.labels, start=1):
        q.add(f"n_{k}", f"n_{{{k}}}", counts[k - 1], words=f"{kind} of class {label}")
        mean = rf"\frac{{1}}{{n_{{{k}}}}}\sum_{{i \in C_{{{k}}}}} {c}\mathbf{{x}}_i"
        symbol, words = rf"\mathbf{{m}}_{{{k}}}", f"their mean, {plain(mean)}"
        q.add(f"mean_{k}", symbol, scalar(work.means[k - 1]), mean, words=words)


def _direction(work: FisherWork, q: Quantities) -> None:
    w = work.w
    formula = DIFFERENCE if work.model.mean_difference else rf"S_W^{{-1}} ({DIFFERENCE})"
    q.add("w", r"\mathbf{w}", scalar(w), formula)
    along = {k: rf"\mathbf{{w}} \cdot \mathbf{{m}}_{k}" for k in (1, 2)}
    for k in (1, 2):
        q.add(f"projected_{k}", along[k], w.dot(work.means[k - 1]))
    for k in (1, 2):
        square = rf"(\mathbf{{w}} \cdot \mathbf{{x}}_i - {along[k]})^2"
        formula = rf"\sum_{{i \in C_{k}}} {work.data.c}{square}"
        q.add(f"s2_{k}", f"s_{k}^2", w.dot(work.scatters[k - 1]).dot(w), formula)
    within = w.dot(work.S_W).dot(w)
    if within > 0:
        between = w.dot(work.means[1] - work.means[0])
        q.add(
            "J",
            r"J(\mathbf{w})",
            between * between / within,
            rf"\frac{{({along[2]} - {along[1]})^2}}{{s_1^2 + s_2^2}}",
            r"\frac{(<projected_2> - <projected_1>)^2}{<s2_1> + <s2_2>}",
        )
    length = root(w.dot(w))
    if length:
        unit = np.array([float(v) for v in w]) / float(length)
        q.add("direction", r"\mathbf{w} / \|\mathbf{w}\|", unit)


def _many(work: FisherWork, q: Quantities) -> list[Part]:
    """K classes: the matrices, and the directions of the fit."""
    totals = np.array(work.totals, dtype=float)
    means = np.array(work.means, dtype=float)
    centre = totals @ means / totals.sum()
    S_B = gram((means - centre) * totals[:, None], means - centre)
    directions = work.model.scalings_
    m, between = r"\mathbf{m}", r"(\mathbf{m}_k - \mathbf{m})"
    q.add("mean", m, scalar(centre), rf"\frac{{1}}{{n}}\sum_k n_k {m}_k")
    q.add("S_B", "S_B", S_B, rf"\sum_k n_k {between}{between}^\top")
    q.add("directions", "W", directions, words="eigenvectors of S_W⁻¹ S_B")
    largest = work.model.criterion_
    q.add("J", r"J(\mathbf{w}_1)", largest, words="the largest eigenvalue")
    parts: list[Part] = []
    if work.data.samples.width > 1:
        parts.append(_matrix("S_W", "scatter within the classes S_W", work.S_W, work))
        parts.append(_matrix("S_B", "scatter between the classes S_B", S_B, work))
    columns = unknowns(directions.shape[1])
    parts.append(
        MatrixPart(
            "directions", "the directions, best first", directions, work.data.names, columns, "W"
        )
    )
    parts.append(QuantitiesPart("quality", "the criterion", [q["mean"], q["J"]]))
    return parts


def _matrix(name: str, title: str, matrix: np.ndarray, work: FisherWork) -> MatrixPart:
    names = work.data.names
    return MatrixPart(name, title, shown(matrix, work.exact), names, names, name)
