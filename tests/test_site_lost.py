"""Who asks for what is not there: the nearest places, in the browser and from the server alike."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from goldkb import gold_build
from sitebuild import Built
from starlette.testclient import TestClient

from kb.library import MARKER
from kb.publish.nearest import PLACE, nearest
from kb.serve import create_app

NEAR = [
    ("999Z", ["99", "93", "92", "91"]),
    ("65Z", ["65", "65.A", "65.B", "65.C", "65.D"]),
    ("пр. 655", ["65", "55", "93", "92", "91"]),
    ("0", ["1", "2", "3"]),
    ("no number", []),
]


@pytest.mark.parametrize(("asked", "near"), NEAR)
def test_the_nearest_of_what_is_there(gold_site: Built, asked: str, near: list[str]) -> None:
    found = [ref.dotted for ref in nearest(gold_site.kb, gold_site.profile, asked)]
    assert found == [path for path in near if path != "99"], "there is no Law 99"


def test_the_served_page_has_the_box_and_the_nearest(gold_site: Built, tmp_path: Path) -> None:
    gold_build(tmp_path)
    shutil.copytree(gold_site.site, tmp_path / "site")
    (tmp_path / MARKER).parent.mkdir()
    (tmp_path / MARKER).write_text("{}")
    assert PLACE in (tmp_path / "site" / "404.html").read_text("utf-8")
    with TestClient(create_app(tmp_path), follow_redirects=False) as client:
        page = client.get("/cite/999Z<b>", headers={"accept": "text/html"})
        assert page.status_code == 404 and PLACE not in page.text and "<b>" not in page.text
        assert 'id="q"' in page.text and 'href="/l/1987/93/"' in page.text
        assert 'href="/l/1987/65/"' in client.get("/cite/65Z", headers={"accept": "text/html"}).text
        assert client.get("/cite/999Z").json()["status"] == 404
        lost = client.get("/nothing/here", headers={"accept": "text/html"})
        assert lost.status_code == 404 and 'id="q"' in lost.text
