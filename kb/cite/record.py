"""What is found, put down: citations of ours, provisions of other codes, and the law a text spoke of last."""

from __future__ import annotations

import re

from kb.cite.grammar import Grammar
from kb.cite.rows import Rows
from kb.cite.series import Element
from kb.model import Citation, Ref

Antecedent = tuple[str, str, tuple[str, ...]]
"""Work, edition and path of the law a text speaks of."""


_STOPS = frozenset((*".;:)]!?»", ""))
"""Behind a number these end what may belong to it."""


class Recorder(Rows):
    """Keeps the citations in ``out``, in order."""

    def __init__(self, text: str, grammar: Grammar, context: Ref | None = None, strict: bool = True) -> None:
        super().__init__(text, grammar, context, strict)
        self.out: list[Citation] = []
        self._last: Antecedent | None = None
        self._last_at = 0
        self._alien = ""
        self._alien_end = -1

    def _antecedent(self, at: int) -> Antecedent | None:
        """The citation before ``at`` in the same paragraph."""
        if self._last and self._last_at < at:
            if self.rx["paragraph"].search(self.text, self._last_at, at):
                self._last = None
            self._last_at = at
        return self._last

    # Codes of others.

    def _code(self, start: int, end: int, code: str) -> int:
        """«КоАП РФ, ст. 31.1»: the provision of another code, known as such and not linked."""
        tail = self.rx["country"].match(self.text, end)
        at = tail.end() if tail else end
        noun = self._noun_at(at)
        at = noun[1] if noun else at
        lead = self.rx["lead"].match(self.text, at)
        number = self.rx["number"].match(self.text, lead.end() if lead else at)
        return self._foreign(start, number.end(), code, number.group()) if number else end

    def _act(self, start: int, end: int, word: str) -> int:
        """``Gaming Act 1968, section 16C``: a code by its capitalised name, before the number."""
        name = " " in word or self.rx["actBefore"].search(self.text[max(0, start - 40) : start])
        return self._titled(start, end, self.data["acts"]) if name else end

    def _titled(self, start: int, end: int, code: str) -> int:
        """«Закон о лотереях, ст. 5»: the name of the code goes on for a while before the number."""
        found = self.rx["titled"].match(self.text, end)
        number = self.rx["number"].match(self.text, found.end()) if found else None
        return self._foreign(start, number.end(), code, number.group()) if number else end

    def _code_after(self, end: int) -> tuple[str, int] | None:
        """The code of others that follows a number, and where its name ends."""
        if self.text[end : end + 1] in _STOPS:
            return None
        if found := self.rx["foreign"].match(self.text, end):
            return self.data["lexicon"][" ".join(found.group(1).lower().split())][1], found.end()
        if self._alien and (found := self.rx["sameCode"].match(self.text, end)):
            return self._alien, found.end()
        found = self.rx["act"].match(self.text, end)
        return (self.data["acts"], found.end()) if found else None

    def _foreign(self, start: int, end: int, code: str, number: str) -> int:
        steps = tuple(re.findall(r"[0-9]+", number))
        self.out.append(Citation(start, end, self.text[start:end], "full", "", "", (code, *steps)))
        self._last = None
        self._alien, self._alien_end = code, end
        return end

    # Results.

    def _emit(self, elements: list[Element], work: str, form: str, edition: str) -> int:
        """Record the elements, with the edition or the foreign code that follows them."""
        end = elements[-1].end
        if self._quiet(end):
            return self._record(elements, end, work, form, edition)
        if code := self._code_after(end):
            return self._foreign(elements[0].start, code[1], code[0], ".".join(elements[0].path))
        if not edition and self.rx["yearSoon"].match(self.text, end):
            typed = () if self.strict else (self.rx["typed"],)
            for pattern in (*self.grammar.after, *typed):
                found = pattern.match(self.text, end)
                if found and found.group(1) in self.data["editions"]:
                    edition, end = found.group(1), found.end()
                    break
        return self._record(elements, end, work, form, edition)

    def _record(self, elements: list[Element], end: int, work: str, form: str, edition: str) -> int:
        """Put down the elements; the span of the last one goes on to ``end``."""
        for at, element in enumerate(elements):
            stop = end if at == len(elements) - 1 else element.end
            how = form if at == 0 or form == "paragraph" else "list"
            for path in element.paths or (element.path,):
                self._add(element.start, stop, "range" if element.paths else how, work, edition, path)
        return end

    def _add(self, start: int, end: int, form: str, work: str, edition: str, path: tuple[str, ...]) -> None:
        self.out.append(Citation(start, end, self.text[start:end], form, work, edition, path))
        roots = self.grammar.outline.get(self.law, {})
        if path and work == self.law:
            # A law that does not exist is no footing for what follows.
            self._last = (work, edition, path) if not roots or path[0] in roots else None
            self._last_at = end
            self._alien = ""
