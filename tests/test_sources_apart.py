"""Each source worked on alone: kept from build to build, by processes, by a cluster; always the same."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest
from grown import PER_SOURCE, grow

from kb import kept, pipeline
from kb.errors import MissingExtra
from kb.make import make
from kb.outputs import MADE
from kb.pipeline import Means
from kb.store import FILE_NAME, fingerprint
from kb.stored import KEPT

ROOT = Path(__file__).parent.parent
SOURCES = 4


@pytest.fixture()
def corpus(tmp_path):
    grow(tmp_path / "corpus", SOURCES * PER_SOURCE)
    return tmp_path / "corpus"


@pytest.fixture()
def worked(monkeypatch):
    """The names of the sources that are worked on, as they are."""
    names = []
    true = pipeline.process_source

    def noted(spec, root):
        names.append(spec.name)
        return true(spec, root)

    monkeypatch.setattr(pipeline, "process_source", noted)
    return names


def change(corpus: Path, name: str) -> None:
    """Another word in one source."""
    path = corpus / "sources" / name
    path.write_text(path.read_text("utf-8").replace("игрок", "участник", 1), "utf-8")


def test_only_a_changed_source_is_worked_on_again(corpus, tmp_path, worked):
    build = tmp_path / "build"
    make(corpus, build, only=["report"])
    assert len(worked) == SOURCES
    worked.clear()
    change(corpus, "00002.txt")
    make(corpus, build, only=["report"])
    assert worked == ["00002.txt"]
    make(corpus, tmp_path / "whole", only=["report"])
    for name in (FILE_NAME, "report/audit.json"):
        assert (build / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert len(list((build / KEPT).iterdir())) == SOURCES, "what is not used any more is dropped"


@pytest.mark.parametrize(
    ("name", "added", "again"),
    [
        ("profile.toml", "\n# a remark\n", SOURCES),
        ("outline.toml", "\n# a remark\n", SOURCES),
        ("glossary.toml", "", 0),
        ("corrections.toml", "", 0),
    ],
)
def test_a_changed_rule_concerns_every_source(corpus, tmp_path, worked, name, added, again):
    make(corpus, tmp_path / "build", only=["report"])
    worked.clear()
    with (corpus / name).open("a", encoding="utf-8") as stream:
        stream.write(added)
    make(corpus, tmp_path / "build", only=["report"])
    assert len(worked) == again


def test_what_cannot_be_read_is_made_again(corpus, tmp_path, worked):
    make(corpus, tmp_path / "build", only=["report"])
    first = (tmp_path / "build" / FILE_NAME).read_bytes()
    for number, path in enumerate(sorted((tmp_path / "build" / KEPT).iterdir())):
        path.write_bytes([b"", b"nonsense", path.read_bytes()[:-40], pickle.dumps("a")][number])
    # Nothing is noted of the store, so that it cannot be made of the one before.
    (tmp_path / "build" / MADE / "store").write_text("nonsense")
    worked.clear()
    change(corpus, "00000.txt")
    change(corpus, "00000.txt")
    make(corpus, tmp_path / "build", only=["report"])
    assert len(worked) == SOURCES
    make(corpus, tmp_path / "other", only=["report"])
    assert (tmp_path / "build" / FILE_NAME).read_bytes() == (tmp_path / "other" / FILE_NAME).read_bytes()
    assert (tmp_path / "build" / FILE_NAME).read_bytes() != first


class Hostile:
    """A pickle of it runs a command when it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def test_a_kept_value_runs_no_code(tmp_path):
    kept.save(tmp_path, "key", (Hostile(tmp_path / "ran"),))
    assert kept.load(tmp_path, "key") is None and not (tmp_path / "ran").exists()
    (tmp_path / "plain").write_bytes(pickle.dumps(Hostile(tmp_path / "ran")))
    assert kept.load(tmp_path, "plain") is None and not (tmp_path / "ran").exists()


def test_processes_give_the_same(corpus):
    assert fingerprint(pipeline.build(corpus, Means(jobs=2))) == fingerprint(pipeline.build(corpus))


def test_without_the_extra(corpus, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"lawkb\[dask\]"):
        pipeline.build(corpus, Means(scheduler="tcp://127.0.0.1:1"))
