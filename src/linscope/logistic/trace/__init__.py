"""How gradient descent on the log loss is traced."""

from linscope.tracing.replay import StepRule

from .replay import check_logistic, logistic_replays

STEPS = StepRule(logistic_replays, check=check_logistic)
