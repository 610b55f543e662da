"""Nothing compiles at import; the first compilation on a machine is announced once."""

import os
import pty
import subprocess
import sys

import pytest

from linscope._compiling import cache_folder

CALLS = """
from linscope.arithmetic.double_double import mul, two_sum
two_sum(1.0, 2.0)
mul(1.0, 0.0, 3.0, 0.0)
"""
IMPORT = """
import linscope as ls
[getattr(ls, name) for name in ls.__all__]
import os, pathlib, sys
found = [*pathlib.Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")]
print(f"kernels after import: {len(found)}", file=sys.stderr)
"""


def stderr_at_a_terminal(script, cache) -> str:
    """What a process with an empty or warm kernel cache tells a person."""
    master, slave = pty.openpty()
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", script], env=env, stderr=slave, check=True)
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # Linux: the other side is closed and all is read
            break
        if not part:
            break
        text += part
    os.close(master)
    assert done.returncode == 0
    return text.decode()


def kernels(cache) -> list:
    return list(cache.rglob("*.nbc"))


def test_import_compiles_nothing_and_the_first_call_says_so_once(tmp_path):
    said = stderr_at_a_terminal(IMPORT + CALLS, tmp_path)
    before, imported, first = said.partition("kernels after import: 0")
    assert before == ""
    assert imported
    assert first.count("compiling") == 1
    assert "once per machine" in first
    assert kernels(tmp_path)
    assert stderr_at_a_terminal(CALLS, tmp_path) == ""


@pytest.mark.slow
def test_no_announcement_without_a_terminal(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CALLS], env=env, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert kernels(tmp_path)


@pytest.fixture
def unwritable(tmp_path):
    """A file: nothing can be put into it, whoever asks."""
    (tmp_path / "file").touch()
    return tmp_path / "file"


def test_a_folder_that_can_be_written_to_is_left_to_numba(tmp_path, unwritable):
    assert cache_folder([unwritable, tmp_path / "still" / "to be made"], tmp_path) is None


def test_else_a_temporary_folder_that_is_ours_alone(tmp_path, unwritable):
    folder = cache_folder([unwritable], tmp_path)
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert cache_folder([unwritable], tmp_path) == folder


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path, unwritable):
    folder = cache_folder([unwritable], tmp_path)
    folder.chmod(0o777)
    assert cache_folder([unwritable], tmp_path) != folder
