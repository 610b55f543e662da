"""Fits that can go on after a crash: what the rows have answered is written down.

A solver is a function of the answers that an engine gives. So a fit that is begun again asks the
same questions; those that were answered before are answered from a file, and the rows are read
again only from the question on at which the fit had died. No solver knows of it.

    front.py      ``ls.checkpoint``, and what an estimator's ``fit`` does with it
    engine.py     an engine between a solver and the engine of its rows
    journal.py    the file
    plain.py      questions and answers as bytes, without pickle
"""
