"""The command line: what it prints, its exit codes, one line for every error. Built from the gold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from goldkb import CORPUS, gold_build

from kb import console
from kb.cli import cli

ROOT = Path(__file__).parent.parent
HEAVY = ("whoosh", "pymorphy3", "mkdocs", "bs4", "Stemmer", "starlette", "uvicorn")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return gold_build(tmp_path_factory.mktemp("build"))


@pytest.fixture()
def run(build, capfd):
    def call(*arguments: str) -> tuple[int, str, str]:
        code = console.run(cli, ["--corpus", str(CORPUS), "--build", str(build), *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def kb_process(build, *arguments: str, **options) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "kb.cli", "--build", str(build), *arguments]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, **options)


@pytest.mark.parametrize("ref", ["laws/1987/65.C", "65C", "65с", "65.C", "Law 65C", "правило 65 C"])
def test_show_takes_a_ref_or_a_citation(run, ref):
    code, out, err = run("show", ref)
    assert (
        code == 0 and err == "" and out.startswith("65C. Порядок\nlaws/1987/65.C · section · text supplied\n")
    )


def test_show_is_complete_and_fits_80_columns(run):
    code, out, _ = run("show", "65")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    for part in (
        "Расположение взяток",
        "in force: 2017",
        "65B1. Выигранные взятки",
        "Commentary",
        "65.3 [65C",
        "Cited by",
    ):
        assert part in out
    assert "Source: 004_bd1dbaeee207bdf3.txt, line 77, page 93" in out and "/l/1987/65/" in out


def test_law_is_show(run):
    assert run("law", "65C") == run("show", "65C")


def test_show_what_is_not_supplied(run):
    code, out, _ = run("show", "49")
    assert code == 0 and "known, but its text is in none of the sources" in out and "laws/1987/47.A" in out


def test_show_in_two_languages(run):
    _, out, _ = run("show", "65C", "--lang", "both")
    assert "Порядок · orderliness" in out and "en: no text in this language" in out


def test_show_json_is_one_value(run):
    code, out, err = run("show", "65.3", "--json")
    found = json.loads(out)
    assert code == 0 and err == "" and found["ref"] == "commentary/1987/65.3"
    assert found["about"][0]["target"] == "laws/1987/65.C" and found["nodes"][0]["lang"] == "ru"
    _, out, _ = run("show", "65", "44", "--json")
    law = json.loads(out)[0]
    assert [c["ref"] for c in law["children"]][:2] == ["laws/1987/65.A", "laws/1987/65.B"]
    assert law["commentary"] and law["cited_by"][0]["ref"] == "laws/1987/44.B"


def test_search(run):
    code, out, _ = run("search", "перемешал", "карты", "--json", "--limit", "2")
    found = json.loads(out)
    assert (
        code == 0
        and len(found["hits"]) <= 2
        and found["kind"] == "words"
        and found["query"] == "перемешал карты"
    )
    assert run("search", "ъъъъъъ")[0] == 0
    assert json.loads(run("search", "--json")[1])["kind"] == "empty"


def test_resolve(run):
    code, out, _ = run("resolve", "Правилам 61А и 62А", "--json")
    found = json.loads(out)
    assert code == 0 and [r["target"] for r in found["results"]] == ["laws/1987/61.A", "laws/1987/62.A"]
    assert found["results"][0]["human"] == "61A" and found["results"][0]["url"] == "/laws/1987/61/#61.A"
    assert run("resolve", "65C", "--url")[1] == "/laws/1987/65/#65.C\n"
    assert (
        run("resolve", "65C", "--url", "--base-url", "https://x.example/kb")[1]
        == "https://x.example/kb/laws/1987/65/#65.C\n"
    )
    code, out, _ = run("resolve", "good morning", "--json")
    assert code == 0 and json.loads(out)["results"] == []


def test_resolve_an_unknown_section(run):
    row = json.loads(run("resolve", "Law 61F", "--json")[1])["results"][0]
    assert (
        row["status"] == "unknown" and row["fallback"] == "laws/1987/61" and row["target"] == "laws/1987/61.F"
    )


def test_cite(run, tmp_path):
    text = "См. правило 66C."
    (tmp_path / "a.txt").write_text(text, "utf-8")
    code, out, _ = run("cite", str(tmp_path / "a.txt"))
    found = json.loads(out)
    result = found["results"][0]
    assert code == 0 and text[result["startChar"] : result["endChar"]] == "правило 66C" == result["text"]
    assert (
        result["refs"] == ["laws/1987/66.C"]
        and result["status"] == "not-supplied"
        and not result["linkFailed"]
    )
    assert found["refData"]["laws/1987/66.C"]["human"] == "66C"


def test_cite_from_stdin_and_into_markdown(build):
    done = kb_process(
        build, "cite", "-", "--to", "md", "--base-url", "https://x.example", input="см. Law 65C\r\n".encode()
    )
    assert done.returncode == 0 and done.stdout.endswith(b")\r\n") and b"https://x.example/" in done.stdout


def test_explain(run):
    code, out, _ = run("explain", "65.3")
    assert code == 0 and "000_a406e93d824b63ef.txt, lines 10-15" in out and "laws/1987/65.C" in out
    found = json.loads(run("explain", "54.C", "--json")[1])
    assert [w["chosen"] for w in found["nodes"][0]["witnesses"]].count(True) == 1


def test_export(run, tmp_path):
    code, out, _ = run("export", "--to", "jsonl")
    assert code == 0 and all(json.loads(line)["ref"] for line in out.splitlines())
    assert run("export", "--to", "jsonl", "--out", str(tmp_path / "x.jsonl"))[:2] == (0, "")
    assert (tmp_path / "x.jsonl").read_text("utf-8") == out
    assert run("export", "--to", "csv")[1].startswith("at,lang,in,")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "laws/1987/65.Z"], 1, "laws/1987/65.Z: not in this corpus"),
        (["explain", "65F"], 1, "nearest above it is laws/1987/65"),
        (["show", "laws/1987/65..C"], 2, "not a ref"),
        (["show", "no such thing"], 2, "neither a ref"),
        (["show", "65C", "--lang", "xx"], 2, "--lang xx: none of ru, en, both"),
        (["show"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
        (["search", "a", "--limit", "x"], 2, "--limit"),
        (["search", "a", "--lang", "xx"], 2, "none of ru, en"),
        (["search", "a", "--work", "xx"], 2, "none of laws, commentary"),
        (["resolve", "65C", "--edition", "1999"], 2, "1999"),
        (["resolve", "65C", "--on", "someday"], 2, "not a date"),
        (["resolve", "65C", "--context", "x"], 2, "not a ref"),
        (["cite", "/no/such/file"], 2, "/no/such/file: cannot be read"),
        (["verify", "/no/such/file"], 2, "/no/such/file: cannot be read"),
        (["export", "--to", "xml"], 2, "jsonl"),
        (["export", "--to", "csv", "--out", "/proc/no/file"], 2, "/proc/no/file: no such folder"),
        (["new", str(CORPUS)], 2, "not an empty folder"),
        (["serve", "--host", "300.1.1.1"], 2, "cannot listen"),
        (["build", "--only", "index,tea"], 2, "--only tea: none of store"),
    ],
)
def test_errors_are_one_line(run, arguments, code, message):
    found, out, err = run(*arguments)
    assert (found, out) == (code, "") and message in err and err.count("\n") == 1 and err.startswith("kb")


def test_no_build_and_half_a_build(tmp_path, build, capfd):
    assert console.run(cli, ["--build", str(tmp_path), "show", "65C"]) == 2
    assert "kb build" in capfd.readouterr().err
    half = tmp_path / "half"
    half.mkdir()
    data = (build / "kb.sqlite").read_bytes()
    (half / "kb.sqlite").write_bytes(data[: len(data) // 2])
    assert console.run(cli, ["--build", str(half), "show", "65C"]) == 2
    err = capfd.readouterr().err
    assert "half-written" in err and err.count("\n") == 1


def test_an_unknown_error_is_no_traceback(monkeypatch, capfd):
    monkeypatch.delenv(console.DEBUG, raising=False)
    monkeypatch.setattr(console.Settings, "library", lambda self: 1 / 0)
    assert console.run(cli, ["show", "65C"]) == 2
    err = capfd.readouterr().err
    assert "internal error" in err and "ZeroDivisionError" in err and err.count("\n") == 1


def test_a_closed_pipe_is_silent(build):
    command = f"{sys.executable} -m kb.cli --build {build} export --to jsonl | head -c 10"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, cwd=ROOT, check=False
    )
    assert done.stderr == b"" and done.stdout == b'{"about": ' and done.returncode == 0


def test_ctrl_c(build):
    """An interrupt ends the command with one line, whatever it is doing."""
    command = [sys.executable, "-m", "kb.cli", "--build", str(build), "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command[:-3], "cite", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        # A shell has its background jobs ignore it, and so all that these start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    _at_rest(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.decode().strip()) == (130, "kb: interrupted")


def _at_rest(pid):
    """Wait until a process reads what nobody writes; where that is not told, until it has used no processor
    time for half a second."""
    stat, waits = Path(f"/proc/{pid}/stat"), Path(f"/proc/{pid}/wchan")
    before = None
    for _ in range(120):
        time.sleep(0.5)
        place = waits.read_text() if waits.exists() else "0"
        if place != "0":
            if "pipe" in place:
                return
            continue
        now = stat.read_text().rpartition(")")[2].split()[11:13] if stat.exists() else before
        if now == before and now != ["0", "0"]:
            return
        before = now


def test_show_stays_light(build):
    code = (
        "import sys; from kb import console; from kb.cli import cli;"
        f"code = console.run(cli, ['--build', {str(build)!r}, 'show', '65C']);"
        f"print(code, [m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stderr == "0 []\n" and done.stdout.startswith("65C. ")


def test_bytes_that_are_no_text(build):
    done = kb_process(build, "show", b"\xff\xfe")
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr
    done = kb_process(build, "cite", "-", input=b"\xff\xfe")
    assert done.returncode == 2 and b"UTF-8" in done.stderr


def test_a_terminal_without_cyrillic(build):
    done = kb_process(
        build, "show", "65C", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 0 and done.stdout.startswith(b"65C. ") and done.stderr == b""


def test_new_makes_a_corpus_that_builds(tmp_path):
    runner = CliRunner()
    assert runner.invoke(cli, ["new", str(tmp_path / "mine")]).exit_code == 0
    from kb import pipeline

    records = pipeline.build(tmp_path / "mine")
    assert [str(node.ref) for node in records.nodes if node.kind == "point"] == [
        "rules/2020/1.1", "rules/2020/1.2", "rules/2020/2.1", "rules/2020/2.2",
    ]  # fmt: skip
    assert {str(p.link.target) for p in records.links} == {"rules/2020/1.1", "rules/2020/1.2"}
    assert records.findings == ()


def test_help_has_examples():
    out = CliRunner().invoke(cli, ["--help"]).output
    assert "kb search lead out of turn" in out
