"""The benchmark: linscope and its peers in one process, equal work, ratios.

``python -m benchmarks`` and ``linscope bench`` are the same. A case says what is fitted on which
data and how the work of two contenders is compared; the runner alternates them; the report prints
a ratio only where linscope's answer is at least as good as the peer's.
"""
