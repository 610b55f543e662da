"""What the kernel SVM's solver remembers between its steps, and whether these get anywhere.

Steps are looked at a few at a time. They lead nowhere if they do not halve the least gap so far and

- gain no more than a share of the objective that is rounding, or
- the gap is less than the gradient is rounded, or
- they go on at an even pace, without end: samples that floats cannot tell apart have no curvature
  between them, and a step along such a pair is short compared with a box that is as good as none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.results import Status

from .dual_problem import Ends
from .kernel_rows import KernelRows

# A share of the objective that is rounding.
GAIN = 1e-13
# Gap and gain of one look after the other that differ by less than this are the same; so many in a
# row are an even pace, which has no end if the box is so many times as wide as what one look moves.
SAME, IN_A_ROW, WIDE = 0.01, 4, 1e4


@dataclass
class Progress:
    """What the steps since the last look have brought.

    Attributes
    ----------
    gained : how much lower the objective is by now
    moved : by how much a coefficient has changed since the last look, at most
    before, gain : ``gained`` at the last look, and what had been gained at it
    gap, least : the gap at the last look, and the least of this round
    even : looks in a row with the same gap and gain
    """

    gained: float = 0.0
    moved: float = 0.0
    before: float = 0.0
    gain: float = 0.0
    gap: float = np.inf
    least: float = np.inf
    even: int = 0

    # ½βᵀKβ + pᵀβ is quadratic: its change along Δ is Δ times the mean of the slopes at both ends.
    def add(self, delta: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """A step Δ, and the slopes before and after it."""
        self.gained -= 0.5 * float(delta @ (before + after))
        self.moved += float(np.abs(delta).max(initial=0.0))

    def new_round(self, gap: float) -> None:
        """Another round starts at this gap."""
        self.gap = self.least = gap
        self.before, self.gain, self.moved, self.even = self.gained, 0.0, 0.0, 0

    def leads_nowhere(self, gap: float, rounding: float, box: float) -> bool:
        """A look.

        Parameters
        ----------
        gap : as it is now
        rounding : how far the gradient may be off
        box : the largest bound of a coefficient; without one there is another rule
        """
        gain = self.gained - self.before
        same = _near(gap, self.gap) and _near(gain, self.gain)
        self.even = self.even + 1 if same else 0
        endless = self.even >= IN_A_ROW and WIDE * self.moved < box < np.inf
        told = gain > GAIN * abs(self.gained) and gap > rounding and not endless
        halved = gap <= 0.5 * self.least
        self.gap, self.least, self.gain = gap, min(gap, self.least), gain
        self.before, self.moved = self.gained, 0.0
        return not (told or halved)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * abs(b)


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
