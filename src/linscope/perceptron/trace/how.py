"""How the perceptron rule is traced."""

from linscope.tracing.registry import Steps

from .exact import exact_replays
from .replay import perceptron_replays

STEPS = Steps(perceptron_replays, exact_replays)
