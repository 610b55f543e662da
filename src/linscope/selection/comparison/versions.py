"""Which versions made a result."""

from __future__ import annotations

import platform
from importlib.metadata import version

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "matplotlib")


def versions() -> dict[str, str]:
    """Of linscope, Python and the libraries whose numbers or pictures are in a report."""
    from linscope._version import __version__

    found = {"linscope": __version__, "Python": platform.python_version()}
    return found | {name: version(name) for name in LIBRARIES}
