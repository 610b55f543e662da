"""Linear regression by least squares."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linscope.fitting.targets import Regression

from ..solvers.given_moments import given_moments
from .family import LeastSquaresFamily


class LinearRegression(LeastSquaresFamily):
    """Ordinary least squares: minimise J(w) = ½ Σ_i c_i (y_i − w·[1, x_i])².

    Parameters
    ----------
    solver : {"exact", "batch", "stochastic", "mini-batch"}
        "exact" solves the normal equations to the last digits, with a certificate for each weight.
        The others follow the LMS rule w ← w + η Σ (y_i − w·x_i) x_i over all samples, one sample,
        or ``batch_size`` samples at a time; ``linscope.trace`` shows every step.
    fit_intercept : bool
        Whether the hyperplane has a bias.
    eta0 : "auto" or float
        Learning rate η. "auto" takes one that is safe; one above 2/λmax makes the batch rule
        diverge, which is caught and explained.
    schedule : {"constant", "inverse"}
        η_k = eta0, or eta0/k where k counts updates.
    batch_size : samples a mini-batch
    shuffle : bool
        Visit the samples in a new random order in each pass (not for "batch").
    average : bool
        Return the mean of the iterates of the second half of the passes: the stochastic rule
        oscillates around the minimum, its mean does not.
    tol : stop when η‖∇J‖ is at most this
    max_iter : most passes over the data
    random_state : int, RandomState or None
        For the order of the visits.
    weight_kind : {"auto", "frequency", "precision"}
        What ``sample_weight`` means for standard errors and tests; coefficients are the same.
        "frequency": a row of weight 2 is 2 equal rows, and n is the sum of the weights
        (``freq_weights`` of statsmodels). "precision": the variance of a row is σ²/weight, and n
        is the number of rows (``WLS``, ``var_weights``). "auto" is "frequency" for a table of
        ``compress``, else "precision".

    Attributes
    ----------
    coef_ : array (d,), or (targets, d) when y has columns
    intercept_ : float or array (targets,)
    rank_ : number of independent columns
    certificate_ : how many digits of each weight are right; dependent columns by name
    n_iter_ : rounds of refinement, or passes (at least 1)
    result_ : what the solver returned
    sigma2_ml_ : maximum-likelihood estimate of the variance, Σ r²/n

    Notes
    -----
    If columns depend on each other, the weights of least norm are returned and the certificate
    names the columns. A column counts as dependent if it is a combination of others up to 4 ulp of
    its terms; the certificate states how many. ``summary`` then has a standard error for every
    coefficient, and every sum of coefficients, that the data determine.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("five_points")
    >>> model = ls.LinearRegression().fit(X, y)
    >>> model.coef_.round(2), round(float(model.intercept_), 2)
    (array([1.16]), 1.11)
    >>> bool(model.certificate_.verify(X, y)), model.certificate_.digits > 15
    (True, True)
    """

    @classmethod
    def from_moments(
        cls,
        *,
        mean_x: Any,
        mean_y: Any,
        var_x: Any,
        cov_xy: Any,
        var_y: Any = None,
        n: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """Fit from means, variances and covariances alone: w = var_x⁻¹ cov_xy.

        Parameters
        ----------
        mean_x : mean of x; a vector (d,) for several features
        mean_y : mean of y; a vector for several targets
        var_x : variance of x; the covariance matrix (d, d) for several features
        cov_xy : covariances of x and y; (d,) or (d, targets)
        var_y : variance of y, for R² and all tests
        n : number of samples, for all tests; the sum of the weights if they are frequencies.
            Variances are then taken as Σ(…)²/(n − 1).
        feature_names : names of the features, optional

        Examples
        --------
        Systolic blood pressure against age, from the moments printed in the notes:

        >>> import linscope as ls
        >>> model = ls.LinearRegression.from_moments(
        ...     mean_x=45.13, mean_y=142.53, var_x=233.91, var_y=509.91, cov_xy=227.10
        ... )
        >>> model.coef_.round(2), round(float(model.intercept_), 2)
        (array([0.97]), 98.71)
        """
        moments = given_moments(mean_x, mean_y, var_x, cov_xy, var_y, n)
        model = cls()
        model.n_features_in_ = moments.n_features
        if feature_names is not None:
            names = np.array(feature_names, dtype=object).ravel()
            if len(names) != moments.n_features:
                raise ValueError(f"{len(names)} feature names for {moments.n_features} features")
            model.feature_names_in_ = names
        single = np.ndim(mean_y) == 0
        targets = ["y"] if single else [f"y{k + 1}" for k in range(moments.n_targets)]
        like = Regression(np.empty((0, 0)), None, None, single, None, targets)
        model._from_moments(moments, like, weighted=False)
        model._explained = var_y is not None
        return model
