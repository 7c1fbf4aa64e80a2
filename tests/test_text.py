"""The invariants of Text: what every repair can rely on, tried on texts and edits nobody thought of."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kb.runs import join
from kb.text import Text

ALPHABET = "аБвC 1.\n-("
texts = st.text(ALPHABET, max_size=60)
patterns = st.sampled_from(["а", "Б+", r"\n", "-\n", r"(\w)\1", r"\s+", r"$", r"(?=C)", ".", "в|1"])
replacements = st.sampled_from(["", " ", "x", "xy", "\n\n", r"<\g<0>>", "а"])
steps = st.lists(st.tuples(patterns, replacements), max_size=5)


def _after(source: str, changes: list[tuple[str, str]]) -> Text:
    text = Text(source, "s")
    for number, (pattern, replacement) in enumerate(changes):
        text = text.sub(pattern, replacement, f"rule-{number}")
    return text


@given(texts, steps)
def test_sub_reads_as_re_sub(source: str, changes: list[tuple[str, str]]) -> None:
    expected = source
    for pattern, replacement in changes:
        expected = re.sub(pattern, replacement, expected)
    assert _after(source, changes).value == expected


@given(texts, steps)
def test_an_untouched_character_points_home(source: str, changes: list[tuple[str, str]]) -> None:
    text = _after(source, changes)
    edited = {place for edit in text.edits for place in range(edit.start, edit.end)}
    for sign, start, end in zip(text.value, text.starts, text.ends, strict=True):
        if end - start == 1 and start not in edited:
            assert source[start] == sign


@given(texts, steps)
def test_every_source_character_is_kept_or_in_a_logged_edit(
    source: str, changes: list[tuple[str, str]]
) -> None:
    text = _after(source, changes)
    kept = {place for start, end in zip(text.starts, text.ends, strict=True) for place in range(start, end)}
    logged = {place for edit in text.edits for place in range(edit.start, edit.end)}
    assert kept | logged == set(range(len(source)))


@given(texts, steps)
def test_the_runs_ascend(source: str, changes: list[tuple[str, str]]) -> None:
    text = _after(source, changes)
    assert list(text.starts) == sorted(text.starts)
    assert list(text.ends) == sorted(text.ends)


@given(texts, steps)
def test_an_edit_says_what_changed_and_no_more(source: str, changes: list[tuple[str, str]]) -> None:
    for edit in _after(source, changes).edits:
        assert edit.before != edit.after
        assert not edit.before or not edit.after or edit.before[0] != edit.after[0]
        assert not edit.before or not edit.after or edit.before[-1] != edit.after[-1]


@given(texts, steps, st.integers(0, 60), st.integers(0, 60))
def test_a_slice_keeps_the_positions(source: str, changes: list[tuple[str, str]], a: int, b: int) -> None:
    text = _after(source, changes)
    part = text[a:b]
    assert part.value == text.value[a:b]
    assert part.starts == text.starts[a:b]


@given(texts, steps)
def test_segments_cover_the_text_once(source: str, changes: list[tuple[str, str]]) -> None:
    text = _after(source, changes)
    at = 0
    for start, end, low, high in text.segments():
        assert start == at and end > start
        assert high - low == end - start or text.run(start, end) == (low, high)
        at = end
    assert at == len(text)


@given(texts, st.lists(st.integers(0, 60), max_size=4))
def test_join_of_the_pieces_is_the_whole(source: str, cuts: list[int]) -> None:
    text = Text(source, "s")
    places = sorted({0, len(source), *(min(cut, len(source)) for cut in cuts)})
    whole = join(text[a:b] for a, b in pairwise(places))
    assert (whole.value, whole.starts, whole.ends) == (text.value, text.starts, text.ends)


def test_a_change_of_nothing_gives_the_text_itself() -> None:
    text = Text("Правило 65", "s")
    assert text.sub("x", "y", "rule") is text
    assert text.sub("65", "65", "rule") is text


def test_shared_ends_of_match_and_replacement_stay_untouched() -> None:
    text = Text("вооп-\nрос", "s").sub("оп-\nр", "опр", "hyphenation")
    assert text.value == "воопрос"
    assert [(e.start, e.end, e.before, e.after) for e in text.edits] == [(4, 6, "-\n", "")]
