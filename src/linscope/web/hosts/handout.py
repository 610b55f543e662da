"""One file that opens without Python and without a network: the page with its runs inside.

Of a long run the file has the steps around the one that it opens with, as many as fit into
``MOST``; the page says which these are.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from ..answers import answer, packed_answer
from ..catalog import catalog
from ..limits import ROWS
from . import assets

# Characters of JSON for the states of a long run.
MOST = 1_500_000
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:;
 script-src 'sha256-{script_hash}'; style-src 'sha256-{style_hash}'">
<title>linscope playground</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body class="linscope-page">
<div id="linscope"></div>
<noscript>The playground draws with JavaScript; please allow it for this page.</noscript>
<script type="application/json" id="linscope-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def handout(spec: dict[str, Any] | None = None, lectures: bool = True) -> str:
    """The page of one run, and of all lectures."""
    listed = catalog()["lectures"] if lectures else []
    runs = {each["run_key"]: _whole_run(each["spec"], each["step"]) for each in listed}
    run = runs[catalog()["first"]] if spec is None else _whole_run(spec)
    document = {
        "catalog": {**catalog(), "lectures": listed},
        "run": run,
        "runs": runs,
        "options": {"host": "handout", "embed": False, "step": None, "lecture": None},
    }
    script, style = "\n" + assets.page_script() + "\n", "\n" + assets.style() + "\n"
    if "</script" in script.lower() or "</style" in style.lower():
        raise AssertionError("the page's own script must not close its element")
    return PAGE.format(
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        data=assets.safe_json(document),
    )


def _whole_run(spec: dict[str, Any], step: int | None = None) -> dict[str, Any]:
    """A run with all that the page would ask for later, and where it opens; None: at its end."""
    run = packed_answer("fit", spec)
    if run["total"] <= ROWS:
        return {**run, "exports": answer("ledger", spec)}
    windows = _windows(spec, run["total"], run["total"] if step is None else step)
    first, last = windows[0], windows[-1]
    return {
        **run,
        **dict.fromkeys(("states", "ledger", "curves")),
        "weights": {**run["weights"], "states": None},
        "windows": windows,
        "reach": [first["start"] - 1, last["start"] + len(last["states"]) - 2],
        "exports": answer("ledger", {**spec, "start": first["start"]}),
    }


def _windows(spec: dict[str, Any], total: int, step: int) -> list[dict[str, Any]]:
    """Windows that follow each other, the one with the step first, then those before and after."""
    room, found = MOST, {}
    here, last = max(0, -(-step // ROWS) - 1), -(-total // ROWS) - 1
    for k in sorted(range(last + 1), key=lambda k: abs(k - here)):
        found[k] = packed_answer("fit", {**spec, "start": k * ROWS + 1, "window": True})
        room -= len(assets.safe_json(found[k]))
        if room < 0:
            break
    return [found[k] for k in sorted(found)]


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
