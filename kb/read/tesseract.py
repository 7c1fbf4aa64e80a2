"""Tesseract, run as a program: one page in, its words with their boxes out."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import InputError, MissingExtra
from kb.read import bounds

if TYPE_CHECKING:
    from PIL.Image import Image

PROGRAM = "tesseract"
_NAMES = {"ru": "rus", "en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "nl": "nld"}
_NAMES |= {"pl": "pol", "uk": "ukr", "be": "bel", "bg": "bul", "cs": "ces", "pt": "por", "sv": "swe"}
"""ISO 639-1 to Tesseract's names, where they differ from a guess."""
_SURE_TURN = 2.0
"""Tesseract's confidence from which on its word on the turn of a page is taken."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as read: its line (block, paragraph, line on the page) and its box."""

    line: tuple[int, int, int]
    text: str
    box: Box


class Engine:
    """Tesseract for one language of sources, English beside it: with the language alone, section letters
    and Roman numerals are read as letters of its own alphabet."""

    def __init__(self, lang: str, where: str, cache: Path | None = None) -> None:
        self.where = where
        self.cache = cache
        """Folder in which what the program said is kept, under the hash of all that decides it."""
        short = lang.partition("-")[0]
        wanted = list(dict.fromkeys([_NAMES.get(short, short), "eng"]))
        known = _languages()
        if known is None:
            raise MissingExtra(
                f"{where}: images need Tesseract (apt-get install tesseract-ocr tesseract-ocr-rus)"
            )
        for name in wanted:
            if name not in known:
                raise MissingExtra(
                    f"{where}: Tesseract has no data for {name} (apt-get install tesseract-ocr-{name})"
                )
        self.langs = "+".join(wanted)
        self.turns = "osd" in known

    @property
    def name(self) -> str:
        """How a text got here, in the place of an encoding."""
        return f"tesseract {self.langs}"

    def turn(self, image: Image) -> int:
        """Degrees clockwise by which a page must be turned; 0 where Tesseract cannot tell."""
        if not self.turns:
            return 0
        said = self._run(image, ["--psm", "0"], check=False)
        found = dict(line.split(":", 1) for line in said.splitlines() if ":" in line)
        try:
            degrees, sure = int(found["Rotate"]), float(found["Orientation confidence"])
        except (KeyError, ValueError):
            return 0  # too few letters to tell
        return degrees if sure >= _SURE_TURN else 0

    def words(self, image: Image) -> list[Word]:
        """The words of a page, in reading order."""
        said = self._run(image, ["-l", self.langs, "--psm", "3", "tsv"])
        words = []
        for row in said.splitlines()[1:]:
            cells = row.split("\t")
            if len(cells) == 12 and cells[0] == "5" and cells[11].strip():
                block, paragraph, line = (int(cell) for cell in cells[2:5])
                left, top, width, height = (int(cell) for cell in cells[6:10])
                words.append(
                    Word((block, paragraph, line), cells[11].strip(), (left, top, left + width, top + height))
                )
        return words

    def _run(self, image: Image, options: Sequence[str], check: bool = True) -> str:
        from kb.read.image import png

        page = png(image)
        kept = self._kept(page, options)
        said = _read(kept)
        if said is not None:
            return said
        command = [PROGRAM, "stdin", "stdout", "--dpi", "300", *options]
        # More threads than one make a page seven times slower.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        try:
            done = subprocess.run(
                command,
                input=page,
                capture_output=True,
                env=environment,
                timeout=bounds.OCR_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError(
                f"{self.where}: a page took more than {bounds.OCR_SECONDS} seconds to read (scan it smaller)"
            ) from None
        if done.returncode and check:
            said = bounds.one_line(done.stderr.decode("utf-8", "replace"))
            raise InputError(f"{self.where}: Tesseract failed: {said}")
        said = done.stdout.decode("utf-8", "replace") if not done.returncode else ""
        _write(kept, said)
        return said

    def _kept(self, page: bytes, options: Sequence[str]) -> Path | None:
        """Where the answer to this very question is kept; None where none is."""
        if self.cache is None:
            return None
        asked = "\0".join([_version(), self.langs, *options]).encode()
        return self.cache / f"{hashlib.sha256(hashlib.sha256(page).digest() + asked).hexdigest()}.txt"


def _read(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path | None, said: str) -> None:
    """Keep an answer. That it could not be kept is no error: it is asked again the next time."""
    if path is None:
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(said.encode())
        os.replace(draft, path)
    with suppress(OSError):
        draft.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _version() -> str:
    """The program's name and version: another one reads otherwise."""
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, check=False, timeout=60)
    return (done.stdout + done.stderr).decode("utf-8", "replace").partition("\n")[0]


def lines(words: Sequence[Word]) -> tuple[str, list[tuple[int, int, Box]]]:
    """The words as lines of text, a blank one between paragraphs, and the run of each with its box."""
    pieces: list[str] = []
    places: list[tuple[int, int, Box]] = []
    at = 0
    before: tuple[int, int, int] | None = None
    for word in words:
        if before is None:
            gap = ""
        elif word.line == before:
            gap = " "
        else:
            gap = "\n" if word.line[:2] == before[:2] else "\n\n"
        pieces += [gap, word.text]
        at += len(gap)
        places.append((at, at + len(word.text), word.box))
        at += len(word.text)
        before = word.line
    return "".join([*pieces, "\n"] if pieces else pieces), places


@lru_cache(maxsize=1)
def _languages() -> frozenset[str] | None:
    """Languages that Tesseract has data for; None without the program."""
    if shutil.which(PROGRAM) is None:
        return None
    done = subprocess.run([PROGRAM, "--list-langs"], capture_output=True, check=False, timeout=60)
    return frozenset(done.stdout.decode("utf-8", "replace").split("\n")[1:]) - {""}
