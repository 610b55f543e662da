"""How much memory a computation may take: the machine's, the container's, the user's word."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

# Without a word from the user, a fit may take so much of what is available, and always LEAST bytes.
SHARE, LEAST = 0.25, 2.0**27
# Assumed where the system does not tell.
UNKNOWN = 4e9
# Version 1 of control groups says "no limit" by a number near 2^63.
NO_LIMIT = 2.0**60


class Names(NamedTuple):
    """Files with limit and usage of a control group, and what of the usage can be given back."""

    limit: str
    usage: str
    returnable: str


V1 = Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = Names("memory.max", "memory.current", "inactive_file")


def memory_budget(limit: float | None = None) -> float:
    """Bytes to use: ``limit``, or a quarter of what is available, as a power of two.

    The power of two keeps a fit the same when a little more or less memory is free.

    >>> memory_budget(1e6)
    1000000.0
    >>> memory_budget() >= LEAST
    True
    """
    if limit is not None:
        return float(limit)
    return max(LEAST, 2.0 ** math.floor(math.log2(max(1.0, SHARE * available_memory()))))


def available_memory(root: str | Path = "/") -> float:
    """Bytes that can still be had without swapping, here and in our control group.

    Parameters
    ----------
    root : where ``proc`` and ``sys`` are

    >>> available_memory() > 0
    True
    """
    root = Path(root)
    return max(0.0, min([_of_machine(root), *(_left(*group) for group in _groups(root))]))


def _of_machine(root: Path) -> float:
    kilobytes = _entry(root / "proc/meminfo", "MemAvailable:")
    if kilobytes is not None:
        return 1024 * kilobytes
    try:
        # Systems without /proc tell what there is, not what is free.
        return 0.5 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


@cache
def _groups(root: Path) -> list[tuple[Path, Names]]:
    """Our control group and those it is in, if they have a limit; looked up once."""
    mounts = root / "sys/fs/cgroup"
    found: list[tuple[Path, Names]] = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        base, names = (mounts / "memory", V1) if controllers else (mounts, V2)
        # Inside a container the path may be that of the host: then only the base is there.
        own = PurePosixPath(path.strip().lstrip("/"))
        found += [(base / group, names) for group in (own, *own.parents)]
    return [(group, names) for group, names in found if _left(group, names) < NO_LIMIT]


def _left(group: Path, names: Names) -> float:
    most, used = _entry(group / names.limit), _entry(group / names.usage)
    if most is None or used is None:
        return math.inf
    return most - used + (_entry(group / "memory.stat", names.returnable) or 0.0)


def _entry(path: Path, name: str | None = None) -> float | None:
    """The number in a file, or behind a name in it; None if there is none ("max")."""
    for line in _text(path).splitlines():
        words = line.split() if name is None else line.split()[1:]
        if words and (name is None or line.startswith(name + " ")):
            try:
                return float(words[0])
            except ValueError:
                return None
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except (OSError, ValueError):
        return ""
