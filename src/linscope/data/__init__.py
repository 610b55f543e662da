"""What comes in: tables and labels of any kind, and the notes' ways to prepare them."""

from .finite import check_finite
from .labels import Labels, encode_labels, signs
from .tables import to_matrix

__all__ = [
    "Labels",
    "check_finite",
    "encode_labels",
    "signs",
    "to_matrix",
]
