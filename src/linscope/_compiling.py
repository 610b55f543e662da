"""How kernels are compiled; a person at a terminal is told, once, what the wait is."""

from __future__ import annotations

import gc
import os
import platform
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_name
from numba import njit

from ._bridge import compile_events

# No entry for callers in C, which nobody is: it would take a twentieth of the time of compiling.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}


def cache_folder(usual: list[Path], temporary: Path) -> Path | None:
    """Where compiled kernels go if none of the usual folders can be written to; else None.

    On a worker of a cluster the home folder may be read-only. The temporary one is ours alone:
    nobody else may put compiled code there.

    >>> cache_folder([Path(tempfile.gettempdir())], Path(tempfile.gettempdir())) is None
    True
    """
    if any(_writable(folder) for folder in usual):
        return None
    own = temporary / f"linscope-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    own.mkdir(mode=0o700, exist_ok=True)
    found = own.lstat()
    ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o022
    return own if ours and private else Path(tempfile.mkdtemp(dir=temporary))


def _writable(folder: Path) -> bool:
    """Or its nearest parent, where it is still to be made."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


if not numba.config.CACHE_DIR:
    _home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    _own = cache_folder([Path(__file__).parent, _home], Path(tempfile.gettempdir()))
    if _own is not None:
        numba.config.CACHE_DIR = str(_own)


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Numba's ``njit`` with a cache on disk, for functions of a module that threads may call."""
    compiled: Any = njit(**{**OPTIONS, **options})
    return compiled if function is None else compiled(function)


class _Notice(compile_events.Listener):
    """Numba fires ``numba:compile`` only when the kernel is not in the cache on disk."""

    told = False

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        if not _Notice.told and module.startswith("linscope.") and sys.stderr.isatty():
            _Notice.told = True
            name = module.rpartition(".")[2].replace("_", " ")
            print(f"linscope: compiling {name}, once per machine …", file=sys.stderr, flush=True)

    def on_end(self, event):
        pass


def announce_nothing() -> None:
    """For those who tell a person about compiling in other ways."""
    _Notice.told = True


def compiler() -> tuple[str, str]:
    """Where Numba keeps kernels of this folder, and all that machine code depends on."""
    cpu = os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name()
    versions = numba.__version__, llvmlite.__version__, platform.python_version(), cpu
    return kernel(announce_nothing).stats.cache_path, repr(versions)


class _NoCollection(compile_events.Listener):
    """A compiler makes millions of objects and few cycles: looking for those takes a tenth longer.

    Numba holds a lock while it compiles, so that only one thread counts here.
    """

    depth, collects, began, seconds = 0, True, 0.0, 0.0

    def on_start(self, event):
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
            self.began = time.perf_counter()
        self.depth += 1

    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            if self.collects:
                gc.enable()


_COMPILER = _NoCollection()
compile_events.register("numba:compile", _Notice())
compile_events.register("numba:compile", _COMPILER)


def compile_seconds() -> float:
    """What this process has spent on compiling so far."""
    return _COMPILER.seconds
