"""Lists of the whole corpus (the open data, the cards of citations, labels), law by law."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import groupby

from kb.model import Entry, KnowledgeBase, Ref
from kb.profile import Profile
from kb.publish.spools import Part, Spools
from kb.unswept import unswept
from kb.watched import Watched

Rows = Callable[[KnowledgeBase, Profile, Entry], Iterator[str]]
"""What one entry adds to a list: rows, each with its end."""


@unswept()
def fill(kb: KnowledgeBase, profile: Profile, table: Mapping[str, Rows], spools: Spools) -> None:
    """Make the lists of a table, in reading order."""
    watched = Watched(kb)
    spools.fill(watched, sorted(table), _parts(watched, profile, table))


@contextmanager
def of(
    kb: KnowledgeBase, profile: Profile, table: Mapping[str, Rows], filled: Spools | None
) -> Iterator[Spools]:
    """The spools that are filled already, or some that go afterwards."""
    if filled is not None:
        yield filled
        return
    with Spools(None, "", {}) as spools:
        fill(kb, profile, table, spools)
        yield spools


def _parts(kb: Watched, profile: Profile, table: Mapping[str, Rows]) -> Iterator[Part]:
    for top, run in groupby(kb.entries(), key=lambda entry: _top(entry.ref)):
        entries = list(run)
        told = " ".join(str(entry.ref) for entry in entries)
        yield Part(str(entries[0].ref), [top], told, partial(_rows, kb, profile, table, entries))


def _rows(
    kb: KnowledgeBase, profile: Profile, table: Mapping[str, Rows], entries: list[Entry]
) -> Mapping[str, str]:
    return {
        name: "".join(row for entry in entries for row in rows(kb, profile, entry))
        for name, rows in table.items()
    }


def _top(ref: Ref) -> Ref:
    return Ref(ref.work, ref.edition, ref.path[:1])
