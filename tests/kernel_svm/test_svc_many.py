"""Many binary problems in compiled code: against LIBSVM, and against one problem at a time."""

import dataclasses
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC as LibSVM

import linscope as ls
from linscope.kernel_svm.solving import all_problems as svc_many
from linscope.kernel_svm.solving import tables as svc_tables
from linscope.kernels.kernel_maps import fill_products
from linscope.kernels.rounding import single_error
from linscope.kernels.tiles import make_tiles
from linscope.results import Status

KERNELS = [
    {"kernel": "rbf", "gamma": 0.2},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.02},
]


def blobs(n=900, d=5, classes=4, seed=0):
    """Overlapping classes of different sizes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, n, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(classes, d))[y], y


def weights(n):
    return np.random.default_rng(1).uniform(0.2, 2.0, n)


@pytest.fixture
def alone(monkeypatch):
    """Fits of one problem at a time."""

    def fit(model, *data):
        with monkeypatch.context() as context:
            context.setattr(svc_many, "shared_table", lambda *_: None)
            return model.fit(*data)

    return fit


@pytest.fixture
def counted(monkeypatch):
    """How many problems were left to be solved one by one."""
    left = []
    solve_one = svc_many.solve_one

    def counting(fit, problem, **options):
        left.append(problem.name)
        return solve_one(fit, problem, **options)

    monkeypatch.setattr(svc_many, "solve_one", counting)
    return left


@pytest.mark.share(20)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_as_one_problem_at_a_time(alone, counted, multi_class, options, tol):
    X, y = blobs()
    for c in (None, weights(len(y))):
        model = ls.SVC(2.0, multi_class=multi_class, tol=tol, **options).fit(X, y, c)
        assert len(counted) <= (0 if tol == 1e-3 else len(model.results_))
        other = alone(ls.SVC(2.0, multi_class=multi_class, tol=1e-9, **options), X, y, c)
        counted.clear()
        assert model.certificate_.verify(X, y, c).claim_holds
        assert model.certificate_.kkt <= tol
        for part, best in zip(
            model.certificate_.parts.values(), other.certificate_.parts.values(), strict=True
        ):
            if options["kernel"] == "sigmoid":
                continue  # not convex: there are several stationary points
            assert part.dual <= best.primal * (1 + 1e-9)
            assert best.primal <= part.primal * (1 + 1e-9)
            assert part.primal - best.primal <= part.gap + 1e-9 * best.primal
        if options["kernel"] != "sigmoid":
            scores = model._problem_scores(X), other._problem_scores(X)
            np.testing.assert_allclose(*scores, atol=20 * tol + 1e-6)


@pytest.mark.share(6)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("options", "K"),
    [
        ({"gamma": 0.2}, lambda X: rbf_kernel(X, gamma=0.2)),
        ({"kernel": "linear"}, lambda X: X @ X.T),
        (
            {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 1.0},
            lambda X: polynomial_kernel(X, degree=2, gamma=0.3, coef0=1.0),
        ),
    ],
)
def test_the_dual_values_of_libsvm(options, K, weighted):
    X, y = blobs()
    c, K = weights(len(y)) if weighted else None, K(X)
    for table, given in ((X, options), (K, {"kernel": "precomputed"})):
        model = ls.SVC(tol=1e-7, **given).fit(table, y, c)
        theirs = LibSVM(tol=1e-7, **options).fit(X, y, c)
        np.testing.assert_array_equal(model.n_support_.shape, theirs.n_support_.shape)
        np.testing.assert_allclose(_pair_values(model, y, K), _pair_values(theirs, y, K), rtol=1e-6)
        assert model.certificate_.verify(table, y, c).claim_holds
        rest = ls.SVC(tol=1e-7, multi_class="ovr", **given).fit(table, y, c)
        for k, part in enumerate(rest.certificate_.parts.values()):
            single = LibSVM(tol=1e-7, **options).fit(X, y == k, c)
            assert part.dual == pytest.approx(_pair_values(single, y == k, K)[0], rel=1e-6)


def _pair_values(model, y, K):
    """Σα − ½ βᵀKβ of each pair of classes, as scikit-learn lays out their coefficients."""
    classes, values = model.classes_, []
    of = y[model.support_]
    for b in range(1, len(classes)):
        for a in range(b):
            beta = np.zeros(len(y))
            for own, row in ((a, b - 1), (b, a)):
                at = model.support_[of == classes[own]]
                beta[at] = model.dual_coef_[row if len(classes) > 2 else 0][of == classes[own]]
            values.append(np.abs(beta).sum() - 0.5 * beta @ K @ beta)
    return np.array(values)


@pytest.mark.slow
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_other_kinds_of_kernels_and_tables(multi_class):
    X, y = blobs()
    X = np.where(X > 0.5, X, 0.0)
    model = ls.SVC(gamma=0.2, multi_class=multi_class, tol=1e-7).fit(X, y)
    expected = model._problem_scores(X)
    K = rbf_kernel(X, gamma=0.2)
    others = [
        (ls.SVC(gamma=0.2), sparse.csr_array(X)),
        (ls.SVC(kernel="precomputed"), K),
        (ls.SVC(kernel="precomputed"), K.astype(np.float32)),
        (ls.SVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.2)), X),
    ]
    for other, table in others:
        other.set_params(multi_class=multi_class, tol=1e-7).fit(table, y)
        atol = 1e-3 if table.dtype == np.float32 else 1e-5
        np.testing.assert_allclose(other._problem_scores(table), expected, atol=atol)
        assert other.certificate_.verify(table, y).claim_holds


def test_slack_margin_and_rows_of_weight_zero():
    X, y = blobs()
    c = weights(len(y)) * (np.arange(len(y)) % 5 > 0)
    model = ls.SVC(gamma=0.2).fit(X, y, c)
    kept = ls.SVC(gamma=0.2).fit(X[c > 0], y[c > 0], c[c > 0])
    np.testing.assert_array_equal(model.alphas_[:, c > 0], kept.alphas_)
    assert not model.alphas_[:, c == 0].any()
    scores, k = model._problem_scores(X), 0
    for a in range(4):
        for b in range(a + 1, 4):
            rows = ((y == a) | (y == b)) & (c > 0)
            signs = np.where(y[rows] == b, 1, -1)
            slack = np.maximum(0, 1 - signs * scores[rows, k])
            np.testing.assert_allclose(model.slack_[k, rows], slack, atol=1e-9)
            assert not model.slack_[k, ~rows].any()
            beta = signs * model.alphas_[k, rows]
            norm = np.sqrt(beta @ rbf_kernel(X[rows], gamma=0.2) @ beta)
            assert model.margin_[k] == pytest.approx(2 / norm)
            k += 1


def test_forged_parts_are_rejected():
    X, y = blobs()
    claim = ls.SVC(gamma=0.2).fit(X, y).certificate_
    name, part = next(iter(claim.parts.items()))
    assert claim.verify(X, y)
    forged = [
        {"alpha": 0.99 * part.alpha},
        {"bias": part.bias + 0.01},
        {"primal": part.primal * 1.0001},
        {"dual": part.dual * 1.0001},
        {"gap": 0.5 * part.gap},
        {"kkt": 0.5 * part.kkt},
        {"status": Status.STALLED},
    ]
    for change in forged:
        parts = {**claim.parts, name: dataclasses.replace(part, **change)}
        assert not dataclasses.replace(claim, parts=parts).verify(X, y).claim_holds, change


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_the_error_of_float32_values_is_bounded(kernel, scale):
    X = scale * np.random.default_rng(0).normal(size=(200, 20))
    tiles = make_tiles(X, kernel, gamma=0.05, degree=3, coef0=0.5, dtype=np.float64)
    every, single = np.arange(200), np.empty((200, 200), dtype=np.float32)
    left, right = tiles.left.astype(np.float32), tiles.right.astype(np.float32)
    fill_products(left, right, tiles.code, tiles.degree, single, every, 0)
    K, bound = tiles.block(every, slice(0, 200)), single_error(tiles)
    assert np.abs(K).max() <= bound.most * (1 + 1e-12)
    assert np.abs(single - K).max() <= bound.error <= 1e-3 * bound.most


# ---- what compiled code leaves to do ------------------------------------------------------------


@pytest.mark.share(2)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_hard_problems_go_on_one_by_one(counted, multi_class):
    X, y = blobs(classes=3)
    y[::3] = y[np.arange(0, 900, 3) - 1]  # many labels are wrong
    model = ls.SVC(1e3, gamma=0.2, multi_class=multi_class).fit(X, y)
    assert model.certificate_.ok
    assert model.certificate_.verify(X, y)
    assert counted
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        short = ls.SVC(1e6, gamma=0.2, multi_class=multi_class, max_iter=1).fit(X, y)
    assert short.certificate_.verify(X, y).claim_holds
    statuses = {part.status for part in short.certificate_.parts.values()}
    assert Status.MAX_ITER in statuses


def test_pairs_too_large_for_it_and_little_memory(monkeypatch, counted):
    X, y = blobs()
    model = ls.SVC(tol=1e-6).fit(X, y)
    assert not counted
    monkeypatch.setattr(svc_tables, "PAIR", 500)
    some = ls.SVC(tol=1e-6).fit(X, y)
    assert 0 < len(counted) < 6
    np.testing.assert_allclose(some._problem_scores(X), model._problem_scores(X), atol=1e-4)
    little = ls.SVC(tol=1e-6, memory_limit=1e6).fit(X, y)
    np.testing.assert_allclose(little._problem_scores(X), model._problem_scores(X), atol=1e-4)


def test_kernel_values_beyond_the_range():
    X, y = blobs()
    K = rbf_kernel(X)
    K[3, 5] = K[5, 3] = 1e308
    K[7, 9] = K[9, 7] = -1e308
    with pytest.raises(ValueError, match="range"):
        ls.SVC(1e10, kernel="precomputed").fit(K, y)


# ---- stopping early -----------------------------------------------------------------------------


class Watcher(ls.Observer):
    def __init__(self, at=-1, interrupt=False):
        self.at, self.interrupt, self.notes, self.tasks = at, interrupt, [], []

    def begin(self, task, total):
        self.tasks.append((task, total))

    def step(self, done, state):
        self.notes.append(state.note)
        if done == self.at and self.interrupt:
            raise KeyboardInterrupt
        return done == self.at


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("interrupt", [False, True])
def test_a_stopped_fit_is_feasible(monkeypatch, multi_class, interrupt):
    monkeypatch.setattr(svc_tables, "VALUES", 1)
    monkeypatch.setenv("LINSCOPE_THREADS", "1")
    X, y = blobs()
    model = ls.SVC(multi_class=multi_class)
    with ls.observe(Watcher(2, interrupt)), pytest.warns(ConvergenceWarning, match="violated by"):
        model.fit(X, y)
    parts = list(model.certificate_.parts.values())
    assert [part.status.ok for part in parts[:3]] == [True, True, False]
    how = Status.INTERRUPTED if interrupt else Status.STOPPED
    assert all(part.status is how for part in parts[2:])
    assert all(not part.alpha.any() and part.gap > 0 for part in parts[2:])
    assert model.certificate_.verify(X, y).claim_holds
    assert model.predict(X).shape == y.shape
    full = ls.SVC(multi_class=multi_class).fit(X, y)
    for part, best in zip(parts, full.certificate_.parts.values(), strict=True):
        assert part.primal - part.gap <= best.primal


def test_observers_see_all_problems_and_change_nothing():
    X, y = blobs()
    watcher = Watcher()
    with ls.observe(watcher):
        model = ls.SVC().fit(X, y)
    assert watcher.tasks == [("kernel SVM, 6 problems", len(watcher.notes))]
    assert watcher.notes[-1] == "6 of 6 problems"
    np.testing.assert_array_equal(model.dual_coef_, ls.SVC().fit(X, y).dual_coef_)


def test_any_number_of_threads_and_pickles(monkeypatch):
    X, y = blobs()
    found = []
    for threads in (1, 3):
        monkeypatch.setenv("LINSCOPE_THREADS", str(threads))
        found.append(ls.SVC(multi_class="ovr").fit(X, y))
        found.append(ls.SVC().fit(X, y))
    np.testing.assert_array_equal(found[0].dual_coef_, found[2].dual_coef_)
    np.testing.assert_array_equal(found[1].dual_coef_, found[3].dual_coef_)
    again = pickle.loads(pickle.dumps(found[1]))
    assert again.certificate_.verify(X, y)
    np.testing.assert_array_equal(again.alphas_, found[1].alphas_)


@pytest.mark.parametrize("classes", [2, 4])
def test_ctrl_c_while_kernel_values_are_worked_out_keeps_a_feasible_answer(monkeypatch, classes):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(svc_many, "shared_table", interrupted)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = np.arange(900) % classes
    with pytest.warns(ConvergenceWarning, match="violated by"):
        model = ls.SVC().fit(X, y)
    claim = model.certificate_
    parts = claim.parts.values() or [claim]
    assert all(part.status is Status.INTERRUPTED for part in parts)
    assert not claim.status.ok
    assert claim.verify(X, y).claim_holds
    assert model.predict(X).shape == (900,)
