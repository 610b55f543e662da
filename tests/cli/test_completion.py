"""``linscope --install-completion`` in real shells: the candidates that a person is shown."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linscope.cli import main

PROGRAM = Path(sys.executable).with_name("linscope")

BASH = r"""
source ~/.bashrc
function=$(complete -p linscope | sed 's/.*-F \([^ ]*\).*/\1/')
read -ra COMP_WORDS <<< "$1"
[[ "$1" == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1}
$function linscope "${COMP_WORDS[COMP_CWORD]}" ''
printf '%s\n' "${COMPREPLY[@]}"
"""
FISH = 'complete --do-complete "$argv[1]"'
# Tabulators are typed into a shell that has read .zshrc. Nothing may be typed after them, as zsh
# does not draw while keys wait: what it shows is read until all the other words are there.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -i
zpty -w shell "PROMPT=; stty columns 200 rows 200; print rea''dy"
zpty -r -m shell start '*ready*'
zpty -w -n shell "$1"$'\t'$'\t'
shift
for word; do
    [[ $shown == *$word* ]] || { zpty -r -m shell more "*$word*"; shown+=$more }
done
print -r -- "$shown"
"""
SCRIPTS = {
    "bash": ["bash", "-c", BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", ZSH, "zsh"],
    "fish": ["fish", "-c", FISH],
}


@pytest.fixture(params=SCRIPTS, scope="module")
def shell(request, tmp_path_factory, each_script_once):
    """A shell whose user has installed the completion."""
    if not shutil.which(request.param) or not PROGRAM.exists():
        pytest.skip(f"there is no {request.param} here, or no linscope")
    home = tmp_path_factory.mktemp("home")
    (home / "mine.csv").write_text("x,y\n1,2\n")
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    unset = {"ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    environment = {**kept, "HOME": str(home), "PATH": path, "TERM": "dumb"}

    def said(*words):
        run = subprocess.run(
            [*SCRIPTS[request.param], *words],
            env=environment,
            cwd=home,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return run.stdout

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in unset:
            patch.delenv(name, raising=False)
        for _ in range(2):  # another run changes nothing
            assert main(["--install-completion", "--shell", request.param]) == 0
    return said


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("linscope tra", ["trace"]),
        ("linscope fit log", ["logistic"]),
        ("linscope separate ", ["students", "xor", "mine.csv"]),
        ("linscope separate mi", ["mine.csv"]),
        ("linscope compare --mod", ["--models"]),
    ],
)
def test_candidates(shell, line, candidates):
    shown = shell(line, *candidates)
    assert [word for word in candidates if word not in shown] == []
