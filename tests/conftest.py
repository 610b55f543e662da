"""Compiled kernels of exactly this source: a cache directory keyed by the contents of the package.

Numba notices a change in a function's own file, but not in the files of the functions it calls.
All workers of a parallel run share the directory, so each kernel is compiled once.
"""

import getpass
import hashlib
import os
import tempfile
from pathlib import Path


def _fingerprint() -> str:
    package = Path(__file__).resolve().parents[1] / "src" / "linscope"
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> str:
    given = os.environ.get("NUMBA_CACHE_DIR")
    default = Path(tempfile.gettempdir()) / f"linscope-tests-{getpass.getuser()}"
    parent, name = Path(given) if given else default, _fingerprint()
    # Workers inherit the directory that the main process has chosen.
    return str(parent if parent.parent.name == "numba" else parent / "numba" / name)


os.environ["NUMBA_CACHE_DIR"] = _cache_directory()
os.environ["MPLBACKEND"] = "Agg"
