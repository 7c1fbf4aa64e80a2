"""Blocks and their places -> nodes, one reading each, with the spans that lead back to the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from kb.model import UNSURE_END, Finding, Footnote, Node, Ref, Span, Witness
from kb.parse.blocks import scan
from kb.parse.drafts import Draft, Drafts, Note, Parsed, Unplaced, owner_of
from kb.parse.items import Piece, divide
from kb.parse.joining import Flow, spans_of, with_ends, with_plain_blanks
from kb.parse.jumps import UNMARKED, bridged
from kb.parse.lines import Line, Measure, PageAt, closes, fragments, measure
from kb.parse.marked import Block, Fragment
from kb.parse.notes import note_patterns
from kb.parse.outline import Outline
from kb.parse.place import Place, Placer, Similar, headings_above
from kb.parse.printed import Printed
from kb.parse.scanner import Scanner
from kb.parse.titles import split_title, titled
from kb.profile import Level, Profile, SourceSpec, Work
from kb.runs import Run, joined
from kb.text import Text
from kb.unswept import unswept

_START, _END = attrgetter("source_start"), attrgetter("source_end")
_SLACK = {"marker": 4, "inner": 4, "paragraph": 10}
"""Code points by which a line must fall short of its margin, its next word counted in; indents of
paragraphs vary most."""
_LACUNA = "a run of the line is lost here"


@unswept()
def parse(
    text: Text,
    spec: SourceSpec,
    profile: Profile,
    page_at: PageAt,
    similar: Similar,
    raw: str,
) -> Parsed:
    """Read one repaired source.

    ``page_at``: page of a place in the source; ``similar``: overlap of two phrases' words, for the places
    that only a heading tells; ``raw``: the source as received.
    """
    work = profile.works[spec.work]
    outline = Outline.of(profile.outline, work)
    text = with_plain_blanks(text)
    pieces = list(fragments(text, page_at))
    lines = [line for piece in pieces for line in piece]
    width = measure(lines)
    mark, note, called = note_patterns(profile)
    is_titled = titled(outline, similar)
    scanner = Scanner(work, spec.lang, note, width, outline.entries, spec.alphabet, is_titled, called)
    found = bridged(pieces, list(scan(pieces, scanner)), scanner, work, outline, similar)
    places = Placer(work, outline, similar).place(found)
    builder = _Builder(spec, work, width, raw, mark, Flow(text))
    builder.printed.learn(lines)
    builder.learn_margins(found)
    for fragment in found:
        builder.fragment(fragment, places)
    return Parsed(
        tuple(builder.nodes()),
        tuple(builder.unplaced),
        tuple(builder.findings),
        headings_above(spec, work, found, places),
    )


class _Builder:
    def __init__(
        self,
        spec: SourceSpec,
        work: Work,
        width: Measure,
        raw: str,
        mark: re.Pattern[str] | None,
        flow: Flow,
    ) -> None:
        self.spec = spec
        self.work = work
        self.paragraph = flow.paragraph
        self.width = width
        self.printed = Printed(raw)
        self.mark = mark
        self.margins: dict[tuple[int | None, str], int] = {}
        """Level and kind of a line -> the length that such lines reach (indents differ)."""
        self.drafts = Drafts()
        self.unplaced: list[Unplaced] = []
        self.findings: list[Finding] = []

    def learn_margins(self, found: Sequence[Fragment]) -> None:
        """How far the lines of each kind run; a kind with fewer than five lines tells nothing."""
        lengths: dict[tuple[int | None, str], list[int]] = {}
        for block in (b for fragment in found for b in fragment.blocks):
            for number, line in enumerate(block.lines[:-1]):
                kind = self._kind_of_line(block, number)
                lengths.setdefault((block.level, kind), []).append(self.printed.length(line))
        for key, seen in lengths.items():
            margin = sorted(seen)[len(seen) * 9 // 10]
            if len(seen) >= 5:
                even = sum(length >= 0.8 * margin for length in seen)
                self.margins[key] = margin if even * 10 >= len(seen) * 7 else 0

    # One fragment.

    def fragment(self, fragment: Fragment, places: dict[int, Place]) -> None:
        drafts: dict[int, Draft] = {}
        ends = max((i for i, b in enumerate(fragment.blocks) if b.kind != "footnote"), default=0)
        for index, block in enumerate(fragment.blocks):
            last = index >= ends
            if block.kind == "footnote":
                self._footnote(block, drafts)
                continue
            place = places.get(id(block)) or self._inherited(block, places)
            if place is None:
                lead = self._lead(block) if block.kind == "head" and block.lines[0].page else None
                self._unplace(block, "no marker, heading or neighbour tells where it belongs", lead)
                continue
            if block.kind in ("table", "after-table"):
                following = next((b.kind for b in fragment.blocks[index + 1 :] if b.kind != "footnote"), "")
                self._attach(block, place, drafts, between=following == "table")
            elif block.kind == "head":
                self._head(block, place, drafts, last)
            else:
                self._marked(block, place, drafts, last)
        if fragment.open_end and drafts:
            self.drafts.all[-1].complete, self.drafts.all[-1].missing = False, UNSURE_END
        if fragment.behind_gap:
            lines = self.printed.lines_of(fragment.blocks[0].lines[0])
            self.findings.append(Finding("unmarked-gap", UNMARKED, None, self.spec.name, lines))

    def _inherited(self, block: Block, places: dict[int, Place]) -> Place | None:
        """A table, or the text after one, belongs to the provision that is open there."""
        if block.kind in ("table", "after-table") and block.chain:
            return Place(tuple(label.step for _, label in block.chain), "explicit")
        return None

    def _level_of(self, place: Place) -> Level:
        levels = self.work.provision_levels
        return levels[min(len(place.path), len(levels)) - 1]

    def _head(self, block: Block, place: Place, drafts: dict[int, Draft], last: bool) -> None:
        draft = Draft(place, self._level_of(place), block)
        draft.text = self.paragraph(block.texts())
        draft.complete = False
        draft.missing = "title and start of the text"
        self._check_damage(draft, block)
        if last:
            self._check_end(draft)
        self._keep(draft, block, drafts)

    def _lead(self, block: Block) -> Node:
        draft = Draft(Place((), "inferred"), self.work.root_level, block, complete=False)
        draft.text = self.paragraph(block.texts())
        draft.missing = "title and start of the text"
        return self._node(draft)

    def _marked(self, block: Block, place: Place, drafts: dict[int, Draft], last: bool) -> None:
        assert block.level is not None
        level = self.work.levels[block.level]
        title, rest = split_title(block.texts(), level, whole=not last)
        if title and level.repealed and level.repealed.match(title[0].value):
            title, rest = [], block.texts()
        draft = Draft(place, level, block, marker=block.marker)
        draft.title = self.paragraph(title) if title else None
        if level.heading and rest:
            draft.title = self.paragraph([*title, *rest])
            rest = []
        body = block.lines[len(block.lines) - len(rest) :] if rest else []
        parts = divide(self.work, block, level, rest, body, self.width)
        draft.text = self.paragraph(parts.text) if parts.text else None
        self._check_damage(draft, block)
        self._keep(draft, block, drafts)
        if parts.tail and self.drafts.all:
            self._give_tail(draft, parts.tail)
        for piece in parts.items:
            self._item(draft, piece)
        if last and not level.heading:
            self._check_end(self.drafts.all[-1] if parts.items else draft)
            self._check_list(draft, parts.items)

    def _keep(self, draft: Draft, block: Block, drafts: dict[int, Draft]) -> None:
        self.drafts.add(draft)
        drafts[id(block)] = draft

    def _item(self, parent: Draft, piece: Piece) -> None:
        levels = self.work.levels
        level = levels[levels.index(parent.level) + 1]
        place = Place((*parent.place.path, str(piece.number)), parent.place.basis)
        draft = Draft(place, level, Block(None, None, None, piece.lines))
        draft.text = self.paragraph(piece.texts)
        self._check_damage(draft, draft.block)
        self.drafts.add(draft)

    def _give_tail(self, item: Draft, tail: list[Run]) -> None:
        parent = self.drafts.latest.get(item.place.path[:-1])
        if parent is not None:
            parent.tail = self.paragraph(tail)

    def _attach(self, block: Block, place: Place, drafts: dict[int, Draft], between: bool) -> None:
        """A table becomes a node below the open provision; text after it is that provision's tail.

        Text ``between`` two tables is the tail of the first, so that it stays where it stands.
        """
        if between and self.drafts.all and self.drafts.all[-1].table:
            self.drafts.all[-1].tail = self.paragraph(block.texts())
            return
        owner = self.drafts.latest.get(place.path)
        if block.kind == "after-table" and owner is not None:
            more = self.paragraph(block.texts())
            owner.tail = more if owner.tail is None else Run.of(joined([owner.tail, more], ""))
            return
        here = Place((*place.path, f"t{self.drafts.tables[place.path] + 1}"), place.basis)
        table = Level(name="table", kind="table", numbering="arabic", titled="never")
        draft = Draft(here, table, block, table=True)
        draft.text = with_ends(block.lines)
        self._keep(draft, block, drafts)

    def _footnote(self, block: Block, drafts: dict[int, Draft]) -> None:
        note = self.paragraph(block.texts())
        assert block.marker is not None
        printed = self.mark.search(block.marker.value) if self.mark else None
        mark = max(printed.group() if printed else "", block.mark, key=len)
        owner = owner_of(self.mark, block.mark, mark, drafts.values(), bool(block.why))
        if owner is None:
            self._unplace(block, f"no text on its page has the mark {mark}")
            return
        owner.notes = [*(owner.notes or []), Note(mark, block.marker, note)]

    # What is not whole.

    def _check_end(self, draft: Draft) -> None:
        """At a gap, or where the file ends: does the text end as a text does."""
        last = draft.tail or draft.text
        if last is None:
            if draft.level is not self.work.root_level and not draft.level.heading:
                draft.complete, draft.missing = False, "what stands under the title"
            return
        value = last.value.rstrip()
        if not closes(value) or value.count("(") > value.count(")"):
            draft.complete = False
            bracket = " (bracket never closed)" if value.count("(") > value.count(")") else ""
            draft.missing = ", ".join(filter(None, [draft.missing, f"end of the sentence{bracket}"]))

    def _check_list(self, draft: Draft, items: list[Piece]) -> None:
        """A list that stops at a semicolon goes on where the page is missing."""
        last = self.drafts.all[-1]
        if last.text is None or not last.text.value.rstrip().endswith(";"):
            return
        for owner in self.drafts.owners(last.place.path)[-1:]:
            owner.complete = False
            owner.missing = "the list goes on"

    def _check_damage(self, draft: Draft, block: Block) -> None:
        """A line that ends long before the margin in the middle of a sentence has lost its end."""
        for number, (line, following) in enumerate(zip(block.lines, block.lines[1:], strict=False)):
            if not self._breaks_off(line, following) or not self._cut_short(block, number, following):
                continue
            draft.damaged = True
            for owner in self.drafts.owners(draft.place.path):
                owner.damaged = True
            low, high = self.printed.lines_of(line)[0], self.printed.lines_of(following)[0]
            ref = Ref(self.spec.work, self.spec.edition, draft.place.path)
            self.findings.append(
                Finding(
                    "lacuna",
                    f"{_LACUNA}: «…{line.value[-30:]}» / «{following.value[:30]}…»",
                    ref,
                    self.spec.name,
                    (low, high),
                )
            )

    def _breaks_off(self, line: Line, following: Line) -> bool:
        """The sentence goes on in the next line."""
        if not following.lower or following.after_blank or not self.width.width or line.closed:
            return False
        return not line.value.rstrip().endswith("-")

    def _cut_short(self, block: Block, number: int, following: Line) -> bool:
        line = block.lines[number]
        first, last = self.printed.lines_of(line)
        if first != last:
            return False  # a hyphen ended the line of the source: it was full
        kind = self._kind_of_line(block, number)
        margin = self.margins.get((block.level, kind), self.width.width // 2)
        word = following.value.split(maxsplit=1)[0]
        return 0 < self.printed.length(line) + 1 + len(word) <= margin - _SLACK[kind]

    def _kind_of_line(self, block: Block, number: int) -> str:
        """``marker``, ``paragraph`` (opens one, so that it was indented) or ``inner``."""
        line, before = block.lines[number], block.lines[number - 1]
        if number == 0:
            return "marker"
        if line.after_blank:
            return "paragraph"
        if not line.value[:1].isupper():
            return "inner"
        titled = not before.closed  # a capital after an open end: the text under a title
        return "paragraph" if titled or self.width.ends_early(before.value, line.value) else "inner"

    # From drafts to nodes.

    def nodes(self) -> list[Node]:
        """The readings, in the order of the source."""
        made = [self._node(draft) for draft in self.drafts.all]
        return [self._with_items(index, made) for index in range(len(made))]

    def _with_items(self, index: int, made: Sequence[Node]) -> Node:
        """A paragraph that counts with its items stands on their lines too."""
        node = made[index]
        if not self.drafts.all[index].level.with_items:
            return node
        first, last = node.witnesses[0].lines
        for at in range(index + 1, len(made)):
            item = made[at]
            if not item.ref.within(node.ref) or item.ref == node.ref:
                break
            last = max(last, item.witnesses[0].lines[1])
        return replace(node, witnesses=(replace(node.witnesses[0], lines=(first, last)),))

    def _node(self, draft: Draft) -> Node:
        block = draft.block
        page, basis = block.lines[0].where
        title, mark = self._title(draft)
        spans: list[Span] = []
        if draft.marker is not None:
            spans += spans_of("marker", draft.marker, self.spec.name)
        if title is not None:
            spans += spans_of("title", title, self.spec.name)
        if mark is not None:
            spans += spans_of("title mark", mark, self.spec.name)
        if draft.text is not None:
            spans += spans_of("text", draft.text, self.spec.name)
        if draft.tail is not None:
            spans += spans_of("tail", draft.tail, self.spec.name)
        first, last = min(map(_START, spans)), max(map(_END, spans))
        notes = []
        for number, note in enumerate(draft.notes or [], 1):
            spans += spans_of(f"footnote {number} mark", note.marker, self.spec.name)
            spans += spans_of(f"footnote {number}", note.text, self.spec.name)
            notes.append(Footnote(note.mark, note.text.value))
        lines = (self.printed.line_at(first), self.printed.line_at(max(first, last - 1)))
        return Node(
            ref=Ref(self.spec.work, self.spec.edition, draft.place.path),
            lang=self.spec.lang,
            kind=draft.level.kind,
            marker=draft.marker.value.strip(" -–—\t") if draft.marker else "",
            title=title.value if title else "",
            text=draft.text.value if draft.text else "",
            tail=draft.tail.value if draft.tail else "",
            footnotes=tuple(notes),
            complete=draft.complete,
            missing=draft.missing,
            damaged=draft.damaged,
            page=page,
            page_basis=basis,
            basis=draft.place.basis,
            witnesses=(Witness(self.spec.name, lines, True, True),),
            spans=tuple(spans),
        )

    def _title(self, draft: Draft) -> tuple[Run | None, Run | None]:
        """A heading's title without the mark of its footnote, and that mark."""
        title = draft.title
        if title is None or self.mark is None or not draft.level.heading:
            return title, None
        match = re.search(rf"\s*{self.mark.pattern}\s*\Z", title.value)
        return (title[: match.start()], title[match.start() :]) if match else (title, None)

    def _unplace(self, block: Block, reason: str, lead: Node | None = None) -> None:
        texts = ([block.marker] if block.marker is not None else []) + block.texts()
        texts = [text for text in texts if text.value.strip()]
        runs = tuple(text.source for text in texts)
        if not runs:
            return
        lines = (self.printed.line_at(runs[0][0]), self.printed.line_at(runs[-1][1] - 1))
        said = " ".join(text.value.strip() for text in texts)
        self.unplaced.append(Unplaced(self.spec.name, lines, said, reason, runs, lead))
