"""A law-and-commentary knowledge base.

>>> import kb
>>> base = kb.open("build")                    # doctest: +SKIP
>>> base["laws/1987/65.C"].text["ru"]          # doctest: +SKIP

``import kb`` is instant: each name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb.cite import cite
    from kb.library import Library
    from kb.library import open_library as open
    from kb.model import Link
    from kb.search import Hit

__all__ = ["Hit", "Library", "Link", "cite", "open"]

# ``cite`` is a package that can be called: kb.cite(text, lang="ru").
_WHERE = {
    "Hit": ("kb.search", "Hit"),
    "Library": ("kb.library", "Library"),
    "Link": ("kb.model", "Link"),
    "cite": ("kb.cite", ""),
    "open": ("kb.library", "open_library"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _WHERE[name]
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
