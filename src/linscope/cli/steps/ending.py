"""What stands under the steps of a perceptron: the answer, its certificate, what to try next."""

from __future__ import annotations

from typing import Any

from ..errors import BadInput
from ..figures import named
from ..formula import bound_text, hyperplane, number, score, weighted_sum
from ..options import words_of
from ..screen import Pairs
from ..tables.source import Source
from .traced import ShowOptions, Telling

MOST_PROBLEMS = 6
# Of a longer run, votes and distances are not listed.
MOST_VECTORS = 100
SINGLE_ANSWERS = ("averaged", "voted", "pocket")
# Bound and verdict need a proof; on larger data it would take longer than the fit.
MOST_NUMBERS_FOR_PROOF = 20_000


def _ending(trace: Any, source: Source, steps: str) -> Pairs:
    """The answer of a traced perceptron and how good it is; it counts its steps itself."""
    model = trace.estimator
    return [*_answer(model, source), *_vote(model, source), *_claims(trace, source)]


def settings(from_notes: list[str], given: dict[str, Any]) -> Pairs:
    """Which settings are those of the notes' run, and which were given."""
    pairs = [("of the notes", ", ".join(from_notes))] if from_notes else []
    options = ", ".join(_option(*item) for item in given.items())
    return [*pairs, *([("your options", options)] if given else [])]


def _option(name: str, value: Any) -> str:
    from linscope.reports.cells import text, vector

    return f"{name} {text(vector(value)) if isinstance(value, list) else value}"


def check_drawable(estimator: Any, source: Source, solutions: bool) -> None:
    """Refuse, before any work, what has no figure: the path of the weights, or ``solutions``."""
    source.check_drawable()
    if not solutions:
        return
    if hasattr(estimator, "kernel"):
        raise BadInput("--plot with --updates draws lines, which a kernel perceptron has not")
    if len(set(source.y.tolist())) > 2:
        raise BadInput(f"--plot with --updates needs 2 classes, {source.name} has more")


def _figure(trace: Any, source: Source, which: dict[str, Any]) -> Any:
    from linscope import plot

    model, X, y = trace.estimator, named(source.X, source.features), source.labels()
    if which:
        first, last = which["updates"]
        updates = range(first, min(last, trace.n_updates) + 1)
        others = _other_answers(model, source.X, y)
        return plot.solutions(trace, X, y, updates=updates, also=others, tie=model.tie)
    if hasattr(model, "kernel") or len(model.classes_) > 2:
        return plot.boundary(model, X, y)
    return plot.path_of_boundaries(X, y, trace)


def _other_answers(model: Any, X: Any, y: Any) -> list[tuple[str, Any]]:
    """The same run summed up in other ways, where its rule allows."""
    from sklearn.base import clone

    answers = [name for name in SINGLE_ANSWERS if model.rule == "single" or name != "voted"]
    return [(name, clone(model).set_params(output=name).fit(X, y)) for name in answers]


def _answer(model: Any, source: Source) -> Pairs:
    if hasattr(model, "support_"):
        return _kernel_answer(model, source)
    if model.output == "voted":
        count = sum(len(committee.steps) + 1 for committee in model.committees_)
        return [("answer", f"{count:,} weight vectors vote, each with the visits it survived")]
    parts = model.certificate_.parts or {"": model.certificate_}
    pairs = []
    for name, part in list(parts.items())[:MOST_PROBLEMS]:
        text = _rule(part, source, len(parts))
        pairs.append((f"equation {name}".rstrip(), text))
    if len(parts) > MOST_PROBLEMS:
        pairs.append(("", f"… {len(parts)} equations in all"))
    return pairs


def _vote(model: Any, source: Source) -> Pairs:
    """How a committee does; its certificate is about the last of its vectors."""
    if model.output != "voted":
        return []
    y = source.labels()
    wrong = int((model.predict(source.X) != y).sum())
    return [("vote", f"{wrong:,} of {len(y):,} samples misclassified")]


def _rule(part: Any, source: Source, n_problems: int) -> str:
    """What ``predict`` does with this hyperplane."""
    positive = source.class_name(part.positive)
    if len(part.others) > 1:
        return f"{score(part.weights, source.features)} is the largest of {n_problems} ⇒ {positive}"
    side = hyperplane(part.weights, source.features, "≥" if part.tie == "positive" else ">")
    if n_problems > 1:
        return f"{side} ⇒ a vote for {positive}, else for {source.class_name(part.negative)}"
    return f"{side} ⇒ {positive}"


def _kernel_answer(model: Any, source: Source) -> Pairs:
    names = [source.sample_name(row) for row in model.support_.tolist()]
    if model.output == "voted" or len(model.dual_coef_) > 1:
        return [("answer", f"{len(names):,} samples have a coefficient α other than 0")]
    alphas = model.dual_coef_[0].tolist()
    terms = [(alpha, f"K({name}, x)") for alpha, name in zip(alphas, names, strict=True)]
    side = f"{weighted_sum(terms)} > {number(-model.intercept_[0].item() + 0)}"
    positive = source.class_name(model.classes_[1].item())
    return [("equation", f"{side} ⇒ {positive}")]


def _tables(trace: Any, what: ShowOptions) -> list[Any]:
    """What the vectors of a voted or averaged perceptron say, and the distances of mistakes."""
    model = trace.estimator
    if len(trace.problems) > 1 or trace.n_updates > MOST_VECTORS:
        return []
    tables = [trace.votes()] if model.output in ("voted", "averaged") else []
    linear = getattr(model, "kernel", "linear") == "linear"
    return [*tables, *([trace.distances()] if what.criterion and linear else [])]


def _claims(trace: Any, source: Source) -> Pairs:
    from linscope.results.numbers import counted

    model = trace.estimator
    certificate = model.certificate_
    visits = counted(len(trace.steps), "visit" if model.rule == "single" else "batch")
    steps = f"{visits}, {counted(trace.n_updates, 'update')}"
    if not certificate.parts:
        steps += _bound(certificate, source)
    pairs = [("steps", steps), ("certificate", _claim(certificate))]
    for name, part in list(certificate.parts.items())[:MOST_PROBLEMS]:
        pairs.append(("", f"{name}: {_claim(part)} ({counted(part.updates, 'update')})"))
    if len(certificate.parts) > MOST_PROBLEMS:
        pairs.append(("", f"… {len(certificate.parts)} problems in all"))
    return [*pairs, *_solution_exists(model, source)]


def _solution_exists(model: Any, source: Source) -> Pairs:
    """For a run that the limit ended: would more passes help?"""
    from linscope.results import Status
    from linscope.separation.question import separability

    certificate = model.certificate_
    ended = certificate.status is not Status.MAX_ITER or certificate.parts
    if ended or hasattr(model, "kernel") or not _small(source):
        return []
    verdict: Any = separability(source.X, source.labels())
    texts = {
        "strict": "yes: a solution exists, more passes (--max-iter) can find it",
        "quasi": "only with samples on the boundary: mistakes never end",
        "no": "no: the convex hulls of the classes meet, so mistakes never end",
    }
    return [("separable", texts[verdict.kind])]


def _small(source: Source) -> bool:
    return source.X.shape[0] * source.X.shape[1] <= MOST_NUMBERS_FOR_PROOF


def _claim(part: Any) -> str:
    from linscope.results.numbers import counted

    mistakes = getattr(part, "mistakes", 0)
    by = "" if part.parts or part.output == "last" else f" by {part.about}"
    if mistakes:
        return f"{part.text}: {counted(mistakes, 'sample')} misclassified{by}"
    return f"{part.text} ({part.about})" if by else part.text


def _bound(certificate: Any, source: Source) -> str:
    """The theorem's bound where it holds and is quick to compute, or why it does not hold."""
    if certificate.mistakes or not _small(source) or not hasattr(certificate, "bound"):
        return ""
    if certificate.no_bound:
        return f" (the bound R²/γ² does not apply: {certificate.no_bound})"
    try:
        bound = certificate.bound(source.X, source.labels())
    except ValueError:  # separated by the tie rule alone
        return ""
    return f" (the theorem allows at most R²/γ² = {bound_text(bound)})"


def _advice(trace: Any, source: Source, given: dict[str, Any]) -> Pairs:
    from linscope.results import Status

    model, kernel = trace.estimator, hasattr(trace.estimator, "kernel")
    separate = f"linscope separate {source.words}"
    model_name = "kernel-perceptron" if kernel else "perceptron"

    def again(**changed: Any) -> str:
        options = words_of({**given, **changed})
        return f"linscope trace {model_name} {source.words} {options}".rstrip()

    status = model.certificate_.status
    if status is Status.SEPARATED_BY_TIE and model.tie != "update":
        first = [(again(tie="update"), "count score 0 as a mistake, for a strict separation")]
    elif status.ok or model.output != "last":
        first = []
    else:
        first = [(again(output="pocket"), "the best vector met on the way; or averaged, or voted")]
        drawable = not kernel and source.X.shape[1] <= 2 and len(model.classes_) == 2
        if drawable and trace.n_updates > 16:
            begin = min(900, trace.n_updates - 15)
            command = f"{again()} --updates {begin}:{begin + 15} --plot solutions.png"
            first.append((command, "some solutions are good and some are not"))
    if kernel:
        return [*first, (separate, "and without the kernel: is there a separating hyperplane?")]
    if status.ok:
        return [*first, (separate, "the widest margin, and how many updates the theorem allows")]
    return [(separate, "whether a separating hyperplane exists, with a proof"), *first]


TELLING = {
    "Perceptron": Telling("Perceptron", _ending, _advice, _figure, _tables),
    "KernelPerceptron": Telling("Kernel perceptron", _ending, _advice, _figure, _tables),
}
