"""Rendering of figures in tests."""

import warnings
from io import BytesIO

import matplotlib


def drawn(display):
    """Render to PNG and return all texts of the figure."""
    buffer = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a layout that does not fit is a defect
        display.figure_.savefig(buffer, format="png")
    assert display.axes_[0].get_position().width * display.grid[1] > 0.5
    assert buffer.getvalue().startswith(b"\x89PNG")
    found = display.figure_.findobj(matplotlib.text.Text)
    return " | ".join(text.get_text().replace("\n", " ") for text in found if text.get_text())
