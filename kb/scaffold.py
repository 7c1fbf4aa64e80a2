"""A corpus of one's own to start from: a commented profile, two tiny sources, and their list."""

from __future__ import annotations

import hashlib
from importlib.resources import as_file, files
from pathlib import Path

from kb.errors import InputError
from kb.publish.files import write

STARTER = "starter"
_WORKS = {
    "rules.txt": ("rules", "Rules of the Tool Library"),
    "notes.txt": ("notes", "The Librarian's Notes"),
}


def scaffold(folder: Path) -> list[Path]:
    """Write the starter corpus into a new or empty folder; the files made, in order.

    Raises InputError, before anything is written, when there is something in the folder already.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder}: not an empty folder; name a new one, nothing was written")
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}; name another folder") from None
    made = []
    with as_file(files("kb") / STARTER) as starter:
        for path in sorted(p for p in starter.rglob("*") if p.is_file()):
            content = path.read_text("utf-8")
            if path.name == "sources.toml":
                content += "\n".join(_source(starter / "sources" / name) for name in sorted(_WORKS))
            target = folder / path.relative_to(starter)
            write(target, content)
            made.append(target)
    return made


def _source(path: Path) -> str:
    work, title = _WORKS[path.name]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return (
        f'[[source]]\nfile = "{path.name}"\nwork = "{work}"\ntitle = "{title}"\n'
        f'origin = "written as a sample"\nsha256 = "{digest}"\n'
    )
