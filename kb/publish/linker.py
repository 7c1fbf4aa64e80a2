"""``linker.js``, which links the citations of any page, and ``linker-data.js``, the texts of its cards."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from kb import address
from kb.cite.grammar import Grammar
from kb.model import Entry, KnowledgeBase, Ref
from kb.profile import Profile
from kb.publish import strings

SCRIPT = "linker.js"
DATA = "linker-data.js"
_STATES = {
    "text": "short_text",
    "partial": "short_partial",
    "not-supplied": "short_not_supplied",
    "repealed": "short_repealed",
}
_MOST = 600
"""Code points of a text that a card shows."""


def script(kb: KnowledgeBase, profile: Profile, grammar: Grammar) -> str:
    """The script with its grammar and its table of refs put in."""
    source = (files("kb.publish") / "theme" / SCRIPT).read_text("utf-8")
    return source.replace("/* kb:grammar */ null", grammar.to_json()).replace(
        "/* kb:refs */ null", _compact(_refs(kb, profile))
    )


def card_data(kb: KnowledgeBase, profile: Profile) -> Iterator[str]:
    """The script that hands over the texts, in pieces; a line a ref."""
    words = {
        state: {lang: strings.table()[key].get(lang, "") for lang in profile.languages}
        for state, key in _STATES.items()
    }
    words["comments"] = {
        lang: profile_work.titles.get(lang, "")
        for profile_work in profile.works.values()
        if profile_work.role == "commentary"
        for lang in profile.languages
    }
    head = {"edition": profile.edition, "languages": list(profile.languages), "words": words}
    yield f'kbLinkerData({_compact(head)[:-1]},"refs":{{\n'
    comments = Counter(relation.law for relation in kb.relations() if relation.status != "refused")
    for number, entry in enumerate(_cited(kb, profile)):
        key = f"{entry.ref.work}/{entry.ref.dotted}"
        yield ("," if number else "") + f"{_compact(key)}:{_compact(_card(kb, profile, entry, comments))}\n"
    yield "}});\n"


def integrity(text: str) -> str:
    """The hash for a ``<script integrity=…>``."""
    return "sha384-" + base64.b64encode(hashlib.sha384(text.encode()).digest()).decode()


def _cited(kb: KnowledgeBase, profile: Profile) -> Iterator[Entry]:
    """The entries a citation can lead to: all but the headings."""
    for entry in kb.entries():
        if not address.is_heading(profile.works[entry.ref.work], entry.ref):
            yield entry


def _refs(kb: KnowledgeBase, profile: Profile) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for entry in _cited(kb, profile):
        url = address.url(profile, entry.ref, kb)
        found.setdefault(entry.ref.work, {})[entry.ref.dotted] = (
            0 if url == _usual(profile, entry.ref) else url
        )
    return found


def _usual(profile: Profile, ref: Ref) -> str:
    """The address as the script works it out from the path."""
    work = profile.works[ref.work]
    over = "" if work.role == "law" else work.comments_on or profile.law_work.name
    page = f"/{over or ref.work}/{profile.edition}/{ref.path[0].partition('~')[0]}/"
    if over:
        return f"{page}#{work.letter}{ref.dotted}"
    return page + (f"#{ref.dotted}" if len(ref.path) > 1 else "")


def _card(kb: KnowledgeBase, profile: Profile, entry: Entry, comments: Mapping[Ref, int]) -> dict[str, Any]:
    texts = {}
    titles = dict(entry.titles)
    for lang in profile.languages:
        node = kb.node(entry.ref, lang)
        if node is None:
            continue
        if node.title:
            titles[lang] = node.title
        if node.text:
            texts[lang] = node.text if len(node.text) <= _MOST else node.text[:_MOST].rsplit(" ", 1)[0] + " …"
    human = profile.works[entry.ref.work].human.get(profile.lang, "{ref}")
    card = {
        "human": human.replace("{ref}", address.short(profile, entry.ref)),
        "status": entry.status,
        "title": titles,
        "text": texts,
        "comments": comments.get(entry.ref, 0),
    }
    return {key: value for key, value in card.items() if value}


def _compact(value: Any) -> str:
    # Inside a script a "</" could close the element it is pasted into.
    made = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return made.replace("</", "<\\/").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
