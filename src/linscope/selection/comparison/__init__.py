"""From a table to the right linear model.

options : what may be asked of a study, and what it tells while it runs
course : every candidate on the same outer folds; study : what follows from their scores
candidates : the models, the simplest first; search : their parameters, inside a fold
folds, prepared, judging, record : rows that judge, tables as models see them, metrics, notes
choice, recommendation : the rule that chooses a model; why, and what would change it
curves, final, explained, panels : more rows, the last fit, valid statements, arrays for figures
checks : what may be wrong with the data and the fits, by code
settings : what a person asks, checked, and as command and Python
progress, answer : the study as it goes on, and what it found, on a terminal
tables, result : scores and differences as tables; the object that ``linscope.compare`` returns
findings : all of it as plain values; page, terminal, notebook and JSON are made of nothing else
"""
