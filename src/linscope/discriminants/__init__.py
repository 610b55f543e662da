"""Classifiers in closed form: least squares on indicators, Fisher, Gaussian naive Bayes.

All three start from moments of each class (``solvers/moments``), which carry a bound of their
rounding; a column is constant in a class only if all its values are equal
(``solvers/settled_columns``). A discriminant in floats is kept if ``solvers/fisher_errors`` can
vouch for it; else ``certificates/fisher_proof`` solves it in whole numbers with the code of its own
check (``verify/class_scatter``, ``verify/discriminants``), which also proves the rank. With more
columns than rows a rank modulo a prime proves that J has no maximum (``verify/few_rows``), and
scores are compared by what they say of the rows, in whole numbers (``verify/row_space``).
``LeastSquaresClassifier`` is least squares on 1-of-K targets and takes the solvers from there
(``solvers/one_of_k``).
"""
