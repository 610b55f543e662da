"""Least squares: ``LinearRegression`` and ``Ridge``."""
