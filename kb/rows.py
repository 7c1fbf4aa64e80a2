"""Records <-> rows of the store: one pair of functions a type, plain values on the one side."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from sys import intern
from typing import Any

from kb.model import (
    Citation,
    Entry,
    Finding,
    Footnote,
    Link,
    Node,
    PlacedLink,
    Records,
    Ref,
    Relation,
    SourceEdit,
    SourceInfo,
    Span,
    Strip,
    Witness,
)

_scan: Any = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def tables(records: Records) -> Iterator[tuple[str, Iterable[tuple[Any, ...]]]]:
    """Each table by name with its rows: a running number, then the columns."""
    yield "meta", sorted((key, value) for key, value in records.meta.items() if key != "schema")
    yield "entries", ((n, *_entry_row(e)) for n, e in enumerate(records.entries))
    yield "nodes", ((n, *_node_row(node)) for n, node in enumerate(records.nodes))
    yield "readings", ((n, *reading) for n, reading in enumerate(_readings(records.nodes)))
    yield "links", ((n, *_link_row(placed)) for n, placed in enumerate(records.links))
    yield "relations", ((n, *_relation_row(r)) for n, r in enumerate(records.relations))
    yield "findings", ((n, *_finding_row(f)) for n, f in enumerate(records.findings))
    yield "sources", ((n, *_source_row(s)) for n, s in enumerate(records.sources))
    yield "edits", ((n, *_edit_row(e)) for n, e in enumerate(records.edits))
    yield "strips", ((n, *_strip_row(s)) for n, s in enumerate(records.strips))
    yield "accounts", ((n, a.source, a.fate, a.rule, a.chars) for n, a in enumerate(records.accounts))


def _readings(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """Each source of a node with the node's number."""
    for n, node in enumerate(nodes):
        sources = [w.source for w in node.witnesses] + [s.source for s in node.spans]
        yield from ((source, n) for source in dict.fromkeys(sources))


def _source_row(s: SourceInfo) -> tuple[Any, ...]:
    # fmt: off
    return (s.name, s.work, s.edition, s.lang, s.sha256, s.encoding, s.chars, s.lines, s.title,
            s.translator, s.origin, s.rights, s.text, s.margin)
    # fmt: on


def _strip_row(s: Strip) -> tuple[Any, ...]:
    return (s.source, s.line, s.page, packed(s.box), packed(s.words), b64encode(s.png).decode("ascii"))


def strip(row: tuple[Any, ...]) -> Strip:
    """A Strip from its row."""
    _, source, line, page, box, words, png = row
    left, top, right, bottom = _read(box)
    places = tuple((a, b, c, d, e, f) for a, b, c, d, e, f in _read(words))
    return Strip(source, line, page, (left, top, right, bottom), places, b64decode(png))


def _edit_row(e: SourceEdit) -> tuple[Any, ...]:
    return (e.source, e.rule, e.start, e.end, e.before, e.after)


def _entry_row(e: Entry) -> tuple[Any, ...]:
    parent = str(e.parent) if e.parent else None
    return (
        str(e.ref),
        e.ref.work,
        e.kind,
        parent,
        packed(e.titles),
        packed(e.title_basis),
        e.support,
        e.status,
    )


def entry(row: tuple[Any, ...]) -> Entry:
    """An Entry from its row."""
    _, ref, _, kind, parent, titles, basis, support, status = row
    over = read_ref(parent) if parent else None
    return Entry(read_ref(ref), kind, over, _read(titles), _read(basis), support, status)


def _node_row(n: Node) -> tuple[Any, ...]:
    # fmt: off
    return (
        str(n.ref), n.lang, n.ref.work, n.kind, n.marker, n.title, n.text, n.tail,
        packed([[f.mark, f.text] for f in n.footnotes]), int(n.complete), n.missing, int(n.damaged), n.page,
        n.page_basis, n.basis, n.rendering,
        packed([[w.source, w.lines, w.chosen, w.same, w.text] for w in n.witnesses]),
        packed([[s.where, s.start, s.end, s.source, s.source_start, s.source_end] for s in n.spans]),
    )
    # fmt: on


def node(row: tuple[Any, ...], placed: bool = True) -> Node:
    """A Node from its row; without its spans unless ``placed``."""
    # fmt: off
    (_, ref, lang, _, kind, marker, title, text, tail, footnotes, complete, missing, damaged, page,
     page_basis, basis, rendering, read, spans) = row
    # fmt: on
    return Node(
        ref=read_ref(ref),
        lang=lang,
        kind=kind,
        marker=marker,
        title=title,
        text=text,
        tail=tail,
        footnotes=tuple(Footnote(*f) for f in _read(footnotes)),
        complete=bool(complete),
        missing=missing,
        damaged=bool(damaged),
        page=page,
        page_basis=page_basis,
        basis=basis,
        rendering=rendering,
        witnesses=witnesses(read),
        spans=tuple(Span(*s) for s in _read(spans)) if placed else (),
    )


def witnesses(text: str) -> tuple[Witness, ...]:
    """The readings of a node from their column."""
    return tuple(
        Witness(source, (lines[0], lines[1]), chosen, same, reading)
        for source, lines, chosen, same, reading in _read(text)
    )


def titled(row: tuple[Any, ...]) -> Node:
    """The same without its text, footnotes and places in the sources."""
    # fmt: off
    (_, ref, lang, _, kind, marker, title, _, _, _, complete, missing, damaged, page, page_basis, basis,
     rendering, told, _) = row
    # fmt: on
    read = tuple(Witness(one[0], (0, 0), one[2], one[3]) for one in _read(told))
    return Node(
        ref=read_ref(ref),
        lang=lang,
        kind=kind,
        marker=marker,
        title=title,
        complete=bool(complete),
        missing=missing,
        damaged=bool(damaged),
        page=page,
        page_basis=page_basis,
        basis=basis,
        rendering=rendering,
        witnesses=read,
    )


def _link_row(placed: PlacedLink) -> tuple[Any, ...]:
    link, c = placed.link, placed.link.citation
    # fmt: off
    return (
        str(placed.at), placed.lang, placed.where, c.start, c.end, c.surface, c.form, c.work, c.edition,
        packed(c.path), str(link.target), link.status, link.reason,
        str(link.fallback) if link.fallback else None, packed([str(a) for a in link.alternatives]),
    )
    # fmt: on


def link(row: tuple[Any, ...]) -> PlacedLink:
    """A PlacedLink from its row."""
    # fmt: off
    (_, at, lang, where, start, end, surface, form, work, edition, path, target, status, reason, fallback,
     alternatives) = row
    # fmt: on
    citation = Citation(start, end, surface, form, work, edition, tuple(_read(path)))
    others = tuple(read_ref(other) for other in _read(alternatives))
    nearest = read_ref(fallback) if fallback else None
    return PlacedLink(
        read_ref(at), lang, where, Link(citation, read_ref(target), status, reason, nearest, others)
    )


def _relation_row(r: Relation) -> tuple[Any, ...]:
    return (str(r.comment), str(r.law), packed(r.evidence), r.confidence, r.status, r.detail)


def relation(row: tuple[Any, ...]) -> Relation:
    """A Relation from its row."""
    _, comment, law, evidence, confidence, status, detail = row
    return Relation(read_ref(comment), read_ref(law), tuple(_read(evidence)), confidence, status, detail)


def _finding_row(f: Finding) -> tuple[Any, ...]:
    first, last = f.lines or (None, None)
    return (f.kind, f.message, str(f.ref) if f.ref else None, f.source, first, last, f.text)


def finding(row: tuple[Any, ...]) -> Finding:
    """A Finding from its row."""
    _, kind, message, ref, source, first, last, text = row
    lines = (first, last) if first is not None else None
    return Finding(kind, message, read_ref(ref) if ref else None, source, lines, text)


@lru_cache(maxsize=1 << 15)
def read_ref(text: str) -> Ref:
    """A ref from its printed form; the usual ones are read once."""
    if text.count("/") == 2:
        # As it was printed: nothing to look for in it.
        work, edition, path = text.split("/")
        return Ref(intern(work), intern(edition), tuple(path.split(".")))
    return Ref.parse(text)


def _read(text: str) -> Any:
    """A value from what ``packed`` wrote: no white space around it to look for, and often an empty list."""
    return [] if text == "[]" else _scan(text, 0)[0]


def packed(value: object) -> str:
    """A value as JSON, the same text for equal values."""
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
