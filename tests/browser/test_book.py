"""The whole code as PDF: tools/book.py keeps bookmarks, links, paper and language."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from sitebuild import CHROMIUM, ROOT, Built, need

pdfium = pytest.importorskip("pypdfium2")
POINTS = {"a4": (595, 842), "a5": (420, 595)}

LITTLE = """<!DOCTYPE html><html lang="en" data-langs="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>All of it</title>
<link rel="canonical" href="https://laws.example/bridge/laws/1/all/"></head><body><main><h1>The Code</h1>
<p><a href="../2/">law</a> <a href="../2/#2.A">section</a> <a href="../2/#2.Z">unknown section</a>
<a href="../7/">not in it</a> <a href="../../../guides/2/">no law</a> <a href="https://other.example/2/">away</a></p>
<h2 id="b-2">Law 2</h2><h3 id="b-2.A">A</h3></main></body></html>
"""


def _books(site: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "book.py"), str(site), str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def printed(gold_site: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the gold's books."""
    need(CHROMIUM.exists(), "chromium (apt-get install chromium)")
    folder = tmp_path_factory.mktemp("book")
    done = _books(gold_site.site, folder, "--lang", "ru", "--lang", "both")
    assert done.returncode == 0, done.stderr
    return folder


def _links(book: Any) -> Iterator[tuple[int, str]]:
    """Each link of a book: ``(page it leads to or -1, address or nothing)``."""
    raw = pdfium.raw
    for page in book:
        place, link = ctypes.c_int(0), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page.raw, ctypes.byref(place), ctypes.byref(link)):
            inside = raw.FPDFLink_GetDest(book.raw, link)
            action = raw.FPDFLink_GetAction(link)
            room = ctypes.create_string_buffer(raw.FPDFAction_GetURIPath(book.raw, action, None, 0) or 1)
            raw.FPDFAction_GetURIPath(book.raw, action, room, len(room))
            yield (raw.FPDFDest_GetDestPageIndex(book.raw, inside) if inside else -1), room.value.decode()


def _text(book: Any) -> str:
    return " ".join(" ".join(page.get_textpage().get_text_range() for page in book).split())


def _headings(site: Path) -> list[str]:
    soup = BeautifulSoup((site / "laws" / "1987" / "all" / "index.html").read_text("utf-8"), "html.parser")
    for other in soup.select("main :is(.l2, .u2, .ls, .us)"):
        other.decompose()
    return ["".join(head.get_text().split()) for head in soup.select("main :is(h1, h2, h3, h4, h5, h6)")]


@pytest.mark.parametrize("paper", POINTS)
def test_paper_bookmarks_and_links(gold_site: Built, printed: Path, paper: str) -> None:
    book = pdfium.PdfDocument(printed / f"laws-1987-ru-{paper}.pdf")
    assert {tuple(round(side / 2) for side in page.get_size()) for page in book} == {
        tuple(round(side / 2) for side in POINTS[paper])
    }
    marks = list(book.get_toc())
    assert ["".join(mark.get_title().split()) for mark in marks] == _headings(gold_site.site)
    pages = [mark.get_dest().get_index() for mark in marks]
    assert pages == sorted(pages) and pages[-1] > 20
    links = list(_links(book))
    assert len(links) > 20
    # The gold's site has no address of its own: what is not in the book is no link.
    assert all(page >= 0 and not address for page, address in links)
    assert book.get_metadata_dict()["Title"] == gold_site.profile.titles["ru"]


def test_it_is_in_the_chosen_language(printed: Path) -> None:
    one, both = (_text(pdfium.PdfDocument(printed / f"laws-1987-{lang}-a5.pdf")) for lang in ("ru", "both"))
    assert "Completed Trick" not in one and "Укомплектованная взятка" in one
    assert "Completed Trick" in both and "Укомплектованная взятка" in both


def test_the_same_site_gives_the_same_bytes(gold_site: Built, printed: Path, tmp_path: Path) -> None:
    assert _books(gold_site.site, tmp_path, "--lang", "ru", "--paper", "A5").returncode == 0
    name = "laws-1987-ru-a5.pdf"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == (printed / name).read_bytes()


def test_a_link_leads_into_the_book_or_to_the_address_of_the_site(tmp_path: Path) -> None:
    need(CHROMIUM.exists(), "chromium (apt-get install chromium)")
    page = tmp_path / "site" / "laws" / "1" / "all" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(LITTLE, "utf-8")
    done = _books(tmp_path / "site", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    book = pdfium.PdfDocument(tmp_path / "out" / "laws-1-en-a5.pdf")
    assert [address if page < 0 else page for page, address in _links(book)] == [
        0,
        0,
        0,
        "https://laws.example/bridge/laws/1/7/",
        "https://laws.example/bridge/guides/2/",
        "https://other.example/2/",
    ]


def test_no_site_is_one_clear_line(tmp_path: Path) -> None:
    done = _books(tmp_path, tmp_path / "out")
    assert done.returncode == 2 and "kb build --only site" in done.stderr and "Traceback" not in done.stderr
