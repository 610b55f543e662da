"""The same points, every classifier: drag an outlier, and see whose boundary swings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import linscope as ls

from ..spec import BadSpec, Data
from .derived import picture
from .stage import picture_box, point_documents


def models() -> tuple[tuple[str, str, Any], ...]:
    """Name, title and estimator of each; they are imported when they are asked for."""
    return (
        ("perceptron", "Perceptron, averaged", ls.Perceptron(output="averaged", max_iter=100)),
        ("least-squares", "Least squares on labels", ls.LeastSquaresClassifier()),
        ("fisher", "Fisher's discriminant", ls.FisherDiscriminant()),
        ("naive-bayes", "Gaussian naive Bayes", ls.GaussianNaiveBayes()),
        ("logistic", "Logistic regression", ls.LogisticRegression(C=100.0)),
        ("svm", "Linear SVM", ls.LinearSVC(C=1.0)),
    )


def everyone(data: Data) -> dict[str, Any]:
    """What each of the classifiers makes of these points."""
    if data.mode != "classes":
        raise BadSpec("this view is for classes")
    if data.points.shape[1] != 2:
        raise BadSpec("this view needs two features")
    box = picture_box(data)
    return {
        "box": list(box),
        "points": point_documents(data),
        "classes": data.classes,
        "models": [_one(*each, data, box) for each in models()],
    }


def _one(name: str, title: str, model: Any, data: Data, box: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"id": name, "title": title, "lines": [], "regions": [], "mistakes": None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = model.fit(data.points, data.labels)
    except ValueError as error:
        return out | {"equation": "", "note": str(error)}
    drawn = picture(fitted, data, box)
    wrong = int(np.sum(np.array(drawn["predicted"]) != data.codes))
    return out | {
        "lines": drawn["lines"],
        "regions": drawn["regions"],
        "predicted": drawn["predicted"],
        "mistakes": wrong,
        "equation": _equation(fitted),
        "note": "",
    }


def _equation(model: Any) -> str:
    try:
        return str(model.equation())
    except (AttributeError, ValueError):
        return ""
