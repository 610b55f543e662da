"""What a perceptron claims is what ``predict`` says, signs in exact rationals; forgeries fail."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import linscope as ls
from linscope.results import Status
from linscope.verify.exact_signs import signed_scores

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def exact_signs(X, W):
    W = [Fraction(float(v)) for v in W]
    scores = [
        W[0] + sum(w * Fraction(float(v)) for w, v in zip(W[1:], row, strict=True))
        for row in np.asarray(X)
    ]
    return np.array([(s > 0) - (s < 0) for s in scores])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_score_that_is_exactly_zero_is_a_tie_for_predict_too(form):
    """The averaged vector scores 0 on the third sample; summed in floats it is −1e−16."""
    X, y = np.array([[0.0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1]]), [0, 0, 1]
    model = ls.Perceptron(tie="positive", output="averaged").fit(form(X), y)
    assert model.certificate_.mistakes == 0
    assert model.certificate_.status is Status.SEPARATED_BY_TIE
    np.testing.assert_array_equal(model.predict(form(X)), y)
    assert model.decision_function(form(X))[2] == 0.0
    assert model.verify(form(X), y)


@pytest.mark.parametrize("seed", range(30))
def test_mistakes_are_what_predict_says(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((12, 3)), 1) * 10.0 ** rng.integers(-9, 9)
    y = (np.arange(12) % 2) if seed % 2 else (X[:, 0] > X[:, 1]).astype(int)
    y[:2] = 0, 1
    for output in ("last", "averaged", "pocket"):
        for tie in ("update", "positive", "negative"):
            model = ls.Perceptron(output=output, tie=tie, max_iter=20, eta0=0.1).fit(X, y)
            claim = model.certificate_
            signs = exact_signs(X, np.r_[model.intercept_, model.coef_[0]])
            np.testing.assert_array_equal(np.sign(model.decision_function(X)), signs)
            wrong_at_zero = {"update": (True, True), "positive": (True, False)}.get(
                tie, (False, True)
            )
            wrong = (signs == np.where(y == 1, -1, 1)) | ((signs == 0) & np.take(wrong_at_zero, y))
            assert claim.mistakes == wrong.sum()
            if tie != "update":
                assert claim.mistakes == (model.predict(X) != y).sum()
            assert model.verify(X, y).claim_holds


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e150])
def test_signs_are_exact_at_every_scale(scale):
    rng = np.random.default_rng(3)
    for _ in range(50):
        X = scale * np.round(rng.standard_normal((6, 3)), 1)
        W = np.round(rng.standard_normal(4), 1) / (1.0 if scale > 1e100 else min(scale, 1e100))
        W[0] = -(X[0] @ W[1:])
        for form in (np.asarray, sparse.csr_array):
            np.testing.assert_array_equal(np.sign(signed_scores(form(X), W)), exact_signs(X, W))


def table(n=40):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, 2))
    return X, (X[:, 0] > 0.2 * X[:, 1] + 0.1).astype(int)


@pytest.mark.parametrize("output", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("noisy", [False, True])
def test_forged_claims_are_rejected(output, noisy):
    X, y = table()
    if noisy:
        y[::7] = 1 - y[::7]
    model = ls.Perceptron(output=output, max_iter=30).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y).claim_holds
    assert model.verify(X, y).claim_holds
    for status in Status:
        if status is not claim.status and (status.ok or claim.ok):
            assert not replace(claim, status=status).verify(X, y).claim_holds, status
    for forged in (
        {"weights": -claim.weights},
        {"weights": claim.weights * np.nan},
        {"weights": claim.weights[1:]},
        {"mistakes": claim.mistakes + 1},
        {"margin": claim.margin + 1e-6},
        {"margin": np.nan},
        {"radius": claim.radius * 1.001},
        {"radius": np.inf},
        {"tie": "never"},
        {"gap": 0.0},
        {"positive": 0, "negative": 1, "others": (1,)},
        {"intercept": False},
        {"last": claim.weights},
        {"status": Status.CONVERGED, "last": claim.weights, "output": "averaged"},
    ):
        assert not replace(claim, **forged).verify(X, y).claim_holds, forged
    assert not claim.verify(X[::-1], y).claim_holds


def test_an_averaged_vector_with_mistakes_names_the_last_one():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [30.0, 31.0], [-30.0, -29.5]]), [0, 1, 1, 0]
    found = []
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]):
        Z, z = X[order], np.take(y, order)
        model = ls.Perceptron(output="averaged", stop="streak").fit(Z, z)
        claim = model.certificate_
        assert claim.verify(Z, z)
        found.append(claim.status)
        if claim.status is Status.CONVERGED:
            assert (exact_signs(Z, claim.last) == np.where(z == 1, 1, -1)).all()
            assert not replace(claim, last=None).verify(Z, z).claim_holds
            assert not replace(claim, last=-claim.last).verify(Z, z).claim_holds
            assert not replace(claim, status=Status.SEPARATED).verify(Z, z).claim_holds
    assert Status.CONVERGED in found


def test_live_attributes_are_checked():
    X, y = table()
    for output in ("last", "averaged", "pocket", "voted"):
        model = ls.Perceptron(output=output).fit(X, y)
        assert model.verify(X, y)
        if output == "voted":
            model.committees_[0].steps[:] *= 2
        else:
            model.coef_ = 2 * model.coef_
        assert not model.verify(X, y).claim_holds
    three = ls.Perceptron().fit(X, np.arange(len(X)) % 3)
    assert three.verify(X, np.arange(len(X)) % 3).claim_holds
    three.intercept_[1] += 1.0
    assert not three.verify(X, np.arange(len(X)) % 3).claim_holds


def test_a_broken_compiled_loop_is_noticed(monkeypatch):
    """A tally that forgets mistakes makes a claim that does not stand."""
    from linscope.perceptron.certificates import perceptron

    X, y = table()
    y[::7] = 1 - y[::7]
    honest = perceptron.tally
    monkeypatch.setattr(perceptron, "tally", lambda *a: (0, *honest(*a)[1:]))
    claim = ls.Perceptron(max_iter=5).fit(X, y).certificate_
    assert claim.mistakes == 0
    assert not claim.verify(X, y).claim_holds
