"""Words broken at line ends by other signs than a hyphen, or by one that stands elsewhere."""

from __future__ import annotations

import re

from kb.patterns import middle
from kb.repair.damage import Damage
from kb.repair.words import word_before
from kb.text import Text

_ODD_BREAKS = tuple(
    (tuple(signs), re.compile(rf"{found}(?=(?P<second>[^\W\d_A-ZА-ЯЁ][^\W\d_]+))"))
    for signs, found in (
        ((" -\n", " ¬\n"), r"[ \t\xa0]+[-¬](?<=[^\W\d_] .)\n[ \t\xa0]*"),
        (("\n-", "\n¬"), r"[-¬]?\n(?<=[^\W_]\n|[-¬]\n)[ \t\xa0]*[-¬]"),
        (("-\n\n", "-\n \n"), r"[-¬](?<=[^\W\d_].)[ \t\xa0]*\n(?:[ \t\xa0]*\n){1,3}[ \t\xa0]*"),
        (("~\n", "*\n", "\\\n"), r"[~*\\](?<=[^\W\d_].)\n[ \t\xa0]*"),
    )
)
"""How else a word may be broken: signs that are looked for first, and the break."""
_LEAST_ODD = 3
_SAMPLE = 20_000
"""Code points, from the middle of a text, in which breaks of a copy show."""


def odd_hyphens(text: Text, damage: Damage) -> Text:
    """``нака -/зания``, ``нака/-зания``, ``нака-/-зания``, ``нака~/зания`` -> ``нака-/зания``.

    Also with blank lines in the break. Where the dictionary knows the joined word; and three times at least
    not both of its halves.
    """
    known = damage.lang.known
    sample = middle(text.value, _SAMPLE)
    for signs, pattern in _ODD_BREAKS:
        value = text.value
        if not any(sign in sample for sign in signs):
            continue
        runs = []
        surely = 0
        for match in pattern.finditer(value):
            first, second = word_before(value, match.start()), match["second"]
            if not first or not second.islower() or not known(f"{first}{second}".lower()):
                continue
            surely += False in (known(first.lower()), known(second))
            runs.append((*match.span(), "-\n"))
        if surely >= _LEAST_ODD:
            text = text.replace_runs(runs, "odd-hyphen")
    return text
