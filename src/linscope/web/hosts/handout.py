"""One file that opens without Python and without a network: the page with its runs inside."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from ..answers import answer, packed_answer
from ..catalog import catalog
from . import assets

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
    runs = {each["run_key"]: _whole_run(each["spec"]) for each in listed}
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


def _whole_run(spec: dict[str, Any]) -> dict[str, Any]:
    """A run with all that the page would ask for later."""
    return {**packed_answer("fit", spec), "exports": answer("ledger", spec)}


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
