"""Answers with far more in them than anybody reads: what is beyond a bound is reported, and all take little time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from samples import payload, request, source
from veille.core.feeds.machine import MAX_TEXT
from veille.core.json.endpoints import MOST_ITEMS
from veille.core.kinds import Finding, kind_of
from veille.core.kinds.site import MOST_LINKS
from veille.core.models import Document, Notice, Request


def _read(kind: str, body: str, **config: Any) -> tuple[list[Document], list[Request], list[Notice]]:
    of = source("https://example.org/list", kind=kind)
    began = time.process_time()
    found: list[Finding] = list(kind_of(kind, config).read(of, request(of), payload(body, of.url)))
    assert time.process_time() - began < 20
    return (
        [item for item in found if isinstance(item, Document)],
        [item for item in found if isinstance(item, Request)],
        [item for item in found if isinstance(item, Notice)],
    )


def test_of_a_hundred_thousand_json_items_only_the_first_are_read() -> None:
    items = [{"id": n, "title": f"title {n}", "text": f"<p>text {n}</p>", "url": f"/i/{n}"} for n in range(100_000)]
    documents, _, (notice,) = _read("api", json.dumps(items))
    assert [document.title for document in documents] == [f"title {n}" for n in range(MOST_ITEMS)]
    assert (notice.code, "100,000 items" in notice.message) == ("over_entries", True)


def test_a_list_that_was_cut_removes_nothing_and_asks_for_its_next_page() -> None:
    items = [{"id": n, "title": f"title {n}"} for n in range(MOST_ITEMS + 1)]
    of = source("https://example.org/list", kind="api")
    config = {"complete": True, "paging": {"by": "page", "size": MOST_ITEMS + 1}}
    *_, onward = kind_of("api", config).read(of, request(of), payload(json.dumps(items), of.url))
    assert isinstance(onward, Request)
    assert "listed" not in onward.context


def test_many_broken_lines_of_json_are_one_notice() -> None:
    lines = ["{" if n % 3 == 1 else json.dumps({"title": str(n)}) for n in range(30_000)]
    documents, _, notices = _read("api", "\n".join(lines))
    assert len(documents) == MOST_ITEMS
    assert [notice.code for notice in notices] == ["over_entries", "api.malformed"]
    assert notices[1].message.endswith(" 9,999 more lines are none.")


@pytest.mark.parametrize("link", ['<p><a href="/p{0}">{0}</a></p>', '<a href="p{0}">{0}</a> '])
def test_of_a_page_with_very_many_links_only_the_first_are_followed(link: str) -> None:
    body = f"<html><body><main>{''.join(link.format(n) for n in range(30_000))}"
    _, requests, notices = _read("site", body, attachments=[])
    assert len(requests) == MOST_LINKS
    assert [notice.code for notice in notices] == ["over_links"]
    _, requests, notices = _read("site", body.split("p500", 1)[0], attachments=[])
    assert (len(requests), notices) == (500, [])


ITEMS: dict[str, Callable[[int], str]] = {
    "links": lambda n: f'<a href="/{n}">word</a>',
    "open links": lambda n: f"<a href=/{n}>",
    "images": lambda n: f'<img src="{n}">',
    "paragraphs": lambda n: f"<p>word {n}",
}


@pytest.mark.parametrize("case", ITEMS)
def test_an_entry_of_three_hundred_thousand_parts_is_read_as_far_as_its_bound(case: str) -> None:
    markup = "".join(map(ITEMS[case], range(300_000)))
    body = f"<rss><channel><item><title>Long</title><description><![CDATA[{markup}]]></description></item>"
    (document,), _, notices = _read("feed", f"{body}<item><title>Short</title></item></channel></rss>", max_entries=1)
    assert document.title == "Long"
    assert "over_text" in {notice.code for notice in notices}
    assert len(document.text) <= MAX_TEXT
