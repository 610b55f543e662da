"""An interior point method for the dual of a support vector machine, in balls.

    min ½ αᵀQα − Σα    subject to  0 ≤ α (≤ top),  Σ yα = 0 (if signs are given)

Newton's steps for the conditions Qα − 1 − λy − z + v = 0, αz = μ, (top − α)v = μ, while μ shrinks.
The precision is so high that no care for rounding is needed.
"""

from __future__ import annotations

from flint import arb, arb_mat, ctx

STEPS, SHRINK, SHORT = 250, 0.1, 0.95
# After a step of nearly full length μ may shrink by this, and the next may go so far to the wall.
QUICK, LONG = 1e-4, 0.9999


def dual_solution(
    Q: arb_mat, signs: list[int] | None, top: list[arb] | None
) -> tuple[list[arb], arb, bool]:
    """(α, a lower bound of the minimum of the primal up to the precision, were steps enough)."""
    n = Q.nrows()
    size = max((abs(Q[i, i]).mid() for i in range(n)), key=lambda v: v)
    start = 1 / size if size > 0 else arb(1)
    alpha = [start if top is None else _least(start, t / 2) for t in top or [None] * n]
    z, v, level = [arb(1)] * n, [arb(1) if top is not None else arb(0)] * n, arb(0)
    y = signs or [0] * n
    exact = arb(2) ** (-ctx.prec // 3)
    full = enough = False
    for _ in range(STEPS):
        room = [t - a for t, a in zip(top, alpha, strict=True)] if top is not None else None
        pull = (Q * arb_mat([[a] for a in alpha])).entries()
        slope = [p - 1 - level * s - zi + vi
                 for p, s, zi, vi in zip(pull, y, z, v, strict=True)]  # fmt: skip
        unbalanced = sum((s * a for s, a in zip(y, alpha, strict=True)), arb(0))
        mu = sum((a * b for a, b in zip(alpha, z, strict=True)), arb(0))
        if room is not None:
            mu += sum((a * b for a, b in zip(room, v, strict=True)), arb(0))
        total = sum(alpha, arb(0))
        flat = max(abs(g).mid() for g in slope)
        if mu < exact * total and flat < exact and abs(unbalanced) < exact * total:
            enough = True
            break
        aim = (QUICK if full else SHRINK) * mu / (n if room is None else 2 * n)
        M, right = arb_mat(Q), []
        for i in range(n):
            M[i, i] = M[i, i] + z[i] / alpha[i] + (v[i] / room[i] if room is not None else 0)
            force = -slope[i] + aim / alpha[i] - z[i]
            if room is not None:
                force -= aim / room[i] - v[i]
            right.append([force, arb(y[i])])
        try:
            both = M.mid().solve(arb_mat(right).mid(), algorithm="approx").mid()
        except ZeroDivisionError:  # no better to this precision
            enough = True
            break
        step, along = [both[i, 0] for i in range(n)], [both[i, 1] for i in range(n)]
        turn = arb(0)
        if signs is not None:
            bend = sum((s * a for s, a in zip(y, along, strict=True)), arb(0))
            turn = -(unbalanced + sum((s * a for s, a in zip(y, step, strict=True)), arb(0))) / bend
            step = [(a + turn * b).mid() for a, b in zip(step, along, strict=True)]
        dz = [(aim / a - b - b / a * s) for a, b, s in zip(alpha, z, step, strict=True)]
        dv = [arb(0)] * n
        if room is not None:
            dv = [(aim / r - b + b / r * s) for r, b, s in zip(room, v, step, strict=True)]
        pairs = [*zip(alpha, step, strict=True)]
        if room is not None:
            pairs += [(r, -s) for r, s in zip(room, step, strict=True)]
        pairs += [*zip(z, dz, strict=True), *(zip(v, dv, strict=True) if room else ())]
        length = _length(pairs, LONG if full else SHORT)
        full = bool(length > 0.9)
        alpha = [(a + length * s).mid() for a, s in zip(alpha, step, strict=True)]
        level = (level + length * turn).mid()
        z = [(a + length * s).mid() for a, s in zip(z, dz, strict=True)]
        v = [(a + length * s).mid() for a, s in zip(v, dv, strict=True)]
    pull = (Q * arb_mat([[a] for a in alpha])).entries()
    norm2 = sum((a * p for a, p in zip(alpha, pull, strict=True)), arb(0))
    return alpha, sum(alpha, arb(0)) - norm2 / 2, enough


def _least(a: arb, b: arb) -> arb:
    return (a if a < b else b).mid()


def _length(pairs, short: float) -> arb:
    """The largest step that keeps every value positive, and not quite that."""
    limits = [-a / s for a, s in pairs if s < 0]
    return _least(arb(1), short * min(limits, key=lambda v: v.mid())) if limits else arb(1)
