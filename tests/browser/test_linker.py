"""linker.js in a real page: from file://, under a strict policy, with cards on hover, focus and tap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from citecases import cases
from goldkb import CORPUS, gold_kb

from kb.cite.find import find
from kb.cite.grammar import compile_grammar
from kb.profile import load
from kb.publish import linker

pytestmark = pytest.mark.browser
POLICY = "default-src 'none'; script-src file:; style-src 'self'; require-trusted-types-for 'script'"
PAGE = """<!doctype html><html lang="ru"><head><meta charset="utf-8"><title>Law 65</title>
<meta http-equiv="Content-Security-Policy" content="{policy}"></head><body>
<h1>Правило 65</h1>
<p id="a">См. правило 65D и <b>пр.</b> 27Б1, <a href="#x">Law 66</a>, <code>Law 64</code>; п. 54.3 выше.</p>
<p id="b">2017 Law 16D; КоАП ст. 31.1; Правилам
     61А и 62А; <span data-kb="off">Law 68</span> Law 999</p>
<div id="c"><p>Laws 68-71</p><p>Law</p><p>65</p></div>
<script src="site/linker.js"></script></body></html>"""


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("host")
    profile = load(CORPUS)
    (folder / "site").mkdir()
    script = linker.script(gold_kb(), profile, compile_grammar(profile))
    (folder / "site" / "linker.js").write_text(script, "utf-8")
    (folder / "site" / "linker-data.js").write_text("".join(linker.card_data(gold_kb(), profile)), "utf-8")
    (folder / "page.html").write_text(PAGE.replace("{policy}", POLICY), "utf-8")
    context = browser.new_context(has_touch=True, viewport={"width": 400, "height": 700})
    context.set_default_timeout(8000)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    opened.goto((folder / "page.html").as_uri())
    opened.troubles = troubles
    yield opened
    context.close()


def links(page: Any, top: str) -> list[tuple[str, str]]:
    found = page.locator(f"{top} a.kb-cite").evaluate_all("all => all.map(a => [a.textContent, a.href])")
    return [(" ".join(text.split()), href.partition("/site/")[2]) for text, href in found]


def test_citations_are_linked_and_nothing_else(page: Any) -> None:
    assert links(page, "#a") == [
        ("правило 65D", "laws/1987/65/index.html#65.D"),
        ("27Б1", "laws/1987/27/index.html#27.B"),
        ("п. 54.3 выше", "laws/1987/54/index.html#c54.3"),
    ]
    assert [text for text, _ in links(page, "#b")] == ["Правилам 61А", "62А"]
    assert links(page, "#c") == [("Laws 68-71", "laws/1987/68/index.html")]
    assert links(page, "h1") == []
    assert page.locator("#a code, #a a[href='#x']").all_inner_texts() == ["Law 66", "Law 64"]
    assert page.troubles == []


def test_a_card_on_hover_on_focus_and_gone_on_escape(page: Any) -> None:
    page.locator("#a a.kb-cite").first.hover()
    card = page.locator("#kb-card")
    card.wait_for()
    said = card.inner_text()
    assert "Согласование результатов игры" in said and "1987" in said and "текст есть" in said
    page.keyboard.press("Escape")
    assert card.count() == 0
    page.locator("#b a.kb-cite").first.focus()
    card.wait_for()
    assert "61A" in card.inner_text()
    assert page.locator("#b a.kb-cite").first.get_attribute("aria-describedby") == "kb-card"
    page.keyboard.press("Escape")
    assert page.troubles == []


def test_the_first_tap_shows_the_card_and_stays_on_the_page(page: Any) -> None:
    before = page.url
    page.locator("#c a.kb-cite").first.tap()
    page.locator("#kb-card").wait_for()
    assert page.url == before
    box = page.locator("#kb-card").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 400
    page.keyboard.press("Escape")


def test_the_browser_finds_what_python_finds(page: Any) -> None:
    grammar = compile_grammar(load(CORPUS))
    chosen = cases("wild", "synthetic", "negative")
    asked = [
        [
            c.text,
            {"work": c.context.work, "edition": c.context.edition, "path": list(c.context.path)}
            if c.context
            else None,
        ]
        for c in chosen
    ]
    found = page.evaluate(
        "all => all.map(([text, at]) => kbLinker.find(text, at).map(c => [c.work, c.edition, c.path]))",
        asked,
    )
    expected = [
        [[c.work, c.edition, list(c.path)] for c in find(x.text, "", grammar, x.context)] for x in chosen
    ]
    assert found == expected
