"""The subject index: headings with the places they lead to, one index a language, for any corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup, Tag
from sitebuild import Built

from kb import lang as languages
from kb.model import Ref
from kb.publish import pages_book
from kb.publish.context import Site
from kb.watched import Watched


def test_titles_read_at_once_are_those_read_one_by_one(gold_site: Built) -> None:
    slow = Site(gold_site.kb, gold_site.profile)
    for make in (Site.titled, Site.read_laws):
        quick = Site(Watched(gold_site.kb), gold_site.profile)
        found = make(quick)
        if found is not None:
            assert list(found) == list(slow.titled()) != []
        for ref in (*slow.law_pages, *slow.headings):
            assert (quick.titles(ref), quick.status(ref)) == (slow.titles(ref), slow.status(ref))
            assert quick.known(ref) == ref


def test_titles_are_read_at_once_only_where_all_may_be_read(gold_site: Built) -> None:
    kb, law = Watched(gold_site.kb), gold_site.profile.law_work.name

    def read() -> bool:
        return kb.headed(law) is not None and kb.headed_under(None) is not None

    assert kb.watch([], read, titles=True) == (True, ("all entries", "all titles"))
    assert kb.watch([Ref(law, "1987", ("65",))], read) == (False, ())


def test_what_goes_through_all_reads_the_same(gold_site: Built) -> None:
    kb = Watched(gold_site.kb)
    site = Site(kb, gold_site.profile)
    gathered = kb.through(lambda: pages_book.page(site))
    assert gathered == pages_book.page(Site(gold_site.kb, gold_site.profile))
    assert "65" in gathered


@pytest.fixture(scope="module")
def soup(gold_site: Built) -> BeautifulSoup:
    return BeautifulSoup((gold_site.site / "subjects" / "index.html").read_text("utf-8"), "html.parser")


def _headings(soup: BeautifulSoup, lang: str) -> Iterator[tuple[str, Tag]]:
    for item in soup.select(f'main div[lang="{lang}"] ul.index > li'):
        head = item.find("b")
        assert isinstance(head, Tag)
        yield head.get_text(), item


def _own(item: Tag, kind: str) -> str:
    found = item.find("span", class_=kind, recursive=False)
    return " ".join(found.get_text().split()) if isinstance(found, Tag) else ""


@pytest.mark.parametrize(
    ("lang", "head", "line", "refs"),
    [
        ("ru", "Укомплектованная взятка", "", "65A"),
        ("ru", "Исправление фальшренонса", "", "62, 62B"),
        ("ru", "Взятка", "Выигранные взятки", "65B1"),
        ("ru", "Штрафная карта", "Распоряжение штрафной картой", "50"),
        ("en", "Completed trick", "", "65A"),
        ("en", "Arrangement of tricks", "", "65"),
        ("en", "Trick", "Tricks Won", "65B1"),
        ("en", "Cards", "which beats which", "44F"),
    ],
)
def test_a_subject_leads_to_its_places(
    soup: BeautifulSoup, lang: str, head: str, line: str, refs: str
) -> None:
    item = dict(_headings(soup, lang))[head]
    if not line:
        return _same(_own(item, "refs"), refs)
    lines = {" ".join(str(li.find(string=True)).split()): _own(li, "refs") for li in item.select("ul > li")}
    _same(lines[line], refs)


def _same(found: str, refs: str) -> None:
    numbers = re.findall(r"\d+[A-Z]?\d*[a-z]?", found)
    assert set(refs.split(", ")) <= set(numbers), found


@pytest.mark.parametrize(
    ("lang", "asked", "said", "meant"),
    [
        ("ru", "Дамми", "см.", "Болван"),
        ("ru", "Фальшренонс", "см. также", "Выявление фальшренонса"),
        ("ru", "Вистующий", "см. также", "Защитник"),
        ("en", "TD", "see", "Director"),
        ("en", "Lead", "see also", "Lead out of turn"),
    ],
)
def test_words_lead_to_the_subject_that_is_meant(
    soup: BeautifulSoup, lang: str, asked: str, said: str, meant: str
) -> None:
    item = dict(_headings(soup, lang))[asked]
    see = item.find("span", class_="see", recursive=False)
    assert isinstance(see, Tag) and see.get_text().startswith(said + " ")
    link = next(a for a in see.find_all("a") if a.get_text() == meant)
    target = soup.find(id=str(link["href"])[1:])
    assert isinstance(target, Tag) and target.get_text() == meant


def test_it_is_in_order_and_says_everything_once(soup: BeautifulSoup) -> None:
    for lang in ("ru", "en"):
        filed = languages.get(lang).filed
        heads = [filed(head) for head, _ in _headings(soup, lang)]
        assert len(heads) > 400
        # words of other alphabets, and numbers, come last
        others = [head for head in heads if head[0] not in languages.get(lang).alphabet]
        assert heads == sorted(head for head in heads if head not in others) + sorted(others)
        assert len({head for head, _ in _headings(soup, lang)}) == len(heads)
        for head, item in _headings(soup, lang):
            assert item.find("a"), head
            for line in [item, *item.select("li")]:
                links = [
                    str(a["href"])
                    for span in line.find_all("span", recursive=False)
                    for a in span.find_all("a")
                ]
                assert len(links) == len(set(links)), (head, links)


def test_no_article_decides_where_a_subject_stands(soup: BeautifulSoup) -> None:
    heads = dict(_headings(soup, "en"))
    letter = heads["The shuffle"].find_previous("h2")
    assert isinstance(letter, Tag) and letter.get_text() == "S"
    filed = languages.get("en").filed
    lines = [
        [" ".join(str(li.find(string=True)).split()) for li in item.select("ul > li")]
        for item in heads.values()
    ]
    assert any("The Shuffle and Deal" in found[1:] for found in lines)
    assert [found for found in lines if found != sorted(found, key=lambda words: (filed(words), words))] == []


def test_every_law_and_section_with_a_title_is_in_it(gold_site: Built, soup: BeautifulSoup) -> None:
    led = {str(a["href"]) for a in soup.select("main div.l1 .refs a")}
    from kb import address

    missing = []
    for entry in gold_site.kb.entries("laws"):
        if entry.titles.get("ru") and entry.kind in ("law", "section"):
            url = ".." + address.url(gold_site.profile, entry.ref, gold_site.kb)
            if url not in led:
                missing.append(url)
    # A subject with very many places names the laws they are in.
    assert len(missing) < 10, missing


def test_no_path_is_taken_for_a_number(soup: BeautifulSoup) -> None:
    assert not [a for a in soup.select(".refs a") if a.get_text().startswith("ch.")]
