"""Four times the text is four times the work: counted in steps of the interpreter, not in seconds."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any

import damage as generator
import pytest

from kb import lang
from kb import profile as profiles
from kb.parse import parse
from kb.pipeline import similar
from kb.profile import Profile, SourceSpec
from kb.repair import repair
from kb.repair.damage import damage_of
from kb.repair.pages import page_map
from kb.text import Text

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
TIMES = 4
SLACK = 1.15
"""A step of work that takes twice as long for twice the text would make this 4."""
LINES = 1000


@cache
def bridge() -> Profile:
    return profiles.load(BRIDGE)


def steps(work: Callable[[], object]) -> int:
    """How many steps the interpreter takes for this; what a library does in one call is one."""
    taken = 0

    def each(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal taken
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        taken += event == "opcode"
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        work()
    finally:
        sys.settrace(before)
    return taken


def read(source: str) -> None:
    spec = SourceSpec(Path("x.txt"), "x.txt", "laws", bridge().edition, "ru")
    damage = damage_of(bridge(), "laws", "ru")
    text = repair(Text(source, "x.txt"), damage)
    parse(text, spec, bridge(), page_map(text, damage).at, partial(similar, lang.get("ru")), source)


def laws(*styles: str) -> Callable[[int], str]:
    def made(lines: int) -> str:
        text = generator.typed(generator.law(7, lines // 40))
        for style in styles:
            text = generator.STYLES[style](text, 0.25, random.Random(7))
        return "\n".join(text) + "\n"

    return made


def many(*lines: str) -> Callable[[int], str]:
    """The same lines again and again, each number in them one higher every time."""
    return lambda count: "".join(_numbered(lines, count))


def _numbered(lines: tuple[str, ...], count: int) -> Iterator[str]:
    for at in range(count // len(lines)):
        for line in lines:
            yield line.format(n=at + 1) + "\n"


TEXTS = {
    "undamaged": laws(),
    "page numbers": laws("page_footers"),
    "damage upon damage": laws("latin_inside", "invisible", "yo_quote", "bars", "running_heads"),
    "flattened, blank lines between": laws("flattened", "double_spaced"),
    "one list without a head": many("{n}. Текст провинции."),
    "one list in one part": lambda count: "A. Заголовок\n" + many("{n}. Текст части.")(count),
    "parts begun anew": many("A. Текст.", "B. Текст.", "Правило {n}. Заголовок", "B. Текст.", "A. Текст."),
    "lists without heads": many("1. Текст.", "2. Текст.", "3. Текст."),
    "letters without heads": many("A. Текст.", "B. Текст.", "1. Текст."),
    "footnotes without a mark": many("A. Текст.", "(*) Сноска."),
    "footnotes": many("Правило {n}. Заголовок", "A. Текст (*).", "(*) Сноска."),
    "one line": many("слово"),
    "page marks": many("- {n} -", "текст"),
    "words of both scripts": many("ход c руки мecтo Hастройка {n}"),
    "hyphens": many("перене- сённое слово и другое, пере-", "несённое на строку"),
    "small boxes": many("┌──┐", "│ а│", "└──┘"),
    "marks of paragraphs": many("Текст.¶", "¶ ¶", "¶"),
}


@pytest.mark.parametrize("made", TEXTS.values(), ids=TEXTS.keys())
def test_four_times_the_text_is_four_times_the_work(made: Callable[[int], str]) -> None:
    read(made(LINES // 10))  # what is made once: dictionary, patterns
    small, large = (steps(partial(read, made(count))) for count in (LINES, LINES * TIMES))
    assert large <= small * TIMES * SLACK
