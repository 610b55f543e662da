"""The printed rule of every linear classifier is what ``predict`` does, on iris."""

import re

import numpy as np
import pytest

import linscope as ls


def evaluate(text, X):
    """w·[1, x] from words such as ``2·x1 − x2 + 0.5``."""
    out = np.zeros(len(X))
    for term in re.split(r"\s(?=[+−]\s)", text):
        sign = -1.0 if term.lstrip().startswith("−") else 1.0
        term = re.sub(r"^[+−]\s*", "", term.strip())
        number, _, name = term.rpartition("·") if "x" in term else (term, "", "")
        value = sign * (float(number.replace("−", "-")) if number else 1.0)
        out += value * X[:, int(name[1:]) - 1] if name else value
    return out


def side(text, X):
    """Where ``2·x1 > 3`` holds, and by how much."""
    left, relation, right = re.split(r"\s([>≥])\s", text)
    margin = evaluate(left, X) - float(right.replace("−", "-"))
    return (margin > 0 if relation == ">" else margin >= 0), margin


def predicted(rule, X, labels):
    """The labels that the words give."""
    if isinstance(rule, str):
        text, _, positive = rule.partition(" ⇒ ")
        assert positive == str(labels[1])
        return np.where(side(text, X)[0], labels[1], labels[0])
    votes = np.zeros((len(X), len(labels)))
    sums = np.zeros_like(votes)
    names = [str(label) for label in labels]
    for line in rule.values():
        if found := re.fullmatch(r"(.*) is the largest of (\d+) ⇒ (.*)", line):
            assert int(found[2]) == len(labels)
            votes[:, names.index(found[3])] = evaluate(found[1], X)
        elif found := re.fullmatch(r"(.*) ⇒ (.*) rather than (.*)", line):
            wins, _ = side(found[1], X)
            votes[:, names.index(found[2])] += wins
            votes[:, names.index(found[3])] += ~wins
        elif found := re.fullmatch(r"(.*) ⇒ a vote for (.*), else for (.*)", line):
            wins, margin = side(found[1], X)
            for k, won, sign in ((found[2], wins, 1), (found[3], ~wins, -1)):
                votes[:, names.index(k)] += won
                sums[:, names.index(k)] += sign * margin
        else:
            found = re.fullmatch(
                r"σ\((.*)\) for (.*), the rest of 1 for (.*); the largest sum", line
            )
            p = 1 / (1 + np.exp(-evaluate(found[1], X)))
            votes[:, names.index(found[2])] += p
            votes[:, names.index(found[3])] += 1 - p
    return np.asarray(labels)[(votes + sums / (3 * (np.abs(sums) + 1))).argmax(axis=1)]


MODELS = [
    ls.LogisticRegression(),
    ls.LogisticRegression(multi_class="ovr"),
    ls.LogisticRegression(multi_class="ovo"),
    ls.LogisticRegression(reference=0),
    ls.LinearSVC(),
    ls.LinearSVC(multi_class="ovo"),
    ls.Perceptron(max_iter=20),
    ls.Perceptron(max_iter=20, multi_class="ovo", tie="positive"),
    ls.LeastSquaresClassifier(),
    ls.FisherDiscriminant(),
    ls.GaussianNaiveBayes(shared_variance=True),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_printed_rule_is_what_predict_does(model):
    X, y = ls.datasets.load("iris")
    model.fit(X, y)
    rule = model.equation()
    assert len(rule) == 3
    np.testing.assert_array_equal(predicted(rule, X, [0, 1, 2]), model.predict(X))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS[:3] + MODELS[4:], ids=str)
def test_two_classes_have_one_hyperplane(model):
    X, y = ls.datasets.load("iris")
    X, y = X[50:], np.asarray(y)[50:]
    model.fit(X, y)
    np.testing.assert_array_equal(predicted(model.equation(), X, [1, 2]), model.predict(X))


def test_a_tie_that_counts_for_the_second_class_is_said():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [1, 1, 1, 0]
    model = ls.Perceptron(tie="positive").fit(X, y)
    line = model.equation()
    assert " ≥ " in line
    np.testing.assert_array_equal(predicted(line, np.array(X), [0, 1]), model.predict(X))
    assert " > " in ls.Perceptron(tie="negative").fit(X, y).equation()
