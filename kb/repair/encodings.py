"""Text that went through the wrong code page, and the marks of the word processors of DOS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from kb.lang import codepages
from kb.patterns import leads
from kb.repair.damage import Damage
from kb.text import Text

_SOFT = "\x8dНЌ"
"""The soft return, 0x8D, as is and as CP866 and CP1251 show it."""
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^ \t\r\n]+")
_STAR_WORD = re.compile(r"[A-Za-z](?<![A-Za-z].)[A-Za-z]+[\xc1-\xda\xe1-\xfa](?![A-Za-z\u0100-\uffff])")
_LATIN_WORD = re.compile(r"[A-Za-z](?<![A-Za-z].)[A-Za-z]+[A-Za-z\xc1-\xda\xe1-\xfa]")
_HIGH = re.compile(r"[\x8a\x8d\xa0-\xfe]")
_OVERPRINT = re.compile(r"_\x08(?=[^\n\x08])|([^\n\x08])\x08(?=\1|_)(?:_(?=\x08|[^\x08]|\Z))?")
_SEQUENCE = re.compile(r"\x1d[^\x1d\n]{0,120}\x1d|\x1b(?P<sign>[^\x1b\x1c])\x1c")
_FONT = re.compile(r"\xa0(?=[0-9])[0-9]")
_FONT_CODE = re.compile(r"\xa0(.?)")
_ACTIVE_HYPHEN = re.compile(r"\x1f(?=[ \t]*(?:\x8d|\r)?\n)")
_TWICE = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]")
"""What UTF-8 looks like when it is read as a page of Western Europe."""
_WHITE = "".join(c for c in map(chr, range(0x3001)) if c.isspace())
_ODDS = (
    re.compile(rf"[^ -~{_WHITE}\u0410-\u044f\u0401\u0451«»–—…№§“”„’°\u00ad\u200b-\u200d\u2060\ufeff]"),
    re.compile(r"[—…](?=\w)"),
    re.compile(r"[А-ЯЁ](?<=[а-яё].)"),
)
"""What a line of Russian does not have. Each begins with a set of signs, which is what makes it quick."""

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_OWN_WORD = re.compile(r"(?<!\w)[а-яёА-ЯЁ]{3,}(?!\w)")

_DOUBT = 4.0
"""Bits a letter from which on a line with something odd in it is looked at."""
_SUSPECT = 6.5
"""Bits a letter that a repaired line may cost at most: it may be a name, or a row of abbreviations."""
_GOOD = 5.6
"""The same for a line that speaks for a page."""
_LETTERS = 6
"""Letters that a line needs to speak for a page."""
_BITS = 60.0
"""Bits that a page must save: four strange characters."""
_GAIN = 1.5
"""Bits a letter that a line must gain to speak for a page."""
_SISTERS = {"cp1251", "mac-cyrillic"}
_SAMPLE = 400
"""Lines that are asked."""


def end_of_file(text: Text, damage: Damage) -> Text:
    """Ctrl-Z (0x1A) and what fills the last block behind it -> nothing.

    Text that goes on behind it stays: some files were put together of several.
    """
    if "\x1a" not in text.value:
        return text
    return text.sub(r"\x1a[\x1a\x00\s]*\Z|\x1a", "", "end-of-file")


def soft_returns(text: Text, damage: Damage) -> Text:
    """``картойН`` and a bare line end, WordStar's soft return (0x8D 0x0A) as CP866 reads it -> the line end.

    Where all line ends that are not ``\\r\\n`` are soft ones; and behind a small letter, a sign or a blank
    where a fifth of the lines end so. A word in capitals that ends in Н stays.
    """
    value = text.value
    bare = value.count("\n") - value.count("\r\n")
    for sign in filter(value.__contains__, _SOFT):
        soft = value.count(f"{sign}\n")
        if soft >= 3 and soft == bare:
            text = text.sub(rf"{sign}(?=\n)", "", "soft-return")
        elif soft >= 5:
            ends = re.compile(rf"(?<=[a-zа-яё,;:.)\-\x1f ]){sign}(?=\n)")
            if len(ends.findall(value)) * 5 >= bare:
                text = text.sub(ends, "", "soft-return")
        value = text.value
    return text


def high_bits(text: Text, damage: Damage) -> Text:
    """``thå cardó`` -> ``the cards``: WordStar set the high bit on the last letter of each word.

    Only where six of ten words end so, which no language does.
    """
    if 0xC3 not in text.derived(leads):  # U+00C0 to U+00FF
        return text
    high = len(_STAR_WORD.findall(text.value))
    if high < 5 or high * 10 < len(_LATIN_WORD.findall(text.value)) * 6:
        return text
    return text.sub(_HIGH, lambda m: chr(ord(m.group()) & 0x7F), "high-bit")


def format_codes(text: Text, damage: Damage) -> Text:
    """Codes of word processors between the letters -> nothing, or what they stand for.

    Overprinting (``a\\ba``, ``_\\ba``) -> the letter; a hyphen that is shown at the line's end (0x1F) -> a
    hyphen; WordStar's sequences (0x1D … 0x1D) -> nothing and its extended characters -> the character;
    Лексикон's changes of font (0xFF and a digit, 0xFF and 0 to go back) -> nothing, where every 0xFF is one.
    Single control characters are left to `marks.invisible`.
    """
    if "\b" in text.value:
        text = text.sub(_OVERPRINT, "", "overprint")
    if "\x1f" in text.value:
        text = text.sub(_ACTIVE_HYPHEN, "-", "format-code")
    if "\x1d" in text.value or "\x1b" in text.value:
        text = text.sub(_SEQUENCE, lambda m: m.group("sign") or "", "format-code")
    first = text.value.find("\xa0")
    if first < 0 or not "1" <= text.value[first + 1 : first + 2] <= "9":
        return text
    codes = _FONT_CODE.findall(text.value)
    opening, closing = codes[::2], codes[1::2]
    paired = len(opening) == len(closing) > 0 and set(closing) == {"0"}
    if paired and all("1" <= code <= "9" for code in opening):
        text = text.sub(_FONT, "", "format-code")
    return text


def misread(text: Text, damage: Damage) -> Text:
    """``Џа ўЁ«®`` (CP866 read as CP1251), ``РџСЂР°РІРёР»Рѕ`` (UTF-8 read as CP1251) -> ``Правило``.

    Where letter pairs say that the lines were of another page, that page is taken for all lines that it
    makes better. What reads well already stays, and so do other languages.
    """
    if any("а" <= letter <= "я" for letter in damage.lang.alphabet):
        text = _page_misread(text)
    return _utf8_misread(text)


def _page_misread(text: Text) -> Text:
    """A Cyrillic code page, or UTF-8, read as another page. At most two mix-ups a text."""
    for _ in range(2):
        if not text.derived(_has_odd):
            break
        lines = [line for line in text.value.split("\n") if not line.isascii()]
        pair = _mixed_up(filter(_suspect, lines), len(lines))
        if pair is None:
            break
        least = 0.05 if set(pair) == _SISTERS else 1.0
        runs: list[tuple[int, int, str]] = []
        for match in _LINE.finditer(text.value):
            line = match.group()
            if any(map(str.isalpha, line)) and (fixed := _through(line, *pair)) is not None:
                cost = _cost(fixed)
                if cost <= _SUSPECT and cost <= _cost(line) - least:
                    runs += _changed(match.start(), line, fixed)
        text = text.replace_runs(runs, "misread-code-page")
    return text


def _has_odd(value: str) -> bool:
    if "—" not in value and "…" not in value:  # the second asks for what stands behind these
        return any(odd.search(value) for odd in _ODDS[::2])
    return any(odd.search(value) for odd in _ODDS)


def _utf8_misread(text: Text) -> Text:
    """UTF-8 read as a page of Western Europe: ftfy knows how to get back."""
    if 0xC3 not in text.derived(leads) or not _TWICE.search(text.value):
        return text
    from ftfy import fix_encoding  # only where something looks like it
    from ftfy.badness import badness

    runs = []
    for match in _LINE.finditer(text.value):
        line = match.group()
        if not _TWICE.search(line):
            continue
        fixed = fix_encoding(line)
        if fixed != line and "\n" not in fixed and badness(fixed) < badness(line):
            runs.append((match.start(), match.end(), fixed))
    return text.replace_runs(runs, "misread-utf8")


def _suspect(line: str) -> bool:
    return not line.isascii() and any(odd.search(line) for odd in _ODDS) and _cost(line) > _DOUBT


def _cost(line: str) -> float:
    """As `codepages.cost`; signs that draw boxes cost nothing there, but three kinds of them are no box."""
    drawn = codepages.DRAWN.intersection(line)
    return codepages.STRANGE if len(drawn) > 2 else codepages.cost(line)


def _mixed_up(suspects: Iterable[str], total: int) -> tuple[str, str] | None:
    """The mix-up (read as, was) that makes most of these lines Russian; None when none saves enough bits.

    ``total``: how many lines the text has that are not ASCII. Between the sisters CP1251 and MacCyrillic,
    which share the small letters, a fifth of them must gain; else each line that counts must gain much.
    """
    told = (s for s in suspects if len(_NOT_ASCII.findall(s)) >= _LETTERS and any(map(str.isalpha, s)))
    lines = list(islice(told, _SAMPLE))
    before = [_cost(line) for line in lines]
    best, most = None, 0.0
    for pair in _pairs():
        sisters = set(pair) == _SISTERS
        saved, gaining = 0.0, 0
        for line, now in zip(lines, before, strict=True):
            fixed = _through(line, *pair)
            if fixed is None or fixed == line or not _words(fixed):
                continue
            cost = _cost(fixed)
            if cost <= _GOOD and now - cost >= (0.1 if sisters else _GAIN):
                saved += (now - cost) * len(_NOT_ASCII.findall(fixed))
                gaining += 1
        if saved > most and (not sisters or gaining * 5 >= min(total, _SAMPLE)):
            best, most = pair, saved
    return best if most >= _BITS else None


@lru_cache(maxsize=1)
def _pairs() -> tuple[tuple[str, str], ...]:
    """Read as, was: every mix-up that is looked for, the usual ones first."""
    read_as = (
        "cp1251",
        "cp866",
        "koi8-r",
        "iso8859-5",
        "mac-cyrillic",
        "cp1252",
        "cp437",
        "cp850",
        "mac-roman",
    )
    was = ("cp866", "cp1251", "koi8-r", "utf-8", "iso8859-5", "mac-cyrillic")
    # What guesses a page of damaged UTF-8 may say Ukrainian.
    return (*((a, b) for a in read_as for b in was if a != b), ("koi8-u", "utf-8"))


@lru_cache(maxsize=16)
def _bytes_of(page: str) -> dict[str, int]:
    """Character -> byte of a page; a byte that the page leaves out is the control character it shows as."""
    table = {chr(byte): byte for byte in range(256)} if page == "cp1252" else {}
    for byte in range(256):
        said = bytes([byte]).decode(page, "replace")
        table[chr(byte) if said == "\ufffd" else said] = byte
    return table


def _through(line: str, read_as: str, was: str) -> str | None:
    """The line read back through ``was``; None where it cannot have gone this way."""
    table = _bytes_of(read_as)
    try:
        fixed = bytes([table[c] for c in line]).decode(was)
    except (KeyError, UnicodeDecodeError):
        return None
    letters = sum(map(str.isalpha, fixed))
    if "\n" in fixed or (was != "utf-8" and letters < sum(map(str.isalpha, line))):
        return None  # letters do not become signs by being read rightly
    return fixed


def _words(line: str) -> bool:
    """Are most of its letters Cyrillic, in words of their own: no French with a few accents."""
    whole = sum(map(len, _OWN_WORD.findall(line)))
    return whole * 2 > sum(map(str.isalpha, line))


def _changed(start: int, line: str, fixed: str) -> Iterator[tuple[int, int, str]]:
    """The words that changed, each a run of its own where one letter was one; else the whole line."""
    if len(line) != len(fixed):
        yield start, start + len(line), fixed
        return
    for word in _WORD.finditer(line):
        low, high = word.span()
        if line[low:high] != fixed[low:high]:
            yield start + low, start + high, fixed[low:high]
