"""One file a loss; the formula stands above the code.

Samples are augmented rows ``x = [1, x1 ... xd]``, with labels ``y`` = ±1 or, for the squared loss,
any targets; ``w`` has the bias first.
"""

from . import perceptron, squared

__all__ = ["perceptron", "squared"]
