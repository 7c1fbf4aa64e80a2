"""A browser and a server of files for the tests in this folder."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sitebuild import CHROMIUM, Built, need


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A missing page shows the site's own 404, as static hosts do."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="session")
def base_url(gold_site: Built) -> Iterator[str]:
    """The gold site at an address, ending in ``/``."""
    handler = functools.partial(_Quiet, directory=str(gold_site.site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium; without it the test is skipped, or fails under KB_REQUIRE_ALL=1."""
    need(CHROMIUM.exists(), "chromium (apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, base_url: str) -> Iterator[Any]:
    """``opened(path, width=…, lang=…, scheme=…, script=…)`` -> a page; a fault of a script fails the test."""
    contexts: list[Any] = []
    faults: list[str] = []

    def open_page(
        path: str = "", width: int = 390, lang: str = "ru-RU", scheme: str = "light", script: bool = True
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            locale=lang,
            color_scheme=scheme,
            java_script_enabled=script,
            base_url=base_url,
            permissions=["clipboard-read", "clipboard-write"] if script else [],
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: _stays(request.url, base_url, faults))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "404" not in fault] == []


def _stays(url: str, base_url: str, faults: list[str]) -> None:
    if not url.startswith((base_url, "data:", "blob:")):
        faults.append(f"a request to another host: {url}")
