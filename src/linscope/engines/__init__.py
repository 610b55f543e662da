"""Where the rows are: tasks go to the row blocks, their results are added."""

from linscope.rows.blocks import Block, block_borders

from .base import Engine
from .choose import choose, in_few_blocks, using
from .memory import MemoryEngine

__all__ = ["Block", "Engine", "MemoryEngine", "block_borders", "choose", "in_few_blocks", "using"]
