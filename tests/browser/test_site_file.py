"""The folder for ``file://``: it is read, searched and switched without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sitecheck
from sitebuild import Built

from kb.errors import BuildError
from kb.publish.sitefile import write_site_file

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(gold_site: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site-file")
    assert write_site_file(gold_site.site, made)
    return made


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(locale="ru-RU", viewport={"width": 390, "height": 800})
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield made
    context.close()
    assert faults == []


def test_links_name_files(folder: Path) -> None:
    pages = sitecheck.read(folder)
    assert len(pages) > 500
    assert list(sitecheck.dead(folder, pages))[:5] == []
    for name, one in pages.items():
        for tag, address in one.links:
            path = address.partition("?")[0].partition("#")[0]
            assert not path.endswith("/") and not path.startswith("/"), (name, tag, address)


def test_it_is_not_written_twice_and_needs_a_site(gold_site: Built, folder: Path, tmp_path: Path) -> None:
    assert write_site_file(gold_site.site, folder) == []
    with pytest.raises(BuildError, match="no site there"):
        write_site_file(tmp_path, tmp_path / "out")


def test_search_and_language_from_a_file(folder: Path, page: Any) -> None:
    page.goto((folder / "index.html").as_uri())
    page.fill("#q", "65с")
    page.wait_for_selector("#hits li a:has-text('65C')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/laws/1987/65/index.html#65.C")
    assert page.get_by_text("Укомплектованная взятка").is_visible()
    page.click("button[data-lang=en]")
    page.click("nav.turn .next")
    page.wait_for_url("**/laws/1987/66/index.html")
    assert page.evaluate("document.documentElement.lang") == "en"
    page.goto((folder / "index.html").as_uri())
    assert page.locator("[data-shelf=recent] .chip").count() == 2


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("cite/index.html#Law 65 B 1", "65.B.1"),
        ("l/65B1/index.html", "65.B.1"),
        ("c/1987/65.3/index.html", "c65.3"),
    ],
)
def test_citations_and_permalinks_from_a_file(folder: Path, page: Any, path: str, leads: str) -> None:
    page.goto(folder.as_uri() + "/" + path)
    page.wait_for_url(f"**/laws/1987/65/index.html#{leads}")


def test_a_guide_and_a_card_from_a_file(folder: Path, page: Any) -> None:
    page.goto((folder / "guides" / "index.html").as_uri())
    page.click("text=Штрафная карта (одна)")
    page.wait_for_url("**/guides/penalty-card/index.html")
    page.locator(".step:visible .answers a").nth(1).click()
    page.wait_for_url("**#s-how-many")
    page.locator(".step:visible .rests a").first.focus()
    page.wait_for_selector("#kb-card")
