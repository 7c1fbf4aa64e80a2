"""HTML as reader sites serve it: the text found, the site's own parts dropped and logged."""

from __future__ import annotations

import codecs
import re
import warnings
from typing import TYPE_CHECKING, Any

from kb.errors import InputError, MissingExtra
from kb.lang import codepages, words
from kb.profile import SourceSpec
from kb.read import bounds, plain
from kb.read.chrome import find_chrome
from kb.read.extract import Extract, Writer
from kb.read.markup import Paragraphs
from kb.read.numbering import FORMATS, count

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

UNSEEN = words(
    "script style template noscript head iframe object embed svg select option textarea input audio video "
    "canvas map datalist title"
)
APART = words("p h1 h2 h3 h4 h5 h6 blockquote ul ol dl table pre hr figure section article")
"""Blocks with a blank line around them, as they are shown."""
BLOCKS = APART | words(
    "div li dt dd tr td th tbody thead tfoot caption center address main nav header footer aside form "
    "fieldset details summary figcaption body html"
)
EMPHASIS = {"b": "*", "strong": "*", "i": "_", "em": "_"}
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_NUMBERED = re.compile(r"[\[(§№]{0,2}\s?\w{1,4}(?:[.\-]\w{1,3}){0,4}[.)\]:]{0,2}")
"""A cell of nothing but the number of what stands in the cell beside it."""
_LIST_STYLE = re.compile(
    r"list-style(?:-type)?\s*:[^;]*?\b(none|(?:decimal|(?:lower|upper)-(?:\w+)))(?![\w-])", re.I
)
_STYLES = {
    "decimal": "1",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    "none": "",
}
"""What a style sheet calls the numbers of a list."""
_BACK = re.compile(r"^[\s↩↑^\[\]()*\d.]*")


def read(data: bytes, spec: SourceSpec) -> Extract:
    """The words of a page, a line for each block it shows.

    Bold and italic words keep their marks in ``raw`` (``*so*``, ``_so_``), dropped from the text by logged
    edits, and so are navigation, pagination and whatever else is the site's and not the text's. A raised
    star becomes ``(*)``, a raised number behind a digit ``7¹``; a raised number that leads to a note, the
    mark ``(*)`` with the note below its paragraph. Nothing is fetched. Raises InputError for a document
    beyond the bounds, MissingExtra without lxml.
    """
    value, encoding, margin, rival = decode(data, spec)
    writer = Writer()
    Walk(writer).document(soup_of(value, str(spec.path)))
    return writer.extract(spec.name, encoding, margin, rival=rival)


def decode(data: bytes, spec: SourceSpec) -> tuple[str, str, float, str]:
    """A page's text, its encoding, the margin and the rival: the stated one, the declared one where it
    fits, else a detected one."""
    found = None if spec.encoding else _CHARSET.search(data[:4096])
    if found and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = found.group(1).decode("ascii").lower().removeprefix("x-")
        try:
            codec = codecs.lookup(name).name
            value = data.decode(codec)
        except (LookupError, UnicodeError):
            pass
        else:
            if codec.startswith("utf-8") or codepages.cost(value[:200_000]) < 6:
                return value, codec, 1.0, ""
    extract = plain.read(data, spec)
    return extract.raw.removeprefix("\ufeff"), extract.encoding, extract.margin, extract.rival


def soup_of(value: str, where: str) -> BeautifulSoup:
    """The parsed page. Raises InputError when it has too many elements, MissingExtra without lxml."""
    opened = value.count("<")
    if opened > 2 * bounds.ELEMENTS:
        raise bounds.too_large(where, f"{opened:,} elements", f"{2 * bounds.ELEMENTS:,}")
    try:
        import lxml.etree
        from bs4 import BeautifulSoup
    except ImportError:
        raise MissingExtra(f'{where}: HTML needs lxml (pip install "lawkb[documents]")') from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that XHTML is XML, that a short page looks like an address
            return BeautifulSoup(value.replace("\0", ""), "lxml")
    except (ValueError, AssertionError, lxml.etree.LxmlError) as error:
        raise InputError(f"{where}: not readable as HTML: {bounds.one_line(error)}") from None


class Walk:
    """Writes the elements of a page, in their order, without recursion: some pages nest thousands deep."""

    def __init__(self, writer: Writer) -> None:
        self.out = Paragraphs(writer)
        self.writer = writer
        self.notes: dict[str, str] = {}
        """Id of a note -> its text."""
        self.pre = 0
        self.counters: list[tuple[str, int]] = []
        self.chrome: dict[int, str] = {}
        self.taken: set[int] = set()
        self.numbered: tuple[Any, int] = (None, 0)
        """The cell beside a number, and where that was written."""

    def document(self, soup: BeautifulSoup) -> None:
        """Everything a page shows."""
        body = soup.body or soup
        self._collect_notes(body)
        self.chrome = find_chrome(body, UNSEEN)
        self.element(body)
        self.out.flush_notes()

    def element(self, root: Tag) -> None:
        """One element with all below it."""
        from bs4 import NavigableString, Tag
        from bs4.element import PreformattedString

        stack: list[tuple[Any, int | None]] = [(root, None)]
        while stack:
            node, start = stack.pop()
            if start is not None:
                self._leave(node, start)
            elif isinstance(node, Tag):
                if node.name in UNSEEN or node.has_attr("hidden") or id(node) in self.taken:
                    continue
                at = self._enter(node)
                if at is not None:
                    stack.append((node, at))
                    stack += [(child, None) for child in reversed(node.contents)]
            elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
                self._text(str(node))

    def _text(self, value: str) -> None:
        if self.pre:
            self.writer.verbatim(value.replace("\r\n", "\n").replace("\r", "\n"))
        else:
            self.writer.words(value)

    def _enter(self, node: Tag) -> int | None:
        """Begin an element; the place it starts at, or None when it is done with already."""
        name = node.name
        if name == "br":
            self.writer.line_end(blank=self.writer.at_line_start)
            return None
        if name == "sup" and self._raised(node):
            return None
        if name == "a" and self._note_link(node):
            return None
        if name == "table" and self.writer.table(_rows(node)):
            return None
        if name in BLOCKS and not self._beside_number(node):
            self.out.flush_notes()
            self.writer.line_end(blank=name in APART)
        start = self.writer.size
        if name == "pre":
            self.pre += 1
        elif name in ("ol", "ul"):
            first = str(node.get("start", "1"))
            self.counters.append((_list_kind(node), count(first, 1)))
        elif name == "li":
            self._label(node)
        elif name in EMPHASIS:
            self.writer.mark(EMPHASIS[name], "emphasis")
        return start

    def _leave(self, node: Tag, start: int) -> None:
        name = node.name
        if name == "pre":
            self.pre -= 1
        elif name in ("ol", "ul"):
            self.counters.pop()
        elif name in EMPHASIS:
            self.writer.mark(EMPHASIS[name], "emphasis")
        if name in ("td", "th", "dt") and _NUMBERED.fullmatch(node.get_text().strip()):
            self.writer.words(" ")
            self.numbered = node.find_next_sibling(), self.writer.size
        elif name in BLOCKS:
            self.writer.line_end()
            self.out.flush_notes()
            self.writer.line_end(blank=name in APART)
        if id(node) in self.chrome:
            self.writer.line_end()
            self.writer.drop_from(start, self.chrome[id(node)])

    def _beside_number(self, node: Tag) -> bool:
        """Of a table set for its looks: the cell beside a number, and the block that it begins with."""
        cell, size = self.numbered
        return cell is not None and size == self.writer.size and (node is cell or cell in node.parents)

    def _label(self, node: Tag) -> None:
        """The number that a browser shows before an item of an ordered list."""
        if not self.counters or not self.counters[-1][0]:
            return
        kind, number = self.counters[-1]
        stated = str(node.get("value", ""))
        number = count(stated, number)
        self.counters[-1] = (kind, number + 1)
        self.writer.words(f"{FORMATS.get(kind, str)(number)}. ")

    # Notes.

    def _raised(self, node: Tag) -> bool:
        """A star or number in <sup>; False for anything else."""
        link = node.find("a")
        if link is not None and self._note_link(link):
            return True
        said = node.get_text()
        if not said.strip().strip("()[]*").isdigit() and said.strip().strip("()[]*"):
            return False  # raised words
        self.out.raised(said)
        return True

    def _note_link(self, node: Any) -> bool:
        """A link to a note: a mark now, and the note below this paragraph."""
        note = self.notes.get(str(node.get("href", "")).rpartition("#")[2])
        if not note or not str(node.get("href", "")).rpartition("#")[1]:
            return False
        self.out.note(note)
        return True

    def _collect_notes(self, body: Tag) -> None:
        """Notes of this page: what a raised link points to, where that is a short block of its own."""
        for link in body.find_all("a", href=True):
            raised = (
                link.find_parent("sup") or link.find("sup") or "noteref" in str(link.get("epub:type", ""))
            )
            target = str(link["href"])
            if not raised or not target.startswith("#") or len(target) < 2:
                continue
            place = body.find(id=target[1:]) or body.find(attrs={"name": target[1:]})
            while place is not None and place.name not in BLOCKS:
                place = place.parent
            if place is None or place.name in ("body", "html", "main", "article"):
                continue
            if id(place) not in self.taken and link not in place.descendants:
                self.notes[target[1:]] = note_text(place.get_text(" "))
                self.taken.add(id(place))


def note_text(said: str) -> str:
    """A note without the number, star or arrow it begins with and the arrow it ends with."""
    return " ".join(_BACK.sub("", said).rstrip(" \n\t↩↑↵\ufe0e").split())


def _list_kind(node: Tag) -> str:
    """How a browser numbers the items of a list; empty for bullets, or for nothing at all."""
    own = "1" if node.name == "ol" else ""
    styled = _LIST_STYLE.search(str(node.get("style", "")))
    return _STYLES.get(styled.group(1).lower(), own) if styled else str(node.get("type", own)) if own else ""


def _rows(table: Tag) -> list[list[str]]:
    """The cells of a table's rows; none for one that holds other blocks, which then is a layout."""
    if table.find(["table", "p", "div", "ul", "ol", "h1", "h2", "h3", "h4"]) or table.find_parent("table"):
        return []
    return [
        [" ".join(cell.get_text(" ").split()) for cell in row.find_all(["td", "th"])]
        for row in table.find_all("tr")
    ]
