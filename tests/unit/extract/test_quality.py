"""A reading says what share of the main container's words it kept (R-110)."""

from __future__ import annotations

import pytest

from veille.core.extract import Options, extract_page

SENTENCE = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. "
TEXT = "".join(f"<p>Part {number}. {SENTENCE * 2}</p>" for number in range(4))
#: Never taken for content, though it is no list of links.
LOST = f"<div class=sphinxsidebar>{TEXT}</div>"
LINKS = "".join(f"<li><a href=/{number}>Another page of this site, number {number}</a>" for number in range(40))


def quality(body: str, options: Options = Options()) -> float | None:  # noqa: B008 - frozen
    return extract_page(f"<title>Ferries</title><body>{body}", "https://example.org/ferries", options).quality


@pytest.mark.parametrize("container", ["<main>{}</main>", "<article>{}</article>", "<div role=main>{}</div>"])
def test_quality_is_the_share_of_the_main_container_that_is_kept(container: str) -> None:
    assert quality(container.format(TEXT)) == 1.0
    assert quality(container.format(f"<section>{TEXT}</section>{LOST}")) == 0.5


def test_without_a_name_the_main_container_is_the_smallest_that_holds_the_text() -> None:
    assert quality(f"<div class=column><div>{TEXT}</div></div>{LOST}") == 1.0


@pytest.mark.parametrize(
    "other",
    [
        f"<ul>{LINKS}</ul>",
        f"<nav>{TEXT}</nav>",
        f"<div id=comments class=comments>{TEXT * 3}</div>",
    ],
    ids=["links", "navigation", "comments"],
)
def test_links_and_what_readers_wrote_are_not_missed(other: str) -> None:
    assert quality(f"<main>{TEXT}{other}</main>") == 1.0


def test_what_a_user_selects_and_a_page_without_text_have_none() -> None:
    page = f"<main><section>{TEXT}</section>{LOST}</main>"
    assert quality(page, Options(mode="css", selectors=("section",))) is None
    assert quality("<main><p>Nothing.</p></main>") is None
    assert quality("") is None


@pytest.mark.parametrize("mode", ["readability", "landmarks", "everything"])
def test_every_strategy_says_it(mode: str) -> None:
    found = quality(f"<main>{TEXT}</main>", Options(mode=mode))
    assert found is not None
    assert found > 0.95


def test_a_page_that_is_read_as_bytes_only_has_none() -> None:
    assert quality(f"<main>{TEXT}</main>", Options(max_bytes=100)) is None
