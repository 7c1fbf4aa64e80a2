"""The site without a network, and its updates. Each test has a copy of the site and an address of its own."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sitebuild import Built

pytestmark = pytest.mark.browser


class _Counting(http.server.SimpleHTTPRequestHandler):
    asked: list[str]

    def log_message(self, format: str, *args: Any) -> None:
        self.asked.append(self.path)


@pytest.fixture
def copy(gold_site: Built, tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Address, folder, and the paths that were asked for."""
    shutil.copytree(gold_site.site, tmp_path / "site")
    asked: list[str] = []
    kind = type("Handler", (_Counting,), {"asked": asked})
    handler = functools.partial(kind, directory=str(tmp_path / "site"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", tmp_path / "site", asked
    server.shutdown()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    made = browser.new_context(locale="ru-RU", viewport={"width": 390, "height": 800})
    yield made
    made.close()


def test_after_one_visit_everything_works_without_a_network(
    copy: tuple[str, Path, list[str]], context: Any
) -> None:
    url, _, _ = copy
    page = context.new_page()
    page.goto(f"{url}offline/?lang=ru")
    page.wait_for_selector("[data-state=kept]:visible", timeout=20000)
    context.set_offline(True)
    page.goto(url)
    page.fill("#q", "фальшренонс")
    page.wait_for_selector("#hits li")
    page.goto(f"{url}laws/1987/65/?lang=ru#65.C")
    assert page.locator("[id='65.C']").is_visible()
    page.goto(f"{url}guides/penalty-card/#s-owner")
    assert page.locator(".step:visible").get_attribute("id") == "s-owner"
    page.goto(f"{url}l/1987/65B1/")
    page.wait_for_url("**/laws/1987/65/#65.B.1")
    page.goto(f"{url}c/65.3/")
    page.wait_for_url("**/laws/1987/65/#c65.3")
    page.goto(f"{url}nothing/here/")
    assert page.locator("h1").inner_text() == "Такой страницы нет"


def test_an_update_is_offered_and_asks_only_for_what_changed(
    copy: tuple[str, Path, list[str]], context: Any
) -> None:
    url, folder, asked = copy
    page = context.new_page()
    page.goto(f"{url}offline/?lang=ru")
    page.wait_for_selector("[data-state=kept]:visible", timeout=20000)
    rights = folder / "about" / "rights" / "index.html"
    rights.write_text(rights.read_text("utf-8").replace("<h1", "<p>SENTINEL</p><h1"), "utf-8")
    worker = (folder / "sw.js").read_text("utf-8")
    old = worker.split('"about/rights/":"')[1][:10]
    changed = worker.replace(old, "0123456789").replace('"version":"', '"version":"x')
    (folder / "sw.js").write_text(changed, "utf-8")
    asked.clear()
    page.reload()
    page.wait_for_selector(".update:visible", timeout=20000)
    assert {path for path in asked if path.startswith(("/laws/", "/about/"))} == {"/about/rights/"}
    page.goto(f"{url}about/rights/")
    assert page.get_by_text("SENTINEL").count() == 0  # not before the reader says so
    page.wait_for_selector(".update:visible", timeout=20000)
    with page.expect_navigation():
        page.click(".update button")
    assert page.get_by_text("SENTINEL").count() == 1
