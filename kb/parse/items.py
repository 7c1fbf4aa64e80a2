"""What follows a marker: text, items printed without a label, and a tail that belongs to the parent."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.parse.lines import Line, Measure
from kb.parse.marked import Block
from kb.profile import Level, Work
from kb.runs import Run


@dataclass(frozen=True)
class Piece:
    """A paragraph that is a node of its own, by its number in order."""

    number: int
    texts: list[Run]
    lines: list[Line]


@dataclass
class Parts:
    """The text of a block cut into what is its own, its unlabelled items, and its parent's tail."""

    text: list[Run]
    items: list[Piece] = field(default_factory=list)
    tail: list[Run] = field(default_factory=list)


def divide(
    work: Work, block: Block, level: Level, texts: list[Run], lines: list[Line], width: Measure
) -> Parts:
    """Cut the text of a block. ``texts`` are its lines without marker and title, ``lines`` the same as lines.

    An item without a label begins with a small letter after ``…:`` and a paragraph end; a tail begins with
    a capital after the item that closes a list (``;`` … ``.``) and a paragraph end.
    """
    below = _level_below(work, block)
    if below is not None and below.paragraphs:
        return _paragraphs(block, texts, lines, width)
    margin = min((line.indent for line in lines), default=0)
    cuts = [i for i in range(1, len(texts)) if _paragraph_end(lines, i, width) or _indented(lines, i, margin)]
    if below is not None and below.unlabelled:
        for cut in cuts:
            if texts[cut - 1].value.rstrip().endswith(":") and _small(texts[cut].value):
                return Parts(texts[:cut], _items(texts, lines, cut, cuts))
    if level is not work.root_level and len(block.chain) > 1:
        for cut in cuts:
            if _closes_list(lines, cut, block, width) and texts[cut].value[:1].isupper():
                return Parts(texts[:cut], tail=texts[cut:])
    return Parts(texts)


def _level_below(work: Work, block: Block) -> Level | None:
    if block.level is None or work.levels[block.level].heading or block.level + 1 == len(work.levels):
        return None
    return work.levels[block.level + 1]


def _paragraph_end(lines: list[Line], index: int, width: Measure) -> bool:
    before, here = lines[index - 1], lines[index]
    return here.after_blank or (before.closed and width.ends_early(before.value, here.value))


def _indented(lines: list[Line], index: int, margin: int) -> bool:
    return lines[index - 1].closed and lines[index].indent > margin


def _small(value: str) -> bool:
    return value[:1].islower() or value[:1] in "-–—•"


def _items(texts: list[Run], lines: list[Line], first: int, cuts: list[int]) -> list[Piece]:
    starts = [first, *(cut for cut in cuts if cut > first and _opens_item(texts, cut))]
    ends = [*starts[1:], len(texts)]
    return [Piece(n, texts[a:b], lines[a:b]) for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]


def _opens_item(texts: list[Run], cut: int) -> bool:
    return _small(texts[cut].value) and texts[cut - 1].value.rstrip().endswith((";", ",", "."))


def _paragraphs(block: Block, texts: list[Run], lines: list[Line], width: Measure) -> Parts:
    if not texts:
        return Parts([])
    margin = min(line.indent for line in (*block.lines[:1], *lines))
    starts = [0] + [
        i for i in range(1, len(texts)) if _paragraph_end(lines, i, width) or _indented(lines, i, margin)
    ]
    ends = [*starts[1:], len(texts)]
    return Parts(
        [], [Piece(n, texts[a:b], lines[a:b]) for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]
    )


def _closes_list(lines: list[Line], cut: int, block: Block, width: Measure) -> bool:
    """The item ends with a full stop, and the list with it.

    The item before it ended with a semicolon; or a colon opened the list, whose items stand without a blank
    line between them, and here, behind an item of one line that ends early, is one.
    """
    before, here = lines[cut - 1], lines[cut]
    if not before.value.rstrip().endswith("."):
        return False
    if block.after_semicolon or not here.after_blank:
        return block.after_semicolon
    early = not width.width or width.ends_early(before.value, here.value)
    return early and before is block.lines[0] and block.introduced and block.close_above and not block.goes_on
