"""XML of documents, read with nothing fetched and no entity expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import name2codepoint
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kb.errors import InputError
from kb.read import bounds

_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,30});")
_OWN = (b"amp", b"lt", b"gt", b"quot", b"apos")


def parse(data: bytes, where: str) -> Element:
    """The root element; names without their namespaces.

    HTML's named entities (``&nbsp;``) are known. Raises InputError for what is not well-formed, declares
    entities of its own, or nests or counts beyond the bounds.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if depth > bounds.ELEMENT_DEPTH:
            raise bounds.too_large(where, f"elements {depth} deep", f"{bounds.ELEMENT_DEPTH}")
        if count > bounds.ELEMENTS:
            raise bounds.too_large(where, f"{count:,} elements", f"{bounds.ELEMENTS:,}")
        builder.start(local(name), {local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(local(name))

    def refuse(*_: object) -> NoReturn:
        raise InputError(f"{where}: declares entities of its own, which are not read (take its DOCTYPE out)")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(_NAMED.sub(_numbered, data), True)
        return builder.close()
    except expat.ExpatError as error:
        raise InputError(
            f"{where}: not well-formed XML, line {error.lineno}: {expat.ErrorString(error.code)} "
            "(save it again)"
        ) from None
    except (LookupError, ValueError, AssertionError) as error:
        raise InputError(f"{where}: not readable as XML: {bounds.one_line(error)} (save it again)") from None


def _numbered(match: re.Match[bytes]) -> bytes:
    name = match.group(1)
    code = None if name in _OWN else name2codepoint.get(name.decode("ascii"))
    return match.group() if code is None else b"&#%d;" % code


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2].rpartition(":")[2]


def text_of(element: Element) -> str:
    """All text below an element, white space folded."""
    return " ".join("".join(element.itertext()).split())


def walk(element: Element) -> Iterator[tuple[str, Element, str]]:
    """``("start", element, text)``, ``("end", element, tail)`` for an element and all below it, in order."""
    yield "start", element, element.text or ""
    for child in element:
        yield from walk(child)
    yield "end", element, element.tail or ""
