"""Linear support vector machines: ``LinearSVC``.

    min over w, b of  ½‖w‖² + C Σ_i c_i max(0, 1 − y_i (w·x_i + b))^p,   p = 1 or 2

Both losses are one piecewise quadratic function of the margin (``solvers/blocks``), summed over row
blocks (``solvers/objective``). The squared hinge takes Newton steps with an exact line search until
no row changes its side (``squared_hinge``). The hinge is rounded at its kink and moved by
multipliers until the rounding no longer matters (``hinge``); only rows near the kink take part, the
others are looked at once a round, and the bias is at last a weighted quantile (``hinge_bias``). The
Newton system is of columns, of active rows, or left to conjugate gradients (``systems``). C = ∞ is
the nearest points of two hulls (``hard_margin``). ``dual_coordinate`` is the textbook's method, for
traces. The equations of the support give small tables their last digits (``active_set``), and where
rounding spoils the objective floats near the solution are tried (``rounding``).

``certificates/duality`` bounds the objective of the floats that are handed out, and the minimum
from below by dual coefficients made feasible to the last bit: that gap, not the solver, decides
whether a fit has converged.
"""
