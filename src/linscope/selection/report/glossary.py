"""What the words of a report mean, in the order of the alphabet."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

GLOSSARY = {
    "accuracy": (
        "The share of rows whose class is predicted right. Where one class is rare, always "
        "predicting the other has a high accuracy and is worth nothing."
    ),
    "average precision": (
        "The mean of the precision over all recalls: 1 if every row of the class is ranked before "
        "all others; the share of the class if the scores say nothing."
    ),
    "balanced accuracy": (
        "The mean, over the classes, of the share of their rows that is predicted right. "
        "Guessing gives 1 divided by the number of classes, however rare a class is."
    ),
    "baseline": (
        "A model that does not look at the columns: it predicts the most frequent class, or the "
        "mean. Whatever is not better has learned nothing."
    ),
    "Brier score": (
        "The mean squared distance between the predicted probability and what happened (0 or "
        "1). Less is better."
    ),
    "calibration": (
        "Probabilities are calibrated if, of all rows that get probability 0.7, 70 % are "
        "positive. The bars are Clopper–Pearson intervals of the observed share."
    ),
    "certificate": (
        "What a fit proves of its own answer, in bounds that hold in floating point: for "
        "example that no other weights have an objective smaller by more than the gap."
    ),
    "coefficient": (
        "By how much the score of the model changes when its column grows by 1 and all other "
        "columns stay."
    ),
    "confusion matrix": ("How often each class was predicted for rows of each actual class."),
    "corrected interval": (
        "The scores of folds are not independent, because their training rows overlap. The "
        "interval uses Nadeau and Bengio's variance, s² (1/J + test/train) for J folds with so "
        "many test and training rows; without the correction it would be much too narrow."
    ),
    "effect": (
        "By how much the score of the model changes for one standard deviation more of a "
        "number, for yes instead of no, or for a category. Effects can be compared; "
        "coefficients have units and cannot."
    ),
    "F1": (
        "The harmonic mean of precision and recall of the positive class (with more classes, "
        "its mean over the classes)."
    ),
    "fold": (
        "One part of the rows that is held out while a model learns from the others, and is "
        "then predicted. Preparation and search happen inside the training rows of each fold."
    ),
    "headline score": (
        "What to expect of the whole procedure on new rows. In each outer fold the model is "
        "chosen by the training rows alone and scored on the held-out rows, so the choice "
        "itself is part of what is measured."
    ),
    "learning curve": (
        "The score on the same held-out rows after learning from more and more rows. Where it "
        "still rises, more rows would help."
    ),
    "linear": (
        "The model decides by a weighted sum of the columns it sees. The reference decides "
        "otherwise; if it is much better, something in the table is not linear."
    ),
    "log loss": (
        "The mean of −ln of the probability that was given to what happened. Confident and "
        "wrong costs most. Less is better."
    ),
    "mean absolute error": (
        "The mean distance between prediction and truth, in the target's units. Less is better."
    ),
    "odds ratio": (
        "By which factor the odds of the positive class change when the column grows by 1 and "
        "all others stay."
    ),
    "one against the rest": (
        "With more than two classes each one in turn is called positive and all others negative, "
        "so that it has a recall, a precision and curves. Their mean over the classes, in which "
        "every class counts the same, is called macro."
    ),
    "p (Holm)": (
        "How often a difference at least as large would be seen if two models were equally "
        "good, by the corrected t-test; made larger by Holm's method because many pairs are "
        "compared."
    ),
    "practically equal": (
        "Two models whose scores differ by less than the region of practical equivalence. The "
        "probability is that of the corrected t distribution."
    ),
    "precision": ("The share of rows predicted positive that are positive."),
    "recall": ("The share of positive rows that are predicted positive."),
    "reference": (
        "A model that is not linear (gradient boosting), to see whether linear is enough. It is "
        "never recommended."
    ),
    "region of practical equivalence": (
        "How large a difference of scores may be and still not matter to you (the rope). You "
        "choose it: --rope."
    ),
    "residual": ("The actual value minus the predicted one, of a row that was held out."),
    "RMSE": (
        "The root of the mean squared distance between prediction and truth, in the target's "
        "units. Less is better."
    ),
    "ROC AUC": ("The probability that a positive row gets a higher score than a negative one."),
    "R²": (
        "The share of the target's variance that the predictions explain; 0 is no better than "
        "the mean."
    ),
}


def anchor(term: str) -> str:
    """Where a term stands in the page."""
    return "term-" + (re.sub(r"[^a-z0-9]+", "-", term.lower().replace("²", "2")).strip("-"))


def term(name: str, shown: str | None = None) -> Markup:
    """A word that says what it means on hover, and leads to the glossary; unknown words as are.

    >>> term("nothing"), anchor("p (Holm)")
    (Markup('nothing'), 'term-p-holm')
    """
    text = shown or name
    if name not in GLOSSARY:
        return escape(text)
    link = Markup('<a class="term" href="#{}"><abbr title="{}">{}</abbr></a>')
    return link.format(anchor(name), GLOSSARY[name], text)
