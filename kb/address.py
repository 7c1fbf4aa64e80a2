"""Where a ref lives: its page and anchor on the site, its permalink, its short name, its inventory label."""

from __future__ import annotations

import re

from kb.model import KnowledgeBase, Ref
from kb.profile import Profile, Work

_INSERTED = re.compile(r"(?<=[0-9])-([0-9]+)")
_SHORT_NAME = re.compile(r"[0-9][0-9A-Za-z.]{0,39}")
_STEPS = re.compile(r"[0-9]+|[A-Za-z]+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def url(profile: Profile, ref: Ref, kb: KnowledgeBase | None = None) -> str:
    """Page and anchor, from the root of the site: ``/laws/1987/65/#65.B.1``, ``/laws/1987/65/#c65.3``.

    A law and all below it stand on one page, with its commentary; a heading has a page of its own. The
    address of a work or of a page itself has no anchor. Says nothing of whether the ref is known.
    """
    name = anchor(profile, ref)
    return page(profile, ref, kb) + (f"#{name}" if name else "")


def page(profile: Profile, ref: Ref, kb: KnowledgeBase | None = None) -> str:
    """The page a ref stands on: ``/laws/1987/65/``; of a heading ``/laws/1987/ch.VI/``.

    A comment stands with the law of its number, else (this needs ``kb``) with the one it is mainly about.
    """
    work = profile.works.get(ref.work)
    if work is None or not ref.path:
        return f"/{ref.work}/{ref.edition}/"
    if work.role == "commentary":
        law = home(profile, ref, kb)
        return page(profile, law) if law else f"/{ref.work}/{ref.edition}/"
    name = ref.dotted if is_heading(work, ref) else ref.path[0]
    return f"/{ref.work}/{ref.edition}/{name}/"


def home(profile: Profile, comment: Ref, kb: KnowledgeBase | None = None) -> Ref | None:
    """The law a comment stands with; of several (``7~8``) the first. None when there is no such law."""
    laws = profile.works[comment.work].comments_on or profile.law_work.name
    number = comment.path[0]
    same = [Ref(laws, comment.edition, (step,)) for step in dict.fromkeys((number, number.partition("~")[0]))]
    if kb is None:
        return same[-1]
    known = next((law for law in same if kb.entry(law)), None)
    if known:
        return known
    head = Ref(comment.work, comment.edition, comment.path[:1])
    for ref in [head, *kb.children(head)]:
        for relation in kb.relations(ref):
            law = Ref(relation.law.work, relation.law.edition, relation.law.path[:1])
            if law.path and kb.entry(law):
                return law
    return None


def anchor(profile: Profile, ref: Ref) -> str:
    """The id on the page: ``65.B.1``, ``c65.3``; empty for what the page itself is about."""
    work = profile.works.get(ref.work)
    if work is None or not ref.path:
        return ""
    if work.role == "commentary":
        return f"{work.letter}{ref.dotted}"
    return "" if is_heading(work, ref) or len(ref.path) == 1 else ref.dotted


def permalink(profile: Profile, ref: Ref) -> str:
    """The address for people and programs: ``/l/1987/65B1/``, ``/c/1987/65.3/``."""
    letter = profile.works[ref.work].letter
    return f"/{letter}/{ref.edition}/{short(profile, ref)}/" if ref.path else f"/{letter}/{ref.edition}/"


def shortened(profile: Profile, text: str) -> list[Ref]:
    """The refs of the corpus's edition, known or not, whose short name this is, in letters of any case."""
    steps = _STEPS.findall(text) if _SHORT_NAME.fullmatch(text) else []
    found = []
    for work in profile.works.values() if steps else ():
        numberings = [level.numbering for level in work.provision_levels]
        cased = (_cased(step, numberings[n] if n < len(numberings) else "") for n, step in enumerate(steps))
        ref = Ref(work.name, profile.edition, tuple(cased))
        if short(profile, ref).lower() == text.lower():
            found.append(ref)
    return found


def _cased(step: str, numbering: str) -> str:
    return step.upper() if numbering == "upper" else step.lower() if numbering.startswith("lower") else step


def label(profile: Profile, ref: Ref) -> str:
    """The name in the inventory: ``law-65b1``, ``comment-65.3``."""
    return f"{profile.works[ref.work].label}-{short(profile, ref).lower()}"


def short(profile: Profile, ref: Ref) -> str:
    """As people write it: ``65B1``; a comment or a heading keeps its dots: ``65.3``, ``ch.VII``.

    Two different paths never give the same name: a dot stays between two figures and between two letters.
    """
    work = profile.works.get(ref.work)
    if work is None or work.role == "commentary" or is_heading(work, ref):
        return ref.dotted
    name = ""
    for step in ref.path:
        glued = not name or name[-1].isdigit() != step[0].isdigit()
        name += step if glued else f".{step}"
    return name


def human(profile: Profile, ref: Ref) -> str:
    """``short`` for a reader's eye: ``7–8`` for the heading ``7~8``, ``7¹`` for the inserted ``7-1``."""
    return _INSERTED.sub(lambda found: found.group(1).translate(_RAISED), short(profile, ref)).replace(
        "~", "–"
    )


def is_heading(work: Work, ref: Ref) -> bool:
    """True for the path of a heading (``ch.VI.pt.IV``), which is no part of the refs below it."""
    path = ref.path
    if path:
        first = path[0]
        for level in work.levels:  # a generator would cost more than the looks
            if level.step == first and level.heading and first:
                return True
    return False
