"""One key for the many ways a word is written in Latin letters by its sound."""

from __future__ import annotations

from collections.abc import Sequence

SOUNDS: Sequence[tuple[str, str]] = (
    ("shch", "s"), ("sch", "s"), ("sh", "s"), ("zh", "z"), ("ch", "c"), ("kh", "h"), ("ts", "c"), ("tz", "c"),
    ("ph", "f"), ("ck", "k"), ("x", "h"), ("yo", "e"), ("jo", "e"), ("ye", "e"), ("je", "e"), ("w", "v"),
    ("yu", "u"), ("ju", "u"), ("iu", "u"), ("ya", "a"), ("ja", "a"), ("ia", "a"),
    ("j", "i"), ("y", "i"), ("'", ""),
)  # fmt: skip
"""What is written for a sound -> one sign for it, applied in this order."""


def sound_key(latin: str) -> str:
    """One key for the ways a word is transliterated: ``falshrenons``, ``fal'shrenons`` -> ``falsrenons``."""
    for many, one in SOUNDS:
        latin = latin.replace(many, one)
    key = "".join(letter for n, letter in enumerate(latin) if n == 0 or latin[n - 1] != letter)
    return key.replace("ii", "i")
