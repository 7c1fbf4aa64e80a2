"""Several witnesses of one node -> one text. The other readings stay, as variants."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rapidfuzz import fuzz

from kb.model import Finding, Node, Ref, Witness

_SPACE = re.compile(r"\s+")
_OTHER = 40.0
"""Similarity (0..100) below which a reading that was placed by inference is of another provision."""


def collate(readings: Iterable[Node]) -> tuple[list[Node], list[Finding]]:
    """One node for each ``(ref, lang)``, in the order in which the refs first come.

    The complete reading wins, then the undamaged, the longer one, and of equals the one whose page is
    printed, then the first by source name; so the order of the sources is of no matter. A part the chosen
    reading lacks altogether (a title, a footnote) is taken from the best one that has it. Every reading
    stays among the witnesses; its text is kept where it differs by more than white space.
    """
    groups: dict[tuple[Ref, str], list[Node]] = {}
    for node in readings:
        groups.setdefault((node.ref, node.lang), []).append(node)
    nodes: list[Node] = []
    findings: list[Finding] = []
    for group in groups.values():
        ranked = sorted(group, key=_rank)
        nodes.append(_merge(ranked))
        findings += _conflicts(ranked)
    return nodes, findings


def _rank(node: Node) -> tuple[object, ...]:
    witness = node.witnesses[0]
    return (
        not node.complete,
        node.damaged,
        -len(_SPACE.sub("", node.title + node.text + node.tail)),
        node.basis != "explicit",
        node.page_basis.startswith("inferred"),
        witness.source,
        witness.lines,
    )


def _merge(ranked: list[Node]) -> Node:
    best = ranked[0]
    if len(ranked) == 1:
        return best
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
    witnesses = sorted((_witness(node, best) for node in ranked), key=lambda w: (w.source, w.lines))
    return replace(
        best,
        basis=placed.basis,
        page_basis=paged.page_basis,
        witnesses=tuple(witnesses),
        spans=tuple(spans),
        **changes,  # type: ignore[arg-type]
    )


def _witness(node: Node, best: Node) -> Witness:
    own = node.witnesses[0]
    same = _bare(node) == _bare(best)
    return replace(own, chosen=node is best, same=same, text="" if same else _whole(node))


def _bare(node: Node) -> str:
    return _SPACE.sub("", _whole(node))


def _whole(node: Node) -> str:
    return "\n".join(part for part in (node.title, node.text, node.tail) if part)


def _conflicts(ranked: list[Node]) -> list[Finding]:
    """An inferred place whose text has nothing in common with the other reading is a doubtful one."""
    best = ranked[0]
    found = []
    for node in ranked[1:]:
        if node.basis == "explicit" and best.basis == "explicit":
            continue
        a, b = _whole(node), _whole(best)
        if a and b and fuzz.partial_ratio(a, b) < _OTHER:
            witness = node.witnesses[0]
            found.append(
                Finding(
                    "conflict",
                    f"placed here by inference ({node.basis}), but its text is another one than that of "
                    f"{best.witnesses[0].source}",
                    node.ref,
                    witness.source,
                    witness.lines,
                    a,
                )
            )
    return found
