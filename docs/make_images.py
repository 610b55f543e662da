"""Make the pictures of the README: python docs/make_images.py."""

from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

import linscope as ls

IMAGES = Path(__file__).parent / "images"


def perceptron() -> None:
    """One run from two sides: the boundary in the plane, the weights between their bounds."""
    X, y = ls.datasets.make_separable(40, margin=0.25, random_state=0)
    X += [1.5, 0.5]
    figure = Figure(figsize=(12, 5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    ls.plot.path_of_boundaries(X, y, ls.Perceptron(), ax=left)
    ls.plot.convergence(ls.Perceptron(), X, y, ax=right)
    figure.get_layout_engine().set(wspace=0.06, w_pad=0.15, h_pad=0.12)
    IMAGES.mkdir(exist_ok=True)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    # 256 colours are enough for a diagram and a third of the bytes
    Image.open(buffer).convert("RGB").quantize(256).save(IMAGES / "perceptron.png", optimize=True)


if __name__ == "__main__":
    perceptron()
