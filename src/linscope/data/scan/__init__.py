"""Tables that are read in batches, as often as is asked for, and never all at once."""

from .opening import open_table
from .plan import Plan

__all__ = ["Plan", "open_table"]
