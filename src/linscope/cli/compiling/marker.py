"""Whether the kernels on disk are those of this linscope, this Numba and this processor.

A file beside them says what they were compiled by, and which files there were.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def is_warm() -> bool:
    """Whether ``remember`` was called by the same versions, and nothing was deleted since."""
    try:
        told = json.loads(_marker().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(told, list) and bool(told) and all(map(os.path.exists, told))


def remember(folders: Iterable[str]) -> None:
    """Every kernel is in these folders now."""
    files = sorted(str(path) for folder in set(folders) for path in Path(folder).glob("*.nbi"))
    marker = _marker()
    marker.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=marker.parent, prefix=marker.name, delete=False, encoding="utf-8"
    ) as part:
        json.dump(files, part)
    os.replace(part.name, marker)


def _marker() -> Path:
    # Numba decides where kernels are kept; this one stands for all.
    from linscope.rows.scores import norm

    return Path(norm.stats.cache_path) / f"linscope-{fingerprint()}.warm"


@cache
def fingerprint() -> str:
    """The sources, and all that machine code depends on."""
    import llvmlite
    import numba
    from llvmlite.binding import get_host_cpu_name

    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    versions = numba.__version__, llvmlite.__version__, platform.python_version()
    digest.update(
        repr((*versions, os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name())).encode()
    )
    return digest.hexdigest()[:16]
