"""Fixtures that many tests share, and compiled kernels of exactly this source.

The cache directory of the kernels is keyed by the contents of their files: Numba notices a change
in a function's own file, but not in the files of the functions it calls. All workers of a parallel
run share the directory, so each kernel is compiled once.

Thousands of tests and hundreds of modules stay until the end: Python looks for garbage among other
objects only.
"""

import ast
import gc
import getpass
import hashlib
import os
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

from linscope.selection.comparison.sharing import processes

SOURCES = Path(__file__).resolve().parents[1] / "src"


def _fingerprint() -> str:
    """Of the files with kernels and of those that they import: all that a kernel can call."""
    package = SOURCES / "linscope"
    compiled = [path for path in package.rglob("*.py") if "@kernel" in path.read_text()]
    digest = hashlib.sha256()
    for path in sorted({package / "_compiling.py", *compiled, *chain(*map(_imported, compiled))}):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _imported(path: Path) -> Iterator[Path]:
    """The files of the package that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.level or str(node.module)[:8] == "linscope"):
            folder = path.parents[node.level - 1] if node.level else SOURCES
            module = folder.joinpath(*(node.module or "").split("."))
            files = [module / f"{name.name}.py" for name in node.names]
            files += [module.with_suffix(".py"), module / "__init__.py"]
            yield from filter(Path.exists, files)


def _cache_directory() -> str:
    given = os.environ.get("NUMBA_CACHE_DIR")
    default = Path(tempfile.gettempdir()) / f"linscope-tests-{getpass.getuser()}"
    parent, name = Path(given) if given else default, _fingerprint()
    # Workers inherit the directory that the main process has chosen.
    return str(parent if parent.parent.name == "numba" else parent / "numba" / name)


gc.disable()  # until all tests are collected
settings.register_profile("linscope", deadline=None)  # the first example may compile a kernel
settings.load_profile("linscope")
os.environ["NUMBA_CACHE_DIR"] = _cache_directory()
os.environ["MPLBACKEND"] = "Agg"
if "PYTEST_XDIST_WORKER" in os.environ:  # the other cores have workers of their own
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    processes.MOST_PROCESSES = 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of the cases of a test marked ``share(k)`` all but one in k wait for ``make slow``.

    Which ones is decided by a hash of their names, so that no parameter is left out for its place.
    """
    shared = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("share"):
            shared[item.nodeid.partition("[")[0], marker.args[0]].append(item)
    for (_, k), cases in shared.items():
        cases.sort(key=lambda item: crc32(item.nodeid.encode()))
        for item in cases[-(-len(cases) // k) :]:
            item.add_marker("slow")


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture
def run(capsys, monkeypatch, request):
    """Run a command in this process: (exit code, standard output, standard error).

    A test module may name the words that all its commands begin with: ``COMMAND``.
    """
    from linscope.cli import main

    monkeypatch.delenv("COLUMNS", raising=False)  # parallel test runners set it
    begin = getattr(request.module, "COMMAND", ())

    def call(*words):
        code = main([*begin, *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def to(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return to


@pytest.fixture
def quiet():
    """No word on fits that are ended before they have converged."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def pytest_terminal_summary(terminalreporter):
    """What was left out, and how to enable it: a line for each reason."""
    skipped = [report.longrepr for report in terminalreporter.stats.get("skipped", [])]
    reasons = Counter(str(each[2]).removeprefix("Skipped: ") for each in skipped if len(each) == 3)
    for reason, many in reasons.items():
        terminalreporter.write_line(f"left out ({many}): {reason}")
