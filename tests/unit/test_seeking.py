"""What a source used to find is found again on a page that was redesigned, or is not there."""

from __future__ import annotations

from typing import Any

import pytest

from samples import payload, source
from veille.core.models import Source, State
from veille.core.repair import Case, Repair, Shown, Wanted, diagnosed
from veille.core.seek.again import outline, sought
from veille.core.seek.candidates import ProvenChange, Remembered, Sought
from veille.core.seek.proof import likeness

pytestmark = pytest.mark.covers("R-180")

STORY = "The council voted on Tuesday to rebuild the old harbour bridge, closed since the flood of last spring. " * 6
MENU = "<nav>" + "".join(f"<a href=/{n}>The council of the harbour, part {n}</a>" for n in range(20)) + "</nav>"
BEFORE = [Remembered(title="The bridge", url="https://example.org/a", text=STORY)]


def _page(markup: str) -> Any:
    return payload(f"<html><title>T</title>{MENU}{markup}", "https://example.org/a", media_type="text/html")


def _watched(**config: Any) -> Source:
    return source(kind="page", config={"mode": "css", "selectors": ["#story"]} | config)


def test_the_smallest_element_with_the_content_is_found_by_its_name() -> None:
    found = sought(
        Sought.CONTENT, _watched(), _page(f"<div id=all><div><p>{STORY}</p></div><p>Aside</p></div>"), BEFORE
    )
    assert [one.likeness > 0.95 for one in found] == [True]
    assert found[0].change["config"]["selectors"][0].startswith("#all")


@pytest.mark.parametrize("markup", ["", "<main><p>Nothing of it.</p></main>", "<main>" + "word " * 500])
def test_a_page_without_the_content_gives_nothing_that_is_worth_showing(markup: str) -> None:
    assert all(one.likeness < 0.5 for one in sought(Sought.CONTENT, _watched(), _page(markup), BEFORE))


def test_half_of_the_content_is_half_alike() -> None:
    found = sought(
        Sought.CONTENT, _watched(), _page(f"<main><p>{STORY}</p><p>{'Entirely new words. ' * 33}</p></main>"), BEFORE
    )
    assert found[0].likeness > 0.5


def test_ideas_need_the_same_proof() -> None:
    page = _page(f"<main><p class=it>{STORY}</p></main>")
    ideas = [{"config": {"selectors": [one]}} for one in ("p.it", "nav", "p[", "#nowhere")]
    found = sought(Sought.CONTENT, _watched(), page, BEFORE, ideas)
    assert [one.change["config"]["selectors"] for one in found] == [["p.it"], ["nav"]]
    assert found[0].likeness > 0.95
    assert found[1].likeness < 0.3


def test_an_outline_names_elements_and_is_bounded() -> None:
    page = _page("".join(f"<div id=box-{n} class='a b'><p>{STORY}</p></div>" for n in range(2000)))
    told = outline(Sought.CONTENT, "page", page)
    assert "div#box-0" in told
    assert len(told) <= 12_000


def test_an_outline_of_links_has_whole_addresses_only() -> None:
    links = "".join(f"<a href='/{'x' * 90}/{n}'>Part {n}</a>" for n in range(300))
    told = outline(Sought.LINKS, "page", _page(links)).splitlines()
    assert told[0] == "https://example.org/0 'The council of the harbour, part 0'"
    assert all(line.endswith("'") for line in told)
    assert sum(map(len, told)) <= 12_000


@pytest.mark.parametrize("body", [b"", b"no", b"[]", b"{}", b"3", b"[" * 9000, b'{"a": ' * 50 + b"1" + b"}" * 50])
def test_an_outline_of_any_answer_is_made(body: bytes) -> None:
    assert len(outline(Sought.CONTENT, "api", payload(body))) < 100


@pytest.mark.parametrize(
    ("one", "other", "least", "most"), [("a b c", "a b c", 1, 1), ("", "", 0, 0), ("12", "12", 1, 1)]
)
def test_likeness_is_between_nothing_and_all(one: str, other: str, least: float, most: float) -> None:
    assert least <= likeness(one, other) <= most


def _case(alike: float, **config: Any) -> Case:
    failing = source(
        kind="page", config={"selectors": ["#x"]} | config, state=State.ERROR, error_code="no_match", failures=2
    )
    candidate = ProvenChange(
        change={"config": {"selectors": ["#y"]}}, likeness=alike, sample="It begins so", by="a model"
    )
    shown = Shown(answer=_page(""), found=(candidate,))
    return Case(source=failing, looks={Wanted(url=failing.url, seek=Sought.CONTENT): shown})


@pytest.mark.parametrize(
    ("alike", "rule", "automatic"), [(0.9, "found_again", 1), (0.6, "found_again", 0), (0.4, "drifted", 1)]
)
def test_what_is_proven_is_done_what_is_likely_is_proposed_and_the_rest_is_left_to_others(
    alike: float, rule: str, automatic: int
) -> None:
    verdict = diagnosed(_case(alike))
    assert isinstance(verdict, Repair)
    assert (verdict.rule, verdict.automatic) == (rule, bool(automatic))
    if rule == "found_again":
        assert "a model" in verdict.proof
        assert "It begins so" in verdict.proof


@pytest.mark.parametrize(("address", "automatic"), [("https://example.org/b", 1), ("https://elsewhere.example/b", 0)])
def test_another_host_is_only_proposed(address: str, automatic: int) -> None:
    gone = source("https://example.org/x/a", kind="page", state=State.ERROR, error_code="http.404", failures=2)
    link = ProvenChange(change={"url": address}, likeness=1, sample="")
    looks = {
        Wanted(url="https://example.org/x/", seek=Sought.LINKS): Shown(answer=_page(""), found=(link,)),
        Wanted(url=address, seek=Sought.MOVED): Shown(answer=_page(""), found=(link,)),
    }
    verdict = diagnosed(Case(source=gone, looks=looks))
    assert isinstance(verdict, Repair)
    assert (verdict.rule, verdict.change, verdict.automatic) == ("relocated", {"url": address}, bool(automatic))
