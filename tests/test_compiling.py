"""Where compiled kernels go."""

import os

import pytest

from linscope._compiling import cache_folder


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


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path, unwritable):
    folder = cache_folder([unwritable], tmp_path)
    folder.chmod(0o777)
    assert cache_folder([unwritable], tmp_path) != folder
