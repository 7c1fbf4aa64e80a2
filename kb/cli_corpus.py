"""The commands about corpora and about the program itself, beside those that read a build (cli.py)."""

from __future__ import annotations

from pathlib import Path

import click

from kb import completion
from kb.console import Settings, json_option, print_json


@click.command("import")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--work", default="", help="The work of the corpus the scans are of.")
@click.option("--lang", default="", help="Their language.")
@click.option("--edition", default="", help="Their edition.  [default: the corpus's]")
@click.option("--dry-run", is_flag=True, help="Only say what they would add.")
@click.option("--undo", is_flag=True, help="Take out again what the last import added.")
@json_option
@click.pass_obj
def import_(
    settings: Settings,
    files: tuple[Path, ...],
    work: str,
    lang: str,
    edition: str,
    dry_run: bool,
    undo: bool,
    as_json: bool,
) -> None:
    """Add scans to the corpus: copies them, records the hash, says what they add.

    \b
    Examples:
      kb import page85.txt --work laws --lang ru --dry-run
      kb import --undo
    """
    from kb import intake

    done: intake.Gain | intake.Undone
    if undo:
        if files:
            raise click.UsageError("--undo takes no FILE")
        done = intake.undo(settings.corpus, dry_run)
    else:
        for name, given in (("FILE", files), ("--work", work), ("--lang", lang)):
            if not given:
                raise click.UsageError(f"{name} is missing")
        done = intake.take_in(settings.corpus, files, work, lang, edition, dry_run)
    if as_json:
        print_json([done.as_json()], True)
    else:
        click.echo(str(done))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.pass_obj
def new(settings: Settings, folder: Path) -> None:
    """A corpus of one's own: a commented profile, sources.toml and a tiny sample that builds.

    \b
    Example:  kb new fire-code
    """
    from kb.scaffold import scaffold

    for path in scaffold(folder):
        settings.say(f"made {path}")
    settings.say(f"next: kb --corpus {folder} --build {folder}-build build")


@click.command("completion")
@click.argument("shell", type=click.Choice(completion.SHELLS))
@click.option("--name", default="kb", show_default=True, help="What the program is called: also lawkb.")
@click.pass_context
def completion_(ctx: click.Context, shell: str, name: str) -> None:
    """The lines that teach a shell to complete commands, options and refs behind TAB.

    \b
    Examples:
      eval "$(kb completion bash)"                              in ~/.bashrc
      eval "$(kb completion zsh)"                               in ~/.zshrc, after compinit
      kb completion fish > ~/.config/fish/completions/kb.fish   once
    """
    click.echo(completion.script(ctx.find_root().command, shell, name))


COMMANDS = (import_, new, completion_)
