"""What the browser gets is small and whole: what is coded comes back, and what is of a kind is found."""

from __future__ import annotations

import lzma
import re
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.search import coding, latent, packing, pressing

KINDS = 3
numbers_of_kinds = st.lists(st.tuples(st.integers(0, KINDS - 1), st.integers(0, 1 << 20)))
small_of_kinds = st.lists(st.tuples(st.integers(0, KINDS - 1), st.integers(0, 3)), max_size=400)


class Decoder:
    """theme/search.js has the same, in JavaScript; that it is the same test_search_browser.py shows."""

    def __init__(self, text: str) -> None:
        self.made = iter(b64decode(text))
        self.code, self.range = 0, 0xFFFFFFFF
        self.odds: dict[int, int] = {}
        self.seen: dict[int, int] = {}
        for _ in range(4):
            self.code = self.code << 8 | next(self.made, 0)

    def shift(self) -> None:
        while self.range < 1 << 24:
            self.range <<= 8
            self.code = self.code << 8 | next(self.made, 0)

    def bit(self, cell: int) -> bool:
        odds, seen = self.odds.get(cell, coding.EVEN), self.seen.get(cell, 2)
        bound = (self.range >> 15) * odds
        self.seen[cell] = seen = min(seen + 1, coding.OLD)
        yes = self.code < bound
        if yes:
            self.range = bound
            self.odds[cell] = odds + (2 * coding.EVEN - coding.LEAST - odds) // seen
        else:
            self.code -= bound
            self.range -= bound
            self.odds[cell] = odds - (odds - coding.LEAST) // seen
        self.shift()
        return yes

    def number(self, kind: int) -> int:
        cell, size, found = kind * coding.CELLS, 0, 1
        while self.bit(cell + size):
            size += 1
        cell += 32 + min(size, 27) * 8
        for _ in range(size):
            if found < 8:
                found = 2 * found + self.bit(cell + found)
                continue
            self.range >>= 1
            yes = self.code < self.range
            self.code -= 0 if yes else self.range
            found = 2 * found + yes
            self.shift()
        return found - 1


@settings(max_examples=200)
@given(st.one_of(numbers_of_kinds, small_of_kinds))
def test_numbers_come_back(numbers: list[tuple[int, int]]) -> None:
    coder = coding.Encoder(KINDS)
    for kind, number in numbers:
        coder.number(kind, number)
    decoder = Decoder(coder.text())
    assert [(kind, decoder.number(kind)) for kind, _ in numbers] == numbers


@given(st.lists(st.booleans(), max_size=3000))
def test_yeses_come_back(said: list[bool]) -> None:
    coder = coding.Encoder(1)
    for yes in said:
        coder.bit(0, yes)
    decoder = Decoder(coder.text())
    assert [decoder.bit(0) for _ in said] == said


def test_what_can_be_foreseen_costs_little() -> None:
    coder = coding.Encoder(1)
    for n in range(8000):
        coder.bit(0, n % 100 == 0)
    assert len(coder.text()) < 200


words = st.lists(st.text(st.characters(min_codepoint=97, max_codepoint=0x1F600, exclude_categories=["Cs"])))


@given(words)
def test_words_come_back(said: list[str]) -> None:
    found, last = [], ""
    for piece in re.findall("[@-Z][^@-Z]*", packing.packed(said)):
        left = ord(piece[0]) - ord("A")
        last = (last[: len(last) - left] if left >= 0 else "") + piece[1:]
        found.append(last)
    assert found == said


def directions(*provisions: str) -> latent.Latent:
    """The directions of provisions that are each a line of words."""
    said = [line.split() for line in provisions]
    known = sorted({word for line in said for word in line})
    bags = [
        (
            [n for n, line in enumerate(said) if word in line],
            [line.count(word) for line in said if word in line],
        )
        for word in known
    ]
    return latent.gathered(bags, sum(map(len, said)), len(said))


def test_one_that_is_spoken_of_alike_is_found_without_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """``ренонс`` stands in the first line only; the second has the words that stand beside it."""
    monkeypatch.setattr(latent, "DIMENSIONS", 2)
    lines = ["масть ренонс не дал", "масть не дал снёс", "ход рука очередь", "ход очередь лёг"]
    first, second, third, fourth = kin_of("ренонс", lines, directions(*lines))
    assert first > 0.5
    assert second > 0.5 > max(third, fourth)


def kin_of(word: str, lines: list[str], kin: latent.Latent) -> list[float]:
    said = [line.split().count(word) for line in lines]
    rare = latent.rarity(sum(len(line.split()) for line in lines), sum(said))
    like = np.array([kin.worth(count, rare, n) for n, count in enumerate(said)])
    return [float(cosine) for cosine in kin.cosines(like)]


def test_no_directions_of_one() -> None:
    assert directions("ход рука") == latent.Latent()


def test_a_word_of_none_lies_nowhere() -> None:
    lines = ["масть ренонс", "ход рука", "ход лёг"]
    assert kin_of("пас", lines, directions(*lines)) == [0, 0, 0]


def pieces(size: int, letters: str) -> list[str]:
    """A text of that many characters, in pieces."""
    text = (letters * (size // len(letters) + 1))[:size]
    return [text[at : at + 50_000] for at in range(0, size, 50_000)]


@pytest.mark.parametrize(
    ("size", "letters", "smaller"),
    [
        (pressing.LEAST, "взятка за взяткой, trick by trick\n", True),
        (pressing.MOST, "взятка", True),
        (pressing.LEAST - 1, "взятка", False),
        (pressing.MOST + 1, "взятка", False),
        (pressing.LEAST, "".join(map(chr, range(0x400, 0x400 + 257))), False),
        (pressing.LEAST, "".join(map(chr, range(0x1F600 - 200, 0x1F600))) + '\\"', False),
    ],
)
def test_what_pays_is_compressed_and_nothing_is_lost(size: int, letters: str, smaller: bool) -> None:
    text = "".join(pieces(size, letters))
    packed, again = pressing.small(pieces(size, letters))
    assert "".join(again) == text
    assert (packed is not None) == smaller
    if packed is not None:
        bits = lzma.decompress(b64decode(packed["bytes"]), lzma.FORMAT_RAW, filters=pressing._FILTERS)
        assert "".join(packed["letters"][place] for place in bits) == text
        assert packed["size"] == len(text)
