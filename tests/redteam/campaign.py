"""Fit, judge, verify, forge: what is found, and how often.

A problem is named by estimator, level, seed and number, and is the same on every machine.
"""

from __future__ import annotations

import signal
import sys
import time
import traceback
import warnings
import zlib
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .exact import precision
from .forging import forgeries
from .problem import Problem
from .registry import REGISTRY

FALSE, REJECTED, FORGED = "false certificate", "false rejection", "forgery accepted"
CRASH, SLOW, SILENT = "crash", "slow", "silent"
FINDINGS = (FALSE, REJECTED, FORGED, CRASH, SLOW, SILENT)
REFUSED, NOT_OK, UNSURE, FAILED = "refused", "not ok", "unsure", "no reference"
SECONDS = 60
MOST_FORGERIES = 12


@dataclass
class Outcome:
    """What one problem showed: verdict → reason."""

    place: str
    problem: Problem | None
    found: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    forged: int = 0
    seconds: float = 0.0

    def report(self) -> str:
        lines = [f"# {self.place} ({self.problem.kind})"]
        lines += [f"# {verdict}: {reason}" for verdict, reason in self.found]
        return "\n".join([*lines, self.problem.snippet()])


def rng_of(estimator: str, level: str, seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(f"{estimator} {level}".encode()), seed, number])


def problem_of(estimator: str, level: str, seed: int, number: int) -> Problem:
    with np.errstate(all="ignore"):
        return REGISTRY[estimator].make(rng_of(estimator, level, seed, number), level)


def run(estimator: str, level: str, seed: int, number: int, most: int = MOST_FORGERIES) -> Outcome:
    """Fit one problem, judge its claim, and that of ``most`` forgeries."""
    place = f"{estimator} {level} {seed} {number}"
    problem = problem_of(estimator, level, seed, number)
    outcome = Outcome(place, problem)
    start = time.perf_counter()
    fitted = _fit(problem, outcome)
    outcome.seconds = time.perf_counter() - start
    if outcome.seconds > SECONDS:
        outcome.found.append((SLOW, f"{outcome.seconds:.0f} s"))
    if fitted is not None:
        try:
            with precision(problem.bits), np.errstate(all="ignore"):
                judge = REGISTRY[estimator].judge(problem)
                _judge(problem, judge, fitted, outcome)
                if most:
                    _forge(judge, fitted, outcome, rng_of(estimator, level, seed, number), most)
        except Exception:  # of the reference: no finding, but to be seen
            outcome.notes.append(FAILED)
            print(place, file=sys.stderr)
            traceback.print_exc()
    return outcome


def _fit(problem: Problem, outcome: Outcome) -> Any:
    """The model (or verdict), or None."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            with time_limit(SECONDS):
                fitted = problem.fit()
        except ValueError as error:
            outcome.notes.append(REFUSED)
            if not str(error):
                outcome.found.append((CRASH, "a ValueError without a word"))
            return None
        except TimeoutError:
            return None
        except Exception as error:
            outcome.found.append((CRASH, f"{type(error).__name__}: {error}"))
            return None
    claim = claim_of(fitted)
    if not getattr(claim, "ok", True):
        outcome.notes.append(NOT_OK)
        if not heard:
            outcome.found.append((SILENT, f"{claim.status.name} without a warning"))
    return fitted


def claim_of(fitted: Any) -> Any:
    return getattr(fitted, "certificate_", fitted)


def _judge(problem: Problem, judge: Any, fitted: Any, outcome: Outcome) -> None:
    claim = claim_of(fitted)
    for reason in [*judge.held(fitted, claim), *judge.refute(claim)]:
        outcome.found.append((FALSE, reason))
    honest = not outcome.found
    if getattr(judge, "unsure", False):
        outcome.notes.append(UNSURE)
    check = _verified(judge, claim, outcome)
    if honest and check is not None and not check.claim_holds:
        outcome.found.append((REJECTED, check.reason))
    if honest and hasattr(fitted, "verify") and fitted is not claim:
        try:
            live = fitted.verify(problem.X, problem.y, **problem.given)
        except Exception as error:
            outcome.found.append((CRASH, f"model.verify: {type(error).__name__}: {error}"))
            return
        if not live.claim_holds:
            outcome.found.append((REJECTED, f"model.verify: {live.reason}"))


def _verified(judge: Any, claim: Any, outcome: Outcome, what: str = "verify") -> Any:
    problem = judge.problem
    try:
        with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            return claim.verify(problem.X, problem.y, **problem.claimed)
    except Exception as error:
        outcome.found.append((CRASH, f"{what}: {type(error).__name__}: {error}"))
        return None


def _forge(judge: Any, fitted: Any, outcome: Outcome, rng: Any, most: int) -> None:
    if outcome.found:
        return
    every = list(getattr(judge, "forgeries", forgeries)(claim_of(fitted)))
    chosen = rng.permutation(len(every))[:most]
    for what, forged in (every[i] for i in chosen):
        reason = next(iter(judge.refute(forged)), None)
        if reason is None:
            continue
        outcome.forged += 1
        check = _verified(judge, forged, outcome, f"verify of forged {what}")
        if check is not None and check.claim_holds:
            outcome.found.append((FORGED, f"{what} ({reason})"))
    _forge_live(judge, fitted, outcome)


def _forge_live(judge: Any, fitted: Any, outcome: Outcome) -> None:
    """Weights doubled after the fit: the live attributes no longer are what was claimed."""
    problem = judge.problem
    name = next((a for a in ("dual_coef_", "coef_") if a in vars(fitted)), None)
    if name is None or not hasattr(fitted, "verify") or not np.any(getattr(fitted, name)):
        return
    before = getattr(fitted, name)
    setattr(fitted, name, 2 * before)
    try:
        claim = fitted._live_claim(problem.X)
        lies = [*judge.held(fitted, claim), *judge.refute(claim)]
        outcome.forged += bool(lies)
        if lies and fitted.verify(problem.X, problem.y, **problem.given).claim_holds:
            outcome.found.append((FORGED, f"{name} doubled after the fit ({lies[0]})"))
    except (ValueError, TypeError, AttributeError, IndexError, KeyError):
        pass  # the attributes fit no claim; verify says so
    except Exception as error:
        outcome.found.append((CRASH, f"model.verify: {type(error).__name__}: {error}"))
    finally:
        setattr(fitted, name, before)


@contextmanager
def time_limit(seconds: int):
    """TimeoutError when Python next runs after so many seconds."""

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def counts(outcomes: list[Outcome]) -> Counter:
    """How many problems showed each verdict."""
    found: Counter = Counter(problems=len(outcomes))
    for outcome in outcomes:
        found.update({verdict for verdict, _ in outcome.found} | set(outcome.notes))
        found["forgeries"] += outcome.forged
    return found
