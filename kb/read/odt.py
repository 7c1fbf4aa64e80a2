"""ODT: the paragraphs of an open document, with the numbers it shows before them."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.read import bounds, xmltree
from kb.read.extract import Extract
from kb.read.markup import Paragraphs
from kb.read.numbering import Lists, count

_CONTENT = "content.xml"
_UNSEEN = ("tracked-changes", "annotation", "sequence-decls", "forms", "note-citation", "bookmark")


def read(data: bytes, spec: SourceSpec) -> Extract:
    """A line a paragraph, automatic numbers written out, tables drawn, notes below their paragraphs.
    Deleted text of tracked changes and comments are left out.

    Raises InputError for what is no such document, is encrypted or beyond the bounds.
    """
    where = str(spec.path)
    archive = bounds.Archive(data, where)
    if _CONTENT not in archive:
        raise InputError(f"{where}: no {_CONTENT} in it, so no ODT document (is the suffix right?)")
    if "META-INF/manifest.xml" in archive and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise InputError(f"{where}: encrypted (save it again without a password)")
    roots = [xmltree.parse(archive.read(_CONTENT), f"{where}: {_CONTENT}")]
    if "styles.xml" in archive:
        roots.append(xmltree.parse(archive.read("styles.xml"), f"{where}: styles.xml"))
    text = roots[0].find("body/text")
    if text is None:
        raise InputError(f"{where}: no text document (sheets and drawings are not read)")
    document = _Document(roots)
    document.blocks(text, "", 0)
    return document.out.writer.extract(spec.name, "utf-8")


class _Document:
    def __init__(self, roots: list[Element]) -> None:
        self.out = Paragraphs()
        self.styles = {style.get("name", ""): style for root in roots for style in root.iter("style")}
        self.lists = _lists(roots)

    def blocks(self, parent: Element, list_style: str, depth: int) -> None:
        """Paragraphs, lists and tables in order."""
        for child in parent:
            if child.tag in ("p", "h"):
                self._paragraph(child)
            elif child.tag == "list":
                self._list(child, list_style, depth)
            elif child.tag == "table":
                self._table(child)
            elif child.tag in ("section", "text-box", "index-body", "table-cell", "soft-page-break"):
                self.blocks(child, list_style, depth)

    def _list(self, element: Element, inherited: str, depth: int) -> None:
        style = element.get("style-name", "") or inherited
        for item in element:
            if item.tag not in ("list-item", "list-header"):
                continue
            label = self.lists.label(style, depth) if item.tag == "list-item" else ""
            if label:
                self.out.paragraph_start()
                self.out.words(label + " ")
            first = True
            for child in item:
                if child.tag in ("p", "h"):
                    self._paragraph(child, opened=first and bool(label))
                elif child.tag == "list":
                    self._list(child, style, depth + 1)
                first = False

    def _paragraph(self, paragraph: Element, opened: bool = False) -> None:
        if not opened:
            self.out.paragraph_start()
        self._inline(paragraph, False, False)
        if not "".join(paragraph.itertext()).strip():
            self.out.blank()
        self.out.paragraph_end()

    def _inline(self, element: Element, bold: bool, italic: bool) -> None:
        self._said(element.text, bold, italic)
        for child in element:
            if child.tag == "span":
                self._span(child, bold, italic)
            elif child.tag in ("s", "tab"):
                self.out.words(" ")
            elif child.tag == "line-break":
                self.out.line_break()
            elif child.tag == "note":
                body = child.find("note-body")
                if body is not None:
                    self.out.note(" ".join(xmltree.text_of(part) for part in body))
            elif child.tag not in _UNSEEN:
                self._inline(child, bold, italic)
            self._said(child.tail, bold, italic)

    def _span(self, span: Element, bold: bool, italic: bool) -> None:
        look = self._look(span.get("style-name", ""))
        if look.get("text-position", "").startswith(("super", "33", "58")):
            self.out.raised(xmltree.text_of(span))
            return
        weight, style = look.get("font-weight", ""), look.get("font-style", "")
        bold = weight in ("bold", "600", "700", "800", "900") if weight else bold
        italic = style in ("italic", "oblique") if style else italic
        self._inline(span, bold, italic)

    def _said(self, text: str | None, bold: bool, italic: bool) -> None:
        if text and text.strip():
            self.out.style(bold, italic)
        self.out.words(text or "")

    def _look(self, name: str) -> Mapping[str, str]:
        style = self.styles.get(name)
        properties = style.find("text-properties") if style is not None else None
        return properties.attrib if properties is not None else {}

    def _table(self, table: Element) -> None:
        rows = [
            [xmltree.text_of(cell) for cell in row if cell.tag == "table-cell"]
            for row in table.iter("table-row")
        ]
        if self.out.writer.table(rows):
            return
        for cell in table.iter("table-cell"):
            self.blocks(cell, "", 0)


def _lists(roots: list[Element]) -> Lists:
    lists = Lists()
    for root in roots:
        for style in root.iter("list-style"):
            for level in style.findall("list-level-style-number"):
                depth = count(level.get("level", ""), 1)
                several = min(depth, count(level.get("display-levels", ""), 1))
                places = ".".join(f"%{n}" for n in range(depth - several + 1, depth + 1))
                lists.define(
                    style.get("name", ""),
                    depth - 1,
                    level.get("num-format", ""),
                    level.get("num-prefix", "") + places + level.get("num-suffix", ""),
                    count(level.get("start-value", ""), 1),
                )
    return lists
