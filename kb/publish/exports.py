"""Open data: one JSON object a line, a CSV of the links. Rows stream; nothing holds the whole corpus."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

from kb import address, progress
from kb.concordance import load
from kb.editions import Concordance
from kb.model import Entry, KnowledgeBase, Link, Node, PlacedLink, Ref, Relation
from kb.profile import Profile

Row = dict[str, Any]
# fmt: off
LINK_COLUMNS = (
    "at", "lang", "in", "start", "end", "surface", "form", "target", "status", "reason", "fallback",
    "alternatives", "url",
)
# fmt: on


def rows(kb: KnowledgeBase, profile: Profile, work: str | None = None) -> Iterator[Row]:
    """Every row of the open data, in reading order.

    One for each entry and language that has a text; one in the first language for an entry without.
    """
    count = partial(_number, kb, work)
    for entry in progress.over(kb.entries(work), "writing rows", count):
        yield from entry_rows(kb, profile, entry)


def _number(kb: KnowledgeBase, work: str | None) -> int:
    return sum(1 for _ in kb.entries(work))


def entry_rows(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[Row]:
    """The rows of one entry: one a language that has a node, else one that says what is known."""
    found = False
    for lang in profile.languages:
        node = kb.node(entry.ref, lang)
        if node is not None:
            found = True
            yield _row(kb, profile, entry, node)
    if not found:
        yield _row(kb, profile, entry, _unsupplied(entry, profile.lang))


def tree_rows(kb: KnowledgeBase, profile: Profile, ref: Ref) -> Iterator[Row]:
    """The rows of an entry and of all that are listed below it."""
    for one in tree(kb, ref):
        entry = kb.entry(one)
        if entry is not None:
            yield from entry_rows(kb, profile, entry)


def tree(kb: KnowledgeBase, ref: Ref) -> Iterator[Ref]:
    """A ref and all that are listed below it, in order."""
    yield ref
    for child in kb.children(ref):
        yield from tree(kb, child)


def jsonl(kb: KnowledgeBase, profile: Profile) -> Iterator[str]:
    """``rows`` as lines of JSON: sorted keys, NFC, each with its line end."""
    for row in rows(kb, profile):
        yield json_text(row) + "\n"


def csv_lines(kb: KnowledgeBase, profile: Profile) -> Iterator[str]:
    """Every link as a line of CSV under a line of names; alternatives are separated by spaces."""
    yield csv_head()
    for placed in kb.links():
        yield csv_line(kb, profile, placed)


def csv_head() -> str:
    """The line of names."""
    return _csv_line(LINK_COLUMNS)


def csv_line(kb: KnowledgeBase, profile: Profile, placed: PlacedLink) -> str:
    """The line of one link."""
    link, citation = placed.link, placed.link.citation
    # fmt: off
    values = (
        placed.at, placed.lang, placed.where, citation.start, citation.end, citation.surface, citation.form,
        link.target, link.status, link.reason, link.fallback or "", " ".join(map(str, link.alternatives)),
        link_url(kb, profile, link) or "",
    )
    # fmt: on
    return _csv_line(values)


def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, sort_keys=True, indent=indent)


_ENCODER = _encoder(None)


def json_text(value: object, indent: int | None = None) -> str:
    """JSON as all files and answers have it: sorted keys, letters as they are, NFC."""
    text = (_ENCODER if indent is None else _encoder(indent)).encode(value)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def link_url(kb: KnowledgeBase, profile: Profile, link: Link) -> str | None:
    """Where a link leads on the site: to its target, else to what is known above it; None without either."""
    target = link.fallback or link.target
    supplied = link.fallback is not None or link.status in ("resolved", "not-supplied")
    return address.url(profile, target, kb) if supplied and target.work in profile.works else None


def digest(text: str) -> str:
    """sha256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def own_text(kb: KnowledgeBase, ref: Ref, lang: str) -> str | None:
    """The node's own text, as in the rows, or None without a node."""
    node = kb.node(ref, lang)
    return None if node is None else node.text


def text_lang(kb: KnowledgeBase, profile: Profile, ref: Ref) -> str | None:
    """The first language of the corpus in which the provision, or something below it, has a text."""
    return next((lang for lang in profile.languages if _has_text(kb, ref, lang)), None)


def whole_text(kb: KnowledgeBase, ref: Ref, lang: str) -> str:
    """The texts of a provision and of all below it, in reading order, a line each; empty without any."""
    found: list[str] = []
    _gather(kb, ref, lang, found)
    return "\n".join(found)


def _gather(kb: KnowledgeBase, ref: Ref, lang: str, found: list[str]) -> None:
    node = kb.node(ref, lang)
    if node is not None and node.text:
        found.append(node.text)
    for child in kb.children(ref):
        _gather(kb, child, lang, found)
    if node is not None and node.tail:
        found.append(node.tail)


def _has_text(kb: KnowledgeBase, ref: Ref, lang: str) -> bool:
    node = kb.node(ref, lang)
    if node is not None and (node.text or node.tail):
        return True
    return any(_has_text(kb, child, lang) for child in kb.children(ref))


def _unsupplied(entry: Entry, lang: str) -> Node:
    """A node for the row of an entry without text: its title, and how well that is supported."""
    said = entry.title_basis.get(lang)
    basis = "inferred: listed in the outline" + (f", support {entry.support}" if entry.support else "")
    return Node(
        ref=entry.ref,
        lang=lang,
        kind=entry.kind,
        title=entry.titles.get(lang, ""),
        complete=False,
        missing="own text" if entry.status == "partial" else "whole text",
        basis=basis + (f"; title: {said}" if said else ""),
    )


def _row(kb: KnowledgeBase, profile: Profile, entry: Entry, node: Node) -> Row:
    ref = entry.ref
    row: Row = {
        "ref": str(ref),
        "work": ref.work,
        "edition": ref.edition,
        "path": ref.dotted,
        "lang": node.lang,
        "kind": node.kind,
        "marker": node.marker,
        "title": node.title,
        "text": node.text,
        "tail": node.tail,
        "status": entry.status,
        "complete": node.complete,
        "missing": node.missing,
        "damaged": node.damaged,
        "page": node.page,
        "basis": node.basis,
        "footnotes": [{"mark": note.mark, "text": note.text} for note in node.footnotes],
        "witnesses": [
            {"source": w.source, "lines": list(w.lines), "chosen": w.chosen, "same": w.same}
            for w in node.witnesses
        ],
        "cites": [cite_row(placed) for placed in _links(kb, ref, node.lang)],
        "about": [about_row(relation) for relation in kb.relations(ref)],
        **edition_rows(profile, ref),
        "url": address.url(profile, ref, kb),
    }
    if node.rendering or node.lang != profile.lang:
        row["rendering"] = node.rendering or "source"
    return row


def _links(kb: KnowledgeBase, ref: Ref, lang: str) -> Iterable[PlacedLink]:
    return (placed for placed in kb.links(ref) if placed.lang == lang)


def edition_rows(profile: Profile, ref: Ref) -> Row:
    """``in_force`` and ``counterparts`` of a provision; null and empty for a comment."""
    known = concordance(profile)
    now = known.in_force(ref)
    return {
        "in_force": now.as_dict() if now else None,
        "counterparts": [counterpart.as_dict() for counterpart in known.counterparts(ref)],
    }


def concordance(profile: Profile) -> Concordance:
    """The concordance of a corpus, read once for a loaded profile."""
    return _concordance(_Same(profile))


class _Same:
    """A key for a cache: equal only to the very same profile, for the same folder may change."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.profile is other.profile

    def __hash__(self) -> int:
        return id(self.profile)


@lru_cache(maxsize=4)
def _concordance(key: _Same) -> Concordance:
    return load(key.profile)


def cite_row(placed: PlacedLink) -> Row:
    """A citation as the rows have it; ``in`` only where it does not stand in the text."""
    row = link_row(placed.link)
    if placed.where != "text":
        row["in"] = placed.where
    return row


def link_row(link: Link) -> Row:
    """A link without its place: what the words mean."""
    citation = link.citation
    row: Row = {
        "surface": citation.surface,
        "start": citation.start,
        "end": citation.end,
        "target": str(link.target),
        "status": link.status,
        "form": citation.form,
    }
    if link.fallback is not None:
        row["fallback"] = str(link.fallback)
    if link.alternatives:
        row["alternatives"] = [str(other) for other in link.alternatives]
    return row


def about_row(relation: Relation) -> Row:
    """What a comment is about, with its evidence."""
    return {
        "target": str(relation.law),
        "confidence": relation.confidence,
        "evidence": list(relation.evidence),
        "status": relation.status,
    }


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()
