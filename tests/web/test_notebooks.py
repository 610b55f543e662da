"""The widget where it is used: in JupyterLab and in marimo, with a kernel behind it."""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from linscope.web.answers import answer
from tests.browser import Visit, chromium, needs_browser  # noqa: F401
from tests.web.pages import PATIENCE, spec_of

CODE = """\
import linscope as ls
widget = ls.playground(*ls.datasets.load("or"), params={"max_iter": 12})
widget
"""
MARIMO = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import linscope as ls

    ls.playground(*ls.datasets.load("or"), params={"max_iter": 12})
    return


if __name__ == "__main__":
    app.run()
"""
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "one",
            "metadata": {},
            "source": CODE,
            "outputs": [],
            "execution_count": None,
        }
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def needs(package):
    missing = importlib.util.find_spec(package) is None
    reason = f"the widget is not tried in {package}: `make notebooks` installs it and tries it"
    return pytest.mark.skipif(missing, reason=reason)


pytestmark = needs_browser


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Served:
    """A server of notebooks in another process, until the end of the block."""

    def __init__(self, folder, module, *arguments):
        self.port = free_port()
        self.log = folder / "log.txt"
        homes = ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "XDG_CONFIG_HOME")
        environment = {**os.environ, **dict.fromkeys(homes, str(folder / "home"))}
        asked = [each.replace("PORT", str(self.port)) for each in arguments]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *asked],
                cwd=folder, env=environment, stdout=log, stderr=log,
            )  # fmt: skip

    def __enter__(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5).close()
                return f"http://127.0.0.1:{self.port}/"
            except urllib.error.HTTPError:
                return f"http://127.0.0.1:{self.port}/"
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise AssertionError(self.log.read_text())

    def __exit__(self, *error):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@needs("jupyterlab")
def test_in_jupyterlab(chromium, tmp_path):  # noqa: F811
    (tmp_path / "note.ipynb").write_text(json.dumps(NOTEBOOK))
    arguments = (
        "--no-browser",
        "--allow-root",
        "--port=PORT",
        "--IdentityProvider.token=",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    )
    served = Served(tmp_path, "jupyterlab", *arguments)
    with served as address, Visit(chromium, address + "doc/tree/note.ipynb") as visit:
        visit.page.set_default_timeout(PATIENCE)
        visit.page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        visit.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
        visit.page.keyboard.press("Shift+Enter")
        use(visit, address)


@needs("marimo")
def test_in_marimo(chromium, tmp_path):  # noqa: F811
    (tmp_path / "note.py").write_text(MARIMO)
    arguments = ["run", "note.py", "--headless", "--host=127.0.0.1", "--port=PORT", "--no-token"]
    with Served(tmp_path, "marimo", *arguments) as address, Visit(chromium, address) as visit:
        visit.page.set_default_timeout(PATIENCE)
        use(visit, address)


def use(visit, address):
    """The widget shows itself, steps, and asks its kernel when a point is dragged."""
    find = lambda name: visit.page.locator(f"[data-testid='{name}']")  # noqa: E731
    find("point").first.wait_for()
    find("first").click()
    find("next").click()
    assert find("place").inner_text() == "step 1 of 21"
    before = find("point").nth(3).get_attribute("aria-label")
    rows = ledger(find)
    assert rows == answer("fit", spec_of("or", "perceptron", {"max_iter": 12}))["ledger"]["rows"]
    drag(visit.page, find("point").nth(3))
    visit.page.wait_for_function(
        "([cell, text]) => cell.textContent !== text",
        arg=[find("ledger").locator("tbody tr").nth(3).element_handle(), "".join(rows[3])],
    )
    assert find("point").nth(3).get_attribute("aria-label") != before
    assert ledger(find) == answer("fit", now_shown(find))["ledger"]["rows"]
    assert visit.ours() == []
    own = ("data:", "blob:", address, address.replace("http", "ws"))
    assert [url for url in visit.asked if not url.startswith(own)] == []


def drag(page, node):
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 40, steps=3)
    page.mouse.up()


def ledger(find):
    return find("ledger").evaluate(
        "table => [...table.tBodies[0].rows]"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )


def now_shown(find):
    """The spec of the points as the page describes them."""
    labels = find("point").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    places = [re.search(r"at ([^,]*), ([^,]*)(, on the|$)", label).groups()[:2] for label in labels]
    spec = spec_of("or", "perceptron", {"max_iter": 12})
    spec["data"]["points"] = [[float(v.replace("−", "-")) for v in place] for place in places]
    return spec
