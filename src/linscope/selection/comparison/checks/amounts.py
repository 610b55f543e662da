"""Are there enough rows: of each class, category and for each column?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .registry import Found, rule
from .subject import Subject
from .words import counted, listed, share

# The notes: positive to negative examples can be 1:10 or less.
IMBALANCED = 0.1
# Metrics that a model does not win by always answering the largest class.
FAIR = ("balanced_accuracy", "roc_auc", "f1")
FEW_IN_CLASS, FEW_ROWS = 10, 30
EVENTS_PER_COLUMN = 10
RARE = 5
MANY_DROPPED = 0.05


@rule(
    "LS141",
    "The classes are imbalanced",
    "warning",
    "One class has ten times the rows of another, or more: always answering it looks accurate.",
)
def imbalance(subject: Subject) -> Iterator[Found]:
    if not subject.classification or len(subject.classes) < 2:
        return
    counts = subject.counts
    small, large = int(counts.argmin()), int(counts.argmax())
    if counts[small] > IMBALANCED * counts[large]:
        return
    fair = subject.plan.metric in FAIR
    ratio = counts[large] / max(counts[small], 1)
    yield Found(
        f"There are {counts[small]:,} {subject.classes[small]!r} to {counts[large]:,} "
        f"{subject.classes[large]!r} (1 : {ratio:.0f}). Always answering "
        f"{subject.classes[large]!r} is right in {share(counts[large], subject.n)} of the rows "
        f"and never finds {subject.classes[small]!r}, so accuracy says little here.",
        f"{subject.plan.metric} counts classes alike; look at precision and recall too."
        if fair
        else "Judge by balanced accuracy (--metric balanced_accuracy), precision and recall.",
        level="note" if fair else None,
    )


@rule(
    "LS142",
    "A class is too small for the folds",
    "warning",
    "A class has fewer rows than there are folds: some folds are judged without it, and a model "
    "may be trained without it.",
)
def small_classes(subject: Subject) -> Iterator[Found]:
    if not subject.classification:
        return
    folds, inner = subject.plan.folds, subject.plan.inner_folds
    need = max(folds, int(np.ceil(inner * folds / max(folds - 1, 1))))
    small = np.flatnonzero(subject.counts < need)
    if len(small):
        named = [f"{subject.classes[k]!r} ({subject.counts[k]:,})" for k in small]
        yield Found(
            f"{listed(named)} {'has' if len(small) == 1 else 'have'} fewer than the {need} rows "
            f"that {folds} folds with {inner} inner ones need. Some folds are judged, or models "
            "are chosen, without that class.",
            f"Collect more rows, merge small classes, or use fewer folds (--folds "
            f"{max(2, int(subject.counts.min()))}).",
        )


@rule(
    "LS143",
    "There are few rows",
    "warning",
    "So few rows cannot tell models apart, and scores differ much from fold to fold.",
)
def few_rows(subject: Subject) -> Iterator[Found]:
    few = ""
    if subject.n < FEW_ROWS:
        few = f"There are {counted(subject.n, 'row')}"
    elif subject.classification and subject.counts.min() < FEW_IN_CLASS:
        k = int(subject.counts.argmin())
        few = f"There are {counted(int(subject.counts[k]), 'row')} of {subject.classes[k]!r}"
    if few:
        yield Found(
            f"{few}. One row more or less that is right changes a score by several per cent, so "
            "the intervals are wide and hardly any difference can be shown.",
            "Collect more rows before you choose by these scores.",
        )


@rule(
    "LS144",
    "There are few rows for each column",
    "note",
    "With fewer than ten rows of the rarer class (or ten rows, for a number) for each column, "
    "weights without a penalty are unreliable.",
)
def rows_for_each_column(subject: Subject) -> Iterator[Found]:
    d = subject.width
    events = int(subject.counts.min()) if subject.classification else subject.n
    if not d < subject.n or not d or events >= EVENTS_PER_COLUMN * d:
        return
    what = (
        f"{counted(events, 'row')} of the rarest class"
        if subject.classification
        else f"{events:,} rows"
    )
    yield Found(
        f"{what} for {counted(d, 'column')} that the models see: {events / d:.1f} for each, and "
        f"the usual rule asks for {EVENTS_PER_COLUMN}. Without a penalty, weights are unreliable.",
        "Trust models with a penalty more, and do not read single weights; or leave columns out "
        "(--drop).",
    )


@rule(
    "LS145",
    "There are more columns than rows",
    "warning",
    "A hyperplane can fit any targets exactly when there are as many columns as rows: without a "
    "penalty, a perfect fit means nothing.",
)
def more_columns_than_rows(subject: Subject) -> Iterator[Found]:
    n, d = subject.n, subject.width
    if d >= n:
        yield Found(
            f"The models see {counted(d, 'column')} in {counted(n, 'row')}. A hyperplane can then "
            "fit any targets without an error, whether there is something to learn or not.",
            "Believe only scores on held-out rows and models with a penalty; leave columns out "
            "(--drop) or collect more rows.",
        )


@rule(
    "LS146",
    "Categories are rare",
    "note",
    "Some categories have very few rows: their weights rest on them alone, or no training fold "
    "has seen them.",
)
def rare_categories(subject: Subject) -> Iterator[Found]:
    found, words = [], []
    for j in subject.question.categorical:
        texts = [str(text) for text in subject.question.categories[j]]
        values = subject.column(j)
        count = np.bincount(values[~np.isnan(values)].astype(int), minlength=len(texts))
        rare = np.flatnonzero((count > 0) & (count < RARE))
        if len(rare):
            found.append(subject.names[j])
            named = listed([repr(texts[k]) for k in rare[:3]], 3)
            words.append(f"{subject.names[j]}: {len(rare):,} of {len(texts):,} (such as {named})")
    if found:
        yield Found(
            f"Categories with fewer than {RARE} rows: {'; '.join(words[:3])}"
            f"{f'; and {len(words) - 3:,} more columns' if len(words) > 3 else ''}. A weight that "
            "rests on so few rows is a guess.",
            "Merge rare categories into one, such as 'other'.",
            found,
        )


@rule(
    "LS147",
    "Many rows were dropped",
    "warning",
    "Rows with missing values were left out: what is left may not be like the rest.",
)
def dropped_rows(subject: Subject) -> Iterator[Found]:
    dropped = int(subject.question.dropped or 0)
    if dropped > MANY_DROPPED * (subject.n + dropped):
        yield Found(
            f"{counted(dropped, 'row')} of {subject.n + dropped:,} "
            f"({share(dropped, subject.n + dropped)}) had missing values and were dropped. If "
            "values are missing for a reason, the scores hold for complete rows only.",
            "Fill them in instead: --missing impute.",
        )
