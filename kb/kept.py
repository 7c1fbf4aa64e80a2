"""What one source yielded, kept from build to build under the hash of all that decides it.

Kept values are pickles, and a pickle can name any code: so only this program's own frozen types are taken
from one, and nothing of a corpus is ever read this way. What cannot be read is made again.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

_UNREADABLE = (OSError, pickle.UnpicklingError, EOFError, ValueError, TypeError, LookupError, AttributeError)


class _Own(pickle.Unpickler):
    """Takes the frozen types of this package, and nothing else by name."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("kb.") and "." not in name:
            found = super().find_class(module, name)
            own = isinstance(found, type) and found.__module__ == module
            if own and (is_dataclass(found) or issubclass(found, tuple)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name}: no type of ours")


def load(folder: Path, key: str) -> Any:
    """The value kept under a key; None when there is none that can be read."""
    try:
        digest, _, packed = (folder / key).read_bytes().partition(b"\n")
        if hashlib.sha256(packed).hexdigest().encode() != digest:
            return None
        return _Own(io.BytesIO(packed)).load()
    except _UNREADABLE:
        return None


def save(folder: Path, key: str, value: object) -> None:
    """Keep a value. That it could not be kept is no error: it is made again the next time."""
    packed = pickle.dumps(value, protocol=5)
    draft = folder / f".{key}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed)
        os.replace(draft, folder / key)
    with suppress(OSError):
        draft.unlink(missing_ok=True)


class Looked:
    """Texts that were looked through and in which nothing was found, by their hashes, and how many have each.

    ``given``: what else decides what is found. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None, given: str) -> None:
        self._path = path
        self._given = _brief(given)
        self._clean: dict[bytes, int] = {}
        self._used: Counter[bytes] = Counter()
        with suppress(OSError):
            held = path.read_bytes() if path else b""
            if held[:_BRIEF] == self._given and (len(held) - _BRIEF) % _ROW == 0:
                for at in range(_BRIEF, len(held), _ROW):
                    times = int.from_bytes(held[at + _BRIEF : at + _ROW], "big")
                    self._clean[held[at : at + _BRIEF]] = times

    def carry(self) -> None:
        """What was noted before still stands, but for what is dropped."""
        self._used = Counter(self._clean)

    def drop(self, text: str) -> None:
        """One that has this text is no more."""
        key = _brief(text)
        if self._used[key] > 1:
            self._used[key] -= 1
        else:
            del self._used[key]

    def clean(self, text: str) -> bool:
        """Whether nothing was found in it."""
        key = _brief(text)
        if key in self._clean:
            self._used[key] += 1
            return True
        return False

    def note(self, text: str) -> None:
        """Nothing is found in it."""
        self._used[_brief(text)] += 1

    def save(self) -> None:
        """Keep what was asked for or noted. That it could not be kept is no error."""
        if self._path is None:
            return
        draft = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        counted = (key + times.to_bytes(_TIMES, "big") for key, times in sorted(self._used.items()))
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(b"".join([self._given, *counted]))
            os.replace(draft, self._path)
        with suppress(OSError):
            draft.unlink(missing_ok=True)


_BRIEF, _TIMES = 16, 4
_ROW = _BRIEF + _TIMES


def _brief(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_BRIEF).digest()


def prune(folder: Path, keys: Iterable[str]) -> None:
    """Drop what is kept under other keys, and the drafts of builds that were killed."""
    wanted = set(keys)
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.name not in wanted:
            with suppress(OSError):
                path.unlink()


@cache
def program_hash() -> str:
    """The hash of the program that runs: what another version made is not used."""
    digest = hashlib.sha256()
    folder = package()
    for name in package_names():
        digest.update(f"{name}\0".encode())
        with open(f"{folder}/{name}", "rb") as stream:
            digest.update(hashlib.sha256(stream.read()).digest())
    return digest.hexdigest()


def package() -> Path:
    """The folder of the program."""
    return Path(str(package_files("kb")))


def package_names() -> list[str]:
    """The program's own files from its folder, sorted; the corpora it carries apart."""
    top = str(package())
    found = []
    for folder, below, names in os.walk(top):
        left_out = {"__pycache__", "corpora"} if folder == top else {"__pycache__"}
        below[:] = [name for name in below if name not in left_out]
        inside = folder[len(top) + 1 :].replace(os.sep, "/")
        found += [
            f"{inside}/{name}" if inside else name for name in names if os.path.isfile(f"{folder}/{name}")
        ]
    return sorted(found)
