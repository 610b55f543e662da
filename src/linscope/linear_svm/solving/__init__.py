"""From arguments to a solved problem with its certificate."""
