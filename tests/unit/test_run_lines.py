from __future__ import annotations

from samples import lease, request, source
from veille.core.models import Change, Item, Notice, Plan
from veille.core.report.run_lines import ReportedLine, lines_of

URL = "https://example.org/feed"


def plan(*items: Item) -> Plan:
    watched = source(url=URL)
    return Plan(
        lease=lease(watched, request(watched, URL)), items=items, duration_ms=40, wire_bytes=512, found=len(items)
    )


def same(url: str, document_id: str = "") -> Item:
    return Item(change=Change.SAME, url=url, status=200, document_id=document_id)


def test_changes_and_notices_have_a_line_each_and_unchanged_items_share_one() -> None:
    news = Item(change=Change.NEW, url=f"{URL}/1", title="News", status=200, document_id="1")
    left_out = Notice(code="over_items", url=f"{URL}/2", message="Left out.")
    found = list(lines_of(plan(same(f"{URL}/3", "3"), news, same(f"{URL}/4", "4")), [left_out], is_listing=True))
    assert found == [
        ReportedLine(
            *(Change.NEW, 1, f"{URL}/1", "News"), status=200, document_id="1", duration_ms=40, wire_bytes=512, found=3
        ),
        ReportedLine(Change.SKIPPED, 1, f"{URL}/2", code="over_items", message="Left out."),
        ReportedLine(Change.SAME, 2, URL, status=200),
    ]


def test_an_unchanged_listing_counts_no_document_and_an_unchanged_page_one() -> None:
    assert [line.documents for line in lines_of(plan(same(URL)), [], is_listing=True)] == [0]
    assert [line.documents for line in lines_of(plan(same(URL)), [], is_listing=False)] == [1]


def test_a_plan_without_items_has_no_lines() -> None:
    assert list(lines_of(plan(), [], is_listing=False)) == []
