"""How sequential minimal optimisation is traced."""

from linscope.tracing.replay import StepRule

from .exact import check_exact, exact_replays
from .replay import smo_replays

STEPS = StepRule(smo_replays, exact_replays, check_exact)
