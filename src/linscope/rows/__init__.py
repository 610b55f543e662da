"""Row blocks, operations on them (dense and sparse), threads, and how much memory they may take."""
