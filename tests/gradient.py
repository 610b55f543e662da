"""Gradient solvers for plain arrays."""

import numpy as np

from linscope.engines import choose
from linscope.fitting.descent import GradientDescent


class OneTarget(GradientDescent):
    """Weights (d + 1,), as the references have them."""

    def shaped(self, W):
        return super().shaped(W)[:, 0]


def gradient_solver(X, y, weight=None, **options):
    y = np.asarray(y, dtype=np.float64)
    kind = OneTarget if y.ndim == 1 else GradientDescent
    return kind(choose(X, y.reshape(len(y), -1), weight), **options)
