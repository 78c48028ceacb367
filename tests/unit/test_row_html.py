"""Rows of changes and documents: whatever a site says, it is text in them."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from samples import NOW
from veille.core.models import Change, Dossier
from veille.core.records import DocumentLine, Event
from veille.core.search.answers import Hit
from veille.core.search.query import parse
from veille.core.search.refine import Facet, FacetValue
from veille.core.search.snippets import marked, snippet
from veille.core.told import EditKind, TextEdit, ToldChange, ToldValue
from veille.interfaces.web.views.pieces import with_icons
from veille.interfaces.web.views.row_html import change_row, document_row, facet_rows, hit_row, what
from veille.services.reading.change_feed import ChangeRow

BAD = """x"'><script src=//evil.example>alert(1)</script><img onerror=x> & {{ 7 * 7 }}"""
_TAGS = {"li", "span", "img", "div", "a", "bdi", "p", "del", "ins", "time", "details", "summary", "ul", "svg"}
_TAGS |= {"polyline", "circle", "input"}

TOLD = ToldChange(
    excerpt=(TextEdit(EditKind.EQUAL, BAD), TextEdit(EditKind.DELETE, BAD), TextEdit(EditKind.INSERT, BAD)),
    paragraphs_changed=2,
    paragraphs=9,
    values=(ToldValue(name=BAD, before=BAD, after=BAD, percent=11.2),),
    reason=BAD,
    seen_at=1,
)
EVENT = Event(
    seq=7,
    at=1_700_000_000_000,
    change=Change.CHANGED,
    dossier_id=BAD,
    source_id=BAD,
    source_name=BAD,
    kind="page",
    document_id=BAD,
    revision_id="r",
    rev_n=3,
    url=f"https://site.example/{BAD}",
    title=BAD,
    told=TOLD,
)
ROW = ChangeRow(
    dossier=Dossier(id=BAD, name=BAD, created_at=0),
    event=EVENT,
    count=3,
    siblings=(EVENT, replace(EVENT, document_id="other")),
    tellers=2,
    story=BAD,
    rules=(BAD,),
    tags=(BAD,),
    trend=(1.0, 3.0, 2.0),
)
DOCUMENT = DocumentLine(
    id=BAD,
    source_id=BAD,
    source_name=BAD,
    state="current",
    duplicate_of=None,
    url=BAD,
    title=BAD,
    lang=BAD,
    rev_n=2,
    published_at=None,
    first_seen_at=0,
    changed_at=0,
    place=(0, 0),
)


class _Seen(HTMLParser):
    """The elements of a piece of HTML, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.text = ""
        self.feed(str(html))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        replace(ROW, is_fold=True),
        replace(ROW, has_picture=True),
        replace(ROW, event=replace(EVENT, change=Change.REMOVED)),
        replace(ROW, event=replace(EVENT, changed_metadata=(BAD,))),
        replace(ROW, event=replace(EVENT, title="", source_name="", told=replace(TOLD, excerpt=()))),
    ],
)
def test_a_row_of_a_change_has_no_markup_of_a_site(row: ChangeRow) -> None:
    seen = _Seen(change_row(row, with_dossier=True, part=BAD))
    assert seen.tags <= _TAGS
    assert not any(name.startswith("on") for name in seen.names)
    assert seen.names.isdisjoint({"script", "x", *(() if row.has_picture else ("src",))})
    assert BAD in seen.text


@pytest.mark.parametrize("state", ["current", "removed", "duplicate", BAD])
def test_a_row_of_a_document_has_no_markup_of_a_site(state: str) -> None:
    with with_icons(lambda _dossier_id, url: f"/icons/{url}"):
        one = replace(DOCUMENT, state=state)
        shown = document_row(one, BAD, EVENT, is_unread=True, is_kept=True, dossier_name=BAD, is_choosable=True)
    seen = _Seen(shown)
    assert seen.tags <= _TAGS
    assert not any(name.startswith("on") for name in seen.names)
    assert {"src", "alt"} < seen.names


def test_a_hit_has_no_markup_of_a_site_but_what_is_marked() -> None:
    query = parse("alert", NOW)
    hit = Hit(
        dossier_id=BAD,
        document_id=BAD,
        revision_id="r",
        source_id=BAD,
        source_name=BAD,
        kind="page",
        url=BAD,
        title=BAD,
        snippet=snippet(BAD, query),
        lang=BAD,
        score=1.0,
        changed_at=0,
        state="current",
        dated_at=0,
    )
    seen = _Seen(hit_row(hit, marked(BAD, query), EVENT, BAD))
    assert seen.tags <= _TAGS | {"mark"}
    assert not any(name.startswith("on") for name in seen.names)
    assert "mark" not in _Seen(hit_row(replace(hit, title="", snippet=""), "", None)).tags


def test_values_to_narrow_by_are_text() -> None:
    facet = Facet("source", BAD, (FacetValue(BAD, 3, BAD, is_chosen=False), FacetValue("x", 3, "x", is_chosen=True)))
    shown = facet_rows(facet, lambda **given: f"/search?q={given['q']}")
    seen = _Seen(shown)
    assert seen.tags == {"li", "a", "span"}
    assert seen.names == {"href", "class", "aria-current"}
    assert shown.count("aria-current") == shown.count("✕") == 1


def test_a_row_says_whose_it_is_and_how_it_stands() -> None:
    plain = change_row(replace(ROW, tellers=1, count=2, siblings=(EVENT,)))
    assert 'class="item row"' in plain
    assert "also told by 1 other<" in plain
    assert "1 earlier change of it" in plain
    assert "2 of 9 paragraphs changed" in plain
    assert ">+11 %</span>" in plain
    assert "<svg" in plain
    fold = change_row(replace(ROW, is_unread=True, is_kept=True, is_fold=True, first_seq=5, last_seq=7), part="unread")
    assert 'class="item row unread kept"' in fold
    assert 'data-changes="3"' in fold
    assert "first=5&amp;last=7&amp;show=unread" in fold


def test_no_title_address_or_history_makes_a_row_heavy() -> None:
    long = "A very long title " * 60
    url = f"https://site.example/?{'x' * 1900}"
    event = replace(EVENT, title=long, source_name="Gazette", url=url, document_id="d" * 36, source_id="s" * 36)
    dossier = Dossier(id="h" * 36, name="Harbour", created_at=0)
    siblings = (event,) * 10
    row = change_row(replace(ROW, dossier=dossier, event=event, siblings=siblings, count=11, story="t" * 36, rules=()))
    assert "…</bdi></a>" in row
    assert "data-original" not in row, "its document has the address"
    assert row.count("<li>") == 5
    assert row.count("A very long title") < 30, "earlier changes of it do not say its title again"
    assert "10 earlier changes of it" in row
    assert len(row) < 5500


def test_what_a_change_says() -> None:
    gone = replace(EVENT, change=Change.REMOVED, told=ToldChange(reason="answers 410", seen_at=1))
    assert what(gone).startswith("<del>removed</del> answers 410, last seen <time")
    assert what(replace(gone, told=ToldChange())) == "<del>removed</del> last text kept"
    assert what(replace(EVENT, told=ToldChange())) == ""
