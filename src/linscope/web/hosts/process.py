"""What runs in the other process: answers to questions, one after the other.

Nothing but the answers is imported here, and little of that at once: somebody waits for the page.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import traceback
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from ..limits import BadSpec

# Seconds without a question after which a process may do something else.
QUIET = 0.5


class _Later(ModuleType):
    """Stands for a module until something in it is used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _import_less() -> None:
    """scikit-learn and SciPy import large modules that they hardly ever use, and we never.

    Half of the time that a process takes to start would be theirs. There are no data frames here.
    """
    for package, name in (("numpy", "f2py"), ("scipy", "stats")):
        whole = f"{package}.{name}"
        if whole not in sys.modules:
            sys.modules[whole] = _Later(whole)
            setattr(import_module(package), name, sys.modules[whole])
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]


def serve(pipe: Connection) -> None:
    """In the process: answer until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_less()
    import linscope as ls
    from linscope._compiling import compiler

    with contextlib.suppress(OSError):
        pipe.send(compiler())  # the command waits for this, and opens the page
    from ..algorithms import ALGORITHMS
    from ..answers import answer, answer_text
    from ..samples import sample

    spec = {**sample("or"), "algorithm": "perceptron", "params": {}}
    with contextlib.suppress(BadSpec):
        answer("fit", spec)  # kernels are loaded before anyone waits for them
    gc.freeze()  # what is imported stays: no need to look through it at every collection
    later = [partial(import_module, "scipy.optimize")]
    later += [partial(getattr, ls, each.model) for each in ALGORITHMS.values()]
    with contextlib.suppress(EOFError, OSError):
        pipe.send((True, None))
        while True:
            while later and not pipe.poll(QUIET):
                later.pop(0)()  # imported while nobody asks for anything
            kind, body = pipe.recv()
            try:
                pipe.send((True, answer_text(kind, body)))
            except BadSpec as error:
                pipe.send((False, str(error)))
            except Exception:  # a fault of ours: the process lives on for other questions
                traceback.print_exc()
                pipe.send((False, None))
