"""The perceptron family: ``Perceptron`` and ``KernelPerceptron``.

    w ← w + η y x  where  y w·x ≤ 0

``solvers/rule`` is one pass as one step of the driver, ``solvers/loops`` the compiled loops,
written once over dense, sparse and Gram rows: a kernel perceptron is the same loop with the scores
of all training rows as its state. A score is computed by vector instructions; where it is within
its rounding bound of the decision, the plain left-to-right sum decides, so that the updates are
those of the textbook's loop. ``trace/exact`` is that loop in fractions.

A claim counts mistakes by exact signs (``verify``), of kernels too
(``linscope.verify.kernel_signs``).
"""
