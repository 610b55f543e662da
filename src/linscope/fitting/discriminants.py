"""The discriminant functions of a classifier, as the notes define them.

A classifier computes K functions g_k(x) and takes the class with the largest. They are not unique:
an increasing function of all of them decides alike. Two classes need only one, their difference
g(x) = g_2(x) − g_1(x), whose sign decides (the notes' class 1 is our second, the one of +1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.tables import TableLike


class Discriminants:
    """``discriminants(X)`` from the scores of ``decision_function``."""

    decision_function: Any

    def discriminants(self, X: TableLike) -> np.ndarray:
        """The discriminant functions g_k(x), one column per class in the order of ``classes_``.

        The class with the largest is predicted. Two classes have only one function, the score g(x)
        of ``decision_function``: here g_1 = 0 and g_2 = g, so that g = g_2 − g_1.

        ==========================  ============================================================
        model                       g_k(x)
        ==========================  ============================================================
        Perceptron                  w_k·x; where g_1 = g_2, ``tie`` decides
        KernelPerceptron, SVC       Σ_i α_i y_i K(x_i, x) + b of class k against the rest
        LinearSVC, ApproximateSVC   w_k·x + b_k
        LogisticRegression          w_k·x = ln P(C_k | x), up to a term that all classes share
        FisherDiscriminant          ln P(C_k | x), up to a term that all classes share
        LeastSquaresClassifier      w_k·x, the fit to column k of the 1-of-K targets
        ==========================  ============================================================

        For pairs of classes (``multi_class="ovo"``) g_k is what the pairs say together of class k:
        its votes, of a logistic regression the sum of its probabilities.

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("or")
        >>> ls.Perceptron(tie="negative").fit(X, y).discriminants(X)
        array([[0., 0.], [0., 1.], [0., 1.], [0., 2.]])
        """
        scores = self.decision_function(X)
        return scores if scores.ndim == 2 else np.column_stack([np.zeros_like(scores), scores])
