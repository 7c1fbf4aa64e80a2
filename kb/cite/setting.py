"""What a citation stands among: another game named near it, a sign of law, a word that makes it none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kb.cite.patterns import OPENS
from kb.cite.record import Recorder
from kb.cite.series import Element
from kb.model import Citation

_BEFORE, _AFTER = 240, 160
"""Code points around a citation within which its sentence is read."""
_NEAR = 100
_CHUNK, _LONGEST = 65536, 40


class Setting(Recorder):
    """Judges citations by their surroundings."""

    # Other games.

    def _judged(self) -> list[Citation]:
        """``out`` without what belongs to another game: «В футболе по правилу 12 назначают пенальти»."""
        if not self.out or not self.strict or self.context or not self._named_at_all():
            return self.out
        kept: list[Citation] = []
        start, theirs, root = -1, False, ""
        for at, citation in enumerate(self.out):
            if not citation.work or not citation.path:
                theirs = False
            elif citation.form in ("anaphoric", "local"):
                theirs = theirs and citation.path[0] == root
            elif citation.form != "list" and citation.start != start:
                theirs = self._elsewhere(citation, at)
            start = citation.start
            if theirs:
                root = citation.path[0]
                path = (self.data["elsewhere"], root)
                citation = Citation(start, citation.end, citation.surface, "full", "", "", path)
            kept.append(citation)
        return kept

    def _named_at_all(self) -> bool:
        """Can another game be named anywhere? (Only saves looking beside each citation.)"""
        heads = self.grammar.heads
        for at in range(0, len(self.text), _CHUNK):
            words = set(self.text[at : at + _CHUNK + _LONGEST].lower().split())
            if not heads.isdisjoint([word.lstrip(OPENS)[:4] for word in words]):
                return True
        return False

    def _elsewhere(self, citation: Citation, at: int) -> bool:
        """Is the game named nearest in the sentence another one?"""
        text, start, end = self.text, citation.start, citation.end
        sectioned = len(citation.path) > 1 and not citation.path[1][:1].isdigit()
        before, after = self._sentence_before(start), self._sentence_after(end)
        last = next(iter(reversed(self._named(before))), None)
        first = next(iter(self._named(after)), None)
        if sectioned:
            # A section tells ours, unless the name of the game touches it.
            if last and last[1] and self.rx["touches"].match(before, last.end()):
                return True
            of = self.rx["of"].match(text, end)
            return bool(of and first and first[1] and of.end() == end + first.start())
        following = next((c.start for c in self.out[at + 1 : at + 80] if c.start >= end), len(text) + 1)
        if first and end + first.start() > following:
            first = None  # it is said of the next one
        if last and first:
            last = last if len(before) - last.end() <= first.start() else first
        nearer = last or first
        return nearer is not None and nearer[1] is not None

    def _named(self, text: str) -> list[re.Match[str]]:
        """The games named in a part of a sentence, but for those set aside: «в отличие от футбола»."""
        return [
            found
            for found in self.rx["game"].finditer(text)
            if found[1] is None or not self.rx["denied"].search(text[: found.start()])
        ]

    def _sentence_before(self, at: int) -> str:
        text = self.text[max(0, at - _BEFORE) : at]
        end = 0
        for found in self.rx["stop"].finditer(text):
            end = found.end()
        return text[end:].lower()

    def _sentence_after(self, at: int) -> str:
        text = self.text[at : at + _AFTER]
        found = self.rx["stop"].search(text)
        return (text[: found.start()] if found else text).lower()

    # Signs.

    def _refused(self, at: int, element: Element, noun: dict[str, Any]) -> bool:
        """``Murphy's law 1``, and bare numbers after a weak abbreviation: «Невский пр. 27»."""
        before = self.text[max(0, at - 8) : at]
        if ("'" in before or "’" in before) and self.rx["possessive"].search(before):
            return True
        if noun["listed"] and not self._listed_section(element.path):
            return True
        if self.strict and noun["places"] and before[-2:].rstrip()[-1:].isdigit():
            return True  # W 12 L 9
        if self.strict and noun["never_after"] and len(element.path) == 1:
            word = self._previous(at)[0].lower()
            if word in noun["never_after"]:
                return True
        if not (self.strict and noun["weak"] and len(element.path) == 1):
            return False
        word, dot, _ = self._previous(at)
        listed: list[str] = noun["not_after"] or []
        short = not self.text[at + 1 : at + 2].isalnum()
        counted = short and self.text[max(0, at - 2) : at].rstrip()[-1:].isdigit()  # «3 з. 4 п.»
        return counted or word.lower() in listed or (word[:1].isupper() and not dot)

    def _no_law(self, elements: list[Element], noun: Mapping[str, Any], plural: bool, at: int) -> bool:
        """Does what stands around say that this is no citation?"""
        if noun["places"]:
            return self._no_letter_of_law(at, elements)
        if not noun["rules"]:
            return False
        return self._rule_of(elements, at) or (plural == 2 and self._lone_plural(elements))

    def _no_letter_of_law(self, at: int, elements: list[Element]) -> bool:
        """``L5`` with nothing about it that speaks of law: a vertebra, a level, a bay."""
        if self.text[at + 1 : at + 2].isalpha() or any(len(element.path) > 1 for element in elements):
            return False
        end = elements[-1].end
        word = self.rx["next"].match(self.text, end)
        if word and word.group(1).lower() in self.data["places"]:
            return True
        if self.text[max(0, at - 1) : at] in ("(", "[") or self._cued(at) or self._antecedent(at):
            return False
        around = self.text[max(0, at - _NEAR) : at].lower() + " " + self.text[end : end + _NEAR].lower()
        if self.rx["signs"].search(around) or self.rx["calls"].search(around):
            return False
        return self.rx["prose"].search(around) is not None

    def _rule_of(self, elements: list[Element], at: int) -> bool:
        """The rule of 11 is no Law: bare numbers of known rules, and nothing that says otherwise."""
        known, talked = self.data["rules"], self.data["talked"]
        roots = [element.path[0] for element in elements]
        if any(len(e.path) > 1 or e.paths for e in elements) or self._cued(at):
            return False
        before = self.text[max(0, at - 3) : at].rstrip()
        if self.text[at].isupper() and before and before[-1] not in ".!?":
            return False
        if not all(root in known or root in talked for root in roots):
            return False
        end = elements[-1].end
        around = self._sentence_before(at) + " " + self._sentence_after(end)
        if self.rx["signs"].search(around):
            return False
        return all(root in known for root in roots) or self.rx["talk"].search(around) is not None

    def _lone_plural(self, elements: list[Element]) -> bool:
        """«По правилам 1 лиги»: a plural before one small number, and a word behind it."""
        first = elements[0]
        if (
            len(elements) > 1
            or first.paths
            or len(first.path) > 1
            or int(re.sub("-.*", "", first.path[0])) > 4
        ):
            return False
        word = self.rx["next"].match(self.text, first.end)
        return word is not None and word.group(1).islower() and len(word.group(1)) > 2

    # Codes of others that go on.

    def _still_foreign(self, at: int) -> bool:
        """Does ``at`` stand in the sentence of a provision of another code?"""
        if not self._alien or at - self._alien_end > _BEFORE:
            return False
        return not self.rx["stop"].search(self.text[self._alien_end : at])

    def _later_code(self, end: int) -> tuple[str, int] | None:
        """The code named at the end of a row of nouns: «ст. 12 и ст. 16 ГК РФ»."""
        for _ in range(4):
            sep = self.rx["sep"].match(self.text, end)
            noun = self._noun_at(sep.end()) if sep else None
            if not noun or not any(self.data["nouns"][index]["weak"] for index in noun[2]):
                return None
            lead = self.rx["lead"].match(self.text, noun[1])
            number = self.rx["number"].match(self.text, lead.end() if lead else noun[1])
            if not number:
                return None
            end = number.end()
            if code := self._code_after(end):
                return code
        return None
