"""Replay of event logs: every step of a fit, as a ledger, a data frame, a figure."""

from .derivation import Derivation
from .start import trace
from .steps import Step, Steps
from .trace import Trace

__all__ = ["Derivation", "Step", "Steps", "Trace", "trace"]
