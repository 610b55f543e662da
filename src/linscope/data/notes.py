"""The data sets of the lecture notes, values as printed."""

from __future__ import annotations

from typing import Any

BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]

# name -> keyword arguments of Dataset. Class 1 of the notes is +1.
NOTES: dict[str, dict[str, Any]] = {
    "or": {
        "X": BITS,
        "y": [-1, 1, 1, 1],
        "feature_names": ["x1", "x2"],
        "target_names": {-1: "0", 1: "1"},
        "source": "lecture notes, perceptron on the OR table",
        "settings": {"tie": "negative"},
    },
    "xor": {
        "X": BITS,
        "y": [-1, 1, 1, -1],
        "feature_names": ["x1", "x2"],
        "target_names": {-1: "0", 1: "1"},
        "source": "lecture notes, the XOR table that no line separates",
        "settings": {"tie": "negative"},
    },
    "students": {
        "X": [[1, 1, -1, -1], [1, 1, 1, 1], [-1, -1, -1, 1], [1, -1, -1, 1]],
        "y": [1, -1, -1, 1],
        "feature_names": ["good attendance", "tall", "sleeps in class", "chews gum"],
        "target_names": {-1: "F", 1: "A"},
        "sample_names": ["Jane", "Steve", "Mary", "Peter"],
        "source": "lecture notes, perceptron on four students and their grades",
        "settings": {"tie": "update", "init": [0.25, 0.25, 0.25, 0.25, 0.25]},
        "runs": (
            {"tie": "update", "init": [0.25, 0.25, 0.25, 0.25, 0.25]},
            {"tie": "update", "init": [0.0, 0.5, 0.5, 0.0, 0.0]},
        ),
    },
    "two_points": {
        "X": [[1, 2], [2, 1]],
        "y": [1, -1],
        "feature_names": ["x1", "x2"],
        "source": "lecture notes, perceptron on two points",
        "settings": {"tie": "positive"},
    },
    "non_separable": {
        "X": [[2, 1], [4, 3], [3, 5], [1, 3], [5, 6]],
        "y": [1, 1, 1, -1, -1],
        "feature_names": ["x1", "x2"],
        "target_names": {-1: "class 2", 1: "class 1"},
        "source": "lecture notes, five samples that no line separates",
        "settings": {"tie": "update", "init": [1.0, 1.0, 1.0]},
    },
    "five_points": {
        "X": [[1], [2], [-1], [3], [4]],
        "y": [2.0, 4.0, 0.0, 4.0, 6.0],
        "feature_names": ["x"],
        "source": "lecture notes, a line through five points by least squares",
    },
    "sbp_age": {
        "feature_names": ["age"],
        "moments": {
            "mean_x": 45.13,
            "mean_y": 142.53,
            "var_x": 233.91,
            "var_y": 509.91,
            "cov_xy": 227.10,
        },
        "source": "lecture notes, systolic blood pressure (mm Hg) against age (years)",
    },
}
