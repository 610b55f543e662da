"""Tell a person at a terminal, once, that the wait is a compilation and will not come back."""

from __future__ import annotations

import sys

from ._bridge import compile_events


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


compile_events.register("numba:compile", _Notice())
