"""The guides and the situations as pages: every step, every ref, in words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from sitebuild import Built

from kb import guides, topics
from kb.errors import InputError
from kb.model import Ref
from kb.publish.site import write_pages


def _page(built: Built, path: str) -> BeautifulSoup:
    return BeautifulSoup((built.site / path / "index.html").read_text("utf-8"), "html.parser")


def test_every_step_of_every_guide_is_there(gold_site: Built) -> None:
    found = guides.load(gold_site.profile)
    assert len(found) >= 12
    index = _page(gold_site, "guides")
    for guide in found:
        assert index.select_one(f"main a[href='{guide.id}/']"), guide.id
        page = _page(gold_site, f"guides/{guide.id}")
        assert len(page.select(".step")) == len(guide.steps)
        for step in guide.steps:
            section = page.find(id=f"s-{step.id}")
            assert isinstance(section, Tag)
            for lang, text in step.text.items():
                assert section.h2 is not None
                assert section.h2.select_one(f"[lang={lang}]").get_text() == text  # type: ignore[union-attr]
            assert [a["data-ref"] for a in section.select(".rests a")] == [str(ref) for ref in step.refs]
            ways = [str(a["href"]) for a in section.select(".answers a")]
            assert ways == [f"#s-{w.next}" if w.next else f"../{w.guide}/" for w in step.ways]


def test_those_asked_for_most_come_first_and_stand_by_the_box(gold_site: Built) -> None:
    found = guides.load(gold_site.profile)
    most = [g.id for g in sorted(found, key=lambda g: g.often) if g.often]
    listed = [str(a["href"]).strip("/") for a in _page(gold_site, "guides").select(".guides li > a")]
    assert listed[: len(most)] == most and len(listed) == len(found)
    for path in ("", "search"):
        links = _page(gold_site, path).select(".quick a")
        assert len(links) == len(found)
        shown = [str(a["href"]).strip("./").split("/")[-1] for a in links if not a.has_attr("hidden")]
        assert shown == most[:6]


def test_a_step_says_where_there_is_no_text_and_what_is_otherwise_today(gold_site: Built) -> None:
    said = 0
    for guide in guides.load(gold_site.profile):
        page = _page(gold_site, f"guides/{guide.id}")
        for item in page.select(".rests li"):
            entry = gold_site.kb.entry(Ref.parse(str(item.a["data-ref"])))  # type: ignore[index]
            status = entry.status if entry else "not-supplied"
            assert ("текста нет" in item.get_text()) == (status == "not-supplied"), item
            said += "2017:" in item.get_text()
    assert said > 0


def test_every_situation_stands_in_both_lists(gold_site: Built) -> None:
    page = _page(gold_site, "situations")
    for lang, prefix in (("ru", ""), ("en", "en.")):
        order = [topic for _, group in topics.index(topics.load(gold_site.profile), lang) for topic in group]
        heads = page.select(f"div[lang={lang}] b")
        assert [b.get_text() for b in heads] == [topic.head[lang] for topic in order]
        assert [b["id"] for b in heads] == [prefix + topic.id for topic in order]
    letters = page.select("div[lang=en] nav.letters a")
    assert [a.get_text() for a in letters] == sorted(a.get_text() for a in letters)


@pytest.mark.parametrize("kind", ["guide", "topic"])
def test_a_wrong_ref_stops_the_build_with_one_line(
    gold_site: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    wrong = (Ref.parse("laws/1987/65.Z"),)
    if kind == "guide":
        found = [dataclasses.replace(g, refs=wrong) for g in guides.load(gold_site.profile)]
        monkeypatch.setattr(guides, "load", lambda profile: found)
    else:
        other = [dataclasses.replace(t, refs=wrong) for t in topics.load(gold_site.profile)]
        monkeypatch.setattr(topics, "load", lambda profile: other)
    with pytest.raises(InputError, match=r"65\.Z is neither in the outline nor in a source") as error:
        write_pages(gold_site.kb, gold_site.profile, tmp_path / "pages")
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())


def test_the_citation_map_and_its_table_say_the_same(gold_site: Built) -> None:
    from kb.publish.context import Site
    from kb.publish.pages_graph import graph

    found = graph(Site(gold_site.kb, gold_site.profile))
    page = _page(gold_site, "citations")
    rows = {row.th.get_text(): row for row in page.select("tbody tr")}  # type: ignore[union-attr]
    dots = page.select("svg a")
    assert len(dots) == len(rows) == len(found.laws) > 20
    assert all(dot["href"].startswith("../laws/") and dot["aria-label"] for dot in dots)  # type: ignore[union-attr]
    cells = [len(row.select("td")[n].select("a")) for row in rows.values() for n in (0, 1)]
    assert sum(cells) == 2 * len(found.edges)
    assert len(page.select("svg .lines path")) == len(found.edges)
    counts = [int(tag.get_text().split()[0]) for tag in page.select(".most .tag")]
    assert counts == sorted(counts, reverse=True) and counts[0] == max(found.cited.values())


def test_the_book_has_every_text_once(gold_site: Built) -> None:
    page = _page(gold_site, "laws/1987/all")
    shown = page.select_one(".book").get_text(" ")  # type: ignore[union-attr]
    squeezed = "".join(shown.split())
    for entry in gold_site.kb.entries("laws"):
        assert page.find(id=f"b-{entry.ref.dotted}"), entry.ref
        node = gold_site.kb.node(entry.ref, "ru")
        if node and node.kind != "table" and len(node.text) > 40:
            assert "".join(node.text.split()) in squeezed, entry.ref
