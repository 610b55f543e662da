"""Logistic regression of two and of K classes.

    min over w of  C Σ_i c_i ln(1 + e^(−y_i w·x_i)) + penalty(w)

A fit is split into problems, each with an objective, a solver and a certificate
(``solving/problems``); which solver, in ``solving/choice``. P(W) − min P is bounded at the floats
that are held, in one of four ways:

- l2, l1, elastic net: duality with any distributions p' in place of the fitted ones; the gap is a
  sum of divergences and squares, so rounding enters by its square (``verify/duality``)
- no penalty, or a tiny one: Newton decrement and self-concordance with a proven least eigenvalue,
  nearly dependent columns in combinations by double-double (``verify/decrement``)
- no penalty and no minimum: a direction in fractions, the sign of every margin exact
  (``certificates/finite_solution``, ``verify/separation``)
- Firth: Newton's next step from above, in standard errors (``verify/firth``)

Without a penalty, columns that are combinations of others up to a few ulp are left out first
(``certificates/dependent_columns``). The claim is then about a table that differs by so many ulp
(``linscope.verify.relations``).

Fits with an l2 penalty are certified from the last pass of the solver and a bound on its rounding
(``certificates/gap``) where that proves enough, the fits of a path from the sums that its steps
have (``certificates/path_bounds``).

A path over C (``path/fits``) goes one of three ways. Dense, l2 and few weights: rows sorted by the
folds that use them, and one pass gives losses, gradients and held-out scores of all folds, one more
their Hessians, "all rows less its own" (``solvers/folds``). Sparse or wide with l2, and large
softmax: trust region, each fit started where the last two values of C point (``WarmFits``). Others:
warm-started fits of the estimator (``RefitFits``).
"""
