"""What is done quickly gives what is done plainly: each shortcut beside the simple way it stands for."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import tables
from kb.account import account
from kb.lang import codepages
from kb.model import Node, Ref, Span
from kb.parse.joining import Flow, with_plain_blanks
from kb.parse.lines import closes, fragments
from kb.parse.misread import MISREAD, misread
from kb.parse.printed import Printed
from kb.patterns import at_lines, on_lines, one_of
from kb.profile import load
from kb.repair import copies, encodings, folios, layout, ocr, words
from kb.repair.damage import damage_of
from kb.runs import Run, joined
from kb.text import Edit, Text

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
# How long an example takes is the business of the machine, which others may use, too.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
signs = st.sampled_from(
    [
        *'аБвГIiVx1З5.,;:!-–—_|()[]"«»„*#=~+ \t\xa0\n\f',
        *("\n\n", "  ", "- 85 -\n", "\nА. ", "\n(ii)", "\n(1)", "┌──┐\n", "│ а│\n", "└──┘\n", "П Р А В"),
        *("слово", "Правило 65", "1 2 3 4 5 6", "ДДДДДДД", "....", "а-\n", "Дд"),
    ]
)
texts = st.lists(signs, max_size=30).map("".join)


@cache
def markers() -> tuple[re.Pattern[str], ...]:
    levels = load(BRIDGE).works["laws"].levels
    return tuple(marker.pattern for level in levels for marker in level.markers)


def spans(matches: object) -> list[tuple[int, int]]:
    return [match.span() for match in matches]  # type: ignore[attr-defined]


@given(texts)
def test_lines_with_a_sign_are_all_there_is(value: str) -> None:
    for said, sign in (
        (value, words._SPACED_SIGN),
        (value.replace("\xa0", " "), words._PLAINLY_SPACED),
    ):
        assert spans(on_lines(words._SPACED, sign, said)) == spans(words._SPACED.finditer(said))


@given(texts)
def test_page_numbers_are_looked_for_where_they_can_be(value: str) -> None:
    damage = damage_of(load(BRIDGE), "laws", "ru")
    every = [match for match in folios._NUMBERED.finditer(value) if folios._look(match, damage) is not None]
    one, several = folios._with_numbers(value)
    assert set(spans(every)) <= set(spans(one)) <= set(spans(folios._NUMBERED.finditer(value)))
    assert spans(several) == spans(folios._SEVERAL.finditer(value))


@pytest.mark.parametrize("pattern", [ocr._MARK, ocr._NUMERAL, ocr._PAGE, ocr._ITEM, layout._NAVIGATION])
@given(texts)
def test_behind_line_ends_is_at_lines(pattern: re.Pattern[str], value: str) -> None:
    plain = re.compile(rf"(?m:^)(?:{pattern.pattern})", pattern.flags)
    assert spans(at_lines(pattern, value)) == spans(plain.finditer(value))


@given(texts)
def test_a_first_look_overlooks_no_marker(value: str) -> None:
    patterns = markers()
    look = re.compile(one_of(patterns))
    assert bool(look.match(value)) == any(pattern.match(value) for pattern in patterns)


def test_patterns_that_refer_to_their_groups_get_no_first_look() -> None:
    assert one_of((re.compile(r"(?P<a>x)(?P=a)"),)) == ""
    assert one_of((re.compile(r"(x)\1"),)) == ""
    assert one_of((re.compile("x", re.IGNORECASE),)) == ""


@given(texts)
def test_what_can_be_misread_is_looked_at(value: str) -> None:
    assert not misread(value) or MISREAD.match(value)


@given(texts)
def test_a_text_closes_as_the_pattern_says(value: str) -> None:
    pattern = re.compile(r"(?:[.!?:;…]|[.!?;:…,]?[)\]»”\"*]+[.!?;:…]?)\s*\Z")
    assert closes(value) == bool(pattern.search(value[-12:]))


@given(texts)
def test_no_table_without_a_border(value: str) -> None:
    assert tables._DRAWN.search(value) or not any(map(tables._BORDER.match, value.split("\n")))


@given(texts)
def test_odd_lines_are_found_in_the_whole(value: str) -> None:
    odd = re.compile(r"[^ -~\s\u0410-\u044f\u0401\u0451«»–—…№§“”„’°]|[а-яё][А-ЯЁ]|[—…]\w")
    assert any(one.search(value) for one in encodings._ODDS) == any(map(odd.search, value.split("\n")))


@given(texts)
def test_lines_are_folded_as_one_by_one(value: str) -> None:
    folded = (" ".join(line.split()) for line in value.split("\n"))
    assert copies.said_lines(value) == [said for said in folded if said]


@given(texts)
def test_words_are_counted_without_broken_ones(value: str) -> None:
    whole = re.sub(r"\w+[-‐¬][ \t\xa0]*\n[ \t\xa0]*\w+", " ", value.lower())
    assert words._Counts(value).words == Counter(words._WORD.findall(whole))


@given(texts)
def test_a_line_costs_what_its_pairs_cost(value: str) -> None:
    table = codepages._table()
    prices = [codepages._price(*pair, table) for pair in zip(" " + value, value + " ", strict=True)]
    known = [price for price in prices if price is not None]
    assert codepages.cost(value) == (sum(known) / len(known) if known else 0.0)


# A Text keeps stretches; here it is beside one that keeps two numbers a character.

changes = st.lists(
    st.tuples(
        st.sampled_from(["а", r"\n", "-\n", r"\s+", ".", "1|В"]), st.sampled_from(["", "x", "xy", "\n"])
    ),
    max_size=5,
)


def plainly(source: str, steps: list[tuple[str, str]]) -> tuple[str, list[int], list[int]]:
    value, starts, ends = source, list(range(len(source))), list(range(1, len(source) + 1))
    for pattern, new in steps:
        for match in reversed(list(re.finditer(pattern, value))):
            low, high = match.span()
            while low < high and value[low : low + 1] == new[low - match.start() :][:1]:
                low += 1
            kept = low - match.start()
            while (
                low < high
                and len(new) > kept + match.end() - high
                and value[high - 1] == new[high - match.end() - 1]
            ):
                high -= 1
            put = new[kept : len(new) - (match.end() - high)]
            if low == high and not put:
                continue
            if low < high:
                run = min(starts[low:high]), max(ends[low:high])
            elif 0 < low < len(value) and ends[low - 1] > starts[low]:
                run = starts[low], ends[low - 1]
            else:
                place = starts[low] if low < len(value) else ends[-1] if value else 0
                run = place, place
            value = value[:low] + put + value[high:]
            starts[low:high] = [run[0]] * len(put)
            ends[low:high] = [run[1]] * len(put)
    return value, starts, ends


def stretches(starts: list[int], ends: list[int]) -> list[tuple[int, int, int, int]]:
    found: list[tuple[int, int, int, int]] = []
    for at, (low, high) in enumerate(zip(starts, ends, strict=True)):
        if found:
            begun, _, first, last = found[-1]
            if (starts[at - 1], ends[at - 1]) == (low, high) and high - low != 1:
                found[-1] = (begun, at + 1, first, last)
                continue
            if high - low == 1 == ends[at - 1] - starts[at - 1] and low == ends[at - 1]:
                found[-1] = (begun, at + 1, first, high)
                continue
        found.append((at, at + 1, low, high))
    return found


@settings(max_examples=300)
@given(texts, changes, st.data())
def test_stretches_say_what_each_character_would(
    source: str, steps: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = Text(source, "s")
    for pattern, new in steps:
        text = text.sub(pattern, new, "rule")
    value, starts, ends = plainly(source, steps)
    assert (text.value, list(text.starts), list(text.ends)) == (value, starts, ends)
    assert text.segments() == stretches(starts, ends)
    assert text.starts_of(range(len(value))) == starts
    again = Text(value, "s", text.starts, text.ends)
    assert again.segments() == text.segments()
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(value))] * 2)))
    assert list(text[a:b].starts) == starts[a:b]
    assert text[a:b].segments() == stretches(starts[a:b], ends[a:b])
    if a < b:
        assert text.run(a, b) == (min(starts[a:b]), max(ends[a:b]))
    lines = joined([Run(text, 0, a), Run(text, b, len(value))], " ")
    if 0 < a < b < len(value) and value[a].isspace() and starts[a] == ends[a - 1] == ends[a] - 1 < starts[b]:
        assert (lines.starts[a], lines.ends[a]) == (starts[a], ends[a])  # it stands for that blank
    both = joined([Run(text, 0, a), Run(text, a, b)], " ")
    assert both.value == " ".join(part for part in (value[:a], value[a:b]) if part)
    between = [(ends[a - 1], max(ends[a - 1], starts[a]))] if 0 < a < b else []
    assert list(zip(both.starts, both.ends, strict=True)) == [
        *zip(starts[:a], ends[:a], strict=True),
        *between,
        *zip(starts[a:b], ends[a:b], strict=True),
    ]


@settings(max_examples=300)
@given(texts, changes)
def test_a_paragraph_is_a_run_of_the_flow(source: str, steps: list[tuple[str, str]]) -> None:
    text = Text(source, "s")
    for pattern, new in steps:
        text = text.sub(pattern, new, "rule")
    text = with_plain_blanks(text)
    flow = Flow(text)
    for piece in fragments(text, lambda place: (None, "")):
        lines = [line for line in piece if not line.table]
        made = flow.paragraph(lines)
        said = re.sub("[ \t]+", " ", " ".join(line.value for line in lines))
        assert made.value == said.strip()
        assert signs_of(made) == [sign for line in lines for sign in signs_of(line)]


def signs_of(run: Run) -> list[tuple[str, int, int]]:
    """The characters that are no white space, each with its run of the source."""
    starts, ends = run.whole.starts, run.whole.ends
    places = [place for place in range(run.start, run.stop) if not run.whole.value[place].isspace()]
    return [(run.whole.value[place], starts[place], ends[place]) for place in places]


@given(texts)
def test_lines_of_the_source_at_once(source: str) -> None:
    text = Text(source, "s").sub("-\n", "", "hyphenation")
    alone, together = Printed(source), Printed(source)
    pieces = [[line for part in fragments(text, lambda place: (None, "")) for line in part] for _ in range(2)]
    together.learn(pieces[1])
    assert [alone.lines_of(line) for line in pieces[0]] == [line.printed for line in pieces[1]]


runs = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (min(pair), max(pair)))


@given(
    st.text("аб \n", min_size=20, max_size=20),
    st.lists(
        st.tuples(st.sampled_from(["white-space", "x", "y"]), runs, st.sampled_from(["", "z"])), max_size=4
    ),
    st.lists(st.tuples(st.sampled_from(["text", "title", "footnote 1"]), runs), max_size=4),
    st.lists(runs, max_size=2),
)
def test_each_character_is_accounted_for_as_one_by_one(
    raw: str,
    edited: list[tuple[str, tuple[int, int], str]],
    kept: list[tuple[str, tuple[int, int]]],
    unplaced: list[tuple[int, int]],
) -> None:
    fate: list[tuple[str, str]] = [("", "")] * 20
    for rule, (start, end), after in edited:
        fate[start:end] = [("repaired" if after else "dropped", rule)] * (end - start)
    for where, (start, end) in [*(("unplaced", run) for run in unplaced), *kept]:
        for place in range(start, end):
            if fate[place] in (("", ""), ("dropped", "white-space")):
                fate[place] = ("kept", where.split()[0])
    fate = [
        ("dropped" if sign.isspace() else "lost", "white-space" if sign.isspace() else "unaccounted")
        if known == ("", "")
        else known
        for known, sign in zip(fate, raw, strict=True)
    ]
    edits = [Edit(rule, *run, "", after) for rule, run, after in edited]
    node = Node(Ref("w", "1", ("1",)), "ru", "law", spans=tuple(Span(w, 0, 1, "s", *run) for w, run in kept))
    lines, _ = account("s", raw, edits, [node], unplaced)
    assert {(line.fate, line.rule): line.chars for line in lines} == Counter(fate)
