"""Which fits need all kernels, and whether those are on disk."""
