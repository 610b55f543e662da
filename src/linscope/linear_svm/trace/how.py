"""How dual coordinate descent is traced."""

from linscope.tracing.registry import Steps

from .replay import check_coordinate, coordinate_replays

STEPS = Steps(coordinate_replays, check=check_coordinate)
