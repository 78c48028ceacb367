"""A fetched page made for reading: what each way of finding the content tells about it."""

from __future__ import annotations

import pytest

from veille.core.show.reader import ReaderContent, read_page
from veille.core.traffic import Payload

HEAD = (
    "<html><head><title>Harbour</title><meta name=author content='Ada Lane'>"
    "<meta property=og:site_name content='The Daily'><meta name=description content='In short.'></head>"
)
PROSE = "<p>" + "The bridge over the harbour stays closed, says the council, until the repairs are done. " * 6 + "</p>"
LIST = "<div id=content>" + "".join(f"<span>Boat {number} sails, </span>" for number in range(60)) + "</div>"


def content(html: str) -> ReaderContent:
    payload = Payload(url="https://a.org/x", final_url="https://a.org/x", status=200, body=html.encode(), fetched_at=0)
    found = read_page(payload, lambda _: "").content
    assert found is not None
    return found


@pytest.mark.covers("R-112")
def test_an_article_has_its_author_and_site() -> None:
    found = content(f"{HEAD}<body><article>{PROSE * 3}</article>")
    assert (found.title, found.byline, found.site_name, found.excerpt) == (
        "Harbour", "Ada Lane", "The Daily", "In short.",
    )  # fmt: skip


@pytest.mark.covers("R-112")
def test_without_a_description_the_first_paragraph_is_the_excerpt() -> None:
    html = f"<html><head><title>Harbour</title></head><body><article><p>First words of it.</p>{PROSE * 3}</article>"
    assert content(html).excerpt == "First words of it."


@pytest.mark.covers("R-111")
def test_content_found_by_a_selector_has_no_author_and_no_site() -> None:
    found = content(f"{HEAD}<body>{LIST}")
    assert (found.title, found.byline, found.site_name) == ("Harbour", None, None)
    assert found.excerpt == found.text_content[:200]
