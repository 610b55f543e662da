"""Write a figure to a file: all of it or nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .errors import BadInput
from .screen import complain

FORMATS = (".png", ".svg", ".pdf")


def check_figure_path(path: Path | None) -> None:
    """Refuse, before any work, a name that no figure could be written to."""
    if path is None:
        return
    if path.suffix.lower() not in FORMATS:
        raise BadInput(f"--plot {path}: a figure's name must end in {', '.join(FORMATS)}")
    if path.is_dir():
        raise BadInput(f"--plot {path} is a folder: name a file")
    folder = path.parent
    if not folder.is_dir():
        raise BadInput(f"--plot {path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"--plot {path}: no permission to write in {folder}")


def named(X: Any, features: list[str]) -> Any:
    """The samples with names for the axes, if a data frame library is installed."""
    from linscope.data.frames import with_names

    return X if hasattr(X, "toarray") else with_names(X, features)


def write_figure(display: Any, path: Path, *, quiet: bool = False) -> None:
    """Draw to a file beside ``path``, put it in place in one step, and say so."""
    from linscope.display.files import complete_file

    try:
        with complete_file(path) as temporary:
            display.save(temporary)
    except OSError as error:
        raise BadInput(f"--plot {path}: {error.strerror or error}") from error
    if not quiet:
        complain(f"figure written to {path}")
