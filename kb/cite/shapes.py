"""From the levels of a work to the patterns of its numbers: ``65B1(a)``, ``§ 1 (1) a)``, ``65.3.(ii)``.

The patterns use only what Python's ``re`` and JavaScript read the same way: explicit classes instead of
``\\w`` and ``\\d``, no named groups, no flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LETTER = "A-Za-zА-Яа-яЁёІі"
ALNUM = f"0-9{LETTER}"
SPACE = "[ \\t\\u00a0\\u2009\\u202f]"
GAP = f"{SPACE}{{0,4}}(?:\\r?\\n{SPACE}{{0,8}})?"
"""White space that may be missing, over one line break at most: a blank line ends a citation."""
WIDE = f"(?:{SPACE}{{1,4}}(?:\\r?\\n{SPACE}{{0,8}})?|\\r?\\n{SPACE}{{0,8}})"
"""White space that must be there."""
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGITS = re.compile("[0-9]+")
_ROMAN = "ivxIVXіІ"


@dataclass(frozen=True, slots=True)
class Letters:
    """What may stand for a letter of a provision.

    ``table`` maps every accepted character to its Latin capital; ``words`` are the letters that are also
    words, which never count when a space stands before them and a word after.
    """

    table: Mapping[str, str]
    words: frozenset[str]
    alone: str = f"(?!{SPACE}{{0,3}}[a-zа-яё])"
    """A pattern: what follows does not make a word of the letter before it."""
    listed: str = "(?!)"
    """A pattern of what stands before a letter that is no word, whatever follows: ``А–``, «и»."""

    def plain(self, raw: str, numbering: str) -> str:
        """A step as it stands in a ref: ``(с)`` under ``upper`` is ``C``, under ``lower`` ``c``."""
        kept = "".join(ch for ch in raw if ch.isalnum())
        if numbering == "arabic":
            return "-".join(_DIGITS.findall(raw))
        if numbering in ("roman", "lower-roman", "extra"):
            kept = kept.translate(str.maketrans("іІ", "iI"))
            return kept.upper() if numbering == "roman" else kept.lower()
        latin = "".join(self.table.get(ch, ch) for ch in kept)
        return latin.upper() if numbering == "upper" else latin.lower()


def letters(
    section: str,
    lookalike: Mapping[str, str],
    sound: Mapping[str, str],
    words: Iterable[str],
    joined: str = "(?!)",
    conjunctions: Iterable[str] = (),
) -> Letters:
    """Letters accepted within ``section`` (a class such as ``A-H``): themselves, look-alikes, then sounds.

    ``joined``: a pattern of the words that may follow a letter without making a word of it;
    ``conjunctions``: those before which a letter stands too. A capital behind one is a letter.
    """
    inside = re.compile(f"[{section}]")
    table: dict[str, str] = {}
    for source in (sound, lookalike):  # a look-alike wins over a sound
        table |= {ch: latin for ch, latin in source.items() if inside.match(latin)}
    for code in range(ord("A"), ord("Z") + 1):
        if inside.match(chr(code)):
            table |= {chr(code): chr(code), chr(code).lower(): chr(code)}
    alone = f"(?!{SPACE}{{0,3}}(?!{joined})[a-zа-яё])"
    behind = [f"(?<=[{ALNUM})][-–—\\u2011/])", *(f"(?<= {re.escape(word)} )" for word in conjunctions)]
    return Letters(dict(sorted(table.items())), frozenset(words), alone, "|".join(behind))


@dataclass(frozen=True, slots=True)
class Shape:
    """How the numbers of one work read: the numbering of each step and the patterns.

    ``provision``: one group a step, the first the root number, the second its superscript.
    ``relative``: one group a step below the root. ``query``: as ``provision``, for what a person types.
    ``dotted``: groups root, number, then one a further step; empty when the work has no dotted level.
    """

    steps: tuple[str, ...]
    provision: str
    query: str
    relative: str
    dotted: str
    typed: str
    """As ``dotted``, for what a person types."""
    bare: str


def shape(
    numberings: Iterable[str], known: Letters, half_brackets: bool, extra: bool, inserted: bool = False
) -> Shape:
    """The patterns for levels numbered so, from the root down.

    ``half_brackets``: ``a)`` closes a step without an opening bracket. ``extra``: one more bracketed step
    than the profile has levels, ``12C1(b)(ii)``, is read too. ``inserted``: so are ``2(1)``, a number
    behind 2, and ``12A`` behind 12.
    """
    steps = list(numberings)
    behind = "(?:\\([0-9]{1,2}\\))?" if inserted else ""
    is_dotted = "dotted" in steps
    deeper = steps[steps.index("dotted") + 1 :] if is_dotted else steps[1:]
    if extra and not is_dotted:
        deeper = [*deeper, "extra"]
    # 12A stands behind 12, where no section A may be meant.
    lettered = f"|[A-Z](?![{LETTER}])" if inserted and "upper" not in deeper else ""
    root = f"([0-9]{{1,3}})([{SUPERSCRIPTS}]+{lettered}|)(?![0-9])"
    end = f"(?![{ALNUM}_])"
    below = [_step(kind, known, half_brackets, behind=behind) for kind in deeper]
    loose = [_loose(kind, known, behind) for kind in deeper]
    first = [_first(kind, known, behind) for kind in deeper]
    relative = "|".join(_nested([first[at], *below[at + 1 :]], at) for at in range(len(first)))
    # Each start has groups of its own; the finder counts them.
    dotted = typed = ""
    if is_dotted:
        gap = f"{SPACE}?"
        tail = _nested_tail([f"\\.?{gap}{_step(kind, known, half_brackets, tight=True)}" for kind in deeper])
        numbers = f"([0-9]{{1,3}}[{SUPERSCRIPTS}]*){gap}\\.{gap}([0-9]{{1,2}}{behind})"
        dotted = f"{numbers}(?![0-9]|\\.[0-9]|[.,][0-9]){tail}(?![{ALNUM}_]|{gap}%)"
        typed = f"{numbers}(?![0-9]){_nested_tail(loose)}{end}"
    return Shape(
        steps=(steps[0], *(["dotted"] if is_dotted else []), *deeper),
        provision=root + (end if is_dotted else _nested_tail(below) + end),
        query=root + (end if is_dotted else _nested_tail(loose) + end),
        relative=f"(?:{relative}){end}" if relative else "",
        dotted=dotted,
        typed=typed,
        bare=_bare(known) if deeper and not is_dotted and deeper[0] == "upper" else "",
    )


def _nested_tail(steps: list[str]) -> str:
    pattern = ""
    for step in reversed(steps):
        pattern = f"(?:({step}){pattern})?"
    return pattern


def _nested(steps: list[str], at: int) -> str:
    """A run of steps that starts at depth ``at``: its first step must be there."""
    return f"({steps[0]}){_nested_tail(steps[1:])}"


def _class(chars: Iterable[str]) -> str:
    return "[" + "".join(sorted(chars)) + "]"


def _step(kind: str, known: Letters, half: bool, tight: bool = False, behind: str = "") -> str:
    """A step that follows another one."""
    stop = f"(?![{LETTER}])"
    gap = "" if tight else f"{SPACE}?"
    close = "\\)"
    if kind == "arabic":
        forms = [
            f"[.\\-\\u2011]?[0-9]{{1,2}}(?![0-9]){behind}",
            f"{gap}\\([0-9]{{1,2}}{close}",
            f"{SPACE}[0-9]{{1,2}}(?![0-9]){behind}",
        ]
        token = "[0-9]{1,2}"
    elif kind == "upper":
        token = _class(known.table)
        capitals = [ch for ch in known.table if ch.isupper()]
        safe = [ch for ch in known.table if ch not in known.words]
        word = _class(ch for ch in capitals if ch in known.words)
        no_word = known.alone
        forms = [
            f"{token}{stop}",
            f"[.\\-\\u2011]{_class(ch for ch in capitals if ch not in known.words)}{stop}",
            f"[.\\-\\u2011]{word}{stop}{no_word}",
            f"{gap}\\({SPACE}?{token}{SPACE}?{close}",
            f"{SPACE}{_class(safe)}{stop}",
            f"{SPACE}{word}{stop}{no_word}",
        ]
    elif kind == "lower":
        token = _class(known.table)
        forms = [f"\\.?{token}{stop}", f"\\.?{gap}\\({SPACE}?{token}{SPACE}?{close}"]
    elif kind == "extra":
        token = f"(?:[{_ROMAN}]{{1,5}}|[0-9]{{1,2}})"
        forms = [f"{gap}\\({token}\\)"]
    else:  # roman numbers stand in brackets, or their letters would be taken for sections
        token = f"[{_ROMAN}]{{1,5}}"
        forms = [f"{gap}\\({token}\\)"]
    if half:
        forms.insert(0, f"{gap}{token}\\)")
    return "(?:" + "|".join(forms) + ")"


def _first(kind: str, known: Letters, behind: str = "") -> str:
    """A step that opens a relative citation: ``B1(a)``, ``«B»``, ``2)``, ``(ii)``."""
    stop = f"(?![{LETTER}])"
    if kind == "upper":
        capitals = _class(ch for ch in known.table if ch.isupper())
        word = _class(ch for ch in known.table if ch.isupper() and ch in known.words)
        return f'(?:[«"“]{capitals}[»"”]|(?:{known.listed}|(?!{word}(?!{known.alone}))){capitals}{stop})'
    if kind == "arabic":
        return f"(?:\\([0-9]{{1,2}}\\)|[0-9]{{1,2}}{behind}\\)?(?![0-9]|[.,][0-9]))"
    if kind == "lower":
        small = _class(ch for ch in known.table if ch.islower())
        return f'(?:\\({_class(known.table)}\\)|[«"“]{small}[»"”]|{small}\\)?{stop})'
    if kind == "extra":
        return f"\\([{_ROMAN}]{{1,5}}\\)"
    return f"(?:\\([{_ROMAN}]{{1,5}}\\)|[{_ROMAN}]{{1,5}}\\)?{stop})"


def _loose(kind: str, known: Letters, behind: str = "") -> str:
    """A step as typed into a search box: any separators, any case, brackets or none."""
    between = f"(?:{SPACE}|[.:/_(\\-\\u2011]){{0,3}}"
    if kind == "arabic":
        return f"{between}[0-9]{{1,2}}(?![0-9]){behind}\\)?"
    if kind == "upper":
        # Any capital, so that a section which does not exist is known as one: ``61Z``.
        return f"(?:{between}{_class(known.table)}|[.:/_(\\-\\u2011]?[A-Z])(?![{LETTER}])\\)?"
    if kind == "lower":
        return f"{between}{_class(known.table)}(?![{LETTER}])\\)?"
    return f"{between}(?:[{_ROMAN}]{{1,5}}|[0-9]{{1,2}})\\)?"


def _bare(known: Letters) -> str:
    """``27B1``, ``27B1(a)``: without a noun only so much is distinctive."""
    capitals = _class(ch for ch in known.table if ch.isupper())
    return f"[0-9]{{1,3}}{capitals}[0-9]{{1,2}}(?:\\([A-Za-zА-Яа-я]\\))?(?![{ALNUM}_])"


def trie(words: Iterable[str]) -> str:
    """A pattern of any of the words, in any case, the longest first."""
    root: dict[str, dict[str, object]] = {}
    for word in words:
        node: dict[str, dict[str, object]] = root
        for ch in word:
            node = node.setdefault(ch, {})  # type: ignore[assignment]
        node[""] = {}
    return _trie(root)


def _trie(node: Mapping[str, object], last: str = "") -> str:
    options = [
        _any_case(ch) + _trie(node[ch], ch)  # type: ignore[arg-type]
        for ch in sorted(key for key in node if key)
    ]
    if "" in node:
        # A word ends here: no letter may follow one that ends in a letter.
        options.append(f"(?![{LETTER}])" if last.isalpha() else "")
    return options[0] if len(options) == 1 else "(?:" + "|".join(options) + ")"


def _any_case(ch: str) -> str:
    if ch == " ":
        return WIDE
    if ch.lower() != ch.upper() and len(ch.upper()) == 1:
        return f"[{ch.upper()}{ch.lower()}]"
    return re.escape(ch)


def exactly(words: Iterable[str]) -> str:
    """A pattern of any of the words as they are written; of none one that never matches."""
    return "|".join(re.escape(word) for word in sorted(set(words))) or "(?!)"


def opening(words: Iterable[str], more: str) -> str:
    """A class of the signs that words or ``more`` begin with, in any case, and of those of numbers."""
    signs = {sign for word in words for sign in (word[0].lower(), word[0].upper())}
    return "[0-9(" + "".join(re.escape(sign) for sign in sorted({*signs, *more})) + "]"
