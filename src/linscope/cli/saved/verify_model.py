"""``linscope verify`` of a saved model: its certificate, checked from the table alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import CHECK_FAILED, FINE, input_errors
from ..json_document import print_json
from ..screen import console, facts, paragraph, verdict
from ..tables.table import Given


def is_model(path: Path) -> bool:
    """Whether a file is a model rather than a report: by its name, or as safetensors begin."""
    if path.suffix.lower() == ".linscope":
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(9)[8:] == b"{"  # behind the length of the header


def verify_model(
    path: Path, given: Given, *, target: str | None, as_json: bool, sheet: str | None
) -> int:
    """Is it the table of the fit, and does the certificate hold on it?"""
    from .checking import check, hash_of, question_of
    from .model_file import read_model

    model = read_model(path)
    there = model.about.get("sha256")
    with input_errors(also=(TypeError,)):
        content = given.read(sheet)
        here, rows = hash_of(model, content, target)
        same = None if there is None else there == here
        found: Any = None
        if same is not False:
            found = check(model, question_of(model, content, target))
    if as_json:
        said = {
            "model": str(path),
            "table": {None: "not known", True: "same", False: "another"}[same],
            "verified": bool(found),
            "claim_holds": found is not None and found.claim_holds,
            "reason": "another table" if found is None else found.reason,
        }
        print_json(said)
    elif same is False:
        out = console()
        paragraph(out, f"{given.name} is not the table of {path.name}.", style="bold red")
        rows_there, name = model.about.get("rows", "?"), model.about.get("table", "a table")
        claimed = f"{_short(str(there))}, {rows_there} rows of {name}"
        facts(out, [("in the file", claimed), ("here", f"{_short(here)}, {rows} rows")])
    else:
        _say(model, found, same)
    return FINE if found else CHECK_FAILED


def _short(digest: str) -> str:
    return f"{digest[:12]}…" if digest else "no such target"


def _say(model: Any, found: Any, same: bool | None) -> None:
    out = console()
    verdict(out, found)
    pairs = [
        ("model", model.about.get("python") or type(model.final).__name__),
        ("certificate", model.final.certificate_.text),
        ("table", "the one of the fit, by its hash" if same else "the file does not say which"),
    ]
    if model.reader is not None and found.claim_holds:
        pairs.append(("preparation", "made again from the table, the same"))
    facts(out, pairs)
