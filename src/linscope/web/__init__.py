"""The playground: any of the algorithms, step by step, in a browser and in a notebook.

All mathematics is in Python, through ``ls.trace`` and the public estimators; the page draws.

    spec.py         what a run depends on, read from JSON with one clear sentence for each mistake
    algorithms.py   what can be run, and which parameters a person may turn
    samples.py, lectures.py, own_table.py    where points come from
    catalog.py      all of that as the page's menus
    run.py          spec → run: every state with its picture, its sentence and its formula
    answers.py      a question of the page and its answer, the same for all hosts

    views/          course.py    the states of a trace
                    drawn.py     the picture of each state; derived.py those of closed forms
                    words.py     the sentence and the formulas of a step
                    machines.py  the same of support vector machines, imported when needed
                    weight_view.py, loss_view.py, bound_view.py    panels under the same cursor
                    everyone.py  the same points, every classifier
    hosts/          server.py    the Starlette application; work.py stops what takes too long
                    process.py   what answers, in a process of its own
                    handout.py   one file with its runs inside
                    widget.py    the notebook
    static/         the page: parts/ are joined into one module, shim.js is a model without notebook
"""
