"""Numbers in rows: lists with elided nouns, ranges, and numbers that go down from a law."""

from __future__ import annotations

from kb.cite.numbers import HOPS, Parse, Reader
from kb.cite.series import Element, counts, expand

_ROMAN = frozenset("ivxIVXіІ")
_ROWS = frozenset((*",;)", ""))
"""No range begins with these."""
_SOFT = ",;( \t\r\n\u00a0\u2009\u202f"


class Rows(Reader):
    """Reads on from a first number."""

    def _row(self, first: Element, parse: Parse, work: str, plural: bool) -> list[Element]:
        """The list or range that opens with ``first``: «64А и С», «53–56, 58».

        Empty when the row is none at all: ``4-3-3-3``.
        """
        elements = [first]
        if self._quiet(first.end):
            return elements
        while True:
            prev = elements[-1]
            if spread := self._range(prev, parse, work, plural):
                if not spread.paths:
                    return elements[:-1]
                elements[-1] = prev = spread
            sep = self.rx["sep"].match(self.text, prev.end)
            gloss = None if sep else self.rx["gloss"].match(self.text, prev.end)
            if gloss:
                sep = self.rx["sep"].match(self.text, gloss.end())
            if not sep or self._word_at(sep.end()):
                break
            element = self._item(prev, sep.end(), work) or parse(sep.end())
            element = element or self._partial(prev, sep.end(), work)
            if (
                element
                and sep.group().strip() == "/"
                and not plural
                and len(prev.path) == len(element.path) == 1
                and not _ascend(prev, element)
            ):
                return []  # 2/1 is a system, 3/4 a fraction
            if not element or not self._listed(prev, element, sep.group(), plural):
                break
            if gloss and not plural and len(element.path) == 1 and not self._stops(element.end):
                break
            elements.append(element)
        if len(elements) == 1 and not elements[0].paths:
            elements[0] = self._descend(elements[0], work)
        return elements

    def _word_at(self, at: int) -> bool:
        """A word of two letters or more, which no number begins with. (Only saves the time of trying.)"""
        first, second = self.text[at : at + 1], self.text[at + 1 : at + 2]
        return first.isalpha() and second.isalpha() and first not in _ROMAN

    def _item(self, prev: Element, at: int, work: str) -> Element | None:
        """«62В1 и 2», ``27B1 and 2(a)``: a small number that goes on from an item, and is no law."""
        # Nothing in an element as short as that could be a number.
        if len(prev.path) <= self._numbered(work) or not self.text[at : at + 1].isdigit():
            return None
        partial = self._partial(prev, at, work)
        relative = self._relative(at, work) if partial else None
        if not partial or not relative or not relative.steps[0].isdigit():
            return None
        if len(relative.steps) > 1 and "(" not in self.text[at : relative.end]:
            return None  # «43A1 и 4С»: a bid
        if ".".join(partial.path) in self.grammar.outline.get(work, {}):
            return partial
        number, before = relative.steps[0], prev.path[self._base(work) + relative.depth]
        near = before.isdigit() and int(number) <= int(before) + 3
        return partial if near and int(number) < int(prev.path[0].partition("-")[0]) else None

    def _listed(self, prev: Element, element: Element, sep: str, plural: bool) -> bool:
        """May this stand in a list without a noun of its own? «правилу 27 и 4С» may not: a bid."""
        if not self.strict or element.dotted or element.partial:
            return True
        if len(element.path) == 1:
            joined = sep.strip().lstrip(_SOFT).lower()
            soft = bool(sep.strip()) and (not joined or joined in self.data["weakContrast"])
            return plural or not soft or self._stops(element.end)
        if self._bid(element.path):
            known = ".".join(element.path) in self.grammar.outline.get(self.law, {})
            return known and (plural or self._bid(prev.path))
        return True

    def _range(self, prev: Element, parse: Parse, work: str, plural: bool) -> Element | None:
        """The range that ``prev`` opens; without paths when it is none but looks like one: ``4-3-3-3``."""
        if self.text[prev.end : prev.end + 1] in _ROWS:
            return None
        found = self.rx["range"].match(self.text, prev.end)
        if not found:
            return None
        again = self.rx["again"].match(self.text, found.end())  # L27–L30
        at = again.end() if again else found.end()
        element = self._item(prev, at, work) or parse(at)
        element = element or self._partial(prev, at, work, ranged=True)
        if not element:
            return None
        nothing = Element(prev.start, prev.end, ())
        if self.strict and self.rx["rangeOn"].match(self.text, element.end):
            return nothing
        dashed = found.group().strip() in ("-", "–", "—")
        if (
            self.strict
            and len(element.path) == 1
            and dashed
            and not plural
            and found.group() != found.group().strip()
        ):
            return None
        paths = expand(
            prev.path, element.path, self.grammar.outline.get(work, {}), int(self.data["maxRange"])
        )
        if not paths and self.strict and len(prev.path) == 1 and dashed and found.group() in ("-", "–", "—"):
            return nothing  # «4-4 фит»
        return element._replace(start=prev.start, paths=paths) if paths else None

    def _partial(self, prev: Element, at: int, work: str, ranged: bool = False) -> Element | None:
        """«64А и С», ``27B1(a) and (b)``: the steps that differ."""
        base = self._base(work)
        relative = self._relative(at, work) if len(prev.path) > base else None
        if not relative:
            return None
        keep = base + relative.depth
        if len(prev.path) <= keep:
            return None
        step = relative.steps[0]
        if step.isdigit() and not relative.telling:
            before = prev.path[keep]
            if not before.isdigit() or int(step) > 9 or (not ranged and int(step) <= int(before)):
                return None
            if self.strict and counts(self, relative.end, int(step)):
                return None
        if self.strict and self.rx["bad"].match(self.text, relative.end):
            return None
        path = prev.path[:keep] + relative.steps
        return Element(at, relative.end, path, dotted=prev.dotted, partial=True)

    def _descend(self, element: Element, work: str) -> Element:
        """«правило 65, раздел B, пункт 1»: further nouns that go down from the law."""
        for _ in range(HOPS):
            of = self.rx["of"].match(self.text, element.end)
            noun = self._noun_at(of.end()) if of else None
            if not noun or not any("relative" in self.data["nouns"][n]["numbers"] for n in noun[2]):
                return element
            lead = self.rx["lead"].match(self.text, noun[1])
            relative = self._relative(lead.end() if lead else noun[1], work)
            if not relative or self._base(work) + relative.depth != len(element.path):
                return element
            element = element._replace(end=relative.end, path=element.path + relative.steps)
        return element


def _ascend(low: Element, high: Element) -> bool:
    """``16/73``: the numbers of two laws."""
    first, second = (int(e.path[0].partition("-")[0]) for e in (low, high))
    return first < second and second > 9
