"""Logistic regression of two and of K classes."""
