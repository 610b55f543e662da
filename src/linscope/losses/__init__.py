"""One file a loss; the formula stands above the code.

Samples are augmented rows ``x = [1, x1 ... xd]`` with labels ``y`` = ±1, and ``w`` has the bias
first.
"""

from . import perceptron

__all__ = ["perceptron"]
