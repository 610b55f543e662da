"""Adversarial problems for every estimator, judged by exact or high-precision references.

``python -m tests.redteam --seconds 60 --seed 0`` prints counts per estimator and level, and a
snippet that reproduces each finding. Nothing here uses linscope's solvers or its ``verify`` to
judge: the references are written on python-flint (rationals, and balls of 300 to 2500 bits).

    tables.py        kinds of adversity: tables, labels, targets, weights, forms
    problem.py       one problem: an estimator with parameters, a table, and its snippet
    exact.py         rationals, balls, exact linear programs
    judging.py       what any claim must satisfy
    least_squares.py, logistic.py, machines.py, perceptrons.py, naive_bayes.py, fisher.py,
    verdicts.py
                     one file per family: problems, and what a claim gets wrong
    logistic_objective.py, machine.py, interior.py
                     objectives in balls and how their least values are found
    sabotage.py      compiled functions broken on purpose
    forging.py       claims changed in one place
    registry.py      the estimators, each with its family
    campaign.py      fit, judge, verify, forge; counts and findings

Campaigns of their own (``--campaign NAME``):

    mutation.py      models and their files changed in one place: what predicts otherwise is refused
    pages.py         reports of a comparison changed in one place; what a reader would see
    predictions.py   scores against exact ones
    statistics.py, statistics_reference.py
                     standard errors, tests, intervals under weights
"""
