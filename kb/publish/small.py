"""The theme's scripts and style sheet as a reader's device gets them: without comments and needless space."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.structure.files import Files


def _script(text: str) -> str:
    import rjsmin

    return str(rjsmin.jsmin(text))


def _style(text: str) -> str:
    import rcssmin

    return str(rcssmin.cssmin(text))


_BY_SUFFIX: Mapping[str, tuple[str, Callable[[str], str]]] = {
    ".js": ("rjsmin", _script),
    ".css": ("rcssmin", _style),
}


def smaller(name: str, text: str) -> str:
    """A script or style sheet that does the same in fewer bytes; any other text as it is.

    So is one in an environment that has MkDocs and not our libraries: the hooks are to work there too.
    """
    library, make = _BY_SUFFIX.get(Path(name).suffix, ("", str))
    return make(text) + "\n" if library and find_spec(library) else text


def make_smaller(files: Files, folder: Path) -> None:
    """Of a site's files, those that come from ``folder``."""
    endings, home = tuple(_BY_SUFFIX), f"{folder}{os.sep}"
    for file in files:
        path = str(file.abs_src_path or "")
        if file.src_uri.endswith(endings) and path.startswith(home) and os.sep not in path[len(home) :]:
            file.content_string = smaller(file.src_uri, file.content_string)
