"""Models from files: what they need of a table, their answers, how those are judged and checked."""
