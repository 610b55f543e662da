"""Errors of tables in batches name the row and the file that the user knows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import linscope as ls
from linscope.engines.source import _Labels

N = 5000
KINDS = ("csv", "parquet")


def table(seed=0):
    r = np.random.default_rng(seed)
    return pd.DataFrame({"a": r.integers(0, 3, N) / 1.0, "b": r.integers(0, 3, N) / 1.0,
                         "w": 1.0, "y": r.integers(0, 2, N) / 1.0})  # fmt: skip


def written(frame, folder, kind, name="t"):
    path = folder / f"{name}.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path, row_group_size=999)
    return path


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("column", ["a", "y", "w"])
def test_the_row_of_a_bad_value_is_named(column, value, kind, compress, tmp_path):
    frame = table()
    frame.loc[4999, column] = value
    path = written(frame, tmp_path, kind)
    weight = "w" if column == "w" else None
    for model in (ls.LinearRegression(), ls.LogisticRegression(), ls.GaussianNaiveBayes()):
        if column == "w" and not compress and (kind == "csv" or value == np.inf):
            continue  # the weights as a whole are refused
        if column == "y" and not compress and type(model) is ls.LinearRegression:
            match = "row 4,?999, column 0|row 4,?999"
        else:
            match = "row 4,?999"
        with pytest.raises(ValueError, match=match):
            model.fit(ls.scan(path, "y", columns=["a", "b"], weight=weight, compress=compress))


@pytest.mark.parametrize("kind", KINDS)
def test_the_row_of_a_fractional_label_is_named(kind, tmp_path):
    frame = table()
    frame.loc[2500, "y"] = 0.5
    path = written(frame, tmp_path, kind)
    with pytest.raises(ValueError, match=r"continuous.* 0\.5 at row 2500,"):
        ls.LogisticRegression().fit(ls.scan(path, "y"))
    with pytest.raises(ValueError, match=r"continuous.* 0\.5, but a classifier"):
        ls.LogisticRegression().fit(ls.compress(path, "y"))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_weight_0_are_counted(kind, tmp_path):
    frame = table()
    frame.loc[:1234, ["w", "a"]] = 0.0, np.inf  # such rows may have anything
    frame.loc[3000, "a"] = np.inf
    path = written(frame, tmp_path, kind)
    for model in (ls.LinearRegression(), ls.Ridge(), ls.LogisticRegression(), ls.LinearSVC()):
        with pytest.raises(ValueError, match="X has inf at row 3000, column 0"):
            model.fit(ls.scan(path, "y", weight="w"))
        with pytest.raises(ValueError, match=r"X has inf at row 3000, column 'a' \(0\)"):
            model.fit(frame[["a", "b"]], frame.y, sample_weight=frame.w)


@pytest.mark.parametrize(
    "model",
    [ls.LinearRegression, ls.Ridge, ls.LogisticRegression, ls.LinearSVC, ls.GaussianNaiveBayes,
     ls.FisherDiscriminant, ls.LeastSquaresClassifier, ls.HuberRegressor, ls.Perceptron],
)  # fmt: skip
def test_weights_that_are_all_0_are_one_clear_error(model, tmp_path):
    frame = table().assign(w=0.0)
    for given in (
        (ls.scan(pa.Table.from_pandas(frame), "y", weight="w"),),
        (ls.scan(written(frame, tmp_path, "csv"), "y", weight="w"),),
        (frame[["a", "b"]], frame.y, frame.w),
    ):
        with pytest.raises(ValueError, match=r"every sample has weight 0|at least one non-zero"):
            model().fit(*given)


def test_labels_that_are_texts_in_one_file_only_are_refused_by_its_name(tmp_path):
    for number, labels in enumerate((np.arange(N) % 2, np.where(np.arange(N) % 2, "no", "yes"))):
        written(table().assign(y=labels), tmp_path, "parquet", f"part{number}")
    for options in ({}, {"compress": True}):
        with pytest.raises(ValueError, match=r"'y' has values of mixed types.*texts in .*part1"):
            ls.LogisticRegression().fit(ls.scan(tmp_path, "y", **options))
    # A column that nobody asks for may be anything, and single precision in one file is no clash.
    small = table().astype({"a": np.float32})
    small.assign(y="z").to_parquet(tmp_path / "part2.parquet")
    rows = ls.scan(tmp_path, "b", columns=["a"])
    assert ls.LinearRegression().fit(rows).coef_.dtype == np.float64


def test_labels_of_partitions_that_do_not_compare():
    numbers, texts = _Labels(np.array([0, 1])), _Labels(np.array(["no"], dtype=object))
    with pytest.raises(ValueError, match="Unknown label type: mixed"):
        numbers.plus(texts)
    assert numbers.plus(_Labels(np.zeros(0))).classes.tolist() == [0, 1]
