"""The solutions over a range of parameters."""
