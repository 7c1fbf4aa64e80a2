"""The Python-Markdown extension: citations as links, ``{{law 65B1}}`` as the provision itself."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import markdown
import pytest
from goldkb import CORPUS, gold_kb, gold_records

from kb.errors import KbError
from kb.model import Ref
from kb.publish.exports import digest, whole_text
from kb.store import save

Render = Callable[..., str]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    save(gold_records(), folder / "kb.sqlite")
    (folder / "corpus").mkdir()
    for path in CORPUS.glob("*.toml"):
        shutil.copy(path, folder / "corpus")
    return folder


@pytest.fixture
def render(build: Path) -> Render:
    def rendered(text: str, **options: object) -> str:
        settings = {"build": str(build), "base_url": "https://x.example/", **options}
        return markdown.markdown(
            text,
            extensions=["kb.markdown", "fenced_code", "tables"],
            extension_configs={"kb.markdown": settings},
        )

    return rendered


def test_citations_become_links(render: Render) -> None:
    link = '<a class="kb-cite" href="https://x.example/laws/1987/65/#65.D">пр. 65D</a>'
    assert render("См. **пр. 65D**!") == f"<p>См. <strong>{link}</strong>!</p>"


@pytest.mark.parametrize(
    "text",
    ["# Правило 65", "`правило 65`", "```\nправило 65\n```", "[правило 65](x)", "правило 11", "ст. 5 ГК"],
)
def test_left_alone(render: Render, text: str) -> None:
    assert "kb-cite" not in render(text)


def test_what_is_known_above_is_linked_and_other_editions_are_not(render: Render) -> None:
    assert 'href="https://x.example/laws/1987/45/#45.E"' in render("Правило 45Е1")
    assert "kb-cite" not in render("2017 Law 16D")
    assert 'href="https://x.example/laws/1987/65/"' in render("<p title='Law 66'>Law 65</p>")


def test_a_provision_with_its_source_and_hash(render: Render) -> None:
    out = render("До.\n\n{{law 65B}}\n\nПосле.")
    whole = digest(whole_text(gold_kb(), Ref.parse("laws/1987/65.B"), "ru"))
    assert f'data-ref="laws/1987/65.B" data-hash="{whole}"' in out
    assert "004_bd1dbaeee207bdf3.txt" in out and whole[:12] in out
    assert "карта кладётся так" in out and "1. Выигранные взятки" in out
    assert out.startswith("<p>До.</p>") and out.endswith("<p>После.</p>")


def test_a_provision_inside_a_sentence(render: Render) -> None:
    out = render("Сказано: {{law 61B}} Да.")
    assert '<q lang="ru">Разыгрывающий может спросить' in out and "{{" not in out


def test_a_comment(render: Render) -> None:
    assert 'data-ref="commentary/1987/65.3"' in render("{{comment 65.3}}")


def test_a_provision_whose_text_is_not_supplied_says_so(render: Render) -> None:
    out = render("{{law 49}}")
    assert "текста нет" in out and "data-hash" not in out


@pytest.mark.parametrize("text", ["{{law 499}}", "{{law 65A, 65B}}", "{{law none}}"])
def test_what_cannot_be_quoted_stays_and_warns(
    render: Render, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert text in render(text)
    assert caplog.records and caplog.records[0].name.startswith("mkdocs.")


@pytest.mark.parametrize(
    "text", ["`{{law 65B}}`", "```\n{{law 65B}}\n```", "    {{law 65B}}", "{{ page.title }}"]
)
def test_code_and_the_braces_of_others_stay(render: Render, text: str) -> None:
    assert text.strip("` \n") in render(text)


def test_without_a_build_the_outline_says_what_exists() -> None:
    out = markdown.markdown(
        "правило 65D, {{law 65B}}",
        extensions=["kb.markdown"],
        extension_configs={"kb.markdown": {"corpus": str(CORPUS), "links": True}},
    )
    assert 'href="/laws/1987/65/#65.D"' in out and 'href="/laws/1987/65/#65.B"' in out


def test_links_can_be_left_out(render: Render) -> None:
    assert "<a" not in render("правило 65D", links=False)


def test_a_bad_corpus_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KbError, match=r"^kb\.markdown: .*profile"):
        markdown.markdown(
            "x", extensions=["kb.markdown"], extension_configs={"kb.markdown": {"corpus": str(tmp_path)}}
        )


def test_importing_needs_no_index_no_dictionary_and_no_mkdocs() -> None:
    code = (
        "import sys, kb.hosts.markdown, markdown; "
        f"markdown.markdown('Law 65', extensions=['kb.markdown'], "
        f"extension_configs={{'kb.markdown': {{'corpus': {str(CORPUS)!r}}}}}); "
        "sys.exit(any(m.partition('.')[0] in ('whoosh', 'pymorphy3', 'mkdocs') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
