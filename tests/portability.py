"""The tests as they run on other machines: ``python -m tests.portability [options] [pytest …]``.

Rounding differs between machines: vector instructions sum in another order, a fused multiply-add
rounds once, BLAS picks its loops by the processor, and threads may take turns. No test may depend
on that, nor on the order in which tests run. Each configuration is a run of pytest with other
environment variables. Four of them differ in several things at once and cover all; when one fails,
``--apart`` changes one thing at a time. What the processor cannot do is skipped.

    python -m tests.portability                         the combined ones, some minutes each
    python -m tests.portability --list
    python -m tests.portability --apart                 each difference alone
    python -m tests.portability --only generic,one-thread tests/kernel_svm
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).resolve().parents[1]
# Names of instruction sets that NumPy chooses between at run time; they differ by its version.
AVX512 = [name for name in __cpu_dispatch__ if name.startswith("AVX512") or name == "X86_V4"]
AVX2 = [name for name in __cpu_dispatch__ if name in ("AVX2", "FMA3", "X86_V3")]


@dataclass(frozen=True)
class Configuration:
    """Environment variables and options of one run; ``needs`` are instructions of the processor."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        return [name for name in self.needs if not __cpu_features__.get(name)]


def shuffled(seed: int) -> tuple[str, ...]:
    # addopts turns the plugin off; the last -p decides
    return ("-p", "randomly", f"--randomly-seed={seed}")


ONE_THREAD = dict.fromkeys(
    ("LINSCOPE_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"
)
GENERIC = {"NUMBA_CPU_NAME": "generic"}
NO_AVX512 = {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512)}
NO_AVX2 = {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512 + AVX2)}
HASWELL, HAS_AVX2 = {"OPENBLAS_CORETYPE": "Haswell"}, ("AVX2", "FMA3")
SKYLAKEX, HAS_AVX512 = {"OPENBLAS_CORETYPE": "SkylakeX"}, ("AVX512F",)
COMBINED = (
    Configuration("as-it-is"),
    Configuration("old-processor", GENERIC | NO_AVX2 | HASWELL, shuffled(1), HAS_AVX2),
    Configuration("alone", ONE_THREAD, shuffled(2)),
    Configuration("new-processor", NO_AVX512 | SKYLAKEX, shuffled(3), HAS_AVX512),
)
APART = (
    Configuration("generic", GENERIC),
    Configuration("numpy-without-avx512", NO_AVX512),
    Configuration("numpy-without-avx2", NO_AVX2),
    Configuration("openblas-haswell", HASWELL, needs=HAS_AVX2),
    Configuration("openblas-skylakex", SKYLAKEX, needs=HAS_AVX512),
    Configuration("one-thread", ONE_THREAD),
    *(Configuration(f"random-order-{seed}", options=shuffled(seed)) for seed in (1, 2, 3)),
)
CONFIGURATIONS = COMBINED + APART


def run(configuration: Configuration, given: list[str], jobs: int) -> tuple[str, list[str]]:
    """(the last line of pytest, the names of the tests that failed)."""
    environment = {**os.environ, **configuration.variables}
    command = [sys.executable, "-m", "pytest", "-n", str(jobs), "-rfE", "--no-header"]
    done = subprocess.run(
        [*command, *configuration.options, *given],
        cwd=ROOT, env=environment, text=True, capture_output=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    failed = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)]
    last = lines[-1].strip("= ") if lines else done.stderr.strip()[-200:]
    if done.returncode not in (0, 1):  # not run at all, or killed by an instruction
        failed.append(f"pytest ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    elif done.returncode and not failed:
        failed.append(last)
    return last, failed


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.portability",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = ",".join(each.name for each in CONFIGURATIONS)
    parser.add_argument("--only", metavar="NAME,NAME", help=f"of {known}")
    parser.add_argument("--apart", action="store_true", help="one difference at a time")
    parser.add_argument("--list", action="store_true", help="name the configurations and stop")
    parser.add_argument("--jobs", type=int, default=2)
    options, pytest_options = parser.parse_known_args(given)
    chosen = APART if options.apart else COMBINED
    if options.only:
        names = options.only.split(",")
        chosen = tuple(each for each in CONFIGURATIONS if each.name in names)
        if len(chosen) != len(names):
            parser.error(f"--only takes names of {known}")
    wrong = []
    print(f"{'configuration':22} {'seconds':>8}  outcome", flush=True)
    for each in CONFIGURATIONS if options.list else chosen:
        if options.list:
            print(f"{each.name:22} {'':8}  {each.variables or ' '.join(each.options)}")
            continue
        if each.missing:
            print(f"{each.name:22} {'':8}  skipped: no {', '.join(each.missing)} here", flush=True)
            continue
        start = time.perf_counter()
        last, failed = run(each, pytest_options, options.jobs)
        print(f"{each.name:22} {time.perf_counter() - start:8.0f}  {last}", flush=True)
        print("".join(f"    {line}\n" for line in failed), end="", flush=True)
        wrong += failed
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
