"""Akoma Ntoso 3.0: one collection; in it each work in each language it has, as an act or as a commentary.

Work addresses are those of the naming convention (`/akn/zz/act/1987/laws`); `eId`s are made of elements and
numbers, `wId`s are the paths of the refs. Written piece by piece: no document stands in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kb import address
from kb.model import Entry, KnowledgeBase, Node, PlacedLink, Ref
from kb.profile import Profile, Work

NAMESPACE = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
COUNTRY = "zz"
"""A code left free for users: the laws of a game have no country. The profile may set `[akn] country`."""
UNKNOWN_DATE = "0001-01-01"
_DEPTHS = ("article", "section", "paragraph", "subparagraph", "point", "indent")
"""Elements of the levels of a path, from the root; deeper ones are `level`."""
_SHORT = {
    "article": "art",
    "section": "sec",
    "paragraph": "para",
    "subparagraph": "subpara",
    "chapter": "chp",
    "hcontainer": "hcontainer",
}
_GROUPS = frozenset(
    {"book", "chapter", "division", "part", "section", "subchapter", "subpart", "title", "tome"}
)
_STATUS = {"partial": "incomplete", "not-supplied": "undefined", "repealed": "removed"}
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def akoma_ntoso(kb: KnowledgeBase, profile: Profile) -> Iterator[str]:
    """The whole corpus as one XML document, in pieces."""
    name = profile.titles.get(profile.lang, profile.name)
    collection = f"/akn/{_country(profile)}/doc/{profile.edition}/{profile.name}"
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<akomaNtoso xmlns="{NAMESPACE}">\n'
    yield f"<documentCollection name={_attribute(profile.name)}>\n"
    yield _meta(collection, profile, profile.lang, name, "editor")
    documents = [
        (work, lang)
        for work in profile.works
        for lang in profile.languages
        if next(kb.nodes(work, lang), None) is not None
    ]
    yield "<collectionBody>\n"
    for work, lang in documents:
        shown = _attribute(_title(profile, work, lang))
        yield f'<component eId="cmp_{work}_{lang}"><documentRef eId="ref_{work}_{lang}" '
        yield f'href="#{work}_{lang}" showAs={shown}/></component>\n'
    yield "</collectionBody>\n<components>\n"
    for work, lang in documents:
        yield f'<component eId="{work}_{lang}">\n'
        yield from Document(kb, profile, profile.works[work], lang).xml()
        yield "</component>\n"
    yield "</components>\n</documentCollection>\n</akomaNtoso>\n"


@dataclass(frozen=True)
class Document:
    """One work in one language."""

    kb: KnowledgeBase
    profile: Profile
    work: Work
    lang: str

    @property
    def uri(self) -> str:
        """The work's address."""
        return work_uri(self.profile, Ref(self.work.name, self.profile.edition))

    def xml(self) -> Iterator[str]:
        """The document's element, in pieces."""
        act = self.work.role == "law"
        outer, inner = ("act", "body") if act else ("doc", "mainBody")
        yield f"<{outer} name={_attribute(self.work.name)}>\n"
        yield _meta(
            self.uri,
            self.profile,
            self.lang,
            _title(self.profile, self.work.name, self.lang),
            self.scope("editor"),
        )
        yield f"<{inner}>\n"
        for ref in self.kb.children(None):
            if ref.work == self.work.name:
                yield from self._element(ref)
        yield f"</{inner}>\n</{outer}>\n"

    def _element(self, ref: Ref) -> Iterator[str]:
        entry = self.kb.entry(ref)
        if entry is None:
            return
        node = self.kb.node(ref, self.lang)
        name = self._name(entry)
        kind = f" name={_attribute(entry.kind)}" if name == "hcontainer" else ""
        status = f' status="{_STATUS[entry.status]}"' if entry.status in _STATUS else ""
        ids = f"eId={_attribute(self.eid(ref))} wId={_attribute(self.scope(ref.dotted))}"
        yield f"<{name}{kind} {ids}{status}>\n"
        yield from self._head(entry, node)
        children = self.kb.children(ref)
        if children:
            if node and node.text:
                yield f"<intro>{self._paragraphs(node, 'text')}</intro>\n"
            for child in children:
                yield from self._element(child)
            if node and (node.tail or node.footnotes):
                yield f"<wrapUp>{self._paragraphs(node, 'tail')}</wrapUp>\n"
        else:
            tail = self._paragraphs(node, "tail") if node and node.tail else ""
            yield f"<content>{self._paragraphs(node, 'text')}{tail}</content>\n"
        yield f"</{name}>\n"

    def _head(self, entry: Entry, node: Node | None) -> Iterator[str]:
        title = node.title if node else entry.titles.get(self.lang, "")
        number = node.marker if node and node.marker else entry.ref.path[-1]
        yield f"<num>{_text(number)}</num>\n"
        if title:
            yield f"<heading>{_text(title)}</heading>\n"

    def _name(self, entry: Entry) -> str:
        """The element of a level: a heading's by its kind, a provision's by its depth."""
        if self.work.role != "law":
            return "hcontainer"
        if address.is_heading(self.work, entry.ref):
            return entry.kind if entry.kind in _GROUPS else "hcontainer"
        depth = len(entry.ref.path) - 1
        return _DEPTHS[depth] if depth < len(_DEPTHS) else "level"

    def scope(self, name: str) -> str:
        """A name that is unique in the collection: two documents of a work differ by language."""
        return f"{self.work.name}_{self.lang}__{name}"

    def eid(self, ref: Ref) -> str:
        """`laws_ru__art_65__sec_B__para_1`; headings by their path."""
        if self.work.role != "law" or address.is_heading(self.work, ref):
            return self.scope(ref.dotted)
        names = [_DEPTHS[n] if n < len(_DEPTHS) else "level" for n in range(len(ref.path))]
        return self.scope(
            "__".join(f"{_SHORT.get(n, n)}_{step}" for n, step in zip(names, ref.path, strict=True))
        )

    def _paragraphs(self, node: Node | None, where: str) -> str:
        """A part of a node's text as paragraphs, with its links; footnotes close the last part there is."""
        text = "" if node is None else (node.text if where == "text" else node.tail)
        links = (
            [p for p in self.kb.links(node.ref) if p.where == where and p.lang == self.lang] if node else []
        )
        inner = self._linked(text, links).replace("\n", "<br/>")
        last = node is not None and (where == "tail" or not (node.tail or self.kb.children(node.ref)))
        return f"<p>{inner}{self._notes(node) if node and last else ''}</p>"

    def _notes(self, node: Node) -> str:
        notes = []
        for number, note in enumerate(node.footnotes, 1):
            links = [
                p for p in self.kb.links(node.ref) if p.where == f"footnote {number}" and p.lang == self.lang
            ]
            notes.append(
                f"<authorialNote marker={_attribute(note.mark)} "
                f"eId={_attribute(f'{self.eid(node.ref)}__authorialNote_{number}')}>"
                f"<p>{self._linked(note.text, links)}</p></authorialNote>"
            )
        return "".join(notes)

    def _linked(self, text: str, links: list[PlacedLink]) -> str:
        """Text with its citations as `ref`; of several at one place the first."""
        out: list[str] = []
        at = 0
        for placed in sorted(links, key=lambda p: (p.link.citation.start, p.link.citation.end)):
            citation = placed.link.citation
            target = self._href(placed.link.target)
            if citation.start < at or target is None:
                continue
            out += [_text(text[at : citation.start]), f"<ref href={_attribute(target)}>"]
            out += [_text(text[citation.start : citation.end]), "</ref>"]
            at = citation.end
        return "".join([*out, _text(text[at:])])

    def _href(self, target: Ref) -> str | None:
        """In this document its id; elsewhere the work's address with the path as a portion."""
        if target.work not in self.profile.works:
            return None
        if target.work == self.work.name and self.kb.entry(target) is not None:
            return f"#{self.eid(target)}"
        uri = work_uri(self.profile, target)
        return f"{uri}/!main~{target.dotted}" if target.path else uri


def work_uri(profile: Profile, ref: Ref) -> str:
    """The address of the work a ref belongs to: `/akn/zz/act/1987/laws`."""
    kind = "act" if profile.works[ref.work].role == "law" else "doc"
    return f"/akn/{_country(profile)}/{kind}/{ref.edition}/{ref.work}"


def _meta(uri: str, profile: Profile, lang: str, title: str, editor: str) -> str:
    year = re.match(r"\d{4}", profile.edition)
    date = f"{year.group()}-01-01" if year else UNKNOWN_DATE
    dated = f'<FRBRdate date="{date}" name="{"edition" if year else "unknown"}"/>'
    author = f'<FRBRauthor href="#{editor}"/>'

    def level(name: str, value: str, more: str = "") -> str:
        # A work's address says nothing of a language, an expression's does.
        this = f"<FRBRthis value={_attribute(f'{value}/!main')}/><FRBRuri value={_attribute(value)}/>"
        return f"<{name}>{this}{dated}{author}{more}</{name}>"

    expression = f"{uri}/{lang}@"
    return (
        f'<meta><identification source="#{editor}">'
        + level("FRBRWork", uri, f"<FRBRcountry value={_attribute(_country(profile))}/>")
        + level("FRBRExpression", expression, f"<FRBRlanguage language={_attribute(lang)}/>")
        + level("FRBRManifestation", f"{expression}.xml", '<FRBRformat value="application/xml"/>')
        + f'</identification><references source="#{editor}">'
        + f'<TLCOrganization eId="{editor}" href="/ontology/organization/editor" showAs={_attribute(title)}/>'
        + "</references></meta>\n"
    )


def _title(profile: Profile, work: str, lang: str) -> str:
    titles = profile.works[work].titles
    return titles.get(lang) or next(iter(titles.values()), work)


def _country(profile: Profile) -> str:
    return str(profile.data.get("akn", {}).get("country", COUNTRY))


def _text(value: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", value))


def _attribute(value: str) -> str:
    return quoteattr(_ILLEGAL.sub("\ufffd", value))
