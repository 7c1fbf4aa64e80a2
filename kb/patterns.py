"""Looking only where something can be found: most texts have little of any one damage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

GAPS = ("  ", "\n ", " \n", *(c for c in map(chr, range(0x3001)) if c.isspace() and c not in " \n"))
"""White space inside a text that has to be folded: all but one blank between words, and line ends."""
_OTHER_GAPS = GAPS[3:]
_BLANKS = "\xa0\t\r\f"
"""White space that most texts have, if any other than blanks."""
_NAMED = re.compile(r"(?<!\\)\(\?P<\w+>")
_REFERS = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")


def leads(value: str) -> frozenset[int]:
    """Which of the bytes that Western letters and marks set apart begin with in UTF-8 there are."""
    if value.isascii():
        return frozenset()
    data = value.encode("utf-8", "surrogatepass")
    return frozenset(byte for byte in b"\xc3\xcc\xcd" if byte in data)


def folded_lines(value: str) -> list[str]:
    """The lines of a text, white space in them folded, none at their ends."""
    for sign in _BLANKS:
        value = value.replace(sign, " ")
    lines = value.split("\n")
    if not any(gap in value for gap in GAPS):
        return [lines[0].strip(), *lines[1:-1], lines[-1].strip()] if len(lines) > 1 else [value.strip()]
    if any(gap in value for gap in _OTHER_GAPS):
        return [" ".join(line.split()) for line in lines]
    return [
        " ".join(line.split()) if "  " in line or line[:1] == " " or line[-1:] == " " else line
        for line in lines
    ]


def lines_having(sign: re.Pattern[str], value: str) -> Iterator[tuple[int, int]]:
    """Where the lines that have a sign begin and end."""
    at = 0
    while hit := sign.search(value, at):
        start = value.rfind("\n", at, hit.start()) + 1 or at
        end = value.find("\n", hit.end())
        end = len(value) if end < 0 else end
        yield start, end
        at = end + 1


def on_lines(pattern: re.Pattern[str], sign: re.Pattern[str], value: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern on the lines that have a sign, without which it never matches.

    For patterns that match within a line only; the line's end is the end of the text to them.
    """
    for start, end in lines_having(sign, value):
        yield from pattern.finditer(value, start, end)


def at_lines(pattern: re.Pattern[str], value: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begin where a line begins, as ``(?m)^`` before it finds them.

    Five times as fast: line ends are looked for as a letter is, and the pattern tried behind them only.
    """
    done = 0
    if match := pattern.match(value):
        done = match.end()
        yield match
    for end in _behind_line_end(pattern).finditer(value):
        place = end.end()
        if place >= done and (match := pattern.match(value, place)):
            done = match.end()
            yield match


@lru_cache(maxsize=256)
def _behind_line_end(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"\n(?={pattern.pattern})", pattern.flags)


@lru_cache(maxsize=64)
def one_of(patterns: Sequence[re.Pattern[str]]) -> str:
    """The source of one pattern that matches where some of these do; for a first look, so without names.

    Empty where they cannot be put together: one refers to its own groups, or has flags of its own.
    """
    sources = []
    for pattern in patterns:
        plain = _NAMED.sub("(?:", pattern.pattern)
        if _REFERS.search(plain) or pattern.flags != re.UNICODE:
            return ""
        compiled = re.compile(plain)
        if compiled.groupindex or compiled.groups != pattern.groups - len(pattern.groupindex):
            return ""
        sources.append(f"(?:{plain})")
    return "|".join(sources)


def middle(value: str, size: int) -> str:
    """So many code points from the middle of a text: a sample of what its lines have in common."""
    return value[max(0, len(value) // 2 - size // 2) :][:size]
