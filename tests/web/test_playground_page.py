"""What the page draws is what Python says, for every algorithm and at every step."""

import re

import numpy as np
import pytest

from linscope.web.algorithms import ALGORITHMS
from linscope.web.answers import answer
from linscope.web.hosts.assets import in_address
from tests.browser import chromium, needs_browser  # noqa: F401
from tests.web.pages import Playground, address, spec_of  # noqa: F401

pytestmark = [
    needs_browser,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
SHORT = {"max_iter": 4}


@pytest.fixture(scope="module")
def page(chromium, address):  # noqa: F811
    """One page for all that only looks."""
    with Playground(chromium, address) as found:
        yield found


def short_spec(algorithm, name):
    has_passes = any(each.name == "max_iter" for each in algorithm.parameters)
    return spec_of(name, algorithm.id, SHORT if has_passes else {})


@pytest.mark.share(3)
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_the_ledger_and_every_word_are_pythons(page, algorithm):
    spec = short_spec(algorithm, "or" if algorithm.mode == "classes" else "five_points")
    run = answer("fit", spec)
    page.open(spec)
    assert page.rows() == run["ledger"]["rows"]
    page.press("Home")
    for k, state in enumerate(run["states"][:6]):
        page.at(f"step {k} of {run['total']}")
        assert page.text("say") == state["say"]
        assert page["formulas"].locator("p").all_text_contents() == state["formula"]
        if state["wtext"]:
            assert page["weights-text"].text_content() == "w = " + "   ".join(state["wtext"])
        page.press("ArrowRight")
    assert page["answer"].locator("dt").all_text_contents() == [name for name, _ in run["answer"]]
    assert page["answer"].locator("dd").all_text_contents() == [text for _, text in run["answer"]]
    assert run["certificate"]["text"] in page["certificate"].text_content()


def vertices(path):
    return np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", path), dtype=float)


def test_the_picture_is_pythons(page):
    spec = spec_of("overlapping", "svm", {}, {"n": 12})
    run = answer("fit", spec)
    page.open(spec)
    page.press("End")
    state = run["states"][-1]
    ground = page["input-space"].locator(".ground")
    left, top, wide, high = (
        float(ground.get_attribute(name)) for name in ("x", "y", "width", "height")
    )
    u0, u1, v0, v1 = run["box"]

    def in_pixels(places):
        u, v = np.array(places, dtype=float).T
        x, y = (u - u0) / (u1 - u0), (v1 - v) / (v1 - v0)
        return np.column_stack([left + x * wide, top + y * high])

    for kind in ("boundary", "margin"):
        drawn = page[f"line-{kind}"].evaluate_all("all => all.map(one => one.getAttribute('d'))")
        wanted = [line["ends"] for line in state["lines"] if line["kind"] == kind]
        assert len(drawn) == len(wanted) > 0
        for path, ends in zip(drawn, wanted, strict=True):
            np.testing.assert_allclose(vertices(path), in_pixels(ends), atol=0.3)
    places = page["point"].evaluate_all("all => all.map(one => one.getAttribute('transform'))")
    wanted = in_pixels([(point["u"], point["v"]) for point in run["points"]])
    np.testing.assert_allclose([vertices(place)[0] for place in places], wanted, atol=0.3)
    codes = [point["code"] for point in run["points"]]
    wrong = [found != code for found, code in zip(state["predicted"], codes, strict=True)]
    marked = page["point"].evaluate_all("all => all.map(one => one.classList.contains('wrong'))")
    assert marked == wrong
    halos = page["input-space"].locator(".halo")
    assert halos.count() == np.count_nonzero(state["alpha"])


def test_one_step_back_is_the_picture_before(page):
    page.open(spec_of("or", "perceptron"))
    page.press("Home", "ArrowRight", "ArrowRight")
    pictures = [page[name].inner_html() for name in ("input-space", "weight-space")]
    page.press("ArrowRight")
    assert [page[name].inner_html() for name in ("input-space", "weight-space")] != pictures
    page.press("ArrowLeft")
    assert [page[name].inner_html() for name in ("input-space", "weight-space")] == pictures


def test_the_cursor_by_mouse(page):
    page.open(spec_of("or", "perceptron"))
    page["last"].click()
    page["first"].click()
    page["next"].click()
    page["next"].click()
    page["back"].click()
    assert page.text("place") == "step 1 of 21"
    page["row"].nth(6).click()
    assert page.text("place") == "step 7 of 21"
    assert page["ledger"].locator("tr[aria-current]").get_attribute("data-row") == "7"
    page["scrub"].fill("12")
    assert page.text("place") == "step 12 of 21"
    page["speed"].select_option("32")
    page["play"].click()
    page.page.wait_for_function("() => document.querySelector('[data-testid=last]').disabled")
    assert page.text("place") == "step 21 of 21"
    assert page["play"].get_attribute("aria-label") == "Play"


@pytest.mark.parametrize(
    ("name", "algorithm", "tab", "mark"),
    [
        ("or", "perceptron", "weights", "weights-now"),
        ("or", "perceptron", "loss", "loss-now"),
        ("five_points", "lms-batch", "loss", "loss-now"),
        ("or", "perceptron", "bound", "bound"),
        ("or", "svm", "curves", "curves"),
        ("five_points", "least-squares", "loss", "loss-surface"),
        ("or", "naive-bayes", "points", "points-table"),
        ("blobs", "fisher", "points", "points-table"),
    ],
)
def test_second_pictures(page, name, algorithm, tab, mark):
    page.open(spec_of(name, algorithm, SHORT if algorithm == "lms-batch" else {}))
    page[f"tab-{tab}"].click()
    assert page[mark].is_visible()
    assert not page["why"].is_visible()


def test_the_table_says_what_each_point_is_to_the_machine(page):
    spec = spec_of("overlapping", "svm", {}, {"n": 12})
    page.open(spec)
    page.press("End", "a")
    state = answer("fit", spec)["states"][-1]
    cells = page["points-table"].evaluate(
        "table => [...table.tBodies[0].rows].map(row => row.cells[5].textContent)"
    )
    assert cells == state["kkt"]
    assert page["strip"].locator(".point").count() == 12


def test_more_than_two_features_are_distances_and_say_so(page):
    page.open(spec_of("students", "perceptron"))
    assert "4 features do not fit into a plane" in page.text("about-picture")
    assert not page["view-everyone"].is_visible()


def test_weight_space_is_called_a_slice(page):
    page.open(spec_of("xor", "perceptron", SHORT))
    page["tab-weights"].click()
    note = page["weight-space"].locator("xpath=following-sibling::p").inner_text()
    assert note.startswith("Slice at the current bias, w0 = ")
    assert "in every slice the solution region is empty" in note


def test_a_view_that_the_algorithm_lacks_makes_room_for_another(page):
    page.open(spec_of("or", "perceptron"))
    page["tab-weights"].click()
    page["algorithm"].select_option("fisher")
    page.ready()
    assert page["points-table"].is_visible()


def test_an_algorithm_for_other_points_brings_its_own(page):
    page.open(spec_of("or", "perceptron"))
    page["algorithm"].select_option("lms-batch")
    page.page.wait_for_timeout(50)
    page.ready()
    assert page.shared()["spec"]["mode"] == "regression"
    page.press("Control+z")
    assert page.shared()["spec"]["mode"] == "classes"


def test_a_picture_that_does_not_exist_says_why(page):
    run = answer("fit", spec_of("or", "svm", {"kernel": "rbf"}))
    page.open(run["spec"])
    page["tab-weights"].click()
    assert page.text("why") == run["weights"]["why"]


def test_long_runs_come_in_windows(page):
    spec = spec_of("non_separable", "perceptron", {"max_iter": 70})
    page.open(spec)
    page["go-row"].fill("330")
    page["go-row"].press("Enter")
    page.at("step 330 of 350")
    page.ready()
    run = answer("fit", {**spec, "start": 301})
    assert run["start"] == 51  # the last window is as long as the others
    assert page.rows() == run["ledger"]["rows"]
    assert page.text("ledger-range") == "rows 51–350 of 350"
    page["say"].click()
    page.press("Home")
    page.at("step 0 of 350")
    assert page.text("ledger-range") == "rows 1–300 of 350"
    page.press("End")
    page.at("step 350 of 350")
    assert page.text("say") == run["states"][-1]["say"]


LONG = ("non_separable", "perceptron", {"max_iter": 1000, "init": [1.0, 1.0, 1.0]})


def test_one_timeline_over_all_steps(page):
    """Step, slider, click and keys reach every state of a run of 5,000 steps, and its true one."""
    spec = spec_of(*LONG)
    page.open(spec)
    page.at("step 0 of 5,000")
    scrub = page["scrub"]
    assert (scrub.get_attribute("min"), scrub.get_attribute("max")) == ("0", "5000")

    def is_true(step):
        page.at(f"step {step:,} of 5,000")
        page.ready()
        start = max(1, step)
        run = answer("fit", {**spec, "start": start, "window": True})
        state = run["states"][step - run["start"] + 1]
        if step:
            assert page.text("say") == state["say"]
        assert page["weights-text"].text_content() == "w = " + "   ".join(state["wtext"])
        current = page["ledger"].locator("tr[aria-current]")
        if step:
            assert current.get_attribute("data-row") == str(step)
            wanted = run["ledger"]["rows"][step - run["start"]]
            assert current.locator("td").all_text_contents() == wanted

    for step in (2500, 299, 300, 301, 4999, 600, 4701, 4700):
        scrub.fill(str(step))
        is_true(step)
    page["say"].click()
    for keys, step in [(["End"], 5000), (["ArrowLeft"], 4999), (["Home"], 0), (["ArrowRight"], 1)]:
        page.press(*keys)
        is_true(step)
    scrub.fill("600")
    page.at("step 600 of 5,000")
    page["say"].click()
    page.press("ArrowRight")  # into the next window
    is_true(601)
    page.press("ArrowLeft", "ArrowLeft")
    is_true(599)
    page["tab-curves"].click()
    plot = page["curves"].locator("svg").first.bounding_box()
    page.page.mouse.click(plot["x"] + 0.6 * plot["width"], plot["y"] + plot["height"] / 2)
    page.page.wait_for_function(
        "() => Math.abs(document.querySelector('[data-testid=scrub]').value - 3000) < 500"
    )


def test_play_goes_to_the_end_of_a_long_run(page):
    spec = spec_of("non_separable", "perceptron", {"max_iter": 130})
    page.open(spec)
    page["scrub"].fill("280")
    page.at("step 280 of 650")
    page["speed"].select_option("64")
    page["play"].click()
    page.at("step 650 of 650")
    assert page["play"].get_attribute("aria-label") == "Play"
    assert page["last"].is_disabled()
    page["play"].click()  # from the start again
    page.page.wait_for_function("() => document.querySelector('[data-testid=scrub]').value < 600")
    page["play"].click()
    assert page.shared()["step"] < 600


def test_few_windows_are_kept(page):
    page.open(spec_of(*LONG))
    for step in range(150, 5000, 300):
        page["scrub"].fill(str(step))
        page.at(f"step {step:,} of 5,000")
    page.ready()
    asked = len(page.asked)
    page["scrub"].fill("4650")  # near: still here
    page.at("step 4,650 of 5,000")
    assert len(page.asked) == asked
    page["scrub"].fill("150")  # far: asked for again
    page.at("step 150 of 5,000")
    assert len(page.asked) > asked


def test_older_links_open_where_they_did(page):
    spec = spec_of(*LONG)
    page.page.evaluate(
        """hash => new Promise(heard => {
            addEventListener("hashchange", heard, { once: true });
            location.hash = hash;
        }).then(() => true)""",
        in_address({**spec, "start": 1750}),
    )
    page.at("step 1,749 of 5,000")


def test_everything_on_the_screen_is_of_one_moment(page):
    spec = spec_of("or", "perceptron", {"tie": "negative"})
    run = answer("fit", spec)
    page.open(spec)
    codes = [point["code"] for point in run["points"]]
    for k, state in enumerate(run["states"]):
        page.at(f"step {k} of {run['total']}")
        shown = bool(state["regions"])
        wrong = [
            shown and found != code for found, code in zip(state["predicted"], codes, strict=True)
        ]
        marked = page["point"].evaluate_all(
            "all => all.map(one => one.classList.contains('wrong'))"
        )
        assert marked == wrong
        if shown:
            count = sum(wrong)
            assert (f"{count} wrong" if count else "none wrong") in page.text("key")
            said = f"Now {count} of 4 points" if count else "Now no point is on the wrong side"
            assert said in page.text("say")
        assert page["weights-text"].text_content() == f"w = {state['wtext'][0]}"
        page.press("ArrowRight")


def test_parameters_in_use_are_shown_and_sent(page):
    page.open(spec_of("or", "perceptron"))
    assert page["param-batch_size"].count() == 0
    page["param-rule"].select_option("mini-batch")
    page.ready()
    page["param-batch_size"].fill("2")
    page["param-batch_size"].press("Enter")
    page.ready()
    params = page.shared()["spec"]["params"]
    assert (params["rule"], params["batch_size"]) == ("mini-batch", 2)
    page["param-eta0"].fill("-1")
    page["param-eta0"].press("Enter")
    assert page["param-eta0"].get_attribute("aria-invalid") == "true"
    page["algorithm"].select_option("fisher")
    page.ready()
    assert page.rows() == answer("fit", page.shared()["spec"])["ledger"]["rows"]


def test_a_link_wins_over_a_change_that_is_not_in_the_address_yet(page):
    page.open(spec_of("or", "perceptron"))
    page.press("Home")
    # Changes are written into the address after a moment, or when the page is left.
    page.page.evaluate(
        """hash => new Promise(heard => {
            addEventListener("hashchange", heard, { once: true });
            location.hash = hash;
            dispatchEvent(new PageTransitionEvent("pagehide"));
        }).then(() => true)""",
        in_address(spec_of("or", "svm")),
    )
    assert page.shared()["spec"]["algorithm"] == "svm"


def test_a_pause_is_kept_in_the_address(page):
    page.open(spec_of("or", "perceptron"))
    page.press("Home")
    page["speed"].select_option("2")
    page["play"].click()
    page.at("step 1 of 21")
    page.page.wait_for_timeout(300)  # longer than a change waits to be written
    page["play"].click()
    assert page.text("place") == f"step {page.shared()['step']} of 21"
