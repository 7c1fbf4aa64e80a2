"""Links put into a document: plain text, HTML or Markdown in, the same out, with nothing else changed."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from kb.cite.flow import Flow, from_html, plain
from kb.cite.flow_markdown import from_markdown
from kb.errors import InputError
from kb.model import Link

_READERS: dict[str, Callable[[str], Flow]] = {"text": plain, "html": from_html, "md": from_markdown}


def annotate(
    source: str,
    kind: str,
    cite: Callable[[str], Iterable[Link]],
    href: Callable[[Link], str | None],
    note: Callable[[Link], str] = lambda link: "",
) -> str:
    """``source`` with a link on each citation that leads somewhere.

    ``kind``: ``text``, ``html`` or ``md``. ``cite`` gives the links of a running text, ``href`` the address
    of a link, or None for no link. A range, whose citations share a span, leads to its first address.
    ``note``: what is to be said of a link that does not lead to the text it names; it becomes its title, and
    its status a class (``kb-unknown``, ``kb-not-supplied``). Raises InputError for an unknown kind.
    """
    if kind not in _READERS:
        raise InputError(f"kind {kind!r}: none of {', '.join(_READERS)}")
    flow = _READERS[kind](source)
    out: list[str] = []
    at = 0
    for start, end, link in _places(flow, source, cite(flow.text), href):
        if start < at:
            continue
        out += [source[at:start], _link(source[start:end], link, href(link) or "", note(link), kind)]
        at = end
    out.append(source[at:])
    return "".join(out)


def _places(
    flow: Flow, source: str, links: Iterable[Link], href: Callable[[Link], str | None]
) -> Iterable[tuple[int, int, Link]]:
    """The runs of the source to make links of, with what they lead to."""
    marks = sorted(flow.marks)
    first = 0
    for (low, high), same in groupby(links, key=lambda link: (link.citation.start, link.citation.end)):
        leading = next((link for link in same if href(link)), None)
        if leading is None or low >= high:
            continue
        start, end = flow.starts[low], flow.ends[high - 1]
        while first < len(marks) and marks[first][1] < start:
            first += 1
        near = []
        for mark in marks[first:]:
            if mark[0] > end:
                break
            near.append(mark)
        yield *_whole(source, start, end, near), leading


def _whole(
    source: str, start: int, end: int, near: Sequence[tuple[int, int, str, bool | None]]
) -> tuple[int, int]:
    """The run with the mark-up in it closed; where that cannot be, its last part that has a number."""
    inside = [mark for mark in near if start <= mark[0] and mark[1] <= end]
    open_marks = _unclosed(inside)
    if not open_marks:
        return start, end
    if len(open_marks) == 1:
        name = open_marks[0][2]
        for mark in near:
            # «Правило **65C» **: the mark that closes it stands right behind, or right before.
            if (
                mark[0] == end
                and mark[2] == name
                and mark[3] in (None, False)
                and open_marks[0][3] is not False
            ):
                return start, mark[1]
            if (
                mark[1] == start
                and mark[2] == name
                and mark[3] in (None, True)
                and open_marks[0][3] is not True
            ):
                return mark[0], end
    cuts = [start, *(edge for mark in inside for edge in mark[:2]), end]
    parts = [(low, high) for low, high in zip(cuts[::2], cuts[1::2], strict=True) if low < high]
    numbered = [(low, high) for low, high in parts if any(ch.isdigit() for ch in source[low:high])]
    return (numbered or parts)[-1]


def _unclosed(
    marks: Sequence[tuple[int, int, str, bool | None]],
) -> list[tuple[int, int, str, bool | None]]:
    stack: list[tuple[int, int, str, bool | None]] = []
    for mark in marks:
        if stack and stack[-1][2] == mark[2] and stack[-1][3] is not False and mark[3] is not True:
            stack.pop()
        elif mark[2] != "wbr":
            stack.append(mark)
    return stack


def _link(surface: str, link: Link, url: str, note: str, kind: str) -> str:
    if kind == "html":
        state, title = (f" kb-{link.status}", f' title="{html.escape(note)}"') if note else ("", "")
        return f'<a class="kb-cite{state}" href="{html.escape(url)}"{title}>{surface}</a>'
    if kind == "md":
        quoted = note.replace("\\", "\\\\").replace('"', '\\"')
        title = f' "{quoted}"' if note else ""
        return f"[{surface}]({f'<{url}>' if set(url) & set(' ()') else url}{title})"
    return f"{surface} <{url}>" + (f" ({note})" if note else "")
