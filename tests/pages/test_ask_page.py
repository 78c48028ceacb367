from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ask.models import Faithful
from oracle import Oracle
from paper import shown, words
from service import Here
from world import Page as SitePage
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

ADA = "ada@example.org"
EVIL = "<img src=x onerror=alert(1)>"
TEXT = f"The pool is in the park and has a café {EVIL}.\nA ticket costs 5 euros on all days.\nDogs stay outside."


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Site() as site:
        yield Oracle(site)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, oracle: Oracle) -> Iterator[Here]:
    model = oracle.settings | {"keep_days": 0, "timeout_s": 5}
    with Here(tmp_path_factory.mktemp("office"), model=model) as running:
        yield running


@pytest.fixture(scope="module")
def pool(office: Here) -> str:
    dossier_id = office.dossier("pool")
    with Site() as site:
        for number in range(2):
            text = TEXT.replace("5 euros", "7 euros") if number else TEXT
            paragraphs = "".join(f"<p>{line}</p>" for line in text.replace("<", "&lt;").splitlines())
            site["/pool"] = f"<title>Park Pool</title><main>{paragraphs}</main>"
            if not number:
                office.watch(dossier_id, f"{site.url}/pool", kind="page")
            office.look(dossier_id)
            office.look(dossier_id)
    return dossier_id


def test_the_page_has_the_extract_and_the_answer_of_the_model_takes_its_place(
    page: Page, pool: str, oracle: Oracle
) -> None:
    oracle.rule = Faithful()
    page.goto(f"/d/{pool}/search")
    page.get_by_role("link", name="ask instead").click()
    field = page.get_by_label("Your question")
    field.fill("How much is a ticket for the Park Pool?")
    field.press("Enter")
    expect(page.locator("#answer .said").first).to_have_text("A ticket costs 7 euros on all days.")
    expect(page.get_by_text("Written by openai:oracle")).to_be_visible()
    page.locator("#answer .cited a").first.click()
    expect(page.locator("#cited")).to_have_text("A ticket costs 7 euros on all days.")


def test_a_model_that_fails_leaves_the_extract_and_says_why(page: Page, pool: str, oracle: Oracle) -> None:
    oracle.rule = lambda _: SitePage(b"broken", status=400, validates=False)
    page.goto(f"/d/{pool}/ask?q=How much is a ticket for the Park Pool?")
    expect(page.locator("#answer .notice")).to_contain_text("did not answer")
    expect(page.locator("#answer .cited a").first).to_have_text("A ticket costs 7 euros on all days.")
    expect(page.locator("#answer .said")).to_have_count(0)


def test_a_change_shows_before_and_after_and_each_leads_to_its_revision(office: Here, pool: str) -> None:
    found = shown(office.person(ADA), f"/d/{pool}/ask", q="what changed about the ticket?")
    assert [one.text() for one in found.css(".cited .mark")] == ["before", "after"]
    links = [str(one.attributes["href"]) for one in found.css(".cited a")]
    assert ["rev=1" in links[0], "rev=2" in links[1]] == [True, True]
    for link, price in zip(links, ("5", "7"), strict=True):
        cited = shown(office.person(ADA), link.partition("#")[0]).css("#cited")
        assert cited[0].text() == f"A ticket costs {price} euros on all days."


def test_nothing_of_a_quote_or_a_question_is_markup(office: Here, pool: str) -> None:
    found = shown(office.person(ADA), f"/d/{pool}/ask", q=f"Is there a café in the pool? {EVIL}")
    assert EVIL in words(found)
    assert not found.css("main img")


@pytest.mark.parametrize("text", ["zebras", "?", "🦊", "x" * 10_000])
def test_a_question_without_an_answer_is_told_so(office: Here, pool: str, text: str) -> None:
    said = words(shown(office.person(ADA), f"/d/{pool}/ask", q=text))
    assert "Nothing was found" in said or "no word to look for" in said


def test_a_question_that_is_too_long_is_refused_in_words(office: Here, pool: str) -> None:
    page = office.person(ADA).ask("GET", f"/d/{pool}/ask", headers={"Accept": "text/html"}, q="x" * 10_001)
    assert b"at most 10000" in page.body
