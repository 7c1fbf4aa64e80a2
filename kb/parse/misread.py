"""Numbers as a scanner misreads them: ``З.`` for ``3.``, ``б5`` for ``65``, ``C,`` for ``C.``"""

from __future__ import annotations

import re

_DIGITS = str.maketrans("ЗзОоOolIІ|!бЧSВ", "330000" + "11111" + "6458")
_FIGURE = r"[\dЗзОоOolIІ|!бЧSВ]"
_LISTED = re.compile(rf"(?P<n>\(?{_FIGURE}{{1,3}})(?=\s?[.)]\s*\S)")
_DOTTED = re.compile(rf"(?P<n>{_FIGURE}{{1,3}}\s?[.,]\s?{_FIGURE}{{1,2}})(?=[.)\s])")
_NAMED = re.compile(rf"[^\W\d_]{{3,}}\s+(?:№\s?)?(?P<n>{_FIGURE}{{1,3}})(?=\s?[.:]|\s[-–—]|\s[^\W\d_]|\Z)")
_COMMA = re.compile(r"\(?[^\W_]{1,2}\)?(?P<n>,)(?=\s*\S)")
MISREAD = re.compile(
    rf"\(?{_FIGURE}{{1,3}}\s?[.),]|[^\W\d_]{{3,}}\s+(?:№\s?)?{_FIGURE}{{1,3}}(?!\w)|\(?[^\W_]{{1,2}}\)?,"
)
"""What a line begins with in which `misread` can find anything: most lines do not."""
LOST = re.compile(r"\(\s{0,3}\)(?=\s*\S)")
"""A marker in brackets that lost its figure."""


def misread(value: str) -> str:
    """The line as it may have been meant, of the same length; empty where nothing looks misread.

    A figure that stands for a letter of its shape, in the number at the line's start or behind its first
    word; a comma that stands for the full stop behind a number. Whether it was meant, the caller tells.
    """
    for pattern in (_DOTTED, _LISTED, _NAMED):
        match = pattern.match(value)
        if match:
            start, end = match.span("n")
            meant = value[start:end].translate(_DIGITS)
            if meant != value[start:end] and any(c.isdigit() for c in meant):
                return value[:start] + meant + value[end:]
    comma = _COMMA.match(value)
    return value[: comma.start("n")] + "." + value[comma.end("n") :] if comma else ""
