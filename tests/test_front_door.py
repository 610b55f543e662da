"""``import linscope as ls`` is quick, and a type checker sees what ``ls.`` offers."""

import ast
import pkgutil
from pathlib import Path

import linscope as ls


def stub_names():
    tree = ast.parse(Path(ls.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}


def test_the_stub_names_what_the_front_door_has():
    assert set(stub_names()) == set(ls.__all__)


def test_the_stub_names_the_same_objects():
    for name, (module, original) in stub_names().items():
        if name not in ls._MODULES and name != "__version__":
            assert ls._PUBLIC[name] == module
            assert original == name


def test_names_of_functions_are_not_hidden_by_modules():
    """A submodule binds its name in its package: none may be called like a function there."""
    modules = {found.name for found in pkgutil.iter_modules(ls.__path__)}
    assert modules.isdisjoint(ls._PUBLIC)
    assert all(callable(getattr(ls, name)) for name in ls._PUBLIC)


def test_private_names_of_others_are_in_the_bridge_only():
    private, others = [], ("sklearn", "numba", "threadpoolctl")
    for path in sorted(Path(ls.__file__).parent.rglob("*.py")):
        text = path.read_text()
        if not any(f"from {other}" in text for other in others):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and path.name != "_bridge.py":
                owner = node.module.split(".")[0] in others
                inner = "._" in node.module or ".core" in node.module
                if owner and (inner or any(alias.name.startswith("_") for alias in node.names)):
                    private.append(f"{path.name}: {node.module}")
    assert private == []
