"""The index as one script for the browser: vocabulary, postings, what hits show. No server, no ``fetch``.

``search-data.js`` sets ``window.kbSearchData``; theme/search.js reads it and does what query.py and
ranking.py do. ``search-more.js`` sets ``window.kbSearchMore``: the wordings of situations that are
loaded later. Scripts, so that they load under file:// too.
"""

from __future__ import annotations

import filecmp
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from operator import sub
from pathlib import Path
from typing import Any

import orjson

from kb.cite.grammar import compile_grammar
from kb.lang import Language
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import latent, likely, packing, pressing, query, ranking, situations, wordings
from kb.search.analysis import Analyser
from kb.search.building import alone, first_pass
from kb.search.counting import Counts, Shelf
from kb.search.documents import REF, Means, Source
from kb.search.index import COMPARED, LEAST, LEAST_WORDS, TOGETHER
from kb.search.lines import shown_text
from kb.search.snippet import NOTES, WIDTH
from kb.search.spreading import MOST_OF_ONE
from kb.search.vocabulary import SOUNDS, Vocabulary

FILE, MORE = "search-data.js", "search-more.js"
VERSION = 6
_MADE_THERE = (ranking.TITLE, REF)
"""Terms the browser makes itself from what the documents show."""


def export_index(kb: KnowledgeBase, profile: Profile, folder: Path, kept: Counts | None = None) -> Path:
    """Write ``search-data.js`` and ``search-more.js`` into a folder; a file whose bytes are the same is left
    alone. Gives the path of the first."""
    source = Source(kb, profile, kept)
    analyser = Analyser(source.languages)
    words, means, _ = first_pass(source, analyser, profile, "")
    places = {ref: n for n, ref in enumerate(r for one in source.shelves(analyser) for r in one.summary.refs)}
    pieces = _listed(source, analyser, means, places)
    data = exported(words, pieces, places, source.situations, source.homes)
    data["citations"] = _citations(profile)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / MORE, [f"window.kbSearchMore={_json(data.pop('later')._asdict())};\n"])
    return _write(folder / FILE, _script(data))


def _write(path: Path, script: Iterable[str]) -> Path:
    draft = path.with_suffix(".tmp")
    with draft.open("wb") as stream:
        for text in script:
            # U+2028 and U+2029 end a line in older JavaScript.
            stream.write(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode())
    if path.is_file() and filecmp.cmp(draft, path, shallow=False):
        draft.unlink()
    else:
        draft.replace(path)
    return path


def _script(data: dict[str, Any]) -> Iterator[str]:
    """The script in pieces. What is coded already stands apart: it would not become smaller."""
    coded = data.pop("coded")
    packed, pieces = pressing.small(_pieces(data))
    yield f'window.kbSearchData={{"coded":{_json(coded)},'
    if packed is not None:
        yield f'"packed":{_json(packed)}'
    else:
        yield '"plain":'
        yield from pieces
    yield "};\n"


def _pieces(data: Mapping[str, Any]) -> Iterator[str]:
    """The data as JSON; of the documents those of a shelf are one piece."""
    for number, (key, value) in enumerate(sorted(data.items())):
        yield f"{',' if number else '{'}{_json(key)}:"
        if key == "documents":
            for place, document in enumerate(value):
                yield f"{',' if place else '['}{document}"
            yield "]" if value else "[]"
        else:
            yield _json(value)
    yield "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _listed(
    source: Source, analyser: Analyser, means: Means, places: Mapping[str, int]
) -> Iterator[tuple[str, Mapping[str, tuple[int, int, str]]]]:
    """Shelf by shelf what hits show, as JSON, and the postings: term -> the first document, the last one,
    and the numbers from the first weight on, as ``packing.numbers`` has them."""
    weighed = {piece.shelf.name: piece for piece in source.weighed(analyser, means)}

    def make(shelf: Shelf) -> bytes:
        documents: list[str] = []
        lists: dict[str, array[int]] = {}
        for posting in alone(weighed[shelf.name]):
            documents.append(shown_text(_document(posting.stored, places)))
            for term, weight in posting.terms.items():
                if not term.startswith(_MADE_THERE):
                    lists.setdefault(term, array("I")).extend((posting.number, weight))
        told = {term: [found[0], found[-2], packing.numbers(_steps(found))] for term, found in lists.items()}
        return ",".join(documents).encode() + b"\n" + orjson.dumps(told)

    # What is shown of a document tells the numbers of others.
    refs = blake2b("\n".join(places).encode(), digest_size=16).hexdigest()
    for piece in source.kept.made("listed", f"{VERSION} {refs} {means!r}", make):
        documents, _, lists = piece.read().partition(b"\n")
        yield documents.decode(), orjson.loads(lists)


def _steps(found: array[int]) -> array[int]:
    """Numbers and weights in turn -> the first weight, then each step with its weight."""
    numbers = found[::2]
    found[2::2] = array("I", map(sub, numbers[1:], numbers))
    return found[1:]


def _joined(pieces: Iterable[tuple[int, int, str]]) -> str:
    """A list of which each shelf has a piece."""
    before, text = 0, []
    for first, last, rest in pieces:
        text += [packing.dense(first - before), rest]
        before = last
    return "".join(text)


def exported(
    words: Vocabulary,
    pieces: Iterable[tuple[str, Mapping[str, tuple[int, int, str]]]],
    places: Mapping[str, int],
    found: tuple[situations.Situation, ...],
    named: Iterable[likely.Named],
) -> dict[str, Any]:
    """All that the browser needs, as plain JSON values; the documents as the JSON of those of each shelf;
    ``later``: the wordings that are loaded later.

    ``places``: ref -> number of its document.
    """
    documents: list[str] = []
    lists: dict[str, list[tuple[int, int, str]]] = {}
    for text, postings in pieces:
        documents += [text] if text else []
        for term, piece in postings.items():
            lists.setdefault(term, []).append(piece)
    plain = json.loads(words.to_json())
    vocabulary, forms = packing.vocabulary(plain)
    vocabulary["near"], near = vocabulary["near"]
    told = likely.gathered(found, situations.read_all(found, words), named, words, places)
    classes, first, later = wordings.exported(found, words, places, forms)
    return {
        "version": VERSION,
        "alphabet": packing.ALPHABET,
        "ending": packing.ENDING,
        "documents": documents,
        "situations": {"rows": first.rows, "classes": classes, "later": len(later.rows)},
        "coded": {"said": first.said, "near": near},
        "later": later,
        "homes": told.homes,
        "kin": _kin(told.kin),
        "postings": packing.lists(
            {term: _joined(found) for term, found in lists.items()}, packing.numbered(plain["stems"])
        ),
        "vocabulary": vocabulary,
        "languages": [_language(language) for language in words.analyser.languages],
        "constants": {
            "unit": ranking.UNIT,
            "saturation": ranking.SATURATION,
            "coverage": ranking.COVERAGE,
            "mostOfOne": MOST_OF_ONE,
            "least": LEAST,
            "together": [TOGETHER, LEAST_WORDS, COMPARED],
            "situations": [ranking.SITUATION_WEIGHT, ranking.NEXT_REF, ranking.SITUATIONS],
            "wordings": [situations.WEIGHT, situations.B, *ranking.FIELDS["topic"]],
            "nextSituation": [ranking.NEXT_SITUATION, ranking.OF_ONE],
            "likely": [likely.WEIGHT, likely.SMOOTHING, likely.NEXT_REF, likely.REFS, likely.ENOUGH],
            "home": [likely.HOME, likely.NEXT_HOME],
            "kin": [latent.WEIGHT, latent.LEAST, latent.STEP, latent.EIGHTH, latent.HUNDREDTH],
            "titleWeight": ranking.TITLE_WEIGHT,
            "titleWords": ranking.TITLE_WORDS,
            "titleReadings": ranking.TITLE_READINGS,
            "titleClause": query.TITLE_CLAUSE,
            "termWeight": query.TERM_WEIGHT,
            "functionWeight": ranking.FUNCTION_WEIGHT,
            "mostWords": query.MOST_WORDS,
            "width": WIDTH,
            "notes": {status: dict(notes) for status, notes in NOTES.items()},
            "sounds": [list(pair) for pair in SOUNDS],
        },
    }


def _document(stored: Mapping[str, Any], places: Mapping[str, int]) -> dict[str, Any]:
    """What a hit shows, less what is as the ref has it; its parts by their numbers."""
    work, edition, path = stored["ref"].split("/")
    page, dot, _ = path.partition(".")
    usual: dict[str, Any] = {
        "short": path.replace(".", ""),
        "url": f"/{work}/{edition}/{page}/" + (f"#{path}" if dot else ""),
        "commentary": [],
        "in_force": None,
        "children": "",
    }
    parts = sorted(places[ref] for ref in stored["children"] if ref in places)
    found = {**stored, "children": packing.numbers(packing.steps(parts))}
    return {key: value for key, value in found.items() if key not in usual or value != usual[key]}


def _kin(kin: latent.Latent) -> list[str]:
    """Lengths, strengths and coordinates, provision by provision: those below 0 are the odd numbers."""
    return [
        packing.numbers(kin.lengths),
        packing.numbers(kin.strengths),
        packing.numbers(2 * at if at >= 0 else -2 * at - 1 for row in kin.places for at in row),
    ]


def _citations(profile: Profile) -> dict[str, Any]:
    """What a search box needs of the citation grammar: nouns with their works, letters, their order."""
    grammar = compile_grammar(profile).data
    nouns: dict[str, list[str]] = {}
    for word, entry in {**grammar["lexicon"], **grammar["exact"]}.items():
        if entry[0] == "noun":
            works = [grammar["nouns"][number]["work"] for number in entry[1]]
            nouns.setdefault(word.lower(), []).extend(works)
    for name, work in profile.works.items():
        for word in (name, work.label, work.letter):
            nouns.setdefault(word.lower(), []).append(name)
    dotted = [n for n, w in profile.works.items() if any(level.numbering == "dotted" for level in w.levels)]
    return {
        "nouns": {word: list(dict.fromkeys(works)) for word, works in sorted(nouns.items())},
        "letters": dict(grammar["letters"]),
        "order": sorted(profile.works, key=lambda name: profile.works[name].role != "law"),
        "dotted": dict.fromkeys(dotted, True),
    }


def _language(language: Language) -> dict[str, Any]:
    return {
        "code": language.code,
        "alphabet": language.alphabet,
        "fold": _folds(language),
        "lookAlikes": dict(language.look_alikes),
        "keyboard": dict(language.keyboard),
        "sounds": dict(language.sounds),
        "shapes": [list(pair) for pair in language.shapes],
        "stems": language.lemmas_are_stems,
    }


def _folds(language: Language) -> dict[str, str]:
    """Characters the language folds beyond small letters: ё -> е."""
    asked: Sequence[str] = (*language.alphabet, "’")
    return {letter: language.fold(letter) for letter in asked if language.fold(letter) != letter}
