"""An adaptive binary range coder (Martin, 1979), for what the browser gets in great number.

A yes or no is coded by how often it was yes in the same *cell* so far: what can be foreseen costs next to
nothing. theme/search.js decodes it, with the same whole numbers.
"""

from __future__ import annotations

from base64 import b64encode

EVEN = 1 << 14
"""Odds of a cell that has seen nothing, of ``2 * EVEN``."""
LEAST = 16
"""No odds are below it."""
OLD = 250
"""So many yeses and noes a cell remembers; after them it follows the newer ones."""
CELLS = 256
"""Cells of one kind of number."""
_EXPONENTS, _LEADING = 32, 8
_TOP, _LOW = 1 << 32, 1 << 24


class Encoder:
    """Yeses, noes and numbers, one after another, into one string."""

    def __init__(self, kinds: int) -> None:
        """``kinds``: of numbers; each has ``CELLS`` cells."""
        self._low, self._range = 0, _TOP - 1
        self._made = bytearray()
        self._odds = [EVEN] * (kinds * CELLS)
        self._seen = [2] * (kinds * CELLS)

    def bit(self, cell: int, yes: bool) -> None:
        """A yes or no of one cell."""
        odds = self._odds[cell]
        bound = (self._range >> 15) * odds
        seen = self._seen[cell]
        if seen < OLD:
            self._seen[cell] = seen = seen + 1
        if yes:
            self._range = bound
            self._odds[cell] = odds + (2 * EVEN - LEAST - odds) // seen
        else:
            self._low += bound
            self._range -= bound
            self._odds[cell] = odds - (odds - LEAST) // seen
        while self._range < _LOW:
            self._shift()

    def number(self, kind: int, number: int) -> None:
        """A whole number from 0: how many binary digits it has, the first three, the others as they are."""
        number += 1
        size = number.bit_length() - 1
        cell = kind * CELLS
        for place in range(size):
            self.bit(cell + place, True)
        self.bit(cell + size, False)
        cell += _EXPONENTS + min(size, CELLS // _LEADING - 5) * _LEADING
        lead = 1
        for place in range(size - 1, -1, -1):
            yes = number >> place & 1
            if lead < _LEADING:
                self.bit(cell + lead, bool(yes))
                lead = 2 * lead + yes
            else:
                self._plain(yes)

    def text(self) -> str:
        """What was coded since the last text, in base 64. What follows is coded with the odds seen so far."""
        for _ in range(4):
            self._shift()
        made = b64encode(self._made).decode()
        self._low, self._range = 0, _TOP - 1
        self._made = bytearray()
        return made

    def _plain(self, yes: int) -> None:
        self._range >>= 1
        self._low += 0 if yes else self._range
        while self._range < _LOW:
            self._shift()

    def _shift(self) -> None:
        if self._low >= _TOP:
            self._low -= _TOP
            at = len(self._made) - 1
            while self._made[at] == 255:
                self._made[at] = 0
                at -= 1
            self._made[at] += 1
        self._made.append(self._low >> 24)
        self._low = self._low << 8 & (_TOP - 1)
        self._range <<= 8
