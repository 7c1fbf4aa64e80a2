"""Plain text in any of the encodings such texts come in."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from kb import lang
from kb.errors import InputError
from kb.lang import codepages
from kb.profile import SourceSpec
from kb.read.columns import set_in_one
from kb.read.extract import Extract, one_flow
from kb.read.wrapped import unwrapped
from kb.text import Text

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control bytes that texts of DOS word processors do hold: tab, line ends, page feed, DC4, end of file,
# WordStar's toggles, overstrikes.
_TEXT_CONTROLS = frozenset(
    b"\t\n\r\f\x08\x0b\x14\x15\x1a\x1b\x1c\x1d\x1e\x1f\x01\x02\x04\x0e\x0f\x10\x11\x12\x13\x16\x18\x19"
)
_SAMPLE = 262_144
_MANY_BYTES = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}")
_LEAST = 3
_SURE = 5.5
"""Bits a letter from which on no Russian text costs as much (`kb.lang.codepages.cost`)."""
_FALLBACK = "iso8859-1"
_UNSURE = 0.4
"""Margin of a guess below which a file is asked whether it is of two pages."""
_SISTERS = ("cp1251", "mac-cyrillic")
"""They share the small letters."""
_ASKED = 400
"""Lines that are asked."""
_LEAST_OF_PAGE = 5
_LETTERS = 12
"""Letters beyond ASCII of a line that tells its page."""
_RUSSIAN = 5.2
_CLEARLY = 1.5
"""Bits a letter: what a line of Russian costs at most, and by how much less than by the next page."""
_LIKELY = 60
"""Share of hundred words that end in a high bit, from which on a file is WordStar's."""
_STAR_WORD = re.compile(
    rb"[A-Za-z]{2,}(?:[\xc1-\xda\xe1-\xfa](?![A-Za-z\x80-\xff])|[\xc1-\xda\xe1-\xfa](?=[\xa0\x8d\xac\xae]))"
)
_ASCII_WORD = re.compile(rb"[A-Za-z]{2,}[A-Za-z\xc1-\xda\xe1-\xfa]")


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, how sure it is (0..1), and the one that comes next."""

    encoding: str
    margin: float
    rival: str = ""


def read(data: bytes, spec: SourceSpec) -> Extract:
    """Decode with the encoding that ``sources.toml`` names, else a detected one.

    Characters stand one for one as in the file, or in what mail wrapped (`kb.read.wrapped`), but for two
    columns, which are set one under the other (`kb.read.columns`); marks of word
    processors and the end-of-file sign are among them: the repairs take them out, and log it. Page feeds are
    taken out here. Lines in UTF-8, or in another code page, among those of one are read as they are. Raises
    InputError for binary data and for an encoding that is unknown or does not fit.
    """
    data, carried = unwrapped(data)
    notes: tuple[str, ...] = (f"decoded from {carried}",) if carried else ()
    if mixed := None if spec.encoding else _mixed(data, spec):
        value, guess, lines = mixed
        notes += (f"{lines} lines are UTF-8, the others {guess.encoding}",)
        return _extract(value, spec, guess, notes)
    guess = Guess(spec.encoding, 1.0) if spec.encoding else detect(data, spec)
    if not spec.encoding and guess.margin < _UNSURE and (pages := _two_pages(data, spec)):
        value, guess, lines = pages
        notes += (f"{lines} lines are {guess.rival}, the others {guess.encoding}",)
        return _extract(value, spec, guess, notes)
    try:
        codec = codecs.lookup(guess.encoding)
        value = data.decode(codec.name)
    except LookupError:  # of codecs that make no text of bytes, too
        raise InputError(
            f"{spec.path}: unknown encoding {guess.encoding!r} (give one that Python knows, such as utf-8, "
            "cp866, cp1251 or koi8-r, in sources.toml)"
        ) from None
    except UnicodeError as error:
        place = f"byte {error.start} does not fit" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            f"{spec.path}: not {guess.encoding}: {place} (set the right encoding in sources.toml)"
        ) from None
    return _extract(value, spec, Guess(codec.name, guess.margin, guess.rival), notes)


def _extract(value: str, spec: SourceSpec, guess: Guess, notes: tuple[str, ...]) -> Extract:
    value, columns = set_in_one(value)
    if columns:
        notes += (f"two columns in {columns} places, set one under the other",)
    return Extract(
        value, one_flow(Text(value, spec.name)), guess.encoding, guess.margin, guess.rival, notes=notes
    )


def _mixed(data: bytes, spec: SourceSpec) -> tuple[str, Guess, int] | None:
    """A file put together of several: some lines are UTF-8, the others of one code page; None otherwise.

    What it says, the page of the others, and how many lines are UTF-8: three at least, each with two signs
    of more than one byte, which lines of a code page have but by design.
    """
    if data.startswith(tuple(bom for bom, _ in _BOMS)) or b"\0" in data or not _MANY_BYTES.search(data):
        return None
    if _decodes(data, "utf-8"):
        return None
    lines = data.splitlines(keepends=True)
    wide = [len(_MANY_BYTES.findall(line)) > 1 and _decodes(line, "utf-8") for line in lines]
    others = [line for line, is_wide in zip(lines, wide, strict=True) if not is_wide]
    if sum(wide) < _LEAST or all(map(bytes.isascii, others)):
        return None
    try:
        guess = detect(b"".join(others), spec)
        said = [
            line.decode("utf-8" if is_wide else guess.encoding)
            for line, is_wide in zip(lines, wide, strict=True)
        ]
    except (InputError, UnicodeError):
        return None
    return "".join(said), guess, sum(wide)


def _two_pages(data: bytes, spec: SourceSpec) -> tuple[str, Guess, int] | None:
    """A file put together of two code pages of one byte; None otherwise.

    What it says, both pages, and how many lines are of the rarer one. Lines that are Russian by one page for
    sure tell, five at least of each; the others go with the last that told.
    """
    if not _cyrillic(spec.lang) or data.startswith(tuple(bom for bom, _ in _BOMS)) or b"\0" in data:
        return None
    lines = data.splitlines(keepends=True)
    sample = lines[:: max(1, len(lines) // _ASKED)]
    of = [(_page_of(line), line) for line in sample]
    alike = b"".join(line for page, line in of if page in _SISTERS)
    sister = codepages.ranked(alike, _SISTERS)[0][1] if alike else ""
    told = Counter(sister if page in _SISTERS else page for page, _ in of if page)
    if len(told) < 2 or told.most_common(2)[1][1] < _LEAST_OF_PAGE:
        return None
    pages = tuple(page for page, _ in told.most_common(2))
    page = next(filter(None, (_page_of(line, pages) for line in lines)), pages[0])
    read_as = [page := _page_of(line, pages) or page for line in lines]
    if len(set(read_as)) < 2:
        return None
    try:
        said = "".join(line.decode(page) for line, page in zip(lines, read_as, strict=True))
    except UnicodeError:
        return None
    most, fewer = (page for page, _ in Counter(read_as).most_common(2))
    return said, Guess(most, 0.5, fewer), read_as.count(fewer)


def _page_of(line: bytes, pages: tuple[str, ...] = codepages.SINGLE_BYTE) -> str:
    """The page by which a line is Russian, and by no other that reads it otherwise; empty where none is."""
    high = [byte for byte in line if byte > 0x7F]
    if len(high) < _LETTERS or len(set(high)) * 2 < _LETTERS:  # a drawn line tells nothing
        return ""
    found = [(cost, page) for cost, page in codepages.ranked(line, pages) if not _boxes(line.decode(page))]
    best = min(found, default=(_RUSSIAN + 1, ""))
    rivals = [cost for cost, page in found if page != best[1] and {page, best[1]} != set(_SISTERS)]
    clear = min(rivals, default=codepages.STRANGE) - best[0] >= _CLEARLY
    return best[1] if best[0] <= _RUSSIAN and clear else ""


def _boxes(said: str) -> bool:
    """More kinds of signs that draw boxes than a line of text has."""
    return len(codepages.DRAWN.intersection(said)) > 2


def detect(data: bytes, spec: SourceSpec) -> Guess:
    """The encoding of the bytes: by a byte order mark, as UTF-8 when valid, as UTF-16 by its blanks, as
    WordStar's ASCII by its high bits, else by letter pairs (Cyrillic languages) or chardet's guess."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return Guess(name, 1.0)
    wide = _wide(data)
    if wide:
        return Guess(wide, 1.0)
    if _binary(data):
        raise InputError(f"{spec.path}: binary data, no text (a scan in another format needs its own suffix)")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return Guess("utf-8", 1.0)
    sample = data.rstrip(b"\x1a\0")[:_SAMPLE]
    if _wordstar(sample):
        return Guess(_FALLBACK, 1.0)
    ours = _by_pairs(sample) if _cyrillic(spec.lang) else None
    if ours is not None and ours.margin >= 0.2:
        return ours
    theirs = _by_chardet(sample)
    if ours is not None and (theirs is None or theirs.encoding == ours.encoding):
        return ours
    if theirs is not None and (ours is None or theirs.margin > ours.margin):
        return theirs
    if ours is not None:
        return ours
    raise InputError(f'{spec.path}: encoding not recognised (name it in sources.toml: encoding = "cp866")')


def _cyrillic(code: str) -> bool:
    return any("а" <= letter <= "я" for letter in lang.get(code).alphabet)


def _by_pairs(sample: bytes) -> Guess | None:
    """The page under which the letter pairs are most Russian; None when none is."""
    found = codepages.ranked(sample)
    if not found or found[0][0] > _SURE:
        return None
    page = found[0][1]
    said = sample.decode(page)
    if not any(map(str.isalpha, said[:2000])):
        return None
    for _, rival in found[1:]:
        margin = _apart(said, sample.decode(rival))
        if margin is not None:
            return Guess(page, margin, rival)
    return Guess(page, 1.0)


def _apart(best: str, other: str) -> float | None:
    """How much better one reading is than another, 0..1, by the words in which they differ; None when
    they say the same."""
    pairs = [(a, b) for a, b in zip(best.split(" "), other.split(" "), strict=False) if a != b]
    if not pairs:
        return None
    ours, theirs = (codepages.cost(" ".join(side)) for side in zip(*pairs, strict=True))
    return max(0.0, 1.0 - ours / theirs) if theirs else 0.0


def _by_chardet(sample: bytes) -> Guess | None:
    import chardet  # not on the path of a corpus in UTF-8

    found = [
        (str(guess["encoding"]), float(guess["confidence"]))
        for guess in chardet.detect_all(sample)
        if guess["encoding"] and _decodes(sample, str(guess["encoding"]))
    ]
    if not found:
        return None
    name, sure = found[0]
    codec = codecs.lookup(name).name
    rest = [(n, c) for n, c in found[1:] if codecs.lookup(n).name != codec]
    rival, second = rest[0] if rest else ("", 0.0)
    return Guess(
        codec, max(0.0, 1.0 - second / sure) if sure else 0.0, codecs.lookup(rival).name if rival else ""
    )


def _decodes(sample: bytes, name: str) -> bool:
    try:
        sample.decode(name)
    except (LookupError, UnicodeError):
        return False
    return True


def _wide(data: bytes) -> str:
    """UTF-16 without a byte order mark: its blanks and line ends have a zero byte, always on one side."""
    head = data[: 65536 & ~1]
    if len(data) % 2 or len(head) < 8 or b"\0" not in head:
        return ""
    for name, own, zero in (("utf-16-le", 0, 1), ("utf-16-be", 1, 0)):
        pairs = zip(head[own::2], head[zero::2], strict=True)
        plain = sum(high in (0, 4) and (low >= 32 or low in b"\t\r\n\f") for low, high in pairs)
        if plain * 20 >= len(head) // 2 * 19 and _decodes(data, name):
            return name
    return ""


def _wordstar(sample: bytes) -> bool:
    """Nearly every word of three letters has the high bit set on its last one."""
    high = len(_STAR_WORD.findall(sample))
    return high >= 5 and high * 100 >= len(_ASCII_WORD.findall(sample)) * _LIKELY


def _binary(data: bytes) -> bool:
    head = data[:65536]
    end = head.find(b"\x1a")
    if end >= 0 and not head[end:].strip(b"\x1a\0"):
        head = head[:end]  # a DOS file, filled up to a whole block
    if b"\0" in head:
        return True
    odd = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return odd * 100 > len(head)
