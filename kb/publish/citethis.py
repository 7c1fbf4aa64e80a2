"""How to cite a provision: forms to copy, BibTeX, CSL and schema.org's `Legislation`."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from kb import address
from kb.model import Entry, KnowledgeBase, Ref
from kb.profile import Profile

IN_FORCE = "https://schema.org/InForce"
NOT_IN_FORCE = "https://schema.org/NotInForce"


def forms(kb: KnowledgeBase, profile: Profile, ref: Ref, base: str = "") -> dict[str, Any]:
    """``address``; ``short``, ``full``, ``markdown``, ``html`` by language; ``bibtex``, and ``csl`` as data.

    ``base``: the site's address, ending in ``/``; without it addresses begin at its root.
    """
    entry = kb.entry(ref)
    url = link(profile, ref, base)
    short = {lang: f"{_human(profile, ref, lang)} ({ref.edition})" for lang in profile.languages}
    full = {lang: _full(profile, ref, entry, lang) for lang in profile.languages}
    return {
        "address": url,
        "short": short,
        "full": {lang: f"{text}. {url}" for lang, text in full.items()},
        "markdown": {lang: f"[{short[lang]}]({url})" for lang in profile.languages},
        "html": {
            lang: f'<a href="{html.escape(url)}">{html.escape(short[lang])}</a>' for lang in profile.languages
        },
        "bibtex": _bibtex(profile, ref, entry, url),
        "csl": _csl(profile, ref, entry, url),
    }


def link(profile: Profile, ref: Ref, base: str = "") -> str:
    """The permalink, whole where the site's address is known."""
    path = address.permalink(profile, ref)
    return base + path.lstrip("/") if base else path


def json_ld(kb: KnowledgeBase, profile: Profile, ref: Ref, base: str = "") -> str:
    """A provision as schema.org's Legislation, as JSON that is safe inside a script element."""
    entry = kb.entry(ref)
    now = str(profile.data.get("in_force", {}).get("edition", ref.edition))
    url = link(profile, ref, base)
    data = {
        "@context": "https://schema.org",
        "@type": "Legislation",
        "@id": url,
        "url": url,
        "identifier": str(ref),
        "legislationIdentifier": str(ref),
        "name": _names(profile, ref, entry),
        "inLanguage": list(profile.languages),
        "legislationLegalForce": IN_FORCE if now == ref.edition else NOT_IN_FORCE,
        "isPartOf": {
            "@type": "Legislation",
            "legislationIdentifier": f"{ref.work}/{ref.edition}",
            "legislationDate": ref.edition,
            "name": _values(profile, dict(profile.works[ref.work].titles)),
        },
        "hasPart": [
            {
                "@type": "Legislation",
                "@id": link(profile, child, base),
                "legislationIdentifier": str(child),
                "name": _names(profile, child, kb.entry(child)),
            }
            for child in kb.children(ref)
        ],
    }
    kept = {key: value for key, value in data.items() if value}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True).replace("</", "<\\/")


def _names(profile: Profile, ref: Ref, entry: Entry | None) -> list[dict[str, str]]:
    return _values(profile, {lang: _name(profile, ref, entry, lang) for lang in profile.languages})


def _values(profile: Profile, by_lang: dict[str, str]) -> list[dict[str, str]]:
    return [{"@language": lang, "@value": by_lang[lang]} for lang in profile.languages if by_lang.get(lang)]


def _human(profile: Profile, ref: Ref, lang: str) -> str:
    return profile.works[ref.work].human.get(lang, "{ref}").replace("{ref}", address.human(profile, ref))


def _name(profile: Profile, ref: Ref, entry: Entry | None, lang: str) -> str:
    title = entry.titles.get(lang, "") if entry else ""
    return f"{_human(profile, ref, lang)}. {title}" if title else _human(profile, ref, lang)


def _full(profile: Profile, ref: Ref, entry: Entry | None, lang: str) -> str:
    whole = profile.titles.get(lang) or profile.titles.get(profile.lang, profile.name)
    return f"{whole}. {_name(profile, ref, entry, lang)}"


def _bibtex(profile: Profile, ref: Ref, entry: Entry | None, url: str) -> str:
    lang = profile.languages[-1]
    key = re.sub(r"[^a-z0-9]+", "-", f"{profile.name}-{ref}".lower()).strip("-")
    year = re.match(r"[0-9]{4}", ref.edition)
    fields = {
        "title": _full(profile, ref, entry, lang),
        "year": year.group() if year else "",
        "howpublished": f"\\url{{{url}}}",
        "note": str(ref),
    }
    lines = [f"  {name} = {{{_tex(name, value)}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _tex(name: str, value: str) -> str:
    return value if name == "howpublished" else re.sub(r"([&%$#_{}])", r"\\\1", value)


def _csl(profile: Profile, ref: Ref, entry: Entry | None, url: str) -> dict[str, Any]:
    lang = profile.languages[-1]
    year = re.match(r"[0-9]{4}", ref.edition)
    made: dict[str, Any] = {
        "id": str(ref),
        "type": "legislation",
        "title": _name(profile, ref, entry, lang),
        "container-title": profile.titles.get(lang, profile.name),
        "number": address.human(profile, ref),
        "language": lang,
        "URL": url,
    }
    if year:
        made["issued"] = {"date-parts": [[int(year.group())]]}
    return made
