"""What a reader may have meant who asks for a place that is not there. ``theme/near.js`` does the same."""

from __future__ import annotations

import re

from kb import address
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile

PLACE = "<!-- near -->"
"""Where the page for lost readers has room for list items."""
MOST = 8
AROUND = 3
"""Laws named where none has the number asked for."""


def nearest(kb: KnowledgeBase, profile: Profile, text: str) -> list[Ref]:
    """Places near the first number in ``text``: the law of that number and its sections, else laws of numbers
    like it: with one digit less, then those next to it. Empty where laws have no such numbers."""
    found = re.search(r"[0-9]{1,9}", text)
    work = profile.law_work
    laws: dict[str, Ref] = {}
    for entry in kb.entries(work.name):
        if (
            len(entry.ref.path) == 1
            and not address.is_heading(work, entry.ref)
            and entry.ref.path[0].isdigit()
        ):
            laws.setdefault(entry.ref.path[0], entry.ref)
    if not found or not laws:
        return []
    asked = found.group().lstrip("0") or "0"
    if asked in laws:
        return [laws[asked], *kb.children(laws[asked])][:MOST]
    typed = [asked[:n] + asked[n + 1 :] for n in reversed(range(len(asked)))]
    around = sorted(laws, key=lambda number: (abs(int(number) - int(asked)), int(number)))[:AROUND]
    return [laws[number] for number in dict.fromkeys([*typed, *around]) if number in laws][:MOST]
