"""How the perceptron rule is traced."""

from linscope.tracing.replay import StepRule

from .exact import exact_replays
from .replay import perceptron_replays

STEPS = StepRule(perceptron_replays, exact_replays)
