"""Citations: ``grammar`` (what they look like), ``find`` (what a text says), ``resolve`` (what it means),
``query`` (one as a person types it), ``annotate`` (links put into a document).

The package can be called: ``kb.cite("см. правило 65D", lang="ru")`` gives the citations of a text.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb.cite.grammar import Grammar
    from kb.model import Citation, Ref


def cite(
    text: str,
    lang: str = "",
    *,
    context: Ref | str | None = None,
    corpus: Path | str | None = None,
    grammar: Grammar | None = None,
) -> list[Citation]:
    """The citations of a text, with their spans in code points.

    ``context``: the ref the text stands at, for relative citations. ``corpus``: the folder whose grammar is
    used; without it ``corpus/bridge`` of the working folder, else the corpus that comes with the package.
    Raises InputError or ProfileError when the corpus cannot be read.
    """
    from kb.cite.find import find
    from kb.model import Ref

    at = Ref.parse(context) if isinstance(context, str) else context
    return find(text, lang, grammar or _grammar(corpus_folder(corpus)), at)


def corpus_folder(folder: Path | str | None) -> Path:
    """The folder of the corpus that is meant: as given, else of the working folder, else the packaged one."""
    if folder is not None:
        return Path(folder).resolve()
    package = Path(__file__).parent.parent
    places = (Path("corpus/bridge"), package.parent / "corpus" / "bridge", package / "corpora" / "bridge")
    return next((place.resolve() for place in places if (place / "profile.toml").is_file()), places[0])


@lru_cache(maxsize=8)
def _grammar(root: Path) -> Grammar:
    from kb.cite.grammar import load_grammar

    return load_grammar(root)


class _Callable(ModuleType):
    """A module that is its own main function: ``kb.cite(...)`` and ``kb.cite.find`` live under one name."""

    def __call__(self, *args: Any, **kwargs: Any) -> list[Citation]:
        return cite(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
