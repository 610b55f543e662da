"""The page as a hand-out, inside other pages, on a phone, in the dark, and for axe-core."""

import re

import pytest

from linscope.web.answers import answer
from linscope.web.catalog import catalog
from linscope.web.hosts import handout as host
from linscope.web.hosts.handout import handout
from tests.browser import Visit, chromium, needs_browser  # noqa: F401
from tests.web.pages import PATIENCE, Playground, address, spec_of  # noqa: F401

pytestmark = needs_browser


def test_a_handout_opens_alone(chromium, tmp_path):  # noqa: F811
    spec = spec_of("or", "perceptron")
    spec["data"]["names"] = ["</script><b>x</b>", "one", "two", "three"]
    file = tmp_path / "handout.html"
    file.write_text(handout(spec, lectures=False), encoding="utf-8")
    with Visit(chromium, file, offline=True) as visit:
        find = lambda name: visit.page.locator(f"[data-testid='{name}']")  # noqa: E731
        find("point").first.wait_for()
        visit.page.keyboard.press("Home")
        visit.page.keyboard.press("ArrowRight")
        assert find("say").inner_text().startswith("</script><b>x</b>")
        assert find("place").inner_text() == "step 1 of 21"
        assert find("algorithm").is_disabled()
        assert not find("open-data").is_visible()
        visit.page.locator("[data-testid=point]").nth(3).click()
        visit.page.keyboard.press("Delete")
        assert find("point").count() == 4
        assert visit.outside == []
        assert visit.said == []
        assert visit.faults() == []


def test_a_handout_of_a_long_run_says_what_it_has(chromium, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(host, "MOST", 300_000)
    spec = spec_of("non_separable", "perceptron", {"max_iter": 1000})
    file = tmp_path / "handout.html"
    file.write_text(handout(spec, lectures=False), encoding="utf-8")
    with Visit(chromium, file, offline=True) as visit:
        find = lambda name: visit.page.locator(f"[data-testid='{name}']")  # noqa: E731
        find("point").first.wait_for()
        assert find("place").inner_text() == "step 5,000 of 5,000"
        words = find("part-of").inner_text()
        first = int(re.search(r"steps ([\d,]+) to 5,000 of 5,000", words)[1].replace(",", ""))
        assert 0 < first < 4700
        assert find("scrub").get_attribute("min") == str(first)
        visit.page.keyboard.press("Home")
        assert find("place").inner_text() == f"step {first:,} of 5,000"
        visit.page.keyboard.press("ArrowRight")
        run = answer("fit", {**spec, "start": first + 1, "window": True})
        assert find("say").inner_text() == run["states"][1]["say"]
        find("scrub").fill("4700")
        assert find("place").inner_text() == "step 4,700 of 5,000"
        assert visit.outside == []
        assert visit.said == []


def test_lectures_open_with_their_words(chromium, address):  # noqa: F811
    first, second = catalog()["lectures"][:2]
    with Playground(chromium, address, query=f"?lecture={first['id']}") as page:
        assert first["text"] in page.text("lecture")
        assert first["try"] in page.text("try")
        page["lecture-next"].click()
        page.ready()
        assert second["text"] in page.text("lecture")
        assert page.shared()["lecture"] == second["id"]


def test_embedded_it_tells_its_parent(chromium, address):  # noqa: F811
    with Playground(chromium, address, spec_of("or", "perceptron")) as page:
        page["share"].click()
        frame = page["share-embed"].input_value()
        parent = page.context.new_page()
        parent.set_default_timeout(PATIENCE)
        slides = (
            "<script>heard = []; onmessage = event => { heard.push(event.data); };</script>"
            + frame.replace("step=0", "step=7&quiz=1")
        )
        there = address + "slides"
        parent.route(there, lambda route: route.fulfill(body=slides, content_type="text/html"))
        parent.goto(there)
        parent.wait_for_function(
            "() => heard.some(each => each.type === 'linscope' && each.step === 7)"
        )
        inside = parent.frame_locator("iframe")
        assert not inside.locator("nav").is_visible()
        assert not inside.locator("[data-testid=algorithm]").is_visible()
        inside.locator("[data-testid=next]").click()
        parent.wait_for_function("() => heard.at(-1).step === 8")
        assert parent.evaluate("heard.at(-1).spec.algorithm") == "perceptron"
        parent.evaluate("frames[0].postMessage({ type: 'linscope', step: 3 }, '*')")
        parent.wait_for_function("() => heard.at(-1).step === 3")
        inside.locator("[data-testid=quiz-no]").check()
        inside.locator("[data-testid=quiz-check]").click()
        parent.wait_for_function("() => heard.at(-1).guess")
        inside.locator("[data-testid=next]").click()
        parent.wait_for_function("() => heard.at(-1).step === 5")
        assert parent.evaluate("heard.filter(each => each.guess).length") == 1


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_readable_for_everyone(chromium, address, width, scheme):  # noqa: F811
    spec = spec_of("overlapping", "svm", {}, {"n": 12})
    look = {"width": width, "scheme": scheme, "bypass_csp": True}  # axe is put into the page
    with Playground(chromium, address, spec, **look) as page:
        assert page.overflow <= 0
        assert page.faults() == []
        page.press("Home", "q")
        assert page.faults() == []
        for opener in ("open-data", "lectures", "share", "help"):
            page[opener].click()
            assert page.faults("dialog[open]") == []
            page.press("Escape")
        page["view-everyone"].click()
        page["tile"].first.wait_for()
        assert page.overflow <= 0
        assert page.faults() == []
