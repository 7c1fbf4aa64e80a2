"""DOCX: the paragraphs of a word processor's document, with the numbers it shows before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.read import bounds, xmltree
from kb.read.extract import Extract
from kb.read.markup import Paragraphs
from kb.read.numbering import Lists, count

_MAIN = "word/document.xml"
_OFF = ("0", "false", "off", "none")


def read(data: bytes, spec: SourceSpec) -> Extract:
    """A line a paragraph, automatic numbers written out, tables drawn, footnotes and endnotes below their
    paragraphs. Deleted text of tracked changes, headers and footers are left out.

    Raises InputError for what is no such document or beyond the bounds.
    """
    where = str(spec.path)
    archive = bounds.Archive(data, where)
    if _MAIN not in archive:
        raise InputError(f"{where}: no {_MAIN} in it, so no DOCX document (is the suffix right?)")
    body = xmltree.parse(archive.read(_MAIN), f"{where}: {_MAIN}").find("body")
    if body is None:
        raise InputError(f"{where}: {_MAIN} has no body (the file is damaged)")
    document = _Document(
        notes=_notes(archive, where, "footnote") | _notes(archive, where, "endnote"),
        lists=_lists(archive, where),
        styles=_styles(archive, where),
    )
    document.blocks(body)
    return document.out.writer.extract(spec.name, "utf-8")


class _Document:
    def __init__(
        self, notes: Mapping[tuple[str, str], str], lists: Lists, styles: Mapping[str, Element]
    ) -> None:
        self.out = Paragraphs()
        self.notes = notes
        self.lists = lists
        self.styles = styles

    def blocks(self, parent: Element) -> None:
        """Paragraphs and tables of a body, cell or text box, in order."""
        for child in parent:
            if child.tag == "p":
                self._paragraph(child)
            elif child.tag == "tbl":
                self._table(child)
            elif child.tag in ("sdt", "sdtContent", "ins", "customXml"):
                self.blocks(child)

    def _paragraph(self, paragraph: Element) -> None:
        self.out.paragraph_start()
        properties = paragraph.find("pPr")
        label = self._label(properties)
        if label:
            self.out.words(label + " ")
        self._runs(paragraph)
        if not "".join(paragraph.itertext()).strip():
            self.out.blank()
        self.out.paragraph_end()

    def _label(self, properties: Element | None) -> str:
        """The number that is shown before a paragraph: its own, else its style's."""
        numbering = properties.find("numPr") if properties is not None else None
        style = properties.find("pStyle") if properties is not None else None
        seen: set[str] = set()
        while numbering is None and style is not None and (name := style.get("val", "")) not in seen:
            seen.add(name)
            definition = self.styles.get(name)
            numbering = definition.find("pPr/numPr") if definition is not None else None
            style = definition.find("basedOn") if definition is not None else None
        if numbering is None:
            return ""
        return self.lists.label(_value(numbering, "numId"), count(_value(numbering, "ilvl"), 0))

    def _runs(self, parent: Element) -> None:
        for child in parent:
            if child.tag == "r":
                self._run(child)
            elif child.tag in ("hyperlink", "ins", "smartTag", "sdt", "sdtContent", "fldSimple", "moveTo"):
                self._runs(child)

    def _run(self, run: Element) -> None:
        properties = run.find("rPr")
        has_text = any(child.tag == "t" and (child.text or "").strip() for child in run)
        raised = properties is not None and _value(properties, "vertAlign") == "superscript"
        if has_text and not raised:
            self.out.style(_on(properties, "b"), _on(properties, "i"))
        for child in run:
            if child.tag == "t":
                (self.out.raised if raised else self.out.words)(child.text or "")
            elif child.tag == "tab":
                self.out.words(" ")
            elif child.tag in ("br", "cr") and child.get("type") not in ("page", "column"):
                self.out.line_break()
            elif child.tag == "noBreakHyphen":
                self.out.words("-")
            elif child.tag in ("footnoteReference", "endnoteReference"):
                note = self.notes.get((child.tag.removesuffix("Reference"), child.get("id", "")))
                if note:
                    self.out.note(note)

    def _table(self, table: Element) -> None:
        rows = [
            [
                " ".join(filter(None, (xmltree.text_of(p) for p in cell.iter("p"))))
                for cell in row
                if cell.tag == "tc"
            ]
            for row in table.iter("tr")
        ]
        if self.out.writer.table(rows):
            return
        for row in table:
            for cell in row:
                self.blocks(cell)


def _value(parent: Element, name: str) -> str:
    found = parent.find(name)
    return found.get("val", "") if found is not None else ""


def _on(properties: Element | None, name: str) -> bool:
    found = properties.find(name) if properties is not None else None
    return found is not None and found.get("val", "1") not in _OFF


def _part(archive: bounds.Archive, where: str, name: str) -> Element | None:
    return xmltree.parse(archive.read(name), f"{where}: {name}") if name in archive else None


def _notes(archive: bounds.Archive, where: str, kind: str) -> dict[tuple[str, str], str]:
    root = _part(archive, where, f"word/{kind}s.xml")
    notes: Iterable[Element] = root.findall(kind) if root is not None else []
    return {
        (kind, note.get("id", "")): " ".join("".join(t.text or "" for t in note.iter("t")).split())
        for note in notes
        if note.get("type") is None or note.get("type") == "normal"
    }


def _styles(archive: bounds.Archive, where: str) -> dict[str, Element]:
    root = _part(archive, where, "word/styles.xml")
    styles: Iterable[Element] = root.findall("style") if root is not None else []
    return {style.get("styleId", ""): style for style in styles}


def _lists(archive: bounds.Archive, where: str) -> Lists:
    lists = Lists()
    root = _part(archive, where, "word/numbering.xml")
    if root is None:
        return lists
    abstract = {one.get("abstractNumId", ""): one for one in root.findall("abstractNum")}
    for number in root.findall("num"):
        levels = abstract.get(_value(number, "abstractNumId"))
        for level in levels.findall("lvl") if levels is not None else []:
            lists.define(
                number.get("numId", ""),
                count(level.get("ilvl", ""), 0),
                _value(level, "numFmt") or "decimal",
                _value(level, "lvlText"),
                count(_value(level, "start"), 1),
            )
    return lists
