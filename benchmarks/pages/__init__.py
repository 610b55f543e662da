"""Measured in a browser, not in Python."""
