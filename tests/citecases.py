"""The citation cases of tests/cases/citations/ and of tests/facts/, read into one shape."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from pathlib import Path

from kb.model import Citation, Ref

HERE = Path(__file__).parent
CASES = HERE / "cases" / "citations"
SPOKEN = ("ru", "en", "ru-law")


@dataclass(frozen=True)
class Case:
    """A text, where it stands, and what it cites, as ``targets`` writes it."""

    group: str
    text: str
    expected: tuple[str, ...]
    context: Ref | None = None

    @property
    def id(self) -> str:
        return f"{self.group}: {self.text[:50]}"


def targets(citations: list[Citation]) -> tuple[str, ...]:
    """As the case files write targets: ``65.B.1``, ``c65.3``, ``1975:54.C``; other codes left out."""
    return tuple(target(citation) for citation in citations if citation.work)


def target(citation: Citation) -> str:
    letter = "c" if citation.work == "commentary" else ""
    edition = f"{citation.edition}:" if citation.edition else ""
    return f"{edition}{letter}{'.'.join(citation.path)}"


def cases(*names: str) -> list[Case]:
    found = []
    for name in names:
        data = tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))
        for group, table in data.items():
            context = Ref.parse(table["context"]) if "context" in table else None
            rows = table["cases"].items() if "cases" in table else [(text, "") for text in table["texts"]]
            found += [Case(f"{name}/{group}", text, tuple(links.split()), context) for text, links in rows]
    return found


def public() -> list[tuple[str, Case]]:
    """The rows of citations_public.tsv: language and case. What a row says in words is written out here."""
    said = {
        "para:12.5": "c12.5", "para:77.3(iii)": "c77.3.iii", "para:64.8": "c64.8",
        "para:62.6, para:63.3": "c62.6 c63.3", "para:54.3": "c54.3", "31 (footnote)": "31",
        "51.B? (31.B)": "51.B", "75 footnote": "75",
        "same paragraph (ii)": "c75.3.ii", "27.B.1.a ...": "27.B.1.a 27.B.1.b 27.B.2 27.B.3",
        "27.B.1.a (law from context)": "27.B.1.a 27.B.1.b", "50.D.2.a; 51.B.1.a": "50.D.2.a 51.B.1.a",
        "78.D, 86.B.3, same section (d)": "78.D 86.B.3 12.B.2.d",
        "ranges": "13 14 15 16 68 69 70 71 28 29 30 31 32 48 49 50 51",
        "50.D.2.a ...": "50.D.2.a 50.B.1.a 47.E", "47.E.1, 47.E.2": "47.E.1 47.E.2",
        "27.B.1.a": "27.B.1.a 27.B.1.b",
        # Not a citation: how another copy letters its sections.
        'A, B, C': "",
    }  # fmt: skip
    contexts = {
        "same paragraph (ii)": "commentary/1987/75.3",
        "27.B.1.a (law from context)": "laws/1987/27",
        "50.D.2.a; 51.B.1.a": "laws/1987/51.B.2",
        "78.D, 86.B.3, same section (d)": "laws/1987/12.B.2.a",
    }
    found = []
    with (HERE / "facts" / "citations_public.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            meaning = row["resolves_to"]
            words = said.get(meaning, meaning.replace(",", "").replace(";", ""))
            if meaning == "50.C":
                words = "2017:50.C"
            context = Ref.parse(contexts[meaning]) if meaning in contexts else None
            found.append(
                (row["lang"], Case(f"public/{row['lang']}", row["surface"], tuple(words.split()), context))
            )
    return found
