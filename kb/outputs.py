"""What stands in a build folder: which stages are made, from what, and whether their files are all there.

``report/state.json`` has for each stage the hash of what it was made from and one over the names and sizes of
its files: one that was lost or cut off shows.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from kb import store
from kb.errors import InputError
from kb.inputs import hashed
from kb.library import CORPUS_FOLDER, PUBLIC_FOLDER
from kb.publish import files
from kb.publish.trees import Tree

STATE = Path("report") / "state.json"
MADE = ".made"
"""Below a build: what the parts of a stage's output were made from, so that only changed ones are redone."""
LISTS = "lists"
"""Below that: the rows of the lists of the open data, law by law."""
_TREES = frozenset({"pages", "site"})
"""Outputs of so many files that they are looked through once only."""
_OUTPUTS = {
    "store": (store.FILE_NAME, CORPUS_FOLDER, f"{PUBLIC_FOLDER}/{store.FILE_NAME}"),
    "index": ("index", f"{PUBLIC_FOLDER}/index"),
    "pages": ("pages",),
    "api": (
        "pages/_headers",
        "pages/api",
        "pages/linker-data.js",
        "pages/linker.js",
        "pages/objects.inv",
        "pages/search-data.js",
        "pages/search-more.js",
    ),
    "site": ("site",),
    "site-file": ("site-file",),
    "report": ("report/audit.json",),
}


class Outputs:
    """The stages of one build. Raises InputError when what is noted of them cannot be read or written."""

    def __init__(self, build: Path) -> None:
        self._build = build
        self._trees: dict[str, Tree] = {}
        self._state = _read_state(build / STATE)

    def tree(self, name: str) -> Tree:
        """The files of a folder of the build, looked through once a run."""
        if name not in self._trees:
            # A site that is whole has the files of the pages under their names.
            beside = self.tree("pages") if name == "site" and "site" in self._state else None
            self._trees[name] = Tree(self._build / name, beside)
        return self._trees[name]

    def wrote_data(self) -> None:
        """The open data are new: they stand among the pages."""
        self.tree("pages").again(name.removeprefix("pages/") for name in _OUTPUTS["api"])

    def stale(self, stage: str, key: str) -> bool:
        """Whether a stage was made from something else, or is not as it was made."""
        found = self._state.get(stage)
        if isinstance(found, dict) and found.get("inputs") == key:
            return bool(found.get("outputs") != self._listing(stage))
        return True

    def begin(self, stage: str) -> None:
        """A stage is being made: until it is whole it counts as not made."""
        if stage in self._state:
            self._discard_damaged(stage)
            del self._state[stage]
            self._write()

    def mark(self, stage: str, key: str) -> None:
        """A stage is whole."""
        self._state[stage] = {"inputs": key, "outputs": self._listing(stage)}
        self._write()

    def _listing(self, stage: str) -> str:
        others = {name for key, names in _OUTPUTS.items() if key != stage for name in names}
        lines = []
        for name in _OUTPUTS[stage]:
            top = self._build / name
            if top.is_dir():
                without = {other[len(name) + 1 :] for other in others if other.startswith(f"{name}/")}
                found = self.tree(name).sizes(without) if name in _TREES else files.sizes(top, without)
                lines += [f"{name}/{inside}\0{size}" for inside, size in found]
            elif top.is_file():
                lines.append(f"{name}\0{top.stat().st_size}")
        return hashed(*lines) if lines else "none"

    def _discard_damaged(self, stage: str) -> None:
        """Not what was made stands there: the stage's own notion of being up to date is wrong."""
        found = self._state[stage]
        if isinstance(found, dict) and found.get("outputs") == self._listing(stage):
            return
        if stage == "index":
            shutil.rmtree(self._build / "index", ignore_errors=True)
        (self._build / MADE / stage).unlink(missing_ok=True)
        if stage == "api":
            shutil.rmtree(self._build / MADE / LISTS, ignore_errors=True)

    def _write(self) -> None:
        files.write(self._build / STATE, json.dumps(self._state, sort_keys=True, indent=1) + "\n")


def _read_state(path: Path) -> dict[str, Any]:
    """What is made; a file that cannot be read as such means nothing is."""
    try:
        state = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; choose another --build") from None
    return state if isinstance(state, dict) else {}
