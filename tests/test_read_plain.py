"""Plain text in every encoding such texts come in, and the marks of DOS word processors."""

from __future__ import annotations

import base64
import dataclasses
import quopri
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import profile as profiles
from kb.errors import InputError, KbError
from kb.lang import codepages
from kb.pipeline import process_source
from kb.profile import SourceSpec
from kb.read import plain, received
from kb.read.formats import READERS, reader_for
from kb.text import Text

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
PAGES = ["cp866", "cp1251", "koi8-r", "iso8859-5", "mac-cyrillic"]
WIDE = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]
OWN = (
    "Правила настольной игры. Игрок, который показал карту раньше времени, кладёт её на стол лицом вверх.\r\n"
    "Судья решает, что с нею будет. Съезд игроков объявляет этот порядок обязательным.\r\n"
)


def spec(name: str = "scan.txt", lang: str = "ru", encoding: str = "") -> SourceSpec:
    return SourceSpec(Path(name), name, "laws", "1987", lang, encoding=encoding)


def nodes(sourced) -> list[tuple[object, ...]]:
    return [
        (str(n.ref), n.marker, n.title, n.text, n.tail, n.footnotes, n.complete, n.page)
        for n in sourced.parsed.nodes
    ]


@pytest.mark.parametrize("encoding", PAGES + WIDE)
def test_the_encoding_is_found(encoding):
    got = received(OWN.encode(encoding), spec(), "")
    assert got.raw.removeprefix("\ufeff") == OWN
    assert got.encoding_margin >= 0.2 and got.findings == ()


@pytest.mark.parametrize("encoding", PAGES)
@pytest.mark.parametrize("start", [0, 3, 30])
def test_a_few_words_are_enough(encoding, start):
    text = OWN.replace("\r\n", " ")[start : start + 45]
    assert received(text.encode(encoding), spec(), "").raw == text


@pytest.mark.parametrize("encoding", PAGES)
def test_real_scans_in_each_code_page_give_the_same_nodes(tmp_path, encoding):
    for source in profiles.load(BRIDGE).sources:
        raw = source.path.read_text("utf-8")
        path = tmp_path / source.name
        path.write_bytes(raw.encode(encoding, "replace"))
        lossy = path.read_bytes().decode(encoding)
        again = dataclasses.replace(source, path=path, sha256="")
        plain = tmp_path / "utf8.txt"
        plain.write_text(lossy, "utf-8", newline="")
        expected = process_source(dataclasses.replace(again, path=plain), BRIDGE)
        got = process_source(again, BRIDGE)
        assert got.info.encoding == encoding
        assert nodes(got) == nodes(expected)


def test_a_stated_encoding_is_taken():
    got = received("правило".encode("koi8-r"), spec(encoding="cp1251"), "")
    assert got.raw == "правило".encode("koi8-r").decode("cp1251")
    assert got.encoding == "cp1251" and got.encoding_margin == 1.0


def test_a_guess_without_margin_is_reported():
    got = received(b"\xe4\xee", spec(), "")
    assert [finding.kind for finding in got.findings] == ["encoding"]
    assert "state it in sources.toml" in got.findings[0].message


def test_other_languages_are_left_to_chardet():
    text = "Der Spieler darf für später über die Größe der Blätter öffentlich äußern, was er möchte. " * 4
    assert received(text.encode("cp1252"), spec(lang="de"), "").raw == text
    quoted = (
        "The player’s card — the “first” one — stays on the table until the director has been called. " * 4
    )
    assert received(quoted.encode("cp1252"), spec(lang="en"), "").raw == quoted


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("turn", [2, 5])
def test_a_file_of_two_encodings(page, turn):
    """Lines in UTF-8 and lines of a code page, one after the other: each is read as it was written."""
    lines = [f"{n}. {line}" for n in range(20) for line in OWN.splitlines(keepends=True)]
    data = b"".join(line.encode(page if at % turn else "utf-8") for at, line in enumerate(lines))
    got = received(data, spec(), "")
    assert got.raw == "".join(lines)
    said = [finding.message for finding in got.findings if finding.kind == "reading"]
    assert said == [f"{len(lines) // turn} lines are UTF-8, the others {page}"]


@pytest.mark.parametrize("first", codepages.SINGLE_BYTE[:4])
@pytest.mark.parametrize("second", codepages.SINGLE_BYTE[:4])
def test_a_file_of_two_code_pages(first, second):
    """One half in one page, one in another; a file of one page alone is not taken for two."""
    lines = [f"{n}. {line}" for n in range(20) for line in OWN.splitlines(keepends=True)]
    half = len(lines) // 2
    data = "".join(lines[:half]).encode(first) + "".join(lines[half:]).encode(second)
    got = received(data, spec(), "")
    assert got.raw == "".join(lines)
    said = [finding.message for finding in got.findings if finding.kind == "reading"]
    assert bool(said) == (first != second)
    assert all(first in message and second in message for message in said)


def test_a_file_of_two_encodings_of_the_west():
    lines = ["Die Spieler prüfen die Stiche für später.\n", "Größere Beträge kämen öfter früh.\n"] * 20
    data = b"".join(line.encode("cp1252" if at % 3 else "utf-8") for at, line in enumerate(lines))
    assert received(data, spec(lang="de"), "").raw == "".join(lines)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "koi8-r"])
@pytest.mark.parametrize(
    ("carried", "wrap"),
    [
        ("quoted-printable", quopri.encodestring),
        ("base64", base64.encodebytes),
        ("an address", lambda data: quote(data).replace("%0D%0A", "\n").encode()),
    ],
)
def test_text_as_mail_carries_it(encoding, carried, wrap):
    got = received(wrap((OWN * 4).encode(encoding)), spec(), "")
    assert got.raw.replace("\r\n", "\n") == (OWN * 4).replace("\r\n", "\n")
    assert [f.message for f in got.findings] == [f"decoded from {carried}"]


def test_the_head_of_a_letter_stands_above_what_it_carries():
    head = b"To: all\nContent-Transfer-Encoding: base64\n\n"
    got = received(head + base64.encodebytes((OWN * 4).encode("koi8-r")), spec(), "")
    assert got.raw.replace("\r", "") == head.decode() + (OWN * 4).replace("\r", "")


def test_letters_written_by_their_numbers():
    got = received((OWN * 4).encode("ascii", "backslashreplace"), spec(), "")
    assert got.raw == OWN * 4
    got = received(rb"Write \u0416 for that letter." + b"\n" + b"It is a letter.\n" * 40, spec(lang="en"), "")
    assert got.raw.startswith(r"Write \u0416 for")


def test_mail_in_a_language_with_few_letters_of_its_own():
    text = "Die Spieler prüfen die Stiche, ehe sie für später beiseite gelegt werden, und zählen sie.\n" * 20
    got = received(quopri.encodestring(text.encode()), spec(lang="de"), "")
    assert got.raw == text


@pytest.mark.parametrize(
    "text",
    [
        "a=20 b=3D c=FF\n" * 9 + "A text of mail writes a blank as =20 and a sign of equality as =3D.\n" * 9,
        "x=A0;y=B1 and more words than signs stand on this line of settings, as they mostly do\n" * 20,
        "".join(f"{'word' * 16}\n" for _ in range(5)) + "end.\n",
    ],
    ids=["speaks of it", "settings", "long words"],
)
def test_what_only_looks_like_mail_stays(text):
    got = received(text.encode(), spec(lang="en"), "")
    assert got.raw == text and got.findings == ()


def test_wordstar_is_ascii_with_high_bits():
    from kb import lang
    from kb.repair import RULES
    from kb.repair.damage import Damage

    lines = ["The player who holds the card looks at it,", "and the director decides what becomes of it."]
    stars = [" ".join(word[:-1] + chr(ord(word[-1]) | 0x80) for word in line.split(" ")) for line in lines]
    data = "\x8d\n".join(stars).encode("latin-1") + b"\r\n.PA\r\n" + b"\x1a" * 60
    got = received(data, spec(lang="en"), "")
    assert len(got.raw) == len(data)  # a character a byte: all is accounted for
    text: Text = got.text
    for rule in RULES:
        text = rule(text, Damage(lang.get("en")))
    assert text.value.split("\n")[:2] == lines


def test_dos_files_filled_up_with_zeros_are_text():
    got = received(OWN.encode("cp866") + b"\x1a" + b"\0" * 90, spec(), "")
    assert got.encoding == "cp866" and got.raw.startswith("Правила")


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"\x7fELF\x01\x02\x00\x00" * 40, "", "binary data"),
        (b"text", "no-such-page", "unknown encoding"),
        (b"text", "base64", "unknown encoding"),
        ("правило".encode("cp1251"), "utf-8", "byte 0 does not fit"),
        (b"\xff\xfe\x00\xd8x", "", "does not fit"),
        (b"   \n", "", "no text in it"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(data, encoding, message):
    with pytest.raises(InputError, match=message) as caught:
        received(data, spec(encoding=encoding), "")
    assert "\n" not in str(caught.value) and str(caught.value).startswith("scan.txt: ")


def test_no_reader_for_a_suffix():
    with pytest.raises(InputError, match=r"no reader for \.xls \(known: \.asc"):
        received(b"x", spec("sheet.xls"), "")


def test_every_suffix_has_a_reader():
    for suffix in READERS:
        assert callable(reader_for(spec("scan" + suffix)))


MAGIC = {
    ".rtf": b"{\\rtf1\\ansi ",
    ".fb2": b"<FictionBook><body><p>",
    ".html": b"<html><p>",
    ".pdf": b"%PDF-1.4\n",
    ".zip": b"PK\x03\x04",
    ".docx": b"PK\x03\x04",
    ".png": b"\x89PNG\r\n\x1a\n",
    ".jpg": b"\xff\xd8\xff\xe0",
    ".tif": b"II*\x00",
}


@pytest.mark.parametrize("suffix", sorted(READERS))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_random_bytes_are_read_or_refused(suffix, data):
    body = data.draw(st.binary(min_size=1, max_size=400))
    if data.draw(st.booleans()):
        body = MAGIC.get(suffix, b"") + body
    try:
        got = received(body, spec("scan" + suffix), "")
    except KbError as error:
        assert "\n" not in str(error)
    else:
        assert got.raw.strip()


PROSE = [
    "Когда во взятку сыграны карты,",
    "каждый игрок кладёт свою карту",
    "на стол лицевой стороной вниз,",
    "и взятка остаётся перед ним до",
] * 4


@pytest.mark.parametrize(
    "lines",
    [
        [f"Игрок {n:<30} {n * 10} очков" for n in range(30)],
        [f"{said[:14]}     {said[14:]}" for said in PROSE],
        [f"{said}    Порядок игры." for said in PROSE],
        [f"Правило {n}. Порядок игры и взяток     {n + 40}" for n in range(30)],
    ],
    ids=["a table", "justified", "a margin", "contents"],
)
def test_what_is_no_two_columns_stays(lines):
    value = "\n".join(lines) + "\n"
    assert plain.read(value.encode(), spec("a.txt")).raw == value


def test_two_columns_are_read_one_after_the_other():
    lines = [f"{a:<36}{b}" for a, b in zip(PROSE[:12], PROSE[4:], strict=False)]
    read = plain.read("\n".join(lines).encode(), spec("a.txt"))
    assert read.raw.split("\n") == [*PROSE[:12], *PROSE[4:]]
    assert read.notes == ("two columns in 1 places, set one under the other",)
