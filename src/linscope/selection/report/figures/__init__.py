"""Figures of a comparison: Displays made of findings, and how a page shows them."""
