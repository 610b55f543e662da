"""evaluate: the notes' numbers, scikit-learn's numbers, and properties of both."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import label_binarize

import linscope as ls
from linscope.metrics import counting, render

NOTES = json.loads((Path(__file__).parents[1] / "data" / "metrics.json").read_text())
NAN = float("nan")


def labels_of(matrix, names):
    """Labels with this matrix: rows predicted, columns actual."""
    k = len(names)
    predicted, actual = np.divmod(np.repeat(np.arange(k * k), np.ravel(matrix)), k)
    return np.array(names)[actual], np.array(names)[predicted]


def data(k=3, n=400, seed=0, kind=int):
    """Labels, predictions, probabilities and decision values of k classes, with ties."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    z = np.rint(8 * (rng.normal(size=(n, k)) + 1.2 * np.eye(k)[y])) / 8
    # In 64ths, so that equal scores are equal and 1 − p is exact.
    p = np.maximum(np.rint(64 * np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)), 1)
    p[np.arange(n), p.argmax(axis=1)] += 64 - p.sum(axis=1)
    p /= 64
    names = np.array([f"class {c}" for c in "abcdefgh"])[:k]
    codes = p.argmax(axis=1)
    return (names[y], names[codes], p, z) if kind is str else (y, codes, p, z)


class TestNotes:
    @pytest.mark.parametrize("facts", NOTES["binary"], ids=lambda facts: facts["name"])
    def test_three_classifiers(self, facts):
        matrix = [[facts["tp"], facts["fp"]], [facts["fn"], facts["tn"]]]
        result = ls.evaluate(*labels_of(matrix, ["positive", "negative"]))
        assert result.positive == "positive"  # the second of the sorted labels
        assert result.confusion_matrix.tolist() == matrix
        for name in ("tp", "fp", "fn", "tn"):
            assert getattr(result, name) == facts[name]
        rates = ("accuracy", "precision", "recall", "f1", "fpr", "specificity", "error_rate", "fnr")
        for name in rates:
            assert getattr(result, name) == pytest.approx(facts[name], abs=1e-15)
        assert result.fbeta(2) == pytest.approx(facts["f2"], abs=1e-15)

    def test_recall_of_the_third_is_20_of_20(self):
        """The notes print 20/(15+5), which is not TP/(TP + FN) of their matrix."""
        result = ls.evaluate(*labels_of([[20, 20], [0, 160]], ["+", "-"]), positive="+")
        assert (result.tp, result.fn, result.recall, result.fnr) == (20, 0, 1.0, 0.0)

    def test_first_matrix(self):
        result = ls.evaluate(*labels_of(NOTES["first"], [1, -1]))
        assert result.confusion_matrix.tolist() == NOTES["first"]
        assert result.support.tolist() == [13, 7]

    def test_iris(self):
        names = ["setosa", "versicolor", "virginica"]
        result = ls.evaluate(*labels_of(NOTES["iris"], names))
        assert result.confusion_matrix.tolist() == NOTES["iris"]
        assert result.labels.tolist() == names
        assert result.accuracy == pytest.approx(float(Fraction(32, 38)), abs=1e-15)
        assert result.precision.tolist() == [1, 10 / 16, 1]
        assert result.recall.tolist() == [1, 1, 9 / 15]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("k", [2, 3, 6])
class TestAgainstScikitLearn:
    def run(self, k, kind, weighted, **options):
        y, predicted, p, z = data(k, kind=kind)
        w = np.random.default_rng(1).integers(0, 4, len(y)) / 4 if weighted else None
        return y, predicted, p, z, w

    def test_matrix_and_rates(self, k, kind, weighted):
        y, predicted, _, _, w = self.run(k, kind, weighted)
        result = ls.evaluate(y, predicted, sample_weight=w, rows="actual")
        expected = sk.confusion_matrix(y, predicted, sample_weight=w)
        np.testing.assert_allclose(result.confusion_matrix, expected, rtol=1e-14)
        assert result.accuracy == pytest.approx(sk.accuracy_score(y, predicted, sample_weight=w))
        assert result.error_rate == pytest.approx(1 - result.accuracy)
        names = ("precision", "recall", "f1", "specificity", "fpr", "fnr", "support")
        frame = result.to_frame("dict")
        for average, row in ((None, slice(k)), ("macro", k), ("micro", k + 1), ("weighted", k + 2)):
            options = {"average": average, "sample_weight": w, "zero_division": np.nan}
            theirs = sk.precision_recall_fscore_support(y, predicted, **options)
            for name, value in zip(("precision", "recall", "f1"), theirs, strict=False):
                np.testing.assert_allclose(frame[name][row], value, rtol=1e-13)
            f2 = sk.fbeta_score(y, predicted, beta=2, **options)
            if average is not None:
                assert result.fbeta(2, average) == pytest.approx(f2)
                assert getattr(result, average).f1 == frame["f1"][row]
        assert set(names) <= set(frame)
        each = sk.multilabel_confusion_matrix(y, predicted, sample_weight=w)
        tn, fp = each[:, 0, 0], each[:, 0, 1]
        np.testing.assert_allclose(frame["specificity"][:k], tn / (tn + fp))
        np.testing.assert_allclose(frame["fpr"][:k], fp / (tn + fp), atol=1e-15)
        np.testing.assert_allclose(frame["tn"][:k], tn)

    def test_curves(self, k, kind, weighted):
        y, predicted, p, z, w = self.run(k, kind, weighted)
        for scores in (p, z):
            result = ls.evaluate(y, predicted, scores, sample_weight=w)
            for label in np.unique(y):
                column = list(np.unique(y)).index(label)
                s = scores[:, column]
                if k == 2:
                    s = s if scores is p else s - scores[:, 1 - column]
                truth = y == label
                mine = result.curve(label)
                assert mine.roc_auc == pytest.approx(sk.roc_auc_score(truth, s, sample_weight=w))
                expected = sk.average_precision_score(truth, s, sample_weight=w)
                assert mine.average_precision == pytest.approx(expected)
                if k == 2 and label != result.positive:
                    continue  # its scores are 1 − p, the same curve up to rounding
                for ours, theirs in zip(
                    result.roc_curve(label), sk.roc_curve(truth, s, sample_weight=w), strict=True
                ):
                    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
                theirs = sk.precision_recall_curve(truth, s, sample_weight=w)
                for ours, other in zip(result.precision_recall_curve(label), theirs, strict=True):
                    np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-15)

    def test_probabilities(self, k, kind, weighted):
        y, predicted, p, _, w = self.run(k, kind, weighted)
        result = ls.evaluate(y, predicted, p, sample_weight=w)
        assert result.probabilities
        assert result.log_loss == pytest.approx(sk.log_loss(y, p, sample_weight=w))
        given = p[:, 1] if k == 2 else p
        options = {"pos_label": result.positive} if k == 2 else {}
        brier = sk.brier_score_loss(y, given, sample_weight=w, **options)
        assert result.brier_score == pytest.approx(brier)
        if k > 2:
            for average in ("macro", "weighted"):
                options = {"multi_class": "ovr", "average": average, "sample_weight": w}
                auc = sk.roc_auc_score(y, p, **options)
                assert getattr(result, average).roc_auc == pytest.approx(auc)
                indicators = label_binarize(y, classes=np.unique(y))
                ap = sk.average_precision_score(indicators, p, average=average, sample_weight=w)
                assert getattr(result, average).average_precision == pytest.approx(ap)
        if not weighted:
            for label, column in zip(np.unique(y), p.T, strict=True):
                if k == 2 and label != result.positive:
                    continue
                ours = result.calibration_curve(label, n_bins=7)
                theirs = calibration_curve(y == label, column, n_bins=7)
                for one, other in zip(ours, theirs, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-12)


class TestInputs:
    @pytest.mark.parametrize(
        "wrap",
        [list, tuple, np.array, pd.Series, pl.Series, lambda y: pd.Series(y, dtype="category")],
    )
    @pytest.mark.parametrize("names", [["no", "yes"], [-1, 1], [0, 1], [False, True], [2.0, 7.0]])
    def test_labels_of_any_kind(self, wrap, names):
        y = [names[i] for i in (0, 0, 1, 1, 1)]
        predicted = [names[i] for i in (0, 1, 1, 1, 0)]
        result = ls.evaluate(wrap(y), wrap(predicted))
        assert result.positive == names[1]
        assert result.confusion_matrix.tolist() == [[2, 1], [1, 1]]
        assert result.labels.tolist() == names[::-1]

    def test_one_hot_rows(self):
        y = np.eye(3)[[0, 1, 2, 2]]
        assert ls.evaluate(y, [0, 1, 1, 2]).accuracy == 0.75

    def test_layouts(self):
        y, predicted, *_ = data(2)
        expected = sk.confusion_matrix(y, predicted)
        tn, fp, fn, tp = expected.ravel()
        assert ls.evaluate(y, predicted).confusion_matrix.tolist() == [[tp, fp], [fn, tn]]
        theirs = ls.evaluate(y, predicted, rows="actual")
        assert (theirs.confusion_matrix == expected).all()
        assert (theirs.tp, theirs.precision) == (tp, ls.evaluate(y, predicted).precision)
        other = ls.evaluate(y, predicted, positive=0)
        assert other.confusion_matrix.tolist() == [[tn, fn], [fp, tp]]
        assert other.recall == theirs.specificity
        y, predicted, *_ = data(3, kind=str)
        order = ["class c", "class a", "class b"]
        mine = ls.evaluate(y, predicted, labels=order, rows="actual")
        assert (mine.confusion_matrix == sk.confusion_matrix(y, predicted, labels=order)).all()
        assert mine.labels.tolist() == order

    def test_positive_of_three_is_one_against_the_rest(self):
        y, predicted, p, _ = data(3)
        result = ls.evaluate(y, predicted, p, positive=1)
        assert result.precision == pytest.approx(sk.precision_score(y == 1, predicted == 1))
        assert result.roc_auc == pytest.approx(sk.roc_auc_score(y == 1, p[:, 1]))
        assert result.confusion_matrix.shape == (3, 3)

    def test_shapes_of_scores(self):
        y, predicted, p, z = data(2)
        two, one = ls.evaluate(y, predicted, p), ls.evaluate(y, predicted, p[:, 1])
        column = ls.evaluate(y, predicted, p[:, 1:])
        assert two.roc_auc == one.roc_auc == column.roc_auc
        assert two.log_loss == pytest.approx(one.log_loss)
        decision = ls.evaluate(y, predicted, z[:, 1] - z[:, 0])
        assert decision.roc_auc == ls.evaluate(y, predicted, z).roc_auc
        assert (decision.log_loss, decision.brier_score) == (None, None)
        first = ls.evaluate(y, predicted, p, positive=0)
        assert first.roc_auc == pytest.approx(two.roc_auc)
        assert first.brier_score == pytest.approx(two.brier_score)
        single = ls.evaluate(y, predicted, p.astype(np.float32))
        assert single.log_loss == pytest.approx(two.log_loss, rel=1e-6)

    def test_numbers_in_0_to_1_may_be_decision_values(self):
        result = ls.evaluate([0, 1, 1], [0, 1, 1], [0.1, 0.2, 0.9], probabilities=False)
        assert result.log_loss is None
        with pytest.raises(ValueError, match="calibration needs probabilities"):
            result.calibration_curve()

    def test_predictions_from_scores(self):
        y, predicted, p, z = data(3)
        assert (ls.evaluate(y, scores=p).matrix == ls.evaluate(y, predicted).matrix).all()
        y, _, p, z = data(2)
        difference = z[:, 1] - z[:, 0]
        by_sign = ls.evaluate(y, (difference >= 0).astype(int))
        assert (ls.evaluate(y, scores=difference).matrix == by_sign.matrix).all()
        by_half = ls.evaluate(y, (p[:, 1] >= 0.5).astype(int))
        assert (ls.evaluate(y, scores=p[:, 1]).matrix == by_half.matrix).all()

    def test_a_class_that_is_not_in_the_data(self):
        result = ls.evaluate([0, 1], [0, 1], np.eye(3)[[0, 1]], labels=[0, 1, 2])
        assert result.confusion_matrix.shape == (3, 3)
        assert math.isnan(result.recall[2])
        assert math.isnan(result.roc_auc[2])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"y_true": [0, 1], "y_pred": [0]}, "inconsistent numbers of samples: 2 and 1"),
            ({"y_true": [0, 1], "y_pred": ["a", "b"]}, "different kinds"),
            ({"y_true": [], "y_pred": []}, "y_true: y is empty"),
            ({"y_true": [0, NAN], "y_pred": [0, 1]}, "NaN at row 1"),
            ({"y_true": [0, 0.5], "y_pred": [0, 1]}, "continuous"),
            ({"y_true": [1, 1], "y_pred": [1, 1]}, "only class is 1: name all classes"),
            ({"y_true": [0, 1]}, "nothing to compare"),
            ({"rows": "columns"}, "choose 'predicted' or 'actual'"),
            ({"positive": 3}, "positive=3 is no class"),
            ({"labels": [0, 2]}, "labels lack 1"),
            ({"labels": [0, 1, 1]}, "twice"),
            ({"scores": [0.1, 0.2]}, "a row for each of the 3 samples"),
            ({"scores": np.zeros((3, 3))}, r"2 classes need \(3,\) or \(3, 2\)"),
            ({"scores": [0.1, NAN, 0.2]}, "scores has NaN at row 1"),
            ({"scores": ["a", "b", "c"]}, "scores must be numbers"),
            ({"scores": [1, 2, 3], "probabilities": True}, "outside of 0 … 1"),
            ({"scores": np.full((3, 2), 0.2), "probabilities": True}, "row 0 adds up to 0.4"),
            ({"scores": np.array([[1e308, -1e308]] * 3)}, "difference of the two scores has -inf"),
            ({"sample_weight": [1, 2]}, r"shape \(3,\)"),
            ({"sample_weight": [1, -2, 0]}, "-2 at row 1"),
            ({"sample_weight": [0, 0, 0]}, "at least one sample must count"),
            ({"sample_weight": [0, np.inf, 0]}, "inf at row 1"),
        ],
    )
    def test_errors(self, options, message):
        given = {"y_true": [0, 1, 1], "y_pred": [0, 1, 0]}
        given = options if "y_true" in options else given | options
        with pytest.raises(ValueError, match=message):
            ls.evaluate(**given)

    def test_too_many_labels_are_no_classes(self):
        y = np.arange(counting.MOST_CLASSES + 1)
        with pytest.raises(ValueError, match="are they classes"):
            ls.evaluate(y, y)


class TestUndefined:
    def test_nothing_predicted_and_nothing_there(self):
        result = ls.evaluate([0, 0, 0], [0, 0, 0], labels=[1, 0])
        assert [math.isnan(v) for v in (result.precision, result.recall, result.f1)] == [True] * 3
        assert (result.specificity, result.fpr, result.accuracy) == (1.0, 0.0, 1.0)
        text = " ".join(result.notes)
        assert "precision of 1 is 0/0: no sample is predicted as that class." in text
        assert "recall of 1 is 0/0: no sample is of that class." in text
        assert "precision of 1 is 0/0" in str(result)

    def test_f1_of_a_class_that_is_never_predicted_is_0(self):
        result = ls.evaluate([0, 1], [0, 0])
        assert math.isnan(result.precision)
        assert (result.recall, result.f1) == (0.0, 0.0)

    def test_averages_leave_out_what_is_not_defined(self):
        result = ls.evaluate([0, 0, 1, 2], [0, 0, 0, 1])
        assert result.macro.precision == pytest.approx((2 / 3 + 0) / 2)
        assert "Averages leave out the classes without a value." in result.notes

    def test_one_class_has_no_area(self):
        result = ls.evaluate([1, 1], [1, 0], [0.2, 0.3])
        assert math.isnan(result.roc_auc)
        assert result.average_precision == 1.0
        assert any(note.startswith("roc_auc") for note in result.notes)
        with pytest.raises(ValueError, match="samples of both classes"):
            result.best_threshold()

    def test_probability_0_of_the_truth_is_an_infinite_loss(self):
        result = ls.evaluate([0, 1, 1], [0, 1, 0], [0.1, 0.9, 0.0])
        assert result.log_loss == math.inf
        assert "probability 0 for its own class" in " ".join(result.notes)
        weighted = ls.evaluate([0, 1, 1], [0, 1, 0], [0.1, 0.9, 0.0], sample_weight=[1, 1, 0])
        assert weighted.log_loss == pytest.approx(-math.log(0.9))

    def test_weights_that_do_not_add_up_exactly_leave_no_crumbs(self):
        result = ls.evaluate([1, 1, 1], [1, 1, 0], sample_weight=[0.1, 0.2, 0.3])
        assert (result.tn, result.fp) == (0, 0)
        assert math.isnan(result.specificity)


class TestThresholds:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_at_threshold_is_a_new_prediction(self, weighted):
        y, predicted, p, _ = data(2)
        w = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
        result = ls.evaluate(y, predicted, p, sample_weight=w)
        for t in (0.0, 0.3, float(p[5, 1]), 0.99, 2.0):
            again = ls.evaluate(y, (p[:, 1] >= t).astype(int), p, sample_weight=w)
            np.testing.assert_allclose(result.at_threshold(t).matrix, again.matrix)

    def test_best_by_trying_all(self):
        y, predicted, p, _ = data(2, n=120)
        result = ls.evaluate(y, predicted, p)
        every = [result.at_threshold(t) for t in [*np.unique(p[:, 1]), 2.0]]
        best = result.at_threshold(result.best_threshold("youden"))
        assert best.recall - best.fpr == pytest.approx(max(e.recall - e.fpr for e in every))
        best = result.at_threshold(result.best_threshold("f1"))
        assert best.f1 == pytest.approx(max(e.f1 for e in every))
        costs = [5 * e.fp + 2 * e.fn for e in every]
        best = result.at_threshold(result.best_threshold("cost", cost_fp=5, cost_fn=2))
        assert 5 * best.fp + 2 * best.fn == min(costs)
        assert result.best_threshold("cost", cost_fp=1, cost_fn=0) == math.inf

    def test_errors(self):
        result = ls.evaluate([0, 1, 0], [0, 1, 1], [0.1, 0.9, 0.4])
        with pytest.raises(ValueError, match="did you mean 'youden'"):
            result.best_threshold("yuden")
        with pytest.raises(ValueError, match="costs must be at least 0"):
            result.best_threshold("cost", cost_fp=-1)
        with pytest.raises(ValueError, match="without scores"):
            ls.evaluate([0, 1], [0, 1]).roc_curve()
        y, predicted, p, _ = data(3)
        three = ls.evaluate(y, predicted, p)
        with pytest.raises(ValueError, match="between two classes"):
            three.at_threshold(0.5)
        with pytest.raises(ValueError, match="which class"):
            three.roc_curve()
        with pytest.raises(ValueError, match="label=7 is no class"):
            three.roc_curve(7)
        with pytest.raises(ValueError, match="n_bins"):
            result.calibration_curve(n_bins=0)
        with pytest.raises(ValueError, match="beta"):
            result.fbeta(0)
        with pytest.raises(ValueError, match="average='samples' is unknown"):
            result.fbeta(1, "samples")


class TestProperties:
    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), min_size=2),
    )
    def test_weights_are_repeated_rows(self, rows):
        y, predicted, w = (np.array(column) for column in zip(*rows, strict=True))
        if not w.any():
            w[0] = 1
        order = [0, 1, 2, 3]
        weighted = ls.evaluate(y, predicted, sample_weight=w, labels=order)
        repeated = ls.evaluate(np.repeat(y, w), np.repeat(predicted, w), labels=order)
        np.testing.assert_array_equal(weighted.matrix, repeated.matrix)
        for name in ("precision", "recall", "specificity", "f1"):
            np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=2, max_size=40))
    def test_auc_is_the_chance_to_rank_a_pair_right(self, rows):
        y, s = (np.array(column) for column in zip(*rows, strict=True))
        result = ls.evaluate(y, s > 0, s, labels=[False, True])
        pairs = [Fraction(int(a > b) * 2 + int(a == b), 2) for a in s[y] for b in s[~y]]
        if not pairs:
            assert math.isnan(result.roc_auc)
        else:
            exact = sum(pairs) / len(pairs)
            assert result.roc_auc == pytest.approx(float(exact), abs=1e-15)

    def test_threads_and_blocks_do_not_matter(self, monkeypatch):
        y, predicted, *_ = data(4, n=3000)
        w = np.random.default_rng(0).random(3000)
        monkeypatch.setattr(counting, "BLOCK", 100)
        results = []
        for threads in ("1", "3"):
            monkeypatch.setenv("LINSCOPE_THREADS", threads)
            results.append(ls.evaluate(y, predicted, sample_weight=w).matrix)
        assert (results[0] == results[1]).all()
        assert (ls.evaluate(y, predicted).matrix == sk.confusion_matrix(y, predicted)).all()

    def test_a_rare_class(self):
        y = np.zeros(1_000_001, dtype=np.int64)
        y[17] = 1
        result = ls.evaluate(y, np.zeros_like(y), np.linspace(1, 0, len(y)))
        assert (result.tp, result.fn, result.recall) == (0, 1, 0.0)
        assert result.roc_auc == pytest.approx(1 - 17 / 1_000_000, abs=1e-15)


class TestShown:
    def results(self):
        y, predicted, p, z = data(2, kind=str)
        yield ls.evaluate(y, predicted, p)
        y, predicted, p, z = data(6, kind=str)
        yield ls.evaluate(y, predicted, p)
        yield ls.evaluate(y, predicted, z, rows="actual", sample_weight=np.linspace(0, 1, len(y)))
        long = np.array(["a name that is far too long for a column " * 2, "ß & <b>"])
        yield ls.evaluate(long[[0, 1, 0]], long[[0, 1, 1]])
        y = np.arange(200) % 50
        yield ls.evaluate(y, np.roll(y, 1) % 49)
        yield ls.evaluate(y, y)
        yield ls.evaluate([10**9, -(10**9)], [10**9, 10**9])

    def test_text_html_latex(self):
        for result in self.results():
            text = str(result)
            assert max(map(len, text.splitlines())) <= render.WIDTH
            assert f"{result.accuracy:.4f}" in text
            assert repr(result) == text
            page = result._repr_html_()
            assert page.count("<table") == page.count("</table>") >= 1
            assert "<b>" not in page.replace("<b>Evaluation", "")
            tex = result.to_latex()
            assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") >= 2

    def test_the_table_of_the_notes(self):
        result = ls.evaluate(*labels_of(NOTES["first"], ["positive", "negative"]))
        lines = [line.split() for line in str(result).splitlines()]
        assert ["predicted", "positive", "negative"] in lines
        assert ["positive", "10", "2"] in lines
        assert ["negative", "3", "5"] in lines
        assert "positive & 10 & 2" in result.to_latex()

    def test_wide_matrices_become_a_list_of_errors(self):
        y = np.arange(200) % 50
        assert "most frequent errors" in str(ls.evaluate(y, np.where(y == 3, 4, y)))
        assert "3  predicted as  4" in str(ls.evaluate(y, np.where(y == 3, 4, y)))
        assert "no errors" in str(ls.evaluate(y, y))

    @pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "dict"])
    def test_frames(self, backend):
        y, predicted, p, _ = data(3)
        frame = ls.evaluate(y, predicted, p).to_frame(backend)
        assert list(frame["label"])[-1] is not None
        assert len(frame["label"]) == 6


class TestFigures:
    def test_confusion(self, tmp_path):
        y, predicted, *_ = data(3)
        display = ls.plot.confusion(y, predicted).save(tmp_path / "c.png")
        assert (sk.confusion_matrix(y, predicted) == display.values.T).all()
        for normalize in ("true", "pred", "all"):
            shown = ls.plot.confusion(y, predicted, normalize=normalize)
            expected = sk.confusion_matrix(y, predicted, normalize=normalize)
            np.testing.assert_allclose(shown.values.T, expected)
        texts = {text.get_text() for text in display.ax_.texts}
        assert {str(count) for count in display.values.ravel()} <= texts

    def test_words_of_the_notes_are_in_their_cells(self):
        matrix = [[10, 2], [3, 5]]
        y, predicted = labels_of(matrix, [1, 0])
        for rows in ("predicted", "actual"):
            for positive in (0, 1):
                result = ls.evaluate(y, predicted, rows=rows, positive=positive)
                display = ls.plot.confusion(result)
                at = {t.get_text(): t.get_position() for t in display.ax_.texts}
                for word, count in (
                    ("hits (TP)", result.tp),
                    ("misses (FN)", result.fn),
                    ("false alarms (FP)", result.fp),
                    ("correct rejections (TN)", result.tn),
                ):
                    column, row = (round(place) for place in at[word])
                    assert display.values[row, column] == count

    def test_many_classes_and_empty_ones(self, tmp_path):
        y = np.arange(400) % 40
        ls.plot.confusion(y, np.roll(y, 1)).save(tmp_path / "c.svg")
        result = ls.evaluate([0, 1], [1, 1], labels=[0, 1, 2])
        ls.plot.confusion(result, normalize="true").save(tmp_path / "c.png")

    def test_roc_of_arrays_models_and_several(self, tmp_path):
        X, y = ls.datasets.load("breast_cancer")
        bayes, fisher = ls.GaussianNaiveBayes().fit(X, y), ls.FisherDiscriminant().fit(X, y)
        p = bayes.predict_proba(X)[:, 1]
        for display in (ls.plot.roc(y, p), ls.plot.roc(bayes, X, y, kind="pr")):
            (curve,) = display.save(tmp_path / "r.png").curves
            assert curve.roc_auc == pytest.approx(sk.roc_auc_score(y, p))
            assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(curve.roc_auc, abs=2e-3)
        both = ls.plot.roc({"Bayes": bayes, "Fisher": fisher}, X, y, kind="both")
        assert [curve.name for curve in both.save(tmp_path / "b.png").curves] == ["Bayes", "Fisher"]
        assert len(both.axes_) == 2
        X, y = ls.datasets.load("iris")
        iris = ls.plot.roc(ls.FisherDiscriminant().fit(X, y), X, y)
        assert len(iris.curves) == 3

    def test_few_points_are_drawn_of_a_long_curve(self):
        rng = np.random.default_rng(0)
        y = rng.integers(2, size=100_000)
        (curve,) = ls.plot.roc(y, rng.normal(size=len(y)) + y).curves
        assert len(curve.fpr) < 10_000
        assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(curve.roc_auc, abs=1e-3)

    def test_calibration(self, tmp_path):
        y, _, p, _ = data(2)
        display = ls.plot.calibration(y, p[:, 1], n_bins=8).save(tmp_path / "k.png")
        (curve,) = display.curves
        true, predicted = calibration_curve(y, p[:, 1], n_bins=8)
        np.testing.assert_allclose(curve.prob_true, true)
        np.testing.assert_allclose(curve.prob_pred, predicted)
        assert curve.share.sum() == pytest.approx(1)
        y, predicted, p, _ = data(3)
        three = ls.plot.calibration(ls.evaluate(y, predicted, p))
        assert [curve.name for curve in three.save(tmp_path / "k.svg").curves] == ["0", "1", "2"]

    def test_errors(self):
        result = ls.evaluate([0, 1], [0, 1])
        with pytest.raises(ValueError, match="without scores"):
            ls.plot.roc(result)
        with pytest.raises(ValueError, match="leave out what follows"):
            ls.plot.confusion(result, [0, 1])
        with pytest.raises(ValueError, match="X and y"):
            ls.plot.confusion(ls.Perceptron().fit([[0], [1]], [0, 1]))
        with pytest.raises(ValueError, match="y_true and y_pred"):
            ls.plot.confusion([0, 1])
        with pytest.raises(ValueError, match="normalize='rows' is unknown"):
            ls.plot.confusion(result, normalize="rows")
        with pytest.raises(ValueError, match="kind='det' is unknown"):
            ls.plot.roc([0, 1], [0.1, 0.9], kind="det")
        with pytest.raises(ValueError, match="empty"):
            ls.plot.roc({})
        with pytest.raises(ValueError, match="has no ROC curve"):
            ls.plot.roc(ls.evaluate([1, 1], [1, 0], [0.2, 0.3]))
        with pytest.raises(ValueError, match="decision values"):
            ls.plot.calibration([0, 1], [-3.0, 2.0])


class TestPrintedMatrix:
    @pytest.mark.parametrize("facts", NOTES["binary"], ids=lambda facts: facts["name"])
    def test_the_notes_matrices(self, facts):
        result = ls.evaluate(matrix=[[facts["tp"], facts["fp"]], [facts["fn"], facts["tn"]]])
        assert result.positive == "positive"
        assert result.n_samples == 200
        for name in ("tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "f1", "fpr"):
            assert getattr(result, name) == pytest.approx(facts[name], abs=1e-15)

    def test_thirteen_positives_and_seven_negatives(self):
        result = ls.evaluate(matrix=[[10, 2], [3, 5]])
        assert result.support.tolist() == [13, 7]
        assert (result.tp, result.fp, result.fn, result.tn) == (10, 2, 3, 5)

    def test_iris_of_the_notes(self):
        names = ["setosa", "versicolor", "virginica"]
        printed = [[13, 0, 0], [0, 10, 6], [0, 0, 9]]
        result = ls.evaluate(matrix=printed, labels=names)
        y, predicted = labels_of(printed, names)
        assert result.accuracy == sk.accuracy_score(y, predicted) == 32 / 38
        expected = sk.precision_recall_fscore_support(y, predicted)
        for mine, theirs in zip(
            (result.precision, result.recall, result.f1, result.support), expected, strict=True
        ):
            np.testing.assert_allclose(mine, theirs)
        assert ls.evaluate(matrix=printed).labels.tolist() == [1, 2, 3]

    @given(st.integers(2, 5), st.integers(0, 2**32 - 1), st.sampled_from(["predicted", "actual"]))
    @settings(max_examples=40, deadline=None)
    def test_counts_of_labels_and_back(self, k, seed, rows):
        rng = np.random.default_rng(seed)
        names = list("edcba")[:k]
        y, predicted = rng.choice(names, (2, 30))
        counted = ls.evaluate(y, predicted, labels=names, rows=rows)
        printed = ls.evaluate(matrix=counted.confusion_matrix, labels=counted.labels, rows=rows)
        assert printed.positive == counted.positive
        for name in ("matrix", "precision", "recall", "fpr", "f1", "support", "labels"):
            np.testing.assert_array_equal(getattr(printed, name), getattr(counted, name))

    def test_as_scikit_learn_prints_it(self):
        y, predicted, _, _ = data(2)
        result = ls.evaluate(matrix=sk.confusion_matrix(y, predicted), rows="actual")
        assert result.positive == "positive"
        assert result.labels.tolist() == ["negative", "positive"]
        assert result.precision == pytest.approx(sk.precision_score(y, predicted))

    def test_what_needs_scores_is_not_known(self):
        result = ls.evaluate(matrix=[[10, 2], [3, 5]])
        assert result.roc_auc is None
        assert result.log_loss is None
        assert "are not known: a matrix has no scores" in str(result)
        with pytest.raises(ValueError, match="not known without scores: a matrix of counts"):
            result.roc_curve()
        with pytest.raises(ValueError, match="not known without scores: a matrix of counts"):
            ls.plot.roc(result)
        assert "75 % right: 5 errors in 20" in repr(ls.plot.confusion(result))

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"matrix": [[1, 2, 3], [4, 5, 6]]}, "square"),
            ({"matrix": [[1]]}, "square"),
            ({"matrix": [[1, 2], [3, -4]]}, "-4 at row 1, column 1"),
            ({"matrix": [[1, 2.5], [3, 4]]}, "2.5 at row 0, column 1"),
            ({"matrix": [[1, np.nan], [3, 4]]}, "matrix"),
            ({"matrix": [["a", "b"], ["c", "d"]]}, "has counts"),
            ({"matrix": [[0, 0], [0, 0]]}, "all counts are 0"),
            ({"matrix": [[1, 2], [3, 4]], "labels": ["a"]}, "2 classes, labels name 1"),
            ({"matrix": [[1, 2], [3, 4]], "labels": ["a", "a"]}, "twice"),
            ({"matrix": [[1, 2], [3, 4]], "positive": "yes"}, "positive='yes' is no class"),
            ({"matrix": [[1, 2], [3, 4]], "y_true": [1]}, "a matrix is all that is needed"),
            ({}, "nothing to compare"),
        ],
    )
    def test_what_is_wrong_is_named(self, given, message):
        with pytest.raises(ValueError, match=message):
            ls.evaluate(**given)


class TestOfModel:
    @pytest.mark.parametrize("name", ["iris", "breast_cancer"])
    def test_predictions_and_probabilities(self, name):
        X, y = ls.datasets.load(name)
        model = ls.LogisticRegression(C=0.1).fit(X, y)
        result = ls.evaluate(model, X, y)
        p = model.predict_proba(X)
        assert result.accuracy == model.score(X, y)
        assert result.log_loss == pytest.approx(sk.log_loss(y, p))
        more = {"multi_class": "ovr"} if name == "iris" else {}
        auc = sk.roc_auc_score(y, p if more else p[:, 1], **more)
        of = result.macro if more else result
        assert of.roc_auc == pytest.approx(auc)

    def test_options_are_those_of_labels(self):
        X, y = ls.datasets.load("breast_cancer")
        model, weight = ls.LinearSVC().fit(X, y), np.linspace(0, 1, len(y))
        result = ls.evaluate(model, X, y, positive=0, sample_weight=weight, rows="actual")
        expected = sk.confusion_matrix(y, model.predict(X), sample_weight=weight)
        np.testing.assert_allclose(result.confusion_matrix, expected)
        assert result.recall == pytest.approx(
            sk.recall_score(y, model.predict(X), pos_label=0, sample_weight=weight)
        )

    def test_a_class_that_these_samples_lack_is_there(self):
        X, y = ls.datasets.load("iris")
        model = ls.GaussianNaiveBayes().fit(X, y)
        result = ls.evaluate(model, X[:20], y[:20])
        assert result.labels.tolist() == [0, 1, 2]
        assert result.accuracy == 1.0

    def test_what_is_wrong_is_named(self):
        X, y = ls.datasets.load("five_points")
        with pytest.raises(TypeError, match="LinearRegression predicts numbers"):
            ls.evaluate(ls.LinearRegression().fit(X, y), X, y)
        with pytest.raises(ValueError, match="X and y, or a data set"):
            ls.evaluate(ls.Perceptron().fit(*ls.datasets.load("or")))
        with pytest.raises(NotFittedError):
            ls.evaluate(ls.Perceptron(), X, y)
