"""Support vector machines with kernels: ``SVC`` and ``ApproximateSVC``.

    min over β of  ½ βᵀKβ − yᵀβ,   0 ≤ y_i β_i ≤ C c_i,   Σ β_i = 0

The dual problem is in β = yα, so that the kernel needs no signs (``solvers/dual_problem``):

- more than 768 samples in all, and K > 2 classes or at most 4000 samples (8000 if C is large):
  compiled calls that solve some problems each, on threads, with float32 kernel values of two
  classes at a time or of all, then float64 sums where they matter (``many_problems``, ``compiled``)
- up to 768: the whole float64 Gram matrix, compiled pairs and equations of the free samples in turn
  (``whole_matrix``)
- more: working sets of 1024 samples, 2048 if there are many; samples far from moving are left out;
  every other step a stride along the last directions, whose products are known; float32 kernel
  values, float64 gradient, and rounds until that is within tol (``decomposition``, ``working_set``,
  ``strides``, ``kernel_rows``, ``float64_gradient``)
- for a trace: one logged pair a step (``smo``)

``solving/all_problems`` hands out the problems of K classes (tables of them: ``solving/tables``),
``solving/one_problem`` solves one and builds the certificate from the last gradient; after Ctrl-C
that is worked out afresh. Kernel values come from ``linscope.kernels``, where what
‖x‖² − 2x·z + ‖z‖² loses is bounded.

``verify/duality`` has the formulas of the gap, a sum of terms that are not negative, at the floats
the model holds. Small problems are measured there from the table; large ones bring the solver's
scores with a bound of their rounding (``certificates``), so that a proof takes no second pass over
the kernel. Sigmoids, given matrices, functions and polynomials with coef0 < 0 are factored to prove
them inner products, or a vector with vᵀKv < 0 shows that they are not
(``certificates/inner_product``).

On a path (``path/grid``) the squared distances of all rows are worked out once, and one or two
buffers hold exp(−γD) for one γ after the other (``solvers/fold_gram``). A fold, or a pair of
classes in it, is the same problem with the bounds 0 ≤ β ≤ 0 for the other rows (``solvers/fold``),
so no part of the matrix is copied, and the gradient of a row that is held out is its score.
"""
