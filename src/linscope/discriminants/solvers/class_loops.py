"""Compiled sums over the rows of each class, about a point near the mean of the class.

With z = (x − origin_k)·scale for a row x of class k and weight w, the sums are Σ w z (``sums``),
and either Σ w z² (``squares``) or Σ w z zᵀ (``gram``). An empty ``weight`` means weight 1.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel
from linscope.rows.column_products import add_column_products


@kernel
def first_rows(codes, n_classes):
    """The first row of each class; −1 for a class without rows."""
    first = np.full(n_classes, -1, np.int64)
    missing = n_classes
    for i in range(len(codes)):
        if first[codes[i]] < 0:
            first[codes[i]] = i
            missing -= 1
            if missing == 0:
                break
    return first


@kernel
def typical_values(X, codes, n_classes):
    """For each class and feature the value in X that is nearest to the mean; 0 without rows.

    A value of the data instead of the mean: differences to it are exact for constant columns and
    for whole numbers.
    """
    d = X.shape[1]
    mean, count = np.zeros((n_classes, d)), np.zeros(n_classes)
    for i in range(len(codes)):
        count[codes[i]] += 1.0
        for j in range(d):
            mean[codes[i], j] += (X[i, j] - mean[codes[i], j]) / count[codes[i]]
    out, best = np.zeros((n_classes, d)), np.full((n_classes, d), np.inf)
    for i in range(len(codes)):
        k = codes[i]
        for j in range(d):
            distance = abs(X[i, j] - mean[k, j])
            if distance < best[k, j]:
                out[k, j], best[k, j] = X[i, j], distance
    return out


@kernel
def centre_rows(X, codes, weight, origin, scale, Z, sums):
    """Write √w·z to Z and add w·z to the sums of each class: one pass over rows in the cache."""
    for i in range(X.shape[0]):
        k = np.uint64(codes[i])
        w = weight[i] if len(weight) else 1.0
        root = np.sqrt(w)
        for j in range(X.shape[1]):
            z = (X[i, j] - origin[k, j]) * scale[j]
            Z[i, j] = root * z
            sums[k, j] += w * z


@kernel
def pooled_columns(P, codes, root, origin, scale, step, sums, gram):
    """The sums (d, K) and the upper half of one ``gram`` for all classes, of columns side by side.

    ``root`` has √w, or nothing. So many rows (``step``) are centred at a time: with Z = √w z, and T
    that has √w in the place of the class and else 0, Σ Z Tᵀ and Σ Z Zᵀ are what is asked for.
    """
    (d, n), n_classes = P.shape, len(origin)
    room, places = np.empty(d * min(step, n)), np.empty(n_classes * min(step, n))
    for a in range(0, n, step):
        own = codes[a : a + step]
        Z = room[: d * len(own)].reshape((d, len(own)))
        T = places[: n_classes * len(own)].reshape((n_classes, len(own)))
        T[:] = 0.0
        for i in range(len(own)):
            T[np.uint64(own[i]), i] = root[a + i] if len(root) else 1.0
        for j in range(d):
            _centre(
                P[j, a : a + step], own, root[a : a + step], origin[:, j].copy(), scale[j], Z[j]
            )
        add_column_products(Z, Z, T, gram, sums)


@kernel
def _centre(x, own, root, at, scale, z):
    if len(at) == 2:  # a choice between two takes less than half the time of a look-up
        p, q = at[0], at[1]
        for i in range(len(own)):
            z[i] = (x[i] - (q if own[i] == 1 else p)) * scale
    else:
        for i in range(len(own)):
            z[i] = (x[i] - at[np.uint64(own[i])]) * scale
    if len(root):
        for i in range(len(own)):
            z[i] *= root[i]


@kernel
def dense_squares(X, codes, weight, origin, scale, sums, squares):
    for i in range(X.shape[0]):
        k = np.uint64(codes[i])
        w = weight[i] if len(weight) else 1.0
        for j in range(X.shape[1]):
            z = (X[i, j] - origin[k, j]) * scale[j]
            sums[k, j] += w * z
            squares[k, j] += w * z * z


@kernel
def sparse_squares(data, indices, indptr, codes, weight, origin, scale, sums, squares, seen):
    """Stored entries only; ``seen`` sums the weights of the rows that store a feature."""
    for i in range(len(indptr) - 1):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            z = (data[p] - origin[k, j]) * scale[j]
            seen[k, j] += w
            sums[k, j] += w * z
            squares[k, j] += w * z * z


@kernel
def sparse_gram(data, indices, indptr, codes, weight, origin, scale, full, sums, gram, shared):
    """Outer products of the stored entries, of columns ``full`` also where nothing is stored.

    A column is in ``full`` if it has an origin other than 0. Only one half of ``gram`` is filled:
    the whole is gram + gramᵀ with the diagonal taken once. ``shared``: one matrix for all classes.
    """
    d = len(scale)
    slot = np.full(d, -1, np.int64)
    for a in range(len(full)):
        slot[full[a]] = a
    where, value = np.empty(d, np.int64), np.empty(d)
    for i in range(len(indptr) - 1):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        m = len(full)
        for a in range(m):
            where[a] = full[a]
            value[a] = -origin[k, full[a]] * scale[full[a]]
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            z = (data[p] - origin[k, j]) * scale[j]
            if slot[j] >= 0:
                value[slot[j]] = z
            else:
                where[m], value[m] = j, z
                m += 1
        target = gram[0 if shared else k]
        for a in range(m):
            part, row = w * value[a], where[a]
            sums[k, row] += part
            for b in range(a + 1):
                target[row, where[b]] += part * value[b]
