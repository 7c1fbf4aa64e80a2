"""The Markdown of our own pages -> HTML at a tenth of Python-Markdown's cost, and the same to the byte.

Our pages are written in few forms: containers with ``markdown="1"``, headings and paragraphs with their
attributes, links, inline tags, raw HTML. What is in any other form is left to Python-Markdown: `render` says
so by None, for the whole page. ``tests/test_quick_markdown.py`` holds both beside each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Link = Callable[[str], str | None]
"""From the address that a page's Markdown has to the one that its HTML has; None for what is not plain."""

_ATTRIBUTES = r'(?: [a-z-]+="[^"<>&\\]*")*'
_OPENS = re.compile(rf'<(section|nav|div|details)({_ATTRIBUTES}) markdown="1">')
_SUMMARY = re.compile(r'<summary markdown="span">(.*)</summary>')
_RAW = re.compile(r"<(p|details|dl|div)(?=[ >])[^<>]*>.*</\1>", re.DOTALL)
_COMMENT = re.compile(r"<!-- \w+ -->")
_HEADING = re.compile(r"(#{1,6}) ([^ ].*[^ #]|[^ #]) +\{ ([^{}]*) \}")
_PARAGRAPH = re.compile(r"\n\{ ([^{}\n]*) \}\Z")
_LINK = re.compile(r"\[(?<!!\[)([^\[\]\\]*+(?:\\.[^\[\]\\]*+)*+)\]\(([\w./#~:-]*)\)(?:\{ ([^{}\n]*) \})?")
# Nothing in it has a meaning that is not known here.
_FINE = re.compile(
    r"(?:[^\\\[\]`*_{}<>&!]++|<(?:/?(?:span|small|b|a)(?: [^<>\\]*)?)>"
    r"|&(?:#[0-9]+|#x[0-9a-fA-F]+|[0-9a-zA-Z]+);|\\[\\`*_{}\[\]().#!+-]|!(?!\[)|\[[\w ,.-]*\](?=</))*+"
)
_ESCAPED = re.compile(r"\\(.)")
# What makes a line more than a line of a paragraph: its beginning; a table; a line end that is kept.
_BEGINS = r"(?:[ =+*>:|~`#-]|[0-9]+\. )"
_NO_START = re.compile(_BEGINS)
_NO_LINE = re.compile(rf"\n{_BEGINS}")
_LISTED = re.compile(r"(?:[.#]|[a-z-]+=)[\w./~:-]+(?: (?:[.#]|[a-z-]+=)[\w./~:-]+)*")

# Tabs, and what some functions take for the end of a line.
_ODD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class _Unsure(Exception):
    """A form that only Python-Markdown knows."""


def render(text: str, link: Link) -> str | None:
    """The HTML of a page, or None when a form in it is not one of ours."""
    # Most texts are of letters and lines alone, and to see that costs a third.
    odd = not text.replace("\n", "").isprintable() and _ODD.search(text)
    if odd or "\n\n\n" in text or not text.strip():
        return None
    try:
        return _page(text.strip("\n").split("\n\n"), link)
    except _Unsure:
        return None


def _page(blocks: list[str], link: Link) -> str:
    out: list[str] = []
    within: list[str] = []
    for block in blocks:
        first = block[:1]
        if first == "#":
            out.append(_heading(block, link))
        elif first == "-":
            if out and out[-1].endswith("</ul>"):  # Python-Markdown makes one loose list of the two
                raise _Unsure
            out.append(_list(block, link))
        elif first != "<" or block.startswith(("<span", "<small", "<b>")):
            out.append(_paragraph(block, link))
        elif block.startswith("</"):
            if not within or block != f"</{within.pop()}>":
                raise _Unsure
            out.append(block)
        elif opened := _opened(block):
            within.append(opened[0])
            out.append(opened[1])
        elif summary := _SUMMARY.fullmatch(block):
            if not within:
                raise _Unsure
            out.append(f"<summary>{_inline(summary[1], link)}</summary>")
        else:
            _check_raw(block)
            # Of a raw block on its own Python-Markdown keeps the empty line behind it.
            out.append(block if within else block + "\n")
    if within:
        raise _Unsure
    return "\n".join(out).strip()


@lru_cache(256)
def _opened(block: str) -> tuple[str, str] | None:
    """The name and the tag of a container that a block opens. Most blocks that open one are alike."""
    opens = _OPENS.fullmatch(block)
    return (opens[1], f"<{opens[1]}{_sorted(opens[2])}>") if opens else None


def _check_raw(block: str) -> None:
    """One element from end to end, or a comment."""
    raw = _RAW.fullmatch(block)
    if not (_closes_last(block, raw[1]) and "markdown=" not in block if raw else _COMMENT.fullmatch(block)):
        raise _Unsure


def _closes_last(block: str, tag: str) -> bool:
    if block.count(f"</{tag}>") == 1:
        return block.count(f"<{tag} ") + block.count(f"<{tag}>") == 1
    depth = 0
    for found in re.finditer(rf"<(/?){tag}(?=[ >])", block):
        depth += -1 if found[1] else 1
        if not depth:
            return found.end() + 1 == len(block)
    return False


def _heading(block: str, link: Link) -> str:
    found = _HEADING.fullmatch(block)
    # Without an id of its own a heading is given one.
    if found is None or "#" not in found[3]:
        raise _Unsure
    level = len(found[1])
    return f"<h{level}{_listed(found[3])}>{_inline(found[2], link)}</h{level}>"


def _paragraph(block: str, link: Link) -> str:
    if "|" in block or "  \n" in block:
        raise _Unsure
    attributes = ""
    if block.endswith("}") and (found := _PARAGRAPH.match(block, block.rfind("\n"))):
        attributes = _listed(found[1])
        block = block[: found.start()]
    if _is_more(block):
        raise _Unsure
    return f"<p{attributes}>{_inline(block, link)}</p>"


def _is_more(lines: str) -> bool:
    """True when one of the lines is, by its beginning, more than a line of a paragraph."""
    return bool(_NO_START.match(lines) or ("\n" in lines and _NO_LINE.search(lines)))


def _list(block: str, link: Link) -> str:
    """A tight list of one level."""
    items = block.split("\n")
    if any(item[:2] != "- " or not item[2:].strip() or "|" in item or _is_more(item[2:]) for item in items):
        raise _Unsure
    return "\n".join(["<ul>", *(f"<li>{_inline(item[2:], link)}</li>" for item in items), "</ul>"])


def _inline(text: str, link: Link) -> str:
    if "[" in text:

        def linked(match: re.Match[str]) -> str:
            target = link(match[2])
            if target is None:
                raise _Unsure
            attributes = _listed(match[3], target) if match[3] else f' href="{target}"'
            return f"<a{attributes}>{match[1]}</a>"

        text = _LINK.sub(linked, text)
    if _FINE.fullmatch(text) is None:
        raise _Unsure
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _sorted(attributes: str) -> str:
    """Attributes of a tag in the order Python-Markdown gives them."""
    if not attributes:
        return ""
    found = sorted(attributes[1:-1].split('" '))
    if len({one[: one.index("=")] for one in found}) != len(found):
        raise _Unsure
    return " " + '" '.join(found) + '"'


@lru_cache(256)
def _listed(attributes: str, href: str = "") -> str:
    """An attribute list (``.m data-permalink=l/5/``) as the attributes of a tag."""
    if _LISTED.fullmatch(attributes) is None:
        raise _Unsure
    found: dict[str, str] = {"href": href} if href else {}
    for one in attributes.split(" "):
        if one[0] == ".":
            found["class"] = f"{found['class']} {one[1:]}" if "class" in found else one[1:]
            continue
        name, _, value = ("id", "", one[1:]) if one[0] == "#" else one.partition("=")
        if name in found:
            raise _Unsure
        found[name] = value
    return "".join([f' {name}="{value}"' for name, value in sorted(found.items())])
