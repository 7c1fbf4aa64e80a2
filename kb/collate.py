"""Several witnesses of one node -> one text. The other readings stay, as variants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from rapidfuzz import fuzz

from kb import compose, lang
from kb.model import UNSURE_END, Finding, Node, Ref, Span, Witness

PageAt = Callable[[str, int], int | None]
"""Source and place in it -> page; None where no page is known."""

_SPACE = re.compile(r"\s+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_OTHER = 40.0
"""Similarity (0..100) below which a reading that was placed by inference is of another provision."""
_LACKING = 3
"""Words by which a reading falls short of the longest one, from which on it has lost some."""
_SHARED = 2
"""Errors that two sources have in common, from which on they are copies of one."""


def collate(
    readings: Iterable[Node], page_at: PageAt = lambda source, place: None
) -> tuple[list[Node], list[Finding]]:
    """One node for each ``(ref, lang)``, in the order in which the refs first come.

    The complete reading wins, then the undamaged, then one that does not run into another text, then one that
    lacks no words others have, then the one with the fewest words that neither a dictionary nor all others
    know, then the one that most sources have, copies of one ancestor counted once, then the longer one, and
    of equals the one whose page is printed, then the first by source name; so the order of the sources is of
    no matter. A cut reading is
    completed by one that has the rest, a damaged one filled by one that has the lost words. A part the
    chosen reading lacks altogether (a title, a footnote) is taken from the best one that has it. Every
    reading stays among the witnesses; its text is kept where it differs by more than white space.
    """
    groups: dict[tuple[Ref, str], list[Node]] = {}
    for node in readings:
        groups.setdefault((node.ref, node.lang), []).append(node)
    errors = {key: [_errors(node, group) for node in group] for key, group in groups.items()}
    kin = _kin(groups, errors)
    nodes: list[Node] = []
    findings: list[Finding] = []
    for key, group in groups.items():
        lacking = [len(wrong) for wrong in errors[key]]
        keys = [_rank(node, n, _votes(node, group, kin)) for node, n in zip(group, lacking, strict=True)]
        order = sorted(range(len(group)), key=keys.__getitem__)
        ranked = [group[index] for index in order]
        nodes.append(_merge(ranked, page_at))
        findings += _conflicts(ranked)
    above = {ref.parent for ref, _ in groups}
    return [_listed(node) if node.ref in above else node for node in nodes], findings


def _listed(node: Node) -> Node:
    """A title at the end of a page, whose list another page has: nothing of its own is missing."""
    only_title = bool(node.title) and not (node.text or node.tail or node.complete)
    return replace(node, complete=True, missing="") if only_title else node


def continued(leads: Iterable[Node], readings: Sequence[Node], page_at: PageAt) -> list[Node]:
    """The text at the head of a page that nothing places -> readings of what the page before ends with.

    ``leads`` are readings without a path. Only where the sources that have the page before agree.
    """
    ends: dict[tuple[str, str, str, int], dict[str, Node]] = {}
    for node in readings:
        last = _last(node)
        page = page_at(last.source, last.source_end - 1) if last is not None else None
        if last is None or page is None:
            continue
        at = ends.setdefault((node.ref.work, node.ref.edition, node.lang, page), {})
        before = _last(at[last.source]) if last.source in at else None
        if before is None or last.source_end > before.source_end:
            at[last.source] = node
    placed = []
    for lead in leads:
        key = (lead.ref.work, lead.ref.edition, lead.lang, (lead.page or 0) - 1)
        owners = {node.ref: node for node in ends.get(key, {}).values()}
        if len(owners) == 1:
            owner = next(iter(owners.values()))
            basis = f"inferred: goes on from page {key[3]}"
            placed.append(replace(lead, ref=owner.ref, kind=owner.kind, basis=basis))
    return placed


def _rank(node: Node, errors: int, votes: int) -> tuple[object, ...]:
    witness = node.witnesses[0]
    return (
        not node.complete,
        node.damaged,
        node.missing == UNSURE_END,
        errors,
        -votes,
        -len(_SPACE.sub("", node.title + node.text + node.tail)),
        node.basis != "explicit",
        node.page_basis.startswith("inferred"),
        witness.source,
        witness.lines,
    )


def _errors(node: Node, group: Sequence[Node]) -> frozenset[str]:
    """What is likely wrong in a reading: words no dictionary knows that another reading has not; lost words.

    A reading that is cut, where others are not, is not measured by its length.
    """
    if len({_bare(other) for other in group}) < 2:
        return frozenset()
    words = Counter(_words(node))
    others = [Counter(_words(other)) for other in group]
    known = lang.get(node.lang).known
    wrong = {word for word in words if known(word) is False and any(not other[word] for other in others)}
    longest = max(
        (other for other, n in zip(others, group, strict=True) if n.complete or not node.complete),
        key=lambda other: other.total(),
        default=words,
    )
    lost = longest - words
    if longest.total() - words.total() >= _LACKING:
        wrong.add("-" + " ".join(sorted(lost)))
    return frozenset(wrong)


def _words(node: Node) -> list[str]:
    return [word.lower() for word in _LETTERS.findall(_whole(node))]


def _kin(
    groups: dict[tuple[Ref, str], list[Node]], errors: dict[tuple[Ref, str], list[frozenset[str]]]
) -> dict[str, str]:
    """Source -> the first of the sources that it shares errors with: the copies of one ancestor."""
    shared: Counter[tuple[str, str]] = Counter()
    for key, group in groups.items():
        for (a, wrong), (b, other) in combinations(zip(group, errors[key], strict=True), 2):
            pair = sorted((a.witnesses[0].source, b.witnesses[0].source))
            shared[pair[0], pair[1]] += len(wrong & other)
    first: dict[str, str] = {}
    for (one, two), times in sorted(shared.items()):
        if times >= _SHARED and one != two:
            first[two] = first.get(one, one)
    return first


def _votes(node: Node, group: Sequence[Node], kin: dict[str, str]) -> int:
    """How many sources have this very reading, copies of one counted once."""
    said = _bare(node)
    sources = {other.witnesses[0].source for other in group if _bare(other) == said}
    return len({kin.get(source, source) for source in sources})


def _merge(ranked: list[Node], page_at: PageAt) -> Node:
    best = ranked[0]
    if len(ranked) == 1:
        return best
    used = [best]
    whole = _whole_of(ranked, page_at)
    if whole is not None:
        best, used = whole
    if best.damaged:
        for other in ranked[1:]:
            full = compose.filled(best, other)
            if full is not None:
                best, used = full, [*used, other]
                break
    changes: dict[str, object] = {}
    spans = list(best.spans)
    for part in ("title", "marker", "tail"):
        if not getattr(best, part):
            giver = next((n for n in ranked if getattr(n, part)), None)
            if giver is not None:
                changes[part] = getattr(giver, part)
                spans += [span for span in giver.spans if span.where == part]
    if not best.footnotes:
        giver = next((n for n in ranked if n.footnotes), None)
        if giver is not None:
            changes["footnotes"] = giver.footnotes
            spans += [span for span in giver.spans if span.where.startswith("footnote")]
    placed = next((n for n in ranked if n.basis == "explicit"), best)
    paged = next((n for n in ranked if n.page == best.page and not n.page_basis.startswith("inferred")), best)
    witnesses = sorted((_witness(node, best, used) for node in ranked), key=lambda w: (w.source, w.lines))
    return replace(
        best,
        basis=placed.basis,
        page_basis=paged.page_basis,
        witnesses=tuple(witnesses),
        spans=tuple(spans),
        **changes,  # type: ignore[arg-type]
    )


def _whole_of(ranked: Sequence[Node], page_at: PageAt) -> tuple[Node, list[Node]] | None:
    """The best reading and what goes on from it: on the next page, or in words that a cut one shares."""
    cut = [node for node in ranked if not compose.starts(node)]
    for first in ranked if cut else []:
        for second in cut:
            if first is second:
                continue
            made = compose.adjoining(first, second) if _next_page(first, second, page_at) else None
            if made is None and not ranked[0].complete:
                made = compose.overlapped(first, second)
            if made is not None:
                return made, [first, second]
        if first.complete and first.text:
            break
    return None


def _next_page(first: Node, second: Node, page_at: PageAt) -> bool:
    """The one ends on the page before that on which the other begins."""
    last = _last(first)
    page = page_at(last.source, last.source_end - 1) if last is not None else None
    return page is not None and second.page == page + 1


def _last(node: Node) -> Span | None:
    parts = [span for span in node.spans if not span.where.startswith("footnote")]
    return max(parts, key=_end, default=None)


def _end(span: Span) -> int:
    return span.source_end


def _witness(node: Node, best: Node, used: Sequence[Node]) -> Witness:
    own = node.witnesses[0]
    same = _bare(node) == _bare(best)
    return replace(
        own, chosen=any(node is other for other in used), same=same, text="" if same else _whole(node)
    )


def _bare(node: Node) -> str:
    return _SPACE.sub("", _whole(node))


def _whole(node: Node) -> str:
    return "\n".join(part for part in (node.title, node.text, node.tail) if part)


def _conflicts(ranked: list[Node]) -> list[Finding]:
    """A place that was inferred, or numbered twice in one source, with a text that shares nothing with the
    other reading is a doubtful one."""
    best = ranked[0]
    found = []
    for node in ranked[1:]:
        witness, chosen = node.witnesses[0], best.witnesses[0]
        sure = node.basis == "explicit" and best.basis == "explicit"
        if sure and witness.source != chosen.source:
            continue
        a, b = _whole(node), _whole(best)
        if a and b and fuzz.partial_ratio(a, b) < _OTHER:
            why = (
                "its number stands twice in this source"
                if sure
                else f"placed here by inference ({node.basis})"
            )
            message = f"{why}, but its text is another one than that of {chosen.source}"
            if sure:
                message = f"{why}, and the texts are not the same; only one is shown"
            found.append(Finding("conflict", message, node.ref, witness.source, witness.lines, a))
    return found
