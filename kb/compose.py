"""One text of several readings, word by word: a cut end and a cut start, a lost run and who has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel, Levenshtein

from kb import lang
from kb.model import Node, Span

_WORD = re.compile(r"\S+")
_CLOSED = re.compile(r"[.!?:;…][)\]»”\"*]*\s*\Z")
_BROKEN = re.compile(r"(?<=[^\W\d_])-\Z")
_LEAST = 4
"""Words that two readings must share, for the one to go on with the other."""
_ALIKE = 0.9
_BESIDE = 3
"""Equal words on both sides of a run that a damaged reading lacks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one reading's text; ``glue`` is what stands before it."""

    node: Node
    start: int
    end: int
    glue: str = ""


def starts(node: Node) -> bool:
    """The reading has the start of its provision."""
    return bool(node.marker or node.title) or node.complete


def ends(node: Node) -> bool:
    """The reading has the end of its provision."""
    closed = bool(_CLOSED.search(node.text)) and node.text.count("(") <= node.text.count(")")
    return node.complete or closed


def overlapped(first: Node, second: Node) -> Node | None:
    """A cut end and a cut start that share words -> the whole; None where they share none, or not surely.

    ``… карты болвана (кроме карт, которые он`` and ``кроме карт, которые он мог показать.``: four words
    at least, from the start of the second to the end of the first; a word cut through counts.
    """
    if not starts(first) or starts(second) or not first.text or not second.text:
        return None
    a, b = list(_WORD.finditer(first.text)), list(_WORD.finditer(second.text))
    words, others = [_folded(m.group()) for m in a], [_folded(m.group()) for m in b]
    places = [at for at in range(len(words)) if len(words) - at >= _LEAST and _goes_on(words[at:], others)]
    if len(places) != 1:
        return None
    shared = len(words) - places[0]
    if shared >= len(others):
        return None
    whole = words[-1] == others[shared - 1]  # else the first reading ends inside a word
    last, begin = (a[-1].end(), b[shared].start()) if whole else (a[-2].end(), b[shared - 1].start())
    return _made([Piece(first, 0, last), Piece(second, begin, len(second.text), " ")])


def adjoining(first: Node, second: Node) -> Node | None:
    """A cut end at the foot of a page and a cut start at the head of the next -> the whole.

    The caller knows that no page is between them, so that even a closed sentence is not the end. A word that
    the page parted is joined.
    """
    if not starts(first) or starts(second) or not second.text:
        return None
    broken = _BROKEN.search(first.text)
    if broken is None:
        return _made([Piece(first, 0, len(first.text)), Piece(second, 0, len(second.text), " ")])
    before, after = _last_word(first.text[: broken.start()]), _WORD.match(second.text)
    word = before + (after.group().strip(".,;:!?)»") if after else "")
    stop = broken.start() if lang.get(first.lang).known(word) is not False else len(first.text)
    return _made([Piece(first, 0, stop), Piece(second, 0, len(second.text))])


def filled(best: Node, other: Node) -> Node | None:
    """A damaged reading with the words that an undamaged one has in the place of the damage.

    Words that stand in the other only, between three equal words on each side. None where the other has
    none, or differs in so much that it is no witness of this text.
    """
    if not best.damaged or other.damaged or not best.text or not other.text:
        return None
    a, b = list(_WORD.finditer(best.text)), list(_WORD.finditer(other.text))
    words, others = [_folded(m.group()) for m in a], [_folded(m.group()) for m in b]
    opcodes = Levenshtein.opcodes(words, others)
    codes = [(c.tag, c.src_start, c.src_end, c.dest_start, c.dest_end) for c in opcodes]
    pieces: list[Piece] = []
    at = 0
    for index, (kind, low, high, from_, to) in enumerate(codes):
        if kind != "insert" or to - from_ < 2 or not _between(codes, index):
            continue
        pieces += [
            Piece(best, at, a[low - 1].end(), " " if pieces else ""),
            Piece(other, b[from_].start(), b[to - 1].end(), " "),
        ]
        at = a[high].start()
    if not pieces:
        return None
    made = _made([*pieces, Piece(best, at, len(best.text), " ")])
    return replace(made, damaged=False, complete=best.complete, missing=best.missing)


def _between(codes: Sequence[tuple[str, int, int, int, int]], index: int) -> bool:
    sides = [codes[i] for i in (index - 1, index + 1) if 0 <= i < len(codes)]
    return len(sides) == 2 and all(k == "equal" and high - low >= _BESIDE for k, low, high, _, _ in sides)


def _goes_on(tail: list[str], others: list[str]) -> bool:
    """The words at the end of one reading are those at the start of the other, but for slips."""
    if len(tail) > len(others):
        return False
    head = others[: len(tail)]
    first = tail[0] == head[0] or (tail[0].endswith(head[0]) and len(head[0]) > 1)
    last = head[-1].startswith(tail[-1].rstrip("-")) and bool(tail[-1].rstrip("-"))
    if not first or not last:
        return False
    inner = Indel.normalized_similarity(" ".join(tail[1:-1]), " ".join(head[1:-1]))
    return inner >= _ALIKE


def _folded(word: str) -> str:
    return word.casefold().replace("ё", "е")


def _last_word(text: str) -> str:
    match = re.search(r"[^\W\d_]+\Z", text)
    return match.group() if match else ""


def _made(pieces: Sequence[Piece]) -> Node:
    """The first reading's node with the text of all pieces, and spans that lead to each one's source."""
    first, last = pieces[0].node, pieces[-1].node
    text = ""
    spans = [span for span in first.spans if span.where != "text"]
    for piece in pieces:
        if piece.glue and text:
            before = spans[-1]
            spans.append(_joint(before, len(text), piece.glue))
        text += piece.glue if text else ""
        spans += _cut(piece, len(text))
        text += piece.node.text[piece.start : piece.end]
    complete = ends(last) and starts(first)
    notes = first.footnotes or last.footnotes
    giver = last if not first.footnotes else None
    spans += [s for s in last.spans if giver is not None and s.where.startswith("footnote")]
    tail = first.tail or last.tail
    if tail and not first.tail:
        spans += [span for span in last.spans if span.where == "tail"]
    return replace(
        first,
        text=text,
        tail=tail,
        footnotes=notes,
        spans=tuple(spans),
        complete=complete,
        missing="" if complete else last.missing or first.missing,
        damaged=any(piece.node.damaged for piece in pieces),
    )


def _joint(before: Span, at: int, glue: str) -> Span:
    """The space between two pieces, said to stand where the one before it ends."""
    return Span("text", at, at + len(glue), before.source, before.source_end, before.source_end)


def _cut(piece: Piece, at: int) -> list[Span]:
    """The spans of a run of a reading's text, moved to where the run stands in the whole."""
    spans = []
    for span in piece.node.spans:
        low, high = max(span.start, piece.start), min(span.end, piece.end)
        if span.where != "text" or low >= high:
            continue
        begin, end = span.source_start, span.source_end
        if span.end - span.start == end - begin:
            begin, end = begin + low - span.start, begin + high - span.start
        shift = at - piece.start
        spans.append(Span("text", low + shift, high + shift, span.source, begin, end))
    return spans
