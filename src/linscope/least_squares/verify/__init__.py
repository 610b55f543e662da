"""Checks of the claims that share nothing with the code that made them."""
