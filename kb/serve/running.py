"""The server as a process: its socket, its log, until it is stopped."""

from __future__ import annotations

import logging
import socket
import sys
from pathlib import Path

from kb.errors import InputError
from kb.serve.app import KEPT, create_app
from kb.serve.journal import Journal

_log = logging.getLogger("kb.serve")


def run(build: Path, host: str, port: int, kept: int = KEPT) -> None:
    """Serve until interrupted. Raises BuildError without a build, InputError when the port cannot be had."""
    import uvicorn

    from kb.serve.whole import WholeProtocol

    app = create_app(build, kept)
    sock = _bind(host, port)
    app.builds.settle()
    _warn_on_stderr()
    app.journal = Journal(sys.stderr)
    shown = f"[{host}]" if ":" in host else host
    print(
        f"http://{shown}:{sock.getsockname()[1]}/ serves {build}; stop with Ctrl-C",
        file=sys.stderr,
        flush=True,
    )
    config = uvicorn.Config(
        app,
        http=WholeProtocol,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Nothing of who asked, nor how, is looked at.
        proxy_headers=False,
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
        # Listening before the address is told: who asks at once is not refused.
        sock.listen(2048)
    except (OSError, OverflowError) as error:
        if sock is not None:
            sock.close()
        raise InputError(
            f"--host {host} --port {port}: cannot listen there ({error}); choose another port"
        ) from None
    return sock


def _warn_on_stderr() -> None:
    """What went wrong stands in the log between the requests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _log.addHandler(handler)
    _log.setLevel(logging.WARNING)
    _log.propagate = False
