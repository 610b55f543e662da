"""``linscope --install-completion``, and what the shell offers for tables and models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from .errors import EXIT_CODES, FINE, BadInput
from .screen import console

USAGE = """\
Usage: linscope --install-completion [--shell SHELL]

Examples:

  linscope --install-completion                 for the shell that you use now
  linscope --install-completion --shell fish"""
NEXT = {
    "bash": "~/.bashrc reads it: open a new terminal, or type  source ~/.bashrc",
    "zsh": "~/.zshrc looks for it there: open a new terminal, or type  exec zsh",
    "fish": "fish finds it there by itself: open a new terminal",
}


def add_to(app: App) -> None:
    """The application with a command that installs its completion."""

    @app.command(
        name="--install-completion",
        usage=USAGE,
        help_epilogue=EXIT_CODES,
        help_format="plaintext",
    )
    def install(
        *,
        shell: Annotated[
            Literal["bash", "zsh", "fish"] | None,
            Parameter(help="Whose completion; the shell that you use by default."),
        ] = None,
    ) -> int:
        """Let the shell complete commands, options, tables and models.

        It writes a script into your home folder, and for bash and zsh a line into .bashrc or
        .zshrc that loads it; another run replaces the script.
        """
        chosen = shell or _this_shell()
        try:
            path = app.install_completion(shell=chosen)  # type: ignore[arg-type]
            if chosen == "zsh":
                _start_completion_of_zsh(Path.home() / ".zshrc")
        except OSError as error:
            raise BadInput(f"cannot write {error.filename}: {error.strerror}") from error
        out = console()
        out.print(f"Completion for {chosen} is in {path}", style="green", soft_wrap=True)
        out.print(NEXT.get(chosen, "open a new terminal to use it"), soft_wrap=True)
        return FINE


def _start_completion_of_zsh(settings: Path) -> None:
    """The folder of the script is in .zshrc; zsh looks there only when ``compinit`` runs later."""
    text = settings.read_text(encoding="utf-8") if settings.exists() else ""
    _, added, behind = text.rpartition("# linscope completions")
    if added and "compinit" not in behind:
        with settings.open("a", encoding="utf-8") as file:
            file.write("autoload -Uz compinit && compinit\n")


def _this_shell() -> str:
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    try:
        return detect_shell()
    except ShellDetectionError:
        raise BadInput("which shell? Give --shell bash, --shell zsh or --shell fish") from None


def tables(context: Any) -> list[str]:
    """Built-in tables, files that can be read as one, and folders on the way to them."""
    from linscope.data.datasets import names
    from linscope.data.files import READERS

    folder, slash, begin = context.incomplete.rpartition("/")
    found, readable = names(), tuple(suffix for suffixes in READERS for suffix in suffixes)
    try:
        entries = sorted(Path(folder + slash or ".").iterdir())
    except OSError:
        return found
    for entry in entries:
        name = f"{entry.name}/" if entry.is_dir() else entry.name
        if name.startswith(begin) and name.lower().endswith(("/", *readable)):
            found.append(f"{folder}{slash}{name}")
    return found


def candidates(context: Any) -> list[str]:
    """Keys of the models that ``linscope compare --models`` knows."""
    from linscope.selection.comparison.scoring.candidates import CLASSIFIERS, REGRESSIONS

    return list(dict.fromkeys(model.key for model in (*CLASSIFIERS, *REGRESSIONS)))


def metrics(context: Any) -> list[str]:
    """What ``linscope compare --metric`` knows."""
    from linscope.selection.comparison.scoring.judging import CLASS_METRICS, NUMBER_METRICS

    return [*CLASS_METRICS, *NUMBER_METRICS]
