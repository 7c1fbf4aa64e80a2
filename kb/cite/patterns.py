"""The patterns of a citation grammar, made from its word lists: what stands before and after numbers.

As those of ``shapes`` they use only what Python's ``re`` and JavaScript read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kb.cite import shapes
from kb.cite.shapes import ALNUM, GAP, LETTER, SPACE, WIDE, Letters, trie
from kb.errors import ProfileError

OPENS = '(«"“„'
"""What may stand before a word."""
AFTER = 80
"""Code points within which the year of an edition follows a number."""
END = "(?![^\\u0001]|\\u0001)"
"""The end of the text. (``$`` is another thing in Python, where it also stands before a last line break.)"""


def any_of(words: Iterable[str]) -> str:
    """A pattern of any of the words; of none one that never matches."""
    listed = [str(word).lower() for word in words]
    return trie(listed) if listed else "(?!)"


def named(data: Mapping[str, Any]) -> dict[str, str]:
    """What ``<nouns>``, ``<foreign>`` and ``<words>`` stand for in an exported pattern: any word of the
    lexicon that is a noun, names the code of others, or is one at which a citation may begin.

    They are left open in what is exported, as they are long and the lexicon is exported too.
    """
    kinds = {word: entry[0] for word, entry in data["lexicon"].items()}
    idle = frozenset(data["scan"]["idle"])
    return {
        "<nouns>": any_of(word for word, kind in kinds.items() if kind == "noun"),
        "<foreign>": any_of(word for word, kind in kinds.items() if kind == "foreign"),
        "<words>": any_of(word for word, kind in kinds.items() if kind != "cue" and word not in idle),
        "<these>": any_of(word for word, kind in kinds.items() if kind in ("this", "same")),
        "<games>": str(data["games"]) or "(?!)",
    }


def filled(source: str, names: Mapping[str, str]) -> str:
    """An exported pattern with its names filled in."""
    for name, pattern in names.items():
        source = source.replace(name, pattern)
    return source


def acts_of(table: Mapping[str, Any]) -> list[str]:
    """The words that close the capitalised name of a code: ``Gaming Act``."""
    return [str(word) for code in table.get("foreign", []) for word in code.get("acts", [])]


def capitals_of(known: Letters) -> str:
    """The class of the capitals a section can have."""
    return "[" + "".join(ch for ch in known.table if ch.isupper()) + "]"


def loose_of(exact: Iterable[str]) -> str:
    """A pattern of words as they are written, the longest first; of none one that never matches."""
    return "|".join(re.escape(word) for word in sorted(exact, key=lambda w: (-len(w), w))) or "(?!)"


def patterns(
    table: Mapping[str, Any],
    exact: Mapping[str, list[Any]],
    known: Letters,
    words: Mapping[str, Any],
) -> dict[str, str]:
    loose = loose_of(exact)
    signs = any_of(words.get("number_sign", ["№"]))
    joined = any_of(words.get("and", []))
    direction = f"{GAP},?{GAP}(?:{any_of(words.get('direction', []))})"
    adjectives = shapes.exactly(words.get("adjective", []))
    years = "(?:19|20)[0-9]{2}"
    year_word = f"(?:{GAP}(?:{any_of(words.get('year', []))}))?"
    links = any_of(words.get("of", []))
    closers = shapes.exactly(acts_of(table))
    named_alone = f"(?:{shapes.exactly(word for word in acts_of(table) if ' ' in word)})"
    act = (
        f"(?:(?:[A-ZА-ЯЁ][{LETTER}'’&\\-]{{0,30}}{SPACE}{{1,3}}(?:(?:of|and|for|on|the){SPACE}{{1,3}}){{0,2}}){{1,6}}"
        f"(?:{closers})|{named_alone})(?![{LETTER}])"
    )
    return {
        "again": f"(?:{loose})(?={SPACE}?[0-9])",
        "word": "(<nouns>)",
        "lead": f"{GAP}(?:(?:{signs}){GAP})?(?:(?:{any_of(words.get('from', []))}){WIDE})?",
        "dash": f"{GAP}[-–—]{GAP}",
        "sep": (
            f"{GAP}[,;]?{GAP}\\(?(?:{joined}){WIDE}|{GAP},?{GAP}\\(?"
            f"(?:{any_of(words.get('contrast', []))}){WIDE}|{GAP}[,;/&+]{GAP}"
        ),
        "gloss": f"{SPACE}\\((?=[^()0-9\\n]{{0,20}}[{LETTER}]{{4}})[^()0-9\\n]{{4,80}}\\)",
        "joined": joined,
        "typed": f"[ ,@]{{1,3}}({years}){GAP}{END}",
        "soft": f"{GAP}[,;]{GAP}",
        "range": f"{GAP}(?:[-–—\\u2011]|\\.\\.\\.?|…){GAP}|{WIDE}(?:{any_of(words.get('to', []))}){WIDE}",
        "rangeOn": f"{SPACE}?[-–—\\u2011=]{SPACE}?[0-9]",
        "bad": (
            f"[.:][0-9]|/[0-9]{{1,2}}/[0-9]{{2,4}}(?![{ALNUM}])|{SPACE}?[%°@]|[-\\u2011][a-zа-яё]"
            f"|[-\\u2011–—][А-ЯЁ]{{2}}|-(?!L)[A-Z][0-9]|[-\\u2011–—][0-9]{{3}}|\\.[a-z]{{2,4}}(?![{LETTER} ])"
            f"|{SPACE}?[ap]\\.?m(?![{LETTER}])|{SPACE}o['’]c"
        ),
        "direction": direction,
        "next": f"{WIDE}([{LETTER}]+)",
        "more": f"{WIDE}(?:{joined}){WIDE}(?:{any_of(words.get('more', []))})",
        "whole": f"{GAP}(?:(?:{links}){WIDE})?[(\\-–]?({years})(?![0-9])\\)?{year_word}",
        "before": f"\\)?{year_word}[,:]?{GAP}(?:(?:{links}){WIDE})?",
        "of": f"{GAP},?{GAP}(?:(?:{links}){WIDE})?(?:(?:{any_of(words.get('the', []))}){WIDE})?",
        "foreign": (
            f"{GAP}[,(]?{GAP}(?:(?:{links}){WIDE})?(?:(?:{any_of(words.get('the', []))}){WIDE})?"
            f"(?:[{LETTER}]{{3,20}}(?:{adjectives}){WIDE})?(<foreign>)"
        ),
        "act": (
            f"{GAP}[,(]?{GAP}(?:(?:{links}){WIDE})?(?:(?:{any_of(words.get('the', []))}){WIDE})?{act}"
            f"(?:,?{SPACE}(?:of{SPACE})?{years}(?![0-9]))?"
        ),
        "actBefore": f"[A-ZА-ЯЁ][{LETTER}'’&\\-]{{0,30}}{SPACE}{{1,3}}{END}",
        "titled": (
            f"(?:{SPACE}(?:of{SPACE})?[(]?{years}[)]?)?[^.,;:!?()\\n]{{0,60}}?[,(]?{GAP}(?:<nouns>){GAP}(?=[0-9])"
            f"|{SPACE}(?=[0-9])"
        ),
        "placed": f"([{LETTER}]+)(\\.?):?{GAP}{END}",
        "gap": WIDE,
        "country": f"(?:{GAP}(?:{any_of(words.get('country', []))}))?{GAP}[,:.]?{GAP}",
        "previous": f"(?:([{LETTER}]+)\\.?{WIDE})?([{LETTER}]+)(\\.?){GAP}{END}",
        "possessive": f"['’]s{GAP}{END}",
        "paragraph": f"\\n{SPACE}*\\r?\\n",
        "number": "[0-9]{1,4}(?:[.][0-9]{1,3})*",
        "yearSoon": f"[^0-9]{{0,{AFTER}}}{years}",
        "trail": f"\\.(?![{ALNUM}])",
        **around(table, words),
    }


def around(table: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, str]:
    """Patterns for ``kb.cite.setting``; what they read is in lower case, but for ``stop``."""
    setting, friends = table.get("setting", {}), table.get("false_friends", {})
    start = f"(?<![^ \\t\\r\\n\\u00a0\\u2009\\u202f{OPENS}])"
    links = any_of(words.get("of", []))
    return {
        "stop": f'[.!?…][»”")\\]]{{0,3}}{SPACE}{{1,4}}(?=[«“"(–—]?[A-ZА-ЯЁ])|;|\\n{SPACE}*\\r?\\n',
        "game": f"{start}(?:(<games>)|{shapes.exactly(setting.get('own', []))})[{LETTER}]*",
        "denied": (
            f"(?<![{LETTER}])(?:{shapes.exactly(setting.get('denied', []))})"
            f"(?:[^{LETTER}.]{{1,3}}[{LETTER}]{{1,5}})?[^{LETTER}.]{{1,3}}{END}"
        ),
        "touches": f"(?:['’]s)?[ ,:]{{0,2}}{END}",
        "signs": f"(?<![{LETTER}])(?:{shapes.exactly(friends.get('signs', []))})",
        "calls": f"(?<![{LETTER}])(?:{shapes.exactly(friends.get('calls', []))})",
        "talk": f"(?<![{LETTER}])(?:{shapes.exactly(friends.get('talk', []))})",
        "prose": f"[{LETTER}]{{3}}[^\u0001]*[^{LETTER}][{LETTER}]{{3}}[^\u0001]*[^{LETTER}][{LETTER}]{{3}}",
        "sameCode": f"{GAP},?{GAP}(?:(?:{links}){WIDE})?<these>{WIDE}(?:{any_of(setting.get('codes', []))})",
    }


def after(table: Mapping[str, Any], lexicon: Mapping[str, list[Any]], path: Path) -> list[str]:
    """The patterns of ``editions.after``: ``{year}``, ``{whole}``, ``{_}`` a space, ``{o}`` perhaps one."""
    nouns = table.get("noun", [])
    whole = any_of(
        str(word)
        for noun in nouns
        if noun.get("whole")
        for group in ("singular", "plural")
        for word in noun.get(group, [])
    )
    made = []
    for row in table.get("editions", {}).get("after", []):
        source = str(row["pattern"])
        for name, part in (
            ("{year}", "((?:19|20)[0-9]{2})(?![0-9])"),
            ("{whole}", f"(?:{whole})"),
            ("{_}", WIDE),
            ("{o}", GAP),
        ):
            source = source.replace(name, part)
        try:
            compiled = re.compile(source)
        except re.error as error:
            raise ProfileError(
                f"{path}: editions.after {row['pattern']!r} does not compile: {error}"
            ) from None
        for example in row.get("examples", []):
            if not compiled.match(example):
                raise ProfileError(
                    f"{path}: editions.after {row['pattern']!r} fails its own example {example!r}"
                )
        for counter in row.get("counter_examples", []):
            if compiled.match(counter):
                raise ProfileError(f"{path}: editions.after {row['pattern']!r} matches {counter!r}")
        made.append(source)
    return made
