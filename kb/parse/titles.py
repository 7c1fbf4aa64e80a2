"""Where a title ends and the text begins."""

from __future__ import annotations

import re
from collections.abc import Callable

from kb.parse.outline import Outline
from kb.parse.place import Similar
from kb.profile import Level
from kb.runs import Run

_SENTENCE = re.compile(r"[.;:,!?…]\s*\Z")
_RUN_ON = re.compile(
    r"(?P<title>[^\W\d_][^.;:!?,]{2,90}?[^\W\d_A-ZА-ЯЁ]{2}\)?) +(?=[^\W\d_a-zа-яё][a-zа-яё]*\b(?!\.))"
)
_SMALL_LETTERS = re.compile(r"[a-zа-я]")
_LONGEST = 160
"""Code points; what is longer is no title."""
_SHORT = 60
_TITLED = 0.75
"""Share of the words of a title in the outline that a heading of its number must have."""
_SLACK = 8
"""Characters by which a title in print may be longer than in the outline."""


def split_title(texts: list[Run], level: Level, whole: bool) -> tuple[list[Run], list[Run]]:
    """Cut the lines of a block into title and text.

    The title is what stands before the first line that begins with a capital, when it does not end like a
    sentence. ``Ход принадлежит руке разыгрывающего или / болвана / Если разыгрывающий …``: two lines of
    title. A title in capitals goes on over lines in capitals. ``whole``: nothing is cut off after the
    last line, so that a lone line without a full stop is a title and no broken sentence.
    """
    if level.titled == "never" or not texts:
        return [], texts
    texts = _unrun(texts, level)
    end = 1
    while end < len(texts):
        value = texts[end].value
        if not (
            value[:1].islower() or value[:1] in "(-–—/" or (_capitals(texts[0].value) and _capitals(value))
        ):
            break
        end += 1
    title = " ".join(text.value for text in texts[:end])
    if len(title) > _LONGEST and level.titled != "always":
        return [], texts
    if level.titled == "always":
        return (texts[:1], texts[1:]) if len(title) > _LONGEST else (texts[:end], texts[end:])
    if _SENTENCE.search(title) or title[:1].islower():
        return [], texts
    if end == len(texts) and not whole and len(title) > _SHORT:
        return [], texts
    return texts[:end], texts[end:]


def _unrun(texts: list[Run], level: Level) -> list[Run]:
    """``Порядок записи Игрок называет …`` in one line -> two: a capital behind a small word, no stop between.

    A heading of a few words before a whole sentence. In a language that writes headings in capitals
    throughout it finds nothing.
    """
    first = texts[0].value
    match = _RUN_ON.match(first) if len(first) > _SHORT else None
    if not match:
        return texts
    whole = " ".join(text.value for text in texts).rstrip()
    if level.titled != "always" and not whole.endswith((".", ":", "!", "?")):
        return texts
    return [texts[0][: match.end("title")], texts[0][match.end() :], *texts[1:]]


def _capitals(value: str) -> bool:
    if len(value) < 80 and value[1:9].isalpha() and value[1:9].islower():
        return False  # nor by what follows
    if len(_SMALL_LETTERS.findall(value, 0, 9 + len(value) // 6)) * 10 > len(value):
        return False  # without counting on
    letters = [c for c in value if c.isalpha()]
    return len(letters) > 3 and sum(c.isupper() for c in letters) * 10 >= len(letters) * 9


def titled(outline: Outline, similar: Similar) -> Callable[[tuple[str, ...], str], bool]:
    """Does the outline give a path a title that is said; a first step of "" is any root.

    Of a part the title stands first; of a root anywhere in its heading.
    """

    def is_titled(path: tuple[str, ...], said: str) -> bool:
        if len(path) == 1:
            return any(similar(said, title) >= _TITLED for title in outline.titles(path))
        paths = [(*root, *path[1:]) for root in outline.roots] if not path[0] else [path]
        titles = [title for one in paths for title in outline.titles(one)]
        return any(similar(said[: len(title) + _SLACK], title) >= _TITLED for title in titles)

    return is_titled
