"""Formulas are written once, in LaTeX, and read from there as Unicode; and words in LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from fractions import Fraction
from typing import Any

from linscope._printable import printable

from .cells import number

SPECIAL = {
    "R²": "$R^2$",
    "χ²": r"$\chi^2$",
    "σ²": r"$\sigma^2$",
    **{word: f"${word}$" for word in ("c_k", "w_k", "J_p")},
    "AᵀA": r"$A^{\top}A$",
    "½": r"$\frac12$",
    "Σ": r"$\Sigma$",
    "ℓ": r"$\ell$",
    "–": "--",
    "∞": r"$\infty$",
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
    "λ²": r"$\lambda^2$",
    "²": "$^2$",
    "λ": r"$\lambda$",
    "σ": r"$\sigma$",
    "∇": r"$\nabla$",
    "‖": r"$\|$",
    "⇒": r"$\Rightarrow$",
    "≥": r"$\ge$",
    "ξ": r"$\xi$",
    "≈": r"$\approx$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "≤": r"$\le$",
    "ŷ": r"$\hat{y}$",
    **{c: "\\" + c for c in "&%$#_{}"},
}
SPECIAL_SIGN = re.compile("|".join(map(re.escape, SPECIAL)))
SIGNS = {
    "-": "−",
    r"\alpha": "α",
    r"\beta": "β",
    r"\eta": "η",
    r"\lambda": "λ",
    r"\mu": "μ",
    r"\pi": "π",
    r"\sigma": "σ",
    r"\ln": "ln ",
    r"\nabla": "∇",
    r"\top": "ᵀ",
    r"\|": "‖",
    r"\,": " ",
}
ACCENTS = {r"\bar": "\u0304", r"\hat": "\u0302"}
FONTS = (r"\mathbf", r"\boldsymbol", r"\text")
SUBSCRIPTS = dict(zip("0123456789i", "₀₁₂₃₄₅₆₇₈₉ᵢ", strict=True))
SUPERSCRIPTS = dict(zip("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", strict=True))
# A place for a number, a command with the blanks that TeX skips after it, or one character.
TOKEN = re.compile(r"<\w+>|\\[a-zA-Z]+ *|\\.|.")


def tex(words: str) -> str:
    """The words with everything escaped that LaTeX would read as a command.

    >>> print(tex("50 % of x_1"))
    50 \\% of x\\_1
    """
    return SPECIAL_SIGN.sub(lambda found: SPECIAL[found[0]], printable(" ".join(words.split())))


def math(value: Any, fraction: str = r"\frac") -> str:
    """A number in LaTeX.

    >>> print(math(Fraction(-3, 4)), math(1e-7))
    -\\frac{3}{4} 1 \\cdot 10^{-7}
    """
    words = number(value).replace("−", "-").replace("≈", r"\approx ")
    if isinstance(value, Fraction) and "/" in words:
        sign = "-" if value < 0 else ""
        return rf"{sign}{fraction}{{{abs(value.numerator)}}}{{{value.denominator}}}"
    return re.sub(r"e\+?(-?)0*(\d+)$", r" \\cdot 10^{\1\2}", words)


def plain(formula: str) -> str:
    """The formula as text; places <name> for numbers stay.

    >>> plain(r"\\hat\\beta_1 = \\frac{S_{xy}}{S_{xx} + \\alpha}")
    'β̂₁ = S_xy / (S_xx + α)'
    >>> plain(r"\\frac{1}{n}\\sum_i c_i(x_i - \\bar{x})^2"), plain(r"\\sqrt{<a> \\cdot <b>}")
    ('Σ cᵢ(xᵢ − x̄)² / n', '√(<a>·<b>)')
    """
    return unicodedata.normalize("NFC", _read(deque(TOKEN.findall(formula)), ""))


def _read(tokens: deque[str], end: str) -> str:
    """All tokens up to ``end``."""
    out = ""
    while tokens and tokens[0] != end:
        command = tokens.popleft().rstrip() or " "
        if command == r"\cdot":
            out = out.rstrip() + "·"
        elif command == r"\sum":
            if tokens[0] == "_":
                tokens.popleft()
                _group(tokens)
            out += "Σ " + _read(tokens, end).lstrip()
        elif command == r"\frac":
            above, below = _group(tokens), _group(tokens)
            if (above, below) == ("1", "2"):
                out += "½ "
                continue
            above = _read(tokens, end) if above == "1" else _bracketed(above, "+−")
            out += f"{above} / {_bracketed(below, '+−·')}"
        else:
            out += _one(command, tokens)
    return out


def _one(command: str, tokens: deque[str]) -> str:
    if command in FONTS:
        return _group(tokens)
    if command in ACCENTS:
        return _group(tokens) + ACCENTS[command]
    if command == r"\sqrt":
        return f"√({_group(tokens)})"
    if command == "_":
        below = _group(tokens)
        known = all(c in SUBSCRIPTS for c in below)
        return "".join(SUBSCRIPTS[c] for c in below) if known else f"_{below}"
    if command == "^":
        return "".join(SUPERSCRIPTS.get(c, c) for c in _group(tokens))
    return SIGNS.get(command, command)


def _group(tokens: deque[str]) -> str:
    """What follows in braces, or the next token."""
    first = tokens.popleft().rstrip()
    if first != "{":
        return _one(first, tokens)
    inside = _read(tokens, "}")
    tokens.popleft()
    return inside


def _bracketed(words: str, signs: str) -> str:
    """In brackets if one of the signs is outside of all others."""
    outside = re.sub(r"\([^()]*\)", "", words)
    return f"({words})" if any(sign in outside for sign in signs) else words
