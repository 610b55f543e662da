"""Run ONNX models in onnxruntime and compare what they say with linscope."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime

import linscope as ls

METHODS = {
    "label": "predict",
    "scores": "decision_function",
    "probabilities": "predict_proba",
    "prediction": "predict",
}


def session_of(model: Any) -> onnxruntime.InferenceSession:
    """The graph of a model, which ONNX's own checker has found to be right, ready to run."""
    proto = ls.to_onnx(model)
    onnx.checker.check_model(proto, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run(model: Any, feed: Any) -> dict[str, np.ndarray]:
    """Outputs by name, of a model or a session of one."""
    session = model if hasattr(model, "get_outputs") else session_of(model)
    feed = feed if isinstance(feed, dict) else {"X": np.asarray(feed, dtype=np.float64)}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, feed), strict=True))


def expected(model: Any, X: Any) -> dict[str, np.ndarray]:
    """What linscope says, by the names of the outputs."""
    names = ["label", "scores", "probabilities"] if hasattr(model, "classes_") else ["prediction"]
    return {name: getattr(model, METHODS[name])(X) for name in names if _has(model, name)}


def _has(model: Any, name: str) -> bool:
    return hasattr(model, METHODS[name])


def agree(
    model: Any, X: Any, feed: Any = None, *, session: Any = None, tolerance: float = 1e-12
) -> None:
    """Same outputs, same labels; numbers to ``tolerance`` of their size, of 1 near 0."""
    said, ours = run(session or model, X if feed is None else feed), expected(model, X)
    assert set(said) == set(ours)
    for name, theirs in said.items():
        assert theirs.shape == ours[name].shape, name
        if name == "label":
            np.testing.assert_array_equal(theirs, ours[name])
            continue
        assert theirs.dtype == np.float64
        near = tolerance * min(1.0, float(np.abs(ours[name]).max(initial=0.0)))
        np.testing.assert_allclose(theirs, ours[name], rtol=tolerance, atol=near, err_msg=name)
