"""What stands under a table of steps: the equation, the certificate, and what to try next."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from .options import words_of
from .screen import facts, hints, paragraph
from .source import Source

MOST_PROBLEMS = 6
# The bound needs the maximum margin; on larger data it would take longer than the fit.
MOST_NUMBERS_FOR_BOUND = 20_000


def show_ending(out: Console, trace: Any, source: Source, given: dict[str, Any]) -> None:
    """The answer of a traced perceptron and how good it is."""
    model = trace.estimator
    certificate = model.certificate_
    facts(out, [*_answer(model, source), *_claims(trace, source)], indent=0)
    check = certificate.verify(source.X, source.labels())
    paragraph(out, str(check), style="green" if check else "red")
    hints(out, _next(trace, source, given))


def _answer(model: Any, source: Source) -> list[tuple[str, str]]:
    if hasattr(model, "support_"):
        return _kernel_answer(model, source)
    if model.output == "voted":
        count = sum(len(committee.steps) + 1 for committee in model.committees_)
        return [("answer", f"{count:,} weight vectors vote, each with the visits it survived")]
    from ..estimators.base import equation

    parts = model.certificate_.parts or {"": model.certificate_}
    pairs = []
    for name, part in list(parts.items())[:MOST_PROBLEMS]:
        text = equation(part.weights, source.features, source.class_name(part.positive))
        pairs.append((f"equation {name}".rstrip(), text))
    if len(parts) > MOST_PROBLEMS:
        pairs.append(("", f"… {len(parts)} equations in all"))
    return pairs


def _kernel_answer(model: Any, source: Source) -> list[tuple[str, str]]:
    names = [source.sample_name(row) for row in model.support_.tolist()]
    if model.output == "voted" or len(model.dual_coef_) > 1 or len(names) > MOST_PROBLEMS:
        return [("answer", f"{len(names):,} samples have a coefficient α other than 0")]
    pairs = [
        (f"·K({name}, x)", alpha) for name, alpha in zip(names, model.dual_coef_[0], strict=True)
    ]
    pairs += [("", model.intercept_[0])] if model.intercept_[0] else []
    score = ""
    for text, value in pairs:
        sign = ("−" if not score else " − ") if value < 0 else (" + " if score else "")
        score += f"{sign}{abs(value):.6g}{text}"
    positive = source.class_name(model.classes_[1].item())
    return [("equation", f"{score or 0} > 0 ⇒ {positive}")]


def _claims(trace: Any, source: Source) -> list[tuple[str, str]]:
    certificate = trace.estimator.certificate_
    parts = certificate.parts
    if not parts:
        visits = "visit" if trace.estimator.rule == "single" else "batch"
        counts = f"{_count(len(trace.steps), visits)}, {_count(certificate.updates, 'update')}"
        claim = f"{_claim(certificate)} ({counts})"
        return [("certificate", claim), *_bound(certificate, source)]
    pairs = [("certificate", str(certificate.status))]
    for name, part in list(parts.items())[:MOST_PROBLEMS]:
        pairs.append(("", f"{name}: {_claim(part)} ({_count(part.updates, 'update')})"))
    return pairs


def _claim(part: Any) -> str:
    wrong = f": {_count(part.mistakes, 'sample')} misclassified" if part.mistakes else ""
    return f"{part.status}{wrong}"


def _count(number: int, one: str) -> str:
    ending = "" if number == 1 else "es" if one.endswith("ch") else "s"
    return f"{number:,} {one}{ending}"


def _bound(certificate: Any, source: Source) -> list[tuple[str, str]]:
    """The theorem's bound where it holds and is quick to compute, or why it does not hold."""
    small = source.X.shape[0] * source.X.shape[1] <= MOST_NUMBERS_FOR_BOUND
    if certificate.mistakes or not small or not hasattr(certificate, "bound"):
        return []
    if certificate.no_bound:
        return [("theorem", f"the bound R²/γ² is not claimed here: {certificate.no_bound}")]
    try:
        bound = certificate.bound(source.X, source.labels())
    except ValueError:  # separated by the tie rule alone
        return []
    return [
        ("theorem", f"at most R²/γ² = {bound:.6g} updates, and {certificate.updates} were made")
    ]


def _next(trace: Any, source: Source, given: dict[str, Any]) -> list[tuple[str, str]]:
    from ..results import Status

    model, kernel = trace.estimator, hasattr(trace.estimator, "kernel")
    separate = f"linscope separate {source.words}"
    model_name = "kernel-perceptron" if kernel else "perceptron"

    def again(**changed: Any) -> str:
        options = words_of({**given, **changed})
        return f"linscope trace {model_name} {source.words} {options}"

    status = model.certificate_.status
    if status is Status.SEPARATED_BY_TIE and model.tie != "update":
        first = [(again(tie="update"), "count score 0 as a mistake, for a strict separation")]
    elif status.ok or model.output != "last":
        first = []
    else:
        first = [(again(output="pocket"), "the best vector met on the way; or averaged, or voted")]
        if trace.n_updates > 16 and not kernel and source.X.shape[1] <= 2:
            begin = min(900, trace.n_updates - 15)
            command = f"{again()} --updates {begin}:{begin + 15} --plot solutions.png"
            first.append((command.replace("  ", " "), "some solutions are good and some are not"))
    if kernel:
        return [*first, (separate, "and without the kernel: is there a separating hyperplane?")]
    if status.ok:
        return [*first, (separate, "the widest margin, and how many updates the theorem allows")]
    return [(separate, "is there a separating hyperplane at all? with proof"), *first]
