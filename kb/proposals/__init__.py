"""What an editor should look at: likely slips and losses that no scan settles. Proposed, never changed.

Each is a Finding of a kind of its own, so that `kb audit` lists it and ``accepted.toml`` can settle it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb import lang
from kb.kept import Looked
from kb.model import Entry, Finding, Node, PlacedLink
from kb.profile import Profile
from kb.proposals.citations import odd_citations
from kb.proposals.lacunae import lacunae
from kb.proposals.words import Spelt, spelt, unknown_words


def propose(
    profile: Profile,
    nodes: Sequence[Node],
    entries: Sequence[Entry],
    links: Sequence[PlacedLink],
    looked: Looked | None = None,
    said: dict[str, Spelt] | None = None,
) -> list[Finding]:
    """All proposals for the text of the sources, in its order; renderings are no concern of theirs.

    ``looked``: texts that an earlier build has looked through. ``said``: gets the words by language.
    """
    looked = looked or Looked(None, "")
    read = [node for node in nodes if not node.rendering]
    found: list[Finding] = []
    for code in dict.fromkeys(node.lang for node in read):
        own = [node for node in read if node.lang == code]
        language = lang.get(code)
        found += lacunae(own, language, looked)
        words = spelt(own, language)
        found += unknown_words(words, language)
        if said is not None and words is not None:
            said[code] = words
        found += odd_citations(own, entries, links, language, profile.law_work.name)
    return found


__all__ = ["propose"]
