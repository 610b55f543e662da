"""Plain words in a LaTeX document."""

from __future__ import annotations

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "→": r"$\to$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "η": r"$\eta$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "≈": r"$\approx$",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def tex(words: str) -> str:
    """The words with everything escaped that LaTeX would read as a command.

    >>> print(tex("50 % of x_1"))
    50 \\% of x\\_1
    """
    return "".join(SPECIAL.get(c, c) for c in " ".join(words.split()))
