"""What a term means, at the term: on hover, on tap, by keyboard, from a file; and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sitebuild import Built

from kb.publish.sitefile import write_site_file

pytestmark = pytest.mark.browser

TRICK = "[id='65.A'] .t[data-t=trick]:visible"
STOPS = "a[href], button, input, summary, [tabindex='0']"


def test_on_hover_it_shows_and_can_be_read_at_leisure(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru", width=1280)
    page.locator(TRICK).hover()
    card = page.locator("#term-card")
    card.wait_for()
    assert "Четыре карты" in card.inner_text() and "Four cards" not in card.inner_text()
    card.hover()  # the pointer may go onto it
    page.wait_for_timeout(400)
    assert card.is_visible()
    page.keyboard.press("Escape")
    assert card.count() == 0
    page.locator(TRICK).hover()
    card.wait_for()
    page.mouse.move(5, 5)
    card.wait_for(state="detached")


def test_the_card_is_in_the_language_that_is_read(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=en", width=1280)
    page.locator(TRICK).hover()
    page.locator("#term-card").wait_for()
    assert "Four cards" in page.locator("#term-card").inner_text()
    assert "Четыре" not in page.locator("#term-card").inner_text()


@pytest.mark.parametrize("width", [320, 390])
def test_on_tap_it_shows_and_goes(browser: Any, base_url: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, has_touch=True, base_url=base_url)
    page = context.new_page()
    page.goto("laws/1987/65/?lang=ru")
    page.locator(TRICK).tap()
    card = page.locator("#term-card")
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.wait_for_timeout(400)
    assert card.is_visible(), "a finger has no hover to lose"
    page.locator("[id='65.C'] .t:visible").first.tap()
    page.wait_for_function("document.querySelectorAll('#term-card').length === 1")
    page.locator("[id='65.C'] .t:visible").first.tap()
    assert card.count() == 0, "a second tap closes it"
    page.locator(TRICK).tap()
    card.wait_for()
    page.locator("h1 .name").tap()
    assert card.count() == 0
    context.close()


def test_by_keyboard_the_terms_of_a_provision_are_one_button_away(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru", width=768)
    # no term is a stop of its own: as many stops as the page has without them
    assert page.locator(f":is({STOPS}).t, .t :is({STOPS})").count() == 0
    page.locator("[id='65.C-h'] a.m").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('[data-tool-place]').textContent === '65C'")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.tool") == "terms":
            break
    button = page.locator("[data-tool=terms]")
    assert button.evaluate("button => button === document.activeElement")
    page.keyboard.press("Enter")
    panel = page.locator("#terms-here")
    assert button.get_attribute("aria-expanded") == "true"
    names = panel.locator("dt .term[lang=ru]").all_inner_texts()
    marked = page.locator("[id='65.C'] .t:visible").evaluate_all(
        "all => new Set(all.map(t => t.dataset.t)).size"
    )
    assert len(names) == marked > 3 and "взятка" in names
    page.keyboard.press("Escape")
    assert panel.count() == 0 and button.get_attribute("aria-expanded") == "false"
    button.click()
    page.click("button[data-lang=en]")
    assert panel.count() == 0, "in another language other words are marked"


def test_copied_words_are_the_words_of_the_text(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru")
    text = page.evaluate(
        """() => {
            const block = document.querySelector("[id='65.A'] .pair p[lang=ru]");
            getSelection().selectAllChildren(block);
            return getSelection().toString();
        }"""
    )
    assert text.strip() == (
        "Когда во взятку сыграно 4 карты, каждый игрок кладёт свою карту на стол "
        "лицевой стороной вниз перед собой."
    )
    # Drawing the pointer over words selects them, and shows nothing over them.
    page.evaluate("getSelection().removeAllRanges()")
    box = page.locator(TRICK).bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 5, steps=4)
    page.mouse.up()
    assert page.evaluate("String(getSelection())").strip() in ("взятк", "взятку", "зятк", "зятку")
    assert page.locator("#term-card").count() == 0


def test_without_a_script_they_are_a_list(opened: Any) -> None:
    page = opened("laws/1987/65/", script=False)
    mark = page.locator(".t").first
    assert "underline" not in mark.evaluate("mark => getComputedStyle(mark).textDecorationLine")
    page.locator("details.terms summary").click()
    assert page.locator("details.terms dt").first.is_visible()


def test_nothing_is_asked_for_to_show_it(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru", width=1280)
    page.wait_for_timeout(300)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator(TRICK).hover()
    page.locator("#term-card").wait_for()
    assert asked == []


def test_players_and_paper_see_no_marks(opened: Any) -> None:
    page = opened("laws/1987/65/?view=players&lang=ru")
    line = "mark => getComputedStyle(mark).textDecorationLine"
    assert page.locator(TRICK).evaluate(line) == "none"
    page = opened("laws/1987/65/?lang=ru")
    page.emulate_media(media="print")
    assert page.locator(TRICK).evaluate(line) == "none"
    assert not page.locator("details.terms").is_visible()


def test_axe_finds_nothing_in_a_card_or_the_panel(opened: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for scheme in ("light", "dark"):
        page = opened("laws/1987/65/?lang=both", width=1280, scheme=scheme)
        page.locator("[data-tool=terms]").click()
        page.locator(TRICK).first.hover()
        page.locator("#term-card").wait_for()
        found = axe.Axe().run(page)
        assert [(v["id"], v["nodes"][0]["target"]) for v in found.response["violations"]] == []


def test_it_works_from_a_file(gold_site: Built, browser: Any, tmp_path: Path) -> None:
    write_site_file(gold_site.site, tmp_path)
    context = browser.new_context(locale="ru-RU")
    page = context.new_page()
    page.goto((tmp_path / "laws" / "1987" / "65" / "index.html").as_uri())
    page.locator(TRICK).hover()
    page.locator("#term-card").wait_for()
    context.close()
