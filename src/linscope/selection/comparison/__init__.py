"""From a table to the right linear model.

study : what follows from the scores; begin here
course : every candidate on the same outer folds, within a budget; curves : what more rows bring
scoring : how scores are made; ``candidates`` are the models, ``tasks`` what is done for each
sharing : the work shared between processes, for small tables
advice : the rule that chooses a model; why, and what would change it
last_fit : the recommended model on all rows, valid statements, arrays for figures
checks : what may be wrong with the data and the fits, by code
settings, options : what a person asks, checked, as command and Python; what a study is asked
screen, result : a terminal and tables; the object that ``linscope.compare`` returns
findings : all of it as plain values; page, terminal, notebook and JSON are made of nothing else
"""
