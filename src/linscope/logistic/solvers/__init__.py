"""One file for each method; each takes rows or blocks and returns a Result."""
