"""What stands between the lines: site chrome, navigation, separator rules, glued headings."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from kb.patterns import at_lines, one_of
from kb.repair.damage import Damage
from kb.tables import table_runs, within
from kb.text import Text

_NAVIGATION = re.compile(r"[ \t\xa0]*\d{1,4}(?:[ \t\xa0]+\d{1,4}){4,}[ \t\xa0]*$", re.MULTILINE)
_LEADER = re.compile(r"(?m)(?:[^\s.]|^)[ \t\xa0]*(?:\.[ \t\xa0]?){4,}[ \t\xa0]*\d{1,4}[ \t\xa0]*$")
"""Begins with the last sign before the dots, so that a long row of them is gone through once."""
_BARS = "|>"
_BAR = re.compile(r"[ \t\xa0]*[|>][ \t\xa0]?")
_BLANK = r"[^\S\n]"
_ENDS = r".!?:;)\]»”\"*"
CLOSED = re.compile(r"[.!?:;)\]»”\"*]\s*\Z")
"""The end of a sentence, a clause or a bracket."""
_SIGN_RULE = re.compile(
    r"[ \t\xa0]*(?:([#+.^:·•%@$&'\"\\/°¨´`,;¦§¤])\1{7,}|([*~•·+#=–—-])(?:[ \t\xa0]{1,4}\2){2,}|\*{3,})"
    r"[ \t\xa0]*$",
    re.MULTILINE,
)
"""A line drawn with another sign, or of signs set apart: ``* * *``."""
_CORNERS = "+╔╗╚╝╠╣┌┐└┘├┤"
"""What a line that a frame is drawn with begins and ends in."""
_DOUBLED = 0.3
"""Share of the blank lines that stand inside a sentence, from which on they are taken for double spacing."""


def chrome(text: Text, damage: Damage) -> Text:
    """Lines that the profile lists as chrome of a reader site (``Шрифт:``) -> blank lines."""
    present = sorted(line for line in damage.chrome if all(word in text.value for word in line.split()))
    if not present:
        return text
    said = "|".join(rf"{_BLANK}+".join(map(re.escape, line.split())) for line in present)
    return text.sub(rf"(?m)^{_BLANK}*(?:{said}){_BLANK}*$", "", "site-chrome")


def navigation(text: Text, damage: Damage) -> Text:
    """``1 2 3 4 5 … 42``, page numbers of a reader site in a row -> a blank line.

    From 1 on, one by one, five at least. Other rows of numbers stay.
    """

    def replace(match: re.Match[str]) -> str:
        numbers = [int(number) for number in match.group().split()]
        runs = numbers[0] == 1 and all(b == a + 1 for a, b in itertools.pairwise(numbers))
        return "" if runs else match.group()

    return text.sub_matches(at_lines(_NAVIGATION, text.value), replace, "page-navigation")


def contents(text: Text, damage: Damage) -> Text:
    """``Правило 65. Расположение взяток ........ 93`` -> a blank line: a contents page is no text.

    Lines with leaders of four dots or more and a number at the end, three of them at least.
    """
    value = text.value
    if not ("...." in value or ". . ." in value):
        return text
    lines = [(value.rfind("\n", 0, at.start()) + 1, at.end(), "") for at in _LEADER.finditer(value)]
    return text.replace_runs(lines, "contents") if len(lines) >= 3 else text


def margin_bars(text: Text, damage: Damage) -> Text:
    """``| text``, ``> text`` at nearly every line's start -> ``text``: a margin, a quoted message.

    Where such lines were run together, a bar between words was a line's start, too: ``запи- | сывает``. A
    table, with more bars in the line and no sentence that goes on behind them, stays.
    """
    for bar in _BARS:
        if text.value.count(bar) < 3:
            continue
        lines = [said for line in text.value.split("\n") if (said := line.strip())]
        barred = [line for line in lines if line[0] == bar]
        others = sum(line[0] != bar and not damage.page_mark.match(line) for line in lines)
        if len(barred) < others * 9:
            continue
        several = [line for line in barred if line.count(bar) > 1]
        joined = _joined_at(bar, several, barred)
        alone = len(barred) - len(several)
        if joined or (alone >= 3 and alone * 10 >= (len(barred) + others) * 9):
            text = text.sub_matches(at_lines(_BAR, text.value), "", "margin-bar")
            return (
                text.sub(rf"[ \t\xa0]+{re.escape(bar)}(?:[ \t\xa0]|$)", "\n", "margin-bar")
                if joined
                else text
            )
    return text


def _joined_at(bar: str, several: list[str], lines: list[str]) -> bool:
    """Lines were run together at their bars: a third of the bars within them have a small letter behind."""
    behind = [part.strip()[:1] for line in several for part in line.split(bar)[2:]]
    small = sum(map(str.islower, behind))
    return small >= 3 and small * 3 >= len(behind) and not any(line.endswith(bar) for line in lines)


def drawn_rules(text: Text, damage: Damage) -> Text:
    """``ДДДДДДДД``, ``НН НН НН``, ``????????``, ``======`` -> a line end.

    A line of nothing but runs of rule characters goes; a run of a misread character goes where it stands
    before or after text in a line, which then is two lines. Tables in box characters stay, so do words
    with such letters and a few question marks.
    """
    odd = "".join(re.escape(c) for c in damage.misread if c in text.value and c * 7 in text.value)
    if odd:
        text = text.replace_runs(_rules_inside(text, odd), "separator-rule")
    text = _signs_drawn(text)
    drawn = "".join(re.escape(c) for c in damage.drawn if c in text.value and c * 2 in text.value)
    if not drawn:
        return text
    tables = text.derived(table_runs)
    line = re.compile(
        rf"[ \t\xa0]*[{_CORNERS}]?([{drawn}])\1(?:[ \t\xa0]*\1)*[{_CORNERS}]?[ \t\xa0]*$", re.MULTILINE
    )
    runs = [
        (*match.span(), "")
        for match in at_lines(line, text.value)
        if len(match.group().replace(" ", "").replace("\t", "")) >= 4
        and not (tables and within(match.start(), tables))
    ]
    return text.replace_runs(runs, "separator-rule")


def _signs_drawn(text: Text) -> Text:
    """``####################``, eight signs at least, or ``* * *``, on three lines and more -> a line end."""
    found = list(at_lines(_SIGN_RULE, text.value))
    if len(found) < 3:
        return text
    tables = text.derived(table_runs)
    found = [match for match in found if not (tables and within(match.start(), tables))]
    signs = [match.group().strip()[0] for match in found]
    often = {sign for sign, times in Counter(signs).items() if times >= 3}
    drawn = [match for match, sign in zip(found, signs, strict=True) if sign in often]
    return text.sub_matches(drawn, "", "separator-rule")


def _rules_inside(text: Text, odd: str) -> Iterator[tuple[int, int, str]]:
    """Runs of misread rule characters, the first of the line or the last: each a line end, or nothing."""
    value, tables = text.value, text.derived(table_runs)
    rule = re.compile(
        rf"(?<!\S)([{odd}])\1{{6,}}(?!\S)[ \t\xa0]*|(?<!\S)[ \t\xa0]+([{odd}])\2{{6,}}(?=\n|\Z)"
    )
    done = 0
    for run in re.finditer(rf"([{odd}])\1{{6,}}", value):
        start = run.start()
        while start > done and value[start - 1] in " \t\xa0":
            start -= 1
        if start and not value[start - 1].isspace():
            start += 1  # a gap behind a word belongs to the word with its first sign
        match = (start < run.start() and rule.match(value, start)) or rule.match(value, run.start())
        if not match:
            continue
        done = match.end()
        if within(match.start(), tables):
            continue
        inside = (
            match.start() and value[match.start() - 1] != "\n" and value[done : done + 1] not in ("", "\n")
        )
        yield match.start(), done, "\n" if inside else ""


def double_spacing(text: Text, damage: Damage) -> Text:
    """One blank line between all lines, or two or three -> none, when they stand inside sentences.

    A text with one paragraph a line and blank lines between them stays as it is. Where many lines have none
    between them, only those inside sentences go.
    """
    if text.value.count("\n\n") * 3 < text.value.count("\n") and "\n \n" not in text.value:
        return text
    breaks = list(re.finditer(r"(?<=\S)[ \t\xa0]*\n(?:[ \t\xa0]*\n){1,3}(?=[ \t\xa0]*\S)", text.value))
    single = len(re.findall(r"(?<=\S)[ \t\xa0]*\n(?=[ \t\xa0]*\S)", text.value))
    if len(breaks) < 5:
        return text
    inside = [found for found in breaks if _inside_sentence(text.value, found.start(), found.end())]
    if len(inside) < len(breaks) * _DOUBLED:
        return text
    if single * 4 > len(breaks):
        return text.sub_matches(inside, "\n", "double-spacing")
    # As many as stand inside most sentences: where there are more, the page had blank lines of its own.
    usual, _ = Counter(found.group().count("\n") - 1 for found in inside).most_common(1)[0]
    return text.sub(rf"\n(?:[ \t\xa0]*\n){{1,{usual}}}", "\n", "double-spacing")


def glued_headings(text: Text, damage: Damage) -> Text:
    """``… см. правило 65). C.Требование`` -> the marker on a line of its own start.

    Only after the end of a sentence, and of a marker that stands at the start of two lines at least: in
    prose ``A. Smith`` stays. Where the marker turns out to be none, the line end is read as the space it
    was.
    """
    headings = one_of(damage.headings)
    if headings and not re.search(rf"[{_ENDS}][ \t\xa0]+(?={headings})", text.value):
        return text
    for pattern in damage.headings:
        glued = re.finditer(rf"[{_ENDS}][ \t\xa0]+(?={pattern.pattern})", text.value)
        runs = [
            (match.start() + 1, match.end(), "\n")
            for match in glued
            if not damage.lang.ends_abbreviated(text.value[max(0, match.start() - 12) : match.start() + 1])
        ]
        lines = re.finditer(rf"(?m)^[ \t\xa0]*(?:{pattern.pattern})", text.value)
        if runs and len(list(itertools.islice(lines, 2))) == 2:
            text = text.replace_runs(runs, "glued-heading")
    return text


def _inside_sentence(value: str, end: int, start: int) -> bool:
    following = value[start : start + 80].lstrip()
    return following[:1].islower() and not CLOSED.search(value[max(0, end - 40) : end])
