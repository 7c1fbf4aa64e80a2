"""Text of unknown origin -> Markdown that shows exactly that text, whatever characters it holds."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence

# Characters with a meaning inside a line. A backslash keeps the Markdown readable.
_ACTIVE = re.compile(r"([\\`*_{}\[\]])")
# Those Python-Markdown or its tables and fences see although they are escaped.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "~": "&#126;", "$": "&#36;"}
_LINE_START = re.compile(r"\A(?:([0-9]+)([.)])|[-+#=:!])")
_SPACE = re.compile("[ \t\r\n]+")
# Controls, and the marks that turn the direction of writing: they could make a page show another text.
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
_STARTS = frozenset("0123456789-+#=:!")
_PLAIN = re.compile(
    "[^\\\\`*_{}\\[\\]&<>|~$\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"
    "\ufff9-\ufffb\ue000\ue001]*"
).fullmatch
_NEAT = re.compile("(?:[^ \t\r\n]+ ?)*+").fullmatch
"""Of a text in which white space is single spaces already, and does not begin with one."""


def visible(text: str) -> str:
    """Controls and direction marks by name, ``U+202E``, between brackets; white space to single spaces."""
    return _CONTROL.sub(lambda m: f"[U+{ord(m.group()):04X}]", _SPACE.sub(" ", text)).strip()


def esc(text: str) -> str:
    """Text for a place inside a line or paragraph of Markdown."""
    return _no_start(_escaped(text if _NEAT(text) else _SPACE.sub(" ", text)))


def esc_html(text: str) -> str:
    """Text for raw HTML, where white space counts (``<pre>``)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # as Markdown will read it
    return _CONTROL.sub(_named, html.escape(text, quote=True))


def attribute(text: str) -> str:
    """Text for an attribute: one line. Markdown reads attributes of a line too, so nothing active stays."""
    return re.sub(r"[^\w .,;«»—–-]|_", lambda m: f"&#{ord(m.group())};", visible(text))


def front_matter(values: dict[str, object]) -> str:
    """YAML front matter; JSON strings are YAML strings."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def linked(text: str, links: Iterable[tuple[int, int, str]]) -> str:
    """Escaped text with runs replaced: ``(start, end, pattern)``, where ``{}`` stands for the escaped run.

    Runs count code points of ``text``. A run that overlaps the one before it is left as text.
    """
    out: list[str] = []
    at = 0
    for start, end, pattern in sorted(links):
        if start < at or end > len(text):
            continue
        # «!» before a link would make it an image
        before = _escaped(text[at:start])
        if before.endswith("!"):
            before = before[:-1] + r"\!"
        out += [before, pattern.replace("{}", _escaped(text[start:end]))]
        at = end
    out.append(_escaped(text[at:]))
    joined = "".join(out)
    return _no_start((joined if _NEAT(joined) else _SPACE.sub(" ", joined)).strip())


def blocks(lines: Sequence[str]) -> str:
    """Blocks of Markdown, an empty line between them; empty ones left out."""
    return "\n\n".join(line for line in lines if line)


def _no_start(text: str) -> str:
    """A line that begins nothing but a paragraph."""
    return _LINE_START.sub(_no_block, text) if text[:1] in _STARTS else text


def _no_block(match: re.Match[str]) -> str:
    """A list, heading or the like is made by the beginning of a line."""
    return f"{match[1]}\\{match[2]}" if match[1] else f"&#{ord(match.group())};"


def _escaped(text: str) -> str:
    # Most texts have nothing to escape, and to see that costs a tenth.
    return text if _PLAIN(text) else _inside(_names(text))


def _inside(text: str) -> str:
    text = _ACTIVE.sub(r"\\\1", text)
    text = re.sub(r"[&<>|~$]", lambda m: _ENTITIES[m.group()], text)
    # our own element for a named control
    return re.sub("\ue000(U\\+[0-9A-F]{4})\ue001", r'<span class="control">\1</span>', text)


def _names(text: str) -> str:
    text = re.sub("[\ue000\ue001]", lambda m: f"[U+{ord(m.group()):04X}]", text)
    return _CONTROL.sub(lambda m: f"\ue000U+{ord(m.group()):04X}\ue001", text)


def _named(match: re.Match[str]) -> str:
    return f'<span class="control">U+{ord(match.group()):04X}</span>'
