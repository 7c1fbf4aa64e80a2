"""RTF, read to the words it shows: styles, pictures and other programs' data left out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from kb.errors import InputError
from kb.lang import words
from kb.profile import SourceSpec
from kb.read import bounds
from kb.read.extract import Extract
from kb.read.markup import Paragraphs

_TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<arg>-?\d{1,10})? ?|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<sign>[^A-Za-z])"
    rb"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)|\\\Z",
    re.DOTALL,
)
_SKIPPED = words(
    "fonttbl colortbl stylesheet info pict object objdata themedata colorschememapping datastore generator "
    "header headerl headerr headerf footer footerl footerr footerf fldinst listtable listoverridetable "
    "rsidtbl revtbl filetbl xmlnstbl latentstyles bkmkstart bkmkend pgptbl mmathPr nonshppict background "
    "annotation atnid atnauthor atntime atnref atndate pntxta pntxtb pnseclvl ftnsep ftnsepc aftnsep aftnsepc"
)
_SIGNS = {
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "tab": " ",
    "cell": " ",
    "nestcell": " ",
    "emspace": " ",
    "enspace": " ",
}
_ENDS = words("par line row nestrow sect page")
_CHARSETS = {204: "cp1251", 238: "cp1250", 161: "cp1253", 162: "cp1254", 186: "cp1257", 0: "", 1: ""}
_PAGES = {"pc": "cp437", "pca": "cp850", "mac": "mac_roman"}
_FONT = re.compile(rb"\\f(\d{1,6})(?:\\(?!f\d)[a-z]+\d* ?|\{[^{}]{0,200}\}){0,12}?\\fcharset(\d{1,3})")


@dataclass(frozen=True, slots=True)
class _State:
    """What a group inherits and gives back at its end."""

    skipped: bool = False
    bold: bool = False
    italic: bool = False
    raised: bool = False
    hidden: bool = False
    font: int = -1
    skip: int = 1
    """Characters that stand in for one of ``\\u``, for programs that know none."""
    note: bool = False


def read(data: bytes, spec: SourceSpec) -> Extract:
    """A line a paragraph, footnotes below the paragraphs that call for them, shown list numbers kept.

    Raises InputError for what is no RTF, or nests beyond the bounds.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise InputError(f"{spec.path}: no RTF (it does not begin with {{\\rtf): is the suffix right?")
    document = _Document(data, spec)
    document.run()
    return document.out.writer.extract(spec.name, document.page)


class _Document:
    def __init__(self, data: bytes, spec: SourceSpec) -> None:
        self.data = data
        self.where = str(spec.path)
        self.out = Paragraphs()
        self.page = spec.encoding or "cp1252"
        self.fixed = bool(spec.encoding)
        self.fonts = {
            int(number): _CHARSETS.get(int(charset), "")
            for number, charset in _FONT.findall(data[:1_000_000])
        }
        self.stack: list[_State] = []
        self.state = _State()
        self.bytes = bytearray()
        self.fallback = 0
        self.starred = False
        self.note: list[str] | None = None
        self.units: list[str] = []

    def run(self) -> None:
        """Read all of it."""
        at = 0
        for match in _TOKEN.finditer(self.data):
            if match.start() < at:
                continue  # inside the raw bytes of a picture
            kind = match.lastgroup
            if kind == "hex":
                self._byte(bytes([int(match.group("hex"), 16)]))
            elif kind == "text":
                self._byte(match.group("text"))
            elif kind == "brace":
                self._flush()
                self._brace(match.group())
            elif kind == "sign":
                self._sign(match.group("sign"))
            elif match.group("word"):
                word = match.group("word").decode("ascii")
                argument = match.group("arg")
                if word == "bin":
                    at = match.end() + max(0, int(argument or 0))
                    continue
                self._word(word, int(argument) if argument else None)
        self._flush()
        self.out.paragraph_end()

    def _brace(self, brace: bytes) -> None:
        self.fallback = 0
        if brace == b"{":
            if len(self.stack) >= bounds.ELEMENT_DEPTH:
                raise bounds.too_large(self.where, "groups too deep", f"{bounds.ELEMENT_DEPTH}")
            self.stack.append(self.state)
            self.starred = False
        elif self.stack:
            before, self.state = self.state, self.stack.pop()
            if before.note and not self.state.note and self.note is not None:
                said = " ".join("".join(self.note).split())
                self.note = None
                if said:
                    self.out.note(said)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self.starred = True
            return
        said = {b"~": "\xa0", b"-": "", b"_": "-", b"\n": "\n", b"\r": "\n"}.get(sign)
        if said is None:
            said = sign.decode("latin-1") if sign in b"\\{}" else ""
        self._flush()
        if said == "\n":
            self._end()
        else:
            self._said(said)

    def _byte(self, said: bytes) -> None:
        if self.fallback:
            used = min(self.fallback, len(said))
            self.fallback -= used
            said = said[used:]
        if said and not self.state.skipped:
            self._flush_units()
            self.bytes += said

    def _word(self, word: str, number: int | None) -> None:
        if word == "u" and number is not None:
            self._flush_bytes()
            if not self.state.skipped:
                self.units.append(chr(number & 0xFFFF))
            self.fallback = self.state.skip
            return
        self._flush()
        self.fallback = 0
        on = number != 0
        if word in _SKIPPED or (self.starred and word not in ("shptxt", "pntext", "listtext")):
            self.state = replace(self.state, skipped=True)
        elif word == "ansicpg" and number and not self.fixed:
            self._code_page(f"cp{number}")
        elif word in _PAGES and not self.fixed:
            self.page = _PAGES[word]
        elif word == "uc" and number is not None:
            self.state = replace(self.state, skip=max(0, number))
        elif word == "f" and number is not None:
            self.state = replace(self.state, font=number)
        elif word == "plain":
            self.state = replace(self.state, bold=False, italic=False, raised=False, hidden=False)
        elif word in ("b", "i", "v"):
            name = {"b": "bold", "i": "italic", "v": "hidden"}[word]
            self.state = replace(self.state, **{name: on})
        elif word in ("super", "nosupersub", "sub"):
            self.state = replace(self.state, raised=word == "super" and on)
        elif word == "footnote":
            self.state = replace(self.state, note=True, raised=False)
            self.note = []
        elif word in _ENDS:
            self._end()
        elif word in _SIGNS:
            self._said(_SIGNS[word])
        self.starred = False

    def _code_page(self, name: str) -> None:
        try:
            self.page = codecs.lookup("utf-8" if name == "cp65001" else name).name
        except LookupError:
            raise InputError(
                f"{self.where}: written in code page {name}, which is not known (state one in sources.toml)"
            ) from None

    def _flush_bytes(self) -> None:
        if self.bytes:
            page = "" if self.fixed else self.fonts.get(self.state.font, "")
            said, self.bytes = bytes(self.bytes), bytearray()
            self._said(said.decode(page or self.page, "replace"))

    def _flush(self) -> None:
        """Write what is collected: bytes of a code page, halves of characters in UTF-16."""
        self._flush_bytes()
        self._flush_units()

    def _flush_units(self) -> None:
        if self.units:
            units, self.units = "".join(self.units), []
            self._said(units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def _end(self) -> None:
        if self.state.skipped:
            return
        if self.note is not None:
            self.note.append(" ")
        elif self.out.writer.at_line_start:
            self.out.blank()
        else:
            self.out.paragraph_end()

    def _said(self, text: str) -> None:
        if self.state.skipped or self.state.hidden or not text:
            return
        text = "".join(c for c in text if c >= " ")
        if self.note is not None:
            self.note.append(text)
        elif self.state.raised:
            self.out.raised(text)
        else:
            if text.strip():
                self.out.style(self.state.bold, self.state.italic)
            self.out.words(text)
