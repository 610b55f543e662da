"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def complete_file(path: Any) -> Iterator[Path]:
    """The name of a new file beside ``path``; at the end it takes its place, if all went well.

    It is opened by whoever writes it, so it gets the rights that any new file of the user has.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> with complete_file(path) as name:
    ...     name.write_text("all of it")
    9
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('all of it', 1)
    """
    target = Path(path)
    temporary = target.with_name(f".{secrets.token_hex(8)}{target.suffix.lower()}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
