"""``linscope verify`` of a saved model: its certificate, checked from the table alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .errors import CHECK_FAILED, FINE, input_errors
from .screen import console, facts, paragraph, verdict
from .table import Given


def is_model(path: Path) -> bool:
    """Whether a file is a model rather than a report; told by its first bytes."""
    if path.suffix.lower() in (".html", ".htm", ".json"):
        return False
    if path.suffix.lower() == ".linscope" or not path.is_file():
        return path.suffix.lower() == ".linscope"
    with path.open("rb") as file:
        return not file.read(64).lstrip().startswith(b"<")


def verify_model(
    path: Path, given: Given, *, target: str | None, as_json: bool, quiet: bool, sheet: str | None
) -> int:
    """Is it the table of the fit, and does the certificate hold on it?"""
    from .checking import check, question_of
    from .model_file import read_model

    model = read_model(path)
    with input_errors(also=(TypeError,)):
        question = question_of(model, given.read(sheet), target)
        hashes = model.about.get("sha256"), question.sha256
        same = None if hashes[0] is None else hashes[0] == hashes[1]
        found: Any = None if same is False else check(model, question)
    holds = same is not False and bool(found)
    if as_json:
        said = {
            "model": str(path),
            "table": {None: "not known", True: "same", False: "another"}[same],
            "verified": holds,
            "reason": "another table" if found is None else found.reason,
        }
        json.dump(said, sys.stdout, ensure_ascii=False, indent=2)
        print()
    elif same is False:
        out = console()
        paragraph(out, f"{given.name} is not the table of {path.name}.", style="bold red")
        there = f"{hashes[0][:12]}…, {model.about.get('rows', '?')} rows of {model.about['table']}"
        facts(
            out,
            [("in the file", there), ("here", f"{hashes[1][:12]}…, {len(question.table)} rows")],
        )
    elif not (quiet and holds):
        _say(model, found, same)
    return FINE if holds else CHECK_FAILED


def _say(model: Any, found: Any, same: bool | None) -> None:
    out = console()
    verdict(out, found)
    pairs = [
        ("model", model.about.get("python") or type(model.final).__name__),
        ("certificate", model.final.certificate_.text),
        ("table", "the one of the fit, by its hash" if same else "the file does not say which"),
    ]
    if model.reader is not None and found:
        pairs.append(("preparation", "made again from the table, the same"))
    facts(out, pairs)
