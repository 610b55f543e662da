"""What a type checker must see through the front door; ``make types`` runs mypy on it.

Each ``type: ignore`` stands for an error that must be reported: mypy complains where it is not.
"""

from typing import TYPE_CHECKING, assert_type

import numpy as np

import linscope as ls
from linscope.data.datasets import Dataset

if TYPE_CHECKING:  # never run
    ls.Perseptron()  # type: ignore[attr-defined]
    ls.SVC(kernal="rbf")  # type: ignore[call-arg]
    ls.plot.margins()  # type: ignore[attr-defined]

    assert_type(ls.datasets.load("iris"), Dataset)
    assert_type(ls.SVC(kernel="rbf"), ls.SVC)
    assert_type(ls.LogisticRegression().fit([[0.0], [1.0]], [0, 1]), ls.LogisticRegression)
    assert_type(ls.Ridge(alpha=0.5).fit([[0.0], [1.0]], [0.0, 1.0]), ls.Ridge)
    assert_type(ls.LinearSVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.5]]), np.ndarray)
    assert_type(ls.Perceptron().verify([[0.0], [1.0]], [0, 1]), ls.Check)
    assert_type(ls.trace(ls.Perceptron(), [[0.0], [1.0]], [0, 1]), ls.Trace | ls.Derivation)
    assert_type(ls.Perceptron().fit(ls.datasets.load("or")), ls.Perceptron)
    assert_type(ls.SVC().verify(ls.datasets.load("or")), ls.Check)
    assert_type(ls.Perceptron().discriminants([[0.0]]), np.ndarray)
    ls.Perceptron(learning_rate=0.1)  # type: ignore[call-arg]
    ls.separability(ls.datasets.load("or"))
    ls.gradient_descent(abs, 1.0)
