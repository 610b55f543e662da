"""The first picture: its window, its axes, what it is called, and where the points stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.display.geometry import Box, box_around, widened

from ..spec import Data

# A box no longer than this has one scale for both axes; so has the page.
SQUARE = 1.8


def picture_box(data: Data) -> Box:
    """The window of the picture: all points with room around them."""
    x0, x1, y0, y1 = box = box_around(places(data), 0.18)
    square = 1 / SQUARE < (x1 - x0) / (y1 - y0) < SQUARE
    return widened(box, 1.0) if data.mode == "classes" and square else box


def places(data: Data) -> np.ndarray:
    """Where points stand: two features; one feature and y; one feature alone on a line."""
    if data.mode == "regression":
        return np.column_stack([data.points[:, 0], data.labels])
    if data.points.shape[1] == 1:
        return np.column_stack([data.points[:, 0], np.zeros(len(data.points))])
    return data.points[:, :2]


def axes(data: Data, away: str) -> list[str]:
    if data.mode == "regression":
        return [data.features[0], "y"]
    return [*data.features, ""][:2] if len(data.features) < 3 else [away, ""]


def about_picture(data: Data, away: str) -> dict[str, str]:
    """What the first picture is called, and what must be said where it is not the plane."""
    d = data.points.shape[1]
    if data.mode == "regression":
        return {"title": "Points and line", "about": ""}
    if d == 1:
        return {
            "title": "Input space",
            "about": "One feature: the boundary is a point on the line.",
        }
    if d == 2:
        return {"title": "Input space", "about": ""}
    words = f"{d} features do not fit into a plane: shown is the {away} of each sample."
    return {"title": "Samples", "about": words}


def point_documents(data: Data) -> list[dict[str, Any]]:
    codes = data.codes.tolist() if data.mode == "classes" else [None] * len(data.points)
    names: list[str | None] = [*data.names] if data.names else [None] * len(data.points)
    return [
        {"u": u, "v": v, "code": code, "name": name}
        for (u, v), code, name in zip(places(data).tolist(), codes, names, strict=True)
    ]
