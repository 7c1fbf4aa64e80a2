"""What a reader of a law's page finds: texts at anchors, comments beside provisions, plain words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from sitebuild import ROOT, Built

from kb import address
from kb.model import Ref
from kb.publish import scanview
from kb.publish.strings import Strings, plural, table

PUBLISH = ROOT / "kb" / "publish"


def _page(built: Built, path: str) -> BeautifulSoup:
    return BeautifulSoup((built.site / path / "index.html").read_text("utf-8"), "html.parser")


def _place(built: Built, ref: Ref, cache: dict[str, BeautifulSoup]) -> Tag:
    path = address.page(built.profile, ref, built.kb).strip("/")
    soup = cache.setdefault(path, _page(built, path))
    anchor = address.anchor(built.profile, ref)
    found = soup.find(id=anchor) if anchor else soup.find("main")
    assert isinstance(found, Tag), ref
    return found


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_every_text_stands_at_its_anchor(gold_site: Built) -> None:
    """84 provisions, 29 paragraphs with their items, both languages, titles and footnotes."""
    cache: dict[str, BeautifulSoup] = {}
    seen = 0
    for node in gold_site.kb.nodes():
        place = _place(gold_site, node.ref, cache)
        parts = {_bare(part.get_text()) for part in place.find_all(lang=node.lang)}
        whole = _bare(place.get_text())
        if node.text:
            # a citation of another edition has a word of ours beside it
            found = any(_bare(node.text) in part for part in parts)
            assert found or "54(с)" in node.text, node.ref
            seen += 1
        assert _bare(node.title) in whole, node.ref
        for note in node.footnotes:
            assert _bare(note.text) in whole, node.ref
    assert seen > 200


def test_comments_stand_beside_what_they_are_about(gold_site: Built) -> None:
    cache: dict[str, BeautifulSoup] = {}
    count = 0
    for entry in gold_site.kb.entries("commentary"):
        relation = next(gold_site.kb.relations(entry.ref), None)
        if entry.kind != "comment" or relation is None:
            continue
        place = _place(gold_site, entry.ref, cache)
        section = place.find_parent("section")
        assert isinstance(section, Tag)
        same_page = address.page(gold_site.profile, relation.law) == address.page(
            gold_site.profile, entry.ref, gold_site.kb
        )
        if same_page and len(relation.law.path) > 1:
            assert section["id"] == relation.law.dotted, entry.ref
        else:
            assert section["class"] == ["rest"], entry.ref
        assert place.find(class_="why"), entry.ref
        count += 1
    assert count == 29


def test_citations_lead_to_their_targets(gold_site: Built) -> None:
    """Every link of the gold: resolved ones to the place, those of other editions to nothing here."""
    cache: dict[str, BeautifulSoup] = {}
    count = 0
    for placed in gold_site.kb.links():
        place = _place(gold_site, placed.at, cache)
        surface = _bare(placed.link.citation.surface)
        if placed.link.status in ("resolved", "not-supplied"):
            links = [a for a in place.find_all("a", class_="cite") if _bare(a.get_text()) == surface]
            targets = {a["data-ref"] for a in links}
            assert str(placed.link.target) in targets, placed
        else:
            assert any(
                surface in _bare(span.get_text()) for span in place.find_all("span", class_="elsewhere")
            ), placed
        count += 1
    assert count >= 55


def test_cited_by_is_the_other_way_round(gold_site: Built) -> None:
    soup = _page(gold_site, "laws/1987/65")
    meta = soup.find(id="65.D").find("p", class_="meta")  # type: ignore[union-attr]
    assert isinstance(meta, Tag)
    assert "#c65.2" in [a["href"] for a in meta.find_all("a")]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            "laws/1987/49",
            ("ни в одном скане нет его текста", "is in none of the scans", "47A", "worldbridge.org"),
        ),
        ("laws/1987/47", ("Текст неполон", "The text is incomplete")),
        ("laws/1987/51", ("часть слов утрачена", "some words are lost")),
        ("laws/1987/54", ("место определено по окружению", "Разночтения", "другая редакция")),
        (
            "laws/1987/65",
            (
                "Сейчас действует редакция 2017 года",
                "1 августа 2017",
                "working translation",
                "стр. 93",
                "скан 004, строки 79–82",
            ),
        ),
        ("laws/1987/50", ("Упомянутые места комментария", "комментарий 50.9", "ни в одном скане")),
        ("laws/1987/ch.I", ("Определения", "ни в одном скане")),
        ("laws/1987/ch.VI", ("Правило 65", "Часть IV", "текста нет")),
        ("laws/1987", ("Из 93", "Глава XI", "Правило 93")),
        ("about/quality", ("Нет страниц", "Pages missing")),
        ("glossary", ("фальшренонс", "revoke")),
    ],
)
def test_states_are_said_in_words(gold_site: Built, path: str, words: tuple[str, ...]) -> None:
    html = (gold_site.site / path / "index.html").read_text("utf-8")
    text = BeautifulSoup(html, "html.parser").get_text()
    for word in words:
        assert word in text or word in html, word


def test_headings_say_where_they_are(gold_site: Built) -> None:
    """For those who listen: “Law 65, B, 1”."""
    heading = _page(gold_site, "laws/1987/65").find(id="65.B.1-h")
    assert isinstance(heading, Tag) and heading.name == "h3"
    assert _bare("Law 65, B, 1") in _bare(
        "".join(heading.find_all(string=True)).replace("Правило 65, B,", "").replace("/", "")
    )


def test_each_language_is_marked(gold_site: Built) -> None:
    """Cyrillic under lang=ru, never under lang=en, but for what a rendering quotes."""
    soup = _page(gold_site, "laws/1987/65")
    for part in soup.find_all(lang="en"):
        if not part.find(lang="ru"):
            assert not re.search("[А-Яа-я]{3}", part.get_text()), part


def test_scan_views_show_every_line(gold_site: Built) -> None:
    for source in gold_site.kb.sources():
        soup = _page(gold_site, f"sources/{Path(source.name).stem}")
        lines = soup.find_all(id=re.compile(r"\AL[0-9]+\Z"))
        raw = source.text.split("\n")
        raw = raw[:-1] if raw[-1] == "" else raw
        assert len(lines) == len(raw)
        shown = [line.find("code").get_text().replace("\u200b", "") for line in lines]
        for number, (said, received) in enumerate(zip(shown, raw, strict=True), 1):
            assert said == re.sub(
                "[\x00-\x1f\x7f-\x9f]", lambda m: f"U+{ord(m.group()):04X}", received.rstrip("\r")
            ), number


def test_runs_of_a_scan_are_merged() -> None:
    assert scanview.merge([(5, 9), (0, 2), (2, 4), (6, 7)]) == [(0, 4), (5, 9)]
    assert scanview.line_starts("a\nbc\n") == [0, 2, 5]
    assert scanview.line_starts("a\n\nb") == [0, 2, 3, 4]


def test_pages_are_plain_markdown(gold_site: Built) -> None:
    """Headings, paragraphs and links are Markdown; anchors are ASCII and stand on lines of their own."""
    text = (gold_site.pages / "laws" / "1987" / "65.md").read_text("utf-8")
    assert re.search(r"^### .*\{ #65\.B\.1-h \}$", text, re.M)
    assert re.search(r'^<section class="p s-text" id="65\.B\.1"', text, re.M)
    assert "](66.md" in text and "](../../sources/004_bd1dbaeee207bdf3.md#L85)" in text
    for path in gold_site.pages.rglob("*.md"):
        ids = re.findall(r'\bid="([^"]*)"|\{[^}]*#([^ }]+)', path.read_text("utf-8"))
        assert all(re.fullmatch(r"[A-Za-z0-9._~-]*", "".join(pair)) for pair in ids), path


def test_every_word_of_the_interface_is_in_both_languages() -> None:
    for key, entry in table().items():
        if key != "phrases":
            assert set(entry) == {"ru", "en"}, key
            forms = [entry[lang] if isinstance(entry[lang], list) else [entry[lang]] for lang in ("ru", "en")]
            braces = [{name for form in group for name in re.findall(r"\{(\w+)\}", form)} for group in forms]
            assert braces[0] == braces[1], key
            assert not re.search("[А-Яа-я]", "".join(forms[1])), key


def test_no_word_of_the_interface_is_unused_or_missing() -> None:
    used = set()
    for path in [
        *PUBLISH.glob("*.py"),
        *(PUBLISH / "theme").glob("*.html"),
        *(PUBLISH / "theme").glob("*.js"),
    ]:
        used |= set(
            re.findall(
                r"""["']([a-z][a-z_-]+)["']""",
                path.read_text("utf-8").replace("short-", "short_").replace("pinned-said", "pinned_said"),
            )
        )
    families = (
        "state_",
        "short_",
        "change_",
        "evidence_",
        "finding_",
        "status_",
        "cite_",
        "step_",
        "offline_",
    )
    unused = [key for key in table() if key not in used and not key.startswith(families) and key != "phrases"]
    assert unused == []
    for path in (PUBLISH / "theme").glob("*.html"):
        assert set(re.findall(r"\bt\('(\w+)'\)", path.read_text("utf-8"))) <= set(table())


def test_plural_forms_and_dates() -> None:
    words = Strings(["ru", "en"])
    assert [words.text("n_lines", "ru", n=n) for n in (1, 2, 5, 11, 21, 112)] == [
        "1 строка", "2 строки", "5 строк", "11 строк", "21 строка", "112 строк",
    ]  # fmt: skip
    assert words.text("n_lines", "en", n=1) == "1 line" and words.text("n_lines", "en", n=11) == "11 lines"
    assert words.text("n_lines", "de", n=2) == "2 lines"
    assert plural(1, "fr", 2) == 0
    assert words.date("2017-08-01", "ru") == "1 августа 2017" and words.date("2017", "en") == "2017"


def test_site_data_is_for_the_templates_only(gold_site: Built) -> None:
    data = json.loads((gold_site.pages / ".site.json").read_text("utf-8"))
    assert data["languages"] == ["ru", "en"] and not (gold_site.site / ".site.json").exists()
