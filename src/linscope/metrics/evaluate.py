"""``linscope.evaluate``: read what comes in, count it, and hand back an Evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import source_of
from linscope.engines.cluster.collections import is_collection
from linscope.fitting.far import answers as said_of
from linscope.rows.far import given_target, given_weight
from linscope.rows.finite import check_finite
from linscope.rows.threads import one_blas_thread

from .counting import Pairs, answers, count_pairs, read_pairs
from .evaluation import Evaluation
from .printed import of_matrix, positive_code
from .scores import Scores, read_scores

ROWS = ("predicted", "actual")


@one_blas_thread()
def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    scores: Any = None,
    *,
    matrix: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    probabilities: bool | None = None,
    rows: str = "predicted",
) -> Evaluation:
    """Compare predictions with the truth: confusion matrix, rates, curves.

    Three doors: ``evaluate(y_true, y_pred)``, ``evaluate(model, X, y)`` for a fitted classifier (or
    ``evaluate(model, dataset)``), and ``evaluate(matrix=…)`` for counts that someone has printed.

    Parameters
    ----------
    y_true, y_pred : labels of any kind
        Without ``y_pred``, the class with the largest score is predicted.
    scores : array (n,), (n, 2) or (n, K), optional
        Probabilities or decision values. One column rises with the chance of the positive class;
        several are in the sorted order of the classes, as ``predict_proba`` gives them.
    matrix : array (K, K) of counts, in place of all of these
        ``rows`` says what its rows are, ``labels`` name its classes in order (without them
        "positive" and "negative", or 1 … K). What needs scores is not known.
    labels : the classes, if some may be missing in the data, and their order in the matrix
        By default sorted; of two classes the positive one comes first, as in the notes (last with
        ``rows="actual"``, as in scikit-learn).
    positive : the positive class; by default the second of two sorted labels
        With K classes it makes the rates those of this class against the rest.
    sample_weight : array (n,), optional
    probabilities : whether scores are; by default they are if all are in 0 … 1 and rows add up to 1
    rows : "predicted" as in the notes (columns are actual classes) or "actual" as in scikit-learn

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import linscope as ls
    >>> ls.evaluate(["spam", "spam", "ham", "ham"], ["spam", "ham", "ham", "ham"])
    Evaluation of 4 samples, positive class spam
    <BLANKLINE>
                actual
     predicted  spam  ham
     spam          1    0
     ham           1    2
    <BLANKLINE>
    accuracy                0.7500          error rate              0.2500
    precision               1.0000          recall                  0.5000
    F1                      0.6667          specificity             1.0000
    false positive rate     0.0000          false negative rate     0.5000

    Scores add curves, and thresholds:

    >>> y, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
    >>> result = ls.evaluate(y, scores=p)
    >>> result.roc_auc, round(result.log_loss, 4)
    (0.75, 0.5108)
    >>> result.best_threshold("cost", cost_fp=1, cost_fn=10)
    0.4
    >>> result.at_threshold(0.4).recall
    1.0

    A confusion matrix of the notes, rows predicted:

    >>> printed = ls.evaluate(matrix=[[10, 2], [3, 5]])
    >>> printed.accuracy, printed.tp, printed.fp, printed.fn, printed.tn
    (0.75, 10, 2, 3, 5)

    A model on samples:

    >>> ls.evaluate(ls.Perceptron().fit(ls.datasets.load("or")), ls.datasets.load("or")).accuracy
    1.0
    """
    if rows not in ROWS:
        raise ValueError(f"rows={rows!r} is unknown: choose 'predicted' or 'actual'")
    if matrix is not None:
        if any(given is not None for given in (y_true, y_pred, scores, sample_weight)):
            raise ValueError("a matrix is all that is needed: leave out y_true, y_pred and scores")
        return of_matrix(matrix, labels, positive, rows)
    if hasattr(y_true, "predict"):
        options = {"labels": labels, "positive": positive, "sample_weight": sample_weight}
        samples = [given for given in (y_pred, scores) if given is not None]
        return _of_model(y_true, *samples, rows=rows, probabilities=probabilities, **options)
    if y_pred is None and scores is None:
        raise ValueError(
            "there is nothing to compare: pass y_true with y_pred, scores or both; a fitted "
            "classifier with X and y; or matrix="
        )
    pairs = read_pairs(y_true, y_true if y_pred is None else y_pred, labels)
    n, k = len(pairs.actual), len(pairs.classes)
    if k < 2:
        raise ValueError(
            f"the only class is {pairs.classes.tolist()[0]!r}: name all classes with labels="
        )
    weight = None if sample_weight is None else _read_weight(sample_weight, n)
    code = positive_code(positive, pairs.classes)
    given = None if scores is None else read_scores(scores, n, k, probabilities)
    if y_pred is None:
        assert given is not None
        pairs = pairs._replace(predicted=given.predicted(code if k == 2 else None))
    order = _order(labels, pairs.classes, code, rows)
    matrix = count_pairs(answers(pairs, weight), k)[np.ix_(order, order)]
    return Evaluation(
        labels=pairs.classes[order],
        positive=None if code is None else pairs.classes.tolist()[code],
        n_samples=n,
        rows=rows,
        matrix=matrix,
        **({} if given is None else _of_scores(given, pairs, code, order, weight)),
    )


@accepts_dataset
def _of_model(
    model: Any, X: Any = None, y: Any = None, *, rows: str, labels: Any, **options: Any
) -> Evaluation:
    """Predictions and scores of a fitted classifier."""
    if not hasattr(model, "classes_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        raise TypeError(
            f"{type(model).__name__} predicts numbers, and classes are compared here: see its "
            "score(X, y), or summary()"
        )
    far = is_collection(X)  # may name columns of its own
    source = source_of(X, y, options.pop("sample_weight", None) if far else None)
    if source is not None:
        known, rows_of = source.labelled(model.classes_)
        y = known[rows_of.gather(given_target)]
        if options.get("sample_weight") is None and rows_of.weighted:
            options["sample_weight"] = rows_of.gather(given_weight)
    if X is None or y is None:
        raise ValueError("with a fitted classifier pass the samples too: X and y, or a data set")

    def ask(method: str) -> Any:
        return getattr(model, method)(X) if source is None else said_of(model, source, method)

    scores = None
    for method in ("predict_proba", "decision_function"):
        if scores is None and hasattr(model, method):
            scores = ask(method)
    classes = list(model.classes_)
    if scores is not None and np.ndim(scores) == 2 and np.shape(scores)[1] not in (1, len(classes)):
        scores = None  # votes of pairs are no scores of classes
    if labels is None:  # the notes put the positive one first
        labels = classes[::-1] if len(classes) == 2 and rows == "predicted" else classes
    return evaluate(y, ask("predict"), scores, labels=labels, rows=rows, **options)


def _of_scores(
    scores: Scores, pairs: Pairs, code: int | None, order: np.ndarray, weight: Any
) -> dict[str, Any]:
    two = code if len(pairs.classes) == 2 else None
    facts: dict[str, Any] = {
        "curves": _curves(scores, pairs, two, order, weight),
        "probabilities": scores.probabilities,
    }
    if scores.probabilities:
        found = scores.losses(pairs.actual, two, weight)
        facts["log_loss"], facts["brier_score"] = found
    return facts


def _curves(
    scores: Scores, pairs: Pairs, two: int | None, order: np.ndarray, weight: Any
) -> list[Any]:
    """One per class; the curve of the other of two classes is the same one from behind."""
    if two is None:
        found = scores.curves(pairs.actual, order.tolist(), weight)
    else:
        found = scores.curves(pairs.actual, [two], weight)
        found[1 - two] = found[two].reversed(scores.probabilities)
    return [found[code] for code in order.tolist()]


def _read_weight(sample_weight: Any, n: int) -> np.ndarray:
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}")
    check_finite(weight, name="sample_weight")
    if weight.min() < 0:
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight is {weight[row]:g} at row {row}: weights are at least 0")
    if not weight.any():
        raise ValueError("all entries of sample_weight are 0: at least one sample must count")
    return weight


def _order(labels: Any, classes: np.ndarray, code: int | None, rows: str) -> np.ndarray:
    """The numbers of the classes in the order of the matrix."""
    if labels is None:
        notes = len(classes) == 2 and rows == "predicted"
        return np.array([code, 1 - (code or 0)]) if notes else np.arange(len(classes))
    wanted = np.asarray(labels).tolist() if isinstance(labels, np.ndarray) else list(labels)
    number = {label: code for code, label in enumerate(classes.tolist())}
    missing = [label for label in number if label not in wanted]
    if missing:
        raise ValueError(f"labels lack {missing[0]!r}, which is in the data: name all classes")
    if len(set(wanted)) != len(wanted):
        raise ValueError("labels name a class twice")
    return np.array([number[label] for label in wanted])
