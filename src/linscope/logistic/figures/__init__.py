"""The figures of this family."""
