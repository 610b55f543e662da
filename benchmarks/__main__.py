"""``python -m benchmarks``: the command line of the benchmark."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .case import PEERS, Case

HERE = Path(__file__).resolve().parent
# The case that compares solvers, not packages; it has many tables of its own.
AUTO = "auto"

EXAMPLES = """\
Examples:

  linscope bench                                    all cases against all installed peers
  linscope bench perceptron averaged --peers sklearn --repeat 5 --out out.json --plot out.svg
  linscope bench perceptron --rows 20000 --features 20
  linscope bench perceptron --scaling --memory --cold
  linscope bench compare                            the whole comparison against scikit-learn's
  linscope bench stream                             tables in Parquet files, against query engines
  linscope bench auto                               the choice of solvers, on tables of many shapes
  linscope bench --data mine.libsvm                 the cases that fit a file in LIBSVM format
"""


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with examples, as that of the other commands."""

    def format_help(self) -> str:
        usage, _, rest = super().format_help().partition("\n\n")
        return f"{usage}\n\n{EXAMPLES}\n{rest}"


def parser(cases) -> argparse.ArgumentParser:
    out = Parser(
        prog="linscope bench",
        description="linscope and its peers in one process, at equal work.",
        epilog=f"cases: {', '.join([*cases, AUTO])}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    out.add_argument("cases", nargs="*", metavar="CASE", help="all by default")
    out.add_argument("--peers", default=",".join(PEERS), help="names with commas between")
    out.add_argument("--repeat", type=_positive, default=7, help="most rounds (7)")
    out.add_argument("--rows", type=_positive, help="rows of synthetic data")
    out.add_argument("--features", type=_positive, help="features of synthetic data")
    out.add_argument("--data", type=Path, help="a file in LIBSVM format instead")
    out.add_argument("--scaling", action="store_true", help="how cost grows with n and d")
    out.add_argument("--memory", action="store_true", help="peak memory of each contender")
    out.add_argument("--cold", action="store_true", help="imports and first fits")
    out.add_argument("--json", action="store_true", help="print machine, versions and raw times")
    out.add_argument("--out", type=Path, help="write these to a file, as JSON")
    out.add_argument("--plot", type=Path, help="write the picture (.svg, .png, .pdf)")
    out.add_argument("--results", action="store_true", help="write RESULTS.md and its picture")
    out.add_argument("--redraw", action="store_true", help="only that picture, from RESULTS.md")
    return out


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the words ask for; 0 fine, 1 some work falls short, 2 bad input."""
    from .cases import CASES, LONG_CASES, cases_for_file

    options = parser(CASES).parse_args(argv)
    if options.redraw:
        return _redraw()
    peers = [name.strip() for name in options.peers.split(",") if name.strip()]
    try:
        _check_names("peer", peers, PEERS)
        known = CASES | LONG_CASES
        options.cases = [one for name in options.cases for one in _meant(name, known)]
        _check_names("case", options.cases, [*known, AUTO])
        _check_plot(options.plot)
        if options.data is not None:
            chosen = cases_for_file(options.data)
        else:
            chosen = [known[name] for name in options.cases or CASES if name != AUTO]
    except (ValueError, OSError) as error:
        print(f"linscope bench: {error}", file=sys.stderr)
        return 2
    # With --json standard output is one JSON document and nothing else.
    with redirect_stdout(sys.stderr) if options.json else nullcontext():
        if AUTO in options.cases:
            _run_auto()
        if not chosen:
            return 0
        code, content = _run(chosen, peers, options)
    if options.json:
        print(json.dumps(content, indent=1))
    return code


def _run_auto() -> None:
    from .auto_choice import print_choices, run

    print_choices(run(say=_say))


def _redraw() -> int:
    from .picture import draw, recorded

    draw(recorded((HERE / "RESULTS.md").read_text(encoding="utf-8")), HERE / "results.png")
    return 0


def _run(chosen: list[Case], peers: list[str], options) -> tuple[int, dict[str, Any]]:
    """Measure, print, write; the exit code and all that was measured."""
    from . import report
    from .growth import measure_growth
    from .processes import cold_start, judge_cold
    from .run import run_case

    outcomes = []
    for case in chosen:
        _say(f"{case.name} …")
        outcomes.append(run_case(case, peers, options.repeat, _size(case, options)))
    report.print_table(outcomes)
    growths = []
    if options.scaling:
        for case in (case for case in chosen if case.grows):
            _say(f"growth of {case.name} …")
            growths.append(measure_growth(case, _size(case, options)))
            n, d = growths[-1].exponents
            print(f"{case.name}: seconds ∝ n^{n or float('nan'):.2f}, d^{d or float('nan'):.2f}")
    memory = _memory(outcomes, peers) if options.memory else []
    cold = cold_start() if options.cold else {}
    for what, seconds in cold.items():
        print(f"{what}: {seconds:.2f} s  {judge_cold(cold).get(what, '')}")
    _write(report, outcomes, growths, memory, cold, options)
    falls_short = any(not one.equal_work(peer) for one in outcomes for peer in one.shortfall)
    return int(falls_short), report.as_json(outcomes, growths, memory, cold)


def _memory(outcomes, peers: list[str]) -> list[tuple[str, str, float, float]]:
    from .processes import peak_memory

    rows = []
    for one in outcomes:
        for contender in one.case.contenders(peers) if one.case.grows else []:
            _say(f"memory of {contender.name} in {one.case.name} …")
            size = one.case.size if one.size[0] == one.case.size[0] else one.size
            before, after = peak_memory(one.case, contender.name, (size[0], size[1]))
            rows.append((one.case.name, contender.name, before, after))
            peak = f"{after:,.0f} MB at the peak ({before:,.0f} MB before)"
            print(f"{one.case.name}, {contender.name}: {peak}")
    return rows


def _write(report, outcomes, growths, memory, cold, options) -> None:
    from .picture import draw, measured

    if options.out:
        report.write_json(options.out, report.as_json(outcomes, growths, memory, cold))
    if options.plot:
        draw(measured(outcomes), options.plot)
    if options.results:
        draw(measured(outcomes), HERE / "results.png")
        text = report.markdown(outcomes, growths, memory, cold, "results.png")
        report.write(HERE / "RESULTS.md", text)


def _size(case: Case, options) -> tuple[int, int] | None:
    if not case.grows or (options.rows is None and options.features is None):
        return None
    return options.rows or case.size[0], options.features or case.size[1]


def _meant(name: str, known) -> list[str]:
    """The case of that name, or all whose names begin with it: ``stream``."""
    return (
        [name] if name in known else [one for one in known if one.startswith(f"{name}-")] or [name]
    )


def _check_names(kind: str, given: list[str], known) -> None:
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f", did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"
            raise ValueError(f"unknown {kind} {name!r}{hint}")


def _check_plot(path: Path | None) -> None:
    if path is not None and path.suffix not in {".svg", ".png", ".pdf"}:
        raise ValueError(f"--plot {path}: the name must end in .svg, .png or .pdf")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
