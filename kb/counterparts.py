"""A citation of another edition, led to what it was in the corpus's edition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kb.cite.grammar import Grammar
from kb.cite.resolve import Known, resolve
from kb.model import Link
from kb.profile import Profile
from kb.publish.exports import concordance


@dataclass(frozen=True, slots=True)
class Asked:
    """A place of another edition, and what became of it: counted from the corpus's edition to that one."""

    edition: str
    path: str
    change: str
    """One of ``kb.editions.CHANGES``, or ``new``."""
    support: str
    note: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "edition": self.edition,
            "path": self.path,
            "change": self.change,
            "support": self.support,
            "note": dict(self.note),
        }


class Base(Protocol):
    """What is asked of a Library."""

    @property
    def profile(self) -> Profile: ...

    @property
    def known(self) -> Known: ...

    @property
    def grammar(self) -> Grammar: ...


def counterparts(base: Base, link: Link) -> list[tuple[Link, Asked | None]]:
    """What the citation's place was in the corpus's edition, and how it got there.

    Just the link itself, and None, when it is of no other edition the concordance speaks of; the link and
    what is known of it when nothing in the corpus's edition corresponds to it.
    """
    editions, there = concordance(base.profile), link.target
    named = any(one.name == there.edition for one in editions.editions)
    if link.status != "other-edition" or there.work != editions.work or not there.path or not named:
        return [(link, None)]
    found = editions.from_edition(there.edition, there.dotted)
    if not found:
        new = editions.added_at(there.edition, there.dotted)
        asked = Asked(there.edition, there.dotted, "unconfirmed", "M", {})
        return [(link, replace(asked, change="new", support=new.support, note=new.what) if new else asked)]
    return [
        (
            resolve(
                replace(link.citation, edition=ref.edition, path=ref.path), base.known, None, base.grammar
            ),
            Asked(there.edition, there.dotted, change, support, editions.note(ref)),
        )
        for ref, change, support in found
    ]
