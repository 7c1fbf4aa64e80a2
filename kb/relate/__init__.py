"""Which part of the law a comment is about, by evidence; the number of the comment is only a prior.

``words`` compares texts, ``evidence`` says what speaks for each candidate, ``assign`` decides for all
comments on a law at once, ``editor`` has the last word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from kb.errors import ProfileError
from kb.model import Entry, Node, PlacedLink, Ref, Relation
from kb.profile import Profile, read_toml
from kb.relate import editor as editing
from kb.relate.assign import Chain, probabilities
from kb.relate.editor import Verdict
from kb.relate.evidence import Candidate, Case, cases
from kb.relate.words import concepts

_BESIDE = 0.2
"""A further part of the law is shown when it is at least this probable, and not by its place alone."""
_TELLING = 0.3
"""Evidence worth less than this, in log-odds, is not named."""
_SHOWN = 5
"""Words shown of each kind of evidence."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of evidence is worth, in log-odds for a strength of 1.

    The values are the mean of the best tenth of 300 samples, drawn evenly from the ranges in
    ``benchmarks/relate.py``, by the likelihood of an expert's judgement of 29 comments on seven laws of one
    corpus. That file repeats the choice with each law left out, and prints how well the other six serve it.
    A corpus sets its own under ``[relate]`` in its profile.
    """

    title: float = 2.4
    text: float = 15.2
    citation: float = 4.7
    order: float = 1.7
    cohesion: float = 2.4
    """For staying with the part of the comment before, times how alike the two comments are."""
    coverage: float = 3.5
    """For each part of the law that any comment is about."""


def relate(
    comments: Iterable[Node],
    laws: Iterable[Node],
    entries: Iterable[Entry],
    links: Iterable[PlacedLink],
    profile: Profile,
    editor: Iterable[Verdict] | None = None,
    weights: Weights | None = None,
) -> list[Relation]:
    """What each comment is about: one relation or more, the main one first, comments in reading order.

    ``comments``: nodes of the commentaries, items and headings included; ``laws``: nodes of the laws, in
    any language; ``entries``: all known refs in reading order, the one order that matters (topics are taken
    from the profile's outline too); ``links``: the citations in the comments.
    ``editor``: None reads ``links.toml`` of the corpus, an empty tuple leaves the machine alone.
    ``weights``: None takes the profile's ``[relate]``. Verdicts on comments that are not there are ignored.

    A relation's confidence is the probability that the comment is mainly about that law, 0..1. A law of
    which no part has evidence is the answer itself. A part of another law comes into question when the
    comment cites it. Raises InputError for ``links.toml``, ProfileError for ``[relate]``.
    """
    entries = list(entries)
    verdicts = editing.load(profile) if editor is None else list(editor)
    weights = weights_of(profile) if weights is None else weights
    comments = list(comments)
    if not comments:
        return []
    found: list[Relation] = []
    for case in find_cases(comments, laws, entries, links, profile):
        for comment, relations in _relations(case, weights):
            ruled = [verdict for verdict in verdicts if verdict.comment == comment]
            editing.check(ruled, entries, profile)
            found += editing.apply(relations, ruled) if ruled else relations
    return found


def find_cases(
    comments: Iterable[Node],
    laws: Iterable[Node],
    entries: Iterable[Entry],
    links: Iterable[PlacedLink],
    profile: Profile,
) -> list[Case]:
    """The evidence of all comments, with the synonyms of the corpus's glossary."""
    path = profile.root / "glossary.toml"
    glossary = read_toml(path) if path.exists() else {}
    return cases(comments, laws, entries, links, profile, concepts(glossary, profile.languages))


def weights_of(profile: Profile) -> Weights:
    """The weights, with what ``[relate]`` of the profile changes. Raises ProfileError for another name."""
    table = profile.data.get("relate", {})
    names = {field.name for field in fields(Weights)}
    for name, value in table.items():
        if name not in names or isinstance(value, bool) or not isinstance(value, int | float):
            known = ", ".join(sorted(names))
            raise ProfileError(f"{profile.root / 'profile.toml'}: [relate] {name} is no number of {known}")
    return Weights(**{name: float(value) for name, value in table.items()})


def decide(case: Case, weights: Weights) -> list[list[float]]:
    """Probability of each candidate of each comment of a case."""
    scores = [[math.fsum(_worth(c, weights).values()) for c in row] for row in case.candidates]
    places = [[candidate.place for candidate in row] for row in case.candidates]
    chain = Chain(scores, places, case.likeness, case.size)
    return probabilities(chain, weights.cohesion, weights.coverage)


def ranked(row: Sequence[Candidate], shares: Sequence[float]) -> list[tuple[Candidate, float]]:
    """Candidates with their probabilities, the likeliest first; the earlier of two that are equal."""
    return sorted(zip(row, shares, strict=True), key=lambda pair: -round(pair[1], 9))


def _worth(candidate: Candidate, weights: Weights) -> dict[str, float]:
    """Kind of evidence to its worth in log-odds."""
    return {
        "citation": weights.citation * candidate.citation,
        "heading" if candidate.printed else "topic": weights.title * candidate.title,
        "vocabulary": weights.text * candidate.text,
        "order": weights.order * candidate.order,
    }


def _relations(case: Case, weights: Weights) -> Iterator[tuple[Ref, list[Relation]]]:
    probable = decide(case, weights)
    for comment, row, shares in zip(case.comments, case.candidates, probable, strict=True):
        alone = decide(Case(case.group, (comment,), (row,), (0.0,), case.size), replace(weights, order=0.0))[
            0
        ]
        gains = {
            c.law: _gain(share, by_itself) for c, share, by_itself in zip(row, shares, alone, strict=True)
        }
        first, *others = ranked(row, shares)
        further = [
            (c, share) for c, share in others if _said(c) or (share >= _BESIDE and _speaks(c, weights))
        ]
        kept = [first, *further]
        yield comment, [_relation(comment, c, share, gains[c.law], weights) for c, share in kept]


def _gain(share: float, by_itself: float) -> float:
    """What the comment's place among the others adds, in log-odds."""
    tiny = 1e-12
    return math.log(max(share, tiny)) - math.log(max(by_itself, tiny))


def _said(candidate: Candidate) -> bool:
    """A part of a law that the comment names is a relation, however improbable as the main one."""
    return bool(candidate.surfaces) and len(candidate.law.path) > 1


def _speaks(candidate: Candidate, weights: Weights) -> bool:
    return any(value >= _TELLING for name, value in _worth(candidate, weights).items() if name != "order")


def _relation(comment: Ref, candidate: Candidate, share: float, gain: float, weights: Weights) -> Relation:
    worth = _worth(candidate, weights)
    worth["order"] = gain
    named = [n for n, value in worth.items() if value >= _TELLING or (n == "citation" and candidate.surfaces)]
    named.sort(key=lambda name: -round(worth[name], 9))
    evidence = tuple(named) or ("order",)
    words = {
        "citation": candidate.surfaces,
        "heading": candidate.said,
        "topic": candidate.said,
        "vocabulary": candidate.shared,
    }
    told = [f"{name}: {', '.join(words[name][:_SHOWN])}" if words.get(name) else name for name in evidence]
    return Relation(
        comment, candidate.law, evidence, round(min(max(share, 0.0), 1.0), 4), "auto", "; ".join(told)
    )
