"""Classifiers in closed form: least squares on indicators, Fisher, Gaussian naive Bayes."""
