"""What the kernel SVM's solver remembers between its steps."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.results import Status

from .dual_problem import Ends
from .kernel_rows import KernelRows
from .progress import Progress


@dataclass
class SvmState:
    """β is feasible at any time. ``g`` holds for the active samples, ``exact_g`` for exact_beta.

    Attributes
    ----------
    beta, g : coefficients and gradient
    exact_beta, exact_g : where the gradient was last worked out from float64 kernel values
    limits : ends of the gap over the active samples
    target : gap at which g of all samples is worked out
    rows, diagonal : kernel values of the active samples
    active : samples not left out; None for all
    resting : who could have been left out at the last look
    last : working set of the last step, newest members last
    progress : what the last steps have brought
    """

    beta: np.ndarray
    g: np.ndarray
    exact_beta: np.ndarray
    exact_g: np.ndarray
    limits: Ends
    target: float
    rows: KernelRows
    diagonal: np.ndarray
    active: np.ndarray | None = None
    resting: np.ndarray | None = None
    last: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    steps: int = 0
    pairs: int = 0
    rounds: int = 0
    round_gap: float = np.inf
    pairs_at_solve: int = 0
    progress: Progress = field(default_factory=Progress)
    status: Status | None = None
    note: str = ""

    def change(self) -> tuple[np.ndarray, np.ndarray]:
        """Where β is no longer ``exact_beta``, and by how much."""
        difference = self.beta - self.exact_beta
        changed = np.flatnonzero(difference)
        return changed, difference[changed]
