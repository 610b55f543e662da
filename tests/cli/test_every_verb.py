"""The shell script that runs every verb on good and bad files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("every_verb.sh")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a script of bash")
def test_every_verb_on_good_and_bad_files():
    ended = subprocess.run(
        ["bash", SCRIPT],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout == "every verb: fine\n"
