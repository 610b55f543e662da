"""What may be asked of a study, and what it tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .findings import Asked, Candidate


class Unsuited(ValueError):
    """The table, or what is asked of it, allows no comparison; the message says why."""


@dataclass(frozen=True)
class Options:
    """How to judge which models; None means: chosen by the table's size.

    rope : half the width of the region of practical equivalence; for rmse and mae as a share of
        the target's standard deviation
    budget : seconds; models that do not fit are left out, and the findings say so
    models : keys of candidates; all suitable ones by default
    ignore : codes of checks that are known and accepted
    asked : all of it as it was given, for the findings
    left_out : models that are not run, and why, when a study is repeated
    """

    metric: str | None = None
    folds: int | None = None
    repeats: int | None = None
    inner_folds: int = 3
    rope: float = 0.01
    level: float = 0.95
    seed: int = 0
    budget: float | None = 120.0
    models: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    command: str = ""
    python: str = ""
    asked: Asked = field(default_factory=Asked)
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """The study does something else now; ``seconds_left`` as far as it can tell."""

    words: str
    seconds_left: float | None = None


@dataclass(frozen=True)
class Started:
    """A model's first fold begins."""

    key: str
    title: str


@dataclass(frozen=True)
class Scored:
    """Fold ``fold`` of ``folds`` (from 1) has a score."""

    key: str
    fold: int
    folds: int
    score: float


@dataclass(frozen=True)
class Finished:
    """All folds of a model have a score."""

    key: str
    candidate: Candidate


@dataclass(frozen=True)
class LeftOut:
    """A model was not run, or not to its end."""

    key: str
    title: str
    why: str


Event: TypeAlias = Stage | Started | Scored | Finished | LeftOut
Watch: TypeAlias = Callable[[Event], None]
