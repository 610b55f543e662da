"""Where the rows are: one verb, map a function over row blocks and reduce."""

from linscope.rows.blocks import Block, block_borders

from .base import Engine
from .memory import MemoryEngine

__all__ = ["Block", "Engine", "MemoryEngine", "block_borders"]
