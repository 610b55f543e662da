"""The playground's server: a page, its menus, and answers that Python works out.

It listens on this machine only, unless it is told otherwise; then every question needs a token. It
opens no files but the page's own, and answers nothing that comes from another site.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..limits import BODY, QUESTIONS, TABLE, BadSpec, check_request
from . import assets
from .work import Crew, Fault, TooLong

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors * file:",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
LOCAL = {"localhost", "127.0.0.1", "[::1]"}


def application(token: str | None = None, crew: Crew | None = None) -> Starlette:
    """The application; with a token it answers only who has it, else only this machine's names."""
    crew = crew or Crew()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        crew.start()
        try:
            yield
        finally:
            crew.stop()

    routes = [
        Route("/", partial(_text, assets.page, "text/html")),
        Route("/page.js", partial(_text, assets.page_script, "text/javascript")),
        Route("/playground.css", partial(_text, assets.style, "text/css")),
        Route("/catalog", partial(_document, crew, "catalog")),
        Route("/openapi.json", partial(_document, crew, "openapi")),
        *(Route(f"/{kind}", partial(_answer, crew, kind), methods=["POST"]) for kind in QUESTIONS),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.add_middleware(_Guard, token=token)
    return app


async def _text(read: Any, kind: str, request: Request) -> Response:
    return Response(read(), media_type=f"{kind}; charset=utf-8")


async def _document(crew: Crew, kind: str, request: Request) -> Response:
    try:
        return Response(await crew.ask(kind, None), media_type="application/json")
    except TooLong as error:
        return problem(503, str(error))


async def _answer(crew: Crew, kind: str, request: Request) -> Response:
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return problem(415, "send JSON, with Content-Type: application/json")
    most = TABLE if kind == "table" else BODY
    raw = await _body(request, most)
    if raw is None:
        return problem(413, f"more than {most // 1024:,} KiB are too many for the playground")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return problem(400, "this is not JSON")
    try:
        check_request(body)
        return Response(await crew.ask(kind, body), media_type="application/json")
    except BadSpec as error:
        return problem(422, str(error))
    except TooLong as error:
        return problem(503, str(error))
    except Fault as error:
        return problem(500, str(error))


async def _body(request: Request, most: int) -> bytes | None:
    """The bytes of a request; None if they are too many, whatever its header says."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


def problem(status: int, words: str) -> JSONResponse:
    return JSONResponse({"error": words}, status)


class _Guard:
    """Headers for every answer; who may ask at all."""

    def __init__(self, app: Any, token: str | None):
        self.app, self.token = app, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        refused = self._refused(Request(scope))
        await (refused or self.app)(scope, receive, guarded)

    def _refused(self, request: Request) -> Response | None:
        if self.token is None:
            # a page of another site may lead its own name to this machine
            host = request.headers.get("host", "").rsplit(":", 1)[0]
            if host not in LOCAL:
                return problem(403, "ask for this page as localhost or 127.0.0.1")
            return None
        if request.method == "GET" and request.url.path in ("/page.js", "/playground.css"):
            return None
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = given or request.query_params.get("token", "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return problem(401, "the address needs the token that linscope playground has printed")
        return None
