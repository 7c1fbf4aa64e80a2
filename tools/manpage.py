"""The man page, from what the commands say of themselves: ``python tools/manpage.py > man/kb.1``.

One page with all commands, so that one search finds an option. click-man writes one page a command and runs
the lines of an example together.
"""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click

from kb.cli import cli

ROOT = Path(__file__).parent.parent
KEPT = "\b"
"""Stands, in click's help, before lines that are kept as they are."""

EXIT = {
    "0": "Done, also when search or resolve finds nothing.",
    "1": "Under --strict: done, but with findings. Of show and explain: no such provision.",
    "2": "Wrong usage or bad input; one line on standard error says what is wrong and what to do.",
}
ENVIRONMENT = {
    "KB_SITE_URL": "The address the site will have, for what has to name it in full.",
    "KB_OPENSEARCH": "Addresses of an OpenSearch cluster, for --backend opensearch (docs/deploy.md).",
    "KB_DEBUG": "Set to 1: an internal error shows where it happened.",
}


def page(version: str) -> str:
    """The whole page, in the macros of man(7)."""
    ctx = click.Context(cli, info_name="kb", help_option_names=["-h", "--help"])
    lines = [
        f'.TH KB 1 "" "lawkb {version}" "User Commands"',
        ".SH NAME",
        f"kb \\- {_text(_first(cli)).rstrip('.')}",
        ".SH SYNOPSIS",
        *_synopsis("kb", ctx),
        ".SH DESCRIPTION",
        *_help(cli),
        ".SH OPTIONS",
        "These stand before the command.",
        *_options(ctx),
        ".SH COMMANDS",
    ]
    for name in sorted(cli.commands):
        lines += _command(name, click.Context(cli.commands[name], info_name=name, parent=ctx))
    lines += [".SH EXIT STATUS", *_listed(EXIT), ".SH ENVIRONMENT", *_listed(ENVIRONMENT)]
    return "\n".join(lines) + "\n"


def _command(name: str, ctx: click.Context) -> Iterator[str]:
    yield f'.SS "{_text(name)}"'
    yield from _synopsis(f"kb {name}", ctx)
    if ctx.command.name != name:
        yield ".PP"
        yield f"The same as \\fB{_text(ctx.command.name or '')}\\fR."
        return
    yield from _help(ctx.command)
    yield from _options(ctx)


def _synopsis(name: str, ctx: click.Context) -> list[str]:
    return [f"\\fB{_text(name)}\\fR {_text(' '.join(ctx.command.collect_usage_pieces(ctx)))}"]


def _help(command: click.Command) -> Iterator[str]:
    """Paragraphs; those behind a ``\\b`` line by line."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith(KEPT):
            yield from (".PP", ".nf", *map(_line, paragraph.split("\n")[1:]), ".fi")
        else:
            yield from (".PP", *map(_line, paragraph.split("\n")))


def _first(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ")


def _options(ctx: click.Context) -> Iterator[str]:
    options = [one for one in ctx.command.get_params(ctx) if isinstance(one, click.Option)]
    for record in filter(None, (one.get_help_record(ctx) for one in options)):
        yield from (".TP", f"\\fB{_text(record[0])}\\fR", _line(" ".join(record[1].split())))


def _listed(told: dict[str, str]) -> Iterator[str]:
    for name, said in told.items():
        yield from (".TP", f"\\fB{_text(name)}\\fR", _line(said))


def _line(text: str) -> str:
    """A line of text that roff does not take for a request."""
    return f"\\&{_text(text)}" if text.startswith((".", "'")) else _text(text)


def _text(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")


def main() -> int:
    """Print the page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    sys.stdout.write(page(project["version"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
