"""``linscope playground``: see any of the algorithms move, in the browser."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

from ..errors import EXIT_CODES, FINE, BadInput, input_errors
from ..options import Quiet
from ..screen import console, paragraph
from ..tables.options import AskedOfTable, DataFile, TableName
from ..tables.source import CLASSES, NUMBERS, load_source

USAGE = """\
Usage: linscope playground [TABLE] [OPTIONS]

Examples:

  linscope playground
  linscope playground xor --algorithm svm
  linscope playground my.csv --target grade
  linscope playground --export handout.html"""

app = App(name="playground", usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")
LOCAL = ("127.0.0.1", "localhost", "::1")
MISSING = "the playground's server needs Starlette and uvicorn: pip install 'linscope[web]'"


@app.default
def playground(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    algorithm: Annotated[str | None, Parameter(help="What is shown first.")] = None,
    exact: Annotated[bool, Parameter(negative=(), help="In fractions, where they exist.")] = False,
    export: Annotated[
        Path | None,
        Parameter(help="Write one HTML file that opens without Python, and end."),
    ] = None,
    host: Annotated[
        str, Parameter(help="Where to listen; beyond this machine a token is needed.")
    ] = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8765,
    browser: Annotated[bool, Parameter(help="Open the page in a browser.")] = True,
    quiet: Quiet = False,
) -> int:
    """Open the playground: draw points, choose an algorithm, and go through it step by step.

    Ctrl-C ends it. With --export nothing is served: the file has the run and all lectures in it.
    """
    spec = _spec(table, file, asked, algorithm, exact)
    if export is not None:
        return _export(export, spec)
    return _serve(spec, host, port, browser, quiet)


def _spec(table: Any, file: Any, asked: Any, algorithm: Any, exact: bool) -> dict[str, Any] | None:
    """What is shown first; None if nothing was asked for."""
    if table is None and file is None and algorithm is None:
        return None
    from linscope.web.hosts.widget import first_spec
    from linscope.web.spec import read_spec

    made = None
    if table is not None or file is not None:
        made = _points(table, file, asked, algorithm)
    with input_errors():
        return read_spec(first_spec(made, algorithm, None, exact)).document()


def _points(table: Any, file: Any, asked: Any, algorithm: str | None) -> dict[str, Any]:
    """A built-in set as the menu has it; of any other table two features, or one and a number."""
    from linscope.web.algorithms import ALGORITHMS
    from linscope.web.hosts.widget import as_data
    from linscope.web.samples import SETS, sample

    if table in SETS and file is None:
        return sample(table)
    regression = algorithm in ALGORITHMS and ALGORITHMS[algorithm].mode == "regression"
    source = load_source(table, file, asked, NUMBERS if regression else CLASSES)
    y = source.y if regression else source.labels()
    with input_errors():
        return as_data(source.X, y, features=source.features, regression=regression)


def _export(path: Path, spec: dict[str, Any] | None) -> int:
    from linscope.display.files import complete_file
    from linscope.web.hosts.handout import handout

    with input_errors():
        page = handout(spec).encode()
    with complete_file(path) as name:
        name.write_bytes(page)
    paragraph(console(), f"{path} has the playground in it; it opens without Python or a network.")
    return FINE


def _serve(spec: Any, host: str, port: int, browser: bool, quiet: bool) -> int:
    from linscope.web.hosts.work import Crew

    crew = Crew()
    crew.start()  # its process imports the models while this one imports the server
    try:
        import uvicorn

        from linscope.web.hosts.server import application
    except ModuleNotFoundError as error:
        crew.stop()
        raise BadInput(MISSING) from error
    _warm(quiet, crew.compiler())
    token = None if host in LOCAL else secrets.token_urlsafe(16)
    bound = _listen(host, port)
    address = _address(host, bound.getsockname()[1], token, spec)
    paragraph(console(), f"The playground is at {address}")
    if not quiet:
        paragraph(console(), "Ctrl-C ends it.", "dim")
    if browser:
        webbrowser.open(address)
    server = uvicorn.Server(
        uvicorn.Config(application(token, crew), log_level="warning", timeout_graceful_shutdown=1)
    )
    server.run(sockets=[bound])
    return FINE


def _listen(host: str, port: int) -> socket.socket:
    """The port, or any free one if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port, 0):
        # asyncio sends small parts of an answer at once only where the protocol is named: else a
        # browser may wait 40 ms for the second
        out = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            out.bind((host, number))
            out.listen()  # a browser that comes before the server waits
            return out
        except OSError as error:
            out.close()
            if number == 0 or port == 0:
                raise BadInput(f"cannot listen at {host}:{port}: {error.strerror}") from error
    raise BadInput(f"cannot listen at {host}:{port}")


def _address(host: str, port: int, token: str | None, spec: Any) -> str:
    from linscope.web.hosts.assets import in_address

    name = f"[{host}]" if ":" in host else host
    asked = f"?token={token}" if token else ""
    return f"http://{name}:{port}/{asked}{in_address(spec) if spec else ''}"


def _warm(quiet: bool, compiler: tuple[str, str]) -> None:
    """Nobody should wait for a compiler at the first step."""
    from ..compiling import marker
    from . import warm

    if not marker.is_warm(compiler):
        if not quiet:
            paragraph(console(), "Compiling the kernels, once; this takes about half a minute.")
        warm.warm()
