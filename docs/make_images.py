"""Make the pictures of the README: python docs/make_images.py."""

from io import BytesIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np
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
    write(figure, "perceptron.png")


def margins() -> None:
    """Hard and soft margin of the same samples."""
    rng = np.random.default_rng(5)
    y = np.repeat([-1, 1], 25)
    X = 0.7 * rng.normal(size=(50, 2)) + np.where(y > 0, 1, 0)[:, None] * [2.6, 1.6]
    figure = Figure(figsize=(12, 5), layout="constrained", facecolor="white")
    for ax, C in zip(figure.subplots(1, 2), (np.inf, 0.1), strict=True):
        ls.plot.margin(ls.LinearSVC(C=C).fit(X, y), X, y, ax=ax)
    write(figure, "margins.png")


def xor() -> None:
    """XOR separated in the features of (1 + x·z)²."""
    X, y = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]]), np.array([-1, 1, 1, -1])
    model = ls.SVC(C=np.inf, kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    write(ls.plot.margin(model, X, y).figure_, "xor.png")


def report() -> None:
    """The top of a report, as a browser shows it; this one needs chromium and playwright."""
    from playwright.sync_api import sync_playwright

    found = ls.compare(ls.datasets.load("churn"), budget=None, verbose=False)
    with TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "churn.html"
        found.report(page)
        browser = play.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1280, "height": 1560})
        view.goto(page.as_uri())
        picture = Image.open(BytesIO(view.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(256).save(IMAGES / "report.png", optimize=True)


def write(figure: Figure, name: str) -> None:
    """256 colours are enough for a diagram and a third of the bytes."""
    IMAGES.mkdir(exist_ok=True)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    Image.open(buffer).convert("RGB").quantize(256).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    perceptron()
    margins()
    xor()
    report()
