"""A reader's way through the site, in a real browser: type, choose, read, follow, switch language, print."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sitebuild import ROOT

pytestmark = pytest.mark.browser

KINDS = {
    "home": "",
    "search": "search/",
    "results": "?q=revoke",
    "contents": "laws/1987/",
    "law": "laws/1987/65/",
    "law-partial": "laws/1987/54/",
    "law-not-supplied": "laws/1987/49/",
    "part": "laws/1987/50/#50.D.2.b",
    "law-cited-comment": "laws/1987/50/",
    "heading": "laws/1987/ch.VI.pt.IV/",
    "definitions": "laws/1987/ch.I/",
    "commentary": "commentary/1987/",
    "glossary": "glossary/",
    "guides": "guides/",
    "guide": "guides/penalty-card/",
    "situations": "situations/",
    "subjects": "subjects/",
    "players": "laws/1987/65/?view=players",
    "citations": "citations/",
    "book": "laws/1987/all/",
    "offline": "offline/",
    "editions": "editions/",
    "sources": "sources/",
    "scan": "sources/004_bd1dbaeee207bdf3/",
    "about": "about/",
    "rights": "about/rights/",
    "quality": "about/quality/",
    "cite": "cite/",
    "not-found": "nothing/here/",
}
SHOTS = ROOT / "build" / "report" / "screens"


def _asks(path: str, lang: str) -> str:
    page, mark, place = path.partition("#")
    return f"{page}{'&' if '?' in page else '?'}lang={lang}{mark}{place}"


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_no_page_scrolls_sideways(opened: Any, width: int) -> None:
    page = opened("", width=width)
    for kind, path in KINDS.items():
        for lang in ("both", "en"):
            page.goto(_asks(path, lang))
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (kind, lang)


_LOOKS = [("ru", "light"), ("en", "dark")]
_OTHER_LOOKS = [("ru", "dark"), ("en", "light")]
"""For the long tests: what is wrong in one of these mostly is so in one of the others too."""


@pytest.mark.parametrize(
    ("kind", "lang", "scheme"),
    [(kind, *look) for kind in KINDS for look in _LOOKS]
    + [("law", "both", "light"), ("law", "en", "light"), ("law", "ru", "dark"), ("editions", "both", "dark")]
    + [pytest.param(kind, *look, marks=pytest.mark.full) for kind in KINDS for look in _OTHER_LOOKS],
)
def test_axe_finds_nothing(opened: Any, kind: str, lang: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(_asks(KINDS[kind], lang), scheme=scheme)
    if kind == "search":
        page.fill("#q", "revoke")
    if kind in ("search", "results"):
        page.wait_for_selector("#hits li")
    found = axe.Axe().run(page)
    assert [(v["id"], v["nodes"][0]["target"]) for v in found.response["violations"]] == []


def test_screens_are_kept(opened: Any) -> None:
    """For a person to look at: build/report/screens/."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    for width in (360, 768, 1280):
        for scheme in ("light", "dark"):
            page = opened("?lang=ru", width=width, scheme=scheme)
            for kind in (
                "home",
                "law",
                "part",
                "law-not-supplied",
                "contents",
                "scan",
                "guide",
                "situations",
            ):
                page.goto(_asks(KINDS[kind], "both" if width > 1000 else "ru"))
                page.screenshot(path=SHOTS / f"{kind}-{width}-{scheme}.png")
    assert len(list(SHOTS.glob("*.png"))) >= 40


def test_type_choose_read(opened: Any) -> None:
    page = opened("")
    page.keyboard.press("/")
    page.keyboard.type("65с")  # the last letter is Cyrillic
    page.keyboard.press("Enter")  # before the results are there: it leads to what was typed all the same
    page.wait_for_url("**/laws/1987/65/#65.C")
    assert page.locator("[id='65.C']").is_visible()


@pytest.mark.parametrize("words", ["ход вне очереди", "lead out of turn", "фальшренонс"])
def test_words_find_and_arrows_move(opened: Any, words: str) -> None:
    page = opened("")
    page.fill("#q", words)
    page.wait_for_selector("#hits li")
    page.focus("#q")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.locator("#hits li > a").nth(1)
    assert second.evaluate("link => link === document.activeElement")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "q"
    href = page.locator("#hits li > a").first.get_attribute("href")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(href)


def test_what_is_typed_is_never_html(opened: Any) -> None:
    page = opened("search/?q=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    page.wait_for_timeout(500)
    assert page.locator("main img").count() == 0
    assert page.input_value("#q") == "<img src=x onerror=alert(1)>"


def test_all_results_are_on_the_search_page(opened: Any) -> None:
    page = opened("")
    page.fill("#q", "карта")
    page.wait_for_selector("#found a")
    page.click("#found a")
    page.wait_for_selector("#hits li:nth-child(9)")
    assert page.input_value("#q") == "карта"


def test_language_follows_the_browser_then_the_choice(opened: Any) -> None:
    russian, english = "Укомплектованная взятка", "Completed Trick"
    page = opened("laws/1987/65/", lang="en-GB")
    assert page.get_by_text(english).is_visible() and not page.get_by_text(russian).is_visible()
    assert page.evaluate("document.documentElement.lang") == "en"
    page.click("button[data-lang=ru]")
    assert page.get_by_text(russian).is_visible() and not page.get_by_text(english).is_visible()
    page.goto("laws/1987/66/")
    assert page.evaluate("document.documentElement.lang") == "ru"
    page.goto("laws/1987/65/?lang=both")
    assert page.get_by_text(russian).is_visible() and page.get_by_text(english).is_visible()
    page.click("button[data-lang=en]")
    assert page.url.endswith("?lang=en")
    assert page.locator("button[data-lang=en]").get_attribute("aria-pressed") == "true"


def test_without_a_script_both_languages_and_all_laws_are_there(opened: Any) -> None:
    page = opened("laws/1987/65/", script=False)
    assert page.get_by_text("Укомплектованная взятка").is_visible()
    assert page.get_by_text("Completed Trick").is_visible()
    page.goto("search/")
    assert page.get_by_text("Расположение взяток").first.is_visible()
    assert page.locator(".plain a").count() > 93


def test_sides_stand_side_by_side_where_there_is_room(opened: Any) -> None:
    def boxes(width: int) -> list[dict[str, float]]:
        page = opened("laws/1987/65/?lang=both", width=width)
        pair = page.locator("[id='65.A'] > .pair > p")
        return [pair.nth(0).bounding_box(), pair.nth(1).bounding_box()]

    wide, narrow = boxes(1280), boxes(390)
    assert wide[0]["y"] == wide[1]["y"] and wide[0]["x"] < wide[1]["x"]
    assert narrow[0]["y"] < narrow[1]["y"] and narrow[0]["x"] == narrow[1]["x"]


def test_follow_a_citation_and_its_scan(opened: Any) -> None:
    page = opened("laws/1987/61/")
    page.click("a.cite[data-ref='laws/1987/66.C']:visible")
    page.wait_for_url("**/laws/1987/66/#66.C")
    page.goto("laws/1987/65/")
    page.click("[id='65.B.1'] > .meta a")
    page.wait_for_url("**/sources/004_bd1dbaeee207bdf3/#L85")
    assert page.locator("#L85").is_visible()


@pytest.mark.parametrize("width", [320, 1280])
def test_what_limits_a_part_stays_in_view_or_is_repeated(opened: Any, width: int) -> None:
    """How the places above begin: near ones above the part that the address names, far ones on it."""
    page = opened("laws/1987/65/?lang=ru#65.B.1", width=width)
    assert page.locator("[id='65.B.1'] > .lead").count() == 0
    law = page.locator("h1:has-text('65'), .lead:has-text('65')")
    assert any(0 <= one.bounding_box()["y"] < 800 for one in law.all())
    for place in ("[id='65.B-h']", "[id='65.B.1-h']"):
        box = page.locator(place).bounding_box()
        assert 0 <= box["y"] < 800, place
    page.goto("laws/1987/50/?lang=ru#50.D.2.b")
    said = page.locator("[id='50.D.2.b'] > .lead")
    assert "распоряжение старшей штрафной картой" in said.inner_text()
    assert "Разыгрывающий может:" in said.inner_text()
    assert said.bounding_box()["y"] < 100 and page.locator("[id='50.D.2.b-h']").bounding_box()["y"] < 800
    page.evaluate("location.hash = '#50.A'")
    page.wait_for_selector("[id='50.D.2.b'] > .lead", state="detached")


def test_a_note_on_editions_is_said_once(opened: Any) -> None:
    page = opened("laws/1987/43/?lang=ru")
    text = page.locator("main").inner_text()
    assert text.count("по памяти") == 1 and text.count("сдвинулись") == 1
    assert text.count("2007, 2017: 43B") == 3


def test_names_only_heard_are_in_the_readers_language(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=en")
    assert page.locator(".langs").get_attribute("aria-label") == "Language"
    page.click("button[data-lang=ru]")
    assert page.locator(".langs").get_attribute("aria-label") == "Язык"
    assert (
        opened("laws/1987/65/", script=False).locator(".langs").get_attribute("aria-label")
        == "Язык / Language"
    )


def test_a_marker_copies_its_permanent_address(opened: Any, base_url: str) -> None:
    page = opened("laws/1987/65/")
    page.click("[id='65.B.1-h'] a.m")
    page.wait_for_selector("#said.on")
    assert page.evaluate("navigator.clipboard.readText()") == f"{base_url}l/1987/65B1/"
    assert page.url.endswith("#65.B.1")


LEADS = {
    "l/1987/65B1/": "laws/1987/65/#65.B.1",
    "l/65B1/": "laws/1987/65/#65.B.1",
    "c/1987/65.3/": "laws/1987/65/#c65.3",
    "c/65.3/": "laws/1987/65/#c65.3",
}
RESOLVES = {
    "cite/#Law 65 B 1": "laws/1987/65/#65.B.1",
    "cite/#65с": "laws/1987/65/#65.C",
    "cite/#комментарий 65.3": "laws/1987/65/#c65.3",
    "cite/?q=laws/1987/65.B": "laws/1987/65/#65.B",
    "cite/#з 65 ц": "laws/1987/65/#65.C",
    "cite/#раздел B правила 65": "laws/1987/65/#65.B",
    "cite/#/l/1987/65B1/?h=0123": "laws/1987/65/#65.B.1",
    "cite/#66 c": "laws/1987/66/#66.C",
}


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("path", LEADS)
def test_permalinks_lead_on(opened: Any, path: str, script: bool) -> None:
    opened(path, script=script).wait_for_url(f"**/{LEADS[path]}")


@pytest.mark.parametrize("path", RESOLVES)
def test_the_resolver_leads_on(opened: Any, path: str) -> None:
    """It reads what follows #, which only a script can."""
    opened(path).wait_for_url(f"**/{RESOLVES[path]}")


def test_the_resolver_offers_what_it_cannot_decide(opened: Any) -> None:
    page = opened("cite/#Правилам 61А и 62А")
    page.wait_for_selector("#cite-hits li:nth-child(2)")
    assert [text[:3] for text in page.locator("#cite-hits li").all_inner_texts()] == ["61A", "62A"]
    page.goto("cite/#66Z")
    page.wait_for_selector("#cite-hits li")
    assert "Ближайшее" in page.locator("#cite-said").inner_text()
    page.goto("cite/#ghfdbkj 65c")
    page.wait_for_selector("#cite-hits li")
    assert "правило 65с" in page.locator("#cite-said").inner_text()
    assert page.locator("#cite-hits a").get_attribute("href").endswith("laws/1987/65/#65.C")
    page.goto("cite/#2017 Law 16D")
    page.wait_for_selector("#cite-hits li")
    assert "редакция" in page.locator("#cite-said").inner_text()
    page.goto("cite/#КоАП ст. 5")
    page.wait_for_function("document.getElementById('cite-said').textContent.includes('другой свод')")
    assert page.locator("#cite-hits li").count() == 0


def test_by_keyboard_alone(opened: Any) -> None:
    page = opened("laws/1987/65/", width=1280)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        shown = page.evaluate(
            "[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]"
        )
        seen.add(shown[0])
        assert shown[0] == "BODY" or shown[1] != "none", shown
    assert {"A", "SUMMARY"} <= seen


@pytest.mark.parametrize("path", ["", "laws/1987/65/", "laws/1987/65/?view=players", "guides/penalty-card/"])
def test_nothing_moves_while_it_loads(opened: Any, path: str) -> None:
    page = opened(path)
    shift = page.evaluate(
        """() => new Promise(done => {
            let sum = 0;
            new PerformanceObserver(list => list.getEntries().forEach(e => sum += e.value))
                .observe({type: "layout-shift", buffered: true});
            setTimeout(() => done(sum), 300);
        })"""
    )
    assert shift == 0


def test_print_shows_the_text_and_no_navigation(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru")
    page.emulate_media(media="print")
    assert not page.locator("header.top").is_visible()
    assert page.get_by_text("Укомплектованная взятка").is_visible()
    assert page.locator("[id='c65.3'] .pair").is_visible()
    assert re.match(rb"%PDF", page.pdf(format="A5"))


def test_a_citation_shows_a_card(opened: Any) -> None:
    """On hover and on focus, with the target's text in the language that is read."""
    page = opened("laws/1987/44/?lang=ru", width=1280)
    link = page.locator("a.cite[data-ref='laws/1987/65']:visible").first
    link.focus()
    page.wait_for_selector("#kb-card")
    assert "Расположение взяток" in page.locator("#kb-card").inner_text()
    assert "Arrangement" not in page.locator("#kb-card").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#kb-card").count() == 0


def test_a_guide_is_tapped_through(opened: Any) -> None:
    """One question at a time; back, start again, and the way here; a step's address leads to that step."""
    page = opened("guides/penalty-card/?lang=en")
    assert page.locator(".step:visible").count() == 1
    page.click("text=A defender's, during the play")
    page.wait_for_url("**#s-how-many")
    assert page.evaluate("document.activeElement.id") == "s-how-many-h"
    page.locator(".step:visible .answers a").first.click()
    page.wait_for_url("**#s-kind")
    assert page.locator(".trail").inner_text().split("\n")[-1].endswith("One")
    page.click("[data-guide=back]")
    page.wait_for_url("**#s-how-many")
    assert page.locator(".trail li").count() == 1
    page.go_back()
    page.wait_for_url("**#s-kind")
    assert page.locator(".trail li").count() == 2
    page.click("[data-guide=start]")
    page.wait_for_url("**#s-whose")
    page.goto("guides/penalty-card/?lang=en#s-owner")
    assert page.locator(".step:visible").get_attribute("id") == "s-owner"
    page.click("[data-guide=all]")
    assert page.locator(".step:visible").count() > 10


@pytest.mark.parametrize("script", [True, False])
def test_a_guide_is_one_printable_page(opened: Any, script: bool) -> None:
    page = opened("guides/penalty-card/", script=script)
    page.emulate_media(media="print")
    assert page.locator(".step:visible").count() == page.locator(".step").count() > 10
    assert page.locator(".answers .to").first.is_visible()
    assert not page.locator(".tools").is_visible()


def test_words_go_on_as_they_are_typed(opened: Any) -> None:
    """One form of each word, and none when the word is one already."""
    page = opened("")
    page.fill("#q", "фальш")
    page.wait_for_selector("#suggest button")
    assert page.locator("#suggest button").first.inner_text() == "фальшренонс"
    page.click("#suggest button >> nth=0")
    assert page.input_value("#q") == "фальшренонс "
    page.wait_for_selector("#suggest button", state="detached")
    page.fill("#q", "фальшренонса")
    page.wait_for_selector("#hits li")
    assert page.locator("#suggest button").count() == 0


def test_the_keypad_leads_to_each_law_without_a_script(opened: Any) -> None:
    page = opened("", script=False)
    keys = page.locator(".keypad a")
    assert keys.count() == 93
    assert "текста нет" in page.locator(".keypad a.k-not-supplied").first.inner_text()
    size = keys.first.bounding_box()
    assert size["width"] >= 40 and size["height"] >= 40
    assert page.locator(".shelf:visible").count() == 0
    page.click(".keypad a >> nth=64")
    page.wait_for_url("**/laws/1987/65/")


def test_places_are_pinned_and_remembered_on_the_device(opened: Any) -> None:
    page = opened("laws/1987/65/?lang=ru")
    page.click("[id='65.C-h'] a.m")
    page.wait_for_function("document.querySelector('[data-tool-place]').textContent === '65C'")
    page.click("[data-tool=pin]")
    assert page.locator("[data-tool=pin]").get_attribute("aria-pressed") == "true"
    page.goto("laws/1987/66/")
    page.goto("")
    pinned = page.locator("[data-shelf=pinned] .chip a")
    assert pinned.count() == 1 and pinned.inner_text().startswith("65C")
    recent = page.locator("[data-shelf=recent] .chip a b")
    assert recent.all_inner_texts() == ["66", "65"]
    page.click("button[data-lang=en]")
    assert "Inspection" in page.locator("[data-shelf=recent] .chip a").first.inner_text()
    pinned.click()
    page.wait_for_url("**/laws/1987/65/#65.C")
    page.goto("")
    page.click("[data-shelf=pinned] .chip button")
    assert page.locator("[data-shelf=pinned] .chip").count() == 0


def test_single_key_shortcuts_can_be_turned_off(opened: Any) -> None:
    page = opened("")
    page.uncheck("[data-setting=keys]")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"
    page.reload()
    assert not page.is_checked("[data-setting=keys]")
    page.check("[data-setting=keys]")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"


def test_players_see_the_law_and_nothing_else(opened: Any) -> None:
    page = opened("laws/1987/65/?view=players&lang=ru#65.C", width=1280)
    assert page.locator("[id='65.C'] .pair").first.is_visible()
    for hidden in ("header.top", "[id='65.A']", ".meta >> nth=0", "footer", ".tools"):
        assert not page.locator(hidden).is_visible(), hidden
    page.keyboard.press("Escape")
    assert page.locator("header.top").is_visible() and "view=" not in page.url
    page.click("[data-tool=players]")
    assert page.url.endswith("view=players#65.C")
    page.click(".leave button")
    assert page.locator("[id='65.A']").is_visible()


def test_how_to_cite_is_copied_with_a_whole_address(opened: Any, base_url: str) -> None:
    page = opened("laws/1987/65/")
    page.locator("details.citing summary").click()
    page.locator("details.citing dd button").first.click()
    page.wait_for_selector("#said.on")
    assert page.evaluate("navigator.clipboard.readText()") == f"{base_url}l/1987/65/"
    codes = page.locator("details.citing code").all_inner_texts()
    assert f"[Law 65 (1987)]({base_url}l/1987/65/)" in codes


@pytest.mark.parametrize("size", ["A5", "A4"])
@pytest.mark.parametrize("path", ["laws/1987/65/", "guides/penalty-card/", "laws/1987/all/"])
def test_it_prints_on_either_paper_with_links_kept(opened: Any, path: str, size: str) -> None:
    import io

    pdfium = pytest.importorskip("pypdfium2")
    page = opened(path + "?lang=ru")
    made = pdfium.PdfDocument(io.BytesIO(page.pdf(format=size, outline=True, tagged=True)))
    text = "".join(leaf.get_textpage().get_text_range() for leaf in made)
    title = page.locator("h1").inner_text().split("\n")[-1]
    assert title.split()[0] in text
    for hidden in ("Содержание", "Показать игрокам", "Шаг назад"):
        assert hidden not in text or path == "laws/1987/all/", hidden
    assert len(list(made.get_toc())) >= 3
    if path.endswith("all/"):
        assert len(made) > 10 and "Укомплектованная взятка" in text
