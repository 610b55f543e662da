"""The results of a comparison as a paragraph for a paper, with the works to cite."""

from __future__ import annotations

import numpy as np

from linscope.selection.comparison.advice import wording
from linscope.selection.comparison.findings import (
    LESS_IS_BETTER,
    Candidate,
    Difference,
    Findings,
    Score,
)
from linscope.validation.differences import compare_pair

from .words import verdict

REFERENCES = (
    "Benavoli, A., Corani, G., Demšar, J., & Zaffalon, M. (2017). Time for a change: a tutorial "
    "for comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning "
    "Research, 18(77), 1–36.",
    "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
    "Journal of Statistics, 6(2), 65–70.",
    "Nadeau, C., & Bengio, Y. (2003). Inference for the generalization error. Machine Learning, "
    "52(3), 239–281.",
)


def results_paragraph(findings: Findings) -> str:
    """What was compared, how it was judged, what came out; then the references, one a line."""
    sentences = [
        _compared(findings),
        _judged(findings),
        _headline(findings),
        *_recommended(findings),
        _how(findings),
    ]
    return " ".join(sentences) + "\n\n" + "\n".join(REFERENCES)


def _compared(findings: Findings) -> str:
    data, name = findings.data, findings.plan.metric
    judged = [one for one in findings.candidates if one.state == "finished" and name in one.scores]
    names = wording.listed(wording.model(one.title) for one in judged)
    features = sum(column.role == "feature" for column in data.columns)
    one_model = "1 model" if len(judged) == 1 else f"{len(judged)} models"
    columns = "1 column" if features == 1 else f"{features} columns"
    stopped = " (the study was stopped before its end)" if findings.partial else ""
    classes = ""
    if data.classes:
        parts = zip(data.classes, data.counts, strict=True)
        classes = f"; {', '.join(f'{label}: {count:,}' for label, count in parts)}"
    return (
        f"We compared {one_model} of {data.target} from {columns} ({data.rows:,} rows{classes})"
        f"{stopped}: {names}."
    )


def _judged(findings: Findings) -> str:
    plan = findings.plan
    rows = f"on average {plan.train:,} rows to fit and {plan.test:,} to test"
    apart = "".join(
        f", {what} {column}"
        for what, column in (("grouped by", plan.group), ("ordered by", plan.time))
        if column is not None
    )
    return (
        f"All were scored on the same folds ({plan.splits}{apart}; {rows}) by "
        f"{wording.metric(plan.metric)}; preparation and the choice of parameters "
        f"({plan.inner_folds} inner folds) were done anew in each fold, on its training rows alone."
    )


def _headline(findings: Findings) -> str:
    text = _with_interval(findings.headline.score, findings.plan.level)
    name = wording.metric(findings.plan.metric)
    return (
        f"The whole procedure, the choice of the model included, reached a mean {name} of {text}."
    )


def _recommended(findings: Findings) -> list[str]:
    """The recommended model, and its difference to the best one or, if it is that, to the next."""
    plan, advice = findings.plan, findings.recommendation
    by_key = {one.key: one for one in findings.candidates}
    own = by_key[advice.key]
    if plan.metric not in own.scores:
        return []
    title = wording.capital(wording.model(own.title))
    said = [
        f"{title}, the simplest model within {_amount(findings, plan.rope)} of the best, had a "
        f"mean {wording.metric(plan.metric)} of "
        f"{_with_interval(own.scores[plan.metric], plan.level)}."
    ]
    pairs = [pair for pair in findings.differences if own.key in (pair.a, pair.b)]
    able = [pair for pair in pairs if by_key[_other(pair, own)].family != "reference"]
    wanted = [pair for pair in able if advice.best in (pair.a, pair.b)] or able
    beyond = [pair for pair in pairs if pair not in able]
    # The best one, or the next after it: pairs are in the order of the means.
    chosen = wanted[:1] + beyond[:1]
    for number, pair in enumerate(chosen):
        said.append(_difference(findings, pair, by_key, explained=number == 0))
    return said


def _other(pair: Difference, own: Candidate) -> str:
    return pair.b if pair.a == own.key else pair.a


def _difference(
    findings: Findings, pair: Difference, by_key: dict[str, Candidate], *, explained: bool
) -> str:
    """In one sentence; the first one names the methods."""
    plan = findings.plan
    unit = 100 if plan.metric in wording.SHARES else 1
    first, second = (wording.model(by_key[key].title) for key in (pair.a, pair.b))
    test = "corrected resampled t-test (Nadeau & Bengio, 2003): " if explained else ""
    holm = f"{_p(pair.p_holm)} after Holm's (1979) correction for {len(findings.differences)} pairs"
    bayes = " (Bayesian correlated t-test; Benavoli et al., 2017)" if explained else ""
    better = "was better than" if verdict(pair) == "better" else "had a better mean than"
    return (
        f"{wording.capital(first)} {better} {second} by {_amount(findings, pair.mean)} "
        f"({_level(plan.level)} interval {_range(unit * pair.low, unit * pair.high)}; {test}"
        f"{_t(findings, pair, by_key)}, {_p(pair.p)}, {holm}); the probability that it is better "
        f"by more than {_amount(findings, plan.rope)} is {wording.chance(pair.better)}, that both "
        f"are practically equal {wording.chance(pair.equal)}, and that it is worse by more "
        f"{wording.chance(pair.worse)}{bayes}."
    )


def _t(findings: Findings, pair: Difference, by_key: dict[str, Candidate]) -> str:
    """t with its degrees of freedom, from the scores of the folds."""
    plan = findings.plan
    sign = -1 if plan.metric in LESS_IS_BETTER else 1
    a, b = (sign * np.asarray(by_key[key].scores[plan.metric].folds) for key in (pair.a, pair.b))
    t = compare_pair(a, b, train=plan.train, test=plan.test).t
    return f"t({len(a) - 1}) = {_minus(f'{t:.2f}')}"


def _how(findings: Findings) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in findings.versions.items())
    digest = f"; data SHA-256 {findings.data.sha256[:16]}…" if findings.data.sha256 else ""
    return f"Random seed {findings.plan.seed}; {versions}{digest}."


def _with_interval(score: Score, level: float) -> str:
    mean, low, high = map(wording.score, (score.mean, score.low, score.high))
    return f"{mean} ({_level(level)} interval {low} to {high})"


def _level(level: float) -> str:
    return f"{100 * level:.3g} %"


def _range(low: float, high: float) -> str:
    return f"{_minus(wording.digits(low))} to {_minus(wording.digits(high))}"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _p(value: float) -> str:
    return (
        "p < 0.001" if value < 0.001 else f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"
    )


def _amount(findings: Findings, difference: float) -> str:
    return wording.amount(difference, findings.plan.metric, findings.data.target)
