"""The recommended model on all rows: what it says, and arrays for its figures."""
