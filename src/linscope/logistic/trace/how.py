"""How gradient descent on the log loss is traced."""

from linscope.tracing.registry import Steps

from .replay import check_logistic, logistic_replays

STEPS = Steps(logistic_replays, check=check_logistic)
