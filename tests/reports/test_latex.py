"""Everything that is written in LaTeX: the documents compile, and what they show fits the page."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import linscope as ls

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
PAGE = r"""\documentclass{article}
\usepackage{amsmath,graphicx,longtable}
\hbadness=10000
\begin{document}
%s
\end{document}
"""
COMPILERS = [
    ["tectonic", "--keep-logs"],
    ["pdflatex", "-interaction=nonstopmode"],
    ["xelatex", "-interaction=nonstopmode"],
]
COMPILER = next((words for words in COMPILERS if shutil.which(words[0])), None)


def traced(model, data, **options):
    return ls.trace(model, ls.datasets.load(data), **options)


def students(**options):
    data = ls.datasets.load("students")
    return ls.trace(ls.Perceptron(**data.settings), data, **options)


def numbers(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(2)
    return X, (X @ np.arange(1, d + 1) + rng.normal(size=n)).round(1)


def perceptrons():
    yield from (students(exact=exact, criterion=True) for exact in (False, True))
    yield students().distances()
    for output in ("voted", "averaged", "pocket"):
        run = traced(ls.Perceptron(output=output, tie="negative"), "or", exact=output == "voted")
        yield run
        if output != "pocket":
            yield run.votes()
    yield traced(ls.Perceptron(rule="batch", eta0=0.5), "non_separable", criterion=True)
    yield traced(ls.Perceptron(max_iter=2), "iris")
    yield traced(ls.KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1), "xor", exact=True)
    X, y = numbers(20, 12)
    yield ls.trace(ls.Perceptron(max_iter=3), X, y > 0, criterion=True)


def descents():
    for solver in ("batch", "mini-batch", "stochastic"):
        options = {"solver": solver, "max_iter": 3, "random_state": 0}
        yield traced(ls.LinearRegression(**options), "five_points", criterion=True)
        yield traced(ls.LogisticRegression(**options), "or", criterion=True)
        yield traced(ls.LogisticRegression(**options), "iris", criterion=True)
    exact = ls.LinearRegression(solver="stochastic", eta0=0.01, max_iter=2, shuffle=False)
    yield traced(exact, "five_points", exact=True)
    yield ls.trace(ls.Ridge(solver="stochastic", max_iter=2, random_state=0), *numbers(9, 6))


def machines():
    yield traced(ls.LinearSVC(solver="coordinate", penalize_intercept=True), "or", criterion=True)
    yield traced(ls.SVC(kernel="linear", C=np.inf), "or", criterion=True)
    yield traced(ls.SVC(), "xor", criterion=True)
    yield traced(ls.SVC(kernel="linear"), "non_separable", exact=True)
    yield traced(ls.LinearSVC(), "iris")
    yield traced(ls.LogisticRegression(), "iris")
    yield traced(ls.LogisticRegression(penalty="l1"), "or")


def derivations():
    for exact in (False, True):
        yield traced(ls.LinearRegression(), "five_points", exact=exact)
        yield traced(ls.LinearRegression(), "sbp_age", exact=exact)
        for d in (2, 3, 11):
            yield ls.trace(ls.LinearRegression(), *numbers(14, d), exact=exact)
        yield ls.trace(ls.Ridge(alpha=0.5), *numbers(9, 2), exact=exact)
        for model in (ls.LeastSquaresClassifier(), ls.FisherDiscriminant()):
            X, y = ls.datasets.load("iris")
            yield ls.trace(model, X[:100, :2], y[:100], exact=exact)
    for exact, shared in ((False, False), (True, True)):
        yield traced(ls.GaussianNaiveBayes(shared_variance=shared), "students", exact=exact)
    yield traced(ls.GaussianNaiveBayes(), "iris")
    yield traced(ls.LeastSquaresClassifier(), "students")
    yield traced(ls.LeastSquaresClassifier(), "iris")
    yield traced(ls.FisherDiscriminant(), "iris")
    yield traced(ls.FisherDiscriminant(), "wine")


def tables():
    X, y = ls.datasets.load("iris")
    yield ls.LinearRegression().fit(X[:, :3], X[:, 3]).summary()
    yield ls.LogisticRegression(penalty=None).fit(X[50:, :2], y[50:]).summary()
    yield ls.evaluate(y, ls.Perceptron(max_iter=5).fit(X, y).predict(X))
    yield ls.separability(X, y)


FAMILIES = [perceptrons, descents, machines, derivations, tables]


def papers(family):
    return [shown.to_latex() for shown in family()]


def inside(paper):
    """The code without comments and without signs that are escaped."""
    lines = [line for line in paper.splitlines() if not line.startswith("%")]
    return re.sub(r"(\\\\)|\\[&%$#_{}|]", r"\1", "\n".join(lines))


def flat(body):
    """A table without the small ones inside its cells."""
    return re.sub(r"\\begin{(array|tabular)}{@{}l@{}}.*?\\end{\1}", "", body)


@pytest.mark.share(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_braces_environments_and_columns_agree(family):
    for paper in papers(family):
        code = inside(paper)
        assert code.isascii()
        depth = np.cumsum([(c == "{") - (c == "}") for c in code])
        assert depth.min() >= 0
        assert depth[-1] == 0
        assert code.count("$") % 2 == 0
        open_ones = []
        for end, name in re.findall(r"\\(begin|end){(\w+\*?)}", code):
            assert end == "begin" or open_ones.pop() == name
            open_ones += [name] if end == "begin" else []
        assert open_ones == []
        for form, body in re.findall(
            r"\\begin{tabular}{([lr]+)}(.*?)\\end{tabular}", flat(code), re.S
        ):
            rows = [line for line in body.splitlines() if line.endswith(r"\\")]
            counts = {line.count("&") for line in rows if "multicolumn" not in line}
            assert counts == {len(form) - 1}


@pytest.mark.share(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_minus_stands_between_the_numbers_of_a_vector(family):
    """[1 -1] typesets as a difference unless the sign is inside of braces."""
    for paper in papers(family):
        assert not re.search(r"(\\;|\[)\s*-", inside(paper))


if COMPILER is not None:  # without LaTeX the structure, above, is what can be checked

    @pytest.mark.parametrize("family", FAMILIES)
    def test_documents_compile_and_fit_the_page(family, tmp_path):
        (tmp_path / "paper.tex").write_text(PAGE % "\n\n\\bigskip\n".join(papers(family)))
        done = subprocess.run(
            [*COMPILER, "paper.tex"], cwd=tmp_path, capture_output=True, timeout=300
        )
        log = (tmp_path / "paper.log").read_text(errors="replace")
        assert done.returncode == 0, re.findall(r"^! .*(?:\n.*){3}", log, re.M)
        too_wide = [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
        assert not [width for width in too_wide if width > 1]
