"""The running text of a document, and where each of its characters stands: HTML, Markdown, plain text.

Only text where a link may go is in it: no attributes, code, headings, existing links. Mark-up that does not
break a word (``<b>``, ``**``) is dropped, so that «Правило <b>65C</b>» is read as it reads; what ends a
paragraph is an empty line. Nothing is parsed into a tree (beautifulsoup4 keeps no places of texts, and a tree
printed again is never the file that came in).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_INLINE = frozenset(
    ["abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "del", "dfn", "em", "font", "i", "ins", "label",
     "mark", "o:p", "q", "s", "small", "span", "strike", "strong", "tt", "u", "wbr"]
)  # fmt: skip
"""Tags inside which a sentence goes on."""
_CLOSED = frozenset(
    ["a", "button", "code", "datalist", "h1", "h2", "h3", "h4", "h5", "h6", "head", "kbd", "math",
     "noscript", "object", "option", "pre", "samp", "script", "select", "style", "svg", "template",
     "textarea", "title", "var"]
)  # fmt: skip
"""Tags in which no link may be put."""
_RAW = frozenset({"script", "style", "textarea", "title"})
_TAG = re.compile(r"</?([A-Za-z][^\s/>]*)")
_TAG_REST = re.compile(r"""[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z+.-]{1,15}://|www\.)[^\s<>]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
)
BREAK = "\n\n"
BARRIER = "\ufffc"
"""Stands for something that is no text, such as code inside a sentence."""


@dataclass(slots=True)
class Flow:
    """``text`` and, for each character, the run of the source it stands for.

    ``marks``: the dropped mark-up, as ``(start, end, name, opens)``; ``opens`` is None for a mark that opens
    and closes alike (``**``).
    """

    pieces: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    marks: list[tuple[int, int, str, bool | None]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def copy(self, source: str, start: int, end: int) -> None:
        """A run of the source as it is."""
        self.pieces.append(source[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def put(self, text: str, start: int, end: int) -> None:
        """``text`` for a run of the source."""
        self.pieces.append(text)
        self.starts.extend([start] * len(text))
        self.ends.extend([end] * len(text))


def plain(source: str) -> Flow:
    """Plain text: all of it but addresses."""
    flow = Flow()
    at = 0
    for found in _ADDRESS.finditer(source):
        flow.copy(source, at, found.start())
        flow.put(BARRIER, found.start(), found.end())
        at = found.end()
    flow.copy(source, at, len(source))
    return flow


def from_html(source: str) -> Flow:
    """HTML of any kind, whole pages and fragments, well-formed or not."""
    flow = Flow()
    closed: list[str] = []
    at = 0
    while at < len(source):
        tag = source.find("<", at)
        tag = len(source) if tag < 0 else tag
        if not closed:
            _html_text(flow, source, at, tag)
        at = _html_markup(flow, source, tag, closed) if tag < len(source) else tag
    return flow


def _html_markup(flow: Flow, source: str, at: int, closed: list[str]) -> int:
    """One tag, comment or declaration; where the text goes on."""
    if source.startswith("<!--", at):
        return _past(source, "-->", at + 4)
    if source.startswith(("<!", "<?"), at):
        return _past(source, ">", at + 2)
    found = _TAG.match(source, at)
    if not found:
        if not closed:
            flow.copy(source, at, at + 1)
        return at + 1
    rest = _TAG_REST.match(source, found.end())
    end = rest.end() if rest else _past(source, ">", found.end())
    name = found.group(1).lower()
    opens = source[at + 1] != "/"
    if name in _RAW and opens:
        flow.put(BREAK, at, end)
        stop = re.compile(f"</{name}", re.IGNORECASE).search(source, end)
        return _past(source, ">", stop.end()) if stop else len(source)
    if name in _CLOSED:
        _close(name, opens, source[end - 2 : end] == "/>", closed)
        flow.put(BARRIER if name in ("a", "code", "kbd", "samp", "var") else BREAK, at, end)
    elif not closed and name in _INLINE:
        flow.marks.append((at, end, name, opens))
    elif not closed:
        flow.put({"br": "\n", "sup": BARRIER, "sub": BARRIER, "img": BARRIER}.get(name, BREAK), at, end)
    return end


def _close(name: str, opens: bool, alone: bool, closed: list[str]) -> None:
    if opens and not alone and not (name == "a" and "a" in closed):
        closed.append(name)
    elif not opens and name in closed:
        # What was left open inside ends with it.
        del closed[len(closed) - 1 - closed[::-1].index(name) :]


def _html_text(flow: Flow, source: str, start: int, end: int) -> None:
    """Text with its entities read and its white space drawn together, as a browser does."""
    at = start
    for found in re.compile(
        rf"{_ENTITY.pattern}|[ \t\r\n\f]+|{_ADDRESS.pattern}|\{{\{{[^{{}}<]*\}}\}}"
    ).finditer(source, start, end):
        flow.copy(source, at, found.start())
        raw = found.group()
        if raw[0] == "&":
            flow.put(html.unescape(raw), found.start(), found.end())
        else:
            flow.put(" " if raw.isspace() else BARRIER, found.start(), found.end())
        at = found.end()
    flow.copy(source, at, end)


def _past(source: str, mark: str, at: int) -> int:
    found = source.find(mark, at)
    return len(source) if found < 0 else found + len(mark)
