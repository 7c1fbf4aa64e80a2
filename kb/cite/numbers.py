"""Reading a number at a place of a text: ``65B1(a)``, ``65.3.(ii)``, ``B1(a)``; and what stands near it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kb.cite.grammar import Grammar
from kb.cite.series import Element, counts
from kb.cite.shapes import LETTER, SPACE, SUPERSCRIPTS
from kb.model import Ref

HOPS = 4
"""How many nouns a chain such as «подпункт (a) пункта 2 раздела D правила 50» may have."""
_DIGITS = {ch: str(n) for n, ch in enumerate(SUPERSCRIPTS)}
Parse = Callable[[int], Element | None]
_LOOK = 40
"""How far back the words before a number are looked for."""
_GAP = f"(?:{SPACE}{{0,8}}\\n\\r?)?{SPACE}{{0,4}}"
_WIDE = f"(?:{SPACE}{{0,8}}\\n\\r?{SPACE}{{0,4}}|{SPACE}{{1,4}})"
# These read backwards, from the number on: ``rx["previous"]`` and ``rx["placed"]`` the other way round.
_PREVIOUS = re.compile(f"{_GAP}(\\.?)([{LETTER}]+)(?:{_WIDE}\\.?([{LETTER}]+))?")
_PLACED = re.compile(f"{_GAP}:?(\\.?)([{LETTER}]+)")
_LISTED = frozenset(",;)")
_KEPT = 4096
"""How many numbers already read are remembered."""


Number = tuple[tuple[str, ...], int, bool]
"""Path, the group the number ends with, and whether a space stands before its last step."""


class Relative(NamedTuple):
    """Steps below something not yet known: ``B1(a)``. ``depth`` 0 is the first step below the root."""

    depth: int
    steps: tuple[str, ...]
    end: int
    telling: bool
    """It has a letter or a bracket, so it is more than a plain number."""


class Reader:
    """One text and a grammar. ``strict`` off: what a person typed, where nothing is a false friend."""

    def __init__(self, text: str, grammar: Grammar, context: Ref | None = None, strict: bool = True) -> None:
        self.text = text
        self.grammar = grammar
        self.data = grammar.data
        self.rx = grammar.rx
        self.context = context
        self.strict = strict
        self.law = str(self.data["law"])
        self._lexicon: Mapping[str, list[Any]] = self.data["lexicon"]
        self._steps: dict[tuple[str, str], str] = {}
        self._quiet_at = self._loud_at = -1
        self._relative_at: tuple[int, str] = (-1, "")
        self._relative_was: Relative | None = None

    # Numbers.

    def _provision(self, at: int, work: str) -> Element | None:
        pattern = self.grammar.shapes[work]["provision" if self.strict else "query"]
        found = pattern.match(self.text, at) if pattern else None
        if not found:
            return None
        groups = found.groups("")
        if groups[0][0] == "0" or (self.strict and len(groups[0]) > self.data["rootDigits"]):
            return None
        read = self.grammar.numbers
        number = read.get((work, self.strict, groups))
        if number is None:
            if len(read) >= _KEPT:
                read.clear()
            number = read[work, self.strict, groups] = self._number(groups, work)
        path, last, spaced = number
        if self.strict:
            return self._sane(at, found.end(last), path, spaced, found)
        strange = len(path) > 1 and path[1] not in self.data["letters"].values()
        return None if strange and self._bid(path[:2]) else Element(at, found.end(last), path)  # 4S

    def _number(self, groups: Sequence[str], work: str) -> Number:
        """What the groups of a number say: the same whatever stands around it, so each is read once."""
        number, raised, *steps = (*groups, "")
        path = [number + _superscript(raised)]
        kinds = self.data["works"][work]["steps"]
        opened = ""
        spaced = False
        for group, raw in enumerate(steps):
            if not raw:
                break
            kind, mark = kinds[group + 1], raw[0]
            plain = kind == "arabic" and "(" not in raw
            # «65В 2 карты» is no item; 65 B 1, 65-B-1 and ``65B 1(a)`` are.
            loose = plain and (mark.isspace() or mark in "-\u2011") and mark != opened
            if self.strict and loose and not steps[group + 1].startswith("("):
                break
            path.append(self._plain(raw, kind))
            spaced = plain and mark.isspace()
            opened = mark
        return tuple(path), len(path) + 1, spaced

    def _sane(
        self, at: int, end: int, path: tuple[str, ...], spaced: bool, found: re.Match[str]
    ) -> Element | None:
        """A number that is no false friend: «4 карты», «2 или более», «12:30», «16-го»."""
        # No false friend goes on with a comma or a bracket that closes.
        if self.text[end : end + 1] in _LISTED or self._quiet(end):
            return Element(at, end, path)
        if self.rx["bad"].match(self.text, end):
            return None
        if len(path) == 1 and (
            counts(self, end, int(found.group(1))) or self.rx["more"].match(self.text, end)
        ):
            return None
        if spaced and int(path[-1]) > 1 and counts(self, end, int(path[-1])):
            path = path[:-1]
            end = found.end(len(path) + 1)
        return Element(at, end, path)

    def _dotted(self, at: int, work: str, dot: str) -> Element | None:
        pattern = self.grammar.shapes[work]["dotted" if self.strict else "typed"]
        found = pattern.match(self.text, at) if pattern else None
        if not found or found.group(1)[0] == "0" or found.group(2)[0] == "0":
            return None
        kinds = self.data["works"][work]["steps"][2:]
        root = found.group(1).rstrip(SUPERSCRIPTS)
        point = found.group(2).replace("(", "-").rstrip(")")
        path = [root + _superscript(found.group(1)[len(root) :]), point]
        for kind, raw in zip(kinds, found.groups()[2:], strict=False):
            if raw is None:
                break
            path.append(self._plain(raw, kind))
        end = found.end()
        if self.text[end : end + 1] != "." and self._quiet(end):
            return Element(at, end, tuple(path), dotted=True)
        if dot and self.rx["trail"].match(self.text, end):
            end += 1
        directed = self.rx["direction"].match(self.text, end) or (
            self.text[end : end + 1] == "." and self.rx["direction"].match(self.text, end + 1)
        )
        end = directed.end() if directed else end
        return Element(at, end, tuple(path), dotted=True, directed=bool(directed))

    def _relative(self, at: int, work: str) -> Relative | None:
        """The steps that stand at ``at``. Asked twice of a place, it is read once."""
        if self._relative_at != (at, work):
            self._relative_at = (at, work)
            self._relative_was = self._read_relative(at, work)
        return self._relative_was

    def _read_relative(self, at: int, work: str) -> Relative | None:
        pattern = self.grammar.shapes[work]["relative"]
        found = pattern.match(self.text, at) if pattern else None
        if not found:
            return None
        kinds = self.data["works"][work]["steps"][self._base(work) :]
        groups = found.groups()
        offset = 0
        for depth in range(len(kinds)):
            if groups[offset] is not None:
                raws = groups[offset : offset + len(kinds) - depth]
                steps = tuple(
                    self._plain(raw, kind) for raw, kind in zip(raws, kinds[depth:], strict=True) if raw
                )
                return Relative(depth, steps, found.end(), not found.group().strip().isdigit())
            offset += len(kinds) - depth
        return None

    def _plain(self, raw: str, kind: str) -> str:
        """A step as it stands in a ref. There are few, so each is worked out once."""
        found = self._steps.get((raw, kind))
        if found is None:
            found = self._steps[raw, kind] = self.grammar.letters.plain(raw, kind)
        return found

    # Small questions.

    def _quiet(self, end: int) -> bool:
        """Does surely nothing behind a number belong to it? Never True when something does."""
        if end == self._quiet_at:
            return True
        if end == self._loud_at or not self.strict:
            return False
        quiet = self.grammar.quiet
        found = quiet.pattern.match(self.text, end)
        word = found[1] if found else None
        if not found or (word and (word in quiet.stops or word.endswith(quiet.endings))):
            self._loud_at = end
            return False
        self._quiet_at = end
        return True

    def _base(self, work: str) -> int:
        """How many steps stand above the first relative one: the root, or root and number (65.3)."""
        return 2 if "dotted" in self.data["works"][work]["steps"] else 1

    def _numbered(self, work: str) -> int:
        """How many steps stand above the first one that is a plain number: two, for the 1 of 65B1."""
        base = self._base(work)
        kinds = self.data["works"][work]["steps"]
        return next((at for at in range(base, len(kinds)) if kinds[at] == "arabic"), len(kinds))

    def _flat(self, work: str) -> bool:
        return bool(self.data["works"][work]["steps"][1:2] != ["upper"])

    def _noun_at(self, at: int) -> tuple[int, int, list[int], bool] | None:
        found = self.rx["word"].match(self.text, at)
        if not found:
            return None
        kind, value, plural = self.data["lexicon"][" ".join(found.group().lower().split())]
        return (at, found.end(), value, plural) if kind == "noun" else None

    def _previous(self, at: int) -> tuple[str, str, str]:
        """The word before a place, the dot after it, and the word before that, all possibly empty."""
        found = _PREVIOUS.match(self.text[max(0, at - _LOOK) : at][::-1])
        return (found[2][::-1], found[1], (found[3] or "")[::-1]) if found else ("", "", "")

    def _cued(self, at: int, weak: bool = False) -> bool:
        """Does «см.», "under" or the like stand before ``at``? ``weak``: «по» will do."""
        word, dot, before = self._previous(at)
        for candidate in (word, before if word.lower() in self.data["fillers"] else ""):
            for form in (candidate.lower() + dot, candidate.lower() + ".", candidate.lower()):
                kind, _, sure = self.data["lexicon"].get(form, ("", None, False))
                if kind == "cue" and (sure or weak):
                    return True
        return False

    def _local_cue(self, at: int) -> bool:
        word, _, before = (part.lower() for part in self._previous(at))
        cues = self.data["localCues"]
        return word in cues or (word in self.data["fillers"] and before in cues)

    def _listed_section(self, path: tuple[str, ...]) -> bool:
        return ".".join(path[:2]) in self.grammar.outline.get(self.law, {})

    def _placed(self, at: int) -> bool:
        """Is the number before which this stands a table's or a room's?"""
        found = _PLACED.match(self.text[max(0, at - _LOOK) : at][::-1])
        if not found:
            return False
        word, places = found[2][::-1].lower(), self.data["places"]
        return word in places or word + found[1] in places

    def _bid(self, path: tuple[str, ...]) -> bool:
        return len(path) == 2 and path[0] in tuple("1234567") and path[1] in tuple(self.data["bids"])

    def _stops(self, at: int) -> bool:
        """Does the sentence stop here, or the list go on?"""
        rest = self.text[at : at + 1]
        return (
            not rest
            or rest in '.,;:)]!?"»'
            or any(self.rx[name].match(self.text, at) for name in ("sep", "range"))
        )


def _superscript(raw: str) -> str:
    """What it adds to the number before it: ``7¹`` is 7-1, ``12A`` is 12A."""
    return raw if raw.isalpha() else "-" + "".join(_DIGITS[ch] for ch in raw) if raw else ""
