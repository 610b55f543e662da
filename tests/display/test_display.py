"""Every figure is drawn, and what it shows is checked against its definition."""

import subprocess
import sys
import warnings

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import hinge_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

import linscope as ls
from linscope.display.geometry import area, corners, half_plane, reaching, segment
from linscope.perceptron.figures.weight_space import shortest_solution
from tests.figures import drawn

LINE = [[1.0], [2.0], [4.0], [5.0]]
LINE_Y = [-1, -1, 1, 1]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*max_iter.*")
        yield


def non_separable():
    return ls.datasets.load("non_separable")


def path_by_hand(X, y, w, passes):
    """The single-sample rule in three lines; the weights before and after each update."""
    path = [np.array(w, float)]
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            augmented = np.r_[1.0, x]
            if label * (path[-1] @ augmented) <= 0:
                path.append(path[-1] + label * augmented)
    return np.array(path)


def errors_by_hand(w, X, y):
    return sum(label * (w[0] + w[1:] @ x) <= 0 for x, label in zip(X, y, strict=True))


class TestBoundary:
    def test_linear(self):
        X, y = ls.datasets.make_overlapping(60, distance=2.0, random_state=0)
        model = ls.Perceptron(output="averaged", max_iter=10).fit(X, y)
        display = ls.plot.boundary(model, X, y)
        wrong = int((model.predict(X) != y).sum())
        assert display.wrong.sum() == wrong
        assert f"gets {wrong} of 60 samples wrong" in drawn(display)
        # the region follows predict at every grid point, and the line has score 0
        u, v = np.meshgrid(display.u, display.v)
        positive = model.predict(np.column_stack([u.ravel(), v.ravel()])) == 1
        np.testing.assert_array_equal(display.lead[1].ravel() > 0, positive)
        np.testing.assert_allclose(model.decision_function(display.lines[0]), 0, atol=1e-9)

    def test_several_classes(self):
        X, y = ls.datasets.make_blobs(90, classes=4, random_state=2)
        labels = np.array(["ash", "birch", "oak", "_elm $"])[y]
        model = ls.Perceptron(shuffle=True, random_state=0, max_iter=20).fit(X, labels)
        display = ls.plot.boundary(model, X, labels)
        text = drawn(display)
        assert all(name in text for name in ("ash", "birch", "oak", "elm"))
        winner = display.lead.argmax(axis=0).ravel()
        u, v = np.meshgrid(display.u, display.v)
        predicted = model.predict(np.column_stack([u.ravel(), v.ravel()]))
        np.testing.assert_array_equal(model.classes_[winner], predicted)

    @pytest.mark.parametrize(
        "model",
        [
            ls.KernelPerceptron(),
            ls.Perceptron(output="voted", max_iter=5),
            ls.Perceptron(output="pocket", max_iter=5),
            GaussianNB(),
            SVC(decision_function_shape="ovo"),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_any_classifier(self, model):
        X, y = ls.datasets.make_ring(60, random_state=0)
        display = ls.plot.boundary(model.fit(X, y), X, y)
        assert display.wrong.sum() == (model.predict(X) != y).sum()
        assert type(model).__name__ in drawn(display)

    def test_no_boundary_at_all(self):
        X, y = ls.datasets.load("or")
        model = ls.Perceptron().fit(X, y)
        model.coef_, model.intercept_ = np.zeros((1, 2)), np.zeros(1)
        display = ls.plot.boundary(model, X, y)
        assert (display.lead[1] > 0).all()
        drawn(display)

    def test_one_feature(self):
        model = ls.Perceptron().fit(LINE, LINE_Y)
        display = ls.plot.boundary(model, LINE, LINE_Y)
        assert display.flat
        assert "all 4 samples right" in drawn(display)

    def test_slice_by_name(self):
        import pandas

        iris = ls.datasets.load("iris")
        X = pandas.DataFrame(iris.X, columns=iris.feature_names)
        model = ls.Perceptron(max_iter=5).fit(X, iris.y)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            display = ls.plot.boundary(model, X, iris.y, features=(iris.feature_names[3], 0))
        assert display.names == (iris.feature_names[3], iris.feature_names[0])
        assert "slice through the mean of sepal width" in drawn(display)
        spot = iris.X.mean(axis=0)
        spot[3], spot[0] = display.u[10], display.v[20]
        expected = model.predict(pandas.DataFrame([spot], columns=iris.feature_names))[0]
        assert display.lead[:, 20, 10].argmax() == expected

    @pytest.mark.share(2)
    @pytest.mark.parametrize(
        "model",
        [
            ls.Perceptron(max_iter=20),
            ls.LinearSVC(),
            ls.LogisticRegression(),
            ls.SVC(kernel="linear", C=10),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_lines_of_binary_problems_have_their_names(self, model):
        X, y = ls.datasets.make_blobs(60, classes=3, random_state=2)
        labels = np.array(["ash", "birch", "oak"])[y]
        ovr = ls.plot.boundary(model.set_params(multi_class="ovr").fit(X, labels), X, labels)
        assert ovr.problems == ["ash vs rest", "birch vs rest", "oak vs rest"]
        for name, line in zip(ovr.problems, ovr.planes, strict=True):
            right = (line[0] + X @ line[1:] > 0) == (labels == name.split()[0])
            assert right.mean() > 0.6
        ovo = ls.plot.boundary(model.set_params(multi_class="ovo").fit(X, labels), X, labels)
        for name, line in zip(ovo.problems, ovo.planes, strict=True):
            positive, negative = name.split(" vs ")
            rows = np.isin(labels, (positive, negative))
            right = (line[0] + X[rows] @ line[1:] > 0) == (labels[rows] == positive)
            assert right.mean() > 0.9
        text = drawn(ovo)
        seen = np.isfinite(ovo.lines[:, 0, 0])
        assert seen.any()
        assert all((name in text) == ok for name, ok in zip(ovo.problems, seen, strict=True))

    @pytest.mark.parametrize(
        "model",
        [ls.LogisticRegression(), ls.LeastSquaresClassifier(), ls.FisherDiscriminant()],
        ids=lambda model: type(model).__name__,
    )
    def test_classes_that_compete_have_no_lines_of_their_own(self, model):
        X, y = ls.datasets.make_blobs(60, classes=3, random_state=2)
        display = ls.plot.boundary(model.fit(X, y), X, y)
        assert len(display.lines) == 0
        assert "w·x = 0" not in drawn(display)

    def test_errors(self):
        iris = ls.datasets.load("iris")
        model = ls.Perceptron(max_iter=5).fit(iris.X, iris.y)
        with pytest.raises(ValueError, match=r"4 features .* features=\(i, j\)"):
            ls.plot.boundary(model, iris.X, iris.y)
        with pytest.raises(ValueError, match="count from 0"):
            ls.plot.boundary(model, iris.X, iris.y, features=(0, 4))
        with pytest.raises(ValueError, match="two different"):
            ls.plot.boundary(model, iris.X, iris.y, features=(1, 1))
        with pytest.raises(ValueError, match="'age'"):
            ls.plot.boundary(model, iris.X, iris.y, features=("age", "x1"))


def test_long_and_awkward_names_do_not_crowd_out_the_figure():
    import pandas

    X, y = ls.datasets.make_blobs(60, classes=6, random_state=2)
    labels = [f"class {code} " + "with a long name " * 8 for code in y]
    table = pandas.DataFrame(X, columns=["price_$US$ " * 12, "_hidden " * 12])
    model = ls.Perceptron(max_iter=5).fit(table, labels)
    drawn(ls.plot.boundary(model, table, labels))


class TestSolutions:
    def test_iterations_900_to_915(self):
        X, y = non_separable()
        weights = path_by_hand(X, y, [1, 1, 1], 400)
        also = {
            output: ls.Perceptron(init=[1, 1, 1], output=output, max_iter=400).fit(X, y)
            for output in ("averaged", "voted", "pocket")
        }
        model = ls.Perceptron(init=[1, 1, 1], max_iter=400)
        display = ls.plot.solutions(model, X, y, updates=range(900, 916), also=also)
        by_hand = [errors_by_hand(w, X, y) for w in weights[900:916]]
        assert display.mistakes[:16].tolist() == by_hand
        assert display.mistakes[16:].tolist() == [(m.predict(X) != y).sum() for m in also.values()]
        assert min(by_hand) < max(by_hand)
        text = drawn(display)
        assert "update 900" in text
        assert "pocket" in text
        assert f"{display.good.sum()} of 19 answers" in text

    def test_weights_and_a_weight_without_line(self):
        X, y = non_separable()
        display = ls.plot.solutions([("start", [0, 0, 0]), ("line", [1, 1, -1])], X, y)
        assert display.mistakes.tolist() == [5, errors_by_hand(np.array([1, 1, -1]), X, y)]
        assert np.isnan(display.lines[0]).all()
        drawn(display)

    def test_errors(self):
        X, y = non_separable()
        with pytest.raises(ValueError, match="updates has 900"):
            ls.plot.solutions(ls.Perceptron(max_iter=5), X, y, updates=[900])
        with pytest.raises(ValueError, match="3 weights per row"):
            ls.plot.solutions([("a", [1, 2])], X, y)
        with pytest.raises(ValueError, match="pairs"):
            ls.plot.solutions([], X, y)
        pairs = [("a", [1, 1, 1]), ("b", [1, 1, 1])]
        with pytest.raises(ValueError, match="ax must be 2 matplotlib axes"):
            ls.plot.solutions(pairs, X, y, ax=Figure().subplots())


class TestWeightSpace:
    def test_solution_region(self):
        display = ls.plot.weight_space(LINE, LINE_Y, weights_path=ls.Perceptron())
        assert display.axes_names == ("w0", "w1")
        assert not display.held
        inside = display.region.mean(axis=0)
        assert errors_by_hand(inside, np.array(LINE), LINE_Y) == 0
        np.testing.assert_allclose(display.path, path_by_hand(LINE, LINE_Y, [0, 0], 20))
        rng = np.random.default_rng(0)
        x0, x1, y0, y1 = display.box
        spots = rng.uniform([x0, y0], [x1, y1], (20_000, 2))
        good = [errors_by_hand(w, np.array(LINE), LINE_Y) == 0 for w in spots]
        share = area(display.region) / area(corners(display.box))
        assert np.mean(good) == pytest.approx(share, abs=0.01)
        assert "separate the classes" in drawn(display)

    def test_empty_region_is_not_separable(self):
        display = ls.plot.weight_space(LINE, [-1, 1, -1, 1])
        assert len(display.region) == 0
        assert "Not separable" in drawn(display)

    def test_slice_is_labelled(self):
        X, y = ls.datasets.load("or")
        display = ls.plot.weight_space(X, y, weights_path=ls.Perceptron())
        assert display.held == {"w0": -1.0}
        assert "slice at w0 = −1" in drawn(display)
        w = np.r_[-1.0, display.region.mean(axis=0)]
        assert errors_by_hand(w, X, y) == 0

    @pytest.mark.share(3)
    @pytest.mark.parametrize("name", ["or", "students", "two_points"])
    def test_the_slice_has_a_solution(self, name):
        X, y = ls.datasets.load(name)
        # with this tie rule a sample of OR ends on the boundary: w0 = 0 has no solutions
        for path in (None, ls.Perceptron(tie="negative"), ls.Perceptron(max_iter=1)):
            display = ls.plot.weight_space(X, y, weights_path=path)
            w = np.r_[list(display.held.values()), display.region.mean(axis=0)]
            assert errors_by_hand(w, X, y) == 0
            assert "separate the classes" in drawn(display)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_the_shortest_solution_is_the_hard_margin_machine(self, fit_intercept):
        X, y = ls.datasets.make_separable(30, margin=0.2, random_state=4)
        rows = (np.column_stack([np.ones(30), X]) if fit_intercept else X) * y[:, None]
        a = shortest_solution(rows)
        # the same from scikit-learn: a bias that counts in the length is a column of ones
        machine = LinearSVC(C=1e6, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**6)
        machine.fit(rows * y[:, None], y)
        np.testing.assert_allclose(a, machine.coef_[0], rtol=1e-4)
        assert (rows @ a).min() == pytest.approx(1)
        X, y = ls.datasets.load("xor")
        assert shortest_solution(np.column_stack([np.ones(4), X]) * y[:, None]) is None

    @pytest.mark.parametrize("b", [0.5, 3.0])
    def test_a_margin_shrinks_the_region(self, b):
        X, y = ls.datasets.load("or")
        display = ls.plot.weight_space(X, y, weights_path=ls.Perceptron(margin=b))
        assert display.margin == b
        x0, x1, y0, y1 = display.box
        spots = np.random.default_rng(0).uniform([x0, y0], [x1, y1], (20_000, 2))
        scores = y * (display.held["w0"] + spots @ X.T)
        for region, least in ((display.region, 0), (display.inner, b)):
            share = area(region) / area(corners(display.box))
            assert share > 0.05
            assert np.mean((scores > least).all(axis=1)) == pytest.approx(share, abs=0.01)
        text = drawn(display)
        assert f"with margin {b:g}" in text
        assert f"y w·x > {b:g}" in text
        given = ls.plot.weight_space(LINE, LINE_Y, margin=b)
        assert 0 < area(given.inner) < area(given.region)

    def test_without_bias(self):
        X, y = ls.datasets.load("two_points")
        display = ls.plot.weight_space(X, y, weights_path=ls.Perceptron(fit_intercept=False))
        assert display.axes_names == ("w1", "w2")
        assert (y * (X @ display.region.mean(axis=0)) > 0).all()
        drawn(display)

    def test_many_samples_and_far_values(self):
        X, y = ls.datasets.make_separable(80, random_state=0)
        drawn(ls.plot.weight_space(1e6 + X, y, weights_path=ls.Perceptron(max_iter=3)))

    def test_errors(self):
        with pytest.raises(ValueError, match="weight space needs two"):
            ls.plot.weight_space(LINE, LINE_Y, fit_intercept=False)
        with pytest.raises(ValueError, match="from 0 to 1"):
            ls.plot.weight_space(LINE, LINE_Y, weights=(0, 2))
        with pytest.raises(TypeError, match="weights_path must be"):
            ls.plot.weight_space(LINE, LINE_Y, weights_path=GaussianNB())
        with pytest.raises(ValueError, match="about two"):
            ls.plot.weight_space(LINE, [0, 1, 2, 2])
        with pytest.raises(ValueError, match="margin must be"):
            ls.plot.weight_space(LINE, LINE_Y, margin=-1)


class TestLossSurface:
    def test_values_are_the_formula(self):
        display = ls.plot.loss_surface(LINE, LINE_Y, path=ls.Perceptron(), loss="both")
        X = np.column_stack([np.ones(4), LINE])
        for i, j in [(0, 0), (100, 7), (31, 200)]:
            scores = np.array(LINE_Y) * (X @ [display.u[j], display.v[i]])
            expected = -scores[scores < 0].sum()
            assert display.values["perceptron"][i, j] == pytest.approx(expected)
            assert display.values["mistakes"][i, j] == (scores <= 0).sum()
        text = drawn(display)
        assert "flat" in text
        assert "slope" in text

    def test_held_weights_are_named(self):
        X, y = non_separable()
        display = ls.plot.loss_surface(X, y, at=[2.5, 0, 0], box=(-1, 1, -2, 2))
        assert display.held == {"w0": 2.5}
        assert "w0 = 2.5" in drawn(display)
        w = np.array([2.5, display.u[3], display.v[5]])
        scores = y * (w[0] + X @ w[1:])
        assert display.values["perceptron"][5, 3] == pytest.approx(-scores[scores < 0].sum())

    @pytest.mark.share(4)
    @pytest.mark.parametrize("loss", ["logistic", "likelihood", "squared", "hinge"])
    def test_other_losses_are_their_definition(self, loss):
        X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1])
        display = ls.plot.loss_surface(X, y, loss=loss)
        values = display.values[loss]
        for i, j in [(0, 0), (100, 7), (31, 200)]:
            s = display.u[j] + display.v[i] * X[:, 0]
            p = np.clip(expit(s), 1e-300, 1 - 1e-16)
            expected = {
                "logistic": log_loss(y, p, normalize=False),
                "likelihood": -log_loss(y, p, normalize=False),
                "squared": np.sum((y - s) ** 2) / 2,  # numbers as they are, not as signs
                "hinge": 4 * hinge_loss(y, s),
            }
            assert values[i, j] == pytest.approx(expected[loss], rel=1e-9)
        # convex along every line of the grid, or concave
        bends = np.diff(values, 2) * (-1 if loss == "likelihood" else 1)
        assert bends.min() > -1e-9 * np.abs(values).max()
        assert ("maximum" if loss == "likelihood" else "minimum") in drawn(display)

    def test_the_minimum_is_that_of_the_fit(self):
        X, y = np.arange(1.0, 7.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
        model = ls.LogisticRegression(C=np.inf).fit(X, y)
        expected = [model.intercept_[0], model.coef_[0, 0]]
        for loss in ("logistic", "likelihood"):
            assert ls.plot.loss_surface(X, y, loss=loss).lowest == pytest.approx(expected, 1e-3)
        far = ls.plot.loss_surface(1e4 + 1e3 * X, y, loss="logistic").lowest
        assert far[1] == pytest.approx(expected[1] / 1e3, rel=1e-3)
        line = ls.plot.loss_surface(X, X[:, 0] + y, loss="squared").lowest
        assert line == pytest.approx(np.polyfit(X[:, 0], X[:, 0] + y, 1)[::-1], rel=1e-3)

    @pytest.mark.share(3)
    @pytest.mark.parametrize("loss", ["logistic", "likelihood", "hinge"])
    def test_separable_classes_have_no_single_minimum(self, loss):
        display = ls.plot.loss_surface(LINE, LINE_Y, loss=loss)
        assert display.lowest is None
        assert np.abs(display.values[loss]).min() < 0.01 * 4 * np.log(2)
        drawn(display)

    @pytest.mark.slow
    def test_paths_of_models_that_take_steps(self):
        X, y = np.arange(1.0, 7.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
        model = ls.LogisticRegression(C=np.inf, solver="batch", max_iter=50)
        with pytest.warns(ConvergenceWarning):
            run = ls.trace(model, X, y)
        for path in (model, run, run.path()):
            display = ls.plot.loss_surface(X, y, loss="logistic", path=path)
            np.testing.assert_array_equal(display.path, run.path())
            low, high = display.u[[0, -1]]
            assert (low < display.path[:, 0]).all() & (display.path[:, 0] < high).all()
        drawn(display)
        through = ls.LinearRegression(solver="batch", fit_intercept=False)
        X2, y2 = np.column_stack([X, X**2]) / 10, 2.0 * y
        assert ls.plot.loss_surface(X2, y2, loss="squared", path=through).axes_names == ("w1", "w2")
        with pytest.raises(TypeError, match="takes no steps: choose another solver"):
            ls.plot.loss_surface(X, y, loss="squared", path=ls.LinearRegression())

    def test_errors(self):
        with pytest.raises(ValueError, match="loss must be one of 'both', 'perceptron'"):
            ls.plot.loss_surface(LINE, LINE_Y, loss="hinge2")
        with pytest.raises(ValueError, match="at must be 2 weights"):
            ls.plot.loss_surface(LINE, LINE_Y, at=[1, 2, 3])


class TestConvergence:
    @pytest.mark.share(3)
    @pytest.mark.parametrize("eta0", [1.0, 0.25])
    @pytest.mark.parametrize("seed", range(3))
    def test_the_inequalities_of_the_proof(self, seed, eta0):
        X, y = ls.datasets.make_separable(40, margin=0.1, random_state=seed)
        X = X + 0.5
        display = ls.plot.convergence(ls.Perceptron(eta0=eta0), X, y)
        slack = 1e-9
        assert (display.lower <= display.progress + slack).all()
        assert (display.progress <= display.length + slack).all()
        assert (display.length <= display.upper + slack).all()
        assert display.updates <= display.bound
        assert display.updates == ls.Perceptron(eta0=eta0).fit(X, y).n_updates_
        assert f"{display.updates} update" in drawn(display)

    def test_array_and_linear_axes(self):
        X, y = ls.datasets.load("or")
        path = path_by_hand(X, y, [0, 0, 0], 20)
        display = ls.plot.convergence(path, X, y)
        np.testing.assert_allclose(display.length, np.linalg.norm(path, axis=1))
        assert display.ax_.get_xscale() == "linear"
        assert "R²/γ² = 27" in drawn(display)

    def test_errors(self):
        X, y = ls.datasets.load("or")
        with pytest.raises(ValueError, match="start from zeros"):
            ls.plot.convergence(np.ones((3, 3)), X, y)
        with pytest.raises(ValueError, match="single-sample rule"):
            ls.plot.convergence(ls.Perceptron(rule="batch"), X, y)
        with pytest.raises(ValueError, match="intercept"):
            ls.plot.convergence(ls.Perceptron(fit_intercept=False), X, y)
        X, y = ls.datasets.load("xor")
        with pytest.raises(ValueError, match="not linearly separable"):
            ls.plot.convergence(np.zeros((1, 3)), X, y)


def test_criterion_along_the_path():
    X, y = non_separable()
    display = ls.plot.criterion(ls.Perceptron(init=[1, 1, 1], max_iter=12), X, y)
    path = path_by_hand(X, y, [1, 1, 1], 12)
    assert display.mistakes.tolist() == [errors_by_hand(w, X, y) for w in path]
    scores = y * (path @ np.column_stack([np.ones(5), X]).T)
    np.testing.assert_allclose(display.criterion, np.maximum(0, -scores).sum(axis=1))
    rises = [k for k in range(1, len(path)) if display.criterion[k] > display.criterion[k - 1]]
    assert display.rises.tolist() == rises
    assert f"not monotonic: it rises {len(rises)} times in {len(path) - 1} updates" in (
        drawn(display).replace("$", "")
    )
    batch = ls.Perceptron(rule="batch", init=[1, 1, 1], max_iter=3)
    assert len(ls.plot.criterion(batch, X, y).criterion) == 4


class TestStepSize:
    def test_the_three_outcomes(self):
        display = ls.plot.step_size()
        small, right, large = range(3)
        assert display.wrong[small, display.sample]
        assert not display.broken[small].any()
        assert not display.wrong[right].any()
        assert not display.wrong[large, display.sample]
        assert display.broken[large].any()
        text = drawn(display)
        assert all(word in text for word in ("too small", "right", "too large"))

    def test_thresholds(self):
        X, y, w = np.array([[2.0, 1], [4, 3], [1, 3]]), [1, 1, -1], [1.0, 1, 1]
        display = ls.plot.step_size(X, y, w, 2, etas=(0.1, 0.5, 2.0))
        x = np.array([1.0, 1, 3])
        np.testing.assert_allclose(display.after[1], w - 0.5 * x)
        just = np.array(w) - display.fixes_above * x
        assert just @ x == pytest.approx(0)
        after = np.array(w) - display.breaks_above * x
        signed = np.array(y) * (np.column_stack([np.ones(3), X]) @ after)
        assert signed[:2].min() == pytest.approx(0, abs=1e-12)
        drawn(display)

    def test_lines_weights_and_sides_are_in_the_figure(self):
        X, y = non_separable()
        display = ls.plot.step_size(X, y, [1, 1, 1], 3, etas=[0.5])
        x0, x1, y0, y1 = display.ax_.dataLim.extents[[0, 2, 1, 3]]
        assert segment((x0, x1, y0, y1), np.array([1.0, 1, 1])) is not None
        assert "w = [0.5, 0.5, −0.5]" in drawn(display)

    def test_errors(self):
        X, y = non_separable()
        with pytest.raises(ValueError, match="choose one of the rows"):
            ls.plot.step_size(X, y, [1, 1, 1], 0)
        with pytest.raises(ValueError, match="all of X, y, w and sample"):
            ls.plot.step_size(X, y)
        with pytest.raises(ValueError, match="sample must be a row"):
            ls.plot.step_size(X, y, [1, 1, 1], 9)
        with pytest.raises(ValueError, match="etas"):
            ls.plot.step_size(X, y, [1, 1, 1], 3, etas=[-1])


def test_orders_and_first_weights():
    X, y = ls.datasets.make_separable(40, margin=0.1, random_state=3)
    display = ls.plot.orders(X, y, seeds=[0, 1], inits=[[1, 1, 1]])
    shuffled = ls.Perceptron(shuffle=True, random_state=1).fit(X, y)
    np.testing.assert_array_equal(
        display.weights[2], np.r_[shuffled.intercept_, shuffled.coef_.ravel()]
    )
    assert display.different == len({tuple(w / np.linalg.norm(w)) for w in display.weights})
    text = drawn(display)
    assert f"4 runs: {display.different} different boundaries" in text
    assert f"shuffle 1: {shuffled.n_updates_} update" in text
    with pytest.raises(ValueError, match="voted"):
        ls.plot.orders(X, y, estimator=ls.Perceptron(output="voted"))


def test_orders_over_rates():
    X, y = ls.datasets.load("or")
    ones = ls.plot.orders(X, y, seeds=[], etas=[0.25, 4], estimator=ls.Perceptron(init=[1, 1, 1]))
    for w, eta in zip(ones.weights, (1, 0.25, 4), strict=True):
        # w ← w + η y x from w = 1 is η times the run with rate 1 from 1/η
        np.testing.assert_allclose(w, eta * path_by_hand(X, y, np.full(3, 1 / eta), 20)[-1])
    assert ones.different == 3
    assert "η = 0.25" in drawn(ones)
    zeros = ls.plot.orders(X, y, seeds=[], etas=[0.25, 4])
    np.testing.assert_allclose(zeros.weights[1:], np.outer([0.25, 4], zeros.weights[0]))
    assert zeros.different == 1
    text = drawn(zeros)
    assert "all find the same boundary" in text
    assert "η = 4: 9 updates, as given order" in text


def test_orders_that_end_differently_are_looked_for():
    X, y = ls.datasets.make_separable(40, margin=0.3, random_state=6)
    display = ls.plot.orders(X, y)
    assert display.different == len(display.runs) == 4
    every = ls.plot.orders(*ls.datasets.load("or"))
    assert every.different == 1
    assert every.runs[1:] == ["shuffle 0", "shuffle 1", "shuffle 2"]


class TestPathOfBoundaries:
    def test_every_line_has_score_zero(self):
        X, y = non_separable()
        display = ls.plot.path_of_boundaries(X, y, ls.Perceptron(init=[1, 1, 1], max_iter=4))
        np.testing.assert_array_equal(display.weights, path_by_hand(X, y, [1, 1, 1], 4))
        for number, ends in zip(display.shown, display.lines, strict=True):
            w = display.weights[number]
            scores = w[0] + ends @ w[1:]
            assert np.isnan(scores).all() or np.abs(scores).max() < 1e-9 * np.linalg.norm(w)
        assert "updates" in drawn(display)

    @pytest.mark.parametrize(
        "model",
        [
            ls.Perceptron(rule="batch", max_iter=30),
            ls.Perceptron(
                rule="mini-batch", batch_size=7, shuffle=True, random_state=0, max_iter=9
            ),
            ls.Perceptron(shuffle=True, random_state=0, max_iter=9),
            ls.Perceptron(schedule="inverse", rule="batch", max_iter=9),
            ls.Perceptron(schedule="inverse", margin=0.1, class_weight="balanced", max_iter=9),
        ],
        ids=["batch", "mini-batch", "shuffle", "inverse batch", "inverse"],
    )
    def test_the_path_ends_at_the_fit(self, model):
        X, y = ls.datasets.make_overlapping(50, distance=2, random_state=1)
        display = ls.plot.path_of_boundaries(X, y, model)
        fitted = model.fit(X, y)
        last = np.r_[fitted.intercept_, fitted.coef_.ravel()]
        np.testing.assert_array_equal(display.weights[-1], last)
        assert len(display.weights) == fitted.n_updates_ + 1
        assert len(display.shown) <= 60

    def test_a_trace_is_replayed_not_fitted_again(self):
        X, y = ls.datasets.make_overlapping(30, random_state=1)
        trace = ls.trace(ls.Perceptron(shuffle=True, max_iter=5), X, y)
        display = ls.plot.path_of_boundaries(X, y, trace)
        last = np.r_[trace.estimator.intercept_, trace.estimator.coef_.ravel()]
        np.testing.assert_array_equal(display.weights[-1], last)

    def test_one_feature_no_line_and_slices(self):
        drawn(ls.plot.path_of_boundaries(LINE, LINE_Y, ls.Perceptron()))
        assert "No boundary" in drawn(ls.plot.path_of_boundaries(LINE, LINE_Y, [[0, 0]]))
        students = ls.datasets.load("students")
        model = ls.Perceptron(init=[0.25] * 5)
        display = ls.plot.path_of_boundaries(*students, model, features=(0, 1))
        assert "slice through the mean of x3, x4" in drawn(display)

    @pytest.mark.share(4)
    @pytest.mark.parametrize("name", ["or", "xor", "two_points", "non_separable"])
    def test_all_lines_of_the_notes_are_in_the_frame(self, name):
        data = ls.datasets.load(name)
        display = ls.trace(ls.Perceptron(**data.settings, max_iter=4), data).plot()
        assert np.isfinite(display.lines).all()
        drawn(display)
        # on the side that the arrows point to, the score is above 0
        labels = {"start" if n == 0 else str(n): n for n in display.numbers.tolist()}
        texts = [text for text in display.ax_.texts if text.get_text() in labels]
        arrows = [text for text in display.ax_.texts if not text.get_text()]
        assert len(texts) == len(arrows) == len(display.shown)
        for text, arrow in zip(texts, arrows, strict=True):
            w = display.weights[labels[text.get_text()]]
            assert w[0] + w[1:] @ text.get_position() == pytest.approx(0, abs=1e-9)
            assert w[0] + w[1:] @ arrow.xy > 0

    def test_two_points_as_in_the_notes(self):
        data = ls.datasets.load("two_points")
        text = drawn(ls.trace(ls.Perceptron(**data.settings), data).plot())
        assert "start: w = [0, 0, 0], no line" in text
        assert "update 1: w = [−1, −2, −1]" in text
        assert text.count("update 2: w = [0, −1, 1]") == 1

    def test_updates_keep_their_numbers(self):
        data = non_separable()
        trace = ls.trace(ls.Perceptron(init=[1, 1, 1], max_iter=400), data)
        display = trace.plot(updates=(900, 902))
        assert display.numbers.tolist() == [899, 900, 901, 902]
        np.testing.assert_array_equal(display.weights, trace.path()[899:903])
        text = drawn(display)
        assert "Updates 900 to 902" in text
        assert "update 899: w = " in text

    def test_a_line_too_far_away_stays_outside(self):
        X, y = ls.datasets.load("or")
        display = ls.plot.path_of_boundaries(X, y, [[1000, 1, 1], [-1, 2, 2]])
        assert "1 line outside the frame" in drawn(display)
        assert max(map(abs, display.box)) < 2


class TestMargin:
    def test_separable(self):
        X, y = ls.datasets.make_separable(30, margin=0.1, random_state=1)
        verdict = ls.separability(X, y)
        display = ls.plot.margin(verdict, X, y)
        w = display.weights
        distance = y * (w[0] + X @ w[1:]) / np.linalg.norm(w[1:])
        assert display.margin == pytest.approx(distance.min())
        np.testing.assert_allclose(distance[display.support], display.margin, rtol=1e-6)
        assert "Separable" in drawn(display)

    @pytest.mark.parametrize("name", ["xor", "non_separable"])
    def test_common_point(self, name):
        X, y = ls.datasets.load(name)
        display = ls.plot.margin(ls.separability(X, y), X, y)
        for part in display.combinations:
            total = sum(value * X[row] for row, value in part.items())
            np.testing.assert_allclose(total, display.point)
            assert sum(part.values()) == pytest.approx(1)
        assert "Not separable" in drawn(display)

    def test_quasi_separable_and_one_feature(self):
        X = np.array([[0.0, 0], [1, 1], [1, 1], [2, 0], [0, 2]])
        display = ls.plot.margin(ls.separability(X, [0, 0, 1, 1, 1]), X, [0, 0, 1, 1, 1])
        assert display.kind == "quasi"
        assert "on the boundary" in drawn(display)
        for y in (LINE_Y, [-1, 1, -1, 1]):
            drawn(ls.plot.margin(ls.separability(LINE, y), LINE, y))

    def test_errors(self):
        iris = ls.datasets.load("iris")
        with pytest.raises(TypeError, match="for two classes"):
            ls.plot.margin(ls.separability(iris.X[::10], iris.y[::10]), iris.X, iris.y)
        X, y = iris.X[:100], iris.y[:100]
        with pytest.raises(ValueError, match="4 features"):
            ls.plot.margin(ls.separability(X, y), X, y)


class TestMarginOfAnyClassifier:
    @pytest.mark.share(2)
    @pytest.mark.parametrize(
        "model",
        [
            ls.Perceptron(),
            ls.LogisticRegression(C=1e4),
            ls.LeastSquaresClassifier(),
            ls.FisherDiscriminant(),
            LogisticRegression(C=1e4),
            LinearSVC(),
        ],
        ids=lambda model: type(model).__module__.split(".")[0] + type(model).__name__,
    )
    def test_no_sample_is_in_the_band_and_some_at_its_edge(self, model):
        X, y = ls.datasets.make_separable(40, margin=0.3, random_state=2)
        model = model.fit(X, y)
        display = ls.plot.margin(model, X, y)
        signed = y * model.decision_function(X) / np.linalg.norm(model.coef_)
        np.testing.assert_allclose(display.distances[0], signed, atol=1e-9)
        assert display.margins[0] == pytest.approx(signed.min())
        assert np.argmin(signed) in display.closest[0]
        negative, positive = display.nearest(0)
        assert (negative, positive) == pytest.approx((signed[y < 0].min(), signed[y > 0].min()))
        # no plane has a wider margin than the widest
        assert display.margins[0] <= ls.separability(X, y).margin * (1 + 1e-9)
        assert f"margin {2 * signed.min():.4g} wide" in drawn(display)

    def test_the_perceptron_beside_the_machine(self):
        X, y = ls.datasets.make_separable(30, margin=0.1, random_state=1)
        models = {"perceptron": ls.Perceptron(), "SVM": ls.LinearSVC(C=np.inf)}
        fitted = {name: model.fit(X, y) for name, model in models.items()}
        display = ls.plot.margin(fitted, X, y)
        ours, widest = display.margins
        assert ours < widest
        assert widest == pytest.approx(ls.separability(X, y).margin)
        assert 2 * widest == pytest.approx(models["SVM"].margin_)
        assert set(display.closest[1]) == set(models["SVM"].support_.tolist())
        text = drawn(display)
        assert f"Widest margin: SVM {2 * widest:.4g}; perceptron {2 * ours:.4g}" in text

    def test_samples_on_the_wrong_side_and_on_the_boundary(self):
        X, y = ls.datasets.load("or")
        model = ls.Perceptron(tie="negative").fit(X, y)  # the notes' answer [0, 1, 1]
        assert "no margin, samples: 1 on the boundary" in drawn(ls.plot.margin(model, X, y))
        model.coef_ = -model.coef_
        assert "3 on the wrong side, 1 on the boundary" in drawn(ls.plot.margin(model, X, y))
        flat = ls.plot.margin(ls.Perceptron().fit(LINE, LINE_Y), LINE, LINE_Y)
        assert "wide" in drawn(flat)

    def test_errors(self):
        X, y = ls.datasets.load("or")
        with pytest.raises(TypeError, match=r"linear classifier .* got GaussianNB"):
            ls.plot.margin(GaussianNB().fit(X, y), X, y)
        with pytest.raises(ValueError, match="trained on"):
            ls.plot.margin(ls.Perceptron().fit(X, y), X, y > 0)
        with pytest.raises(ValueError, match="no model"):
            ls.plot.margin({}, X, y)
        model = ls.Perceptron().fit(X, y)
        model.coef_ = 0 * model.coef_
        with pytest.raises(ValueError, match="only weights of 0"):
            ls.plot.margin(model, X, y)
        with pytest.raises(NotFittedError):
            ls.plot.margin(ls.LinearSVC(), X, y)


def test_axes_of_the_caller_are_used_and_nothing_global_changes():
    before = dict(matplotlib.rcParams)
    X, y = ls.datasets.load("or")
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = ls.plot.boundary(ls.Perceptron().fit(X, y), X, y, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.has_data()
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(ValueError, match="ax must be 1 matplotlib axes, got 2"):
        display.plot([left, right])


@pytest.mark.slow
def test_figures_do_not_load_pyplot():
    code = (
        "import sys, linscope as ls; X, y = ls.datasets.load('or'); "
        "ls.plot.boundary(ls.Perceptron().fit(X, y), X, y); "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_display_can_be_saved_and_shown_in_a_notebook(tmp_path):
    X, y = ls.datasets.load("or")
    display = ls.plot.boundary(ls.Perceptron().fit(X, y), X, y)
    for ending in ("png", "svg", "pdf"):
        display.save(tmp_path / f"figure.{ending}")
        assert (tmp_path / f"figure.{ending}").stat().st_size > 1000
    assert display._repr_png_().startswith(b"\x89PNG")
    assert repr(display) == "<BoundaryDisplay: Perceptron gets all 4 samples right>"


def test_lines_and_half_planes():
    box = (0.0, 2.0, 0.0, 1.0)
    np.testing.assert_allclose(segment(box, np.array([-1.0, 1, 0]))[:, 0], 1)
    assert segment(box, np.array([5.0, 1, 1])) is None
    assert segment(box, np.zeros(3)) is None
    assert area(half_plane(corners(box), np.array([-0.5, 1.0, 0.0]))) == pytest.approx(1.5)
    assert area(half_plane(corners(box), np.array([-9.0, 1.0, 0.0]))) == 0


def test_a_frame_reaches_lines_that_are_near():
    box = (0.0, 2.0, 0.0, 1.0)
    rng = np.random.default_rng(0)
    for line in rng.normal(size=(200, 3)) * [4, 1, 1]:
        larger = reaching(box, line[None])
        assert (np.array(larger) * [-1, 1, -1, 1] >= np.array(box) * [-1, 1, -1, 1]).all()
        if segment(box, line) is not None:
            assert larger == box
        elif larger != box:
            ends = segment(larger, line)
            assert np.linalg.norm(ends[1] - ends[0]) > 0.1
    assert reaching(box, np.array([[100.0, 1, 1], [1, 0, 0]])) == box
