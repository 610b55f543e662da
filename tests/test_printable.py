"""What a name may hold, and what of it is shown."""

import json
import sys
import unicodedata

import pytest

from linscope._printable import escape, json_text, printable

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
# Marks of Unicode that steer what stands around them; joiners are part of letters and emoji.
STEERING = {
    one
    for one in EVERY
    if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") and one not in "\u200c\u200d"
}
# Signs of Arabic, Syriac, Kaithi and hieroglyphs that are drawn, and musical and shorthand marks.
DRAWN = {one for one in STEERING if unicodedata.bidirectional(one) in ("AN", "AL", "L")}
DRAWN |= {one for one in STEERING if 0x1BCA0 <= ord(one) <= 0x1D17A}


def test_every_character_that_steers_is_an_escape():
    shown = printable("".join(EVERY))
    assert not (STEERING - DRAWN) & set(shown)
    assert printable(shown) == shown


def test_letters_of_all_scripts_stay():
    letters = "".join(one for one in EVERY if unicodedata.category(one)[0] in "LMNPS")
    assert printable(letters) == letters
    family = "👩\u200d👩\u200d👧 ❤\ufe0f"
    assert printable(family) == family


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x01b", r"a\x01b"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("two\nlines", r"two\nlines"),
        ("\ud800", r"\ud800"),
        ("\u202e99.0", r"\u202e99.0"),
        ("\U000e0041", r"\U000e0041"),
        ("plain ½ ü", "plain ½ ü"),
    ],
)
def test_names(name, shown):
    assert printable(name) == shown


def test_ends_of_lines_may_stay():
    assert printable("a\nb\r", "\n") == "a\nb\\r"


def test_html():
    assert escape("<b>\x1b") == "&lt;b&gt;\\x1b"


@pytest.mark.parametrize("options", [{}, {"indent": 1}])
def test_json_is_printable_and_gives_the_same_text_back(options):
    document = {"\x7f\x9b\u202e": ["".join(EVERY[:0xD800]), "\ud800", "\U000e0041", "two\nlines"]}
    text = json_text(document, **options)
    assert json.loads(text) == document
    assert not (STEERING - DRAWN - {"\n"}) & set(text)
