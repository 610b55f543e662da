"""The report in a browser, from its file: quiet, alone, readable on a phone and in the dark."""

import pytest

from linscope.selection.report.fragment import notebook_html
from tests.browser import Visit, chromium, needs_browser  # noqa: F401
from tests.selection.findings_samples import SAMPLES, hostile, page_of
from tests.selection.report.test_page import pictures

pytestmark = needs_browser
FIGURES = {"two classes": 7, "classes": 9, "number": 5}
EVERY = pytest.mark.parametrize("name", SAMPLES)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The samples' reports as files."""
    folder = tmp_path_factory.mktemp("reports")
    samples = SAMPLES | {"hostile": hostile}
    paths = {name: folder / f"{name.replace(' ', '-')}.html" for name in samples}
    for name, path in paths.items():
        path.write_text(page_of(samples[name]), encoding="utf-8")
    return paths


@pytest.mark.share(3)
@EVERY
def test_the_page_is_quiet_and_asks_for_nothing(chromium, pages, name):  # noqa: F811
    with Visit(chromium, pages[name]) as visit:
        figures = visit.page.locator("figure img")
        assert figures.count() == FIGURES[name]
        boxes = [figures.nth(k).bounding_box() for k in range(figures.count())]
        small = visit.page.locator(".smalls img").count()
        assert all(box["width"] > 150 and box["height"] > 100 for box in boxes)
        assert sum(box["width"] > 300 for box in boxes) == len(boxes) - small
        assert visit.page.locator("h1").is_visible()
        visit.page.locator(".copyable button").first.click()
        assert visit.outside == []
        assert visit.said == []


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("two classes", 1440, "light"),
        ("two classes", 390, "dark"),
        ("classes", 390, "light"),
        ("number", 1440, "dark"),
    ],
)
def test_axe_finds_no_serious_fault_and_nothing_overflows(chromium, pages, name, width, scheme):  # noqa: F811
    with Visit(chromium, pages[name], width=width, scheme=scheme) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert visit.faults() == []
        assert visit.overflow == 0


def test_text_in_figures_stays_inside_them(chromium, pages, tmp_path):  # noqa: F811
    """The page's type is another than the one the layout was made with."""
    script = """() => {
        const box = document.documentElement.getBoundingClientRect();
        return [...document.querySelectorAll('text')].filter(text => {
            const own = text.getBoundingClientRect();
            return own.left < box.left - 2 || own.right > box.right + 2;
        }).map(text => text.textContent);
    }"""
    for name in SAMPLES:
        for k, picture in enumerate(pictures(page_of(SAMPLES[name]))):
            path = tmp_path / f"{name}-{k}.svg"
            path.write_text(picture, encoding="utf-8")
            with Visit(chromium, path) as visit:
                assert visit.page.evaluate(script) == []


def test_contents_are_open_on_a_desk_and_folded_on_a_phone(chromium, pages):  # noqa: F811
    for width, shown in ((1440, True), (390, False)):
        with Visit(chromium, pages["number"], width=width) as visit:
            assert visit.page.locator("nav a", has_text="Glossary").is_visible() == shown


def test_folded_tables_are_printed(chromium, pages):  # noqa: F811
    with Visit(chromium, pages["number"]) as visit:
        visit.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("main details:not([open])").count() == 0
        visit.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert visit.page.locator("main details:not([open])").count() > 0


def test_long_names_do_not_widen_the_page(chromium, pages):  # noqa: F811
    for width in (1440, 390):
        with Visit(chromium, pages["hostile"], width=width) as visit:
            visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            assert visit.overflow == 0


def test_names_from_the_data_are_harmless(chromium, pages):  # noqa: F811
    with Visit(chromium, pages["hostile"]) as visit:
        assert visit.dialogs == []
        assert visit.said == []
        assert visit.page.locator("script").count() == 2
        assert "<script>alert(1)</script>" in visit.page.locator("#data").inner_text()
        assert "\"&'" in visit.page.locator("#predictions").inner_text()


@pytest.mark.share(2)
@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
def test_the_notebook_view_has_no_fault_on_light_and_dark_ground(chromium, tmp_path, ground):  # noqa: F811
    ink = "#111111" if ground == "#ffffff" else "#eeeeee"
    path = tmp_path / "cell.html"
    path.write_text(
        "<!doctype html><html lang=en><title>t</title>"
        f"<body style='background:{ground};color:{ink}'><main><h1>t</h1>"
        f"{notebook_html(SAMPLES['two classes']())}</main></body></html>",
        encoding="utf-8",
    )
    with Visit(chromium, path) as visit:
        assert visit.faults() == []
        assert visit.said == []
