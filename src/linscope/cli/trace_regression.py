"""``linscope trace regression``: the derivation of a line or plane, or the steps of a descent."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter
from rich.console import Console
from rich.console import Group as Lines

from .errors import BadInput
from .figures import check_figure_path, named
from .formula import number, weighted_sum
from .options import AT_LEAST_ONE, AT_LEAST_ZERO, POSITIVE, SEED, SHOW, words_of
from .presenting import header, notes_of, present, verdict
from .regression import RegressionSource
from .screen import facts, hints, print_table
from .steps import (
    SCREEN_ROWS,  # noqa: F401  (annotations inherit its name)
    ShowOptions,
    document,
    run_traced,
)

MODEL = Group("Model", sort_key=1)
DESCENT = Group("Descent", sort_key=2)
DESCENTS = ("batch", "stochastic", "mini-batch")


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """What is fitted, and how."""

    solver: Annotated[
        Literal["exact", "batch", "stochastic", "mini-batch"],
        Parameter(help="The closed form, or gradient descent by all, one or some samples."),
    ] = "exact"
    alpha: Annotated[
        float | None, Parameter(help="Ridge penalty, none by default.", validator=AT_LEAST_ZERO)
    ] = None
    no_intercept: Annotated[
        bool, Parameter(help="A line through the origin.", negative=(), show_default=False)
    ] = False

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        values: dict[str, Any] = {} if self.solver == "exact" else {"solver": self.solver}
        values |= {} if self.alpha is None else {"alpha": self.alpha}
        return values | ({"fit_intercept": False} if self.no_intercept else {})


@Parameter(name="*", group=DESCENT)
@dataclass(frozen=True, kw_only=True)
class DescentOptions:
    """How a descent goes; None means not given."""

    eta0: Annotated[
        float | None, Parameter(help="Learning rate; a safe one by default.", validator=POSITIVE)
    ] = None
    schedule: Annotated[
        Literal["constant", "inverse"] | None,
        Parameter(help="The rate stays, or is eta0/k at update k."),
    ] = None
    batch_size: Annotated[
        int | None,
        Parameter(help="Samples a mini-batch, 32 by default.", validator=AT_LEAST_ONE),
    ] = None
    no_shuffle: Annotated[
        bool, Parameter(help="Visit samples in their order.", negative=(), show_default=False)
    ] = False
    tol: Annotated[
        float | None,
        Parameter(help="Stop when η‖∇J‖ is at most this.", validator=AT_LEAST_ZERO),
    ] = None
    max_iter: Annotated[
        int | None, Parameter(help="Most passes, 1000 by default.", validator=AT_LEAST_ONE)
    ] = None
    random_state: Annotated[
        int | None, Parameter(help="Seed of the order of the visits, 0 by default.", validator=SEED)
    ] = None

    def given(self, solver: str) -> dict[str, Any]:
        """Estimator parameters that were given, if they do anything with this solver."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values = {name: v for name, v in values.items() if v is not None and v is not False}
        only: dict[str, tuple[str, ...]] = dict.fromkeys(values, DESCENTS)
        only |= {"batch_size": DESCENTS[2:], "no_shuffle": DESCENTS[1:]}
        only["random_state"] = DESCENTS[1:]
        for name in values:
            if solver not in only[name]:
                option = name.replace("_", "-")
                raise BadInput(f"--{option} needs --solver {' or '.join(only[name])}, not {solver}")
        if values.pop("no_shuffle", False):
            values["shuffle"] = False
        elif solver in DESCENTS[1:]:
            values.setdefault("random_state", 0)  # two students should see the same steps
        return values


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class RegressionShow(ShowOptions):
    """What is shown, in the words of a regression."""

    criterion: Annotated[
        bool,
        Parameter(help="Add J, what a descent lowers.", negative=(), show_default=False),
    ] = False
    updates: Annotated[
        str | None, Parameter(help="Only these updates of a descent, such as 1:20.")
    ] = None
    plot: Annotated[
        Path | None,
        Parameter(help="Draw the line and its residuals, or its way, to a PNG, SVG or PDF."),
    ] = None

    def check_for(self, solver: str) -> None:
        """Refuse what cannot be shown, before any work."""
        self.check()
        asked = {"--criterion": self.criterion, "--updates": self.updates}
        for option, value in asked.items():
            if solver == "exact" and value:
                raise BadInput(f"{option} shows steps: choose --solver {', '.join(DESCENTS)}")


def show_regression(source: RegressionSource, given: dict[str, Any], what: RegressionShow) -> int:
    """Fit, and show what was asked for."""
    check_figure_path(what.plot)
    if source.moments is not None:
        refused = [*words_for(given).split()[:1], *(["--plot"] if what.plot is not None else [])]
        if refused:
            raise BadInput(f"{refused[0]} needs rows, and {source.name!r} has moments only")
    from linscope.least_squares.estimators.linear_regression import LinearRegression
    from linscope.least_squares.estimators.ridge import Ridge

    estimator: Any = (Ridge if "alpha" in given else LinearRegression)(**given)
    run = run_traced(estimator, source, what)
    _updates(run, what)
    return present(
        what,
        lambda out: _report(out, run, source, given, what),
        lambda: document(run, what),
        lambda: run.plot(**_updates(run, what)),
    )


def _updates(run: Any, what: RegressionShow) -> dict[str, Any]:
    """Which updates of a descent to show; nothing for a derivation."""
    wanted = what.update_range()
    if wanted is None:
        return {}
    if wanted[0] > run.n_updates:
        raise BadInput(
            f"--updates {what.updates}: the run ended after {run.n_updates:,} updates; choose from "
            f"1:{run.n_updates}, or raise --max-iter"
        )
    return {"updates": wanted}


def _report(
    out: Console, run: Any, source: RegressionSource, given: dict[str, Any], what: RegressionShow
) -> bool:
    descent = hasattr(run, "n_updates")
    table = run.ledger(width=out.width, max_rows=what.table_rows(), **_updates(run, what))
    settings: list[str] = []
    ending = ""
    if descent:
        settings, ending = notes_of(table)
    else:
        table = Lines(*table.renderables[1:])
    options = [("your options", words_for(given))] if given else []
    header(out, "Regression", source, settings, options)
    print_table(out, table)
    holds = _ending(out, run, source, ending)
    hints(out, _next(source, given, descent))
    return holds


def _ending(out: Console, run: Any, source: RegressionSource, steps: str) -> bool:
    """The equation and the certificate; does it hold?"""
    model = run.estimator
    certificate = model.certificate_
    pairs = [("equation", _equation(run, source)), *([("steps", steps)] if steps else [])]
    pairs.append(("certificate", certificate.text))
    facts(out, pairs, indent=0)
    if source.X is None:
        return True
    return verdict(out, certificate.verify(named(source.X, source.features), source.y))


def _equation(run: Any, source: RegressionSource) -> str:
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


def words_for(given: dict[str, Any]) -> str:
    """Estimator parameters as the options that give them."""
    words = {name: value for name, value in given.items() if name != "shuffle"}
    return words_of(words | ({"no_shuffle": True} if "shuffle" in given else {}))


def _next(source: RegressionSource, given: dict[str, Any], descent: bool) -> list[tuple[str, str]]:
    model = ("alpha", "fit_intercept")
    kept = {name: value for name, value in given.items() if name in model}
    again = f"linscope trace regression {source.words} {words_for(kept)}".rstrip()
    if source.X is None:
        return [(f"linscope diagnose {source.words}", "the regression table from the moments")]
    if descent:
        return [(again, "the minimum in closed form, every quantity of it")]
    origin = "" if given.get("fit_intercept", True) else " --no-intercept"
    table = f"linscope diagnose {source.words}{origin}"
    return [
        (f"{again} --solver stochastic", "the same line by gradient descent, sample by sample"),
        (table, "standard errors, tests and the five assumptions"),
    ]
