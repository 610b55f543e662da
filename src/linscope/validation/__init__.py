"""Folds, their scores, and what was found over them."""
