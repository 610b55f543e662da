"""From a fitted model with a closed form to its derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from linscope.data.datasets import Dataset

from .derivation import Derivation
from .derivation_parts import Part, SampleTable
from .derivation_quantities import Quantities

MOST_NAMES = 10


class ClosedForm(NamedTuple):
    """How an estimator is traced whose answer takes no steps.

    work : of a fitted model, X, y, sample_weight and whether in fractions: works out the numbers.
    write : writes them down. draw : of the model, X, y and axes. moments : writes down what follows
    from moments alone, where that is known.
    """

    work: Callable[[Any, Any, Any, Any, bool], Any]
    write: Callable[[Any, SampleTable, Quantities], list[Part]]
    draw: Callable[[Any, Any, Any, Any], Any]
    moments: Callable[[Mapping[str, float], Quantities], list[Part]] | None = None


def derive(
    closed_form: ClosedForm,
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    criterion: bool = False,
    exact: bool = False,
    sample_names: Sequence[str] | None = None,
    features: Sequence[str] = (),
    title: str | None = None,
) -> Derivation:
    """The derivation of a fitted model; see ``linscope.trace``."""
    if criterion:
        raise ValueError(
            "criterion=True is for rules that take steps; a derivation shows its criterion anyway"
        )
    features = [str(name) for name in getattr(model, "feature_names_in_", features)]
    work = closed_form.work(model, X, y, sample_weight, exact)
    steps = Quantities(exact)
    table = SampleTable(
        work.samples.n, work.columns, lambda: work.sums, work.rows, exact, sample_names
    )
    system = work.elimination
    return Derivation(
        model,
        steps,
        closed_form.write(work, table, steps),
        table,
        system if system is not None and system.size > 1 else None,
        exact=exact,
        title=title,
        notes=_meaning(features, work.target),
        draw=partial(closed_form.draw, model, X, y),
    )


def derive_from_moments(
    closed_form: ClosedForm, estimator: Any, dataset: Dataset, *, exact: bool = False
) -> Derivation:
    """The derivation for a data set of which only moments are known."""
    kind = type(estimator)
    known = closed_form.moments is not None and hasattr(kind, "from_moments")
    if not known or not estimator.fit_intercept:
        raise ValueError(
            f"{dataset.name!r} has moments only, and they give a LinearRegression with intercept: "
            "choose a data set with samples for anything else"
        )
    steps = Quantities(exact)
    assert closed_form.moments is not None
    parts = closed_form.moments(dataset.moments, steps)
    model = kind.from_moments(**dataset.moments, feature_names=dataset.feature_names)
    options: dict[str, Any] = {"exact": exact, "title": dataset.name}
    notes = _meaning(dataset.feature_names, "y")
    return Derivation(model, steps, parts, None, None, notes=notes, **options)


def _meaning(features: Sequence[str], target: str) -> list[str]:
    """What x and y stand for, where their names say more than the letters."""
    letters = ["x"] if len(features) == 1 else [f"x{j + 1}" for j in range(len(features))]
    pairs = [("y", target), *zip(letters, features, strict=True)]
    said = [f"{letter} = {name}" for letter, name in pairs if letter != name]
    more = ["…"] if len(said) > MOST_NAMES else []
    return [", ".join([*said[:MOST_NAMES], *more])] if said else []
