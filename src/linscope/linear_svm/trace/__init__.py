"""How a linear machine is traced: ``replay`` has dual coordinate descent, ``newton`` the rest."""

from linscope.tracing.replay import StepRule

from .replay import check_linear, linear_replays

STEPS = StepRule(linear_replays, check=check_linear)
