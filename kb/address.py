"""Where a ref lives: its page and anchor on the site, its permalink, its short name, its inventory label."""

from __future__ import annotations

from kb.model import Ref
from kb.profile import Profile, Work


def url(profile: Profile, ref: Ref) -> str:
    """Page and anchor, from the root of the site: ``/laws/1987/65/#65.B.1``, ``/laws/1987/65/#c65.3``.

    A law and all below it stand on one page, with its commentary; headings on the page of the topmost one.
    The address of a work, or of a page itself, has no anchor. Says nothing of whether the ref is known.
    """
    work = profile.works.get(ref.work)
    if work is None or not ref.path:
        return f"/{ref.work}/{ref.edition}/"
    return page(profile, ref) + (f"#{anchor(profile, ref)}" if anchor(profile, ref) else "")


def page(profile: Profile, ref: Ref) -> str:
    """The page a ref stands on: ``/laws/1987/65/``; of a heading the topmost heading's: ``/laws/1987/ch.VI/``."""
    work = profile.works[ref.work]
    if work.role == "commentary":
        # A comment stands beside what it is about: of several (7~8) beside the first.
        over = work.comments_on or profile.law_work.name
        return f"/{over}/{ref.edition}/{ref.path[0].partition('~')[0]}/"
    steps = ref.path[:2] if is_heading(work, ref) else ref.path[:1]
    return f"/{ref.work}/{ref.edition}/{'.'.join(steps)}/"


def anchor(profile: Profile, ref: Ref) -> str:
    """The id on the page: ``65.B.1``, ``c65.3``; empty for what the page itself is about."""
    work = profile.works[ref.work]
    if work.role == "commentary":
        return f"{work.letter}{ref.dotted}"
    alone = 2 if is_heading(work, ref) else 1
    return ref.dotted if len(ref.path) > alone else ""


def permalink(profile: Profile, ref: Ref) -> str:
    """The address for people and programs: ``/l/1987/65B1/``, ``/c/1987/65.3/``."""
    return f"/{profile.works[ref.work].letter}/{ref.edition}/{short(profile, ref)}/"


def label(profile: Profile, ref: Ref) -> str:
    """The name in the inventory: ``law-65b1``, ``comment-65.3``."""
    return f"{profile.works[ref.work].label}-{short(profile, ref).lower()}"


def short(profile: Profile, ref: Ref) -> str:
    """As people write it: ``65B1``; a work with dotted numbers keeps its dots: ``65.3``.

    Two different paths never give the same name: a dot stays between two figures and between two letters.
    """
    work = profile.works.get(ref.work)
    if work is None or is_heading(work, ref) or any(level.numbering == "dotted" for level in work.levels):
        return ref.dotted
    name = ""
    for step in ref.path:
        glued = not name or name[-1].isdigit() != step[0].isdigit()
        name += step if glued else f".{step}"
    return name


def is_heading(work: Work, ref: Ref) -> bool:
    """True for the path of a heading (``ch.VI.pt.IV``), which is no part of the refs below it."""
    return any(level.heading and level.step and ref.path[:1] == (level.step,) for level in work.levels)
