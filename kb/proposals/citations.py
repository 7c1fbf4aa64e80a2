"""Citations whose target is about something else than their paragraph, while a near number is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum, log

from kb.lang import Language
from kb.model import Entry, Finding, Node, PlacedLink, Ref

_WORD = re.compile(r"[^\W\d_]{3,}")
_STRANGE = 0.2
"""Share of its title's weight that a target may say in the paragraph, and still be strange there."""
_FITTING = 0.4
_WORDS = 3
"""Telling words of its titles that a near number must have in common with the paragraph."""
_SHARED = 2
"""Telling words of the paragraph in the target's text, from which on it is about the same."""
_FEW = 6
"""A word is telling that at most one law in so many has in its titles."""
_CLOSE = 0.15
_SHOWN = 3


def odd_citations(
    nodes: Sequence[Node],
    entries: Sequence[Entry],
    links: Sequence[PlacedLink],
    language: Language,
    law: str,
) -> list[Finding]:
    """Findings of kind ``odd-citation``; the citation itself and where it leads stay as they are.

    A citation is odd when its paragraph has no word of what the outline says its target is about, nor of the
    target's text, while what a number one digit off is about stands there nearly whole.
    """
    scale = _Topics(entries, nodes, language, law)
    by_ref = {node.ref: node for node in nodes}
    found = []
    for placed in links:
        node = by_ref.get(placed.at)
        target = placed.link.target
        if node is None or placed.lang != node.lang or target.work != law or not target.path:
            continue
        if placed.link.status not in ("resolved", "not-supplied"):
            continue
        said = scale.lemmas(" ".join([scale.heading(node.ref), node.title, node.text, node.tail]))
        if scale.fit(target, said)[0] > _STRANGE or scale.shares(target, said):
            continue
        # Of its own law every comment speaks.
        others = [other for other in scale.near(target) if other.path[0] != placed.at.path[0]]
        near = [(*scale.fit(other, said), other) for other in others]
        fitting = [one for one in near if one[0] >= _FITTING and one[1] >= _WORDS]
        if fitting:
            best = max(one[0] for one in fitting)
            names = [other.dotted for fit, _, other in fitting if fit >= best - _CLOSE][:_SHOWN]
            witness = node.witnesses[0] if node.witnesses else None
            message = (
                f"«{placed.link.citation.surface}» -> {target}: nothing here is about it; "
                f"by the words, {' or '.join(names)} may be meant"
            )
            source, lines = (witness.source, witness.lines) if witness else ("", None)
            found.append(Finding("odd-citation", message, node.ref, source, lines, node.text[:200]))
    return found


class _Topics:
    """What each law and section is about, in lemmas that weigh the more the fewer laws have them."""

    def __init__(self, entries: Sequence[Entry], nodes: Sequence[Node], language: Language, law: str) -> None:
        self.language = language
        self.entries = {entry.ref: entry for entry in entries}
        self.law = law
        self.texts = {node.ref: node for node in nodes}
        roots = [
            e for e in entries if e.ref.work == law and len(e.ref.path) == 1 and language.code in e.titles
        ]
        laws: dict[str, set[str]] = {}
        for entry in entries:
            if entry.ref.work == law and entry.ref.path and language.code in entry.titles:
                said = self.lemmas(entry.titles[language.code])
                laws.setdefault(entry.ref.path[0], set()).update(said)
        counts = Counter(lemma for said in laws.values() for lemma in said)
        self.weights = {lemma: log(1 + len(roots) / times) for lemma, times in counts.items()}
        self.telling = log(1 + len(roots) / max(1, len(roots) // _FEW))

    def lemmas(self, text: str) -> set[str]:
        words = {word for word in _WORD.findall(text) if word.lower() not in self.language.function_words}
        return {self.language.lemmas(word)[0] for word in words}

    def heading(self, ref: Ref) -> str:
        """The title above a comment: part of what its paragraph is about."""
        entry = self.entries.get(Ref(ref.work, ref.edition, ref.path[:1]))
        return entry.titles.get(self.language.code, "") if entry else ""

    def fit(self, ref: Ref, said: set[str]) -> tuple[float, int]:
        """Share of the weight of the titles down to a ref that is said, and by how many telling words."""
        wanted: set[str] = set()
        for depth in range(1, len(ref.path) + 1):
            entry = self.entries.get(Ref(ref.work, ref.edition, ref.path[:depth]))
            if entry is not None:
                wanted |= self.lemmas(entry.titles.get(self.language.code, ""))
        total = fsum(self.weights.get(lemma, 0.0) for lemma in wanted)
        if not total:
            return 1.0, 0  # nothing is known of it, so nothing speaks against it
        shared = wanted & said
        telling = sum(self.weights.get(lemma, 0.0) >= self.telling for lemma in shared)
        return fsum(self.weights.get(lemma, 0.0) for lemma in shared) / total, telling

    def shares(self, ref: Ref, said: set[str]) -> bool:
        """The text of the target, or of a part of it, has the rarer words of the paragraph."""
        texts = [node for at, node in self.texts.items() if at.within(ref)]
        words = self.lemmas(" ".join(f"{node.title} {node.text}" for node in texts))
        return sum(self.weights.get(lemma, 0.0) >= self.telling for lemma in words & said) >= _SHARED

    def near(self, ref: Ref) -> Iterator[Ref]:
        """The known provisions whose root is one digit off, the rest of the path being the same."""
        root = ref.path[0]
        for other in self.entries:
            if other.work != self.law or other.path[1:] != ref.path[1:] or len(other.path) != len(ref.path):
                continue
            step = other.path[0]
            if len(step) == len(root) and sum(a != b for a, b in zip(step, root, strict=True)) == 1:
                yield other
