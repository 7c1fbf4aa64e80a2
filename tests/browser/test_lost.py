"""The page for lost readers of a static host, and a citation of what is not there."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from test_site_lost import NEAR

pytestmark = pytest.mark.browser


def _near(page: Any) -> list[str]:
    page.wait_for_selector(".near li a")
    return [text.split(" ")[0] for text in page.locator(".near li a").all_inner_texts()]


@pytest.mark.parametrize("number", [0, 1])
def test_a_citation_of_nothing_leads_to_the_box_and_the_nearest(opened: Any, number: int) -> None:
    """The same places as the server gives."""
    asked, near = NEAR[number]
    page = opened(f"cite/{asked}?lang=en")
    page.wait_for_url("**/cite/#" + quote(asked))
    assert page.input_value("#cite") == asked
    expected = [path.replace(".", "") for path in near if path != "99"]
    if number == 0:
        assert _near(page) == expected
        page.locator(".near li a").first.click()
        page.wait_for_url("**/laws/1987/93/")
    else:
        # the law is there and its section is not: the resolver itself says so
        page.wait_for_selector("#cite-hits li a")
        assert page.locator("#cite-hits li a").first.inner_text().startswith("65 ")


def test_a_citation_as_the_last_step_of_an_address_is_followed(opened: Any) -> None:
    page = opened("cite/65%D1%81")
    page.wait_for_url("**/laws/1987/65/#65.C")


def test_the_page_for_lost_readers_has_a_box_and_the_nearest(opened: Any) -> None:
    page = opened("laws/1987/655/?lang=ru")
    assert _near(page)[0] == "65"
    assert "Расположение взяток" in page.locator(".near li").first.inner_text()
    assert page.input_value("#q") == "655"
    page.fill("#q", "фальшренонс")
    page.wait_for_selector("#hits li")
    page = opened("nothing/here/")
    assert page.locator("#q").is_visible() and not page.locator(".near").is_visible()
    assert page.locator("main ul li a").count() >= 5


def test_an_answer_takes_the_nearest_away(opened: Any) -> None:
    page = opened("cite/#999Z")
    _near(page)
    page.fill("#cite", "65Q")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cite-hits li")
    assert not page.locator(".near").is_visible()
