"""What a store has of one ref and of those below it, looked for at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kb import rows
from kb.model import Entry, Node, PlacedLink, Ref, Relation

_LOOKS = {
    "entry": ("entries", "ref", 1),
    "children": ("entries", "parent", 4),
    "node": ("nodes", "ref", 1),
    "links": ("links", "at", 1),
    "cited": ("links", "target", 11),
    "relations": ("relations", "comment", 1),
    "about": ("relations", "law", 2),
}
"""What may be asked of a ref: the table, the column that names it, and that column's place in a row."""


class Around:
    """A store's records of one ref and those below it: together they cost little more than one of them.

    Only of these refs may be asked. Records are read when they are asked for.
    """

    def __init__(self, rows_of: Callable[[str, str, Ref], Iterator[tuple[Any, ...]]], ref: Ref) -> None:
        self._rows_of = rows_of
        self._ref = ref
        self._rows: dict[str, dict[str, list[tuple[Any, ...]]]] = {}

    def entry(self, ref: Ref) -> Entry | None:
        """As `Store.entry`; so are those below as their namesakes."""
        return next(map(rows.entry, self._of("entry", ref)), None)

    def children(self, ref: Ref) -> list[Ref]:
        return [rows.read_ref(row[1]) for row in self._of("children", ref)]

    def node(self, ref: Ref, lang: str) -> Node | None:
        """The node without its spans."""
        return next((rows.node(row, False) for row in self._of("node", ref) if row[2] == lang), None)

    def titled(self, ref: Ref, lang: str) -> Node | None:
        """The node without its text and where it stands in the sources."""
        return next((rows.titled(row) for row in self._of("node", ref) if row[2] == lang), None)

    def links(self, ref: Ref) -> Iterator[PlacedLink]:
        return map(rows.link, self._of("links", ref))

    def links_to(self, ref: Ref) -> Iterator[PlacedLink]:
        return map(rows.link, self._of("cited", ref))

    def relations(self, ref: Ref) -> Iterator[Relation]:
        return map(rows.relation, self._of("relations", ref))

    def relations_to(self, ref: Ref) -> Iterator[Relation]:
        return map(rows.relation, self._of("about", ref))

    def _of(self, name: str, ref: Ref) -> list[tuple[Any, ...]]:
        found = self._rows.get(name)
        if found is None:
            table, column, place = _LOOKS[name]
            found = self._rows[name] = {}
            for row in self._rows_of(table, column, self._ref):
                found.setdefault(row[place], []).append(row)
        return found.get(str(ref), [])
