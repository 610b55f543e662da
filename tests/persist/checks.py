"""What tests of files share: the same bits, and a writer of files that is not linscope's."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import numpy as np
import scipy.sparse as sp

ANSWERS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "transform")


def same_bits(a: Any, b: Any) -> bool:
    """Equal types, shapes and bytes."""
    if sp.issparse(a):
        parts = ("data", "indices", "indptr")
        return type(a) is type(b) and all(
            same_bits(getattr(a, part), getattr(b, part)) for part in parts
        )
    a, b = np.asarray(a), np.asarray(b)
    same = a.dtype == b.dtype and a.shape == b.shape
    return same and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())


def check_answers(before: Any, after: Any, X: Any) -> None:
    """Both models say the same of X, to the last bit, and can be asked the same."""
    assert type(before) is type(after)
    for method in ANSWERS:
        assert hasattr(before, method) == hasattr(after, method), method
        if hasattr(before, method):
            assert same_bits(getattr(before, method)(X), getattr(after, method)(X)), method


def split(data: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """Header, document and tensors of a file, as docs/model_files.md describes it."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["model"]), data[8 + length :]


def sealed(header: Any, document: Any, tensors: bytes) -> bytes:
    """A file with a true checksum, whatever is in it."""
    text = document if isinstance(document, str) else json.dumps(document)
    metadata = {"linscope": "1", "sha256": "0" * 64, "model": text}
    rest = {k: v for k, v in header.items() if k != "__metadata__"}
    return sealed_text(
        json.dumps({"__metadata__": metadata, **rest}, separators=(",", ":")), tensors
    )


def sealed_text(header: str, tensors: bytes = b"") -> bytes:
    """The same from the text of a header that has 64 zeros for its checksum."""
    data = struct.pack("<Q", len(header.encode())) + header.encode() + tensors
    digits = hashlib.sha256(data).hexdigest().encode()
    return data.replace(b"0" * 64, digits, 1)
