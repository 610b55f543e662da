"""What all checks of certificates share: exact signs, ranks, Gram matrices, kernel values.

A model's own checks are in its folder (``linscope.logistic.verify``). They recompute a claim from
X, y and the floats that the claim names, in NumPy, double-double or rationals. Nothing here or
there imports a solver, a loss, a kernel or a compiled loop, so a mistake in one of those cannot
hide itself; the import contract of the project keeps it so. What a certificate means is written in
``linscope.results.certificate``.
"""
