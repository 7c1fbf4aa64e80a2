"""What stands all over a copy: markup left in plain text, signs around headings, a head on each screen."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from kb.patterns import at_lines, leads
from kb.repair.copies import said_lines, times_of
from kb.repair.damage import Damage
from kb.repair.layout import CLOSED
from kb.text import Text

_APART = re.compile(r"[\u0300-\u036f]")
_APART_LEADS = frozenset(b"\xcc\xcd")
_MARKED = re.compile(r"[^\W\d_][\u0300-\u036f]+")
_TAG = re.compile(
    r"</?(?:p|br|b|i|u|em|strong|div|span|font|center|h[1-6]|td|tr|table)\b[^<>\n]{0,200}>", re.I
)
_CODE = re.compile(
    r"\[(?:/?(?:b|i|u|center|left|right|indent|list|quote|size|color|h[1-6]|s|url|font|spoiler)(?:=[^\]\n]{0,40})?|\*)\]",
    re.I,
)
_BOLD = re.compile(r"(?m)^[ \t:;*#=]*'{3}(?=\w)")
_QUOTES = re.compile(r"'{2,5}(?=\w)|(?<=[\w.)!?;:,»])'{2,5}")
"""What a wiki has around bold and slanted words; prose may have two of them for a quotation mark."""
_COMMAND = re.compile(
    r"\\(?:(?:sub){0,2}section|chapter|paragraph|underline|text(?:bf|it)|emph)\*?\{([^{}]{1,2000})\}"
)
"""A command of TeX with the words it is for."""
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{2,5}|#x[0-9a-f]{2,4});", re.I)
_LEAST = 3
_ADORNED = re.compile(r"[ \t\xa0]*(?P<sign>[-–—•·●▪■◦►*+_/=#«»:!@^~¤°>\"]{1,3})[ \t\xa0]*(?=\w|[(\[№§])")
_PAIRED = '*_/=^~"«'
"""Signs that stand before a heading and behind it."""
_LONGEST = 200
"""Code points of a heading between two signs."""
_SPECK = re.compile(r"\n[ \t]*[^\w\s](?:[ \t]?[^\w\s]){0,3}[ \t]*(?=\n)")
_MOST_OFTEN = 5
"""Times from which on a line that cuts sentences in two is none of the text."""


def composed(text: Text, damage: Damage) -> Text:
    """``и`` and a breve of its own -> ``й``: a letter whose marks stand apart, as one system writes them."""
    if not text.derived(leads) & _APART_LEADS or not _APART.search(text.value):
        return text
    return text.sub(_MARKED, lambda found: unicodedata.normalize("NFC", found.group()), "composed-letter")


def markup(text: Text, damage: Damage) -> Text:
    """``<p>Правило 65<br>``, ``[b]A.[/b]``, ``'''A.'''``, ``\\section{A.}``, ``&laquo;`` -> without.

    Three at least of each kind; a text that speaks of one tag stays.
    """
    for sign, pattern in (("<", _TAG), ("[", _CODE)):
        closing = f"{sign}/" in text.value or sign == "<"  # ``[B]`` alone is a letter in brackets
        if closing and sign in text.value and len(pattern.findall(text.value)) >= _LEAST:
            text = text.sub(pattern, "", "markup")
    if "'''" in text.value and len(_BOLD.findall(text.value)) >= _LEAST:
        text = text.sub(_QUOTES, "", "markup")
    if "\\" in text.value and len(_COMMAND.findall(text.value)) >= _LEAST:
        text = text.replace_runs(_braces(text.value), "markup")
    if "&" in text.value and len(_ENTITY.findall(text.value)) >= _LEAST:
        text = text.sub(_ENTITY, lambda found: html.unescape(found.group()), "markup")
    return text


def _braces(value: str) -> Iterator[tuple[int, int, str]]:
    """Where a command begins, and the brace that ends it."""
    for found in _COMMAND.finditer(value):
        yield found.start(), found.start(1), ""
        yield found.end(1), found.end(), ""


def adorned(text: Text, damage: Damage) -> Text:
    """``• A. Ход``, ``- A. Ход``, ``_Правило 65. …_`` -> the heading alone: a bullet, a printer's sign.

    Three lines at least with one sign, most of them with a marker behind it. Signs that stand on both
    sides of a heading go on both, though it takes two lines.
    """
    if not damage.markers:
        return text
    value = text.value
    found: dict[str, list[tuple[re.Match[str], bool]]] = {}
    for match in at_lines(_ADORNED, value):
        end = value.find("\n", match.end())
        line = value[match.start() : end if end >= 0 else len(value)].strip()
        if damage.page_mark.match(line) or any(marker.match(line) for marker in damage.markers):
            continue
        marked = any(marker.match(value, match.end()) for marker in damage.markers)
        found.setdefault(match["sign"], []).append((match, marked))
    runs: list[tuple[int, int, str]] = []
    for sign, lines in found.items():
        marked_lines = [match for match, marked in lines if marked]
        if len(marked_lines) >= _LEAST and len(marked_lines) * 2 >= len(lines):
            for match in marked_lines:
                runs += _unadorned(value, match, sign)
    return text.replace_runs(sorted(runs), "emphasis-mark")


def _unadorned(value: str, match: re.Match[str], sign: str) -> list[tuple[int, int, str]]:
    start = match.start("sign"), match.end(), ""
    sign = sign.replace("«", "»")
    end = value.find(sign, match.end(), match.end() + _LONGEST) if match["sign"][0] in _PAIRED else -1
    if (
        end < 0
        or "\n\n" in value[match.end() : end]
        or value[end + len(sign) : end + len(sign) + 1].isalnum()
    ):
        return [start]
    return [start, (end, end + len(sign), "")]


def specks(text: Text, damage: Damage) -> Text:
    """``каждый игрок / ° ' / кладёт``: a line of a few signs in the middle of a sentence -> dropped.

    Dust, read as signs: three such lines at least. Behind a sentence's end, or before a capital, they stay.
    """
    value = text.value
    runs = [
        (found.start(), found.end(), "")
        for found in _SPECK.finditer(value)
        if not CLOSED.search(value[max(0, found.start() - 3) : found.start()])
        and value[max(0, found.start() - 1) : found.start()] not in ("", "\n")
        and value[found.end() : found.end() + 20].lstrip()[:1].islower()
    ]
    return text.replace_runs(runs, "speck") if len(runs) >= _LEAST else text


def repeated_lines(text: Text, damage: Damage) -> Text:
    """A line that stands again and again and mostly in the middle of a sentence -> dropped, blank lines too.

    ``… который он / Читать далее » / сыграл``: the head of a screen or a link. Five times at least.
    """
    while True:  # a line that stood between two of them cuts a sentence now
        without = _without_repeated(text, damage)
        if without is text:
            return text
        text = without


def _without_repeated(text: Text, damage: Damage) -> Text:
    counted = text.derived(times_of, text.derived(said_lines))
    often = {said for said, times in counted.items() if times >= _MOST_OFTEN and len(said) > 3}
    if not often:
        return text
    lines = text.value.split("\n")
    exactly = Counter(said for said in map(str.strip, lines) if said in often or "  " in said)
    often = {said for said, times in exactly.items() if times >= _MOST_OFTEN and len(said) > 3}
    often = {said for said in often if not any(heading.match(said) for heading in damage.headings)}
    if not often:
        return text
    places = _offsets(lines)
    runs: dict[str, list[tuple[int, int, bool]]] = {said: [] for said in often}
    for at, line in enumerate(lines):
        if (said := line.strip()) in often:
            runs[said].append(_with_blanks(lines, places, at))
    cut = [
        run
        for said in sorted(often)
        if sum(run[2] for run in runs[said]) * 5 >= len(runs[said]) * 2
        for run in runs[said]
    ]
    out: list[tuple[int, int, str]] = []
    for start, end, inside in sorted(cut):
        if not out or start >= out[-1][1]:
            out.append((start, end, "" if inside else "\n"))
    return text.replace_runs(out, "repeated-line")


def _offsets(lines: list[str]) -> list[int]:
    places, at = [], 0
    for line in lines:
        places.append(at)
        at += len(line) + 1
    return places


def _with_blanks(lines: list[str], places: list[int], at: int) -> tuple[int, int, bool]:
    """The run of a line and the blank ones around it; and whether it cuts a sentence in two."""
    first = last = at
    while first and not lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and not lines[last + 1].strip():
        last += 1
    before = lines[first - 1].rstrip() if first else ""
    behind = lines[last + 1].lstrip() if last + 1 < len(lines) else ""
    inside = bool(before) and behind[:1].islower() and not CLOSED.search(before[-3:])
    end = places[last + 1] if last + 1 < len(lines) else places[last] + len(lines[last])
    return places[first], end, inside
