"""Names from a table as text that can be shown.

A name may hold anything: characters that steer a terminal, that XML does not know, that turn the
direction of the text after them. Such characters are shown as Python writes them, ``\\x1b``.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

# Control characters, marks of direction, blanks without width, ends of lines and paragraphs, halves
# of surrogate pairs, tags. Letters may be joined (U+200C, U+200D): scripts and emoji need that.
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


def printable(text: str, keep: str = "") -> str:
    """The text with every character that does more than stand in its line written as an escape.

    Parameters
    ----------
    keep : characters that stay, such as the ends of lines of a whole text

    Examples
    --------
    >>> print(printable("a\\x1b[31mred"), printable("one\\ntwo"), printable("naïve 😀"))
    a\\x1b[31mred one\\ntwo naïve 😀
    """
    if text.isprintable():  # nearly always, and quicker
        return text
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def escape(text: str) -> str:
    """The text as HTML."""
    return html.escape(printable(text, "\n"))


def json_text(document: Any, **options: Any) -> str:
    """The document as JSON that may be printed and written: what is not printable is an escape.

    >>> print(json_text({"a\\x9b": "é"}))
    {"a\\u009b": "é"}
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, **options)
    return text if text.isprintable() else UNSAFE.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    if found[0] == "\n":  # of the layout: inside texts it is an escape already
        return "\n"
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))
