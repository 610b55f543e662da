"""Where the rows are: tasks go to the row blocks, their results are added."""

from linscope.rows.blocks import Block, block_borders

from .base import Engine, RowsElsewhere
from .choice import choose, here, in_few_blocks, using
from .finite import check_rows
from .memory import MemoryEngine
from .source import Source, class_counts, class_totals, source_of

__all__ = [
    "Block",
    "Engine",
    "MemoryEngine",
    "RowsElsewhere",
    "Source",
    "block_borders",
    "check_rows",
    "choose",
    "class_counts",
    "class_totals",
    "here",
    "in_few_blocks",
    "source_of",
    "using",
]
