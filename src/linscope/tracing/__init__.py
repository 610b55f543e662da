"""Replay of event logs: every step of a fit, as a ledger, a data frame, a figure."""
