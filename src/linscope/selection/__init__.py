"""Choosing a model: paths over parameters with cross-validation, work shared between folds."""
