"""The search box of the site, in a real browser, beside ``kb search``."""

from __future__ import annotations

from typing import Any

from relevance.measure import load
from search_base import index

_ASK = """async (queries) => {
  await window.kbSearch.load(window.kbSite.home.href);
  await window.kbSearch.more();
  return queries.map((query) => window.kbSearch.query(query, {}).hits.slice(0, 3).map((hit) => hit.ref));
}"""


def test_same_first_three_hits_as_the_command_line(opened: Any) -> None:
    """At least 95 of 100 judged questions, a list of three hits each, in order."""
    questions = load()
    answers = opened("").evaluate(_ASK, [question.q for question in questions])
    other = [
        question.q
        for question, hits in zip(questions, answers, strict=True)
        if hits != [str(hit.ref) for hit in index().search(question.q, limit=3).hits]
    ]
    assert len(other) <= len(questions) * 0.05, other[:5]


def test_a_telephone_answers_before_all_is_loaded(opened: Any) -> None:
    page = opened("")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.fill("#q", "взятку взяли соперники")
    page.wait_for_selector("#hits li")
    page.wait_for_function("() => sessionStorage.getItem('kb-search-all') !== null")
    assert asked.index("search-data.js") < asked.index("search-more.js")
    page.fill("#q", "взятку взяли чужие")
    page.wait_for_function("() => document.getElementById('hits').children.length > 1")
    assert _three(page) == [str(hit.ref) for hit in index().search("взятку взяли чужие", limit=3).hits]


def _three(page: Any) -> list[str]:
    hits: list[dict[str, str]] = page.evaluate(
        "() => window.kbSearch.query(document.getElementById('q').value, {}).hits.slice(0, 3)"
    )
    return [hit["ref"] for hit in hits]


def test_a_desk_answers_from_all_at_once(opened: Any) -> None:
    page = opened("", width=1280)
    page.fill("#q", "взятку взяли соперники")
    page.wait_for_selector("#hits li")
    assert page.evaluate("() => sessionStorage.getItem('kb-search-all') !== null")
    assert _three(page) == [str(hit.ref) for hit in index().search("взятку взяли соперники", limit=3).hits]


def test_a_slow_network_is_spared_the_rest(opened: Any) -> None:
    for said in ("{ effectiveType: '3g' }", "{ effectiveType: '4g', rtt: 200 }", "{ saveData: true }"):
        page = opened("", width=1280)
        page.evaluate(f"Object.defineProperty(navigator, 'connection', {{ value: {said} }})")
        page.fill("#q", "взятку взяли соперники")
        page.wait_for_selector("#hits li")
        page.wait_for_timeout(300)
        assert not page.evaluate("Boolean(window.kbSearchMore)"), said


def test_enter_leads_a_citation_to_its_place_and_words_to_the_list(opened: Any) -> None:
    page = opened("")
    page.fill("#q", "взятку взяли соперники")
    page.wait_for_selector("#hits li")
    page.press("#q", "Enter")
    page.wait_for_url("**/search/?q=*")
    page.wait_for_selector("#hits li")
    assert page.input_value("#q") == "взятку взяли соперники"
    page = opened("")
    page.fill("#q", "66 C")
    page.wait_for_selector("#hits li")
    page.press("#q", "Enter")
    page.wait_for_url("**/laws/1987/66/#66.C")


def test_who_comes_back_finds_the_query_and_stands_at_the_hit(opened: Any) -> None:
    for path in ("", "search/", "nothing/here/"):
        page = opened(path)
        page.fill("#q", "ход вне очереди")
        page.wait_for_selector("#hits li:nth-child(3)")
        third = page.locator("#hits li > a").nth(2)
        href = third.get_attribute("href")
        third.click()
        page.wait_for_url(href)
        page.go_back()
        page.wait_for_selector("#hits li:nth-child(3)")
        assert page.input_value("#q") == "ход вне очереди"
        page.wait_for_selector("#hits li > a:focus")
        assert page.locator("#hits li > a:focus").get_attribute("href") == href
        page.fill("#q", "")
        page.wait_for_selector("#hits li", state="detached")
        assert "q=" not in page.url


def test_guides_about_what_is_found_are_offered(opened: Any) -> None:
    page = opened("?lang=en")
    before = page.locator(".quick a:visible").all_inner_texts()
    assert len(before) == 6
    page.fill("#q", "revoke")
    page.wait_for_selector("#hits li")
    shown = page.locator(".quick a:visible").all_inner_texts()
    assert "Revoke, established" in shown and len(shown) <= 3
    page.fill("#q", "")
    page.wait_for_selector("#hits li", state="detached")
    assert page.locator(".quick a:visible").all_inner_texts() == before
    page.fill("#q", "64")
    page.wait_for_selector("#hits li")
    page.click(".quick a:visible")
    page.wait_for_url("**/guides/revoke-established/")


def test_places_are_called_as_people_call_them(opened: Any) -> None:
    """A comment says that it is one, a heading goes by its title, another edition's number has no dots."""
    page = opened("search/?lang=ru")
    page.fill("#q", "65")
    page.wait_for_selector("#hits li")
    assert any(text.startswith("комментарий 65") for text in page.locator("#hits b").all_inner_texts())
    page.fill("#q", "взятка")
    page.wait_for_selector("#hits a[href*='ch.VI.pt.IV']")
    assert page.locator("#hits a[href*='ch.VI.pt.IV']").inner_text().strip().startswith("ВЗЯТКИ")
    page.fill("#q", "предостерегает разыгрывающего от хода")
    page.wait_for_selector("#hits a[href$='43.B.2.b'] .edition-tag")
    assert page.locator("#hits a[href$='43.B.2.b'] .edition-tag").inner_text() == "2017: 43B2a"
