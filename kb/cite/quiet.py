"""Whether anything behind a number can belong to it: mostly nothing can, and one look tells.

It never changes a result: when it says so the rows, editions and codes that would be looked for are not
there. So the browser's matcher does without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kb.cite.patterns import AFTER, END
from kb.cite.scan import runs
from kb.cite.shapes import LETTER, SPACE

JOINTS = ("and", "to", "of", "the", "direction", "more", "this", "same", "contrast")
"""The word lists of ``[words]`` that may stand between a number and what belongs to it."""
_SIGNS = '.:!?)]»"”'
_BLANK = f"(?:{SPACE}|\\r?\\n)"


class Quiet:
    """``pattern`` matches behind a number of which nothing follows, if its group, when there is one, is none
    of ``stops`` and has none of ``endings``."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        lexicon = data["lexicon"]
        listed = [
            *data["joints"],
            *data["count"],
            *(word for word in lexicon if lexicon[word][0] in ("noun", "foreign")),
        ]
        self.stops = frozenset(runs(listed))
        self.endings = (*data["countEndings"], *data["adjectives"])
        signs = "".join(re.escape(sign) for sign in _SIGNS if not any(word[0] == sign for word in listed))
        # No upper case: the name of an act may begin there. Behind a comma no letter that is a Roman number.
        word = f"(?:,{_BLANK}{{1,6}}(?![ivx])|{_BLANK}{{1,6}})([a-zа-яё]{{2,40}})(?![0-9{LETTER}])"
        year = f"(?![^0-9]{{0,{AFTER}}}(?:19|20)[0-9]{{2}})"
        sign = f"[{signs}](?![.0-9a-z])" if signs else "(?!)"
        self.pattern = re.compile(f"(?:{sign}|{word}){year}|{END}")
