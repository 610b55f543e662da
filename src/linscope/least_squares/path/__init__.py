"""Least squares for a range of penalties."""
