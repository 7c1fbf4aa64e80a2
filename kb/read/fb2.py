"""FictionBook 2: an XML book, its notes put below the paragraphs that call for them."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from kb.errors import InputError
from kb.lang import words
from kb.profile import SourceSpec
from kb.read import xmltree
from kb.read.extract import Extract
from kb.read.markup import Paragraphs

_LINES = words("p v subtitle text-author date")
_DECLARED = re.compile(rb"""encoding=["']([A-Za-z0-9_.-]+)""")
_EMPHASIS = {"strong": "*", "emphasis": "_"}


def read(data: bytes, spec: SourceSpec) -> Extract:
    """The bodies of the book, a line a paragraph; pictures and the description left out.

    Raises InputError for what is no FictionBook or beyond the bounds.
    """
    root = xmltree.parse(data, str(spec.path))
    bodies = [child for child in root if child.tag == "body"]
    if root.tag != "FictionBook" or not bodies:
        raise InputError(f"{spec.path}: no FictionBook (its root is <{root.tag}>): is the suffix right?")
    notes = _notes(bodies)
    out = Paragraphs()
    used: set[str] = set()
    for body in bodies:
        if body.get("name") != "notes":
            _body(body, out, notes, used)
    left = [notes[key] for key in notes if key not in used]
    for note in left:
        out.paragraph_start()
        out.words(note)
        out.paragraph_end()
    declared = _DECLARED.search(data[:200])
    return out.writer.extract(spec.name, declared.group(1).decode("ascii").lower() if declared else "utf-8")


def _notes(bodies: list[Element]) -> dict[str, str]:
    found = {}
    for body in bodies[1:]:
        for section in body.iter("section"):
            key = section.get("id")
            if key:
                said = [xmltree.text_of(part) for part in section if part.tag != "title"]
                found[key] = " ".join(filter(None, said))
    return found


def _body(body: Element, out: Paragraphs, notes: dict[str, str], used: set[str]) -> None:
    for event, element, text in xmltree.walk(body):
        tag = element.tag
        if event == "start":
            if tag in _LINES:
                out.paragraph_start(apart=tag in ("p", "subtitle"))
            elif tag in _EMPHASIS:
                out.emphasis(_EMPHASIS[tag])
            elif tag == "empty-line":
                out.blank()
            key = (element.get("href") or "").removeprefix("#")
            if tag == "a" and key in notes:
                used.add(key)
                out.note(notes[key])
                continue  # its number is the mark
            if tag == "sup":
                out.raised(text)
            elif _shown(element):
                out.words(text)
        else:
            if tag in _EMPHASIS:
                out.emphasis(_EMPHASIS[tag])
            elif tag in _LINES:
                out.paragraph_end()
            out.words(text if _inline(element) else "")


def _shown(element: Element) -> bool:
    return element.tag in _LINES or _inline(element)


def _inline(element: Element) -> bool:
    return element.tag in _EMPHASIS or element.tag in (
        "a",
        "sup",
        "sub",
        "style",
        "strikethrough",
        "code",
        "image",
    )
