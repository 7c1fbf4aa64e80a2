"""The command line: parse arguments, call one function, print. Exit codes are those of INTERFACES."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kb import cli_corpus, completion
from kb.console import (
    Settings,
    json_option,
    languages,
    print_json,
    provisions,
    read_text,
    run,
    show_version,
    watched,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder with the profile and the scans.  [default: corpus/bridge]",
)
@click.option(
    "--build",
    type=click.Path(path_type=Path),
    default=Path("build"),
    show_default=True,
    help="Folder for all output.",
)
@click.option("-q", "--quiet", count=True, help="No progress on stderr.")
@click.option("-v", "--verbose", count=True, help="More of it.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, corpus: Path | None, build: Path, quiet: int, verbose: int) -> None:
    """A law-and-commentary knowledge base: damaged scans in; a traceable text, search, a site and links out.

    \b
    Examples:
      kb build                     the corpus into build/: text, index, pages, site
      kb show 65C                  a provision, its commentary, who cites it
      kb search lead out of turn
      kb resolve "Law 65B1"
    """
    ctx.obj = Settings(corpus or _default_corpus(), build, verbose - quiet)
    watched(ctx, ctx.obj)


def _default_corpus() -> Path:
    """The checkout's corpus, else the one that came with the package."""
    here = Path("corpus") / "bridge"
    packaged = Path(__file__).parent / "corpora" / "bridge"
    return packaged if packaged.is_dir() and not here.is_dir() else here


@cli.command()
@click.option("--strict", is_flag=True, help="Exit with 1 when there are findings.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")
@click.option(
    "--scheduler", default="", metavar="ADDRESS", help="Read the sources on a dask cluster: tcp://host:8786."
)
@click.option(
    "--only", default="", help="Limit what is made: store,index,pages,api,site,report; also site-file."
)
@click.option("--backend", default="", help="Search backend.  [default: the profile's, else whoosh]")
@click.pass_obj
def build(settings: Settings, strict: bool, jobs: int, scheduler: str, only: str, backend: str) -> int:
    """The main job: corpus into text, index, pages, site. What has not changed is not done again.

    \b
    Example:  kb build --only index,pages --jobs 2
    """
    from kb.make import make

    stages = [name.strip() for name in only.split(",") if name.strip()]
    made = make(settings.corpus, settings.build, stages, backend, jobs, settings.say, scheduler)
    settings.say(f"made: {', '.join(made.redone)}" if made.redone else "nothing to do: all is up to date")
    if made.findings:
        settings.say(f"{len(made.findings)} findings (`kb audit` lists them)")
    return 1 if strict and made.findings else 0


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF…", shell_complete=completion.refs)
@click.option(
    "--lang",
    default="",
    shell_complete=completion.langs,
    help="A language of the corpus, or both.  [default: the sources']",
)
@json_option
@click.pass_obj
def show(settings: Settings, refs: tuple[str, ...], lang: str, as_json: bool) -> int:
    """A provision with its children, commentary, citations out and in.

    REF is a ref (commentary/1987/65.3) or a citation as people write it.

    \b
    Example:  kb show 65C --lang both
    """
    base = settings.library()
    langs = languages(base, lang)
    found = provisions(base, refs)
    if found is None:
        return 1
    if as_json:
        from kb import answers

        print_json([answers.provision(base, one, langs[0]) for one in found], len(refs) == 1)
    else:
        from kb.show import show_text

        click.echo("\n".join(show_text(base, one, langs) for one in found), nl=False)
    return 0


cli.add_command(show, "law")


@cli.command()
@click.argument("words", nargs=-1, metavar="WORDS…")
@click.option("--lang", default=None, shell_complete=completion.langs, help="Only what has this language.")
@click.option("--work", default=None, shell_complete=completion.works, help="Only this work of the corpus.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits at most.")
@click.option("--explain", is_flag=True, help="What each word added to a hit's score.")
@json_option
@click.pass_obj
def search(
    settings: Settings,
    words: tuple[str, ...],
    lang: str | None,
    work: str | None,
    limit: int,
    explain: bool,
    as_json: bool,
) -> None:
    """Full text. A query that is a citation goes to that provision first.

    \b
    Example:  kb search --lang en revoke by dummy
    """
    from kb import answers

    answer = answers.search(settings.library(), " ".join(words), lang, work, limit, explain)
    if as_json:
        print_json([answer], True)
    else:
        from kb.show import search_text

        click.echo(search_text(answer), nl=False)


@cli.command()
@click.argument("citations", nargs=-1, required=True, metavar="CITATION…")
@click.option("--edition", default=None, help="The edition meant when the citation names none.")
@click.option("--on", default=None, metavar="DATE", help="The edition in force on a day, YYYY-MM-DD.")
@click.option(
    "--context",
    default=None,
    metavar="REF",
    shell_complete=completion.refs,
    help="Where relative citations are read.",
)
@click.option("--url", "as_url", is_flag=True, help="Print the addresses alone.")
@click.option("--base-url", default="", metavar="URL", help="Address of the site, put before each.")
@json_option
@click.pass_obj
def resolve(
    settings: Settings,
    citations: tuple[str, ...],
    edition: str | None,
    on: str | None,
    context: str | None,
    as_url: bool,
    base_url: str,
    as_json: bool,
) -> None:
    """A citation, as people write it, into refs and addresses.

    \b
    Example:  kb resolve "Law 65B1" --url
    """
    from kb import answers
    from kb.errors import InputError

    if not all(one.strip() for one in citations):
        raise InputError("an empty citation; give one in quotes, as it is written in a text")
    base = settings.library()
    found = [answers.resolve(base, one, edition, context, on, base_url) for one in citations]
    if as_json:
        print_json(found, len(found) == 1)
    elif as_url:
        urls = [row["url"] for answer in found for row in answer["results"] if row["url"]]
        click.echo("".join(f"{url}\n" for url in urls), nl=False)
    else:
        from kb.show import resolve_text

        click.echo("".join(resolve_text(answer) for answer in found), nl=False)


@cli.command()
@click.argument("files", nargs=-1, metavar="[FILE…|-]")
@click.option("--to", type=click.Choice(["json", "html", "md", "text"]), default="json", show_default=True)
@click.option("--base-url", default="", metavar="URL", help="Address of the site, put before each link.")
@click.option("--lang", default=None, shell_complete=completion.langs, help="Language of the text.")
@click.option("--pin", is_flag=True, help="Link to permalinks with the text's hash, for `kb verify`.")
@click.pass_obj
def cite(
    settings: Settings, files: tuple[str, ...], to: str, base_url: str, lang: str | None, pin: bool
) -> None:
    """All citations of a text, found and resolved; or the text with links put in.

    \b
    Example:  kb cite appeal.md --to md --base-url https://laws.example/
    """
    from kb import answers
    from kb.errors import InputError

    texts = [(name, read_text(name)) for name in files or ("-",)]
    for name, text in texts:
        if not text.strip():
            said = "standard input" if name == "-" else name
            raise InputError(f"{said}: empty, so there is nothing to find in it; give a text")
    base = settings.library()
    if to == "json":
        found = [answers.find_refs(base, text, lang, root=base_url) for _, text in texts]
        named = [{"file": name, **one} for (name, _), one in zip(texts, found, strict=True)]
        print_json(found if len(found) == 1 else named, len(found) == 1)
    else:
        for _, text in texts:
            click.echo(answers.annotated(base, text, to, lang, base_url, pin), nl=False)


@cli.command()
@click.option("--strict", is_flag=True, help="Exit with 1 when there are findings.")
@json_option
@click.pass_obj
def audit(settings: Settings, strict: bool, as_json: bool) -> int:
    """What is missing, damaged, unplaced, unresolved or untranslated; every character accounted for.

    \b
    Example:  kb audit --json > audit.json
    """
    from kb import audit as auditing

    base = settings.library()
    report = auditing.audit(base.kb, base.profile)
    if as_json:
        print_json([report], True)
    else:
        click.echo(auditing.as_text(report), nl=False)
    return 0 if not strict or auditing.clean(report) else 1


@cli.command()
@click.argument("ref", shell_complete=completion.refs)
@json_option
@click.pass_obj
def explain(settings: Settings, ref: str, as_json: bool) -> int:
    """Where a provision comes from: source, lines, page, repairs, its number, why a comment is about it.

    \b
    Example:  kb explain 65.B
    """
    from kb import show as showing

    base = settings.library()
    found = provisions(base, (ref,))
    if found is None:
        return 1
    if as_json:
        print_json([showing.explain_data(base, found[0])], True)
    else:
        click.echo(showing.explain_text(base, found[0]), nl=False)
    return 0


@cli.command()
@click.option("--to", type=click.Choice(["jsonl", "akn", "csv"]), required=True, help="Format.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="[default: stdout]"
)
@click.pass_obj
def export(settings: Settings, to: str, out: Path | None) -> None:
    """Open data: rows of JSON, Akoma Ntoso, or the links as CSV.

    \b
    Example:  kb export --to jsonl --out laws.jsonl
    """
    from contextlib import nullcontext

    from kb import progress
    from kb.errors import InputError
    from kb.publish import akn, exports, files

    base = settings.library(public=True)
    makers = {"jsonl": exports.jsonl, "csv": exports.csv_lines, "akn": akn.akoma_ntoso}
    chunks = makers[to](base.kb, base.profile)
    if out is not None:
        if not out.parent.is_dir():
            raise InputError(f"--out {out}: no such folder as {out.parent} (make it first)")
        files.write_stream(out, chunks)
        settings.say(f"written: {out}")
        return
    # On a terminal the rows are the progress.
    with progress.shown(progress.unseen) if sys.stdout.isatty() else nullcontext():
        for chunk in chunks:
            click.echo(chunk, nl=False)


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@json_option
@click.pass_obj
def verify(settings: Settings, files: tuple[Path, ...], as_json: bool) -> None:
    """Which stored citations point to text that has changed, moved or gained its text.

    A stored citation is a permalink with ?h=HASH, or JSON of `kb cite`.

    \b
    Example:  kb verify appeals/2024.md
    """
    from kb.verify import verify as judge

    verdicts = judge(settings.library(), files)
    if as_json:
        print_json([[verdict.as_json() for verdict in verdicts]], True)
    else:
        click.echo("".join(f"{verdict}\n" for verdict in verdicts), nl=False)


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.pass_obj
def serve(settings: Settings, host: str, port: int) -> None:
    """The site, the search API and the resolver over HTTP.

    \b
    Example:  kb serve --port 8080
    """
    from kb.serve import run

    run(settings.build, host, port)


@cli.command()
@click.pass_obj
def mcp(settings: Settings) -> None:
    """Search, look-up and resolver for assistants, over stdio.

    \b
    Example:  claude mcp add laws -- kb --build /srv/laws/build mcp
    """
    from kb.hosts.mcp import run

    run(settings.library())


for made in cli_corpus.COMMANDS:
    cli.add_command(made)


def main() -> None:
    """The entry point of ``kb``."""
    name = Path(sys.argv[0]).name
    answered = completion.answered(cli, name)
    sys.exit(run(cli, sys.argv[1:]) if answered is None else answered)


if __name__ == "__main__":
    main()
