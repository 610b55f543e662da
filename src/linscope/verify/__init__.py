"""Checks of certificates that share nothing with the code that made them.

One page per model recomputes a claim from X, y and the floats that the claim names, in NumPy,
double-double or rationals. Nothing here imports a solver, a loss, a kernel or a compiled loop, so a
mistake there cannot hide itself here; the import contract of the project keeps it so. What a
certificate means is written in ``linscope.certify``.
"""

from linscope.arithmetic.enclosures import Ball, products, scores, total

__all__ = ["Ball", "products", "scores", "total"]
