"""The search box of the site, in a real browser, beside ``kb search``."""

from __future__ import annotations

from typing import Any

from relevance.measure import load
from search_base import index

_ASK = """async (queries) => {
  await window.kbSearch.load(window.kbSite.home.href);
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
