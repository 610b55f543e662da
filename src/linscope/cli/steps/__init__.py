"""Traced fits and the worked examples of the notes: steps on the screen, and what follows."""
