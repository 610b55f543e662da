"""What voted, averaged and pocket perceptrons keep, against the notes' listing and plain loops."""

from fractions import Fraction

import numpy as np
import pytest

import linscope as ls

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def integers(seed=0, n=20, d=2):
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, size=(n, d)).astype(float), rng.choice([-1, 1], size=n)


def listing(X, y, visits):
    """The notes' voted perceptron, with its slip mended: survival is counted where y = ŷ."""
    w, c, kept, running = np.zeros(X.shape[1] + 1), 0, [], []
    for t in range(visits):
        x, label = np.append(1.0, X[t % len(y)]), y[t % len(y)]
        if label * (w @ x) > 0:
            c += 1
        else:
            kept.append((w, c))
            w, c = w + label * x, 1
        running.append(c)
    return [*kept, (w, c)], running


@pytest.mark.parametrize("exact", [False, True])
def test_votes_are_those_of_the_notes(exact):
    X, y = integers()
    run = ls.trace(ls.Perceptron(output="voted", max_iter=4), X, y, exact=exact)
    kept, running = listing(X, y, len(run.steps))
    assert run.to_frame(backend="dict")["survival"].tolist() == running
    votes = run.votes()
    assert votes.survival.tolist() == [c for _, c in kept]
    assert votes.weights.tolist() == [w.tolist() for w, _ in kept]
    Z = np.column_stack([np.ones(len(X)), X])
    signs = np.array([np.where(Z @ w >= 0, 1, -1) for w, _ in kept])
    assert votes.votes.tolist() == signs.tolist()
    totals = np.array([c for _, c in kept]) @ signs
    assert votes.totals.tolist() == totals.tolist()
    np.testing.assert_allclose(run.estimator.decision_function(X), totals / len(run.steps))
    assert votes.predicted == run.estimator.predict(X).tolist()


def test_votes_on_new_points():
    data = ls.datasets.load("or")
    run = ls.trace(ls.Perceptron(output="voted", tie="negative"), data)
    points = np.array([[2.0, -1.0], [0.5, 0.5], [-3.0, 1.0]])
    votes = run.votes(points)
    shares = run.estimator.decision_function(points)
    np.testing.assert_allclose(votes.totals / votes.survival.sum(), shares)
    averaged = ls.trace(ls.Perceptron(output="averaged", tie="negative"), data)
    scores = averaged.votes(points).totals / 13
    np.testing.assert_allclose(scores, averaged.estimator.decision_function(points))
    assert "[1 0.5 0.5]" in str(votes)
    for paper in (votes.to_latex(), votes.to_markdown(), votes.to_html()):
        assert "+1" in paper


RULES = {
    "single": {},
    "shuffled": {"shuffle": True, "random_state": 3},
    "batch": {"rule": "batch"},
    "mini-batch": {"rule": "mini-batch", "batch_size": 6},
    "no intercept": {"fit_intercept": False},
    "margin": {"margin": 2.0, "eta0": 0.5},
    "weights": {"class_weight": {-1: 2, 1: 0.25}},
    "positive tie": {"tie": "positive", "init": [1, -1, 2]},
}


def weights_of(frame):
    names = [name for name in frame if name[0] == "w" and name[1:].isdigit()]
    return np.column_stack([frame[name] for name in names]), names


@pytest.mark.parametrize("rule", RULES)
def test_the_sum_is_that_of_the_weights_after_every_visit(rule):
    X, y = integers(1)
    model = ls.Perceptron(output="averaged", max_iter=9, **RULES[rule])
    run = ls.trace(model, X, y)
    frame = run.to_frame(backend="dict")
    weights, names = weights_of(frame)
    sums = np.column_stack([frame[f"sum_{name}"] for name in names])
    np.testing.assert_allclose(sums, np.cumsum(weights, axis=0), rtol=1e-12)
    own = run.estimator
    held = np.r_[own.intercept_, own.coef_[0]][1 - own.fit_intercept :]
    np.testing.assert_allclose(sums[-1] / len(sums), held, rtol=1e-12)
    some = run.to_frame(start=30, stop=50, backend="dict")
    for name in names:
        np.testing.assert_allclose(some[f"sum_{name}"], frame[f"sum_{name}"][29:50], rtol=1e-12)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_the_pocket_has_the_fewest_mistakes_so_far(rule, exact):
    X, y = integers(2)
    model = ls.Perceptron(output="pocket", max_iter=9, **RULES[rule])
    run = ls.trace(model, X, y, exact=exact)
    frame = run.to_frame(backend="dict")
    own, path = run.estimator, run.path()
    m = y * (path[:, 1:] @ X.T + path[:, :1])
    cost = np.where(y > 0, 0.25, 2.0) if rule == "weights" else np.ones(len(y))
    tie = {"update": True, "positive": y < 0}[model.tie]
    errors = (((m < 0) | ((m == 0) & tie)) * cost).sum(axis=1)
    made = np.cumsum(frame["update"])
    best = [int(errors[: k + 1].argmin()) for k in made]
    assert frame["pocket"].tolist() == best
    assert [float(v) for v in frame["pocket_mistakes"]] == errors[best].tolist()
    np.testing.assert_array_equal(np.r_[own.intercept_, own.coef_[0]], path[best[-1]])


def test_fractions_of_an_average():
    run = ls.trace(
        ls.Perceptron(output="averaged", tie="negative"), ls.datasets.load("or"), exact=True
    )
    sums = [run.to_frame(backend="dict")[f"sum_w{j}"][-1] for j in range(3)]
    assert sums == [5, 7, 12]
    assert isinstance(sums[0], Fraction)
    words = "12/13·x2 + 7/13·x1 > −5/13 ⇒ 1, from the mean of 13 visits, [5 7 12] / 13"
    assert run.answer == [("equation", words)]


@pytest.mark.parametrize("output", ["voted", "averaged", "pocket"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_kernels_have_the_same_ledgers(kernel, output):
    data = ls.datasets.load("or")
    options = {"gamma": 1, "degree": 2, "coef0": 1, "output": output, "tie": "negative"}
    run = ls.trace(ls.KernelPerceptron(kernel=kernel, **options), data)
    exact = ls.trace(ls.KernelPerceptron(kernel=kernel, **options), data, exact=True)
    left, right = run.to_frame(backend="dict"), exact.to_frame(backend="dict")
    assert {name: column.tolist() for name, column in left.items()} == {
        name: column.tolist() for name, column in right.items()
    }
    if output == "averaged" and kernel == "poly":
        alphas = np.zeros(4)
        alphas[run.estimator.support_] = run.estimator.dual_coef_[0]
        last = dict(zip(left["sample"], left["sum_alpha"], strict=True))
        visits = len(left["step"])
        assert last[left["sample"][-1]] == pytest.approx(alphas[left["sample"][-1]] * visits)
    if output == "voted":
        np.testing.assert_allclose(
            run.votes().totals / run.votes().survival.sum(), run.estimator.decision_function(data.X)
        )


@pytest.mark.parametrize("rule", RULES)
def test_the_criterion_is_the_length_times_the_distances(rule):
    X, y = integers(3)
    run = ls.trace(ls.Perceptron(max_iter=5, **RULES[rule]), X, y, criterion=True)
    found, path = run.distances(), run.path()
    lengths = np.linalg.norm(path, axis=1)
    np.testing.assert_allclose(found.norms, lengths, rtol=1e-14)
    there = lengths > 0
    np.testing.assert_allclose(
        (lengths * found.totals)[there], found.criterion[there], rtol=1e-12, atol=1e-12
    )
    after = run.to_frame(updates=(1, len(path) - 1), backend="dict")["criterion"]
    np.testing.assert_array_equal(found.criterion[1:], after)
    frame = found.to_frame(backend="dict")
    k, i = frame["k"], frame["sample"]
    b = run.estimator.margin
    signed = b - y[i] * np.einsum("ij,ij->i", path[k], np.column_stack([np.ones(len(i)), X[i]]))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.where(lengths[k] > 0, signed / lengths[k], np.nan)
    np.testing.assert_allclose(frame["distance"], expected, rtol=1e-12)


def test_distances_of_some_updates_and_in_fractions():
    data = ls.datasets.load("students")
    run = ls.trace(ls.Perceptron(**data.settings), data, exact=True)
    found = run.distances(updates=(1, 2))
    assert found.updates.tolist() == [1, 2]
    assert found.criterion.tolist() == [Fraction(9, 4), Fraction(15, 4)]
    assert found.totals[0] == pytest.approx(3 / np.sqrt(5))
    text = str(found)
    for name in ("Jane", "Mary", "Peter", "15/4"):
        assert name in text
    for paper in (found.to_latex(), found.to_markdown(), found.to_html()):
        assert "Peter" in paper


def test_what_has_no_votes_or_distances():
    data = ls.datasets.load("or")
    with pytest.raises(ValueError, match="output='voted' or 'averaged'"):
        ls.trace(ls.Perceptron(), data).votes()
    with pytest.raises(ValueError, match="only perceptrons"):
        ls.trace(ls.LinearRegression(solver="batch"), *data).distances()
    run = ls.trace(ls.KernelPerceptron(output="voted"), data)
    with pytest.raises(ValueError, match="linear kernel"):
        run.distances()
    with pytest.raises(ValueError, match="no points"):
        run.votes([[0, 1]])
    with pytest.raises(ValueError, match="points has 3 features"):
        ls.trace(ls.Perceptron(output="voted"), data).votes([[0, 1, 2]])
