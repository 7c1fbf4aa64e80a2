"""Marks that are no text: line ends, invisible characters, control marks and commands of word processors."""

from __future__ import annotations

import re

from kb.patterns import at_lines
from kb.repair.damage import Damage
from kb.text import Text

_LINE_END = re.compile(r"\r\n?|\x0b|\x85|\u2028|\u2029")
_SENTENCE_ENDS = tuple(".!?:;)…")
_ENDS = "\r\x0b\x85\u2028\u2029"
_ATX = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+(?=\S)|(?<=\S)[ \t]+#{1,6}[ \t]*$")
_BOLD = re.compile(
    r"(?<![\w(*_])(?P<sign>\*\*|__)(?=[^\s)*_])(?P<said>(?:[^\n]|\n(?!\s*\n)){1,200}?)(?<=[^\s(*_])(?P=sign)(?![\w*_)])"
)
_MARKDOWN = re.compile(rf"(?m)^[ \t]{{0,3}}(?:#{{1,6}}[ \t]+\S|(?:{_BOLD.pattern}))")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff\x00-\x08\x0e-\x13\x15-\x1f\x7f]")
_JOINERS = "\u200c\u200d"
_JOINER = re.compile(f"[{_JOINERS}](?:(?<=[\x00-\u05ff].)|(?=[\x00-\u05ff]))")
"""Beside letters of which none is joined to the next."""


def line_ends(text: Text, damage: Damage) -> Text:
    """``\\r\\n`` and other line ends -> ``\\n``. A page feed is left for the page marks."""
    if not any(sign in text.value for sign in _ENDS):
        return text
    return text.sub(_LINE_END, "\n", "line-ends")


def invisible(text: Text, damage: Damage) -> Text:
    """Soft hyphens, zero-width spaces, byte order marks and control bytes -> nothing.

    Leaves alone no-break spaces (white space as any other), joiners between letters that need them, and
    DC4, which is a paragraph mark.
    """
    text = text.sub(_INVISIBLE, "", "invisible")
    return text.sub(_JOINER, "", "invisible") if any(map(text.value.__contains__, _JOINERS)) else text


def paragraph_marks(text: Text, damage: Damage) -> Text:
    """``…в Правиле 65D.¶`` at a line's end -> a blank line after it: the paragraph ends here.

    A line that is only the mark becomes a blank line. Inside a line the mark counts behind the end of a
    sentence (lines were joined there); elsewhere it is a sign the text speaks of.
    """
    if not damage.paragraph_marks.search(text.value):
        return text
    one = f"(?:{damage.paragraph_marks.pattern})"
    # Whole runs of marks, each looked at once: a file may hold thousands in a row.
    marks = re.compile(rf"{one}(?:[ \t\xa0]*{one})*[ \t\xa0]*")
    value = text.value
    runs = []
    for match in marks.finditer(value):
        start, end = match.span()
        while start and value[start - 1] in " \t\xa0":
            start -= 1
        closed = value[start - 1 : start] in _SENTENCE_ENDS
        if closed or value[end : end + 1] in ("\n", ""):
            end += value[end : end + 1] == "\n"
            runs.append((start if closed else match.start(), end, "\n\n"))
    return text.replace_runs(runs, "paragraph-mark")


def commands(text: Text, damage: Damage) -> Text:
    """``..page3`` on a line of its own -> a blank line. Any number; other lines that begin with dots stay."""
    line = re.compile(rf"[ \t\xa0]*(?:{damage.commands.pattern})[ \t\xa0]*$", re.MULTILINE)
    return text.sub_matches(at_lines(line, text.value), "", "layout-command")


def emphasis(text: Text, damage: Damage) -> Text:
    """``## Правило 65``, ``**A. Порядок**`` -> the words: marks of Markdown around headings.

    Where three lines at least begin so. A footnote's ``(**)`` and ``char **argv`` stay.
    """
    if not any(sign in text.value for sign in ("#", "**", "__")):
        return text
    if len(_MARKDOWN.findall(text.value)) < 3:
        return text
    text = text.sub(_ATX, "", "emphasis-mark")
    return text.sub(_BOLD, lambda m: m.group("said"), "emphasis-mark")
