"""How the vectors of a voted or averaged perceptron decide about samples, as a table.

    voted      s = Σ_k c_k sign(w_k·x)
    averaged   s = Σ_k c_k (w_k·x)            ŷ = sign(s)

One row per vector; c_k are the visits that w_k survived.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.frames import to_backend
from linscope.data.tables import to_matrix
from linscope.reports.cells import number, text, vector, vectors
from linscope.reports.page import LongTable
from linscope.reports.table import Column, Row, Table, shortened
from linscope.tracing.fractions import fractions
from linscope.tracing.replay import WEIGHTS

# Samples side by side.
MOST_SAMPLES = 8
# Numbers of a sample that stands in a header.
MOST_NUMBERS = 5
# Scores of all vectors and samples.
MOST_SCORES = 20_000_000


class Votes(LongTable):
    """The vectors of a run, the visits they survived, and what they say of samples.

    Attributes
    ----------
    survival : c_k of each vector, the first weights first
    weights : w_k, one row each (the α of a kernel rule)
    scores : w_k·x, one row per vector and one column per sample
    votes : sign(w_k·x), or w_k·x for an averaged perceptron
    totals : s of each sample
    predicted : the labels
    """

    def __init__(self, replay: Any, tie: str, points: Any, names: Any) -> None:
        self._replay = replay
        n_samples = len(replay.y) if points is None else len(points)
        if (replay.n_updates + 1) * max(n_samples, replay.width) > MOST_SCORES:
            raise ValueError(
                f"{replay.n_updates + 1:,} vectors and {n_samples:,} samples are too many for a "
                "table: give a few points, or lower max_iter"
            )
        states = replay.states(0, replay.n_updates)
        self.survival, self.weights = replay.log.survival, replay.vectors(states)
        self.scores = _scores(replay, states, points)
        at_zero = -1 if tie == "negative" else 1
        self.votes = self.scores
        if replay.output == "voted":
            self.votes = np.where(self.scores > 0, 1, np.where(self.scores < 0, -1, at_zero))
        self.totals = self.survival @ self.votes
        positive = self.totals > 0 if tie == "negative" else self.totals >= 0
        problem = replay.problem
        rest = "rest" if len(problem.others) > 1 else problem.negative
        self.predicted = [problem.positive if yes else rest for yes in positive.tolist()]
        self._names = _names(replay, points, names)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per vector: ``k``, ``survival``, its weights, ``vote0`` … on the samples."""
        columns = {"k": np.arange(len(self.survival)), "survival": self.survival}
        columns |= {name: self.weights[:, j] for j, name in enumerate(self._replay.weight_names)}
        columns |= {f"vote{i}": vote for i, vote in enumerate(self.votes.T)}
        return to_backend(columns, backend)

    def __repr__(self) -> str:
        return f"<votes of {len(self.survival):,} vectors on {len(self.totals):,} samples>"

    def _table(self, most: int | None) -> Table:
        voted, names = self._replay.output == "voted", self._names[:MOST_SAMPLES]
        weights = [WEIGHTS] if self._replay.weight_names else []
        columns = [Column.formula("k"), Column.formula("c_k"), *weights]
        columns += [Column(name, right=True) for name in names]
        rows = shortened(0, len(self.survival), most, self._rows, len(columns))
        blank: list[Any] = [None] * len(weights)
        show = slice(len(names))
        rows.append(Row(["s", self.survival.sum(), *blank, *self.totals[show]], first=True))
        rows.append(Row(["ŷ", None, *blank, *map(_label, self.predicted[show])], update=True))
        what = "sign(w_k·x)" if voted else "w_k·x"
        said = [f"one column per sample: {what}; s = Σ c_k {what}, ŷ = sign(s)"]
        if len(self._names) > len(names):
            said.append(f"the first {len(names)} of {len(self._names):,} samples")
        kind = "voted" if voted else "averaged"
        return Table(f"{kind} perceptron: vectors, survivals, votes", said, columns, rows)

    def _rows(self, start: int, stop: int) -> list[Row]:
        votes = self.votes[start:stop, :MOST_SAMPLES]
        signs = self._replay.output == "voted"
        weights = vectors(self.weights[start:stop])
        rows = []
        for k in range(stop - start):
            said = ["+1" if v > 0 else "−1" for v in votes[k]] if signs else list(votes[k])
            own = [weights[k]] if self._replay.weight_names else []
            rows.append(Row([start + k, self.survival[start + k], *own, *said]))
        return rows


def _label(label: Any) -> str:
    return number(label) if isinstance(label, int | float) else str(label)


def _scores(replay: Any, states: Any, points: Any) -> np.ndarray:
    """w_k·x of every vector and sample; of the samples of the run if no others are given."""
    if points is None:
        return replay.unscaled(replay.y * replay.judged(states)[1])
    if not replay.weight_names:
        raise ValueError("only a linear kernel has weights that score new points: no points")
    matrix, _ = to_matrix(points)
    X = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    weights = replay.weights(states)
    slopes = weights[:, 1:] if replay.intercept else weights
    if X.shape[1] != slopes.shape[1]:
        raise ValueError(f"points has {X.shape[1]} features, but the fit had {slopes.shape[1]}")
    scores = slopes @ (fractions(X) if weights.dtype == object else X).T
    return scores + weights[:, :1] if replay.intercept else scores


def _names(replay: Any, points: Any, names: Any) -> list[str]:
    """What samples are called: by name, as augmented vectors, or by number."""
    if points is None and names is not None:
        return [str(name) for name in replay.given_names(np.arange(len(replay.y)), names)]
    one = [1] if replay.augmented else []
    if points is None:
        rows = [] if replay.X is None else replay.inputs(np.arange(len(replay.y)))
    else:
        rows = [[*one, *row] for row in np.asarray(points, dtype=object)]
    if len(rows) and len(rows[0]) <= MOST_NUMBERS:
        return [text(vector(row)) for row in rows]
    return [f"sample {i}" for i in range(len(replay.y) if points is None else len(rows))]
