"""What stands between the lines: site chrome, navigation, separator rules, glued headings."""

from __future__ import annotations

import itertools
import re

from kb.repair.damage import Damage
from kb.tables import table_runs, within
from kb.text import Text

_NAVIGATION = re.compile(r"(?m)^[ \t\xa0]*\d{1,4}(?:[ \t\xa0]+\d{1,4}){4,}[ \t\xa0]*$")
_LEADER = re.compile(r"(?m)^[^\n]*\S[ \t\xa0]*(?:\.[ \t\xa0]?){4,}[ \t\xa0]*\d{1,4}[ \t\xa0]*$")
_BAR = re.compile(r"(?m)^[ \t\xa0]*[|>][ \t\xa0]?")
_SENTENCE_END = r"(?<=[.!?:;)\]»”\"*])"
CLOSED = re.compile(r"[.!?:;)\]»”\"*]\s*\Z")
"""The end of a sentence, a clause or a bracket."""
_DOUBLED = 0.3
"""Share of the blank lines that stand inside a sentence, from which on they are taken for double spacing."""


def chrome(text: Text, damage: Damage) -> Text:
    """Lines that the profile lists as chrome of a reader site (``Шрифт:``) -> blank lines."""
    if not damage.chrome:
        return text
    return text.sub(
        r"(?m)^.+$",
        lambda m: "" if " ".join(m.group().split()) in damage.chrome else m.group(),
        "site-chrome",
    )


def navigation(text: Text, damage: Damage) -> Text:
    """``1 2 3 4 5 … 42``, page numbers of a reader site in a row -> a blank line.

    From 1 on, one by one, five at least. Other rows of numbers stay.
    """

    def replace(match: re.Match[str]) -> str:
        numbers = [int(number) for number in match.group().split()]
        runs = numbers[0] == 1 and all(b == a + 1 for a, b in itertools.pairwise(numbers))
        return "" if runs else match.group()

    return text.sub(_NAVIGATION, replace, "page-navigation")


def contents(text: Text, damage: Damage) -> Text:
    """``Правило 65. Расположение взяток ........ 93`` -> a blank line: a contents page is no text.

    Lines with leaders of four dots or more and a number at the end, three of them at least.
    """
    if not ("...." in text.value or ". . ." in text.value) or len(_LEADER.findall(text.value)) < 3:
        return text
    return text.sub(_LEADER, "", "contents")


def margin_bars(text: Text, damage: Damage) -> Text:
    """``| text``, ``> text`` at nearly every line's start -> ``text``: a margin, a quoted message.

    A table, with more bars in the line, stays.
    """
    lines = [line for line in text.value.split("\n") if line.strip()]
    bar = next((line.lstrip()[0] for line in lines), "")
    if bar not in "|>":
        return text
    barred = [line for line in lines if line.lstrip()[0] == bar and line.count(bar) == 1]
    if len(barred) < 3 or len(barred) * 10 < len(lines) * 9:
        return text
    return text.sub(_BAR, "", "margin-bar")


def drawn_rules(text: Text, damage: Damage) -> Text:
    """``ДДДДДДДД``, ``НН НН НН``, ``????????``, ``======`` -> a line end.

    A line of nothing but runs of rule characters goes; a run of a misread character goes where it stands
    before or after text in a line, which then is two lines. Tables in box characters stay, so do words
    with such letters and a few question marks.
    """
    tables = table_runs(text.value)
    every = "".join(re.escape(c) for c in damage.drawn)
    line = rf"(?m)^[ \t\xa0]*(?:([{every}])\1(?:[ \t\xa0]*\1)*)[ \t\xa0]*$"
    odd = "".join(re.escape(c) for c in damage.misread)
    inline = rf"(?<!\S)([{odd}])\1{{6,}}(?!\S)[ \t\xa0]*|(?<!\S)[ \t\xa0]+([{odd}])\2{{6,}}(?=\n|\Z)"

    def drop_line(match: re.Match[str]) -> str:
        ruled = len(match.group().replace(" ", "").replace("\t", "")) >= 4
        return "" if ruled and not within(match.start(), tables) else match.group()

    def drop_run(match: re.Match[str]) -> str:
        if within(match.start(), tables):
            return match.group()
        before = match.string[: match.start()]
        after = match.string[match.end() : match.end() + 1]
        return "" if not before or before.endswith("\n") or after in ("", "\n") else "\n"

    if any(c * 7 in text.value for c in damage.misread):
        text = text.sub(inline, drop_run, "separator-rule")
        tables = table_runs(text.value)
    return (
        text.sub(line, drop_line, "separator-rule")
        if any(c * 2 in text.value for c in damage.drawn)
        else text
    )


def double_spacing(text: Text, damage: Damage) -> Text:
    """One blank line between all lines -> none, when the blank lines stand inside sentences.

    A text with one paragraph a line and blank lines between them stays as it is.
    """
    if text.value.count("\n\n") * 3 < text.value.count("\n") and "\n \n" not in text.value:
        return text
    breaks = list(re.finditer(r"(?<=\S)[ \t\xa0]*\n[ \t\xa0]*\n(?=[ \t\xa0]*\S)", text.value))
    single = len(re.findall(r"(?<=\S)[ \t\xa0]*\n(?=[ \t\xa0]*\S)", text.value))
    if len(breaks) < 5 or single * 4 > len(breaks):
        return text
    inside = sum(_inside_sentence(text.value, m.start(), m.end()) for m in breaks)
    if inside < len(breaks) * _DOUBLED:
        return text
    return text.sub(r"\n[ \t\xa0]*\n", "\n", "double-spacing")


def glued_headings(text: Text, damage: Damage) -> Text:
    """``… см. правило 65). C.Требование`` -> the marker on a line of its own start.

    Only after the end of a sentence, and of a marker that stands at the start of two lines at least: in
    prose ``A. Smith`` stays. Where the marker turns out to be none, the line end is read as the space it
    was.
    """
    for pattern in damage.headings:
        at_lines = re.findall(rf"(?m)^[ \t\xa0]*(?:{pattern.pattern})", text.value)
        if len(at_lines) < 2:
            continue
        text = text.sub(rf"{_SENTENCE_END}[ \t\xa0]+(?={pattern.pattern})", "\n", "glued-heading")
    return text


def _inside_sentence(value: str, end: int, start: int) -> bool:
    following = value[start : start + 80].lstrip()
    return following[:1].islower() and not CLOSED.search(value[max(0, end - 40) : end])
