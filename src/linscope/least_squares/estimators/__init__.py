"""The estimators of this family: they store arguments, pick a solver and keep its result."""
