"""The page of the subject index: an A to Z of each language, lines with their places, where else to look."""

from __future__ import annotations

from kb import lang as languages
from kb.model import Ref
from kb.publish import pages_other, provision, subjects
from kb.publish.context import Site
from kb.publish.markup import esc_html
from kb.publish.pages_glossary import MOST
from kb.publish.subjects import Heading, Line

PAGE = "subjects.md"


def page(site: Site) -> str:
    """Every language's headings by letter."""
    titled = list(subjects.titles(site))
    body = [site.strings.both("subjects_intro")]
    for lang in site.languages:
        found = subjects.index(site, lang, titled)
        if found:
            body.append(_alphabet(site, lang, found))
    return pages_other.simple(site, "subjects_title", body)


def _alphabet(site: Site, lang: str, found: list[tuple[str, list[Heading]]]) -> str:
    label = site.strings.text("letters", lang)
    links = " ".join(
        f'<a href="#{lang}-{n}">{esc_html(letter)}</a>' for n, (letter, _) in enumerate(found, 1)
    )
    out = [
        f"<div{site.strings.mark(lang)}>",
        f'<nav class="letters" aria-label="{esc_html(label)}"><p>{links}</p></nav>',
    ]
    for n, (letter, headings) in enumerate(found, 1):
        out.append(f'<h2 id="{lang}-{n}" class="letter">{esc_html(letter)}</h2>\n<ul class="index">')
        out += [_heading(site, lang, heading) for heading in headings]
        out.append("</ul>")
    return "\n".join([*out, "</div>"])


def _heading(site: Site, lang: str, heading: Heading) -> str:
    anchor = f' id="{lang}.{heading.id}"' if heading.id else ""
    parts = [f"<b{anchor}>{_plain(heading.text)}</b>"]
    if heading.refs:
        parts.append(_places(site, lang, heading))
    if heading.see:
        parts.append(_see(site, lang, heading))
    below = [
        f"<li>{_plain(line.text)} {_places(site, lang, line)}</li>"
        for line in sorted(heading.lines.values(), key=lambda line: _order(lang, line.text))
    ]
    lines = "\n<ul>\n" + "\n".join(below) + "\n</ul>" if below else ""
    return f"<li>{' '.join(parts)}{lines}</li>"


def _see(site: Site, lang: str, heading: Heading) -> str:
    word = site.strings.text("subjects_see" if heading.bare else "subjects_also", lang)
    links = "; ".join(
        f'<a href="#{lang}.{name}">{_plain(words)}</a>'
        for name, words in sorted(heading.see.items(), key=lambda pair: _order(lang, pair[1]))
    )
    return f'<span class="see">{esc_html(word)} {links}</span>'


def _order(lang: str, words: str) -> tuple[str, str]:
    """As in a book's index; words of one place there by themselves."""
    return languages.get(lang).filed(words), words


def _places(site: Site, lang: str, line: Line) -> str:
    """Its places by number: first those with a text, then those without, which say so once."""
    refs = list(line.refs)
    if len(refs) > MOST:
        refs = list(dict.fromkeys(Ref(ref.work, ref.edition, ref.path[:1]) for ref in refs))
    lost = [ref for ref in refs if site.status(ref) in ("not-supplied", "repealed")]
    here = [ref for ref in refs if ref not in lost]
    parts = [provision.places_html(site, "../", here, lang)] if here else []
    if lost:
        word = esc_html(site.strings.text("short_not_supplied", lang))
        parts.append(f"<small>{word}:</small> {provision.places_html(site, '../', lost, lang)}")
    return f'<span class="refs">{"; ".join(parts)}</span>'


def _plain(text: str) -> str:
    return esc_html(" ".join(text.split()))
