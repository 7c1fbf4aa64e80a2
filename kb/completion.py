"""What a shell offers behind TAB: its script, and the refs, languages and works of the build."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.errors import InputError, KbError

if TYPE_CHECKING:
    from kb.store import Store

SHELLS = ("bash", "zsh", "fish")
_OFFERED = 200
"""Refs at most: a shell asks before it prints more."""


def script(command: click.Command, shell: str, name: str) -> str:
    """The lines that teach a shell of SHELLS to complete ``command`` under its name. Raises InputError."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise InputError(f"{shell}: none of {', '.join(SHELLS)}")
    return made(command, {}, name, _variable(name)).source()


def answered(command: click.Command, name: str) -> int | None:
    """The exit code, when it is the shell's script that asks and was answered; else None."""
    asked = os.environ.get(_variable(name))
    if not asked:
        return None
    from click.shell_completion import shell_complete

    return shell_complete(command, {}, name, _variable(name), asked)


def _variable(name: str) -> str:
    return f"_{name.replace('-', '_').upper()}_COMPLETE"


def refs(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Refs that begin so, whole (laws/1987/65) or, of the law, without its work and edition (65)."""
    return _of_build(ctx, lambda kb: _beginning(kb, begun))


def langs(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The languages of the build."""
    return _of_build(ctx, lambda kb: _those(kb.meta.get("languages", "").split(), begun))


def works(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The works of the build."""
    return _of_build(ctx, lambda kb: _those(kb.meta.get("works", "").split(), begun))


def _of_build(ctx: click.Context, ask: Any) -> list[str]:
    """What the build says; nothing where there is none: a shell has no place for an error."""
    from kb.store import FILE_NAME, open_store

    try:
        with open_store(Path(ctx.find_root().params["build"]) / FILE_NAME) as kb:
            found: list[str] = ask(kb)
            return found
    except KbError:
        return []


def _those(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def _beginning(kb: Store, begun: str) -> list[str]:
    found: list[str] = []
    for name in _names(kb):
        if name.startswith(begun):
            found.append(name)
            if len(found) == _OFFERED:
                break
    return found


def _names(kb: Store) -> Iterator[str]:
    law, edition = kb.meta.get("law_work", ""), kb.meta.get("edition", "")
    for entry in kb.entries():
        if entry.ref.work == law and entry.ref.edition == edition and entry.ref.path:
            yield entry.ref.dotted
    for entry in kb.entries():
        yield str(entry.ref)
