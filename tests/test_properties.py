"""What must hold for every estimator, whatever it computes: ``tests/registry.py`` × properties."""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import linscope as ls
from tests.redteam.forging import forgeries
from tests.registry import FLOAT32, REGISTRY, SCALES, SPARSE, WEIGHTS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# Changes that leave a claim true: weaker bounds, or tighter ones that still hold; what the data do
# not tell (how many passes there were, how many directions ``transform`` uses, which model.verify
# compares); a direction and its opposite.
STILL_TRUE = re.compile(
    r"(gap|kkt|accuracy|condition) (doubled|× 0.1)|rounding|updates|passes|eta0|given_priors|common"
    r"|shrinkage|scalings negated|components − 1|kkt → (1000000000.0|inf)"
)
CERTIFIED = [name for name in REGISTRY if name != "ApproximateSVC"]


def having(property_name, names=tuple(REGISTRY)):
    """The estimators that can have a property."""
    return pytest.mark.parametrize(
        "name", [name for name in names if property_name not in REGISTRY[name].lacks]
    )


def fitted(name, X=None, y=None, **options):
    entry = REGISTRY[name]
    X, y = entry.problem() if X is None else (X, y)
    return entry.make().fit(X, y, **options)


def near(a, b, tolerance):
    np.testing.assert_allclose(a, b, rtol=0.0, atol=tolerance * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if entry.reference])
def test_it_agrees_with_somebody_else(name):
    entry = REGISTRY[name]
    X, y = entry.problem()
    near(entry.ours(fitted(name), X), entry.reference(X, y), entry.tolerance)


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if entry.objective])
def test_no_weights_nearby_are_better(name):
    """The objective, written down in the registry, rises in every direction."""
    entry = REGISTRY[name]
    X, y = entry.problem()
    model = fitted(name)
    w = np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]
    best, rng = entry.objective(w, X, y), np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for step in rng.normal(size=(20, len(w))):
            assert entry.objective(w + size * step, X, y) > best - 1e-9 * best


@having(SPARSE)
def test_sparse_rows_give_the_same_model(name):
    entry = REGISTRY[name]
    X, y = entry.problem()
    holes = np.where(np.abs(X) < 0.3, 0.0, X)
    dense, thin = fitted(name, holes, y), fitted(name, sparse.csr_array(holes), y)
    near(entry.ours(thin, holes), entry.ours(dense, holes), max(entry.tolerance, 1e-9))


@having(WEIGHTS)
def test_a_weight_of_two_is_a_row_twice(name):
    entry = REGISTRY[name]
    X, y = entry.problem()
    c = 1 + np.arange(len(y)) % 3
    weighted = fitted(name, X, y, sample_weight=c.astype(float))
    repeated = fitted(name, np.repeat(X, c, axis=0), np.repeat(y, c))
    gamma = getattr(weighted, "gamma", None)
    if gamma == "scale":  # of the rows, which are not the same
        X2, y2 = np.repeat(X, c, axis=0), np.repeat(y, c)
        own = 1.0 / (X.shape[1] * X.var())
        repeated = clone(weighted).set_params(gamma=own).fit(X2, y2)
        weighted = clone(weighted).set_params(gamma=own).fit(X, y, sample_weight=c.astype(float))
    near(entry.ours(weighted, X), entry.ours(repeated, X), max(entry.tolerance, 1e-9))


@having(FLOAT32)
def test_float32_in_float32_out(name):
    entry = REGISTRY[name]
    X, y = entry.problem()
    model = fitted(name, X.astype(np.float32), y)
    found = entry.ours(model, X.astype(np.float32))
    near(found, entry.ours(fitted(name), X), max(entry.tolerance, 2e-3))
    if hasattr(model, "coef_") and not callable(getattr(type(model), "coef_", None)):
        assert model.coef_.dtype == np.float32


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@having(SCALES)
def test_huge_and_tiny_numbers(name, scale):
    """They are solved, or refused with a reason; never silently wrong."""
    entry = REGISTRY[name]
    X, y = entry.problem()
    try:
        model = fitted(name, X * scale, y)
    except ValueError as error:
        reason = str(error)
    else:
        reason = "" if model.certificate_.ok else "not claimed"
        assert reason or model.verify(X * scale, y)
    assert not reason or any(word in reason for word in ("scale", "range", "large", "not claimed"))


@pytest.mark.parametrize("name", REGISTRY)
def test_a_pickle_predicts_the_same(name):
    X, _ = REGISTRY[name].problem()
    model = fitted(name)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(REGISTRY[name].ours(again, X), REGISTRY[name].ours(model, X))


@pytest.mark.parametrize("name", CERTIFIED)
def test_its_claim_holds_and_is_about_the_live_attributes(name):
    X, y = REGISTRY[name].problem()
    model = fitted(name)
    assert model.certificate_.ok
    assert model.verify(X, y), model.verify(X, y).reason
    held = next(
        attribute for attribute in ("theta_", "dual_coef_", "coef_") if hasattr(model, attribute)
    )
    setattr(model, held, 1.5 * getattr(model, held))
    assert not model.verify(X, y).claim_holds


@pytest.mark.share(5)
@pytest.mark.parametrize("name", CERTIFIED)
def test_forged_claims_are_rejected(name):
    X, y = REGISTRY[name].problem()
    claim = fitted(name).certificate_
    assert claim.verify(X, y)
    accepted = [what for what, forged in forgeries(claim) if _accepts(forged, X, y)]
    assert [what for what in accepted if not STILL_TRUE.search(what)] == []


def _accepts(claim, X, y):
    try:
        return claim.verify(X, y).claim_holds
    except (ValueError, TypeError):
        return False


@pytest.mark.parametrize("name", [name for name, entry in REGISTRY.items() if entry.traced])
def test_the_trace_ends_where_the_fit_does(name):
    entry = REGISTRY[name]
    X, y = entry.problem()
    model = fitted(name)
    run = ls.trace(entry.make(), X, y)
    if isinstance(run, ls.Derivation):
        near(entry.ours(run.estimator, X), entry.ours(model, X), 1e-12)
    elif hasattr(model, "coef_") and model.coef_ is not None and hasattr(run, "path"):
        near(entry.ours(run.estimator, X), entry.ours(model, X), max(entry.tolerance, 1e-12))


@pytest.mark.parametrize("name", REGISTRY)
def test_one_thread_and_many_give_the_same_bits(name, monkeypatch):
    X, _ = REGISTRY[name].problem()
    monkeypatch.setenv("LINSCOPE_THREADS", "1")
    one = REGISTRY[name].ours(fitted(name), X)
    monkeypatch.setenv("LINSCOPE_THREADS", "4")
    assert one.tobytes() == REGISTRY[name].ours(fitted(name), X).tobytes()


@pytest.mark.parametrize("unit", [1e-100, 1e100])
@having(WEIGHTS, CERTIFIED)
def test_weights_far_apart_leave_a_proven_claim(name, unit):
    """At the ends of the range that weights may have."""
    X, y = REGISTRY[name].problem()
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.5)
    weight[: len(y) // 2] *= unit if unit > 1.0 else 2.0 * unit
    model = fitted(name, sample_weight=weight)
    found = model.verify(X, y, sample_weight=weight)
    assert found.claim_holds, found.reason
