"""Inline tags aside while Markdown works: it parses HTML slowly, and would give ours back as they are."""

from __future__ import annotations

import re

# A run of elements that hold plain words only, or a single tag.
_TAGS = re.compile(r"(?:<span[^<>]*>[^<>\\&*_`\[\]{}!\n]*</span>)+|</?(?:span|small|b)(?: [^<>\n]*)?>")
_FIRST, _LAST = 0xE100, 0xF8FF
_TAKEN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_CODE = re.compile(r"(?<!\\)`|^ {4}(?!\s*- )|^~~~|\t", re.MULTILINE)
"""Where a tag may be shown and not meant: code. Tabs go by the column they stand at."""


def put_aside(markdown: str) -> tuple[str, dict[int, str]]:
    """The text with one private character for each tag or run, and what each stands for.

    Nothing is put aside in a text that has code, or such characters of its own.
    """
    if _TAKEN.search(markdown) or _CODE.search(markdown):
        return markdown, {}
    seen: dict[str, str] = {}

    def character(match: re.Match[str]) -> str:
        found = seen.get(match.group())
        if found is None:
            if _FIRST + len(seen) > _LAST:
                return match.group()
            found = seen[match.group()] = chr(_FIRST + len(seen))
        return found

    text = _TAGS.sub(character, markdown)
    return text, {ord(char): tag for tag, char in seen.items()}


def put_back(html: str, aside: dict[int, str]) -> str:
    """The HTML with its tags."""
    return html.translate(aside) if aside else html
