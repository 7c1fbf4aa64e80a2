"""The ASGI application: routes, and the envelope every answer goes out in."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb import answers, contract
from kb.errors import InputError, KbError, NotFound
from kb.library import Library
from kb.publish import exports
from kb.serve.builds import Builds, Opened
from kb.serve.given import pairs
from kb.serve.held import Headers, Held, Ready
from kb.serve.journal import Journal
from kb.serve.metrics import PATH as METRICS
from kb.serve.metrics import Metrics, metrics
from kb.serve.problems import candidates_page, problem

MAX_BODY = 1_048_576
"""Bytes of a request body; `openapi.json` says the same."""
KEPT = 10_000
"""Answers kept by default."""
_JSON = "application/json"
THREADS = 2
"""Questions answered side by side. They are all computing: more threads would only take turns."""
QUICK = 200
"""Characters of a query that is answered at once, where the index is quick: to hand it over takes as long."""
_API_PREFIXES = ("/api/", "/cite/", "/healthz", "/objects.inv", "/linker")
_OPENED = "kb.opened"
_log = logging.getLogger("kb.serve")
Answer = TypeVar("Answer")
Handler = Callable[[Request], Awaitable[Response]]


def create_app(build: Path, kept: int = KEPT) -> Envelope:
    """The ASGI application over a build folder; ``kept``: how many answers are kept ready.

    Raises BuildError when there is no usable build.
    """
    counted = metrics()
    routes = [
        Route("/api/v1/openapi.json", _document),
        *(Route(path, handler) for path, handler in _ASKED.items()),
        *(Route(f"{head}{{{name}:path}}", handler) for head, (name, handler) in _ASKED_BELOW.items()),
        Route("/api/v1/find-refs", _find_refs, methods=["POST"]),
        # Without it the static site would be asked, and have nothing there.
        Route("/api/v1/find-refs", _post_only, methods=["GET", "PUT", "PATCH", "DELETE"]),
        Route("/healthz", _health),
        *([Route(METRICS, _metrics)] if counted else []),
        Route("/{path:path}", _elsewhere),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _http_problem,
            NotFound: _kb_problem,
            InputError: _kb_problem,
            KbError: _kb_problem,
            ClientDisconnect: _gone,
        },
    )
    app.state.pool = ThreadPoolExecutor(THREADS, "kb-answer")
    app.state.metrics, app.state.builds = counted, Builds(build, kept)
    return Envelope(app, app.state.builds, counted)


class Envelope:
    """What every answer has: the build's id, leave for other origins, a line of log, no traceback.

    What is held ready (the site, answers given before) goes out from here, without routing.
    """

    def __init__(self, app: ASGIApp, builds: Builds, counted: Metrics | None) -> None:
        self.app = app
        self.builds = builds
        self.metrics = counted
        self.journal: Journal | None = None
        """Where each request is told; nowhere when None."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0
        opened = self.builds.current()
        scope[_OPENED] = opened
        path, method = scope["path"], scope["method"]
        shared = path.startswith(_API_PREFIXES)
        extra = (*(_SHARED if shared else _ALWAYS), *opened.headers)

        async def wrapped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        try:
            held = _held(opened, path, scope["query_string"]) if method in ("GET", "HEAD") else None
            if held is not None:
                status = await held.send(scope, send, extra)
            elif method == "OPTIONS" and shared:
                await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, wrapped)
            elif method in ("GET", "HEAD") and (handler := _asked(scope)) is not None:
                scope["app"] = self.app
                await _at_once(handler, scope, receive, wrapped)
            else:
                await self.app(scope, receive, wrapped)
        except Exception:
            _log.exception("unexpected error on %s", json.dumps(path))
            if status:
                raise
            await problem(500, "Internal error", "the server failed on this request; its log says more")(
                scope, receive, wrapped
            )
        finally:
            took = time.perf_counter() - started
            if self.metrics is not None:
                self.metrics.count(path, method, status, took)
            if self.journal is not None:
                self.journal.tell(method, path, status, took)


_ALWAYS: Headers = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
_SHARED: Headers = (
    *_ALWAYS,
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"ETag, Kb-Build"),
)
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def _held(opened: Opened, path: str, query: bytes) -> Held | None:
    return opened.site.pages.get(path) or opened.kept.get((path, query))


def _asked(scope: Scope) -> Handler | None:
    """What answers a question: it is asked without routing, which takes longer than most answers."""
    path: str = scope["path"]
    found = _ASKED.get(path)
    for head, (name, handler) in _ASKED_BELOW.items() if found is None else ():
        if path.startswith(head) and "\n" not in path:
            scope["path_params"] = {name: path[len(head) :]}
            return handler
    return found


async def _at_once(handler: Handler, scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive, send)
    try:
        answer = await handler(request)
    except KbError as error:
        answer = await _kb_problem(request, error)
    await answer(scope, receive, send)


def _parameters(request: Request) -> dict[str, Any]:
    """The query's parameters; of one that is given several times the last."""
    return contract.parameters(request.scope["path"], pairs(request.scope["query_string"]))


async def _search(request: Request) -> Response:
    given = _parameters(request)
    quick = _opened(request).base.index.quick and len(given["q"]) <= QUICK
    return await _answered(
        request,
        lambda base: answers.search_written(
            base, given["q"], lang=given["lang"], work=given["work"], limit=given["limit"]
        ),
        apart=not quick,
    )


async def _node(request: Request) -> Response:
    ref = request.path_params["ref"]
    contract.within("ref", ref, contract.schema_of("/api/v1/node/{ref}", "ref"))
    return await _answered(request, lambda base: answers.provision(base, base[ref]))


async def _resolve(request: Request) -> Response:
    given = _parameters(request)
    return await _answered(
        request,
        lambda base: answers.resolve(base, given["q"], edition=given["edition"], context=given["context"]),
    )


async def _find_refs(request: Request) -> Response:
    body = contract.find_refs_body(await _body(request))
    answer = await _apart(
        request,
        partial(
            answers.find_refs,
            _opened(request).base,
            body["text"],
            lang=body.get("lang"),
            context=body.get("context"),
            edition=body.get("edition"),
            utf16=body.get("offsets") == "utf16",
        ),
    )
    return Ready(Held(_bytes(answer), _JSON))


async def _cite(request: Request) -> Response:
    citation = request.path_params["citation"].rstrip("/")
    contract.within("citation", citation, contract.schema_of("/cite/{citation}", "citation"))
    opened = _opened(request)
    address, candidates = answers.destination(opened.base, citation)
    if address is not None:
        where = quote(address, safe="/#%?=&.~-:").encode()
        held = Held(b"", "text/plain", status=302, more=((b"location", where),))
        opened.kept.put((request.scope["path"], request.scope["query_string"]), held)
        return Ready(held)
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(candidates_page(opened, citation, candidates), status_code=404)
    detail = f"{citation!r} is no provision of this corpus"
    return problem(404, "Not found", detail, candidates=candidates)


async def _health(request: Request) -> Response:
    body = _bytes({"status": "ok", "build": _opened(request).base.build_id})
    return Response(body, media_type=_JSON)


async def _metrics(request: Request) -> Response:
    counted: Metrics = request.app.state.metrics
    builds: Builds = request.app.state.builds
    opened = _opened(request)
    body = counted.text(opened.base.build_id, builds.opened, len(opened.kept))
    return Response(body, headers={"content-type": counted.kind, "cache-control": "no-store"})


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


async def _elsewhere(request: Request) -> Response:
    """What is not held ready: a large file, a folder without its slash, or nothing."""
    site, path = _opened(request).site, request.scope["path"]
    if path not in site.pages and path not in site.large and path not in site.moved:
        raise HTTPException(404 if request.method in ("GET", "HEAD") else 405)
    if request.method not in ("GET", "HEAD"):
        raise HTTPException(405, headers={"Allow": "GET, HEAD"})
    if path in site.moved:
        return Response(status_code=307, headers={"location": quote(site.moved[path])})
    return FileResponse(site.large[path], headers={"cache-control": "no-cache"})


async def _answered(request: Request, answer: Callable[[Library], Any], apart: bool = False) -> Response:
    """An answer of the build in use, kept for the next who asks. ``apart``: it may take long.

    ``answer`` gives what is to be written as JSON, or bytes when it is written already.
    """
    opened = _opened(request)
    path, query = request.scope["path"], request.scope["query_string"]
    found = await _apart(request, partial(answer, opened.base)) if apart else answer(opened.base)
    body = found if isinstance(found, bytes) else _bytes(found)
    held = Held(body, _JSON, tag=opened.tag(path, query))
    opened.kept.put((path, query), held)
    return Ready(held)


async def _apart(request: Request, work: Callable[[], Answer]) -> Answer:
    """Do it in another thread, so that quick requests are not kept waiting."""
    return await asyncio.get_running_loop().run_in_executor(request.app.state.pool, work)


_ASKED: dict[str, Handler] = {"/api/v1/search": _search, "/api/v1/resolve": _resolve}
_ASKED_BELOW: dict[str, tuple[str, Handler]] = {
    "/api/v1/node/": ("ref", _node),
    "/cite/": ("citation", _cite),
}


def _opened(request: Request) -> Opened:
    opened: Opened = request.scope[_OPENED]
    return opened


def _bytes(content: object) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


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


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {400: "Bad request", 404: "Not found", 405: "Method not allowed", 413: "Too large"}
    detail = error.detail
    if error.status_code == 404:
        page = _opened(request).site.lost
        # The page for lost readers is for those who read pages; programs get a problem.
        if page is not None and "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(page.body, status_code=404)
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
