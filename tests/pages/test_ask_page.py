from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from ask.models import Faithful
from oracle import Heard, Oracle, Reply
from paper import shown, words
from service import Here
from world import Page as SitePage
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINE = re.compile(r"^\[(\d+)\](?: \(\w+\))? (.*)$", re.MULTILINE)
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


class Slow:
    """Sends half of an answer of two sentences, and the rest when it may."""

    def __init__(self, oracle: Oracle) -> None:
        self.may = threading.Event()
        oracle.rule, oracle.cut = self._rule, self._cut

    def _rule(self, heard: Heard) -> Reply:
        lines = {text: int(number) for body in heard.materials.values() for number, text in LINE.findall(body)}
        said = ["A ticket costs 7 euros on all days.", "Dogs stay outside.", "A ticket is free."]
        quoted = [{"text": one, "quotes": [{"number": lines.get(one, 1), "quote": one}]} for one in said]
        return {"sentences": [quoted[2], quoted[0], *quoted[1:]]}

    def _cut(self, body: bytes) -> Iterator[bytes]:
        half = body.index(b"Dogs") if b"Dogs" in body else len(body) * 5 // 8
        yield body[:half]
        self.may.wait(4)
        yield body[half:]


ASKED = "How much is a ticket for the Park Pool, and do dogs stay outside?"


@pytest.fixture
def slow(oracle: Oracle) -> Iterator[Slow]:
    plain = oracle.cut
    yield Slow(oracle)
    oracle.cut = plain


def test_a_sentence_stands_on_the_page_before_the_next_was_sent(page: Page, pool: str, slow: Slow) -> None:
    page.goto(f"/d/{pool}/ask?{urlencode({'q': ASKED})}")
    expect(page.locator("#answer .said")).to_have_text(["A ticket costs 7 euros on all days."])
    expect(page.get_by_text("The model is writing")).to_be_visible()
    expect(page.get_by_text("Written by")).to_have_count(0)
    slow.may.set()
    expect(page.get_by_text("Written by openai:oracle")).to_be_visible()
    expect(page.locator("#answer .said")).to_have_text(["A ticket costs 7 euros on all days.", "Dogs stay outside."])
    expect(page.get_by_text("The model is writing")).to_have_count(0)


@pytest.mark.usefixtures("slow")
def test_a_model_that_breaks_off_leaves_the_extract(page: Page, pool: str, oracle: Oracle) -> None:
    oracle.cut = lambda body: [body[: len(body) * 5 // 8]]
    page.goto(f"/d/{pool}/ask?{urlencode({'q': ASKED})}")
    expect(page.locator("#answer .notice")).to_contain_text("did not answer")
    expect(page.locator("#answer .said")).to_have_count(0)
    expect(page.locator("#answer .cited a").first).to_have_text("Dogs stay outside.")


def test_a_stream_that_is_cut_off_leaves_the_answer_that_is_asked_for_as_a_whole(
    page: Page, pool: str, oracle: Oracle
) -> None:
    oracle.rule = Faithful()
    half = "event: part\ndata: <p class=said>Half</p>\n\n"
    page.route("**/ask/live*", lambda route: route.fulfill(body=half, content_type="text/event-stream"))
    page.goto(f"/d/{pool}/ask?{urlencode({'q': ASKED})}")
    expect(page.get_by_text("Written by openai:oracle")).to_be_visible()
    expect(page.get_by_text("Half")).to_have_count(0)
    page.route("**/ask/answer*", lambda route: route.fulfill(body="Busy", status=503))
    page.reload()
    expect(page.locator("#answer")).to_have_attribute("data-later", re.compile("/ask/answer"))
    expect(page.locator("#answer")).not_to_have_attribute("aria-busy", "true")
    expect(page.get_by_text("word for word")).to_be_visible()
    expect(page.get_by_text("The model is writing")).to_have_count(0)
    expect(page.get_by_text("Half")).to_have_count(0)
    faults: list[str] = page.seen.faults  # type: ignore[attr-defined]
    assert "503" in faults.pop()


def _events(office: Here, path: str) -> Iterator[tuple[str, str]]:
    person = office.person(ADA)
    where = urlsplit(person.url)
    with closing(http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)) as connection:
        connection.request("GET", path, headers=person.headers)
        with connection.getresponse() as answer:
            assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
            event = ""
            data: list[str] = []
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    event, data = value, []
                elif name == "data":
                    data.append(value)
                elif not name:
                    yield event, "\n".join(data)


def test_the_stream_tells_each_sentence_that_is_borne_out_and_then_the_whole(
    office: Here, pool: str, slow: Slow
) -> None:
    told = _events(office, f"/d/{pool}/ask/live?{urlencode({'q': ASKED})}")
    event, html = next(told)
    assert (event, "7 euros" in html, "Dogs" in html) == ("part", True, False)
    slow.may.set()
    rest = list(told)
    assert [event for event, _ in rest] == ["part", "whole"]
    assert not any("free" in html for _, html in rest)
    part = office.person(ADA).ask("GET", f"/d/{pool}/ask/answer", headers={"X-Part": "1"}, q=ASKED)
    assert rest[-1][1] == part.body.decode(), "as without a stream"
    for refused in ("", "x" * 10_001):
        ((event, html),) = _events(office, f"/d/{pool}/ask/live?q={refused}")
        assert (event, 'role="alert"' in html) == ("whole", True)


def test_the_stream_is_for_those_who_may_read_the_dossier(office: Here, pool: str) -> None:
    path = f"/d/{pool}/ask/live"
    assert office.anonymous().ask("GET", path, q="ticket").status in {303, 401}
    assert office.person("eve@example.org").ask("GET", path, q="ticket").status == 404


def test_who_leaves_while_the_model_writes_leaves_nothing_behind(office: Here, pool: str, slow: Slow) -> None:
    for _ in range(8):
        told = _events(office, f"/d/{pool}/ask/live?{urlencode({'q': ASKED})}")
        next(told)
        told.close()  # type: ignore[attr-defined]
        slow.may.set()
        slow.may = threading.Event()
    slow.may.set()
    assert [event for event, _ in _events(office, f"/d/{pool}/ask/live?{urlencode({'q': ASKED})}")][-1] == "whole"


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
