"""The tests mirror the package: the tests of ``linscope.logistic`` are in ``tests/logistic``."""
