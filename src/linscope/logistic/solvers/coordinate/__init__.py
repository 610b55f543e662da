"""Coordinate descent for l1 and elastic-net penalties."""
