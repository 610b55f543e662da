"""A graph of operators: what is applied to a constant or a tensor has a name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

# Operators as of these versions: ONNX 1.14 and onnxruntime 1.16 (2023) know them.
OPSET, FORMAT = 19, 9
# One file of Protocol Buffers holds no more.
MOST_BYTES = 2_000_000_000


class Answer(NamedTuple):
    """What a model says about each row, as names of tensors; "" for what it does not have.

    number : of the class. scores : ``decision_function``. prediction : of a regression.
    """

    number: str = ""
    scores: str = ""
    probabilities: str = ""
    prediction: str = ""


class Graph:
    """Nodes, constants, inputs and outputs, collected in the order of their use.

    >>> graph = Graph()
    >>> graph("Add", "X", np.array(1.0))
    'linscope:Add:1'
    """

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.size = 0

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> str:
        """Apply an operator to tensors by name; arrays and numbers become constants."""
        from onnx.helper import make_node

        if operator in NEUTRAL and _nearly(inputs[1], NEUTRAL[operator]):
            return self._safely(operator, *inputs)
        names = [one if isinstance(one, str) else self._constant(np.asarray(one)) for one in inputs]
        name = f"linscope:{operator}:{len(self.nodes) + 1}"
        self.nodes.append(make_node(operator, names, [name], **attributes))
        return name

    def _safely(self, operator: str, x: str, number: np.ndarray) -> str:
        """The same, where onnxruntime would leave the step out."""
        if operator in ("Add", "Sub"):
            return self("Sum", x, number if operator == "Add" else -number)
        return self("Mul", self(operator, x, 2.0 * number), 0.5 if operator == "Mul" else 2.0)

    def _constant(self, values: np.ndarray) -> str:
        from onnx.numpy_helper import from_array

        self.size += values.nbytes
        if self.size > MOST_BYTES:
            raise ValueError(
                "the model is larger than 2 GB, the most that an ONNX file holds: keep it with "
                "ls.save, or fit one with fewer support vectors (ApproximateSVC)"
            )
        name = f"linscope:constant:{len(self.constants) + 1}"
        self.constants.append(from_array(values, name))
        return name

    def input(self, name: str, kind: str, width: int) -> str:
        """A tensor (n, width) that the user gives; ``kind`` is "number" or "text"."""
        self.inputs.append(_info(name, kind, ["n", width]))
        return name

    def output(self, name: str, tensor: str, kind: str, *width: int) -> None:
        """Hand out a tensor (n,) or (n, width) by this name; ``kind`` also "whole number"."""
        from onnx.helper import make_node

        self.nodes.append(make_node("Identity", [tensor], [name]))
        self.outputs.append(_info(name, kind, ["n", *width]))

    def product(self, x: str, B: np.ndarray) -> str:
        """x @ B by Gemm: onnxruntime joins MatMul and a number before or behind it in float32."""
        return self("Gemm", x, np.ascontiguousarray(B))

    def columns(self, x: str, places: Any) -> str:
        """Some columns of x, in any order."""
        return self("Gather", x, np.asarray(places, dtype=np.int64), axis=1)

    def flat(self, x: str) -> str:
        """(n, 1) as (n,)."""
        return self("Squeeze", x, AXIS)

    def reduced(self, operator: str, x: str, axis: int = 1) -> str:
        """A sum or maximum along an axis, which stays with length 1."""
        return self(operator, x, np.array([axis]), keepdims=1)

    def numbers(self, truth: str) -> str:
        """Truth values as 0.0 and 1.0."""
        from onnx import TensorProto

        return self("Cast", truth, to=TensorProto.DOUBLE)

    def whole(self, x: str) -> str:
        """Numbers or truth values as int64."""
        from onnx import TensorProto

        return self("Cast", x, to=TensorProto.INT64)


AXIS = np.array([1])
# onnxruntime leaves out + 0, − 0, · 1 and / 1, and looks at the number in float32.
NEUTRAL = {"Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}


def _nearly(value: Any, neutral: float) -> bool:
    """Whether it is one number that is not neutral but for float32."""
    if isinstance(value, str) or np.size(value) != 1:
        return False
    number = float(np.ravel(value)[0])
    with np.errstate(over="ignore", under="ignore"):
        return number != neutral and float(np.float32(number)) == neutral


def dense(values: Any) -> np.ndarray:
    """Parameters of a model, of any type and kind of matrix, as float64."""
    return np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)


def _info(name: str, kind: str, shape: list[Any]) -> Any:
    from onnx import TensorProto
    from onnx.helper import make_tensor_value_info

    types = {
        "number": TensorProto.DOUBLE,
        "whole number": TensorProto.INT64,
        "text": TensorProto.STRING,
    }
    return make_tensor_value_info(name, types[kind], shape)
