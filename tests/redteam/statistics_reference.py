"""Textbook formulas of regression statistics in 60 digits (mpmath); nothing of linscope is used.

Weights are of two kinds: "frequency", where row i is c_i equal rows, and "precision", where its
variance is σ²/c_i (for a likelihood: its term counts c_i times, but it is one row).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from flint import arb, fmpq, fmpq_mat
from mpmath import exp, findroot, gammainc, inf, log, matrix, mp, mpf, ncdf, pi, sqrt

from .exact import precision

mp.dps = 60
SINGULAR = mpf(10) ** -40


class Singular(ValueError):
    """Columns depend on each other, or there is no maximum."""


def determined(X, intercept):
    """Whether the rows determine each coefficient, the intercept first: e_j is in their span."""
    A = np.column_stack([np.ones(len(X)), X]) if intercept else np.asarray(X)
    rows = [[fmpq(*float(value).as_integer_ratio()) for value in row] for row in A.tolist()]
    units = [[fmpq(int(j == k)) for k in range(A.shape[1])] for j in range(A.shape[1])]
    rank = fmpq_mat(rows).rank()
    return [fmpq_mat([*rows, unit]).rank() == rank for unit in units]


def beta(x, a, b):
    """The regularised incomplete beta function, in balls of 400 bits."""
    x, a, b = map(mp.mpf, (x, a, b))
    with precision(400):
        ball = arb(mp.nstr(x, 60)).beta_lower(arb(mp.nstr(a, 60)), arb(mp.nstr(b, 60)), 1)
    return mpf(ball.mid().str(50, radius=False))


def tail_t(t, df):
    t, df = mpf(t), mpf(df)
    return beta(df / (df + t * t), df / 2, mpf(1) / 2)


def quantile_t(level, df):
    low, high = mpf(0), mpf(1)
    while tail_t(high, df) > 1 - mpf(level):
        high *= 2
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if tail_t(middle, df) > 1 - mpf(level) else (low, middle)
    return (low + high) / 2


def tail_f(F, df1, df2):
    F = mpf(F)
    return beta(df2 / (df2 + df1 * F), df2 / mpf(2), df1 / mpf(2))


def tail_chi2(x, df):
    return gammainc(mpf(df) / 2, mpf(x) / 2, inf, regularized=True)


def inverse(M):
    """Of a symmetric positive definite matrix, scaled to a unit diagonal."""
    p = M.rows
    if any(M[j, j] <= 0 for j in range(p)):
        raise Singular
    units = [sqrt(M[j, j]) for j in range(p)]
    S = matrix(p, p)
    for i in range(p):
        for j in range(p):
            S[i, j] = M[i, j] / units[i] / units[j]
    try:
        mp.cholesky(S)
        out = S**-1
    except (ValueError, ZeroDivisionError):
        raise Singular from None
    if max(abs(out[j, j]) for j in range(p)) > 1 / SINGULAR:
        raise Singular
    for i in range(p):
        for j in range(p):
            out[i, j] = out[i, j] / units[i] / units[j]
    condition = max(S_inverse_size(out, units), mpf(1))
    return out, condition


def S_inverse_size(out, units):
    return max(out[j, j] * units[j] ** 2 for j in range(len(units)))


def design(X, intercept):
    rows = [[mpf(float(v)) for v in row] for row in X]
    return [[mpf(1), *row] for row in rows] if intercept else rows


def dot(a, b):
    return mp.fsum(u * v for u, v in zip(a, b, strict=True))


def cross(A, c):
    """Σ c a aᵀ."""
    p = len(A[0])
    M = matrix(p, p)
    for i in range(p):
        for j in range(i, p):
            M[i, j] = M[j, i] = mp.fsum(w * a[i] * a[j] for w, a in zip(c, A, strict=True))
    return M


class LinearReference:
    """A weighted regression and its statistics."""

    def __init__(self, X, y, c, kind, intercept):
        self.A, self.y = design(X, intercept), [mpf(float(v)) for v in y]
        self.c = [mpf(1)] * len(self.y) if c is None else [mpf(float(v)) for v in c]
        self.kind, self.intercept = "precision" if c is None else kind, intercept
        self.p = len(self.A[0])
        self.n = mp.fsum(self.c) if self.frequency else mpf(len(self.y))
        self.df = self.n - self.p
        # About the means the condition is that of the features.
        M = cross(self.A, self.c)
        self.inverse, condition = inverse(M)
        self.condition = float(sqrt(condition))
        right = [mp.fsum(w * a[j] * v for w, a, v in zip(self.c, self.A, self.y, strict=True))
                 for j in range(self.p)]  # fmt: skip
        self.w = [dot(self.inverse[j, :], right) for j in range(self.p)]
        self.e = [v - dot(a, self.w) for a, v in zip(self.A, self.y, strict=True)]
        self.rss = mp.fsum(w * e * e for w, e in zip(self.c, self.e, strict=True))
        total = mp.fsum(self.c)
        mean = mp.fsum(w * v for w, v in zip(self.c, self.y, strict=True)) / total
        self.tss = mp.fsum(
            w * (v - (mean if intercept else 0)) ** 2 for w, v in zip(self.c, self.y, strict=True)
        )

    @property
    def frequency(self):
        return self.kind == "frequency"

    @property
    def rounding(self):
        """Rounding of scores beside the residuals."""
        largest = max(max(abs(a * w) for a, w in zip(row, self.w, strict=True)) for row in self.A)
        size = sqrt(self.rss / mp.fsum(self.c))
        return float(mpf(2) ** -52 * max(largest, *map(abs, self.y)) / size) if size else 1.0

    @cached_property
    def leverages(self):
        """Of each row; of one of its equal rows for frequencies."""
        out = []
        for a, c in zip(self.A, self.c, strict=True):
            inner = mp.fsum(a[i] * self.inverse[i, j] * a[j] for i in range(self.p)
                            for j in range(self.p))  # fmt: skip
            out.append(inner if self.frequency else c * inner)
        return out

    @property
    def slack(self):
        return float(1 - max(self.leverages))

    def whole(self):
        n, p, df = self.n, self.p, self.df
        r2, slopes = 1 - self.rss / self.tss, p - int(self.intercept)
        F = (self.tss - self.rss) / slopes / (self.rss / df)
        logs = mpf(0) if self.frequency else mp.fsum(log(c) for c in self.c)
        value = -n / 2 * (log(2 * pi * self.rss / n) + 1) + logs / 2
        return {
            "n": n,
            "r2": r2,
            "adjusted_r2": 1 - (1 - r2) * (n - int(self.intercept)) / df,
            "f_statistic": F,
            "f_pvalue": tail_f(F, slopes, df),
            "log_likelihood": value,
            "aic": 2 * p - 2 * value,
            "bic": p * log(n) - 2 * value,
            "sigma": sqrt(self.rss / df),
            "sigma2_ml": self.rss / n,
            "df_residual": df,
        }

    def covariance(self, robust, groups=None):
        if robust is None:
            return self.inverse * (self.rss / self.df)
        p, middle = self.p, matrix(self.p, self.p)
        if robust == "cluster":
            names = sorted({*groups})
            G, factor = len(names), self.n - 1
            for name in names:
                s = [mp.fsum(c * e * a[j] for c, e, a, g in
                             zip(self.c, self.e, self.A, groups, strict=True) if g == name)
                     for j in range(p)]  # fmt: skip
                for i in range(p):
                    for j in range(p):
                        middle[i, j] += s[i] * s[j]
            middle = middle * (mpf(G) / (G - 1) * factor / self.df)
        else:
            terms = []
            for c, e, h in zip(self.c, self.e, self.leverages, strict=True):
                term = (c if self.frequency else c * c) * e * e
                power = {"HC2": 1, "HC3": 2}.get(robust, 0)
                terms.append(term / (1 - h) ** power)
            middle = cross(self.A, terms)
            if robust == "HC1":
                middle = middle * (self.n / self.df)
        return self.inverse * middle * self.inverse

    def coefficients(self, robust, level, groups=None):
        C = self.covariance(robust, groups)
        se = [sqrt(C[j, j]) for j in range(self.p)]
        if not min(se) > SINGULAR:  # the rows of one group decide a coefficient
            raise Singular
        df = self.df if robust != "cluster" else mpf(len({*groups}) - 1)
        t, q = [w / s for w, s in zip(self.w, se, strict=True)], quantile_t(level, df)
        return {
            "standard_errors": se,
            "t": t,
            "p_values": [tail_t(v, df) for v in t],
            "intervals": np.array(
                [[w - q * s, w + q * s] for w, s in zip(self.w, se, strict=True)]
            ),
        }

    def intervals(self, X, kind, level):
        A, q = design(X, self.intercept), quantile_t(level, self.df)
        sigma2 = self.rss / self.df
        middle, half = [], []
        for a in A:
            inner = mp.fsum(a[i] * self.inverse[i, j] * a[j] for i in range(self.p)
                            for j in range(self.p))  # fmt: skip
            middle.append(dot(a, self.w))
            half.append(q * sqrt(sigma2 * (inner + (kind == "prediction"))))
        return middle, half


class LogisticReference:
    """The maximum of a (multinomial) likelihood by Newton's method, and its statistics."""

    def __init__(self, X, y, c, kind, intercept, start):
        self.A, self.intercept = design(X, intercept), intercept
        self.classes = sorted({*np.asarray(y).tolist()})
        self.codes = [self.classes.index(v) for v in np.asarray(y).tolist()]
        self.c = [mpf(1)] * len(self.codes) if c is None else [mpf(float(v)) for v in c]
        self.kind = "precision" if c is None else kind
        self.n = mp.fsum(self.c) if self.kind == "frequency" else mpf(len(self.codes))
        self.p, self.K = len(self.A[0]), len(self.classes)
        self.k = self.p * (self.K - 1)
        self.w = [mpf(float(v)) for v in np.ravel(start)]
        for _ in range(60):
            g, H = self._derivatives(self.w)
            self.inverse, condition = inverse(H)
            step = [dot(self.inverse[i, :], g) for i in range(self.k)]
            if max(map(abs, step)) > 1000 * (1 + max(map(abs, self.w))):
                raise Singular
            self.w = [a + b for a, b in zip(self.w, step, strict=True)]
            if dot(step, g) < mpf(10) ** -50:
                break
        else:
            raise Singular
        self.condition = float(condition)
        self.value = self.likelihood(self.w)

    def probabilities(self, a, w):
        scores = [mpf(0)] + [dot(a, w[r * self.p : (r + 1) * self.p]) for r in range(self.K - 1)]
        top = max(scores)
        terms = [exp(s - top) for s in scores]
        total = mp.fsum(terms)
        return [t / total for t in terms]

    def likelihood(self, w):
        return mp.fsum(c * log(self.probabilities(a, w)[k])
                       for a, k, c in zip(self.A, self.codes, self.c, strict=True))  # fmt: skip

    def _scores(self, w):
        for a, k, c in zip(self.A, self.codes, self.c, strict=True):
            P = self.probabilities(a, w)
            s = [(mpf(k == r + 1) - P[r + 1]) * v for r in range(self.K - 1) for v in a]
            yield a, c, P, s

    def _derivatives(self, w, skip=None):
        g, H = [mpf(0)] * self.k, matrix(self.k, self.k)
        for a, c, P, s in self._scores(w):
            for i in range(self.k):
                g[i] += c * s[i]
                r, u = divmod(i, self.p)
                for j in range(self.k):
                    t, v = divmod(j, self.p)
                    H[i, j] += c * P[r + 1] * (mpf(r == t) - P[t + 1]) * a[u] * a[v]
        return g, H

    @cached_property
    def null(self):
        total = mp.fsum(self.c)
        if not self.intercept:
            return -total * log(self.K)
        sums = [mp.fsum(c for c, k in zip(self.c, self.codes, strict=True) if k == r)
                for r in range(self.K)]  # fmt: skip
        return mp.fsum(s * log(s / total) for s in sums)

    def whole(self):
        lr, n = 2 * (self.value - self.null), self.n
        df = (self.K - 1) * (self.p - int(self.intercept))
        cox = 1 - exp(-lr / n)
        return {
            "n": n,
            "log_likelihood": self.value,
            "null_log_likelihood": self.null,
            "deviance": -2 * self.value,
            "lr_statistic": lr,
            "lr_pvalue": tail_chi2(lr, df),
            "mcfadden": 1 - self.value / self.null,
            "cox_snell": cox,
            "nagelkerke": cox / (1 - exp(2 * self.null / n)),
            "aic": 2 * self.k - 2 * self.value,
            "bic": self.k * log(n) - 2 * self.value,
        }

    def covariance(self, robust):
        if robust is None:
            return self.inverse
        middle = matrix(self.k, self.k)
        for _, c, _, s in self._scores(self.w):
            often = c if self.kind == "frequency" else c * c
            for i in range(self.k):
                for j in range(self.k):
                    middle[i, j] += often * s[i] * s[j]
        C = self.inverse * middle * self.inverse
        return C * (self.n / (self.n - self.k)) if robust == "HC1" else C

    def coefficients(self, robust, level):
        C = self.covariance(robust)
        se = [sqrt(C[j, j]) for j in range(self.k)]
        z = [w / s for w, s in zip(self.w, se, strict=True)]
        q = quantile_normal(level)
        ends = np.array([[w - q * s, w + q * s] for w, s in zip(self.w, se, strict=True)])
        return {
            "standard_errors": se,
            "z": z,
            "p_values": [2 * ncdf(-abs(v)) for v in z],
            "intervals": ends.reshape(self.K - 1, self.p, 2),
        }

    def profile(self, index, end, level):
        """2(ℓ_max − max ℓ with this coefficient fixed) − the quantile of χ²; of two classes."""
        free = [j for j in range(self.k) if j != index]
        # As if the likelihood were a parabola.
        far = (mpf(float(end)) - self.w[index]) / self.inverse[index, index]
        w = [v + far * self.inverse[j, index] for j, v in enumerate(self.w)]
        for _ in range(80 * bool(free)):
            g, H = self._derivatives(w)
            part = matrix(len(free), len(free))
            for i, u in enumerate(free):
                for j, v in enumerate(free):
                    part[i, j] = H[u, v]
            back, _ = inverse(part)
            step = [dot(back[i, :], [g[u] for u in free]) for i in range(len(free))]
            gain, before = dot(step, [g[u] for u in free]), self.likelihood(w)
            largest = max(abs(dot([a[u] for u in free], step)) for a in self.A)
            t = 1 / max(mpf(1), largest / 4)
            while True:
                moved = list(w)
                for u, s in zip(free, step, strict=True):
                    moved[u] += t * s
                if self.likelihood(moved) >= before or t < mpf(10) ** -20:
                    break
                t /= 2
            w = moved
            if gain < mpf(10) ** -30:
                break
        return 2 * (self.value - self.likelihood(w)) - quantile_normal(level) ** 2


def quantile_normal(level):
    return findroot(lambda z: ncdf(z) - (1 + mpf(level)) / 2, 1.0)
