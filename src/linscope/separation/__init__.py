"""Can a hyperplane separate the classes? The question, the verdicts and their proofs."""
