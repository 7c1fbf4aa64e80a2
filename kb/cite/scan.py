"""Where a citation may begin: the signs and words the finder stops at.

``anchors`` is what is exported, read as it stands by ``kb/publish/linker.js``. ``Scan`` puts the same
together so that Python's ``re`` finds it quickest: a class it can run along first, and behind it alternatives
that each begin with a class of their own, which rules most of them out at one sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb.cite import shapes
from kb.cite.patterns import any_of, loose_of
from kb.cite.shapes import ALNUM, LETTER, SPACE, SUPERSCRIPTS, trie

_BEFORE = f"{ALNUM}_#@=\\-"
"""No word or number begins behind these; behind a slash only where a section or a number stands before it."""
_SLASH = "(?<=[0-9A-H)]/)"
_LONGEST = 400
"""More code points than an anchor and what must follow it can have."""


def anchors(
    lexicon: Mapping[str, Sequence[Any]],
    exact: Mapping[str, Any],
    acts: Sequence[str],
    capitals: str,
) -> dict[str, Any]:
    """``edge`` and ``opening`` (what stands before, and the first sign), ``any``: a pattern a kind of anchor,
    ``idle``: words of the lexicon that are none.

    The kinds, in order: words, exact words, years, dotted numbers, numbers before a section, sections before
    a number, brackets, the last words of a code's name.
    """
    others = _others(exact, acts, capitals)
    idle = _idle(lexicon, others[-1])
    words = [word for word in lexicon if lexicon[word][0] != "cue" and word not in idle]
    first = capitals[1:-1] + "".join(word[0] for word in [*exact, *acts])
    return {
        "edge": f"(?:(?<![{_BEFORE}/])|{_SLASH})",
        "opening": f"(?={shapes.opening(words, first)})",
        "any": ["<words>", *others],
        "idle": sorted(idle),
    }


def _idle(lexicon: Mapping[str, Sequence[Any]], closers: str) -> set[str]:
    """The codes at whose name nothing begins: those that only follow a number, and are looked for from there.

    Such a name is still read over as one where something else would begin in it. (A cue is looked for
    backwards, so nothing begins at one either.)
    """
    flags = {word: flag for word, (kind, _, flag) in lexicon.items() if kind == "foreign"}
    telling = [word for word, (kind, *_) in lexicon.items() if kind != "cue" and flags.get(word, True)]
    inner = re.compile(f"(?<![{ALNUM}_])(?:{any_of(telling)}|{closers})", re.IGNORECASE)
    plain = re.compile(f"[{LETTER} ]{{2,}}")
    silent = [word for word, flag in flags.items() if not flag and plain.fullmatch(word)]
    return {word for word in silent if not inner.search(word)}


def _others(exact: Mapping[str, Any], acts: Sequence[str], capitals: str) -> list[str]:
    return [
        f"(?:{loose_of(exact)})(?={SPACE}?[0-9])",
        "(?:19|20)[0-9]{2}(?![0-9])",
        f"[0-9]{{1,3}}[{SUPERSCRIPTS}]*(?={SPACE}?\\.{SPACE}?[0-9])",
        f"[0-9]{{1,3}}(?={capitals}(?![{LETTER}]))",
        f"{capitals}(?=[0-9]{{1,2}}[ (\\u00a0])",
        f"\\((?=[{LETTER}]{{1,5}}\\))",
        f"(?:{shapes.exactly(acts)})(?![{LETTER}])",
    ]


class Scan:
    """Finds the anchors of a text, one after the other. ``pattern`` begins with the sign before an anchor."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        by_sign: dict[str, list[str]] = {}
        idle = frozenset(data["scan"]["idle"])
        for word, entry in data["lexicon"].items():
            if entry[0] != "cue" and word not in idle:
                by_sign.setdefault(word[0], []).append(word)
        words = [trie(some) for some in by_sign.values()] or ["(?!)"]
        others = data["scan"]["any"][1:]
        signs = sorted({sign for first_sign in by_sign for sign in (first_sign, first_sign.upper())})
        opens = "".join(map(re.escape, signs)) or "0"
        rest = "|".join(f"{source}()" for source in others)
        self.pattern = re.compile(
            f"[^{_BEFORE}](?:(?<!/)|{_SLASH}){data['scan']['opening']}"
            f"(?:(?=[{opens}])(?:{'()|'.join(words)}())|{rest})"
        )
        self.kinds: tuple[int, ...] = (0, *(0 for _ in words), *range(1, len(others) + 1))
        """Group that matched -> kind of anchor, in the order of ``anchors``."""

    def first(self, text: str) -> tuple[int, int] | None:
        """Kind and end of an anchor at the very beginning of the text, where no sign stands before it."""
        found = self.pattern.match("\n" + text[:_LONGEST])
        return (self.kinds[found.lastindex or 0], found.end() - 1) if found else None


def runs(words: Iterable[str]) -> set[str]:
    """The letters words begin with: ``by`` of ``by-laws``."""
    return {found.group().lower() for word in words if (found := re.match(f"[{LETTER}]+", word))}
