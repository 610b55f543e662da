"""Run commands from standard input in one process: ``code | words | linscope …`` on each line."""

import contextlib
import io
import shlex
import sys

from linscope.cli import main


def check(line: str) -> str:
    """What is wrong with how the command of a line ended, or nothing."""
    code, words, command = (part.strip() for part in line.split("|", 2))
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        ended = main(shlex.split(command)[1:])
    text = said.buffer.getvalue().decode()
    wrong = "" if ended == int(code) else f"exit code {ended}, not {code}\n"
    wrong += "" if words in text else f"{words!r} is not said\n"
    if ended == 2 and text.count("\n") != 1:
        wrong += "bad input is not one line\n"
    wrong += "a traceback\n" if "Traceback" in text or "internal error" in text else ""
    return f"$ {command}\n{wrong}{text}" if wrong else ""


if __name__ == "__main__":
    found = [wrong for line in sys.stdin if line.strip() and (wrong := check(line))]
    print("\n".join(found), end="", file=sys.stderr)
    sys.exit(bool(found))
