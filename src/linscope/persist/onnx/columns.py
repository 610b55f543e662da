"""The columns of a table as inputs of the graph, each by its name: what ``TableColumns`` reads.

number, date   numbers (n, 1); a date as days since the first one in training. NaN is missing
yes/no         text, or the numbers 0 and 1 where training had these; anything else is missing
category       text; "" is missing, unless it is a category
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.kinds import NO_YES, Kind

from .graph import Graph
from .one_hot import place_of

NAN = np.array(np.nan)


def named_inputs(graph: Graph, reader: Any) -> str:
    """The matrix of numbers and codes that a fitted ``TableColumns`` makes of a table."""
    names = reader.feature_names_in_.tolist()
    if not reader.kinds_:  # sparse rows, whose columns have no names
        return graph.input("X", "number", len(names))
    return graph("Concat", *(_column(graph, name, reader.kinds_[name]) for name in names), axis=1)


def _column(graph: Graph, name: str, kind: Kind) -> str:
    if kind.kind == "category":
        return _category(graph, graph.input(name, "text", 1), kind)
    if kind.kind == "yes/no" and not kind.numeric:
        return _yes_no(graph, graph.input(name, "text", 1))
    column = graph.input(name, "number", 1)
    if kind.kind == "yes/no":
        place = place_of(graph, column, np.array([0.0, 1.0]))
        return graph("Where", graph("Less", place, np.array(2.0)), place, NAN)
    return column


def _category(graph: Graph, column: str, kind: Kind) -> str:
    """Its place among the texts of the training table, their number for another text."""
    place = place_of(graph, column, np.array(kind.values, dtype=object))
    if "" in kind.values:
        return place
    return graph("Where", graph("Equal", column, np.array("", dtype=object)), NAN, place)


def _yes_no(graph: Graph, column: str) -> str:
    """0 or 1 for the words that mean no and yes, in small letters, capitals, or one capital."""
    words = [
        (form(word), float(code))
        for pair in NO_YES
        for code, word in enumerate(pair)
        for form in (str.lower, str.upper, str.capitalize)
    ]
    texts = np.array([text for text, _ in words], dtype=object)
    codes = np.array([code for _, code in words] + [np.nan])
    place = graph.whole(place_of(graph, column, texts))
    return graph("Gather", codes, place, axis=0)
