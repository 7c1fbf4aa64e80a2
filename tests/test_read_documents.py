"""Documents: the same text in each format, what each shows beside its letters, and hostile files."""

from __future__ import annotations

import dataclasses
import io
import os
import struct
import time
import zipfile
from pathlib import Path

import documents
import pytest
from documents import docx, fb2, html, odt, rtf, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import profile as profiles
from kb.errors import InputError, KbError, MissingExtra
from kb.pipeline import process_source
from kb.profile import SourceSpec
from kb.read import Received, bounds, formats, received
from kb.read.archive import member_name

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"


def spec(name: str, lang: str = "ru") -> SourceSpec:
    return SourceSpec(Path(name), name, "laws", "1987", lang)


def got(name: str, data: bytes) -> Received:
    return received(data, spec(name), "")


def lines(read: Received) -> list[str]:
    return [line for line in read.text.value.split("\n") if line.strip()]


def rules(read: Received) -> set[str]:
    return {edit.rule for edit in read.text.edits}


def nodes(sourced) -> list[tuple[object, ...]]:
    return [
        (str(n.ref), n.marker, n.title, n.text, n.tail, n.footnotes, n.complete, n.damaged, n.page)
        for n in sourced.parsed.nodes
    ]


# The same text in each format.


@pytest.mark.parametrize("suffix", sorted(documents.WRAPPED))
def test_a_scan_in_each_format_gives_the_same_nodes(tmp_path, suffix):
    for source in profiles.load(BRIDGE).sources:
        path = tmp_path / (source.path.stem + suffix)
        path.write_bytes(documents.WRAPPED[suffix](source.path.read_text("utf-8").split("\n")))
        wrapped = process_source(dataclasses.replace(source, path=path, name=path.name, sha256=""), BRIDGE)
        assert nodes(wrapped) == nodes(process_source(source, BRIDGE))
        assert not [f for f in wrapped.findings if f.kind in ("unaccounted", "encoding", "reading")]
        assert sum(a.chars for a in wrapped.accounts) == len(wrapped.info.text)


@pytest.mark.parametrize("suffix", [".html", ".fb2", ".docx", ".odt", ".rtf"])
def test_reading_is_the_same_every_time(suffix):
    data = documents.WRAPPED[suffix](["Статья 1. Карты", "(1) Карта лежит на столе."])
    first, second = got("a" + suffix, data), got("a" + suffix, data)
    assert first.raw == second.raw and first.text.edits == second.text.edits


# HTML.


def test_chrome_is_dropped_and_logged():
    read = got("a.html", html(["Статья 1. Карты", "Карта лежит на столе, пока судья не скажет иного."]))
    assert lines(read) == ["Статья 1. Карты", "Карта лежит на столе, пока судья не скажет иного."]
    assert "Главная" in read.raw and "Сайт о настольных играх" in read.raw
    assert "menu()" not in read.raw
    assert rules(read) == {"page-chrome"}  # the bold one of the page numbers with the others


def test_a_page_with_its_main_part_marked():
    article = "Статья 1. Карты лежат на столе, пока судья не скажет иного; потом их собирает секретарь."
    body = f"<p>Новости</p><main><p>{article}</p></main><div>Ещё раз новости</div>"
    assert lines(got("a.html", html([], body))) == [article]


def test_rows_of_links_are_navigation_and_citations_in_a_text_are_none():
    links = "".join(f"<a href='{n}'>Статья {n}</a> " for n in range(9))
    body = f"<ul>{links}</ul><p>Смотри <a href='7'>статью 7</a>, <a href='8'>статью 8</a>: они о картах.</p>"
    read = got("a.html", html([], body))
    assert lines(read) == ["Смотри статью 7, статью 8: они о картах."]
    assert "page-navigation" in rules(read)


def test_emphasis_stands_in_the_raw_text_only():
    read = got("a.html", html([], "<p>Игрок <b>обязан</b> положить <i>свою </i>карту.</p>"))
    assert "Игрок *обязан* положить _свою _карту." in read.raw
    assert lines(read) == ["Игрок обязан положить свою карту."]
    dropped = [edit for edit in read.text.edits if edit.rule == "emphasis" and edit.before == "_"]
    assert [read.raw[edit.start] for edit in dropped] == ["_", "_"]


def test_raised_signs():
    body = "<p>Статья 7<sup>1</sup>. Карты<sup>*</sup> и столы <sup>2</sup>, 2<sup>я</sup> очередь</p>"
    assert lines(got("a.html", html([], body))) == ["Статья 7¹. Карты(*) и столы (2), 2я очередь"]


def test_a_note_stands_below_its_paragraph():
    body = (
        "<p>Карта<a href='#n1'><sup>1</sup></a> лежит<sup><a href='#n2'>2</a></sup>.</p><p>Дальше.</p>"
        "<ol><li id='n1'>Любая карта. <a href='#r1'>↩</a></li></ol><p id='n2'>2) На столе.</p>"
    )
    assert lines(got("a.html", html([], body))) == [
        "Карта(*) лежит(**).",
        "(*) - Любая карта.",
        "(**) - На столе.",
        "Дальше.",
    ]


def test_numbers_of_lists_are_those_a_browser_shows():
    inner = "<ol type='i'><li>и</li><li>ещё</li></ol>"
    body = f"<ol type='A' start='3'><li>раз{inner}</li><li>два</li></ol><ul><li>точка</ul>"
    assert lines(got("a.html", html([], body))) == ["C. раз", "i. и", "ii. ещё", "D. два", "точка"]


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("list-style-type: upper-alpha", ["A. раз", "B. два"]),
        ("margin: 0; list-style: lower-roman inside", ["i. раз", "ii. два"]),
        ("list-style:none", ["раз", "два"]),
        ("list-style: inside", ["1. раз", "2. два"]),
    ],
)
def test_numbers_of_lists_as_their_style_says(style, shown):
    body = f"<ol style='{style}'><li>раз</li><li>два</li></ol>"
    assert lines(got("a.html", html([], body))) == shown


def test_tables_of_data_are_drawn_and_tables_for_layout_are_not():
    body = "<table><tr><th>Место</th><th>Очки</th></tr><tr><td>1</td><td>12</td></tr></table>"
    assert lines(got("a.html", html([], body)))[:2] == ["┌───────┬──────┐", "│ Место │ Очки │"]
    layout = "<table><tr><td><p>Левая колонка</p></td><td><p>Статья 1. Карты</p></td></tr></table>"
    assert lines(got("a.html", html([], layout))) == ["Левая колонка", "Статья 1. Карты"]


@pytest.mark.parametrize("number", ["A.", "12", "(а)", "65.2.", "§ 3"])
def test_a_number_in_a_cell_of_its_own_stands_before_the_text_beside_it(number):
    long = "Когда во взятку сыграны все карты, каждый игрок кладёт свою карту лицевой стороной вниз."
    rows = f"<tr><td>{number}</td><td><p><b>Порядок</b></p>{long}</td></tr><tr><td>{long}</td></tr>"
    read = got("a.html", html([], f"<table>{rows}</table><dl><dt>{number}</dt><dd>Игрок</dd></dl>"))
    assert lines(read) == [f"{number} Порядок", long, long, f"{number} Игрок"]


def test_preformatted_text_keeps_its_lines():
    read = got("a.html", html([], "<pre>Статья 1\n  (1) Карта\n</pre>"))
    assert lines(read) == ["Статья 1", "  (1) Карта"]


@pytest.mark.parametrize(
    ("head", "written"),
    [("<meta charset='windows-1251'>", "cp1251"), ("<meta charset='utf-8'>", "koi8-r"), ("", "cp866")],
)
def test_a_declared_encoding_is_taken_where_it_fits(head, written):
    page = f"<html><head>{head}</head><body><p>Правила о картах и столах, игроках и судьях.</p></body></html>"
    read = got("a.html", page.encode(written))
    assert lines(read) == ["Правила о картах и столах, игроках и судьях."] and read.encoding == written


# Other documents.


def test_fb2_notes_emphasis_and_pictures():
    body = (
        "<title><p>Правила</p></title><p>Карта <strong>лежит</strong><a l:href='#n1' type='note'>1</a> "
        "на столе 7<sup>1</sup>.</p><image l:href='#p.png'/><empty-line/><p>Дальше&nbsp;так.</p>"
        "</section></body>"
        "<body name='notes'><section id='n1'><title><p>1</p></title><p>Любая.</p></section></body>"
        "<body><section>"
    )
    read = got("a.fb2", fb2([], body))
    assert lines(read) == ["Правила", "Карта лежит(*) на столе 7¹.", "(*) - Любая.", "Дальше так."]
    assert "*лежит*" in read.raw and rules(read) == {"emphasis"}


def test_docx_numbers_notes_tables_and_tracked_changes():
    def paragraph(inside: str, number: str = "") -> str:
        properties = (
            f'<w:pPr><w:numPr><w:ilvl w:val="{number[0]}"/><w:numId w:val="{number[1]}"/></w:numPr></w:pPr>'
            if number
            else ""
        )
        return f"<w:p>{properties}{inside}</w:p>"

    def run(text: str, look: str = "") -> str:
        return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'

    body = (
        paragraph(run("Карты", "<w:b/>"), "05")
        + paragraph(run("лежат") + '<w:r><w:footnoteReference w:id="2"/></w:r>', "15")
        + paragraph(run("стоят"), "15")
        + paragraph(run("Столы ") + f"<w:ins>{run('новые')}</w:ins><w:del>{run('старые')}</w:del>", "05")
        + paragraph(run("Статья 7") + run("1", '<w:vertAlign w:val="superscript"/>'))
        + "<w:tbl>"
        + "".join(
            "<w:tr>" + "".join(f"<w:tc><w:p>{run(cell)}</w:p></w:tc>" for cell in row) + "</w:tr>"
            for row in (("Место", "Очки"), ("1", "12"))
        )
        + "</w:tbl>"
    )
    levels = (
        '<w:lvl w:ilvl="0"><w:start w:val="2"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="russianLower"/><w:lvlText w:val="%2)"/></w:lvl>'
    )
    parts = {
        "word/numbering.xml": f'<w:numbering {documents.W}><w:abstractNum w:abstractNumId="9">{levels}'
        '</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="9"/></w:num></w:numbering>',
        "word/footnotes.xml": f'<w:footnotes {documents.W}><w:footnote w:id="0" w:type="separator"/>'
        f'<w:footnote w:id="2"><w:p>{run("Все.")}</w:p></w:footnote></w:footnotes>',
    }
    read = got("a.docx", docx([], body, parts))
    assert lines(read) == [
        "II. Карты",
        "а) лежат(*)",
        "(*) - Все.",
        "б) стоят",
        "III. Столы новые",
        "Статья 7¹",
        "┌───────┬──────┐",
        "│ Место │ Очки │",
        "│ 1     │ 12   │",
        "└───────┴──────┘",
    ]


def test_odt_lists_notes_and_emphasis():
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" '
        'style:num-suffix=")"/></text:list-style>'
        '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
        '<style:style style:name="U"><style:text-properties style:text-position="super 58%"/></style:style>'
    )
    body = (
        '<text:list text:style-name="L"><text:list-item><text:p>Карты</text:p><text:list><text:list-item>'
        "<text:p>лежат</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Столы"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Все.</text:p>"
        "</text:note-body></text:note></text:p></text:list-item></text:list>"
        '<text:p>Статья<text:s/>7<text:span text:style-name="U">1</text:span> '
        '<text:span text:style-name="B">важна</text:span><text:line-break/>и нова</text:p>'
    )
    read = got("a.odt", odt([], body, styles))
    assert lines(read) == ["1. Карты", "a) лежат", "2. Столы(*)", "(*) - Все.", "Статья 7¹ важна", "и нова"]
    assert "*важна*" in read.raw


@pytest.mark.parametrize("unicode", [True, False])
def test_rtf(unicode):
    assert lines(got("a.rtf", rtf(["Статья 1. {Карты}", "лежат"], unicode))) == ["Статья 1. {Карты}", "лежат"]


def test_rtf_notes_emphasis_and_what_is_no_text():
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\*\generator x;}{\header top}{\pict\bin4 }}}}}The {\b card}{\super 1}"
        rb"{\footnote {\super 1} Any card.} lies{\v hidden} \u8212?\~here.\par {\listtext a)\tab}one\line two"
        rb"{\*\bkmkstart q}\par 7{\super 1}}"
    )
    read = got("a.rtf", data)
    assert lines(read) == ["The card(1)(*) lies — here.", "(*) - 1 Any card.", "a) one", "two", "7¹"]
    assert "*card" in read.raw


def test_pages_of_a_pdf_run_on():
    text = [f"Строка {number} этой статьи о картах и столах." for number in range(70)]
    assert lines(got("a.pdf", documents.pdf(text))) == text


# Archives.


def zip_of(names: dict[bytes, bytes]) -> bytes:
    """An archive whose names are raw bytes, without the UTF-8 flag, as DOS and Windows made them."""
    data = zipped(
        {f"{number:04d}".ljust(len(name), "x"): body for number, (name, body) in enumerate(names.items())}
    )
    for number, name in enumerate(names):
        data = data.replace(f"{number:04d}".ljust(len(name), "x").encode(), name)
    return data


@pytest.mark.parametrize("page", ["cp866", "utf-8"])
def test_names_of_members_in_an_old_archive(page):
    data = zip_of({"Правила/статья 10.txt".encode(page): b"ten", "Правила/статья 2.txt".encode(page): b"two"})
    names = sorted(member_name(info) for info in zipfile.ZipFile(io.BytesIO(data)).infolist())
    assert names == ["Правила/статья 10.txt", "Правила/статья 2.txt"]
    read = got("a.zip", data)
    assert read.raw == "two\n\f\nten"  # 2 before 10, and nothing runs from one into the other


def test_members_of_many_formats_and_what_is_none():
    data = zipped(
        {
            "1.html": html([], "<p>Карта <b>лежит</b>.</p>"),
            "2/scan.txt": "Стол стоит.".encode("cp866"),
            "3.zip": zipped({"in.txt": "Внутри."}),
            "cover.jpx": b"x",
            "__MACOSX/1.html": b"x",
        }
    )
    read = got("a.zip", data)
    assert read.text.value.split() == ["Карта", "лежит.", "Стол", "стоит.", "Внутри."]
    assert read.text.value.count("\n\f\n") == 2
    assert [f.message for f in read.findings if f.kind == "reading"] == [
        "members that are no texts, left out: cover.jpx"
    ]
    for edit in read.text.edits:
        assert read.raw[edit.start : edit.end] == edit.before


def test_paths_in_an_archive_lead_nowhere_else():
    assert member_name(zipfile.ZipInfo("../../etc/passwd")) == "etc/passwd"
    assert member_name(zipfile.ZipInfo("C:\\TEXT\\a.txt")) == "C:/TEXT/a.txt"


# Hostile files: one line, at once, in little memory.

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 if n else str()};" * 10}">' for n in range(1, 12))
    + "]><FictionBook><body><p>&a11;</p></body></FictionBook>"
)
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><FictionBook><body><p>&e;</p></body></FictionBook>'
)


def bomb(size: int = 150 * 1024**2) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as one,
    ):
        for _ in range(size // 1024**2):
            one.write(b"\0" * 1024**2)
    return out.getvalue()


def lying() -> bytes:
    """An archive whose header says that a member is small."""
    data = bytearray(zipped({"content.xml": b"<x>" + b"a" * 9_000_000}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark)
        data[at + offset : at + offset + 4] = struct.pack("<I", 10)
    return bytes(data)


def nested(levels: int) -> bytes:
    data = zipped({"a.txt": "text"})
    for _ in range(levels):
        data = zipped({"a.zip": data})
    return data


HOSTILE = {
    "billion laughs": ("a.fb2", LAUGHS.encode(), "entities of its own"),
    "an entity from outside": ("a.fb2", OUTSIDE.encode(), "entities of its own"),
    "an entity in a DOCX": ("a.docx", zipped({"word/document.xml": OUTSIDE}), "entities of its own"),
    "an entity in an EPUB": ("a.epub", zipped({"META-INF/container.xml": OUTSIDE}), "entities of its own"),
    "a zip bomb": ("a.docx", bomb(), "more than 200 times its size"),
    "a member that lies": ("a.odt", lying(), "content.xml"),
    "too many members": ("a.zip", zipped({f"{n}.txt": "" for n in range(10_001)}), "10,001 entries"),
    "archives in archives": ("a.zip", nested(4), "archives in archives"),
    "elements too deep": ("a.fb2", b"<a>" * 100_000, "elements 401 deep"),
    "too many elements": ("a.html", b"<p>" * 700_000, "700,000 elements"),
    "groups too deep": ("a.rtf", b"{\\rtf1" + b"{" * 100_000, "groups too deep"),
    "cut XML": ("a.fb2", fb2(["Карты"])[:-40], "not well-formed XML, line"),
    "a cut archive": ("a.docx", docx(["Карты"])[:-30], "a broken archive"),
    "a cut PDF": ("a.pdf", b"%PDF-1.7\n1 0 obj", "not a readable PDF"),
    "a cut image": ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image"),
    "an archive of nothing": ("a.zip", zipped({}), "no member that can be read"),
    "no EPUB": ("a.epub", zipped({"x": "y"}), "META-INF/container.xml is not in it"),
    "no DOCX": ("a.docx", zipped({"x": "y"}), "no word/document.xml in it"),
    "no ODT": ("a.odt", zipped({"x": "y"}), "no content.xml in it"),
    "no RTF": ("a.rtf", b"hello", "does not begin with"),
    "no FB2": ("a.fb2", b"<html/>", "no FictionBook"),
    "an empty page": ("a.html", b"<html><body> </body></html>", "no text in it"),
    "NULs": ("a.txt", b"text\0\0\0text", "binary data"),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_files_are_refused_in_one_line(name):
    file, data, message = HOSTILE[name]
    with pytest.raises(InputError) as caught:
        got(file, data)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith(file)


def test_an_encrypted_member():
    data = bytearray(zipped({"a.txt": "text"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(InputError, match=r"a\.txt: cannot be unpacked"):
        got("a.zip", bytes(data))


@pytest.mark.parametrize(
    "opening", [b"<a", b"<!--", b"<![CDATA[", b"&#", b"<!", b"<?", b"</", b"<script>", b"<b>"]
)
def test_html_that_never_ends_is_read_at_once(opening):
    body = b"<p>Text.</p>" + opening * (200_000 // len(opening))
    started = time.process_time()
    try:
        assert "Text." in got("a.html", body).raw
    except KbError as error:
        assert "\n" not in str(error)
    assert time.process_time() - started < 60  # it was minutes with a parser that looks back


def test_a_huge_line_is_a_line():
    text = "карта " * 500_000
    assert got("a.txt", text.encode("cp866")).raw == text
    assert len(got("a.html", html([], f"<p>{text}</p>")).raw) > 2_900_000


def test_nothing_is_fetched(monkeypatch):
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a reader went to the network")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    page = html(
        [], "<p>Карта.<img src='http://example.invalid/x.png'></p><link href='http://example.invalid/x.css'>"
    )
    assert lines(got("a.html", page)) == ["Карта."]
    doctype = b'<!DOCTYPE FictionBook SYSTEM "http://example.invalid/x.dtd">'
    book = fb2(["Карта."])
    at = book.index(b"<FictionBook")
    with_doctype = book[:at] + doctype + book[at:]
    try:
        assert lines(got("a.fb2", with_doctype)) == ["Карта."]
    except InputError as error:
        assert "entities" in str(error)


def test_a_source_is_a_regular_file_of_some_size(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(InputError, match="not a file"):
            bounds.read_file(path)
    monkeypatch.setattr(bounds, "FILE_BYTES", 3)
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(InputError, match="4 bytes, more than the bound of 3"):
        bounds.read_file(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("suffix", "module", "advice"),
    [(".html", "lxml.etree", "documents"), (".pdf", "pypdfium2", "pdf"), (".png", "PIL", "ocr")],
)
def test_an_absent_package_is_named(monkeypatch, suffix, module, advice):
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    if "." in module:
        monkeypatch.setitem(sys.modules, module.partition(".")[0], None)
    with pytest.raises(MissingExtra, match=rf'pip install "lawkb\[{advice}\]"') as caught:
        got("a" + suffix, b"<p>x</p>" if suffix == ".html" else b"x")
    assert "\n" not in str(caught.value)


def test_plain_text_loads_no_heavy_package():
    import subprocess
    import sys

    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, kb.read, kb.read.plain; "
            "print(*{'lxml', 'bs4', 'PIL', 'pypdfium2', 'chardet', 'ftfy'} & set(sys.modules))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == ""


def test_every_format_is_tried_here():
    tried = set(documents.WRAPPED) | {".txt", ".zip", ".png", ".jpg", ".tif"}
    modules = {formats.READERS[suffix] for suffix in tried}
    assert modules == set(formats.READERS.values())


DEEP = 396
NESTED = {
    "a.fb2": b"<FictionBook><body>"
    + b"<section>" * DEEP
    + b"<p>x</p>"
    + b"</section>" * DEEP
    + b"</body></FictionBook>",
    "a.docx": docx(
        [], "<w:ins>" * (DEEP - 5) + "<w:p><w:r><w:t>x</w:t></w:r></w:p>" + "</w:ins>" * (DEEP - 5)
    ),
    "b.docx": docx(
        [], "<w:p>" + "<w:ins>" * (DEEP - 3) + "<w:r><w:t>x</w:t></w:r>" + "</w:ins>" * (DEEP - 3) + "</w:p>"
    ),
    "a.odt": odt(
        [], "<text:p>" + "<text:span>" * (DEEP - 4) + "x" + "</text:span>" * (DEEP - 4) + "</text:p>"
    ),
    "b.odt": odt(
        [], "<text:list><text:list-item>" * 190 + "<text:p>x</text:p>" + "</text:list-item></text:list>" * 190
    ),
    "a.html": b"<div>" * 20_000 + b"x",
    "b.html": b"<b>" * 20_000 + b"x",
    "a.rtf": b"{\\rtf1 " + b"{\\b " * 390 + b"x" + b"}" * 391,
}


@pytest.mark.parametrize("name", sorted(NESTED))
def test_as_deep_as_the_bounds_allow(name):
    assert lines(got(name, NESTED[name])) == ["x"]


def _damaged(data: bytes, changes: list[tuple[int, int, int]]) -> bytes:
    body = bytearray(data)
    for kind, place, value in changes:
        at = place % max(1, len(body))
        if kind == 0:
            body[at : at + 1] = bytes([value])
        elif kind == 1:
            del body[at : at + value % 40]
        elif kind == 2:
            body[at:at] = body[at : at + value % 80]
        else:
            body[at:at] = [b'"', b"<", b"{", b"\\u", b"&#", b"-1", b"\0", b"999999999"][value % 8]
    return bytes(body)


SAMPLES = {
    **{
        suffix: make(["Статья 1. Карты", "(1) Карта <лежит>.", "", "A. Стол"])
        for suffix, make in documents.WRAPPED.items()
    },
    ".zip": zipped({"1.txt": "Текст.".encode("cp866"), "2.zip": zipped({"a.rtf": rtf(["Карты"])})}),
    ".txt": "Статья 1. Карты\r\n(1) Карта лежит.\r\n\x1a".encode("cp866"),
}


@pytest.mark.parametrize("suffix", sorted(SAMPLES))
@given(
    changes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1 << 20), st.integers(0, 255)), max_size=12),
    inside=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_damaged_documents_are_read_or_refused(suffix, changes, inside):
    data = SAMPLES[suffix]
    if inside and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:  # the members damaged, the archive whole
            data = zipped({name: _damaged(archive.read(name), changes) for name in archive.namelist()})
    else:
        data = _damaged(data, changes)
    try:
        read = got("a" + suffix, data)
    except KbError as error:
        assert "\n" not in str(error)
    else:
        for edit in read.text.edits:
            assert read.raw[edit.start : edit.end] == edit.before
