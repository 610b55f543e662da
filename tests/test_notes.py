"""Every claim of the lecture notes can be seen: docs/notes.md says what its lines show."""

import doctest
import warnings
from io import BytesIO

import matplotlib.image
import matplotlib.pyplot as plt
import pytest

from docs.notes_page import FIGURE, rows, value_of

ROWS = rows()
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
CLAIMS = 115


def test_no_claim_is_missing():
    assert [row.number for row in ROWS] == list(range(1, CLAIMS + 1))


@pytest.mark.share(3)
@pytest.mark.filterwarnings("ignore::UserWarning")  # some claims are about fits that do not end
@pytest.mark.parametrize("row", ROWS, ids=[str(row.number) for row in ROWS])
def test_the_line_shows_the_claim(row, run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if row.command is not None:
        code, out, _ = run(*row.command)
        assert code == 0
        assert row.says in out
        return
    shown = value_of(row)
    if row.says == FIGURE:
        assert _is_a_picture(shown)
    else:
        text = shown if isinstance(shown, str) else repr(shown)
        assert doctest.OutputChecker().check_output(row.says, text, OPTIONS), text


def _is_a_picture(display) -> bool:
    """Something is drawn, everything fits, and it has words that say what it is."""
    written = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a layout that does not fit is a defect
        display.figure_.savefig(written, format="png")
    plt.close("all")
    written.seek(0)
    pixels = matplotlib.image.imread(written)[:, :, :3]
    return (pixels < 0.9).any(axis=2).mean() > 0.02 and str(display) != ""
