"""Clean prose as Debian's manuals have it: paragraphs of sentences, once each, without their typesetting."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

FOLDERS = {"ru": Path("/usr/share/man/ru"), "en": Path("/usr/share/man")}
_FONTS = re.compile(r"\\f(?:\[\w*\]|\(\w\w|\w)|\\[&%/,:|^)]")
_WORDS_OF = re.compile(r"\.(?:B|I|BR|IR|RB|RI|BI|IB|SM)\s+(.*)")
_SENTENCES = re.compile(r"[A-ZА-ЯЁ][^\t\\]{40,}[.!?:;]")
_CYRILLIC = re.compile(r"[а-яё]")


def prose(lang: str, least: int) -> str:
    """At least so many characters, a paragraph a line with blank ones between; less where there is less."""
    seen: dict[str, None] = {}
    size = 0
    for path in sorted(FOLDERS[lang].glob("man[1-8]/*.gz")):
        for paragraph in _paragraphs(path):
            own = len(_CYRILLIC.findall(paragraph)) * 2 > len(paragraph)
            if paragraph not in seen and own == (lang == "ru") and _SENTENCES.fullmatch(paragraph):
                seen[paragraph] = None
                size += len(paragraph) + 2
        if size >= least:
            break
    return "\n\n".join(seen) + "\n"


def _paragraphs(path: Path) -> Iterator[str]:
    try:
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError, EOFError):
        return  # a link that leads nowhere, an old code page
    said = ""
    for line in [*lines, ""]:
        words = _WORDS_OF.match(line)
        if words or (line and line[0] not in ".'"):
            more = words[1].replace('"', "") if words else line.strip()
            said += more if said.endswith("-") or not said else f" {more}"
            continue
        if said:
            yield " ".join(_FONTS.sub("", said).replace("\\-", "-").replace("\\(aq", "'").split())
        said = ""
