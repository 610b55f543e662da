"""Planes, reflections, angles and networks are what their definitions say."""

import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.proj3d import proj_transform
from sklearn.linear_model import LogisticRegression as Reference

import linscope as ls
from linscope.display.space import azimuth_for, leaning, plane_in_box
from tests.figures import drawn

OR = ls.datasets.load("or")
IRIS = ls.datasets.load("iris")
BOX = np.array([[-1.0, 2.0], [0.0, 3.0], [-2.0, 2.0]])


class TestPlaneInBox:
    @pytest.mark.parametrize("seed", range(20))
    def test_corners_lie_on_the_plane_and_on_edges_of_the_box(self, seed):
        rng = np.random.default_rng(seed)
        plane = rng.standard_normal(4)
        found = plane_in_box(plane, BOX)
        np.testing.assert_allclose(plane[0] + found @ plane[1:], 0, atol=1e-13)
        at_limit = np.isclose(found[:, :, None], BOX[None]).any(axis=2).sum(axis=1)
        assert (at_limit >= 2).all()
        # a plane that has box corners on both sides cuts the box
        corners = np.array([[x, y, z] for x in BOX[0] for y in BOX[1] for z in BOX[2]])
        sides = np.sign(plane[0] + corners @ plane[1:])
        assert (len(found) >= 3) == (sides.min() < sides.max())

    @pytest.mark.parametrize("seed", range(20))
    def test_corners_are_in_order_and_hold_the_whole_cut(self, seed):
        """Points of the plane in the box are convex combinations: left of every side."""
        rng = np.random.default_rng(seed)
        plane = np.r_[0.3 * rng.standard_normal(), rng.standard_normal(3)]
        found, normal = plane_in_box(plane, BOX), plane[1:]
        spots = rng.uniform(*BOX.T, (4000, 3))
        spots -= np.outer((plane[0] + spots @ normal) / (normal @ normal), normal)
        spots = spots[((spots > BOX[:, 0]) & (spots < BOX[:, 1])).all(axis=1)]
        assert len(spots)
        sides = np.roll(found, -1, axis=0) - found
        turns = [
            np.cross(side, spots - corner) @ normal
            for corner, side in zip(found, sides, strict=True)
        ]
        assert (np.sign(turns) == np.sign(turns[0][0])).all()

    def test_through_corners_and_beside_the_box(self):
        unit = np.array([[0.0, 1.0]] * 3)
        found = plane_in_box(np.array([-1.0, 1.0, 1.0, 0.0]), unit)
        assert sorted(found.tolist()) == [[0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
        assert plane_in_box(np.array([5.0, 1.0, 0.0, 0.0]), unit).shape == (0, 3)
        assert plane_in_box(np.array([1.0, 0.0, 0.0, 0.0]), unit).shape == (0, 3)

    def test_very_different_scales(self):
        limits = np.array([[0.0, 1e12], [0.0, 1e-12], [-1.0, 1.0]])
        found = plane_in_box(np.array([0.0, 1e-12, -1e12, 0.0]), limits)
        assert sorted(map(tuple, found)) == [
            (0, 0, -1),
            (0, 0, 1),
            (1e12, 1e-12, -1),
            (1e12, 1e-12, 1),
        ]

    @pytest.mark.parametrize("seed", range(10))
    def test_no_plane_is_seen_from_its_edge(self, seed):
        """A level plane leans by the elevation of the eye, 20°; every other can lean more."""
        normal = np.random.default_rng(seed).standard_normal(3)
        for each in (normal, -normal, np.array([0.0, 0.0, -1.0])):
            assert abs(leaning(each, BOX, azimuth_for(each, BOX))) > 0.34


class TestAugmentedSpace:
    def test_plane_line_and_samples(self):
        X, y = ls.datasets.make_separable(40, random_state=3)
        model = ls.Perceptron().fit(X, y)
        display = ls.plot.augmented_space(model, X, y)
        w = np.r_[model.intercept_, model.coef_[0]]
        np.testing.assert_array_equal(display.points, ls.augment(X))
        np.testing.assert_allclose(display.plane @ w, 0, atol=1e-14)
        assert (display.line[:, 0] == 1).all()
        np.testing.assert_allclose(model.decision_function(display.line[:, 1:]), 0, atol=1e-14)
        assert not display.wrong.any()
        assert "a plane through the origin" in drawn(display)

    def test_the_origin_is_on_the_drawn_plane(self):
        display = ls.plot.augmented_space([-1, 2, 2], *OR)
        limits = display.limits
        assert ((limits[:, 0] < 0) & (limits[:, 1] > 0)).all()
        assert (
            Fraction(-1) + 2 * Fraction(display.line[0, 1]) + 2 * Fraction(display.line[0, 2])
        ) == 0

    def test_wrong_samples_and_no_boundary(self):
        X, y = OR
        assert ls.plot.augmented_space([1, -1, -1], X, y).wrong.tolist() == [True, True, True, True]
        far = ls.plot.augmented_space([100, 1, 1], X, y)
        assert len(far.line) == 0
        assert "outside this figure" in drawn(far)
        nothing = ls.plot.augmented_space([0, 0, 0], X, y)
        assert len(nothing.plane) == 0
        assert "w = 0 has no boundary" in drawn(nothing)

    def test_other_scales(self):
        X, y = ls.datasets.make_separable(30, random_state=0)
        display = ls.plot.augmented_space(ls.LogisticRegression().fit(1e4 * X, y), 1e4 * X, y)
        drawn(display)
        assert not display.wrong.any()
        ends = np.column_stack([np.ones(len(display.line)), display.line[:, -2:]])
        np.testing.assert_allclose(ends @ display.weights, 0, atol=1e-9)

    def test_errors(self):
        X, y = OR
        with pytest.raises(ValueError, match="needs two"):
            ls.plot.augmented_space([1, 1], X[:, :1], y)
        with pytest.raises(ValueError, match='projection="3d"'):
            ls.plot.augmented_space([1, 1, 1], X, y, ax=Figure().subplots())
        model = ls.LogisticRegression().fit(IRIS.X[:, :2], IRIS.y)
        with pytest.raises(ValueError, match="3 hyperplanes"):
            ls.plot.augmented_space(model, X, y)
        with pytest.raises(TypeError, match="KernelPerceptron has none"):
            ls.plot.augmented_space(ls.KernelPerceptron().fit(X, y), X, y)

    def test_axes_of_yours(self):
        ax = Figure().add_subplot(projection="3d")
        assert ls.plot.augmented_space([-1, 2, 2], *OR, ax=ax).ax_ is ax


class TestPlane:
    def test_the_plane_has_score_0(self):
        chosen = IRIS.y > 0
        X, y = IRIS.X[chosen, 1:], IRIS.y[chosen]
        model = ls.LogisticRegression().fit(X, y)
        display = ls.plot.plane(model, X, y)
        np.testing.assert_allclose(model.decision_function(display.plane), 0, atol=1e-12)
        wrong = int((model.predict(X) != y).sum())
        assert display.wrong.sum() == wrong > 0
        assert f"gets {wrong} of 100 samples wrong" in drawn(display)

    def test_a_model_of_scikit_learn(self):
        X, y = ls.datasets.make_separable(40, 3, random_state=0)
        model = Reference(C=1e4).fit(X, y)
        display = ls.plot.plane(model, X, y)
        np.testing.assert_allclose(model.decision_function(display.plane), 0, atol=1e-9)

    @pytest.mark.parametrize("seed", range(5))
    def test_samples_before_the_plane_are_nearer_to_the_eye(self, seed):
        """Follow the line of sight of each sample to the plane, by matplotlib's own projection."""
        X, y = ls.datasets.make_overlapping(60, 3, random_state=seed)
        X = X * [1.0, 50.0, 0.01]
        display = ls.plot.plane(ls.LogisticRegression(C=1e6).fit(X, y), X, y)
        M, w = display.ax_.get_proj(), display.weights
        sight = np.linalg.svd(M[:2, :3])[2][2]  # a step along it moves nothing in the picture
        way = -(w[0] + X @ w[1:]) / (w[1:] @ sight)
        hits = X + way[:, None] * sight
        samples, there = (np.array(proj_transform(*points.T, M)) for points in (X, hits))
        np.testing.assert_allclose(samples[:2], there[:2], atol=1e-9)
        np.testing.assert_array_equal(display.before, samples[2] < there[2])  # less is nearer
        assert 0 < display.before.sum() < len(X)

    def test_a_plane_beside_the_samples(self):
        X, y = ls.datasets.make_separable(10, 3, random_state=0)
        model = ls.Perceptron().fit(X, y)
        model.intercept_ = np.array([1e6])
        assert "beside all samples" in drawn(ls.plot.plane(model, X, y))

    def test_errors(self):
        X, y = OR
        with pytest.raises(ValueError, match=r"2 features.*plot\.boundary"):
            ls.plot.plane(ls.Perceptron().fit(X, y), X, y)
        with pytest.raises(ValueError, match="3 classes"):
            ls.plot.plane(ls.Perceptron(), IRIS.X[:, :3], IRIS.y)


class TestRadial:
    @pytest.mark.share(3)
    @pytest.mark.parametrize("center", ["origin", "mean", (0.3, -0.2)])
    def test_circle_and_plane_are_one_boundary(self, center):
        X, y = ls.datasets.make_ring(80, random_state=1)
        display = ls.plot.radial(X, y, center=center)
        c = np.array([0, 0]) if center == "origin" else X.mean(0) if center == "mean" else center
        np.testing.assert_allclose(display.lifted, np.c_[X, ((X - c) ** 2).sum(axis=1)])
        for corners in (display.plane, display.circle):
            scores = display.weights[0] + corners @ display.weights[1:]
            np.testing.assert_allclose(scores, 0, atol=1e-12)
        # the circle is round, on the bowl, and separates the samples
        away = np.linalg.norm(display.circle[:, :2] - display.center, axis=1)
        np.testing.assert_allclose(away, display.radius)
        np.testing.assert_allclose(display.circle[:, 2], ((display.circle[:, :2] - c) ** 2).sum(1))
        inside = np.linalg.norm(X - display.center, axis=1) < display.radius
        np.testing.assert_array_equal(inside, y < 0)
        assert "only a circle can separate" in drawn(display)

    def test_what_a_line_separates_needs_no_circle(self):
        X, y = ls.datasets.make_separable(30, margin=0.3, random_state=0)
        assert not ls.plot.radial(X, y).wrong.any()
        assert "a line separates, too" in ls.plot.radial(X, y).title

    def test_no_circle(self):
        X, y = ls.datasets.make_separable(30, random_state=0)

        class Line(ls.Perceptron):
            def fit(self, X, y):
                super().fit(X, y)
                self.coef_[0, 2] = 0.0
                return self

        display = ls.plot.radial(X, y, estimator=Line())
        assert display.circle.shape == (0, 3)
        drawn(display)

    def test_samples_that_stay_mixed(self):
        X, y = ls.datasets.make_overlapping(60, random_state=0)
        display = ls.plot.radial(X, y)
        assert f"gets {display.wrong.sum()} of 60 samples wrong" in drawn(display)

    def test_errors(self):
        with pytest.raises(ValueError, match="needs two"):
            ls.plot.radial(IRIS.X[:100], IRIS.y[:100])
        with pytest.raises(ValueError, match="panel 1 needs"):
            ls.plot.radial(*ls.datasets.make_ring(20), ax=Figure().subplots(1, 2))


class TestReflection:
    def test_reflected_samples_of_the_students(self):
        """The notes' four students: class 2 (no A) is multiplied by −1."""
        X, y = ls.datasets.load("students")
        display = ls.plot.reflection(X, y)
        np.testing.assert_array_equal(display.reflected, y[:, None] * np.c_[np.ones(4), X])
        assert all(
            sum(Fraction(a) * Fraction(b) for a, b in zip(row, display.weights, strict=True)) > 0
            for row in display.reflected
        )
        assert "all 4 samples on its positive side" in drawn(display)

    def test_the_figure_shows_the_true_distances(self):
        X, y = OR
        model = ls.Perceptron().fit(X, y)
        display = ls.plot.reflection(X, y, model)
        distance = model.decision_function(X) / np.linalg.norm(display.weights)
        np.testing.assert_allclose(display.before[:, 0], distance)
        np.testing.assert_allclose(display.after[:, 0], y * distance)
        np.testing.assert_allclose(display.basis @ display.basis.T, np.eye(2), atol=1e-14)
        np.testing.assert_allclose(display.after, y[:, None] * display.before)

    def test_two_axes_are_drawn_as_they_are(self):
        line = ls.plot.reflection([[1], [2], [4], [5]], [-1, -1, 1, 1])
        assert line.names == ["x0", "x1"]
        np.testing.assert_array_equal(line.before, [[1, 1], [1, 2], [1, 4], [1, 5]])
        np.testing.assert_array_equal(line.after, [[-1, -1], [-1, -2], [1, 4], [1, 5]])
        plane = ls.plot.reflection([[1, 2], [-1, 1]], [1, -1], [0, 1, 0])
        assert plane.names == ["x1", "x2"]
        np.testing.assert_array_equal(plane.after, [[1, 2], [1, -1]])
        drawn(line)
        drawn(plane)

    def test_wrong_samples(self):
        X, y = ls.datasets.load("non_separable")
        display = ls.plot.reflection(X, y, [1, 1, -1])
        by_hand = [label * (1 + a - b) <= 0 for (a, b), label in zip(X, y, strict=True)]
        assert display.wrong.tolist() == by_hand
        assert f"{sum(by_hand)} of 5 reflected samples" in drawn(display)

    def test_one_sample_of_each_class_and_equal_samples(self):
        drawn(ls.plot.reflection([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]], [0, 1]))
        drawn(ls.plot.reflection([[1.0, 1.0]] * 2, [0, 1], [1, 1, 1]))

    def test_errors(self):
        X, y = ls.datasets.load("xor")
        with pytest.raises(ValueError, match=r"not separable.*pass weights"):
            ls.plot.reflection(X, y)
        with pytest.raises(ValueError, match="all 0"):
            ls.plot.reflection(X, y, [0, 0, 0])
        with pytest.raises(ValueError, match="3 classes"):
            ls.plot.reflection(IRIS.X, IRIS.y)


def exact_angle(w, x):
    """arccos of the exact cosine, in degrees, with 60 digits."""
    with mpmath.workdps(60):
        dot = sum(Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True))
        square = sum(Fraction(a) ** 2 for a in w) * sum(Fraction(b) ** 2 for b in x)
        cosine = mpmath.mpf(dot.numerator) / dot.denominator
        cosine /= mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        return float(mpmath.degrees(mpmath.acos(max(-1, min(1, cosine)))))


class TestAngle:
    @pytest.mark.share(4)
    @pytest.mark.parametrize("seed", range(20))
    def test_angles_and_update(self, seed):
        rng = np.random.default_rng(seed)
        w, x = rng.standard_normal((2, 2 + seed % 4))
        y = 1 if w @ x < 0 else -1
        display = ls.plot.angle(w, x, y, eta=0.5)
        after = w + 0.5 * y * x
        np.testing.assert_array_equal(display.weights, [w, after])
        expected = [exact_angle(w, x), exact_angle(after, x)]
        np.testing.assert_allclose(display.angles, expected, rtol=1e-14)
        assert np.sign(expected[0] - expected[1]) == y  # towards x, or away from it
        # lengths and angles in the figure are the true ones
        flat_w, flat_x = display.weights @ display.basis.T, display.basis @ x
        for flat, full in zip(flat_w, display.weights, strict=True):
            assert exact_angle(flat, flat_x) == pytest.approx(exact_angle(full, x), rel=1e-9)
            assert np.linalg.norm(flat) == pytest.approx(np.linalg.norm(full))

    @pytest.mark.share(3)
    @pytest.mark.parametrize("tiny", [1e-3, 1e-9, 1e-20])
    def test_small_and_straight_angles(self, tiny):
        display = ls.plot.angle([1, 0], [1, tiny])
        assert display.angles[0] == pytest.approx(exact_angle([1, 0], [1, tiny]), rel=1e-14)
        display = ls.plot.angle([-1, 0], [1, tiny])
        assert display.angles[0] == pytest.approx(exact_angle([-1, 0], [1, tiny]), rel=1e-15)
        drawn(display)

    def test_what_the_notes_say(self):
        right = ls.plot.angle([1, 0], [0, 2])
        assert right.angles[0] == 90
        assert right.score == 0
        assert right.update  # score 0 counts as a mistake
        below = ls.plot.angle([1, 1], [0, 1])
        assert below.angles.tolist() == [pytest.approx(45)]
        assert "Right, so w stays: α = 45° is below 90°" in drawn(below)
        assert "w·x = 1 = 1.414 · 1 · cos 45°" in drawn(below)
        assert "above 90°" in ls.plot.angle([1, 1], [0, -1], -1).title

    @pytest.mark.slow
    def test_vectors_of_length_0(self):
        first = ls.plot.angle([0, 0, 0], [1, 2, 3])
        assert np.isnan(first.angles[0])
        assert first.angles[1] == 0
        assert "has no direction" in drawn(first)
        last = ls.plot.angle([-1, -2], [1, 2])
        assert not last.weights[1].any()
        drawn(last)
        drawn(ls.plot.angle([-2, -4, -6], [1, 2, 3]))

    def test_the_steps_of_a_perceptron(self):
        X, y = OR
        path = ls.trace(ls.Perceptron(tie="negative"), X, y).path()
        before, after = path[1], path[2]
        step = after - before
        sample = next(k for k in range(4) if np.array_equal(step, y[k] * np.r_[1, X[k]]))
        display = ls.plot.angle(before, np.r_[1, X[sample]], int(y[sample]))
        np.testing.assert_array_equal(display.weights[1], after)

    def test_errors(self):
        for bad, match in [
            (([1, 2], [1, 2, 3]), "ls.augment"),
            (([1], [1]), "two finite numbers"),
            (([1, np.nan], [1, 2]), "w must be"),
            (([1, 2], [0, 0]), "x is 0"),
            (([1, 2], [1, 2], 0), "y must be"),
            (([1e200, 0], [1e200, 0]), "scale w and x"),
        ]:
            with pytest.raises(ValueError, match=match):
                ls.plot.angle(*bad)
        with pytest.raises(ValueError, match="eta"):
            ls.plot.angle([1, 2], [1, 2], eta=0)


FITS = {
    "step": ls.Perceptron(),
    "sigmoid": ls.LogisticRegression(),
    "softmax": ls.LogisticRegression(),
    "sigmoids": ls.LogisticRegression(multi_class="ovr"),
    "argmax": ls.LeastSquaresClassifier(),
    "votes": ls.LinearSVC(multi_class="ovo"),
    "identity": ls.LinearRegression(),
}


def from_network(display, X, labels):
    """The network's answer by its definition, from what is written in the display alone."""
    rows = np.c_[np.ones(len(X)), X] if display.bias else X
    z = rows @ display.weights.T
    if display.kind == "identity":
        return z
    if display.kind == "step":
        return labels[(z[:, 0] > 0).astype(int)]
    if display.kind == "sigmoid":
        return 1 / (1 + np.exp(-z[:, 0]))
    if display.kind in ("softmax", "sigmoids"):
        share = np.exp(z) if display.kind == "softmax" else 1 / (1 + np.exp(-z))
        return share / share.sum(axis=1, keepdims=True)
    if display.kind == "argmax":
        return labels[z.argmax(axis=1)]
    votes = np.zeros((len(X), len(labels)))
    pairs = [(a, b) for a in range(len(labels)) for b in range(a + 1, len(labels))]
    for score, (a, b) in zip(z.T, pairs, strict=True):
        votes[:, b] += score > 0
        votes[:, a] += score <= 0
    return labels[votes.argmax(axis=1)]


class TestNetwork:
    @pytest.mark.share(4)
    @pytest.mark.parametrize("kind", FITS)
    def test_the_network_computes_what_the_model_does(self, kind):
        binary = kind in ("step", "sigmoid")
        X, y = (IRIS.X[:100], IRIS.y[:100]) if binary else (IRIS.X, IRIS.y)
        if kind == "identity":
            y = IRIS.X[:, 3]
            X = X[:, :3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = FITS[kind].fit(X, y)
        display = ls.plot.network(model)
        assert display.kind == kind
        answer = from_network(display, X, np.unique(y))
        if kind in ("sigmoid", "softmax", "sigmoids"):
            expected = model.predict_proba(X)
            np.testing.assert_allclose(answer, expected[:, 1] if binary else expected, atol=1e-12)
        elif kind == "votes":  # equal votes are decided by the scores
            assert (answer == model.predict(X)).mean() > 0.98
        else:
            np.testing.assert_allclose(answer.ravel(), model.predict(X))
        assert type(model).__name__ in drawn(display)

    def test_weights_stand_on_the_edges(self):
        X, y = OR
        model = ls.Perceptron().fit(X, y)
        display = ls.plot.network(model)
        w = np.r_[model.intercept_, model.coef_[0]]
        assert display.edges == [(i, 0, w[i]) for i in range(3)]
        text = drawn(display)
        for value in w:
            assert f"{value:g}".replace("-", "−") in text.split(" | ")
        assert "−1 if Σ < 0" in text

    def test_names_and_no_bias(self):
        import pandas

        frame = pandas.DataFrame(IRIS.X, columns=IRIS.feature_names)
        model = ls.LogisticRegression(fit_intercept=False).fit(frame, IRIS.y)
        display = ls.plot.network(model)
        assert display.inputs == IRIS.feature_names
        np.testing.assert_array_equal(display.weights, model.coef_)
        assert "petal width (cm)" in drawn(display)

    def test_more_than_fits_is_shortened(self):
        digits = ls.datasets.load("digits")
        display = ls.plot.network(ls.LeastSquaresClassifier().fit(digits.X, digits.y))
        assert display.shown_inputs == [0, 1, 2, 3, 4, -1, 64]
        assert display.shown_scores == [0, 1, -1, 9]
        assert display.weights.shape == (10, 65)
        assert len(display.edges) == 6 * 3
        assert "6 of 65 inputs and 3 of 10 scores shown" in drawn(display)

    def test_every_linear_model(self):
        X, y = IRIS.X[:, :2], IRIS.y
        for model in (
            ls.FisherDiscriminant(),
            ls.GaussianNaiveBayes(shared_variance=True),
            ls.Ridge(),
            ls.HuberRegressor(),
            ls.Perceptron(max_iter=3),
            ls.LinearSVC(),
            ls.SVC(kernel="linear"),
            ls.LogisticRegression(multi_class="ovo"),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                display = ls.plot.network(model.fit(X, y))
            assert display.weights.shape[1] == 3
        drawn(ls.plot.network(ls.LinearRegression().fit(X, np.c_[y, -y])))
        drawn(ls.plot.network(ls.LinearRegression().fit(X[:, :1], y)))

    def test_long_and_awkward_names(self):
        import pandas

        frame = pandas.DataFrame(IRIS.X, columns=[f"_price in $ of {k} " * 4 for k in range(4)])
        labels = np.array(["a $ b $ " * 5, "_hidden " * 5, "c"])[IRIS.y]
        text = drawn(ls.plot.network(ls.LogisticRegression().fit(frame, labels)))
        assert r"P(a \$ b \$ a \$ b… | x)" in text
        assert r"\\$" not in text
        drawn(ls.plot.network(ls.LinearSVC(multi_class="ovo").fit(frame, labels)))

    def test_naive_bayes_is_a_logistic_network(self):
        X, y = IRIS.X[50:, :2], IRIS.y[50:]
        model = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y)
        display = ls.plot.network(model)
        assert display.kind == "sigmoid"
        expected = model.predict_proba(X)[:, 1]
        np.testing.assert_allclose(from_network(display, X, None), expected, rtol=1e-9)

    def test_errors(self):
        X, y = OR
        with pytest.raises(TypeError, match="KernelPerceptron has none"):
            ls.plot.network(ls.KernelPerceptron().fit(X, y))
        with pytest.raises(ValueError, match="not fitted"):
            ls.plot.network(ls.Perceptron())
