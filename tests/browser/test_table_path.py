"""The whole way of a director at the table, at every width; each step is photographed for people to look at.

Type, choose, read, follow a citation, switch language, open the scan view, copy a citation, go offline,
search again, print. The screenshots are in build/report/path/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sitebuild import ROOT

pytestmark = pytest.mark.browser

SHOTS = ROOT / "build" / "report" / "path"
PHONE = 500
"""Narrower screens are touched, wider ones have a mouse and keys."""
READABLE_PX = 15


class Walk:
    """A page with steps: each is photographed, and must not scroll sideways."""

    def __init__(self, page: Any, width: int) -> None:
        self.page = page
        self.width = width
        self.touch = width < PHONE
        self.taken: list[str] = []

    def step(self, name: str) -> None:
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self.width, name
        self.taken.append(name)
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{self.width}-{len(self.taken):02}-{name}.png")

    def press(self, target: Any) -> None:
        """Tap or click what one finger can hit."""
        target.scroll_into_view_if_needed()
        target.tap() if self.touch else target.click()


@pytest.fixture
def walk(browser: Any, base_url: str) -> Iterator[Callable[[int, str], Walk]]:
    contexts: list[Any] = []
    faults: list[str] = []

    def start(width: int, scheme: str) -> Walk:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            locale="ru-RU",
            color_scheme=scheme,
            has_touch=width < PHONE,
            base_url=base_url,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        return Walk(page, width)

    yield start
    for context in contexts:
        context.close()
    assert faults == []


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (768, "light"), (1280, "dark")])
def test_the_whole_way(walk: Callable[[int, str], Walk], width: int, scheme: str) -> None:
    way = walk(width, scheme)
    page = way.page

    page.goto("")
    way.step("front-page")
    if way.touch:
        way.press(page.locator("#q"))
    else:
        page.keyboard.press("/")
    page.keyboard.type("определение фальшренонса")
    hit = page.locator("#hits li > a[href*='/laws/1987/61/']").first
    hit.wait_for()
    way.step("type")

    if way.touch:
        way.press(hit)
    else:
        page.keyboard.press("ArrowDown")
        while not hit.evaluate("link => link === document.activeElement"):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    page.wait_for_url("**/laws/1987/61/**")
    text = page.locator("[id='61.A'] .pair p:visible").first
    assert text.is_visible()
    assert float(text.evaluate("p => parseFloat(getComputedStyle(p).fontSize)")) >= READABLE_PX
    way.step("read")

    citation = page.locator("a.cite[data-ref='laws/1987/66.C']:visible").first
    way.press(citation)
    if way.touch:  # the first tap shows the card
        page.wait_for_selector("#kb-card")
        way.step("card")
        way.press(citation)
    page.wait_for_url("**/laws/1987/66/#66.C")
    way.step("follow")

    page.goto("laws/1987/65/#65.B.1")
    assert page.get_by_text("Отданные взятки").is_visible()
    way.press(page.locator("button[data-lang=en]"))
    assert (
        page.get_by_text("Tricks Lost").is_visible() and not page.get_by_text("Отданные взятки").is_visible()
    )
    way.step("language")

    way.press(page.locator("[id='65.B.1'] > .meta a:visible").first)
    page.wait_for_url("**/sources/**#L85")
    assert page.locator("#L85").is_visible()
    way.step("scan")
    page.go_back()
    page.wait_for_url("**/laws/1987/65/**")

    way.press(page.locator("details.citing summary"))
    short = page.locator("details.citing dd", has=page.locator("code[lang=en]")).first
    way.press(short.locator("button"))
    page.wait_for_selector("#said.on")
    assert page.evaluate("navigator.clipboard.readText()") == short.locator("code").inner_text()
    way.step("copy")

    page.goto("offline/")
    page.wait_for_selector("[data-state=kept]:visible", timeout=60000)
    page.context.set_offline(True)
    way.step("offline")

    page.goto("")
    page.fill("#q", "lead out of turn")
    page.wait_for_selector("#hits li")
    way.step("search-again")
    first = page.locator("#hits li > a").first
    target = first.get_attribute("href")
    way.press(first)
    page.wait_for_url(target)
    page.go_back()
    page.wait_for_selector("#hits li")
    assert page.input_value("#q") == "lead out of turn"
    way.press(page.locator(".quick a:visible").first)
    page.wait_for_url("**/guides/**")
    way.step("guide")

    page.goto("laws/1987/65/")
    page.emulate_media(media="print")
    assert not page.locator("header.top").is_visible()
    way.step("print")
    assert re.match(rb"%PDF", page.pdf(format="A5"))
    assert len(way.taken) >= 11
