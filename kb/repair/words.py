"""Words broken at line ends."""

from __future__ import annotations

import re
from collections import Counter

from kb.repair.damage import Damage
from kb.tables import table_runs
from kb.text import Text

_HYPHEN = re.compile(
    r"(?<![\w-])(?P<a>(?:\w+-)*\w+)(?P<cut>[-‐¬][ \t]*\n[ \t]*)(?P<b>\w+)(?P<rest>[^\s]*)(?P<gap>[ \t]+)?"
)
_SPLIT = re.compile(r"(?<![\w-])(?P<a>\w{2,})(?P<cut>[ \t]*\n(?:[ \t]*\n)?[ \t]*)(?P<b>\w{2,})(?![\w-])")
_WORD = re.compile(r"\w+(?:-\w+)*")


def hyphenation(text: Text, damage: Damage) -> Text:
    """``воп-/рос разыгрывающему`` -> ``вопрос/разыгрывающему``: the word whole, the line end after it.

    A true hyphen stays: ``какой-/нибудь`` -> ``какой-нибудь``. The dictionary of the language decides (the
    joined word, else the hyphened one), else what the text itself writes elsewhere, else the word is
    joined. Never across a page gap, nor before a capital or a digit.
    """
    counts = Counter(word.lower() for word in _WORD.findall(text.value)) if "-" in text.value else Counter()
    tables = table_runs(text.value)
    runs: list[tuple[int, int, str]] = []
    for match in _HYPHEN.finditer(text.value):
        second = match.group("b")
        if not second[0].islower() or any(start <= match.start() < end for start, end in tables):
            continue
        start, end = match.span("cut")
        keep = _true_hyphen(match.group("a"), second, damage, counts)
        runs.append((start + 1, end, "") if keep else (start, end, ""))
        if match.group("gap"):
            runs.append((*match.span("gap"), "\n"))
    return text.replace_runs(runs, "hyphenation")


def split_words(text: Text, damage: Damage) -> Text:
    """``утверждения нака / зания`` -> ``наказания``: a break whose hyphen an earlier program took.

    Only where the dictionary knows the joined word and not both of its halves.
    """
    runs: list[tuple[int, int, str]] = []
    known = damage.lang.known
    for match in _SPLIT.finditer(text.value):
        first, second = match.group("a"), match.group("b")
        if second[0].islower() and False in (known(first), known(second)) and known(first + second):
            runs.append((*match.span("cut"), ""))
    return text.replace_runs(runs, "split-word")


def _true_hyphen(first: str, second: str, damage: Damage, counts: Counter[str]) -> bool:
    whole, hyphened = f"{first}{second}".lower(), f"{first}-{second}".lower()
    last = first.rpartition("-")[2]
    if damage.lang.known(f"{last}{second}".lower()):
        return False
    if damage.lang.known(hyphened):
        return True
    if counts[whole] != counts[hyphened]:
        return counts[hyphened] > counts[whole]
    return bool(damage.lang.known(last) and damage.lang.known(second))
