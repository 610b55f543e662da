"""How dual coordinate descent is traced."""

from linscope.tracing.replay import StepRule

from .replay import check_coordinate, coordinate_replays

STEPS = StepRule(coordinate_replays, check=check_coordinate)
