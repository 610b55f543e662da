"""One file per loss; the formula stands above the code, and nowhere else.

Samples are augmented rows ``x = [1, x1 ... xd]``, with labels ``y`` = ±1 or, for the squared loss
and Huber's, any targets; ``w`` has the bias first. ``loss``, ``derivative`` and ``conjugate`` take
scores (or margins ``y w·x``) of one sample or arrays of them. Those marked ``register_jitable`` are
plain Python for NumPy's arrays, and are compiled into the loops that call them.
"""
