"""The index as one script for the browser: vocabulary, postings, what hits show. No server, no ``fetch``.

``search-data.js`` sets ``window.kbSearchData``; theme/search.js reads it and does what query.py and
ranking.py do. A script, so that it loads under file:// too.
"""

from __future__ import annotations

import filecmp
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import sub
from pathlib import Path
from typing import Any

from kb.cite.grammar import compile_grammar
from kb.lang import Language
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import latent, likely, packing, query, ranking, situations, wordings
from kb.search.analysis import Analyser
from kb.search.backend import Posting
from kb.search.building import alone, first_pass
from kb.search.counting import Counts
from kb.search.documents import REF, Source
from kb.search.index import COMPARED, LEAST, LEAST_WORDS, TOGETHER
from kb.search.lines import shown_text
from kb.search.snippet import NOTES, WIDTH
from kb.search.spreading import MOST_OF_ONE
from kb.search.vocabulary import SOUNDS, Vocabulary

FILE = "search-data.js"
VERSION = 4
_MADE_THERE = (ranking.TITLE, REF)
"""Terms the browser makes itself from what the documents show."""


def export_index(kb: KnowledgeBase, profile: Profile, folder: Path, kept: Counts | None = None) -> Path:
    """Write ``search-data.js`` into a folder; leaves it alone when the bytes are the same. Gives its path."""
    source = Source(kb, profile, kept)
    analyser = Analyser(source.languages)
    words, means, _ = first_pass(source, analyser, profile, "")
    places = {ref: n for n, ref in enumerate(ref for one in source.summaries(analyser) for ref in one.refs)}
    postings = alone(source, analyser, means)
    data = exported(words, postings, places, source.situations, source.homes)
    data["citations"] = _citations(profile)
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    with draft.open("wb") as stream:
        for text in _script(data):
            # U+2028 and U+2029 end a line in older JavaScript.
            stream.write(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode())
    if path.is_file() and filecmp.cmp(draft, path, shallow=False):
        draft.unlink()
    else:
        draft.replace(path)
    return path


def _script(data: Mapping[str, Any]) -> Iterator[str]:
    """The script in pieces; of the documents each is one."""
    yield "window.kbSearchData="
    for number, (key, value) in enumerate(sorted(data.items())):
        yield f"{',' if number else '{'}{_json(key)}:"
        if key == "documents":
            for place, document in enumerate(value):
                yield f"{',' if place else '['}{shown_text(document)}"
            yield "]" if value else "[]"
        else:
            yield _json(value)
    yield "};\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def exported(
    words: Vocabulary,
    postings: Iterable[Posting],
    places: Mapping[str, int],
    found: tuple[situations.Situation, ...],
    named: Iterable[likely.Named],
) -> dict[str, Any]:
    """All that the browser needs, as plain JSON values. ``places``: ref -> number of its document."""
    documents: list[Mapping[str, Any]] = []
    lists: dict[str, array[int]] = {}
    for posting in postings:
        documents.append(posting.stored)
        number = posting.number
        for term, weight in posting.terms.items():
            found_in = lists.get(term)
            if found_in is None:
                if term.startswith(_MADE_THERE):
                    continue
                found_in = lists[term] = array("I")
            found_in.append(number)
            found_in.append(weight)
    for found_in in lists.values():
        numbers = found_in[::2]
        found_in[2::2] = array("I", map(sub, numbers[1:], numbers))
    plain = json.loads(words.to_json())
    vocabulary, forms = packing.vocabulary(plain)
    told = likely.gathered(found, named, words, places)
    return {
        "version": VERSION,
        "alphabet": packing.ALPHABET,
        "ending": packing.ENDING,
        "documents": [_document(one, places) for one in documents],
        "situations": wordings.exported(found, words, places, forms),
        "homes": told.homes,
        "kin": _kin(told.kin),
        "postings": packing.lists(lists, packing.numbered(plain["stems"])),
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
