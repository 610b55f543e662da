"""How scores are made: candidates, searched and fitted inside folds, judged by rows held out."""
