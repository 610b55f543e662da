"""The tables of a comparison: scores of all models, and differences of all pairs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from linscope.data.frames import to_backend
from linscope.reports.page import LongTable
from linscope.reports.table import Column, Row, Table, shortened
from linscope.selection.report import words

from ..findings import Candidate, Difference, Findings, Score
from .answer import interval


class ScoreTable(LongTable):
    """All models, the best first, with the scores of the metric and of those beside it."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        metric = findings.plan.metric
        left_out = [one for one in findings.candidates if metric not in one.scores]
        self.candidates = [*words.finished(findings), *left_out]

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        return str(self)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per model: its scores, the interval of the metric, times and state."""
        metric = self._findings.plan.metric
        rows = [self._record(one, metric) for one in self.candidates]
        return to_backend(_columns(rows), backend)

    def _record(self, one: Candidate, metric: str) -> dict[str, Any]:
        score = one.scores.get(metric)
        record: dict[str, Any] = {"key": one.key, "model": one.title, "family": one.family}
        mean, low, high = (np.nan,) * 3 if score is None else (score.mean, score.low, score.high)
        record |= {metric: mean, "low": low, "high": high}
        for other in self._others():
            record[other] = one.scores[other].mean if other in one.scores else np.nan
        record |= {"fit_seconds": one.fit_seconds, "predict_seconds": one.predict_seconds}
        return record | {"certified": one.certified, "fits": one.fits, "state": one.state}

    def _others(self) -> list[str]:
        plan = self._findings.plan
        return [name for name in plan.metrics if name != plan.metric]

    def _table(self, most: int | None) -> Table:
        findings = self._findings
        plan, data = findings.plan, findings.data
        columns = [Column("model"), Column(words.metric(plan.metric), right=True)]
        columns.append(Column(f"{words.percent(plan.level)} interval", right=True))
        columns += [Column(words.metric(name), right=True) for name in self._others()]
        columns += [Column("one fit", right=True)]
        rows = [self._row(one) for one in self.candidates]
        notes = [f"{plan.splits}; intervals corrected for folds that share rows"]
        width = len(columns)
        shown = shortened(0, len(rows), most, lambda a, b: rows[a:b], width)
        return Table(f"Models for {data.target} of {data.name}", notes, columns, shown)

    def _row(self, one: Candidate) -> Row:
        findings, metric = self._findings, self._findings.plan.metric
        recommended = one.key == findings.recommendation.key
        if metric not in one.scores:
            why = f"{one.state}: {one.why}" if one.why else one.state
            return Row([f"{one.title}, {why}", "", "", *[""] * len(self._others()), ""])
        score = one.scores[metric]
        places = words.decimals_for([score.high - score.low], most=3)
        cells = [one.title, words.fixed(score.mean, places), interval(score, places)]
        for name in self._others():
            other = one.scores.get(name)
            cells.append("–" if other is None else _mean(other))
        return Row([*cells, words.seconds(one.fit_seconds)], update=recommended)


class DifferenceTable(LongTable):
    """All pairs of models: by how much the first is better, and how sure that is."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._titles = {one.key: one.title for one in findings.candidates}

    def __len__(self) -> int:
        return len(self._findings.differences)

    def __repr__(self) -> str:
        return str(self)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per pair; positive means that ``a`` is better than ``b``."""
        return to_backend(_columns([asdict(one) for one in self._findings.differences]), backend)

    def _table(self, most: int | None) -> Table:
        plan = self._findings.plan
        columns = [Column("better mean"), Column("than")]
        heads = [
            "by",
            f"{words.percent(plan.level)} interval",
            "p (Holm)",
            "P better",
            "equal",
            "worse",
        ]
        columns += [Column(head, right=True) for head in heads]
        rows = [self._row(one) for one in self._findings.differences]
        within = f"practically equal: within ±{plan.rope:.3g}"
        notes = [f"differences in {words.metric(plan.metric)}; {within}"]
        shown = shortened(0, len(rows), most, lambda a, b: rows[a:b], len(columns))
        return Table("Differences between the models, pair by pair", notes, columns, shown)

    def _row(self, one: Difference) -> Row:
        places = words.decimals_for([one.high - one.low])
        ends = Score(one.mean, one.low, one.high, ())
        cells = [self._titles.get(one.a, one.a), self._titles.get(one.b, one.b)]
        cells += [words.fixed(one.mean, places), interval(ends, places), words.p_value(one.p_holm)]
        return Row([*cells, *map(words.probability, (one.better, one.equal, one.worse))])


def _columns(records: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    names = records[0] if records else ()
    return {name: np.array([record[name] for record in records]) for name in names}


def _mean(score: Score) -> str:
    return words.fixed(score.mean, words.decimals_for([score.high - score.low], most=3))
