"""The index as files: the same bytes each time, whole or not there, the old one until the new one is done."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from search_base import bilingual, counts, index_folder

from kb.errors import BuildError, InputError
from kb.model import Node, Records, Ref
from kb.search import build_index, building, open_index
from kb.search.analysis import Analyser
from kb.search.backend import CURRENT, current
from kb.search.vocabulary import Builder, Vocabulary, sound_key
from kb.store import open_store, save

_BUILD = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from search_base import bilingual
from kb.search import build_index, export_index
kb, profile = bilingual()
build_index(kb, profile, Path(sys.argv[1]) / "index")
export_index(kb, profile, Path(sys.argv[1]))
"""


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.full
def test_same_bytes_whatever_the_folder_and_the_hash_seed(tmp_path: Path) -> None:
    made = []
    for seed, folder in (("1", tmp_path / "one"), ("2", tmp_path / "other" / "deep")):
        code = _BUILD.format(tests=str(Path(__file__).parent))
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True, env=environment)
        made.append(_bytes(folder))
    assert len(made[0]) >= 6
    assert made[0] == made[1]


def test_unchanged_corpus_writes_nothing(tmp_path: Path) -> None:
    kb, profile = bilingual()
    shutil.copytree(index_folder(), tmp_path, dirs_exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert not build_index(kb, profile, tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}


def test_killed_rebuild_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb, profile = bilingual()
    shutil.copytree(index_folder(), tmp_path, dirs_exist_ok=True)
    before = _bytes(tmp_path)

    class Killed(BaseException):
        pass

    class Breaking(Vocabulary):
        def to_json(self) -> str:
            if any(path.name.startswith(".g-") for path in tmp_path.iterdir()):
                raise Killed
            return super().to_json().replace('"function":[', '"function":["changed",')

    monkeypatch.setattr("kb.search.vocabulary.Vocabulary", Breaking)
    with pytest.raises(Killed):
        build_index(kb, profile, tmp_path)
    assert _bytes(tmp_path) == before
    assert open_index(tmp_path, kb, profile).search("взятка").hits


def test_leftovers_of_a_killed_build_are_dropped(tmp_path: Path) -> None:
    kb, profile = bilingual()
    (tmp_path / ".g-0123.99999").mkdir()
    (tmp_path / ".g-0123.99999" / "half").write_text("x")
    build_index(kb, profile, tmp_path, kept=counts())
    assert sorted(path.name[:2] for path in tmp_path.iterdir()) == ["CU", "g-"]


def test_reader_keeps_the_old_index_while_another_takes_over(tmp_path: Path) -> None:
    kb, profile = bilingual()
    shutil.copytree(index_folder(), tmp_path, dirs_exist_ok=True)
    reader = open_index(tmp_path, kb, profile)
    _small(tmp_path)
    assert "laws/1987/65.D" in {str(hit.ref) for hit in reader.search("65D").hits}
    assert str(reader.search("insufficient bid").hits[0].ref) == "laws/1987/27"
    assert len(open_index(tmp_path, kb, profile).search("zebra").hits) == 1


def _small(folder: Path) -> None:
    """Put the index of a corpus of one node into the folder."""
    _, profile = bilingual()
    node = Node(Ref("laws", "1987", ("1",)), "en", "law", title="Zebra crossing", text="A zebra crosses.")
    meta = {"name": "small", "languages": "ru en", "build_id": "small"}
    entries = tuple(e for e in profile.outline if e.ref.path in (("1",), ("ch", "II")))
    path = folder.parent / "small.sqlite"
    save(Records(meta=meta, entries=entries, nodes=(node,)), path)
    build_index(open_store(path), profile, folder)


def test_empty_corpus(tmp_path: Path) -> None:
    _, profile = bilingual()
    save(Records(meta={"name": "empty", "languages": "ru en", "build_id": "none"}), tmp_path / "kb.sqlite")
    kb = open_store(tmp_path / "kb.sqlite")
    build_index(kb, profile, tmp_path / "index")
    assert open_index(tmp_path / "index", kb, profile).search("взятка 65").hits == ()


@pytest.mark.parametrize("damage", ["absent", "pointer", "cut", "vocabulary"])
def test_unusable_index_is_one_clear_line(tmp_path: Path, damage: str) -> None:
    kb, profile = bilingual()
    folder = tmp_path / "index"
    if damage != "absent":
        shutil.copytree(index_folder(), folder)
        made = current(folder)
        assert made is not None
        if damage == "pointer":
            (folder / CURRENT).write_text("g-nowhere\n")
        elif damage == "vocabulary":
            (made / building.VOCABULARY).write_text("{")
        else:
            for path in made.glob("*MAIN_*"):
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(BuildError, match="kb build") as error:
        open_index(folder, kb, profile)
    assert "\n" not in str(error.value)


def test_unknown_backend_names_those_there_are(tmp_path: Path) -> None:
    kb, profile = bilingual()
    with pytest.raises(InputError, match="whoosh"):
        build_index(kb, profile, tmp_path, backend="nosuch")


def test_vocabulary_survives_its_json() -> None:
    builder = Builder(Analyser(["ru", "en"]))
    builder.add(["взяток", "revoke", "65", "какойнибудь", "зритель"])
    builder.say("кибицер", "зритель", 0.7)
    builder.say("ход вне очереди", "lead out of turn", 0.7)
    vocabulary = builder.build()
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary
    assert vocabulary.lemmas("взяткой") == ("взятка",)
    assert dict(vocabulary.near["кибицер"])["зритель"] == 0.7
    assert vocabulary.lemmas("revoked") == vocabulary.lemmas("revoke") == ("revok",)
    assert vocabulary.lemmas("нечто") == ()


def test_transliterations_of_one_word_have_one_key() -> None:
    assert len({sound_key(word) for word in ("falshrenons", "fal'shrenons", "falschrenons")}) == 1


def test_language_without_a_module(tmp_path: Path) -> None:
    """A corpus in a language nobody taught the tools is still searched, word by word."""
    _, profile = bilingual()
    german = dataclasses.replace(profile, languages=("de",), root=tmp_path)
    node = Node(
        Ref("laws", "1987", ("1",)), "de", "law", title="Der Stich", text="Jeder Spieler wählt Äpfel."
    )
    entries = tuple(e for e in profile.outline if e.ref.path in (("1",), ("ch", "II")))
    meta = {"name": "small", "languages": "de", "build_id": "small"}
    save(Records(meta=meta, entries=entries, nodes=(node,)), tmp_path / "kb.sqlite")
    kb = open_store(tmp_path / "kb.sqlite")
    build_index(kb, german, tmp_path / "index")
    found = open_index(tmp_path / "index", kb, german)
    assert [str(hit.ref) for hit in found.search("ÄPFEL").hits] == ["laws/1987/1"]
    assert [str(hit.ref) for hit in found.search("Apfeln Äpfl").hits] == ["laws/1987/1"]


def test_threads_share_an_open_index() -> None:
    """Whatever is decoded at once: every thread reads what one alone would."""
    kb, profile = bilingual()
    made = index_folder()
    words = ["взятка", "болван", "заявка", "ставка", "игрок", "карта", "судья", "наказание"] * 3
    expected = {word: open_index(made, kb, profile).search(word).hits for word in set(words)}
    for _ in range(10):
        shared = open_index(made, kb, profile)
        with ThreadPoolExecutor(8) as pool:
            found = dict(zip(words, pool.map(lambda word, i=shared: i.search(word).hits, words), strict=True))
        assert found == expected
