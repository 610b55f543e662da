"""How logistic regression is traced: ``replay`` has gradient steps, ``newton`` the others."""

from linscope.tracing.replay import StepRule

from .replay import check_logistic, logistic_replays

STEPS = StepRule(logistic_replays, check=check_logistic)
