"""What a build notes beside its store, so that the next one works on changed sources only."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kb import kept
from kb.errors import InputError
from kb.pipeline import Notes, SourceNotes
from kb.proposals.words import Spelt, Strange

Write = Callable[[Path, str], bool]


def save(path: Path, build: str, given: str, notes: Notes, write: Write) -> None:
    """Note it for the store of that ``build``; ``given``: a hash of all it is made from but the sources."""
    value = {
        "build": build,
        "given": given,
        "sources": [[name, one.key, one.leads, dict(one.pages)] for name, one in notes.sources.items()],
        "words": {code: [dict(one.counts), one.unknown] for code, one in notes.words.items()},
    }
    write(path, json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n")


def read(path: Path, build: str, given: str, looked: Path | None) -> Notes | None:
    """What is noted of that very store; None when nothing is, or it was made from something else."""
    try:
        value = json.loads(path.read_text("utf-8"))
        if value["build"] != build or value["given"] != given or not build:
            return None
        return _notes(value, kept.Looked(looked, kept.program_hash()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError):
        # What cannot be read is worked out again.
        return None


def forget(path: Path) -> None:
    """Nothing is noted while a store is written. Raises InputError when that cannot be."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; choose another --build") from None


def _notes(value: Mapping[str, Any], looked: kept.Looked) -> Notes:
    sources = {name: SourceNotes(key, leads, pages) for name, key, leads, pages in value["sources"]}
    words = {
        code: Spelt(Counter(counts), [_strange(row) for row in unknown])
        for code, (counts, unknown) in value["words"].items()
    }
    return Notes(sources, looked, words)


def _strange(row: list[Any]) -> Strange:
    ref, source, lines, word, around = row
    return Strange(ref, source, (lines[0], lines[1]) if lines else None, word, around)
