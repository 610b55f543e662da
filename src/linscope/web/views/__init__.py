"""What a run looks like: the states of a trace, their pictures and words, and other panels."""
