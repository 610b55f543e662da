"""How long a person waits for the playground: ``python -m benchmarks.pages.playground``.

    first step   from the start of ``linscope playground`` to the first step in the page, and to the
                 first dragged point that Python has answered. CPU is that of the command and its
                 processes until then
    drag         from the move of the mouse to the redrawn page, one of 50 points dragged at the end
                 of a run; through the server, its processes and Python. CPU is Python's part alone

The kernels are compiled before. On a busy machine the least of many waits says what the code takes.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

from linscope.web.answers import answer_text
from linscope.web.hosts.assets import in_address
from linscope.web.samples import sample

CHROMIUM = "/usr/bin/chromium"
COMMAND = Path(sys.executable).parent / "linscope"
ALGORITHMS = ("perceptron", "logistic-newton", "logistic-stochastic", "svm", "linear-svm")
REGRESSIONS = ("least-squares", "lms-batch")
READY = (
    "() => document.querySelector('[data-testid=say]')?.textContent"
    " && !document.querySelector('.linscope').hasAttribute('data-busy')"
)
# From the move to the frame after the last answer was drawn.
WATCH = """() => {
  const root = document.querySelector(".linscope");
  let moved = null;
  window.waits = [];
  window.addEventListener("pointermove", () => { moved = performance.now(); }, true);
  new MutationObserver(() => {
    if (root.hasAttribute("data-busy") || moved === null) return;
    const since = moved;
    moved = null;
    requestAnimationFrame(() => window.waits.push(performance.now() - since));
  }).observe(root, { attributeFilter: ["data-busy"] });
}"""


@contextmanager
def served() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The playground as a person starts it: its address and its process."""
    words = [str(COMMAND), "playground", "--no-browser", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = (re.search(r"http://\S+", line) for line in process.stdout)
        yield next(each.group() for each in found if each), process
    finally:
        process.terminate()
        process.wait()


def first_step(page: Page) -> tuple[float, float, float]:
    """Seconds from the start of the command to the first step, to the first drag; their CPU."""
    begin = time.perf_counter()
    with served() as (address, process):
        page.goto(address)
        page.wait_for_function(READY)
        before = page.locator("[data-testid=place]").inner_text()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "text => document.querySelector('[data-testid=place]').textContent !== text", arg=before
        )
        stepped = time.perf_counter() - begin
        page.evaluate(WATCH)
        x, y = _hold(page, 3)
        page.mouse.move(x - 60, y + 40)
        page.wait_for_function("() => window.waits.length > 0")
        dragged = time.perf_counter() - begin
        page.mouse.up()
        command = psutil.Process(process.pid)
        used = [each.cpu_times() for each in (command, *command.children(recursive=True))]
        return stepped, dragged, sum(each.user + each.system for each in used)


def _hold(page: Page, number: int) -> tuple[float, float]:
    """The mouse on a point, pressed: where it is."""
    box = page.locator("[data-testid=point]").nth(number).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def spec_of(algorithm: str) -> dict[str, Any]:
    name = "noisy_line" if algorithm in REGRESSIONS else "overlapping"
    return {**sample(name, {"n": 50}), "algorithm": algorithm, "params": {}}


def drag(page: Page, address: str, algorithm: str, moves: int) -> list[float]:
    """Milliseconds that each move of a dragged point takes to be seen."""
    page.goto("about:blank")
    page.goto(address + in_address(spec_of(algorithm)))
    page.wait_for_function(READY)
    page.keyboard.press("End")
    page.evaluate(WATCH)
    x, y = _hold(page, 7)
    for k in range(moves):
        page.mouse.move(x + 30 + (k % 9) * 6, y - 40 + (k % 7) * 9)
        page.wait_for_function(f"() => window.waits.length > {k}")
    page.mouse.up()
    page.wait_for_function(READY)
    return page.evaluate("window.waits")[:moves]


def python_part(algorithm: str, times: int = 15) -> float:
    """Milliseconds of CPU that the answer to one move takes, the least of many."""
    view = "loss" if algorithm in REGRESSIONS else "weights"
    spec = {**spec_of(algorithm), "brief": {"at": None, "view": view}}
    used = []
    for _ in range(times):
        begin = time.process_time()
        answer_text("fit", spec)
        used.append(time.process_time() - begin)
    return 1000 * min(used[1:])


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--starts", type=int, default=3, help="how often the command is started")
    words.add_argument(
        "--moves", type=int, default=40, help="moves of the mouse of each drag; or 0"
    )
    asked = words.parse_args()
    subprocess.run([str(COMMAND), "warm"], check=True, stdout=subprocess.DEVNULL)
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        starts = [first_step(page) for _ in range(asked.starts)]
        for what, seconds in zip(
            ("first step", "first drag", "CPU"), zip(*starts, strict=True), strict=True
        ):
            least, middle = min(seconds), statistics.median(seconds)
            print(f"{what:22} least {least:.2f} s, median {middle:.2f} s", flush=True)
        if not asked.moves:
            return
        print(f"{'drag of 50 points':22} {'least':>8} {'median':>8} {'CPU':>8}   (ms)")
        with served() as (address, _):
            for algorithm in (*ALGORITHMS, *REGRESSIONS):
                waits = drag(page, address, algorithm, asked.moves)
                numbers = min(waits), statistics.median(waits), python_part(algorithm)
                print(f"{algorithm:22}" + "".join(f" {each:8.1f}" for each in numbers), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
