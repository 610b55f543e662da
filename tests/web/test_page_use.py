"""The page in the hands of a person: editing, sharing, own data, the quiz, the keyboard alone."""

import json

import pytest

from linscope.web.answers import answer
from tests.browser import chromium, needs_browser  # noqa: F401
from tests.web.pages import Playground, address, spec_of  # noqa: F401

pytestmark = needs_browser


@pytest.fixture
def page(chromium, address):  # noqa: F811
    spec = spec_of("or", "perceptron", {"max_iter": 12})
    with Playground(chromium, address, spec) as found:
        yield found


def is_pythons(page):
    """The ledger is that of the points in the address, around the step in it."""
    first = int(page["row"].first.get_attribute("data-row"))
    run = answer("fit", {**page.shared()["spec"], "start": first})
    return run["start"] == first and page.rows() == run["ledger"]["rows"]


def points(page):
    return page.shared()["spec"]["data"]["points"]


def test_dragging_refits_and_undo_brings_it_back(page):
    before = points(page)
    page.drag(page["point"].nth(3), -90, 60)
    after = points(page)
    assert after[:3] == before[:3]
    assert after[3][0] < before[3][0]
    assert after[3][1] < before[3][1]
    assert is_pythons(page)
    page.press("Control+z")
    assert points(page) == before
    page.press("Control+y")
    assert points(page) == after


def test_drawing_relabelling_deleting_by_mouse(page):
    page["tool-draw"].click()
    page["class-0"].click()
    x, y = page.middle(page["input-space"])
    page.page.mouse.click(x, y)
    page.ready()
    spec = page.shared()["spec"]
    assert len(spec["data"]["points"]) == 5
    assert spec["data"]["labels"][4] == "-1"
    assert is_pythons(page)
    page["tool-move"].click()
    page["point"].nth(4).click()
    page["class-1"].click()
    page.ready()
    assert page.shared()["spec"]["data"]["labels"][4] == "1"
    page["delete"].click()
    page.ready()
    assert page["point"].count() == 4
    assert is_pythons(page)


def test_everything_by_keyboard(page):
    page.press("Home", "ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.text("place") == "step 1 of 21"
    page.press("+", "+", "End")
    assert page["speed"].input_value() == "8"
    page.press("n", "n")
    held = "document.activeElement.getAttribute('aria-label')"
    assert page.page.evaluate(held).startswith("sample 1, class 1, at 0, 1")
    page.press("Shift+ArrowRight", "ArrowDown")
    assert points(page)[1][0] > 0
    assert points(page)[1][1] < 1
    page.press("1")
    assert page.shared()["spec"]["data"]["labels"][1] == "-1"
    page.press("Delete")
    assert page["point"].count() == 3
    page.press("d", "Enter")
    assert page["point"].count() == 4
    assert is_pythons(page)
    page.press("Escape", "c")
    assert page["curves"].is_visible()
    page.press("?")
    assert page["help-sheet"].is_visible()
    page.press("Escape")
    assert not page["help-sheet"].is_visible()
    theme = "document.querySelector('.linscope').dataset.theme"
    page.press("t")
    assert page.page.evaluate(theme) == "dark"


def test_a_third_class(page):
    page["point"].nth(3).click()
    page.press("3")
    assert page.shared()["spec"]["data"]["labels"] == ["-1", "1", "1", "2"]
    assert page["point"].nth(3).evaluate("node => node.classList.contains('class-2')")
    assert is_pythons(page)


def test_a_link_carries_everything(page, chromium, address):  # noqa: F811
    page["param-eta0"].fill("1/2")
    page["param-eta0"].press("Enter")
    page.ready()
    page.drag(page["point"].nth(3), -40, 25)
    page.press("Escape", "Home", "ArrowRight", "ArrowRight", "b")
    page["share"].click()
    link = page["share-link"].input_value()
    with Playground(chromium, address) as other:
        other.page.goto(link)
        other.page.wait_for_timeout(20)
        other.ready()
        page.press("Escape")
        assert page.text("place").startswith("step 2 of")
        assert other.shared() == page.shared()
        assert other.rows() == page.rows()
        assert other.text("place") == page.text("place")
        assert other["bound"].is_visible()


def test_a_damaged_link_says_so(page):
    spec = {**spec_of("or", "perceptron"), "algorithm": "perzeptron"}
    page.open(spec)
    page["error"].wait_for()
    assert "perzeptron" in page.text("error")


def test_own_table(page):
    page["open-data"].click()
    page["csv"].fill("a,b\n1,2\n3\n")
    page["csv-read"].click()
    page.ready()
    assert "line 3" in page.text("csv-fault")
    table = "height,weight,kind\n1,2,<b>cat</b>\n2,1,dog\n3,3,<b>cat</b>\n4,1,dog\n"
    page["csv"].fill(table)
    page["csv-read"].click()
    page["csv-use"].wait_for()
    assert page.text("csv-fault") == ""
    page["csv-x1"].select_option("weight")
    page.ready()
    page["csv-x2"].select_option("height")
    page.ready()
    page["csv-use"].click()
    page.ready()
    data = page.shared()["spec"]["data"]
    assert data["features"] == ["weight", "height"]
    assert data["points"][0] == [2, 1]
    assert "<b>cat</b>" in page.text("key")
    assert is_pythons(page)


def test_sets_and_generators_by_name(page):
    page["open-data"].click()
    page["sample-five_points"].click()
    page.ready()
    assert page.shared()["spec"]["mode"] == "regression"
    assert page["input-space"].locator(".square").count() == 5
    page["open-data"].click()
    page["generate-overlapping"].click()
    page.ready()
    assert page.shared()["spec"]["mode"] == "classes"
    assert page["point"].count() == 40
    assert is_pythons(page)


def test_what_is_the_next_update(page):
    page.press("Home", "q")
    run = answer("fit", page.shared()["spec"])
    hidden = page["row"].first.evaluate("row => getComputedStyle(row).visibility")
    assert hidden == "hidden"
    first = run["states"][1]
    page["quiz-yes" if first["update"] else "quiz-no"].check()
    for k, weight in enumerate(first["w"][0]):
        page[f"quiz-w{k}"].fill(f"{2 * weight}/2")
    page["quiz-check"].click()
    assert page.text("quiz-verdict").startswith("Right.")
    assert page.text("place") == "step 1 of 21"
    second = run["states"][2]
    page["quiz-no" if second["update"] else "quiz-yes"].check()
    page["quiz-check"].click()
    assert page.text("quiz-verdict").startswith("Not so.")
    assert page.text("quiz-score") == "1 of 2 right"
    with page.page.expect_download() as waiting:
        page["quiz-export"].click()
    score = json.loads(waiting.value.path().read_text())
    assert (score["right"], score["of"]) == (1, 2)
    assert [guess["right"] for guess in score["guesses"]] == [True, False]


@pytest.mark.parametrize("algorithm", ["fisher", "least-squares-classifier", "naive-bayes"])
def test_no_quiz_about_closed_forms(page, algorithm):
    page.open(spec_of("or", algorithm))
    assert page["quiz-open"].is_disabled()
    page.press("Home", "q")
    assert "there is no next update" in page.text("quiz-question")
    assert not page["quiz-check"].is_visible()
    assert page["row"].first.evaluate("row => getComputedStyle(row).visibility") == "visible"
    page.press("q")
    assert not page["quiz"].is_visible()


def test_no_quiz_after_the_last_step(page):
    page.press("End", "q")
    page.at("step 0 of 21")
    page.press("End")
    assert "there is no next update" in page.text("quiz-question")
    assert not page["quiz-check"].is_visible()
    assert not page["quiz-yes"].is_visible()
    page.press("ArrowLeft")
    assert page["quiz-check"].is_visible()


def test_quiz_at_the_border_of_a_window(page):
    page.open(spec_of("non_separable", "perceptron", {"max_iter": 100}))
    page["scrub"].fill("300")
    page.at("step 300 of 500")
    page["say"].click()
    page.press("q")
    run = answer("fit", {**page.shared()["spec"], "start": 301})
    state = run["states"][301 - run["start"] + 1]
    page["quiz-check"].wait_for()
    page["quiz-yes" if state["update"] else "quiz-no"].check()
    page["quiz-check"].click()
    page.at("step 301 of 500")
    assert page.text("quiz-verdict").startswith("Right.")


def test_own_table_of_many_rows_and_large_numbers(page):
    page["open-data"].click()
    rows = "".join(f"{k},{(7 * k) % 11},{'xy'[k % 2]}\n" for k in range(5000))
    table = {"name": "many.csv", "mimeType": "text/csv", "buffer": f"a,b,kind\n{rows}".encode()}
    page.page.locator("input[type=file]").set_input_files(table)
    page["csv-use"].wait_for()
    assert page["csv-use"].inner_text() == "Use a sample of 500"
    assert "5,000 rows" in page["csv-use"].locator("xpath=..").inner_text()
    page["csv-use"].click()
    page.ready()
    assert page["point"].count() == 500
    assert page["scrub"].get_attribute("max") == page.text("place").split()[-1].replace(",", "")
    page["open-data"].click()
    page["csv"].fill("a,b,kind\n1e300,2,x\n2e300,1,y\n3,3,x\n4,1,y\n")
    page["csv-read"].click()
    page.page.get_by_text("shown in units of 1e+300").wait_for()
    page["csv-use"].click()
    page.ready()
    assert page.shared()["spec"]["data"]["points"][1] == [2, 1]
    assert "a / 1e+300" in page["input-space"].text_content()
    assert is_pythons(page)


def test_exports(page):
    run = answer("fit", page.shared()["spec"])
    wanted = {**answer("ledger", page.shared()["spec"]), "python": run["python"]}

    def taken(name):
        page["export"].locator("summary").click()
        with page.page.expect_download() as waiting:
            page[f"export-{name}"].click()
        return waiting.value.path().read_bytes()

    for name, text in wanted.items():
        assert taken(name).decode().replace("\r\n", "\n") == text.replace("\r\n", "\n")
    assert b"<svg" in taken("input-space-svg")
    assert taken("input-space-png").startswith(b"\x89PNG")


def test_same_points_every_classifier(page):
    page["view-everyone"].click()
    page["tile"].first.wait_for()
    page.ready()
    least_squares = page["tile"].filter(has_text="Least squares").locator(".equation")
    before = least_squares.inner_text()
    page.drag(page["tile"].first.locator(".point").nth(3), 30, 20)
    page.page.wait_for_function(
        "([node, text]) => node.textContent !== text", arg=[least_squares.element_handle(), before]
    )
    page["view-everyone"].click()
    page.ready()
    assert points(page)[3] != [1, 1]
    assert is_pythons(page)


def test_on_a_phone_the_tools_are_one_line_and_the_ledger_shows_whole_rows(chromium, address):  # noqa: F811
    with Playground(chromium, address, spec_of("blobs", "perceptron"), width=390) as page:
        page.press("n")
        tools = page.page.locator(".tools button")
        boxes = [tools.nth(k).bounding_box() for k in range(tools.count())]
        assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1
        assert max(box["x"] + box["width"] for box in boxes) <= 380
        for keys in (("Escape", "End"), ("ArrowLeft",)):
            page.press(*keys)
            head = page["ledger"].locator("thead").bounding_box()
            under = head["y"] + head["height"]
            tops = page["row"].evaluate_all("all => all.map(one => one.getBoundingClientRect().y)")
            assert min(abs(top - under) for top in tops) < 1
