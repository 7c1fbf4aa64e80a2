"""Around the commands: the options before them, how errors end, how answers are printed."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.errors import InputError, KbError, NotFound

if TYPE_CHECKING:
    from kb.library import Library, Provision

Command = TypeVar("Command", bound=Callable[..., Any])

DISTRIBUTION = "lawkb"
DEBUG = "KB_DEBUG"
PATIENCE = 0.5
"""Seconds of work before a bar shows how far it is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that stand before the command."""

    corpus: Path
    build: Path
    verbosity: int

    def say(self, line: str) -> None:
        """A line of progress, on stderr; -q keeps it back."""
        if self.verbosity >= 0:
            click.echo(line, err=True)

    def library(self, public: bool = False) -> Library:
        """The build, opened; ``public``: without what private sources hold. Raises BuildError."""
        from kb.library import open_library, public_folder

        return open_library(public_folder(self.build) if public else self.build)


class Bar:
    """A bar on stderr for one piece of work, from when it takes longer than PATIENCE."""

    _drawn = False
    """One bar at a time: work inside of work is part of it."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total = label, total
        self._began = time.monotonic()
        self._done = 0
        self._bar: Any = None

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(1)
        elif not Bar._drawn and time.monotonic() - self._began >= PATIENCE:
            Bar._drawn = True
            self._bar = click.progressbar(length=self._total, label=self._label, file=sys.stderr)
            self._bar.update(self._done)

    def close(self) -> None:
        """Leave the line to what comes next."""
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
            Bar._drawn = False


def watched(ctx: click.Context, settings: Settings) -> None:
    """Show how far long work is, on a terminal, unless -q says not to."""
    if settings.verbosity >= 0 and sys.stderr.isatty():
        from kb import progress

        ctx.with_resource(progress.shown(Bar))


def json_option(command: Command) -> Command:
    """``--json``: one JSON value on stdout and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout.")(command)


def run(command: click.Command, arguments: list[str]) -> int:
    """Run a command; its exit code. Every error is one line on stderr, and none is a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A letter the terminal cannot show is no reason to stop.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Not command.main(): it has a mind of its own about closed pipes.
        with command.make_context("kb", list(arguments)) as ctx:
            code = command.invoke(ctx)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "kb"
        return fail(f"{where}: {error.format_message()} (see `{where} --help`)")
    except KbError as error:
        return fail(f"kb: {error}")
    except BrokenPipeError:
        # Whoever read our output has enough. The flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, click.Abort):
        return fail("kb: interrupted", 130)
    except OSError as error:
        return fail(f"kb: {error.filename or 'output'}: {error.strerror or error}")
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        return fail(
            f"kb: internal error, please report it: {type(error).__name__}: {error} ({DEBUG}=1 shows where)"
        )


def fail(message: str, code: int = 2) -> int:
    """Say what is wrong, on one line."""
    click.echo(" ".join(message.split()), err=True)
    return code


def installed_version() -> str:
    """The version of the installed distribution."""
    from importlib.metadata import PackageNotFoundError, version  # a fifth of the time of a `kb show`

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown (not installed)"


def show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """``--version``: say it and stop."""
    if asked and not ctx.resilient_parsing:
        click.echo(f"kb, version {installed_version()}")
        ctx.exit()


def provisions(base: Library, refs: Iterable[str]) -> list[Provision] | None:
    """All provisions asked for, or None after saying which is not there."""
    try:
        return [base.find(ref) for ref in refs]
    except NotFound as error:
        click.echo(f"kb: {error}", err=True)
        return None


def languages(base: Library, lang: str) -> list[str]:
    """What ``--lang`` asks for: one language, or all. Raises InputError for one the corpus has not."""
    known = base.profile.languages
    if lang == "both":
        return list(known)
    if lang and lang not in known:
        raise InputError(f"--lang {lang}: none of {', '.join(known)}, both")
    return [lang or known[0]]


def read_text(name: str) -> str:
    """A file, or standard input for ``-``, as text in UTF-8, line ends as they are. Raises InputError."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{name}: not a text in UTF-8; save it as one") from None


def print_json(values: list[Any], single: bool) -> None:
    """One JSON value on stdout: the one of a single question, else the list."""
    value = values[0] if single else values
    click.echo(json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1))
