"""Linear support vector machines: ``LinearSVC``."""
