"""What the arrays of a model must be, so that predicting with them is safe.

Compiled loops trust the shapes that a fit gives them. A file can say anything, so these are checked
for every object that is saved or loaded.

A rule is the shape of an attribute, a letter for each axis; equal letters are equal lengths:

    c  classes              d  features             p  binary problems: 1, pairs, or one per class
    r  rows of dual coefficients                    others are found from the first array
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .container import Damaged

_LINEAR = {"coef_": "p d", "intercept_": "p"}
RULES: dict[str, dict[str, str]] = {
    "LinearRegression": {"coef_": "d|t d", "intercept_": "|t"},
    "Ridge": {"coef_": "d|t d", "intercept_": "|t"},
    "HuberRegressor": {"coef_": "d", "intercept_": ""},
    "Perceptron": {**_LINEAR, "_initial": "p w"},
    "KernelPerceptron": {
        "support_": "s", "support_vectors_": "s d", "dual_coef_": "p s", "intercept_": "p",
    },
    "LogisticRegression": _LINEAR,
    "LeastSquaresClassifier": _LINEAR,
    "FisherDiscriminant": {
        **_LINEAR, "scalings_": "d m", "xbar_": "d", "means_": "c d", "priors_": "c",
    },
    "GaussianNaiveBayes": {"theta_": "c d", "var_": "c d", "class_prior_": "c"},
    "LinearSVC": _LINEAR,
    "SVC": {
        "support_": "s", "n_support_": "c", "support_vectors_": "s d", "dual_coef_": "r s",
        "intercept_": "p", "_coef": "p d",
    },
    "Committee": {"steps": "u", "samples": "u"},
}  # fmt: skip
WHOLE = {"support_", "n_support_", "samples", "survival"}


def check_shapes(name: str, made: Any) -> None:
    """Refuse a model whose arrays do not belong together; ``Damaged`` says which."""
    held = vars(made)
    sizes = _sizes(held)
    precomputed = held.get("kernel") == "precomputed"
    for field, rule in RULES.get(name, {}).items():
        known = field in held and not (precomputed and field == "support_vectors_")
        if known and not _matches(held[field], rule, sizes, "iu" if field in WHOLE else "f"):
            raise Damaged(f"is damaged: {field} of {name} has not the shape that it needs")
    if name == "Committee":
        _check_committee(made)
    counts = held.get("n_support_", np.zeros(0, int))
    if (counts < 0).any() or ("n_support_" in held and counts.sum() != len(held["support_"])):
        raise Damaged("is damaged: n_support_ does not count the support vectors")
    if "committees_" in held:
        _check_committees(held["committees_"], sizes, precomputed)
    if "_progress" in held:
        _check_progress(held, sizes)
    if name in ("OneHotEncoder", "Categories") and "categories_" in held:
        _check_encoder(made)


def _sizes(held: dict[str, Any]) -> dict[str, int]:
    """The lengths that are known from the start."""
    sizes = {}
    if "n_features_in_" in held:
        d = held["n_features_in_"]
        if not isinstance(d, int | np.integer) or d < 0:
            raise Damaged("is damaged: n_features_in_ is not a whole number")
        sizes["d"] = int(d)
    if "classes_" in held:
        if not isinstance(held["classes_"], np.ndarray) or held["classes_"].ndim != 1:
            raise Damaged("is damaged: classes_ is not a list of labels")
        c = len(held["classes_"])
        pairs = held.get("multi_class") == "ovo" and c > 2
        sizes |= {"c": c, "p": 1 if c == 2 else c * (c - 1) // 2 if pairs else c}
        sizes["r"] = c - 1 if pairs else sizes["p"]
    return sizes


def _matches(value: Any, rule: str, sizes: dict[str, int], kinds: str) -> bool:
    """Whether an array has the shape of a rule and numbers of that kind."""
    if not isinstance(value, np.ndarray | np.generic) and not sp.issparse(value):
        return False
    if value.dtype.kind not in kinds:
        return False
    for shape in rule.split("|"):
        axes = shape.split()
        if len(axes) == value.ndim:
            found = zip(axes, value.shape, strict=True)
            return all(sizes.setdefault(axis, length) == length for axis, length in found)
    return False


def _check_committee(made: Any) -> None:
    support, samples, survival = made.support, made.samples, made.survival
    rows = support.shape[0] if hasattr(support, "shape") and support.ndim else -1
    whole = isinstance(survival, np.ndarray) and survival.dtype.kind in "iu"
    if not whole or survival.shape != (len(samples) + 1,):
        raise Damaged("is damaged: survival of Committee has not the shape that it needs")
    if len(samples) and not (samples.min() >= 0 and samples.max() < rows):
        raise Damaged("is damaged: samples of Committee are not those that it holds")


def _check_committees(committees: Any, sizes: dict[str, int], precomputed: bool) -> None:
    if not isinstance(committees, list) or len(committees) != sizes.get("p"):
        raise Damaged("is damaged: there is not one committee for each problem")
    for one in committees:
        wide = not precomputed and one.support.shape[1:] != (sizes["d"],)
        first = one.initial is not None and one.initial.shape != (sizes["d"] + 1,)
        if wide or first:
            raise Damaged("is damaged: a committee has other features than its model")


def _check_progress(held: dict[str, Any], sizes: dict[str, int]) -> None:
    """What the loops of a perceptron go on from."""
    each, settings = held["_progress"], held.get("_settings")
    if not isinstance(settings, tuple) or len(settings) != 3:
        raise Damaged("is damaged: its settings are not those of a perceptron")
    if not isinstance(each, list) or len(each) != sizes.get("p"):
        raise Damaged("is damaged: there is not one state for each problem")
    width = sizes["d"] + 1
    lengths = {"w": width, "u": width * (settings[0] == "averaged"),
               "best": width * (settings[0] == "pocket"), "counts": 4, "sizes": 3}  # fmt: skip
    types = {field: np.int64 if field == "counts" else np.float64 for field in lengths}
    for one in each:
        held_by = one._asdict() if hasattr(one, "_asdict") else {}
        for field, length in lengths.items():
            array = np.asarray(held_by.get(field))
            if array.shape != (length,) or array.dtype != types[field]:
                raise Damaged(f"is damaged: {field} of a perceptron has not the shape it needs")


# Codes of categories are places in a matrix that is filled without looking.
def _check_encoder(made: Any) -> None:
    """Whether the tables of a one-hot encoder are those of its categories."""
    held = vars(made)
    counts = [len(values) for values in held["categories_"]]
    rare = held.get("_infrequent_indices") if held.get("_infrequent_enabled") else None
    maps = held.get("_default_to_infrequent_mappings") if held.get("_infrequent_enabled") else None
    if maps is not None and rare is not None:
        for count, few, found in zip(counts, rare, maps, strict=True):
            if (few is None) != (found is None) or not _same_map(count, few, found):
                raise Damaged("is damaged: the rare categories are not those of the encoder")
    if held.get("_n_features_outs") != made._compute_n_features_outs():
        raise Damaged("is damaged: an encoder has other columns than its categories")


def _same_map(count: int, rare: Any, found: Any) -> bool:
    if rare is None:
        return True
    wanted = np.zeros(count, dtype=np.int64)
    frequent = np.setdiff1d(np.arange(count), rare)
    wanted[frequent] = np.arange(len(frequent))
    wanted[rare] = len(frequent)
    return np.array_equal(wanted, found)
