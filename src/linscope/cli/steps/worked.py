"""The worked examples of the notes: what is printed there against what linscope computes.

A model adds its examples with one function that takes the printed facts and returns the
comparisons, and one line in ``EXAMPLES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple


class Comparison(NamedTuple):
    """One quantity of a worked example, as printed and as computed.

    Where the notes slip, ``right`` is what they should print, and ``note`` says so.
    """

    what: str
    printed: str
    computed: str
    right: str = ""
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.computed == (self.right or self.printed)


class Example(NamedTuple):
    """A worked example: its name on the command line, what it shows, and how to replay it."""

    name: str
    title: str
    compare: Callable[[dict[str, Any]], list[Comparison]]


class Visit(NamedTuple):
    """One sample seen by a perceptron: y·w·x before, was it a mistake, and the weights after."""

    sample: int
    score: float
    mistake: bool
    after: tuple[float, ...]


def number(value: float) -> str:
    """Short and unambiguous: -0 is 0, 1.0 is 1, and rounding noise is not shown."""
    nearest = round(float(value), 12) + 0.0
    return f"{nearest:.12g}"


def vector(values: Iterable[float]) -> str:
    return f"[{' '.join(number(v) for v in values)}]"


def compare_visits(printed: list[Visit], computed: list[Visit]) -> list[Comparison]:
    """What a perceptron's table of visits says, quantity by quantity."""
    both = printed, computed
    return [
        Comparison("samples visited", *(_join(v.sample for v in run) for run in both)),
        Comparison("scores y·w·x", *(_join(v.score for v in run) for run in both)),
        Comparison("mistakes at visits", *(_join(_mistakes(run)) for run in both)),
        Comparison("weights after them", *(_updates(run) for run in both)),
    ]


def _join(values: Iterable[float]) -> str:
    return " ".join(number(v) for v in values)


def _mistakes(run: list[Visit]) -> list[int]:
    return [k for k, visit in enumerate(run, start=1) if visit.mistake]


def _updates(run: list[Visit]) -> str:
    return "\n".join(vector(visit.after) for visit in run if visit.mistake)


def printed_visits(run: dict[str, Any]) -> list[Visit]:
    """The visits of a printed run."""
    return [
        Visit(v["sample"], v["score"], v["misclassified"], tuple(v["after"])) for v in run["visits"]
    ]


def computed_visits(name: str, settings: dict[str, Any]) -> list[Visit]:
    """The visits that linscope makes on the same data with the same settings."""
    from linscope.data.datasets import load
    from linscope.perceptron.estimators.perceptron import Perceptron
    from linscope.tracing.start import trace

    steps: Any = trace(Perceptron(**settings), load(name)).steps
    return [Visit(int(s.sample or 0), s.normalized, s.update, tuple(s.after)) for s in steps]


def separating_run(name: str, run: int = 0) -> Callable[[dict[str, Any]], list[Comparison]]:
    """A run that ends with a separating vector."""

    def compare(facts: dict[str, Any]) -> list[Comparison]:
        from linscope.data.datasets import load

        dataset = load(name)
        facts = facts["runs"][run] if "runs" in facts else facts
        settings = dataset.runs[run] if dataset.runs else dataset.settings
        printed, computed = printed_visits(facts), computed_visits(name, settings)
        return [
            Comparison("visits to the end", str(len(printed)), str(len(computed))),
            *compare_visits(printed, computed),
            Comparison("final weights", vector(facts["weights"]), vector(computed[-1].after)),
        ]

    return compare


def endless_run(facts: dict[str, Any]) -> list[Comparison]:
    """The run on five samples that goes on for ever; the notes print its beginning."""
    from linscope.data.datasets import load

    printed = printed_visits(facts)
    computed = computed_visits("non_separable", load("non_separable").settings)
    lines = compare_visits(printed, computed[: len(printed)])
    return [*lines, verdict("non_separable", facts["separable"])]


def never_separable(name: str) -> Callable[[dict[str, Any]], list[Comparison]]:
    return lambda facts: [verdict(name, False)]


def verdict(name: str, printed: bool) -> Comparison:
    """Whether a line separates the data; computed with a proof, which is checked."""
    from linscope.data.datasets import load
    from linscope.separation.question import separability

    X, y = load(name)
    answer = separability(X, y)
    check = answer.verify(X, y)
    computed = _separable(answer.separable) if check else str(check)
    return Comparison("separable", _separable(printed), computed)


def _separable(yes: bool) -> str:
    return "yes" if yes else "no"


def derived(name: str) -> Callable[[dict[str, Any]], list[Comparison]]:
    """A line by least squares, quantity by quantity, rounded as the notes round."""

    def compare(facts: dict[str, Any]) -> list[Comparison]:
        from linscope.data.datasets import load
        from linscope.least_squares.estimators.linear_regression import LinearRegression
        from linscope.tracing.start import trace

        run: Any = trace(LinearRegression(), load(name), exact=True)
        return [_as_printed(run, line) for line in facts["derivation"]]

    return compare


def _as_printed(run: Any, line: dict[str, Any]) -> Comparison:
    printed, slips = line["printed"], line.get("slips", {})
    values = _values(run, line)
    computed = [rounded(value, text) for value, text in zip(values, printed, strict=True)]
    right = [slips.get(str(k), text) for k, text in enumerate(printed)]
    note = line.get("note", "")
    return Comparison(line["what"], " ".join(printed), " ".join(computed), " ".join(right), note)


def _values(run: Any, line: dict[str, Any]) -> list[Any]:
    """The exact numbers that a line of the notes shows."""
    if "steps" in line:
        return [run.steps[step].value for step in line["steps"]]
    if "squares_of" in line:  # of numbers that the notes have rounded
        return [Fraction(text) ** 2 for text in line["squares_of"]]
    frame = run.to_frame(backend="dict")
    return [sum(frame[line["total"]])] if "total" in line else frame[line["column"]].tolist()


def rounded(value: Any, like: str) -> str:
    """The number with as many digits behind the point as a printed one; halves go up.

    >>> rounded(Fraction(43, 37), "1.16"), rounded(Fraction(-2, 37), "-0.05")
    ('1.16', '-0.05')
    >>> rounded(Fraction(3481, 10000), "0.348"), rounded(0.98031, "0.98")
    ('0.348', '0.98')
    """
    digits = len(like.partition(".")[2])
    exact = Fraction(value)
    shifted = abs(exact) * 10**digits
    whole = int(shifted + Fraction(1, 2))
    sign = "-" if exact < 0 and whole else ""
    return f"{sign}{whole // 10**digits}" + (f".{whole % 10**digits:0{digits}d}" if digits else "")


def confusions(facts: dict[str, Any]) -> list[Comparison]:
    """The confusion matrices and the rates that the notes take from them."""
    lines = []
    for name, printed in (("20 samples", facts["first"]), ("iris", facts["iris"])):
        lines.append(Comparison(name, _grid(printed), _grid(_evaluated(printed).confusion_matrix)))
    for one in facts["binary"]:
        tp, fp, fn, tn = (one[key] for key in ("tp", "fp", "fn", "tn"))
        result = _evaluated([[tp, fp], [fn, tn]])
        hits, everything = result.tp, result.n_samples
        computed = {
            "accuracy": f"({hits}+{result.tn})/{everything} = {result.accuracy:.0%}",
            "precision": f"{hits}/({hits}+{result.fp}) = {result.precision:.0%}",
            "recall": f"{hits}/({hits}+{result.fn}) = {result.recall:.0%}",
        }
        right = {
            "accuracy": f"({tp}+{tn})/{tp + fp + fn + tn} = {one['accuracy']:.0%}",
            "precision": f"{tp}/({tp}+{fp}) = {one['precision']:.0%}",
            "recall": f"{tp}/({tp}+{fn}) = {one['recall']:.0%}",
        }
        lines.append(Comparison(one["name"], _grid([[tp, fp], [fn, tn]]), _grid(result.matrix.T)))
        if one is facts["binary"][0]:
            del right["recall"]  # the notes do not work it out
        for what, text in right.items():
            slip = fn == 0 and what == "recall"
            printed = "20/(15+5) = 100%" if slip else text
            note = "of 20 positives 20 are found, none is missed" if slip else ""
            lines.append(Comparison(what, printed, computed[what], text, note))
    return lines


def _evaluated(matrix: list[list[int]]) -> Any:
    """Labels that have this matrix (rows predicted, columns actual), evaluated."""
    import numpy as np

    from linscope.metrics import evaluate

    k = len(matrix)
    predicted, actual = np.divmod(np.repeat(np.arange(k * k), np.ravel(matrix)), k)
    return evaluate(actual, predicted, positive=0 if k == 2 else None)


def _grid(matrix: Iterable[Iterable[float]]) -> str:
    return "\n".join(" ".join(number(value) for value in row) for row in matrix)


EXAMPLES = [
    Example("or", "perceptron on OR", separating_run("or")),
    Example("students", "perceptron on four students, equal weights", separating_run("students")),
    Example("students", "the same from [0 0.5 0.5 0 0]", separating_run("students", run=1)),
    Example("two_points", "perceptron on two points", separating_run("two_points")),
    Example("non_separable", "perceptron that never ends, first visits", endless_run),
    Example("xor", "XOR has no separating line", never_separable("xor")),
    Example("five_points", "a line through five points by least squares", derived("five_points")),
    Example("sbp_age", "blood pressure against age, from moments", derived("sbp_age")),
    Example("metrics", "confusion matrices, accuracy, precision, recall", confusions),
]
