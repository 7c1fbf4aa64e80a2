"""Words broken at line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from kb.patterns import on_lines
from kb.repair.damage import Damage, likely
from kb.tables import table_runs, within
from kb.text import Text

# A pattern that begins with the sign it is after, and looks behind it only then, is found ten times as fast.
_BREAK = re.compile(
    r"[-‐¬\u2011–_=](?<=[^\W_].)[ \t\xa0]*\n[ \t\xa0]*(?=[^\W\d_])(?=(\w+)[^\s]*([ \t\xa0]+)?)"
)
_HYPHENS = "-‐¬\u2011–_="
_SIGNS = "–_="
"""What stands for a hyphen only where the dictionary knows the joined word."""
_LINE_END = re.compile(r"\n(?:[ \t\xa0]*\n)?[ \t\xa0]*([^\W\d_A-ZА-ЯЁ]\w++)(?!-)")
"""And a word of two letters at least that begins with no capital, or with one of an odd alphabet."""
_PLAIN_INSIDE = re.compile(r"-(?<=[^\W\d_]-)[ \t\xa0]{1,3}(?=[^\W\d_])")
_INSIDE = re.compile(r"[-¬](?<=[^\W\d_].)[ \t\xa0]{1,3}(?=[^\W\d_])")
_BROKEN = re.compile(r"[-‐¬](?<=\w.)[ \t\xa0]*\n[ \t\xa0]*\w+")
_AFTER = re.compile(r"(?P<word>\w+)(?P<rest>[^\s]*)(?P<gap>[ \t\xa0]+)?")
_WORD = re.compile(r"\w+(?:-\w+)*")
_SPACED = re.compile(r"(?<![\w])[^\W\d_](?:[ \xa0][^\W\d_]){3,}(?![^\W_])(?![ \xa0][^\W\d_](?!\w))")
_SPACED_SIGN = re.compile(r"[ \xa0][^\W\d_](?=[ \xa0][^\W\d_][ \xa0])")
_PLAINLY_SPACED = re.compile(r" [^\W\d_] [^\W\d_] ")
"""The same where all blanks are plain: what begins with one sign is found faster than with a set of them."""
_OFTEN = 5
"""Times that a letter stands for its look-alike inside words, from which on it does in words of its own."""
_MANY, _SAMPLE = 200, 20_000
"""Characters for each place where two scripts meet, from which on it is looked for line by line; and in how
many this is counted."""
_LATIN = re.compile(r"[A-Za-z]")


class _Counts:
    """How often the text has a word, small letters; counted when first asked, for most texts never."""

    def __init__(self, value: str) -> None:
        self.value = value

    @cached_property
    def words(self) -> Counter[str]:
        value = self.value.lower()
        whole: list[str] = []  # the halves of a broken word are no words of the text
        done = 0
        for broken in _BROKEN.finditer(value):
            start = broken.start()
            while start > done and (value[start - 1].isalnum() or value[start - 1] == "_"):
                start -= 1
            if start < broken.start():
                whole.append(value[done:start])
                done = broken.end()
        return Counter(_WORD.findall(" ".join([*whole, value[done:]])))

    def __getitem__(self, word: str) -> int:
        return self.words[word]


def hyphenation(text: Text, damage: Damage) -> Text:
    """``воп-/рос разыгрывающему`` -> ``вопрос/разыгрывающему``: the word whole, the line end after it.

    A true hyphen stays: ``какой-/нибудь`` -> ``какой-нибудь``. The dictionary of the language decides (the
    joined word, else the hyphened one), else what the text itself writes elsewhere, else the word is
    joined. Never across a page gap, nor before a digit; before a capital only a word all in capitals that
    the dictionary knows joined.
    """
    counts = _Counts(text.value)
    tables = text.derived(table_runs)
    runs: list[tuple[int, int, str]] = []
    value = text.value
    kept: dict[tuple[str, str], bool] = {}
    for match in _BREAK.finditer(value):
        start, end = match.span()
        first, second = word_before(value, start), match[1]
        if not first or (tables and within(start, tables)):
            continue
        if not second[0].islower() and not _in_capitals(first, second, damage):
            continue
        if value[start] in _SIGNS and not _known(f"{first.rpartition('-')[2]}{second}".lower(), damage):
            continue
        keep = kept.get((first, second))
        if keep is None:
            keep = kept[first, second] = _true_hyphen(first, second, damage, counts)
        runs.append((start + 1, end, "") if keep else (start, end, ""))
        gap, behind = match.span(2)
        # A line end behind another hyphen would make a break of it.
        if gap < behind and value[gap - 1] not in _HYPHENS:
            runs.append((gap, behind, "\n"))
    return text.replace_runs(runs, "hyphenation")


def split_words(text: Text, damage: Damage) -> Text:
    """``утверждения нака / зания`` -> ``наказания``: a break whose hyphen an earlier program took.

    Only where the dictionary knows the joined word and not both of its halves.
    """
    runs: list[tuple[int, int, str]] = []
    value, known = text.value, damage.lang.known
    for match in _LINE_END.finditer(value):
        second = match[1]
        if not second[0].islower():
            continue
        start = match.start()
        while start and value[start - 1] in " \t\xa0":
            start -= 1
        first = word_before(value, start)
        if len(first) < 2 or "-" in first or not known(first + second):
            continue
        if False in (known(first), known(second)):
            runs.append((start, match.start(1), ""))
    return text.replace_runs(runs, "split-word")


def hyphen_space(text: Text, damage: Damage) -> Text:
    """``нару- шителя`` -> ``нарушителя``: a line was joined, the hyphen of its break left inside the word.

    Only where the dictionary, or the text elsewhere, knows the word; ``одно- и двухместный`` stays, and so
    does a dash between spaces.
    """
    counts = _Counts(text.value)
    runs: list[tuple[int, int, str]] = []
    for match in (_INSIDE if "¬" in text.value else _PLAIN_INSIDE).finditer(text.value):
        start, end = match.span()
        first, after = word_before(text.value, start), _AFTER.match(text.value, end)
        second = after.group("word") if after else ""
        if len(first) < 2 or len(second) < 2 or "-" in first or not second[0].islower():
            continue
        whole, hyphened = f"{first}{second}".lower(), f"{first}-{second}".lower()
        known = _known(whole, damage)
        if known or (known is None and counts[whole]):
            runs.append((start, end, ""))
        elif _known(hyphened, damage) or counts[hyphened] > counts[whole]:
            runs.append((start + 1, end, ""))
    return text.replace_runs(runs if likely(text, len(runs), damage) else (), "hyphen-space")


def letter_spacing(text: Text, damage: Damage) -> Text:
    """``П Р А В И Л О  65`` -> ``ПРАВИЛО  65``: a typist's emphasis.

    Four letters and more with one space between, where the dictionary knows the word; words are parted by
    more than one space. ``A B C D`` stays.
    """

    def joined(match: re.Match[str]) -> str:
        word = match.group().replace(" ", "").replace("\xa0", "")
        return word if damage.lang.known(word.lower()) else match.group()

    sign = _SPACED_SIGN if "\xa0" in text.value else _PLAINLY_SPACED
    return text.sub_matches(on_lines(_SPACED, sign, text.value), joined, "letter-spacing")


def substituted_letters(text: Text, damage: Damage) -> Text:
    """``е„``, a sign that stands for a letter the code page lost -> the letter: ``счёт`` from ``сч„т``.

    Only behind a letter, and alone: an opening quotation mark stands before a word, two stand for nothing.
    """
    for sign, letter in damage.substitutes.items():
        if sign not in text.value:
            continue
        runs = [
            (at.start(), at.end(), letter.upper() if text.value[at.start() - 1].isupper() else letter)
            for at in re.finditer(rf"(?<=[^\W\d_]){re.escape(sign)}(?!{re.escape(sign)})", text.value)
        ]
        text = text.replace_runs(runs, "substituted-letter")
    return text


def lost_letters(text: Text, damage: Damage) -> Text:
    """``уч?т`` -> ``учёт``: a question mark for a letter that the code page had not.

    Where three stand inside words. Each counts where the dictionary knows the word with one of the letters
    that the profile says get lost; at a word's end only where the word goes on without it being one, or the
    sentence does.
    """
    letters = sorted(set(damage.substitutes.values()))
    own = damage.lang.alphabet
    if "?" not in text.value or not letters or not own:
        return text
    own += own.upper()
    inside = len(re.findall(rf"\?(?<=[{own}]\?)(?=[{own}])", text.value))
    if not inside or (inside < 3 and not any(edit.rule == "lost-letter" for edit in text.edits)):
        return text

    def meant(match: re.Match[str]) -> str:
        word = match.group()
        asked = "?" if word.endswith("?") and word.count("?") > 1 else ""  # ``уч?т?``
        word = word.removesuffix(asked)
        for letter in letters:
            whole = word.replace("?", letter)
            if not damage.lang.known(whole.lower()):
                continue
            goes_on = text.value[match.end() : match.end() + 20].lstrip()[:1].islower()
            if "?" in word[:-1] or goes_on or not damage.lang.known(word[:-1].lower()):
                return (whole.upper() if len(word) > 2 and word.isupper() else whole) + asked
        return word + asked

    return text.sub(rf"(?<![\w?])(?=\??[{own}])[{own}?]*\?(?!\?)[{own}]*(?![\w?])", meant, "lost-letter")


def mixed_scripts(text: Text, damage: Damage) -> Text:
    """``игpок`` with a Latin p, ``Lаw`` with a Cyrillic а -> one script.

    A word of three letters and more, without digits: a letter that only one of the scripts has decides,
    when its script has most of the word; where none has, the dictionary. ``UIDов``, in which both scripts
    have letters of their own, stays.
    """
    if text.value.isascii() or not damage.lang.look_alikes:
        return text
    to_latin = {ord(own): latin for own, latin in damage.lang.look_alikes.items()}
    to_own = {ord(latin): own for own, latin in damage.lang.look_alikes.items()}
    own_letters = set(damage.lang.alphabet) | set(damage.lang.alphabet.upper())

    def one_script(word: str) -> str:
        own = [c for c in word if c in own_letters]
        latin = [c for c in word if c.isascii()]
        if not own or not latin or len(own) + len(latin) < len(word):
            return word
        as_own = all(ord(c) in to_own for c in latin)
        as_latin = all(ord(c) in to_latin for c in own)
        most = len(latin) <= len(own)
        if as_own and (
            (most and not as_latin) or ((most or not as_latin) and damage.lang.known(word.translate(to_own)))
        ):
            return word.translate(to_own)
        few = len(own) * 2 <= len(latin)
        if as_latin and few and not as_own:
            return word.translate(to_latin)
        if most and len(own) > 1 and all(ord(c) in to_own or c in damage.lang.slanted for c in latin):
            meant = "".join(damage.lang.slanted.get(c, c) for c in word).translate(to_own)
            return meant if damage.lang.known(meant.lower()) else word
        return word

    meant: dict[str, tuple[tuple[int, str], ...]] = {}
    runs: list[tuple[int, int, str]] = []
    others: list[int] = []
    value = text.value
    for match in _of_two_scripts(value, "".join(sorted(own_letters))):
        start, word = match.start(), match[0]
        changed = meant.get(word)
        if changed is None:
            changed = meant[word] = _letters_changed(word, one_script(word)) if len(word) >= 3 else ()
        if not changed:
            others.append(start)
        elif not start or not value[start - 1].isalpha():
            for at, letter in changed:
                place = start + at
                runs.append((place, place + 1, letter))
    more = list(_latin_throughout(value, runs, others, to_own, damage))
    if more:
        runs = sorted([*runs, *more])
    return text.replace_runs(runs if likely(text, len(runs), damage) else (), "mixed-scripts")


def _of_two_scripts(value: str, own: str) -> Iterator[re.Match[str]]:
    """Words that have Latin letters and others."""
    meeting, words = _meetings(own)
    sample = min(len(value), _SAMPLE)
    if len(meeting.findall(value, 0, sample)) * _MANY < sample:
        return on_lines(words, meeting, value)
    return words.finditer(value)


@lru_cache(maxsize=8)
def _meetings(own: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A Latin letter beside one of these; a word in which there is one (before it may be other letters)."""
    both = f"(?:[{own}]++[A-Za-z]|[A-Za-z]++[{own}])"
    return (
        re.compile(rf"[A-Za-z](?:(?=[{own}])|(?<=[{own}].))"),
        re.compile(rf"(?<![A-Za-z{own}]){both}[A-Za-z{own}]*+(?![^\W\d_])"),
    )


def _latin_throughout(
    value: str,
    done: list[tuple[int, int, str]],
    others: list[int],
    to_own: Mapping[int, str],
    damage: Damage,
) -> Iterator[tuple[int, int, str]]:
    """``ход c руки``, ``мecтo``: words with hardly a letter of their own script, in a copy full of such.

    Of small letters that it has again and again inside words of that script, where the dictionary knows the
    word, and words of the script go on. ``others``: words of both scripts that were left.
    """
    often = Counter([value[at] for at, _, _ in done])
    latin = "".join(c for c in sorted(often) if often[c] >= _OFTEN and c.isascii() and c.isalpha())
    letters = "".join(filter(str.islower, latin))
    if not latin:
        return
    either = f"{damage.lang.alphabet}{damage.lang.alphabet.upper()}{latin}"
    follows = re.compile(rf"[^\w.)]*[{either}]")
    whole = re.compile(rf"(?<![\w-])[{either}]*+(?!\w)")
    found = [(match.start(), match.group()) for start in others if (match := whole.match(value, start))]
    if letters:
        alone = re.compile(rf"[{letters}](?<![\w-].)[{letters}]*+(?!\w)")
        found += [(match.start(), match.group()) for match in alone.finditer(value)]
    for start, word in found:
        end, new = start + len(word), word.translate(to_own)
        if new == word or not damage.lang.known(new.lower()):
            continue
        if word.isascii():  # nothing within tells: the words behind have to
            small = value[end : end + 1].isspace() and value[end : end + 20].lstrip()[:1].islower()
            if not follows.match(value, end) or (end - start < 3 and not small):
                continue
        for at, letter in _letters_changed(word, new):
            yield start + at, start + at + 1, letter


def _letters_changed(word: str, new: str) -> tuple[tuple[int, str], ...]:
    """Where a word of the same length has another letter: an edit touches only what changed."""
    return tuple((at, letter) for at, letter in enumerate(new) if word[at] != letter)


def word_before(value: str, end: int) -> str:
    """The word, with its hyphens, that ends at a place."""
    near = value[max(0, end - 30) : end]
    if near[-1:].isspace():
        return ""
    words = near.rsplit(None, 1)
    if len(words) == 2 and words[1].isalpha():  # most are
        return words[1]
    start = end
    while start and (value[start - 1].isalnum() or value[start - 1] in "-_"):
        start -= 1
    return value[start:end].lstrip("-")


def _known(word: str, damage: Damage) -> bool | None:
    """Does the dictionary have the word, or what it is when its Latin letters are those of its own script."""
    known = damage.lang.known(word)
    if known is not False or word.isascii() or not _LATIN.search(word):
        return known
    return damage.lang.known(damage.lang.from_latin(word))


def _in_capitals(first: str, second: str, damage: Damage) -> bool:
    """``ТРЕБУЕ-`` and ``МЫЙ``: in a text of capitals nothing else tells."""
    whole = f"{first}{second}"
    return len(first) > 1 < len(second) and whole.isupper() and bool(damage.lang.known(whole.lower()))


def _true_hyphen(first: str, second: str, damage: Damage, counts: _Counts) -> bool:
    last = first.rpartition("-")[2]
    if _known(f"{last}{second}".lower(), damage):
        return False
    whole, hyphened = f"{first}{second}".lower(), f"{first}-{second}".lower()
    if _known(hyphened, damage):
        return True
    if counts[whole] != counts[hyphened]:
        return counts[hyphened] > counts[whole]
    if damage.lang.known(second) is None:  # no dictionary: the text's own words
        return bool(counts[last.lower()] and counts[second.lower()])
    return bool(damage.lang.known(last) and damage.lang.known(second))
