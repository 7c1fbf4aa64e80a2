"""The code pages Russian was written in, and how Russian a text looks when read through one of them.

For texts that a general detector is unsure of, and for texts that were read through the wrong page, saved
so, and must be read back: which page was it? Letter pairs decide.
"""

from __future__ import annotations

from functools import lru_cache

SINGLE_BYTE = ("cp866", "cp1251", "koi8-r", "iso8859-5", "mac-cyrillic")
"""Names as Python has them."""

STRANGE = 15.0
"""Bits that a character costs which no Russian text has there."""

_LETTERS = " абвгдежзийклмнопрстуфхцчшщъыьэюяё"
# Bits that a letter costs behind another: minus log2 of how often it stands there, 15 at most, in
# hexadecimal; a row for the letter before, a column for the one behind, the blank for a word's edge.
# Counted on 1.6 million letters of Debian's Russian manual pages.
_PAIRS = """
f644746954b455443535559868dddd5b6b
3b6456575954453c6563b976597ffff638
54affc4e85f54953f46f2f7afe5639ff6b
22f8c94fa5f6484395676f9fe99f48ff7a
449eb56ff4f73751f2df4fcbaffccfcfff
53d6b62bb4f63a43845b4fa8a9ff69ec78
288564676a5544388333ca89788ffff9ca
836ff31ff2f5db37bf9f7fffcffffbfff7
4294c47dc6f66433f6ff4fff9ffc4acf9f
28657749555654387534f7665aaffff64a
1dd7f9bffbf7386aef35ffcfa9fffffddf
42b4ff56a3fe5f92f5655fb7fdfefe8fef
43bc9f37f3f76f53ffa958ff7fff63f537
2395ff2fb4f966636f9f5dffffff4bec56
52fca64f83f7df43ff4567abafef389869
3b434465684534585444cb96578fffad8c
64ffff3fe4fb6f7262876ffeaeff7bff9f
52c78c36f3f8d662aa66477ce7de5afd7a
3596d85cf4f3466448526f8b88ff67fb4a
33b4ea3fe3f79953834d6ccf9ffe64ff9c
38a765455f72645f4543f79f596fffe3af
71ffff3ff4ff4df3f5c646ffffffa9ffff
16a7ff6ff5fdfb73f57f5cffffffff9fbf
54f6ff1ff1f7fff75fff7fffffff3fffff
73ffff2ff2f58e2afcf49fffd9fff9fff6
63ffff2ff1f73f66f4c57ffffffff8fff6
83ffff1ff2ffffbffdff6ffffffff4fff5
46ffff0ffffffff5ffffffffffffffff45
2d84a73f5f35549f5884ff3f67ffffffcf
1deee79c3bf4f63fff45fbf7f5fffff4bb
7ffafbfffcf4496f7a70f6bff5ffffffff
1b6f78fdadbfdf8ffc82ffff3f2ffff5ff
0ca5954e5fcca77f79956f69cf7ffff69f
3fbf99f79fba541ff562ff6fffffffffff
"""
DRAWN = frozenset("─━│║═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫▀▄█▌▐░▒▓")
_USUAL = frozenset(" \t\r\n\x0b\f\x14\x1a\xa0«»–—…№§“”„’°½¶") | DRAWN
_APART = "—–…№½°¶»’)]"
"""Signs that do not stand right before a small letter."""
_CASE_FLIP = 6.0


def cost(text: str) -> float:
    """Bits that a Cyrillic letter of the text costs on average: about 4 for Russian, 8 and more for what
    only looks like letters. Characters that Russian texts do not have cost 15 each. ASCII is not counted;
    a text without other characters costs 0.
    """
    known = list(filter(_counts, map(_PRICES.__getitem__, zip(" " + text, text + " ", strict=True))))
    return sum(known) / len(known) if known else 0.0


class _Prices(dict[tuple[str, str], float]):
    """Pair of characters -> its bits, below 0 where it says nothing; kept, as texts repeat their pairs."""

    def __missing__(self, pair: tuple[str, str]) -> float:
        if len(self) >= _MOST:
            self.clear()
        price = _price(*pair, _table())
        self[pair] = -1.0 if price is None else price
        return self[pair]


_PRICES = _Prices()
_MOST = 50_000
_counts = (0.0).__le__


def ranked(data: bytes, pages: tuple[str, ...] = SINGLE_BYTE) -> list[tuple[float, str]]:
    """The pages that can decode the bytes, with the cost of the text each one gives, cheapest first."""
    found = []
    for page in pages:
        try:
            found.append((cost(data.decode(page)), page))
        except UnicodeDecodeError:
            continue
    return sorted(found)


@lru_cache(maxsize=1)
def _table() -> dict[tuple[str, str], float]:
    rows = _PAIRS.strip().splitlines()
    return {
        (before, behind): float(int(digit, 16))
        for before, row in zip(_LETTERS, rows, strict=True)
        for behind, digit in zip(_LETTERS, row, strict=True)
    }


def _price(before: str, behind: str, table: dict[tuple[str, str], float]) -> float | None:
    """Bits of one character behind another; None when it says nothing."""
    low = behind.lower()
    known = table.get((" " if before.isspace() else before.lower(), low))
    if known is not None and low != " ":
        return known + (_CASE_FLIP if before.islower() and behind.isupper() else 0.0)
    if behind.isascii():
        return None if behind >= " " or behind in _USUAL else STRANGE
    if low in _LETTERS:  # behind a sign, a digit or a Latin letter
        latin = before.isascii() and before.isalpha()
        apart = (before in _APART and behind.islower()) or before in DRAWN
        return STRANGE if latin else STRANGE / 2 if apart else 5.0
    if behind in DRAWN and before.isalpha():
        return STRANGE
    return None if behind in _USUAL else STRANGE
