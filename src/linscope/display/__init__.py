"""Figures: a Display holds computed arrays, and drawing is separate."""
