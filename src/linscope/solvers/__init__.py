"""One file a method; each takes rows or blocks and returns a Result."""
