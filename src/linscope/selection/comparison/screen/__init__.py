"""The study on a terminal and in a notebook: as it goes on, its answer, its tables."""
