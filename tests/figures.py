"""Rendering of figures in tests."""

import warnings

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg


def drawn(display):
    """Render to pixels and return all texts of the figure."""
    canvas = FigureCanvasAgg(display.figure_)  # savefig would lay out and draw twice
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a layout that does not fit is a defect
        canvas.draw()
    assert display.axes_[0].get_position().width * display.grid[1] > 0.5
    assert np.ptp(canvas.buffer_rgba()) > 0  # not a blank sheet
    found = display.figure_.findobj(matplotlib.text.Text)
    return " | ".join(text.get_text().replace("\n", " ") for text in found if text.get_text())
