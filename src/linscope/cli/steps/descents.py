"""What stands under the steps of a regression, a logistic regression and an SVM."""

from __future__ import annotations

from typing import Any

from ..figures import named
from ..formula import hyperplane, number, score, weighted_sum
from ..options import words_of
from ..screen import Pairs
from ..tables.source import Source
from .traced import Telling

MOST_EQUATIONS = 6


def _line(run: Any, source: Source, steps: str) -> Pairs:
    """The equation and the certificate of a regression."""
    pairs = [("equation", _equation(run, source)), *([("steps", steps)] if steps else [])]
    return [*pairs, ("certificate", run.estimator.certificate_.text)]


def _equation(run: Any, source: Source) -> str:
    model = run.estimator
    bias, slopes = model.intercept_.item() if model.fit_intercept else 0.0, model.coef_.tolist()
    if run.exact and not hasattr(run, "n_updates"):
        names = run.steps.names
        bias = run.steps["intercept"].value if "intercept" in names else 0
        slopes = [run.steps["slope"].value] if "slope" in names else run.steps["slopes"].value
    terms = weighted_sum(zip(slopes, source.features, strict=True))
    if bias == 0:
        return f"{source.target} = {terms}"
    join = "" if terms == "0" else f" − {terms[1:]}" if terms.startswith("−") else f" + {terms}"
    return f"{source.target} = {number(bias)}{join}"


def _after_a_line(run: Any, source: Source, given: dict[str, Any]) -> Pairs:
    if source.X is None:
        return [(f"linscope diagnose {source.words}", "the regression table from the moments")]
    kept = {name: v for name, v in given.items() if name in ("alpha", "fit_intercept")}
    again = f"linscope trace regression {source.words} {words_of(kept)}".rstrip()
    if hasattr(run, "n_updates"):
        return [(again, "the minimum in closed form, every quantity of it")]
    origin = "" if given.get("fit_intercept", True) else " --no-fit-intercept"
    return [
        (f"{again} --solver stochastic", "the same line by gradient descent, sample by sample"),
        (
            f"linscope diagnose {source.words}{origin}",
            "standard errors, tests and the five assumptions",
        ),
    ]


def _probabilities(run: Any, source: Source, steps: str) -> Pairs:
    """The equations and the certificate of a logistic regression."""
    model, certificate = run.estimator, run.estimator.certificate_
    found = model.equation()
    names = list(found) if isinstance(found, dict) else [""]
    pairs = []
    for name, bias, slopes in zip(names, model.intercept_, model.coef_, strict=True):
        text = _rule([bias, *slopes], source, model, name)
        pairs.append((f"equation {name}".rstrip(), text))
    if len(pairs) > MOST_EQUATIONS:
        pairs = [*pairs[:MOST_EQUATIONS], ("", f"… {len(pairs)} equations in all")]
    if len(model.classes_) == 2 or model.multi_class == "softmax":
        pairs.append(("log likelihood", f"l(W) = {number(model.log_likelihood())}"))
    pairs += [("steps", steps), ("certificate", certificate.text)]
    return pairs + ([("separation", certificate.separation)] if certificate.separation else [])


def _rule(weights: list[Any], source: Source, model: Any, name: Any) -> str:
    """What ``predict`` does with these weights."""
    if len(model.classes_) == 2:
        positive = source.class_name(model.classes_[1].item())
        return f"{hyperplane(weights, source.features, '>')} ⇒ {positive}"
    text, parts = score(weights, source.features), model.certificate_.parts
    positive, negative = parts[name].side if name in parts else (name, None)
    if negative is not None:
        return f"σ({text}) for {positive}, the rest of 1 for {negative}; the largest sum"
    return f"{text} is the largest of {len(model.classes_)} ⇒ {positive}"


def _after_probabilities(run: Any, source: Source, given: dict[str, Any]) -> Pairs:
    again = f"linscope trace perceptron {source.words}"
    return [(again, "the same update with a step in place of σ")]


def _support(run: Any, source: Source, steps: str) -> Pairs:
    """The equation, w and b, the margin and the support vectors of each problem, and the slack."""
    model = run.estimator
    pairs = [("steps", steps), *run.answer]
    if len(model.classes_) == 2:
        return [*pairs, ("slack", f"Σξ = {number(model.slack_[0].sum())}")]
    count = f"{len(model.support_)} of {model.alphas_.shape[1]} samples"
    return [*pairs, ("support vectors of all", count)]


def _after_support(run: Any, source: Source, given: dict[str, Any]) -> Pairs:
    model = run.estimator
    if len(model.classes_) > 2 or model.kernel == "linear":
        return []
    again = f"linscope trace svm {source.words} --kernel linear"
    return [(again, "the same with a straight boundary")]


def _way(run: Any, source: Source, which: dict[str, Any]) -> Any:
    return run.plot(**which)


def _margin(run: Any, source: Source, which: dict[str, Any]) -> Any:
    from linscope import plot

    draw = plot.margin if len(run.estimator.classes_) == 2 else plot.boundary
    return draw(run.estimator, named(source.X, source.features), source.labels())


REGRESSION = Telling("Regression", _line, _after_a_line, _way)
LOGISTIC = Telling("Logistic regression", _probabilities, _after_probabilities, _way)
SVM = Telling("Support vector machine", _support, _after_support, _margin, unit="steps", apart=True)
