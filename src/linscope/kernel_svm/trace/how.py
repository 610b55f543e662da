"""How sequential minimal optimisation is traced."""

from linscope.tracing.registry import Steps

from .replay import check_smo, smo_replays

STEPS = Steps(smo_replays, check=check_smo)
