"""How sequential minimal optimisation is traced."""

from linscope.tracing.replay import StepRule

from .replay import check_smo, smo_replays

STEPS = StepRule(smo_replays, check=check_smo)
