"""From a table to the right linear model: the study, its statistics, checks and recommendation.

findings : what a comparison found, as plain values; report, terminal and JSON are made of nothing
    else
"""
