"""What a text says: the citations in it, with their places. What they mean is the business of ``resolve``.

One pass from left to right. An anchor (a noun, a year, a number of a telling form) is looked at by one
method, which reads on from there with anchored patterns of bounded length; so time grows with the text.
``kb/publish/linker.js`` does the same, method by method: change both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kb.cite.grammar import Grammar
from kb.cite.numbers import HOPS, Parse, Relative
from kb.cite.series import Element
from kb.cite.setting import Setting
from kb.model import Citation, Ref


def find(text: str, lang: str, grammar: Grammar, context: Ref | None = None) -> list[Citation]:
    """All citations of a text, in order. Offsets count code points of ``text`` as given.

    ``lang`` is a hint only: the words of all languages of the grammar are known at once, as people mix them.
    ``context`` is where the text stands; relative citations (``(ii) выше``, ``this Law``) are read from it.
    The citations of a range share one span.
    """
    return Finder(text, grammar, context).run()


class Finder(Setting):
    """One run over one text."""

    def __init__(self, text: str, grammar: Grammar, context: Ref | None = None, strict: bool = True) -> None:
        super().__init__(text, grammar, context, strict)
        self._local_end = -1
        self._place_end = -1
        self._parsers: dict[tuple[str, str, bool], Parse] = {}
        self._any_parsers: dict[int, Parse] = {}

    def run(self) -> list[Citation]:
        """The citations, in order."""
        at: list[Callable[[int, int, str], int]] = [
            self._word,
            self._exact,
            self._year,
            self._bare_dotted,
            self._bare,
            self._bare_relative,
            self._bracket,
            self._act,
        ]
        text, scan = self.text, self.grammar.scan
        kinds, search = scan.kinds, scan.pattern.search
        first = scan.first(text)
        pos = max(at[first[0]](0, first[1], text[: first[1]]), 1) if first else 0
        # The pattern begins with the sign before an anchor.
        while found := search(text, pos - 1 if pos else 0):
            start, end = found.start() + 1, found.end()
            pos = at[kinds[found.lastindex or 0]](start, end, text[start:end])
            if pos <= start:
                pos = start + 1
        return self._judged()

    # Anchors: each gives the place where the search goes on.

    def _word(self, start: int, end: int, word: str) -> int:
        low = word.lower()
        kind, value, plural = self._lexicon.get(low) or self._lexicon[" ".join(low.split())]
        if kind == "noun":
            return self._noun(start, end, value, plural, start, "") or end
        if kind in ("this", "same"):
            return self._anaphoric(start, end, kind)
        if kind == "ibid":
            return self._ibid(start, end)
        if kind == "foreign" and plural == "titled":
            return self._titled(start, end, value)
        if kind == "foreign" and plural:
            return self._code(start, end, value)
        return end

    def _exact(self, start: int, end: int, word: str) -> int:
        _, value, plural = self.data["exact"][word]
        return self._noun(start, end, value, plural, start, "") or end

    def _year(self, start: int, end: int, year: str) -> int:
        """``2017 Law 16D``, ``2017:50C``, ``the 2017 Laws``."""
        if year not in self.data["editions"]:
            return end
        if self.text[end : end + 1] == ":":
            element = self._provision(end + 1, self.law)
            if element and len(element.path) > 1:
                return self._emit([element._replace(start=start)], self.law, "full", year)
            return end
        found = self.rx["before"].match(self.text, end)
        noun = self._noun_at(found.end()) if found else None
        if not noun:
            return end
        at, past, value, plural = noun
        done = self._noun(at, past, value, plural, start, year)
        if done:
            return done
        named = self.text[at].isupper() or self.text[max(0, start - 4) : start].lower() == "the "
        # "the 2017 Laws", but not «в 2017 году правила изменились».
        if named and self.text[end:at].isspace() and any(self.data["nouns"][n]["whole"] for n in value):
            return self._edition(start, past, year)
        return end

    def _bare_dotted(self, start: int, end: int, _: str) -> int:
        """``52.2.(ii)``, ``54.3 выше``, ``см. 54.3``: a paragraph without its noun."""
        before = self.text[max(0, start - 2) : start]
        if before[-2:-1].isdigit() or (before[-1:] == "." and not self._cued(start)):
            return end
        for work in sorted(self.grammar.shapes):
            element = self._dotted(start, work, "")
            if not element:
                continue
            roots = self.grammar.outline.get(self.data["works"][work]["over"] or work, {})
            if roots and element.path[0] not in roots:
                continue
            if len(element.path) > 2 or element.directed or self._cued(start):
                return self._series(element, self._parser("dotted", work, False), work, True, "")
        return end

    def _bare(self, start: int, end: int, _: str) -> int:
        """``27B1(a)``; ``27B1`` where the Laws are spoken of already, ``27B`` where Law 27 is."""
        shape = self.grammar.shapes[self.law]["bare"]
        element = self._provision(start, self.law)
        if not element or len(element.path) < 2:
            return end
        if self.text[max(0, start - 1) : start] in (".", ",") and not self._cued(start):
            return end
        last = self._antecedent(start)
        if shape is not None and shape.match(self.text, start):
            sure = "(" in self.text[start : element.end] or bool(last) or self._cued(start, weak=True)
            sure = sure or (self._listed_section(element.path) and not self._placed(start))
        else:
            again = last is not None and last[0] == self.law and last[2][:1] == element.path[:1]
            sure = again or (self._cued(start) and not self._bid(element.path))
        if not sure:
            return element.end
        return self._series(element, lambda at: self._provision(at, self.law), self.law, True, "")

    def _bare_relative(self, start: int, end: int, _: str) -> int:
        """``B1(a)``, ``B1 above``: read from the context, else from the law spoken of last."""
        relative = self._relative(start, self.law)
        if not relative or relative.depth != 0:
            return end
        directed = self.rx["direction"].match(self.text, relative.end)
        if not directed and "(" not in self.text[start : relative.end]:
            return end
        return self._local(start, relative, self.law, directed) or end

    def _bracket(self, start: int, end: int, _: str) -> int:
        """``(ii) выше``, «в случае (iii)», «(i) или (ii)»: an item of the place the text stands in."""
        works = [self.context.work, self.law] if self.context else [self.law]
        for work in dict.fromkeys(works):
            relative = self._relative(start, work) if work in self.data["works"] else None
            if not relative or (relative.depth == 0 and work == self.law and not self._flat(work)):
                continue
            directed = self.rx["direction"].match(self.text, relative.end)
            if not (directed or self._follows_local(start) or self._local_cue(start)):
                continue
            if done := self._local(start, relative, work, directed):
                self._local_end = done
                return done
        return end

    # Nouns and what follows them.

    def _noun(self, at: int, end: int, value: list[int], plural: bool, start: int, edition: str) -> int:
        """The citations after a noun; 0 when there are none. ``start``: where the first span opens."""
        text = self.text
        lead = self.rx["lead"].match(text, end)
        pos = lead.end() if lead else end
        for index in value:
            noun = self.data["nouns"][index]
            work = noun["work"]
            if noun["whole"] and not edition and (done := self._whole(start, end)):
                return done
            for kind in noun["numbers"] or []:
                parse = self._parser(kind, work, noun["dot"])
                if kind == "relative":
                    # «раздела С правила 64»: first as a letter, then as the preposition it also is.
                    for opens in dict.fromkeys((self._past_gap(end), pos)):
                        if done := self._chain(start, opens, work, edition):
                            return done
                    continue
                element = parse(pos)
                if not element and plural and (dash := self.rx["dash"].match(text, end)):
                    element = parse(dash.end())
                    element = element if element and len(element.path) > 1 else None
                if not element or self._refused(at, element, noun):
                    continue
                if noun["weak"] and self.strict and len(element.path) == 1:
                    code = self._later_code(element.end)
                    code = code or ((self._alien, 0) if self._still_foreign(at) else None)
                    if code:
                        return self._foreign(start, element.end, code[0], element.path[0])
                if noun["places"] and self.strict and self._in_place(at, element):
                    return element.end
                first = Element(start, *element[1:])
                if noun["heading"]:
                    return self._heading(first, parse, work)
                parse = self._any_parser(index)
                return self._series(first, parse, work, plural, edition, noun, at)
        if text[pos : pos + 1].isdigit():
            number = self.rx["number"].match(text, pos)
            if number and (code := self._code_after(number.end())):
                return self._foreign(start, code[1], code[0], number.group())
            self._last = None  # a number that could not be read: nothing after it may lean on what was before
        return 0

    def _past_gap(self, at: int) -> int:
        gap = self.rx["gap"].match(self.text, at)
        return gap.end() if gap else at

    def _parser(self, kind: str, work: str, dot: bool) -> Parse:
        key = (kind, work, dot)
        if key not in self._parsers:
            self._parsers[key] = self._new_parser(kind, work, dot)
        return self._parsers[key]

    def _new_parser(self, kind: str, work: str, dot: bool) -> Parse:
        if kind == "dotted":
            return partial(self._dotted, work=work, dot="." if dot else "")
        if kind == "lettered":
            return lambda at: e if (e := self._provision(at, work)) and len(e.path) > 1 else None
        return partial(self._provision, work=work)

    def _any_parser(self, index: int) -> Parse:
        """What may follow in a list: «статьи 7 и 7.2» where a noun has numbers of several kinds."""
        if index not in self._any_parsers:
            noun = self.data["nouns"][index]
            kinds = [kind for kind in noun["numbers"] if kind != "relative"]
            self._any_parsers[index] = self._first_of(
                [self._parser(k, noun["work"], noun["dot"]) for k in kinds]
            )
        return self._any_parsers[index]

    def _first_of(self, parsers: list[Parse]) -> Parse:
        if len(parsers) == 1:
            return parsers[0]
        return lambda at: next((element for parse in parsers if (element := parse(at))), None)

    def _series(
        self,
        first: Element,
        parse: Parse,
        work: str,
        plural: bool,
        edition: str,
        noun: Mapping[str, Any] | None = None,
        at: int = -1,
    ) -> int:
        """Record the row that opens with ``first``; where the search goes on."""
        elements = self._row(first, parse, work, plural)
        if not elements:
            return first.end
        if noun and self.strict and not self.context and self._no_law(elements, noun, plural, at):
            return elements[-1].end
        return self._emit(elements, work, "paragraph" if first.dotted else "full", edition)

    def _chain(self, start: int, pos: int, work: str, edition: str) -> int:
        """«пункт 2 раздела B правила 65»; without a law at its end a local citation."""
        first = self._relative(pos, work)
        if not first:
            return 0
        relative = first
        for _ in range(HOPS):
            of = self.rx["of"].match(self.text, relative.end)
            noun = self._noun_at(of.end()) if of else None
            if not noun:
                break
            lead = self.rx["lead"].match(self.text, noun[1])
            at = lead.end() if lead else noun[1]
            for index in noun[2]:
                spec = self.data["nouns"][index]
                for kind in spec["numbers"] or []:
                    element = self._parser(kind, work, False)(at) if kind != "relative" else None
                    if element and spec["work"] == work:
                        if len(element.path) != self._base(work) + relative.depth:
                            return noun[0]
                        whole = element._replace(start=start, path=element.path + relative.steps)
                        return self._emit([whole], work, "full", edition)
            upper = self._relative(at, work)
            if not upper or upper.depth + len(upper.steps) != relative.depth:
                return noun[0] if upper else 0
            relative = Relative(upper.depth, upper.steps + relative.steps, upper.end, True)
        directed = self.rx["direction"].match(self.text, relative.end)
        if not (first.telling or directed) or self._code_after(relative.end):
            return 0
        return self._local(start, relative, work, directed)

    def _local(self, start: int, relative: Relative, work: str, directed: re.Match[str] | None) -> int:
        """A citation read from where the text stands, else from the law cited before it in the paragraph."""
        keep = self._base(work) + relative.depth
        base: tuple[str, ...] = ()
        if self.context and self.context.work == work:
            base = self.context.path
        elif self.context and self.data["works"].get(self.context.work, {}).get("over") == work:
            base = self.context.path[:1]
        # «выше», "hereunder" point into the text itself, never into the law it cited last.
        last = None if directed else self._antecedent(start)
        if len(base) < keep and last and last[0] == work:
            base = last[2]
        if len(base) < keep or not base[0][0].isdigit() or "~" in base[0]:
            return 0
        end = directed.end() if directed else relative.end
        edition = last[1] if last and base == last[2] and not self.context else ""
        self._add(start, end, "local", work, edition, base[:keep] + relative.steps)
        return end

    def _anaphoric(self, start: int, end: int, kind: str) -> int:
        """«этого Правила»: the law the text stands in; «того же Правила»: the one named last."""
        gap = self.rx["gap"].match(self.text, end)
        noun = self._noun_at(gap.end()) if gap else None
        if not noun or not any("provision" in (self.data["nouns"][n]["numbers"] or []) for n in noun[2]):
            return end
        at, past, value, plural = noun
        if done := self._noun(at, past, value, plural, at, ""):
            return done
        last = self._antecedent(start)
        root: tuple[str, ...] = ()
        edition = ""
        if kind == "this" and self.context and self.context.path[:1]:
            over = self.data["works"].get(self.context.work, {}).get("over", "")
            root = self.context.path[:1] if self.law in (self.context.work, over) else ()
        elif last and last[0] == self.law:
            root, edition = last[2][:1], last[1]
        if not root or not root[0][0].isdigit():
            return past
        self._add(start, past, "anaphoric", self.law, edition, root)
        return past

    def _ibid(self, start: int, end: int) -> int:
        before = self.text[max(0, start - 2) : start].rstrip(" ")
        last = self._antecedent(start)
        if last and (not before or before[-1] in "(;."):
            self._add(start, end, "anaphoric", last[0], last[1], last[2])
        return end

    def _whole(self, start: int, end: int) -> int:
        """«Кодекс 1987 года»; «Правила 2017 года, правило 16D» is a citation of that edition."""
        found = self.rx["whole"].match(self.text, end)
        if not found or found.group(1) not in self.data["editions"]:
            return 0
        return self._edition(start, found.end(), found.group(1))

    def _edition(self, start: int, end: int, year: str) -> int:
        """An edition as a whole, or what is cited of it right behind."""
        before = self.rx["soft"].match(self.text, end) or self.rx["before"].match(self.text, end)
        noun = self._noun_at(before.end()) if before else None
        if noun and (done := self._noun(noun[0], noun[1], noun[2], noun[3], start, year)):
            return done
        return self._emit([Element(start, end, ())], self.law, "full", year)

    def _heading(self, first: Element, parse: Parse, work: str) -> int:
        """«Комментарий к статьям 7–8»: one heading over several provisions, ``7~8``."""
        end, path = first.end, first.path[:1]
        if found := self.rx["range"].match(self.text, end) or self.rx["sep"].match(self.text, end):
            second = parse(found.end())
            if second:
                end, path = second.end, (f"{first.path[0]}~{second.path[0]}",)
        self._add(first.start, end, "full", work, "", path)
        return end

    def _follows_local(self, at: int) -> bool:
        if self._local_end < 0 or at - self._local_end > 12:
            return False
        sep = self.rx["sep"].match(self.text, self._local_end)
        return sep is not None and sep.end() == at

    def _in_place(self, at: int, element: Element) -> bool:
        """``rooms: L16 and L17``: numbers of rooms, seats or tables, and those that go on from them."""
        near = self._place_end >= 0 and at - self._place_end <= 12
        sep = self.rx["sep"].match(self.text, self._place_end) if near else None
        if not self._placed(at) and not (sep and sep.end() == at):
            return False
        self._place_end = element.end
        return True
