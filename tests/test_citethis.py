"""How to cite a law: whole addresses where the site's is known; BibTeX and JSON-LD that parse."""

from __future__ import annotations

import json
import re

from goldkb import CORPUS, gold_kb
from sitebuild import Built

from kb import profile
from kb.model import Ref
from kb.publish import citethis

SITE = "https://laws.example/"
REF = Ref.parse("laws/1987/65")


def test_forms() -> None:
    made = citethis.forms(gold_kb(), profile.load(CORPUS), REF, SITE)
    assert made["address"] == "https://laws.example/l/1987/65/"
    assert made["markdown"]["en"] == "[Law 65 (1987)](https://laws.example/l/1987/65/)"
    assert made["html"]["ru"] == '<a href="https://laws.example/l/1987/65/">Правило 65 (1987)</a>'
    assert made["full"]["en"].startswith("Laws of Duplicate Bridge 1987. Law 65. ")
    assert re.fullmatch(r"@misc\{[a-z0-9-]+,\n(  [a-z]+ = \{.*\},\n)+\}", made["bibtex"])
    assert made["csl"]["issued"] == {"date-parts": [[1987]]} and made["csl"]["URL"] == made["address"]


def test_every_law_can_be_cited() -> None:
    kb, loaded = gold_kb(), profile.load(CORPUS)
    laws = [entry.ref for entry in kb.entries("laws") if entry.kind == "law"]
    keys = {citethis.forms(kb, loaded, ref)["bibtex"].partition(",")[0] for ref in laws}
    assert len(keys) == len(laws) == 93


def test_json_ld_stands_on_the_page(gold_site: Built) -> None:
    page = (gold_site.site / "laws/1987/65/index.html").read_text("utf-8")
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    data = json.loads(found)
    assert data["@type"] == "Legislation" and data["legislationIdentifier"] == "laws/1987/65"
    assert data["legislationLegalForce"] == citethis.NOT_IN_FORCE, "2017 is in force"
    assert "laws/1987/65.C" in [part["legislationIdentifier"] for part in data["hasPart"]]
    assert '<details class="citing" data-path="/l/1987/65/">' in page and "@misc{" in page
