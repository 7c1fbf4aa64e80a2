"""Pictures of pages: turned, straightened, split, read by Tesseract, every word with its box."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
import shutil
from pathlib import Path

import documents
import pytest
from documents import image_bytes, page_image
from PIL import Image
from sitebuild import need

from kb import profile as profiles
from kb.errors import InputError, MissingExtra
from kb.pipeline import process_source
from kb.profile import SourceSpec
from kb.read import Received, bounds, image, pages, received, strips, tesseract

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
LINES = [
    "Статья 12. Как карты кладут на стол",
    "(1) Игрок кладёт сыгранную карту лицом вверх",
    "перед собой, чтобы её видели все за столом.",
    "(2) Судья решает, что будет с картой, которую",
    "игрок уронил; до его решения её не трогают.",
    "IV. Кто не пришёл к началу игры, ждёт окончания",
    "первого круга и садится на свободное место.",
]


@pytest.fixture(scope="module", autouse=True)
def _tesseract() -> None:
    need(shutil.which("tesseract") is not None, "tesseract")


def spec(name: str = "page.png", lang: str = "ru") -> SourceSpec:
    return SourceSpec(Path(name), name, "laws", "1987", lang)


def got(picture: Image.Image, name: str = "page.png", form: str = "PNG", **options: object) -> Received:
    return received(image_bytes(picture, form, **options), spec(name), "")


def errors(read: str, truth: str) -> float:
    """Character error rate, white space folded."""
    from rapidfuzz.distance import Levenshtein

    said, meant = " ".join(read.split()), " ".join(truth.split())
    return Levenshtein.distance(said, meant) / len(meant)


def test_a_page_and_the_boxes_of_its_words():
    read = got(page_image(LINES))
    assert errors(read.raw, "\n".join(LINES)) <= 0.02
    assert read.encoding == "tesseract rus+eng" and len(read.pages) == 1
    page = read.pages[0]
    assert [read.raw[box.start : box.end] for box in read.boxes] == read.raw.split()
    for box in read.boxes:
        assert 0 <= box.left < box.right <= page.width and 0 <= box.top < box.bottom <= page.height
    found = strips(read)
    assert [strip.line for strip in found] == [n for n, line in enumerate(read.raw.split("\n"), 1) if line]
    assert [read.raw[word[0] : word[1]] for word in found[0].words] == LINES[0].split()
    for strip in found:
        with Image.open(io.BytesIO(strip.png)) as picture:
            assert picture.size == (page.width, strip.box[3] - strip.box[1]) and 30 < picture.height < 120
    again = got(page_image(LINES))
    assert (again.raw, again.boxes, again.pages) == (read.raw, read.boxes, read.pages)


@pytest.mark.parametrize("degrees", [2.5, -4.0])
def test_a_page_askew_is_straightened(degrees):
    askew = page_image(LINES).rotate(degrees, expand=True, fillcolor=225)
    assert abs(pages.slope(askew) + degrees) <= 0.3


def test_a_level_page_is_left_as_it_is():
    page = page_image(LINES)
    assert pages.straight(page) is page and pages.split(page) == [page]


def test_two_facing_pages_are_taken_apart():
    page = page_image(LINES * 5)
    both = Image.new("L", (page.width * 2, page.height), 250)
    both.paste(page, (0, 0))
    both.paste(page, (page.width, 0))
    left, right = pages.split(both)
    assert abs(left.width - page.width) < page.width * 0.1 and left.height == right.height == page.height
    wide = page_image([" ".join(pair) for pair in itertools.pairwise(LINES)])
    assert pages.split(wide) == [wide]


@pytest.mark.full
def test_two_facing_pages_are_read_one_after_the_other():
    page = page_image(LINES * 5)
    both = Image.new("L", (page.width * 2, page.height), 250)
    both.paste(page, (0, 0))
    both.paste(page_image(LINES[::-1] * 5).crop((0, 0, page.width, page.height)), (page.width, 0))
    read = got(both.rotate(1.5, expand=True, fillcolor=240))
    assert [p.number for p in read.pages] == [1, 2]
    assert errors(read.raw, "\n".join(LINES * 5 + LINES[::-1] * 5)) <= 0.02


@pytest.mark.full
@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_on_its_side_is_turned(turn):
    read = got(page_image(LINES * 4).rotate(turn, expand=True))
    assert errors(read.raw, "\n".join(LINES * 4)) <= 0.02


def test_exif_says_how_the_camera_was_held():
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    page = page_image(LINES)
    held = image_bytes(page.rotate(90, expand=True), "JPEG", exif=exif, quality=92)
    (frame,) = image.frames(held, "page.jpg")
    assert frame.size == page.size


def test_frames_transparency_and_colour():
    pile = image_bytes(page_image(LINES), "TIFF", save_all=True, append_images=[page_image(LINES[:2])])
    assert [frame.mode for frame in image.frames(pile, "a.tif")] == ["L", "L"]
    clear = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    (frame,) = image.frames(image_bytes(clear), "a.png")
    assert frame.getpixel((5, 5)) == 255


def test_pictures_beyond_the_bounds(monkeypatch):
    data = image_bytes(Image.new("L", (2000, 2000)))
    monkeypatch.setattr(bounds, "PIXELS", 1_000_000)
    with pytest.raises(InputError, match="2000 x 2000 pixels, more than the bound of 1,000,000"):
        list(image.frames(data, "a.png"))


def test_a_page_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(bounds, "OCR_SECONDS", 0.01)
    with pytest.raises(InputError, match=r"page\.png: a page took more than"):
        tesseract.Engine("ru", "page.png").words(page_image(LINES))


def test_a_language_without_data():
    with pytest.raises(MissingExtra, match="apt-get install tesseract-ocr-xho"):
        tesseract.Engine("xho", "page.png")


def test_tesseract_absent(monkeypatch):
    monkeypatch.setattr(tesseract, "_languages", lambda: None)
    with pytest.raises(MissingExtra, match="apt-get install tesseract-ocr"):
        tesseract.Engine("ru", "page.png")


def test_a_blank_page_is_no_text():
    with pytest.raises(InputError, match="no text in it"):
        got(Image.new("L", (900, 1200), 255))


def test_a_scanned_pdf():
    page = page_image(LINES)
    read = received(image_bytes(page, "PDF", resolution=300.0), spec("a.pdf"), "")
    assert errors(read.raw, "\n".join(LINES)) <= 0.02 and len(read.pages) == 1 and read.boxes


def test_a_pdf_of_text_and_pictures(tmp_path):
    import pypdfium2

    words = pypdfium2.PdfDocument(documents.pdf(["Первая страница с текстом."]))
    words.import_pages(pypdfium2.PdfDocument(image_bytes(page_image(LINES), "PDF", resolution=300.0)))
    out = io.BytesIO()
    words.save(out)
    read = received(out.getvalue(), spec("a.pdf"), "")
    assert (
        read.raw.startswith("Первая страница с текстом.\n")
        and errors(read.raw.partition("\n")[2], "\n".join(LINES)) <= 0.02
    )
    assert [f.message for f in read.findings] == ["pages without a text layer, read by Tesseract: 2"]
    assert [read.raw[box.start : box.end] for box in read.boxes] == read.raw.partition("\n")[2].split()


def _printed(text: str) -> str:
    """A scan as its page was printed: rules drawn, no marks of programs and sites."""
    text = re.sub(r"(?m)^(?:ДДДД|НН|====)[ДН= ]*", "─" * 24 + "\n", text)
    return re.sub(r"¶|(?m:^\.\.page3|^1 2 3 4 5.*$|^Все о Бридже$|^Шрифт:$)", "", text)


@pytest.mark.full
@pytest.mark.parametrize("number", [0, 1, 3])
def test_pages_of_a_real_scan(tmp_path, number):
    """Set as typed pages and read again: 95 of 100 nodes in place, two errors in a hundred characters."""
    source = profiles.load(BRIDGE).sources[number]
    text = _printed(source.path.read_text("utf-8"))
    typed = [part for line in text.split("\n") for part in (_cut(line, 66) or [""])]
    sheets = [page_image(typed[at : at + 45]) for at in range(0, len(typed), 45)]
    path = tmp_path / "scan.tif"
    path.write_bytes(
        image_bytes(sheets[0], "TIFF", save_all=True, append_images=sheets[1:], compression="tiff_deflate")
    )
    plain = tmp_path / "plain.txt"
    plain.write_text(text, "utf-8")
    wanted, found = (
        {node.ref: node for node in process_source(made, BRIDGE).parsed.nodes}
        for made in (
            dataclasses.replace(source, path=plain, sha256=""),
            dataclasses.replace(source, path=path, name=path.name, sha256=""),
        )
    )
    both = [ref for ref in wanted if ref in found]
    assert len(both) >= 0.95 * len(wanted)
    meant, said = (
        " ".join(f"{nodes[ref].title} {nodes[ref].text} {nodes[ref].tail}" for ref in both)
        for nodes in (wanted, found)
    )
    assert errors(said, meant) <= 0.02


def _cut(line: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(line, width, break_long_words=True) if len(line) > width else [line]


def test_the_site_shows_the_strip_of_each_line(tmp_path):
    """From the picture to the page of the scan, through the store."""
    from kb import pipeline
    from kb.publish.site import write_pages
    from kb.scaffold import scaffold
    from kb.store import open_store, save

    corpus = tmp_path / "corpus"
    scaffold(corpus)
    page = page_image(["Article 4. Lending a ladder", "(1) A ladder is lent for one day only."])
    (corpus / "sources" / "ladder.png").write_bytes(image_bytes(page))
    with (corpus / "sources" / "sources.toml").open("a") as listing:
        listing.write('\n[[source]]\nfile = "ladder.png"\nwork = "rules"\nlang = "en"\n')
    records = pipeline.build(corpus)
    assert records.sources[-1].encoding == "tesseract eng" and {s.source for s in records.strips} == {
        "ladder.png"
    }
    save(records, tmp_path / "kb.sqlite")
    with open_store(tmp_path / "kb.sqlite") as kb:
        assert tuple(kb.strips("ladder.png")) == records.strips and not list(kb.strips("rules.txt"))
        write_pages(kb, profiles.load(corpus), tmp_path / "pages")
    shown = next(
        path for path in (tmp_path / "pages" / "sources").glob("*.md") if "L1.png" in path.read_text()
    )
    for strip in records.strips:
        picture = shown.with_suffix("") / f"L{strip.line}.png"
        assert picture.read_bytes() == strip.png
        assert f'<img src="L{strip.line}.png"' in shown.read_text()


def test_a_page_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Tesseract said of a picture is kept by the picture; another language asks anew."""
    asked: list[list[str]] = []
    true = tesseract.subprocess.run

    def noted(command: list[str], **options: object) -> object:
        asked.append(command)
        return true(command, **options)

    data = image_bytes(page_image(LINES))
    kept = dataclasses.replace(spec(), cache=tmp_path / "ocr")
    monkeypatch.setattr(tesseract.subprocess, "run", noted)
    first = received(data, kept, "")
    pages_read = [command for command in asked if "tsv" in command]
    assert len(pages_read) == 1
    again = received(data, dataclasses.replace(kept, name="copy.png", path=Path("copy.png")), "")
    assert (again.raw, again.boxes) == (first.raw, first.boxes)
    assert len([command for command in asked if "tsv" in command]) == 1
    received(data, dataclasses.replace(kept, lang="en"), "")
    assert len([command for command in asked if "tsv" in command]) == 2


def test_a_folder_that_cannot_keep_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "ocr").write_text("a file where the folder should be", "utf-8")
    assert received(
        image_bytes(page_image(LINES)), dataclasses.replace(spec(), cache=tmp_path / "ocr"), ""
    ).raw
