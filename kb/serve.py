"""HTTP: the static site, search, look-up and the resolver, read only.

A build that is replaced while the server runs is taken up whole: a request sees the old one or the new one.
"""

from __future__ import annotations

import hashlib
import html
import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb import answers, contract
from kb.errors import BuildError, InputError, KbError, NotFound
from kb.library import MARKER, Library, open_library
from kb.publish import exports

MAX_BODY = 1_048_576
"""Bytes of a request body; `openapi.json` says the same."""
SITE_FOLDER = "site"
LOGGED = 200
"""Code points of a path that go into the log."""
_API_PREFIXES = ("/api/", "/cite/", "/healthz", "/objects.inv", "/linker")
_log = logging.getLogger("kb.serve")


class Builds:
    """The build in use. A new one is opened whole before it takes over; a half-made one never does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._base: Library | None = None

    def current(self) -> Library:
        """The newest usable build. Raises BuildError when there has been none."""
        stamp = self._stamp_now()
        if self._base is None or (stamp is not None and stamp != self._stamp):
            with self._lock:
                if self._base is None or stamp != self._stamp:
                    self._open(stamp)
        if self._base is None:
            raise BuildError(f"{self.folder}: no usable build (run `kb build`)")
        return self._base

    def _open(self, stamp: tuple[int, int] | None) -> None:
        try:
            base = open_library(self.folder)
            base.warm()
        except KbError as error:
            if self._base is None:
                raise
            _log.warning("keeping the last good build: %s", error)
        else:
            self._base = base
        self._stamp = stamp

    def _stamp_now(self) -> tuple[int, int] | None:
        try:
            found = (self.folder / MARKER).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def create_app(build: Path) -> Starlette:
    """The ASGI application over a build folder. Raises BuildError when there is no usable build."""
    builds = Builds(build)
    builds.current()
    routes = [
        Route("/api/v1/openapi.json", _document),
        Route("/api/v1/search", _search),
        Route("/api/v1/node/{ref:path}", _node),
        Route("/api/v1/resolve", _resolve),
        Route("/api/v1/find-refs", _find_refs, methods=["POST"]),
        # Without it the static site would be asked, and have nothing there.
        Route("/api/v1/find-refs", _post_only, methods=["GET", "PUT", "PATCH", "DELETE"]),
        Route("/cite/{citation:path}", _cite),
        Route("/healthz", _health),
        Mount("/", Site(directory=build / SITE_FOLDER, html=True, check_dir=False)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Envelope, builds=builds), Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={
            HTTPException: _http_problem,
            NotFound: _kb_problem,
            InputError: _kb_problem,
            KbError: _kb_problem,
            ClientDisconnect: _gone,
        },
    )
    app.state.builds = builds
    return app


def run(build: Path, host: str, port: int) -> None:
    """Serve until interrupted. Raises BuildError without a build, InputError when the port cannot be had."""
    import uvicorn

    app = create_app(build)
    sock = _bind(host, port)
    _log_to_stderr()
    shown = f"[{host}]" if ":" in host else host
    print(
        f"http://{shown}:{sock.getsockname()[1]}/ serves {build}; stop with Ctrl-C",
        file=sys.stderr,
        flush=True,
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[sock])


def _bind(host: str, port: int) -> socket.socket:
    sock = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # The protocol by name: only then does asyncio send small answers at once (TCP_NODELAY).
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except (OSError, OverflowError) as error:
        if sock is not None:
            sock.close()
        raise InputError(
            f"--host {host} --port {port}: cannot listen there ({error}); choose another port"
        ) from None
    return sock


class Site(StaticFiles):
    """The static site. Its page for lost readers is for those who read pages; programs get a problem."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code == 404 and b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
            raise HTTPException(404)
        return response


class Envelope:
    """What every answer has: the build's id, leave for other origins, a line of log, no traceback."""

    def __init__(self, app: ASGIApp, builds: Builds) -> None:
        self.app = app
        self.builds = builds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0
        shared = scope["path"].startswith(_API_PREFIXES)

        async def wrapped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._headers(shared)]
            await send(message)

        try:
            if scope["method"] == "OPTIONS" and shared:
                await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, wrapped)
            else:
                await self.app(scope, receive, wrapped)
        except Exception:
            _log.exception("unexpected error on %s", json.dumps(scope["path"]))
            if status:
                raise
            await problem(500, "Internal error", "the server failed on this request; its log says more")(
                scope, receive, wrapped
            )
        finally:
            took = round((time.perf_counter() - started) * 1000, 1)
            line = {"method": scope["method"], "path": scope["path"][:LOGGED], "status": status, "ms": took}
            _log.info(json.dumps(line, ensure_ascii=True))

    def _headers(self, shared: bool) -> list[tuple[bytes, bytes]]:
        headers = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
        if shared:
            headers.append((b"access-control-allow-origin", b"*"))
            headers.append((b"access-control-expose-headers", b"ETag, Kb-Build"))
        build = self.builds._base.build_id if self.builds._base else ""
        return [*headers, (b"kb-build", build.encode("ascii", "replace"))]


_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


async def _search(request: Request) -> Response:
    given = contract.parameters("/api/v1/search", request.query_params)
    return await _answered(
        request,
        lambda base: answers.search(
            base, given["q"], lang=given["lang"], work=given["work"], limit=given["limit"]
        ),
    )


async def _node(request: Request) -> Response:
    ref = request.path_params["ref"]
    contract.within("ref", ref, contract.schema_of("/api/v1/node/{ref}", "ref"))
    return await _answered(request, lambda base: answers.provision(base, base[ref]))


async def _resolve(request: Request) -> Response:
    given = contract.parameters("/api/v1/resolve", request.query_params)
    return await _answered(
        request,
        lambda base: answers.resolve(base, given["q"], edition=given["edition"], context=given["context"]),
    )


async def _find_refs(request: Request) -> Response:
    body = contract.find_refs_body(await _body(request))
    base = _base(request)
    answer = await run_in_threadpool(
        answers.find_refs,
        base,
        body["text"],
        lang=body.get("lang"),
        context=body.get("context"),
        edition=body.get("edition"),
        utf16=body.get("offsets") == "utf16",
    )
    return _json(answer)


async def _cite(request: Request) -> Response:
    citation = request.path_params["citation"].rstrip("/")
    if citation in ("", "index.html"):
        return await _static(request)
    contract.within("citation", citation, contract.schema_of("/cite/{citation}", "citation"))
    base = _base(request)
    address, candidates = await run_in_threadpool(answers.destination, base, citation)
    if address is not None:
        return RedirectResponse(address, status_code=302)
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(_candidates_page(citation, candidates), status_code=404)
    detail = f"{citation!r} is no provision of this corpus"
    return problem(404, "Not found", detail, candidates=candidates)


async def _health(request: Request) -> Response:
    return _json({"status": "ok", "build": _base(request).build_id})


async def _document(request: Request) -> Response:
    return await _answered(request, _described)


def _described(base: Library) -> dict[str, Any]:
    """The document with what this corpus knows: its languages, works and editions."""
    editions = exports.concordance(base.profile).editions
    return contract.described(
        languages=base.profile.languages,
        works=tuple(base.profile.works),
        editions=tuple(edition.name for edition in editions) or (base.profile.edition,),
    )


async def _post_only(request: Request) -> Response:
    raise HTTPException(405, headers={"Allow": "POST"})


async def _static(request: Request) -> Response:
    folder = request.app.state.builds.folder / SITE_FOLDER
    static = Site(directory=folder, html=True, check_dir=False)
    return await static.get_response(static.get_path(request.scope), request.scope)


async def _answered(request: Request, answer: Callable[[Library], Any]) -> Response:
    """An answer of the current build; 304 when the client has it already."""
    base = _base(request)
    seed = f"{base.stamp}\n{request.url.path}\n{request.url.query}"
    tag = f'W/"{hashlib.sha256(seed.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known:
        # Whoever has the tag had the answer: of this build, at this address.
        return Response(status_code=304, headers=headers)
    return _json(await run_in_threadpool(answer, base), headers)


def _base(request: Request) -> Library:
    builds: Builds = request.app.state.builds
    return builds.current()


def _json(content: object, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(content, ensure_ascii=False, sort_keys=True).encode("utf-8")
    return Response(body, media_type="application/json", headers=headers)


async def _body(request: Request) -> bytes:
    """The request's body, never more of it than is taken."""
    size = request.headers.get("content-length", "")
    if size.isdigit() and int(size[:12]) > MAX_BODY:
        raise contract.TooLarge(f"the body has {size[:12]} bytes, at most {MAX_BODY} are taken")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise contract.TooLarge(f"the body has more than {MAX_BODY} bytes")
    return bytes(body)


def problem(status: int, title: str, detail: str, **more: object) -> Response:
    """An RFC 9457 problem document."""
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status_code=status, media_type="application/problem+json")


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {400: "Bad request", 404: "Not found", 405: "Method not allowed", 413: "Too large"}
    detail = error.detail
    if error.status_code == 404:
        page = request.app.state.builds.folder / SITE_FOLDER / "404.html"
        if "text/html" in request.headers.get("accept", "") and page.is_file():
            return HTMLResponse(page.read_bytes(), status_code=404)
        detail = "nothing is at this address"
    answer = problem(error.status_code, titles.get(error.status_code, "Error"), detail)
    answer.headers.update(dict(error.headers or {}))
    return answer


async def _kb_problem(request: Request, error: Exception) -> Response:
    if isinstance(error, NotFound):
        return problem(404, "Not found", str(error))
    if isinstance(error, contract.TooLarge):
        return problem(413, "Too large", str(error))
    if isinstance(error, contract.Malformed):
        return problem(400, "Bad request", str(error))
    if isinstance(error, InputError):
        return problem(422, "Cannot be used", str(error))
    return problem(503, "No usable build", str(error))


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)


def _candidates_page(citation: str, candidates: list[dict[str, Any]]) -> str:
    items = "".join(
        f'<li><a href="{html.escape(quote(c["url"], safe="/#.~-"))}">{html.escape(c["human"])}</a> '
        f"{html.escape(' · '.join(c['title'].values()))}</li>"
        for c in candidates
        if c["url"]
    )
    named = html.escape(citation)
    return (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>404 {named}</title><h1>404</h1><p>{named}</p><ul>{items}</ul><p><a href='/'>…</a></p>"
    )


def _log_to_stderr() -> None:
    """One JSON object a line for each request; nothing of who asked."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    _log.propagate = False
