"""Least squares: ``LinearRegression`` and ``Ridge``; its robust relative ``HuberRegressor``.

    min over w of  Σ_i c_i (y_i − w·x_i)² + α Σ_{j≥1} w_j²

Everything that depends on the rows is one sum over row blocks, the moments (``solvers/moments``):
products of [1, x, y] about a shift, columns scaled by powers of two. ``solvers/choice`` and
``solvers/exact`` say which way is taken:

- many well-behaved rows: moments in floats by BLAS, Cholesky by LAPACK, if the proven error allows
  (``moments``, ``cholesky``)
- up to 500 columns: moments and Cholesky in double-double
- small, and double-double does not vouch for the last digits: whole numbers, that is sums of
  products without rounding, the rank modulo primes, the solution with a proven radius
  (``whole_numbers``)
- large and ill-conditioned: refinement in double-double; QR of row blocks if there are many columns
  (``refinement``, ``qr``)
- no more rows than columns: the n × n side, where nearly equal columns do no harm (``wide``)
- too large for any Gram matrix: LSMR (``lsmr``)

Every way returns a function that bounds any floats: how far they are from the solution (or the
shortest of several) and the objective from its minimum (``solvers/inverse_proof`` for few columns,
``solvers/proof``, or the verifier's own functions). It is asked about the weights as the model
holds them, in float32 if these are, and the answer decides the status (``certificates``): SOLVED
and RANK_DEFICIENT need both bounds within the tolerance. Columns that are combinations of others up
to a few ulp are left out and share their weights with these afterwards (``solvers/set_aside``); the
claim is then about a table that differs by so many ulp (``linscope.verify.relations``). Columns
that are nearly dependent beyond that are solved for; weights are then rounded one after the other,
so that the later ones make up for the earlier ones. Where floats cannot hold the minimum, such
columns are set aside (NEARLY_DEPENDENT). ``verify/check`` recomputes
all of it in whole numbers; only tables too large for that are bounded in floats (``verify/large``).

Huber's loss (``losses.huber``) has a file ``huber`` in each room: Newton's method on
the pieces of the objective, and a dual point that bounds the distance to the minimum.

Searches for α keep none of their fits: ``path/ridge`` has all α from one Gram matrix in floats.

Statistics (``inference``) start from a ``LinearFit``: weights, the root of the inverse, sums of
squares, and the rows if they are at hand.
"""
