"""How a fit ended, and what to do next."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """Why a solver stopped. The text says what happened, the advice what to do next.

    A family with better words for a status has them in its certificate (``TEXTS``, ``ADVICE``).
    """

    SEPARATED = (
        "a strictly separating vector was found",
        "Every sample lies strictly on its own side; nothing more to do.",
        True,
    )
    SEPARATED_BY_TIE = (
        "every sample is classified correctly, some only by the tie rule",
        "Samples with score 0 lie on the boundary; fit with tie='update' for a strict separation.",
        True,
    )
    SOLVED = (
        "the equations were solved",
        "Nothing more to do.",
        True,
    )
    RANK_DEFICIENT = (
        "columns depend on each other: of all solutions the one of least norm",
        "Predictions are fine, single weights mean little: drop the dependent columns, or use "
        "Ridge.",
        True,
    )
    NEARLY_DEPENDENT = (
        "up to rounding, some columns are combinations of others",
        "The weights have fewer digits than floats: drop such columns, or use Ridge.",
        False,
    )
    UNBOUNDED = (
        "the criterion has no bound",
        "Use fewer features, more samples or a stronger penalty.",
        False,
    )
    INFINITE = (
        "no finite weights maximise the likelihood: a direction separates the classes",
        "Use a finite C (penalty='l2') or penalty='firth'.",
        False,
    )
    CONVERGED = (
        "Converged: the objective is within tolerance of its minimum",
        "Nothing more to do.",
        True,
    )
    SMALL_STEP = (
        "the stopping rule η‖∇f‖ ≤ tol was met",
        "The rule proves no minimum: lower tol or start elsewhere to check it.",
        True,
    )
    SHORT_STEPS = (
        "the steps became short, but the minimum was not proven near",
        "Use a larger eta0 (or eta0='auto') or a smaller tol, scale the columns, or use another "
        "solver.",
        False,
    )
    STATIONARY = (
        "this kernel is not an inner product: a stationary point at best, not a minimum",
        "The objective has no minimum: use kernel='rbf', 'linear' or 'poly' with coef0 >= 0, or "
        "change gamma and coef0 until the kernel is an inner product.",
        False,
    )
    MAX_ITER = (
        "the iteration limit was reached",
        "Raise max_iter, or scale the columns.",
        False,
    )
    STALLED = (
        "rounding hid all progress before the minimum was proven near",
        "Centre and scale the columns, or use another solver.",
        False,
    )
    DIVERGED = (
        "the steps grew instead of shrinking: the learning rate is too large",
        "Use eta0='auto' or a smaller rate; the weights are the last finite ones, not a solution.",
        False,
    )
    STOPPED = (
        "a callback asked to stop",
        "Fit again without the callback, or with warm_start=True to go on from here.",
        False,
    )
    INTERRUPTED = (
        "you pressed Ctrl-C",
        "The answer is the best so far, not the best there is: fit again to go on.",
        False,
    )
    PARTIAL = (
        "one pass of partial_fit was made; no convergence is claimed",
        "Call partial_fit again, or certificate_.verify(X, y) on the data you care about.",
        False,
    )
    SEVERAL = (
        "several binary problems ended differently",
        "Look at certificate_.parts: each binary problem has its own certificate.",
        False,
    )

    def __init__(self, text: str, advice: str, ok: bool) -> None:
        self.text = text
        self.advice = advice
        self.ok = ok

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Status.{self.name}: {self.text}>"
