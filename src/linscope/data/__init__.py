"""What comes in: tables and labels of any kind, and the notes' ways to prepare them."""

from linscope.rows.finite import check_finite

from .augment import augment, reflect
from .encode import encode_frame
from .files import Table, read_table
from .labels import Labels, encode_labels, signs
from .tables import to_matrix

__all__ = [
    "Labels",
    "PolynomialFeatures",
    "RadialFeatures",
    "Table",
    "augment",
    "check_finite",
    "encode_frame",
    "encode_labels",
    "read_table",
    "reflect",
    "signs",
    "to_matrix",
]


def __getattr__(name):
    # The transformers need scikit-learn's base classes, which take long to import.
    if name in ("PolynomialFeatures", "RadialFeatures"):
        from . import features

        return getattr(features, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
