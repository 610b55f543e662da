"""Fitted models as files, without pickle: nothing in a file is ever executed.

model_files.py  save, load and read_about
container.py    the bytes: a safetensors file with a checksum over all of it
tree.py         values as JSON and tensors; writing.py and reading.py do it
allowed.py      the classes that a file may name, and what is kept of each
shapes.py       what the arrays of a model must be, so that predicting is safe
onnx/           the same models as ONNX graphs

``docs/model_files.md`` describes the format.
"""

from .model_files import load, read_about, save

__all__ = ["load", "read_about", "save"]
