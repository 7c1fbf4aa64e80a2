"""The same lines of text as a file of each format, made with nothing but what is at hand."""

from __future__ import annotations

import ctypes
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf")
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OD = "urn:oasis:names:tc:opendocument:xmlns:"
XML = "<?xml version='1.0' encoding='utf-8'?>\n"


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of members, the same bytes every time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def html(lines: Sequence[str], body: str | None = None) -> bytes:
    """A page of a reader site: paragraphs between blank lines, a menu before and page numbers behind."""
    inside = body if body is not None else _paragraphs(lines)
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'><title>Сайт</title><script>menu()</script></head>"
        "<body><div class='top-menu'><a href='/'>Главная</a> | <a href='/forum'>Форум</a></div>"
        f"<div id='text'>{inside}</div>"
        "<div class='pagination'><a href='1'>1</a> <b>2</b> <a href='3'>3</a></div>"
        "<footer>© Сайт о настольных играх</footer></body></html>"
    ).encode()


def _paragraphs(lines: Sequence[str]) -> str:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(escape(line))
        elif blocks[-1]:
            blocks.append([])
    return "\n".join("<p>" + "<br>\n".join(block) + "</p>" for block in blocks if block)


def fb2(lines: Sequence[str], body: str | None = None) -> bytes:
    """A FictionBook: a <p> a line."""
    inside = body or "".join(f"<p>{escape(line)}</p>" if line.strip() else "<empty-line/>" for line in lines)
    return (
        XML + '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" '
        'xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>Книга</book-title>'
        f"</title-info></description><body><section>{inside}</section></body></FictionBook>"
    ).encode()


def epub(lines: Sequence[str]) -> bytes:
    """A book of one chapter, with its navigation."""
    chapter = f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{_paragraphs(lines)}</body></html>"
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="c" href="text/one%20chapter.xhtml" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="n"/><itemref idref="c"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": "<html><body><nav><ol><li>Глава</li></ol></nav></body></html>",
            "OEBPS/text/one chapter.xhtml": XML + chapter,
        }
    )


def docx(lines: Sequence[str], body: str | None = None, parts: Mapping[str, str] | None = None) -> bytes:
    """A DOCX document: a paragraph a line."""
    inside = body or "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in lines
    )
    document = f"{XML}<w:document {W}><w:body>{inside}<w:sectPr/></w:body></w:document>"
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": document, **(parts or {})})


def odt(lines: Sequence[str], body: str | None = None, styles: str = "") -> bytes:
    """An ODT document: a paragraph a line."""
    inside = body or "".join(f"<text:p>{escape(line)}</text:p>" for line in lines)
    content = (
        f'{XML}<office:document-content xmlns:office="{OD}office:1.0" xmlns:text="{OD}text:1.0" '
        f'xmlns:style="{OD}style:1.0" xmlns:fo="{OD}xsl-fo-compatible:1.0" xmlns:table="{OD}table:1.0">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{inside}</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def rtf(lines: Sequence[str], unicode: bool = False) -> bytes:
    """An RTF document, its letters in CP1251 or, with ``unicode``, as numbers."""

    def said(character: str) -> str:
        if character in "\\{}":
            return "\\" + character
        if character.isascii():
            return character
        if unicode:
            return f"\\u{ord(character) - 65536 * (ord(character) > 32767)}?"
        return "".join(f"\\'{byte:02x}" for byte in character.encode("cp1251", "replace"))

    body = "\\par\n".join("".join(map(said, line)) for line in lines)
    head = (
        "{\\rtf1\\ansi\\ansicpg1251\\deff0{\\fonttbl{\\f0\\fnil\\fcharset204 Times;}}{\\info{\\title x}}\\f0 "
    )
    return (head + body + "}").encode("ascii")


def pdf(lines: Sequence[str]) -> bytes:
    """A PDF with a text layer, 50 lines a page."""
    import pypdfium2
    from pypdfium2 import raw

    document = pypdfium2.PdfDocument.new()
    data = FONT.read_bytes()
    buffer = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
    font = raw.FPDFText_LoadFont(document, buffer, len(data), raw.FPDF_FONT_TRUETYPE, True)
    for start in range(0, len(lines), 50):
        page = document.new_page(595, 842)
        for number, line in enumerate(lines[start : start + 50]):
            if not line.strip():
                continue
            words = raw.FPDFPageObj_CreateTextObj(document, font, 9.0)
            encoded = (line + "\0").encode("utf-16-le")
            raw.FPDFText_SetText(words, (ctypes.c_uint16 * (len(encoded) // 2)).from_buffer_copy(encoded))
            raw.FPDFPageObj_Transform(words, 1, 0, 0, 1, 40, 800 - 15 * number)
            raw.FPDFPage_InsertObject(page, words)
        page.gen_content()
        page.close()
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def page_image(lines: Sequence[str], size: int = 40):
    """A page of text as a picture, black on white, about 300 dpi."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(str(FONT), size)
    width = 300 + max(round(font.getlength(line)) for line in lines)
    image = Image.new("L", (width, 300 + round(len(lines) * size * 1.55)), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((150, 150 + round(number * size * 1.55)), line, font=font, fill=0)
    return image


def image_bytes(image, form: str = "PNG", **options: object) -> bytes:
    """A picture as a file."""
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


WRAPPED: Mapping[str, Callable[[Sequence[str]], bytes]] = {
    ".html": html,
    ".fb2": fb2,
    ".epub": epub,
    ".docx": docx,
    ".odt": odt,
    ".rtf": rtf,
    ".pdf": pdf,
}
"""Suffix to what makes such a file of lines."""
