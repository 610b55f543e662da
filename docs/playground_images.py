"""The pictures of the playground for README and docs: ``python docs/playground_images.py``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from linscope.web.hosts.handout import handout
from linscope.web.samples import sample

HERE = Path(__file__).parent / "images"
POINTS = {"n": 24, "margin": 0.12, "random_state": 7}


def main() -> None:
    spec = {**sample("separable", POINTS), "algorithm": "perceptron", "params": {}}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "playground.html"
        page.write_text(handout(spec, lectures=False), encoding="utf-8")
        browser = play.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        view = browser.new_page(viewport={"width": 1280, "height": 860})
        view.goto(page.as_uri())
        view.wait_for_selector("[data-testid=ledger]")
        view.keyboard.press("End")
        view.wait_for_timeout(500)
        view.screenshot(path=HERE / "playground.png")
        browser.close()


if __name__ == "__main__":
    main()
