"""Newton's method on many folds at once."""
