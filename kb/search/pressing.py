"""What the browser gets, compressed better than servers do it: LZMA (Pavlov), of the standard library.

A character is one byte, its place among the ``letters`` of the text. theme/search.js decompresses it.
"""

from __future__ import annotations

import lzma
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

LEAST, MOST = 1 << 18, 1 << 20
"""Characters of a text that is worth it; of one that a phone unpacks while its reader types a word."""
_LETTERS, _LAST = 256, "\uffff"
"""How many letters a text may have; the last that is one unit in JavaScript."""
_FILTERS = [{"id": lzma.FILTER_LZMA1, "preset": 6, "lc": 3, "lp": 0, "pb": 0}]
"""The literal after another tells by its first bits; where a character stands in the text tells nothing."""


def small(pieces: Iterable[str]) -> tuple[dict[str, Any] | None, Iterator[str]]:
    """A text as ``{"letters", "size", "bytes"}``, None where that does not pay; and its pieces again."""
    left = iter(pieces)
    head: list[str] = []
    size = 0
    for piece in left:
        head.append(piece)
        size += len(piece)
        if size > MOST:
            return None, chain(head, left)
    if size < LEAST:
        return None, iter(head)
    text = "".join(head)
    letters = "".join(sorted(set(text)))
    if len(letters) > _LETTERS or letters[-1] > _LAST:
        return None, iter(head)
    place = {ord(letter): chr(number) for number, letter in enumerate(letters)}
    made = lzma.compress(text.translate(place).encode("latin-1"), format=lzma.FORMAT_RAW, filters=_FILTERS)
    return {"letters": letters, "size": size, "bytes": b64encode(made).decode()}, iter(head)
