"""Glossary terms marked in the texts, and places where words are lost, as a reader of a page finds them."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from goldkb import CORPUS
from sitebuild import Built, bilingual_gold
from smallcorpus import SMALL

from kb import profile as profiles
from kb.errors import InputError
from kb.model import Finding, Node, Ref, Span
from kb.publish import gaps, glossary, terms
from kb.publish.context import Site
from kb.store import open_store, save

CASES = tomllib.loads((Path(__file__).parent / "cases" / "terms.toml").read_text("utf-8"))["case"]
GLOSSARY = glossary.load(profiles.load(CORPUS))
TRAPS = tomllib.loads((CORPUS / "glossary.toml").read_text("utf-8"))["trap"]
FINDER = terms.Finder(GLOSSARY)


def _marked(text: str, lang: str) -> list[str]:
    first: dict[str, str] = {}
    for start, end, name in FINDER.find(text, lang):
        first.setdefault(name, f"{text[start:end]} = {name}")
    return list(first.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_terms_are_marked_where_they_stand(case: dict[str, Any]) -> None:
    assert _marked(case["text"], case["lang"]) == case["marks"]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: f"{trap['term']}: {trap['text'][:30]}")
def test_a_trap_is_not_marked(trap: dict[str, Any]) -> None:
    assert trap["term"] not in {name for _, _, name in FINDER.find(trap["text"], trap["lang"])}


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        (r"\bвзят(?:ка|ки)\b", ("взят",)),
        (r"\bfail(?:s|ed)?\s+to\s+follow\b", ("follow",)),
        (r"\b[ie]nquir(?:y|ies)\b", ("nquir",)),
        (r"\bцена?\b", ("цен",)),
        (r"\bIMP\b|\bимп\w*", ("imp", "имп")),
        (r"\bп\.\s?(?=\d)", ()),
        (r"(?:a|b)c|\)\[(]+de", ()),
        (r"[a\]|(]bcd", ("bcd",)),
    ],
)
def test_letters_a_pattern_cannot_do_without(pattern: str, letters: tuple[str, ...]) -> None:
    assert terms.letters(pattern) == letters


def test_the_look_for_letters_hides_nothing(gold_site: Built) -> None:
    """In every text of the corpus each pattern is met only where its letters are."""
    texts = [text.lower() for node in gold_site.kb.nodes() for _, text in terms.parts(node)]
    met = 0
    for term in GLOSSARY:
        for pattern in term.patterns.values():
            sought = terms.letters(pattern.pattern)
            for text in texts:
                if sought and pattern.search(text):
                    met += 1
                    assert any(run in text for run in sought), (term.id, text)
    assert met > 1000


def _soup(built: Built, path: str) -> BeautifulSoup:
    return BeautifulSoup((built.site / path / "index.html").read_text("utf-8"), "html.parser")


def _pages(built: Built) -> list[Path]:
    return [path for path in sorted(built.site.glob("laws/1987/*/index.html")) if path.parent.name != "all"]


def test_every_mark_is_explained_on_its_page_and_is_no_tab_stop(gold_site: Built) -> None:
    marks = 0
    for path in _pages(gold_site):
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        ids = {tag["data-t"] for tag in soup.find_all(class_="t")}
        listed = {str(dt["id"]).removeprefix("term-") for dt in soup.select("details.terms dt")}
        assert ids == listed, path
        scripts = [tag["src"] for tag in soup.find_all("script", src=True)]
        # The script is asked for where there is something to explain, and nowhere else.
        assert any("terms.js" in src for src in scripts) == bool(ids), path
        for tag in soup.find_all(class_="t"):
            assert set(tag.attrs) == {"class", "data-t"} and tag.name == "span"
            assert not tag.find(True) and tag.find_parent(["a", "h1", "h2", "h3", "h4", "h5", "h6"]) is None
            marks += 1
    assert marks > 900


def test_a_term_is_marked_once_a_provision_in_each_language(gold_site: Built) -> None:
    for path in _pages(gold_site):
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        seen: Counter[tuple[str, str, str]] = Counter()
        for tag in soup.find_all(class_="t"):
            place = next(
                p for p in tag.parents if p.get("id") and p.name in ("section", "details", "div", "main")
            )
            lang = next(str(p["lang"]) for p in tag.parents if p.get("lang"))
            seen[str(place["id"]), lang, str(tag["data-t"])] += 1
        assert [key for key, n in seen.items() if n > 1] == [], path


def test_both_languages_of_a_law_have_marks(gold_site: Built) -> None:
    place = _soup(gold_site, "laws/1987/65").find(id="65.C")
    assert isinstance(place, Tag)
    for lang, word in (("ru", "взяток"), ("en", "tricks")):
        block = place.find("p", lang=lang)
        assert isinstance(block, Tag)
        assert word in {tag.get_text() for tag in block.find_all(class_="t", attrs={"data-t": "trick"})}


def test_the_glossary_says_where_a_term_is_used(gold_site: Built) -> None:
    soup = _soup(gold_site, "glossary")
    used = {dt["id"]: dt.find_next_siblings("dd") for dt in soup.select("dt[id]")}
    arrangement = " ".join(dd.get_text() for dd in used["term-arrangement-of-tricks"][:3])
    assert re.search(r"Встречается: .*65", arrangement)
    # of a term that is everywhere the laws are named, not its hundred provisions
    line = next(dd for dd in used["term-trick"] if dd.find(class_="used-in"))
    assert 10 < len(line.find_all("a")) <= 45
    targets = [a["href"] for a in line.find_all("a")]
    assert "../laws/1987/65/" in targets and len(set(targets)) == len(targets)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('id = "a b"\nen = "a"', "term 1: needs an id of ASCII letters"),
        ('id = "a"\nen = "a"\npattern.en = "("', "term 1, a: pattern '\\(' does not compile"),
    ],
)
def test_a_bad_term_is_one_clear_line(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "profile.toml").write_text(SMALL)
    (tmp_path / "glossary.toml").write_text(f"[[term]]\n{table}\n")
    with pytest.raises(InputError, match=said):
        glossary.load(profiles.load(tmp_path))


# Where words are lost.


def _node(lang: str, text: str, **more: Any) -> Node:
    return Node(Ref.parse("laws/1987/9.A"), lang, "section", text=text, **more)


def _gaps(tmp_path: Path, findings: tuple[Finding, ...] = ()) -> gaps.Gaps:
    records = dataclasses.replace(bilingual_gold(), findings=findings)
    save(records, tmp_path / "kb.sqlite")
    return gaps.Gaps(open_store(tmp_path / "kb.sqlite"))


def test_a_cut_text_has_its_gap_at_the_cut(tmp_path: Path) -> None:
    found = _gaps(tmp_path)
    cut = _node("ru", "Карта может быть", complete=False, missing="end of the sentence")
    assert found.of(cut, "text") == [(16, "gap_end")] and found.of(cut, "tail") == []
    tail = dataclasses.replace(cut, tail="и потому")
    assert found.of(tail, "text") == [] and found.of(tail, "tail") == [(8, "gap_end")]
    begun = _node("en", "of the trick.", missing="title and start of the text, end of the sentence")
    assert found.of(begun, "text") == [(0, "gap_start"), (13, "gap_end")]
    assert found.of(_node("en", "Whole.", missing=""), "text") == []
    assert gaps.goes_on(_node("en", "If:", missing="the list goes on"))


def test_a_lost_run_has_its_gap_between_the_lines_it_is_lost_between(tmp_path: Path) -> None:
    source = next(open_store_sources(tmp_path))
    starts = gaps.line_starts(source.text)
    low, high = starts[1], starts[2]
    text = source.text[low : high + 20]
    ref = Ref.parse("laws/1987/9.A")
    finding = Finding("lacuna", "lost", ref, source.name, (2, 3))
    found = _gaps(tmp_path, (finding,))
    span = Span("text", 0, len(text), source.name, low, high + 20)
    assert found.of(_node("ru", text, spans=(span,)), "text") == [(high - low, "gap_inside")]
    # A run that a repair changed in length does not say where its lines end.
    longer = span._replace(source_end=high + 21)
    assert found.of(_node("ru", text, spans=(longer,)), "text") == []


def open_store_sources(folder: Path) -> Any:
    save(bilingual_gold(), folder / "kb.sqlite")
    return open_store(folder / "kb.sqlite").sources()


def test_gaps_stand_in_the_text_in_words_and_in_no_term(gold_site: Built, tmp_path: Path) -> None:
    records = bilingual_gold()
    ref = Ref.parse("laws/1987/65.C")
    node = next(n for n in records.nodes if n.ref == ref and n.lang == "ru")
    cut = dataclasses.replace(node, complete=False, missing="end of the sentence")
    nodes = tuple(cut if n is node else n for n in records.nodes)
    save(dataclasses.replace(records, nodes=nodes), tmp_path / "kb.sqlite")
    site = Site(open_store(tmp_path / "kb.sqlite"), gold_site.profile, glossary=GLOSSARY)
    from kb.publish import provision

    made = provision.body(site, "laws/1987/65.md", ref)
    assert re.search(r' <small class="gap">\[текст обрывается\]</small>\n\{ \.l1 lang=ru \}', made)


# What the English is.


@pytest.mark.parametrize("law", ["40", "43", "46", "49", "50", "65"])
def test_every_law_says_what_it_is_at_its_top(gold_site: Built, law: str) -> None:
    """Also a law whose own text is in no scan, and one without any text."""
    main = _soup(gold_site, f"laws/1987/{law}").find("main")
    assert isinstance(main, Tag)
    box = main.find(class_="edition")
    assert isinstance(box, Tag)
    first = main.find("section")
    assert first is None or box in first.find_all_previous(class_="edition")
    for words in ("редакция 1987", "не официальный текст", "not the official text"):
        assert words in box.get_text(), words
