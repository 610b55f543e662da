"""From the columns of a table to what a model takes: fill in, one column per category, scale.

All of it is learned by ``fit``, so inside a fold it sees the training rows only.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from linscope.data.kinds import COMMON_CATEGORIES
from linscope.data.question import Question


def preparation(question: Question, *, scale: bool, reference: bool = False) -> ColumnTransformer:
    """How the columns of ``question.X`` become what a model takes.

    Numbers and yes/no columns come first, then what was missing, then the categories:

    number    missing values become the median of the training rows; with ``scale`` mean 0 and
              variance 1
    yes/no    0 and 1; missing values become the more frequent one
    missing   1 where a number or a yes/no was missing; one column for all that are missing in the
              same rows
    category  one column for each category of the training rows, "missing" being one of them; a
              single one where there are two. Of many categories only the 50 commonest have their
              own, and one is for the others. A category that training rows do not have is 0 in all
              of them, or one of the others.

    Sparse rows are divided by the largest value of each column, or stay as they are.

    Parameters
    ----------
    question : Question
    scale : bool
    reference : bool
        Leave out the first category of every column, so that the columns do not add up to 1.

    Returns
    -------
    ColumnTransformer that is not fitted; dense float64, or CSR for sparse rows

    Examples
    --------
    >>> from linscope.data.question import read_question
    >>> table = {"age": [31, 18, 50, 44], "colour": ["red", "blue", "red", "green"],
    ...          "y": [0, 1, 0, 1]}
    >>> question = read_question(table, "y")
    >>> prepare = preparation(question, scale=False).fit(question.X)
    >>> prepare.get_feature_names_out().tolist()
    ['age', 'colour=blue', 'colour=green', 'colour=red']
    >>> prepare.transform(question.X)[0]
    array([31.,  0.,  0.,  1.])
    """
    names = tuple(question.names)
    if sp.issparse(question.X):
        step = MaxAbsScaler() if scale else "passthrough"
        return Preparation(
            [("numbers", step, slice(0, len(names)))], names=names, sparse_threshold=1.0
        )
    impute = question.missing == "impute"
    yes_no = list(question.yes_no)
    numbers = [place for place in question.numeric if place not in question.yes_no]
    parts: list[tuple[str, Any, list[int]]] = [
        ("numbers", _numbers(impute, scale), numbers),
        ("yes/no", _imputer("most_frequent") if impute else "passthrough", yes_no),
    ]
    if impute:
        parts.append(("missing", MissingIndicator(error_on_new=False), _gaps(question)))
    parts.append(("categories", _categories(question, reference), list(question.categorical)))
    return Preparation([part for part in parts if part[2]], names=names)


def _gaps(question: Question) -> list[int]:
    """Columns of numbers with missing values, one for each set of rows where they are missing.

    A category "missing" of the same rows is such a column already.
    """
    missing = np.isnan(question.X)
    marked = [j for j in question.categorical if len(question.categories[j]) <= COMMON_CATEGORIES]
    seen = {missing[:, j].tobytes() for j in marked}
    gaps = []
    for j in question.numeric:
        rows = missing[:, j]
        if rows.any() and rows.tobytes() not in seen:
            seen.add(rows.tobytes())
            gaps.append(j)
    return gaps


def _numbers(impute: bool, scale: bool) -> Any:
    steps = [_imputer("median")] * impute + [StandardScaler()] * scale
    return make_pipeline(*steps) if steps else "passthrough"


def _imputer(strategy: str) -> SimpleImputer:
    # A column that is empty in the training rows stays, as zeros.
    return SimpleImputer(strategy=strategy, keep_empty_features=True)


def _categories(question: Question, reference: bool) -> Categories:
    texts = {
        question.names[place]: tuple(question.categories[place]) for place in question.categorical
    }
    return Categories(
        drop="first" if reference else "if_binary",
        sparse_output=False,
        handle_unknown="infrequent_if_exist",
        max_categories=COMMON_CATEGORIES + 1,
        feature_name_combiner=CategoryNames(texts),
    )


class CategoryNames:
    """The name of a category's column, "colour=red", from that of its column and its code."""

    def __init__(self, texts: dict[str, tuple[str, ...]]) -> None:
        self.texts = texts

    def __call__(self, column: str, code: Any) -> str:
        if isinstance(code, str):  # scikit-learn's word for the rare ones
            return f"{column}=other"
        if code != code:
            return f"{column} is missing"
        return f"{column}={self.texts[column][int(code)]}"


class Categories(OneHotEncoder):
    """One column per category.

    scikit-learn warns of every unknown category where one column stands for two categories; here
    unknown ones are expected, and counted by ``TableColumns``.
    """

    def transform(self, X: Any) -> Any:
        check_is_fitted(self)
        self._check_columns()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found unknown categories")
            return super().transform(X)

    def _check_columns(self) -> None:
        """scikit-learn looks at no borders: numbers of a damaged file must not lead beyond them."""
        none = [None] * len(self.categories_)
        groups = self._default_to_infrequent_mappings if self._infrequent_enabled else none
        rare = self._infrequent_indices if self._infrequent_enabled else none
        drops = none if self._drop_idx_after_grouping is None else self._drop_idx_after_grouping
        columns = zip(self.categories_, groups, rare, drops, self._n_features_outs, strict=True)
        for categories, group, few, drop, width in columns:
            n = len(categories)
            codes = np.arange(n) if group is None else np.asarray(group)
            few = np.zeros(0) if few is None else np.asarray(few)
            count = codes.max(initial=-1) + 1
            inside = len(codes) == n and codes.min(initial=0) >= 0 and (drop is None or drop >= 0)
            inside = inside and bool(((few >= 0) & (few < n)).all())
            if not inside or (drop or 0) >= max(count, 1) or width != count - (drop is not None):
                raise ValueError("the categories are damaged: their numbers do not fit together")


class Preparation(ColumnTransformer):
    """A ``ColumnTransformer`` of arrays that knows the names of their columns."""

    def __init__(
        self,
        transformers: Any,
        *,
        names: tuple[str, ...] = (),
        remainder: Any = "drop",
        sparse_threshold: float = 0.0,
        n_jobs: int | None = None,
        transformer_weights: Any = None,
        verbose: bool = False,
        verbose_feature_names_out: bool = False,
    ) -> None:
        super().__init__(
            transformers,
            remainder=remainder,
            sparse_threshold=sparse_threshold,
            n_jobs=n_jobs,
            transformer_weights=transformer_weights,
            verbose=verbose,
            verbose_feature_names_out=verbose_feature_names_out,
        )
        self.names = names

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as age, "age is missing" and "colour=red"."""
        given = list(self.names) if input_features is None else input_features
        found = super().get_feature_names_out(given)
        prefix = "missingindicator_"
        return np.array(
            [f"{n.removeprefix(prefix)} is missing" if n.startswith(prefix) else n for n in found],
            dtype=object,
        )
