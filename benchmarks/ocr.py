"""How many pages a second Tesseract reads, how well, and what keeping its words saves."""

from __future__ import annotations

import io
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from damage import law, typed
from documents import page_image
from rapidfuzz.distance import Levenshtein

from benchmarks import Table
from kb.profile import SourceSpec
from kb.read import received, tesseract

PAGES, LINES = 4, 32


def run() -> Iterator[Table]:
    """One table; without Tesseract one that says so."""
    columns = ("", "pages", "seconds", "pages a second", "errors %")
    if shutil.which(tesseract.PROGRAM) is None:
        yield Table("Pictures of pages", columns, (("Tesseract is not installed", "", "", "", ""),))
        return
    lines = typed(law(9, 8), 52)[: PAGES * LINES]
    said = [lines[at : at + LINES] for at in range(0, len(lines), LINES)]
    pictures = [_png(page) for page in said]
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name in ("read", "read again, from the build folder"):
            began = time.perf_counter()
            read = [_words(picture, Path(folder) / "ocr") for picture in pictures]
            seconds = max(time.perf_counter() - began, 1e-9)
            wrong = sum(
                Levenshtein.distance(" ".join(got.split()), " ".join(" ".join(page).split()))
                for got, page in zip(read, said, strict=True)
            )
            errors = 100 * wrong / sum(len(" ".join(page)) for page in said)
            row = (str(len(said)), f"{seconds:.2f}", f"{len(said) / seconds:.2f}", f"{errors:.2f}")
            rows.append((name, *row))
    yield Table(
        "Pictures of pages",
        columns,
        tuple(rows),
        f"Pages of {LINES} lines of our own wording, drawn at about 300 dots an inch, one after another, on "
        "one core, with turning and straightening; errors before repair, hyphens of line ends kept.",
    )


def _png(lines: list[str]) -> bytes:
    out = io.BytesIO()
    page_image(lines).save(out, "PNG")
    return out.getvalue()


def _words(picture: bytes, cache: Path) -> str:
    spec = SourceSpec(Path("page.png"), "page.png", "laws", "1987", "ru", cache=cache)
    return received(picture, spec, "").raw
