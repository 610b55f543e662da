"""What a comparison found, as plain values.

A study makes one :class:`Findings`. The page, the terminal's answer, the notebook's view and the
JSON twin are made of it and of nothing else, so that whoever recomputes the findings has checked
all of them. Every field is text, a number, a truth value, None, a tuple or a dict of those, or
another class that can be imported from this file.

Differences and probabilities are written so that *positive means better*, whatever the metric.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from linscope._printable import printable
from linscope.data.kinds import Column as Column
from linscope.validation.differences import LESS_IS_BETTER as LESS_IS_BETTER
from linscope.validation.differences import Difference as Difference


@dataclass(frozen=True)
class Data:
    """The table.

    task : "two classes", "classes" or "number"
    classes, counts : in the order of the models; of two the positive one is the second
    rows : used; dropped : rows left out because values were missing
    missing : "none", "drop" or "impute"
    encoded : how many columns the models see
    sha256 : of the columns and the target as read
    """

    name: str
    rows: int
    dropped: int
    columns: tuple[Column, ...]
    target: str
    task: str
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    positive: str | None
    missing: str
    encoded: int
    sha256: str


@dataclass(frozen=True)
class Plan:
    """How models were judged.

    splits : in words, such as "5 stratified folds, 4 times"
    train, test : rows of a fold, on average
    rope : half the width of the region of practical equivalence, in units of the metric
    """

    metric: str
    metrics: tuple[str, ...]
    splits: str
    folds: int
    repeats: int
    inner_folds: int
    train: int
    test: int
    rope: float
    level: float
    seed: int
    budget: float | None
    group: str | None = None
    time: str | None = None
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Score:
    """A metric over the outer folds: its mean, the corrected interval, the value of each fold."""

    mean: float
    low: float
    high: float
    folds: tuple[float, ...]


@dataclass(frozen=True)
class Candidate:
    """One model of the study.

    simplicity : rank, 0 is the simplest
    family : "baseline", "linear", "kernel" or "reference" (not linear, to compare with)
    readable : its weights can be read
    state : "finished", "partial" or "left out"; why : in words, for the last two
    scores : by metric; metrics that it cannot have (no probabilities) are not there
    chosen : parameters found by the inner search, for each outer fold
    edges : how often the inner search ended at an edge, by parameter: (low, high)
    seconds : of one fit with its search; fit_seconds : of the last fit alone;
    predict_seconds : for 1,000 rows (medians over the folds; measured, so never recomputed)
    fits, certified : how many fits of outer folds, and how many of them carry an ok certificate
    """

    key: str
    title: str
    estimator: str
    family: str
    simplicity: int
    readable: bool
    state: str
    why: str
    scores: dict[str, Score]
    chosen: tuple[dict[str, Any], ...]
    edges: dict[str, tuple[int, int]]
    seconds: float
    fit_seconds: float
    predict_seconds: float
    fits: int
    certified: int


@dataclass(frozen=True)
class Headline:
    """The score of the whole procedure, the choice of the model included.

    chosen : key of the candidate that each outer fold chose by its own training rows
    naive : the mean of the best candidate's own score, which is too good
    """

    score: Score
    chosen: tuple[str, ...]
    naive: float


@dataclass(frozen=True)
class Flip:
    """What would change the recommendation: a kind (rope, metric, cost, rows), where, to which."""

    kind: str
    at: str
    to: str
    words: str


@dataclass(frozen=True)
class Recommendation:
    """The simplest model that is practically equal to the best.

    answer : one sentence; reasons : sentences
    linear : "yes", "no" or "unclear" to the question whether linear is enough; linear_words : why
    """

    key: str
    best: str
    answer: str
    reasons: tuple[str, ...]
    linear: str
    linear_words: str
    flips: tuple[Flip, ...]

    def __str__(self) -> str:
        changes = [f"What would change it: {flip.words}" for flip in self.flips]
        lines = [self.answer, *self.reasons, self.linear_words, *changes]
        return printable("\n".join(lines), "\n")


@dataclass(frozen=True)
class Check:
    """A finding about the data or the fits.

    code : such as "LS101"; level : "problem", "warning" or "note"
    columns, rows : which ones, at most ten of each
    """

    code: str
    level: str
    title: str
    words: str
    advice: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    ignored: bool = False


@dataclass(frozen=True)
class Curve:
    """Scores of a candidate trained on more and more rows, on the same held-out rows."""

    key: str
    sizes: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Coefficient:
    """Of a column that the model sees, in the units of the table where that is possible.

    effect : of one standard deviation more of a number, of yes instead of no, or of a category
    ratio : odds ratio, for logistic regression; low, high : interval of the value, where valid
    """

    name: str
    value: float
    effect: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class Final:
    """The recommended model, refitted on all rows.

    parameters : those chosen by a search over all rows
    equation : the hyperplane in words, where the model has one
    coefficients : by size of their effect; empty for models that are not readable
    inference : why there are intervals, or why there are none
    summary : the printed summary, where the model has one
    certificate : status, ok, claim in words, gap and what else it holds, as text and numbers
    """

    key: str
    title: str
    parameters: dict[str, Any]
    equation: str
    coefficients: tuple[Coefficient, ...]
    inference: str
    summary: str
    certificate: dict[str, Any]


@dataclass(frozen=True)
class AgainstRest:
    """One class against all others, of predictions for held-out rows.

    rows : held-out rows of the class
    auc, average : area under the ROC curve, average precision; None if no such row was held out
    roc, pr, calibration : as in ``Panels``, the areas apart; empty if the class is not drawn, and
        calibration if the model has no probabilities
    """

    label: str
    rows: int
    auc: float | None
    average: float | None
    roc: dict[str, tuple[float, ...]] = field(default_factory=dict)
    pr: dict[str, tuple[float, ...]] = field(default_factory=dict)
    calibration: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Panels:
    """Arrays for the figures, of predictions for held-out rows by the recommended model.

    confusion : rows actual, columns predicted, in the order of ``Data.classes`` (first repeat)
    roc : {"fpr", "tpr", "auc"}; pr : {"recall", "precision", "average"}, of two classes
    calibration : {"predicted", "observed", "low", "high", "count"}, Clopper–Pearson bands
    residuals : {"fitted", "residual", "quantile"}, at most 2,000 rows
    decision : for two features {"kind": "regions", "x", "y", "class", "points", "labels", names},
        for more and two classes {"kind": "projection", "scores", "labels"}, the boundary at 0; for
        more classes {"kind": "plane", "points", "labels", "names"}
    against_rest : with more than two classes each of them against the others
    macro : {"auc", "average"}, their means over all classes
    Empty where the task has no such figure.
    """

    confusion: tuple[tuple[int, ...], ...] = ()
    roc: dict[str, Any] = field(default_factory=dict)
    pr: dict[str, Any] = field(default_factory=dict)
    calibration: dict[str, Any] = field(default_factory=dict)
    residuals: dict[str, Any] = field(default_factory=dict)
    decision: dict[str, Any] = field(default_factory=dict)
    against_rest: tuple[AgainstRest, ...] = ()
    macro: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a comparison was asked, by the names of the command line; defaults where nothing was.

    target : None where the values to predict came apart from the table
    budget : as people write it, such as "2m" or "none"
    sheet : of an Excel file
    """

    target: str | None = None
    positive: str | None = None
    task: str | None = None
    missing: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None
    metric: str | None = None
    models: tuple[str, ...] = ()
    folds: int | None = None
    repeats: int | None = None
    rope: float = 0.01
    level: float = 0.95
    budget: str = "2m"
    ignore: tuple[str, ...] = ()
    seed: int = 0
    sheet: str | None = None


@dataclass(frozen=True)
class Findings:
    """Everything that a comparison found.

    command, python : how to make it again; without a command it was made of arrays in Python
    asked : the options of both, as values
    versions : of linscope, Python and the libraries that matter
    seconds : what it took; partial : it was stopped before its end
    """

    data: Data
    plan: Plan
    candidates: tuple[Candidate, ...]
    differences: tuple[Difference, ...]
    headline: Headline
    recommendation: Recommendation
    checks: tuple[Check, ...]
    curves: tuple[Curve, ...]
    final: Final
    panels: Panels
    command: str
    python: str
    versions: dict[str, str]
    seconds: float
    partial: bool = False
    asked: Asked = field(default_factory=Asked)
