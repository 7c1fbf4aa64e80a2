"""Text that went through the wrong code page, and the marks of the word processors of DOS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kb.lang import codepages
from kb.repair.damage import Damage
from kb.text import Text

_SOFT = "\x8dНЌ"
"""The soft return, 0x8D, as is and as CP866 and CP1251 show it."""
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\s\x1a]+")
_STAR_WORD = re.compile(r"[A-Za-z]{2,}[\xc1-\xda\xe1-\xfa](?![A-Za-z\u0100-\uffff])")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}[A-Za-z\xc1-\xda\xe1-\xfa]")
_HIGH = re.compile(r"[\x8a\x8d\xa0-\xfe]")
_OVERPRINT = re.compile(r"_\x08(?=[^\n\x08])|([^\n\x08])\x08(?=\1|_)(?:_(?=\x08|[^\x08]|\Z))?")
_SEQUENCE = re.compile(r"\x1d[^\x1d\n]{0,120}\x1d|\x1b(?P<sign>[^\x1b\x1c])\x1c")
_FONT = re.compile(r"\xa0(?=[0-9])[0-9]")
_FONT_CODE = re.compile(r"\xa0(.?)")
_ACTIVE_HYPHEN = re.compile(r"\x1f(?=[ \t]*(?:\x8d|\r)?\n)")
_TWICE = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]"
    "|[РСÐÑ╨╤пяауб][^\\s\\w.,;:!?()«»-]"
)
"""What UTF-8 looks like when it is read as something else."""

_SUSPECT = 6.5
"""Bits a letter from which on a line is looked at. Lines of names and abbreviations stay below."""
_GOOD = 5.6
_SAVES = 1.5
"""Bits a letter that a repaired line must save."""
_LETTERS = 6
"""Letters that a line needs to speak for itself; a shorter one follows what the text's others say."""
_VOICES = 2
"""Lines that must speak for a code page, or one long one."""
_LONG = 30


def end_of_file(text: Text, damage: Damage) -> Text:
    """Ctrl-Z (0x1A) and what fills the last block behind it -> nothing.

    Text that goes on behind it stays: some files were put together of several.
    """
    return text.sub(r"\x1a[\x1a\x00\s]*\Z|\x1a", "", "end-of-file")


def soft_returns(text: Text, damage: Damage) -> Text:
    """``картойН`` and a bare line end, WordStar's soft return (0x8D 0x0A) as CP866 reads it -> the line end.

    Where all line ends that are not ``\\r\\n`` are soft ones; and behind a small letter, a sign or a blank
    where five lines at least end so. A word in capitals that ends in Н stays.
    """
    value = text.value
    bare = value.count("\n") - value.count("\r\n")
    for sign in _SOFT:
        soft = value.count(f"{sign}\n")
        if soft >= 3 and soft == bare:
            text = text.sub(rf"{sign}(?=\n)", "", "soft-return")
        elif soft >= 5:
            ends = re.compile(rf"(?<=[a-zа-яё,;:.)\-\x1f ]){sign}(?=\n)")
            if len(ends.findall(value)) >= 5:
                text = text.sub(ends, "", "soft-return")
        value = text.value
    return text


def high_bits(text: Text, damage: Damage) -> Text:
    """``thå cardó`` -> ``the cards``: WordStar set the high bit on the last letter of each word.

    Only where six of ten words end so, which no language does.
    """
    high = len(_STAR_WORD.findall(text.value))
    if high < 5 or high * 10 < len(_LATIN_WORD.findall(text.value)) * 6:
        return text
    return text.sub(_HIGH, lambda m: chr(ord(m.group()) & 0x7F), "high-bit")


def format_codes(text: Text, damage: Damage) -> Text:
    """Codes of word processors between the letters -> nothing, or what they stand for.

    Overprinting (``a\\ba``, ``_\\ba``) -> the letter; a hyphen that is shown at the line's end (0x1F) -> a
    hyphen; WordStar's sequences (0x1D … 0x1D) -> nothing and its extended characters -> the character;
    Лексикон's changes of font (0xFF and a digit, 0 to go back) -> nothing, where every 0xFF is one.
    Single control characters are left to `marks.invisible`.
    """
    text = text.sub(_OVERPRINT, "", "overprint")
    text = text.sub(_ACTIVE_HYPHEN, "-", "format-code")
    text = text.sub(_SEQUENCE, lambda m: m.group("sign") or "", "format-code")
    codes = _FONT_CODE.findall(text.value)
    if len(codes) >= 2 and "0" in codes and all(code.isdigit() and code for code in codes):
        text = text.sub(_FONT, "", "format-code")
    return text


def misread(text: Text, damage: Damage) -> Text:
    """``Џа ўЁ«®`` (CP866 read as CP1251), ``РџСЂР°РІРёР»Рѕ`` (UTF-8 read as CP1251) -> ``Правило``.

    Line by line, where letter pairs say that it was another page; a short line follows the page that the
    others of this text speak for. What reads well already stays, and so do lines in other alphabets.
    """
    text = _utf8_misread(text, damage)
    if not any("а" <= letter <= "я" for letter in damage.lang.alphabet):
        return text
    lines = [(m.start(), m.end(), m.group()) for m in _LINE.finditer(text.value)]
    suspects = [one for one in lines if _suspect(one[2])]
    spoken: dict[tuple[str, str], int] = {}
    for _, _, line in suspects:
        best = _best(line, _pairs()) if _speaks(line) else None
        if best:
            spoken[best] = spoken.get(best, 0) + (_VOICES if len(line) >= _LONG else 1)
    chosen = [pair for pair in _pairs() if spoken.get(pair, 0) >= _VOICES]
    if not chosen:
        return text
    chosen.sort(key=lambda pair: -spoken[pair])
    runs: list[tuple[int, int, str]] = []
    for start, end, line in suspects:
        pair = _best(line, chosen)
        if pair:
            runs += _changed(start, end, line, _through(line, *pair) or line)
    return text.replace_runs(runs, "misread-code-page")


def _utf8_misread(text: Text, damage: Damage) -> Text:
    """UTF-8 read as a single-byte page: ftfy knows how to get back."""
    if not _TWICE.search(text.value):
        return text
    from ftfy import fix_encoding  # only where something looks like it
    from ftfy.badness import badness

    runs = []
    for match in _LINE.finditer(text.value):
        line = match.group()
        if len(_TWICE.findall(line)) < 2 and not badness(line):
            continue
        fixed = fix_encoding(line)
        if fixed != line and "\n" not in fixed and badness(fixed) < badness(line):
            runs.append((match.start(), match.end(), fixed))
    return text.replace_runs(runs, "misread-utf8")


@lru_cache(maxsize=1)
def _pairs() -> tuple[tuple[str, str], ...]:
    """Read as, was: every mix-up that is looked for, the usual ones first."""
    read_as = ("cp1251", "cp866", "koi8-r", "iso8859-5", "mac-cyrillic", "cp1252", "latin-1", "cp437")
    was = ("cp866", "cp1251", "koi8-r", "utf-8", "iso8859-5", "mac-cyrillic")
    return tuple((a, b) for a in read_as for b in was if a != b)


def _suspect(line: str) -> bool:
    return not line.isascii() and codepages.cost(line) > _SUSPECT


def _speaks(line: str) -> bool:
    letters = [c for c in line if c > "\x7f"]
    return len(letters) >= _LETTERS and len(set(letters)) >= 4


def _best(line: str, pairs: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The mix-up that explains the line: what it gives is Russian, and better by far."""
    now = codepages.cost(line)
    found = [
        (codepages.cost(fixed), number, pair)
        for number, pair in enumerate(pairs)
        if (fixed := _through(line, *pair)) is not None and any("а" <= c <= "я" for c in fixed.lower())
    ]
    if not found:
        return None
    cost, _, pair = min(found)
    return pair if cost <= _GOOD and cost <= now - _SAVES else None


def _through(line: str, read_as: str, was: str) -> str | None:
    """The line read back through ``was``; None where it cannot have gone this way."""
    try:
        fixed = line.encode(read_as).decode(was)
    except (UnicodeEncodeError, UnicodeDecodeError):
        return None
    return None if "\n" in fixed else fixed


def _changed(start: int, end: int, line: str, fixed: str) -> Iterator[tuple[int, int, str]]:
    """The words that changed, each a run of its own where one letter was one; else the whole line."""
    if len(line) != len(fixed):
        yield start, end, fixed
        return
    for word in _WORD.finditer(line):
        low, high = word.span()
        if line[low:high] != fixed[low:high]:
            yield start + low, start + high, fixed[low:high]
