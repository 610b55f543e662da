"""Whether the kernels on disk are those of this linscope, this Numba and this processor.

A file beside them says what they were compiled by, and which files there were.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def is_warm(compiler: tuple[str, str] | None = None) -> bool:
    """Whether ``remember`` was called by the same versions, and nothing was deleted since.

    compiler : that of another process, so that this one need not import Numba
    """
    try:
        told = json.loads(_marker(compiler).read_text(encoding="utf-8"))
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


def _marker(compiler: tuple[str, str] | None = None) -> Path:
    if compiler is None:
        from linscope import _compiling

        compiler = _compiling.compiler()
    folder, versions = compiler
    return Path(folder) / f"linscope-{fingerprint(versions)}.warm"


@cache
def fingerprint(versions: str) -> str:
    """The sources, and all that machine code depends on."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    digest.update(versions.encode())
    return digest.hexdigest()[:16]
