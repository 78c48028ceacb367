"""Metadata that changes while the text does not; modification dates; outgoing links; the titles of page and feed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from documents import docx_saying
from newsroom import Newsroom, article, listed
from samples import STORY
from vectors import Chroma, Embeddings, sections
from veille.core.chunk.chunks import chunk_json, chunks
from veille.core.dates import iso
from veille.core.models import Change
from veille.core.records import Event, Revision, Run, RunItem
from veille.core.show.pointing import parts_taken, pictured
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from watching import Watch, told
from world import Asked, Page, Site

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SOME_DAY, LATER = "Mon, 06 Nov 2023 10:00:00 GMT", "Tue, 07 Nov 2023 11:30:00 GMT"
SOME_DAY_ISO, LATER_ISO = "2023-11-06T10:00:00Z", "2023-11-07T11:30:00Z"


@pytest.fixture
def embeddings(site: Site) -> Embeddings:
    return Embeddings(site)


@pytest.fixture
def room(site: Site, tmp_path: Path) -> Iterator[Newsroom]:
    with Newsroom(site, tmp_path) as opened:
        yield opened


def _manual(version: str, author: str = "Ann Lee", updated: str = "2023-11-06", text: str = sections(1, 2, 3)) -> bytes:
    head = f"---\ntitle: The manual\nauthor: {author}\nversion: {version}\nupdated: {updated}\n---\n"
    return f"{head}\n{text.replace(chr(10), chr(10) * 2)}\n".encode()


def _page(head: str = "", text: str = STORY) -> str:
    return f"<html lang=en><head><title>A page</title>{head}</head><body><main><p>{text}</p></main></body></html>"


def _revision(watch: Watch) -> Revision:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (line,) = [one for one in store.records.documents() if one.state == "current"]
        return store.records.revision(line.document_id)


def _chunk(watch: Watch) -> dict[str, Any]:
    revision = _revision(watch)
    return chunk_json(chunks(revision)[0], revision)


def _events(watch: Watch) -> list[Event]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return store.outbox.events()


def _news(run: Run) -> list[RunItem]:
    return [item for item in run.items if item.change is not Change.SAME]


# metadata changed, the text did not


@pytest.mark.covers("R-066", "R-069")
@pytest.mark.parametrize(
    ("edited", "name", "value"),
    [
        ({"version": "2.0"}, "version_hint", "2.0"),
        ({"author": "Bob Ray"}, "authors", ["Bob Ray"]),
        ({"updated": "2023-11-09"}, "modified_at", 1_699_488_000_000),
    ],
)
def test_a_changed_version_author_or_modification_date_is_an_update_without_embedding(
    site: Site, tmp_path: Path, embeddings: Embeddings, edited: dict[str, str], name: str, value: object
) -> None:
    chroma = Chroma(tmp_path / "chroma")
    sink = chroma.options | {"embedder": embeddings.options, "metadata": ["version_hint", "authors", "last_modified"]}
    site["/manual.md"] = Page(_manual("1.0"), type="text/markdown")
    with Watch(site, tmp_path, sinks={"chroma": sink}) as watch:
        watch.add("/manual.md")
        watch.run()
        watch.app.deliver([watch.dossier_id], at_once=True)
        before, asked = chroma.records(f"veille-{watch.dossier_id}"), len(embeddings.texts)
        assert len(before) == asked == 3

        site["/manual.md"] = Page(_manual(**({"version": "1.0"} | edited)), type="text/markdown")
        run, _ = watch.turn()
        (line,) = _news(run)
        assert (line.change, line.code) == (Change.CHANGED, "metadata")
        assert name in line.message
        revision = _revision(watch)
        assert revision.meta[name] == value, "the store"
        assert revision.n == 1, "the text is the same, so there is no new version of it"
        *_, event = _events(watch)
        assert (event.change, event.rev_n, event.changed_metadata) == (Change.CHANGED, 1, (name,))

        (delivery,) = watch.app.deliver([watch.dossier_id], at_once=True)[:1]
        assert delivery.delivered
        after = chroma.records(f"veille-{watch.dossier_id}")
        expected = chunk_json(chunks(revision)[0], revision)
    assert len(embeddings.texts) == asked, "no text is embedded again"
    assert after.keys() == before.keys()
    for key, record in after.items():
        shown = {"version_hint": expected["version_hint"], "last_modified": expected["last_modified"]}
        assert record["vector"] == before[key]["vector"]
        assert {one: record[one] for one in shown} == shown
        assert record["authors"] == list(revision.meta["authors"])


@pytest.mark.covers("R-069")
def test_the_same_document_again_is_unchanged_and_tells_nobody(site: Site, tmp_path: Path) -> None:
    site["/manual.md"] = Page(_manual("1.0"), type="text/markdown")
    with Watch(site, tmp_path) as watch:
        watch.add("/manual.md")
        watch.run()
        # Other bytes, the same document.
        site["/manual.md"] = Page(_manual("1.0") + b"\n\n", type="text/markdown")
        run, _ = watch.turn()
        assert told(run) == {Change.SAME: 1}
        assert len(_events(watch)) == 1


@pytest.mark.covers("R-066")
def test_a_word_document_saved_again_says_so(site: Site, tmp_path: Path) -> None:
    site["/report.docx"] = Page(docx_saying(modified="2023-11-01T08:00:00Z"), type=DOCX)
    with Watch(site, tmp_path) as watch:
        watch.add("/report.docx")
        watch.run()
        assert _chunk(watch)["last_modified"] == "2023-11-01T08:00:00Z"
        site["/report.docx"] = Page(docx_saying(modified="2023-11-08T09:30:00Z", creator="Somebody Else"), type=DOCX)
        (line,) = _news(watch.turn()[0])
        assert line.message.startswith("Its metadata changed: authors")
        assert "2023-11-01T08:00:00Z → 2023-11-08T09:30:00Z" in line.message
        assert _chunk(watch)["last_modified"] == "2023-11-08T09:30:00Z"
        assert _revision(watch).meta["authors"] == ["Somebody Else"]


@pytest.mark.covers("R-066", "R-117")
def test_description_and_dates_of_a_page_are_kept_up_to_date(site: Site, tmp_path: Path) -> None:
    site["/a"] = _page(
        '<meta name=description content="Old."><meta property="article:modified_time" content="2023-11-01">'
    )
    with Watch(site, tmp_path) as watch:
        watch.add("/a", "page")
        watch.run()
        site["/a"] = _page(
            '<meta name=description content="New."><meta property="article:modified_time" content="2023-11-05">'
        )
        run, seen = watch.turn()
        (line,) = _news(run)
        assert (line.change, line.code, len(seen)) == (Change.CHANGED, "metadata", 1)
        revision = _revision(watch)
        assert (revision.meta["summary"], iso(revision.meta["modified_at"])) == ("New.", "2023-11-05T00:00:00Z")
        # Found by its text as before, and a later edit is a version as ever.
        assert watch.found("harbour") == ["/a"]
        site["/a"] = _page(text=f"Edited. {STORY}")
        assert told(watch.turn()[0]) == {Change.CHANGED: 1}
        assert _revision(watch).n == 2


@pytest.mark.covers("R-069")
def test_what_changes_at_every_fetch_is_no_metadata_change(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path) as watch:

        def made(_: Asked) -> Page:
            stamp = iso(watch.now)
            head = f'<meta property="article:modified_time" content="{stamp}"><meta name=token content="{watch.now}">'
            return Page(
                _page(head).encode(),
                validates=False,
                headers={"Last-Modified": formatdate(watch.now / 1000, usegmt=True)},
            )

        site.made["/live"] = made
        watch.add("/live", "page")
        watch.run()
        for _ in range(3):
            assert told(watch.turn()[0]) == {Change.SAME: 1}
        assert len(_events(watch)) == 1


def test_a_change_of_metadata_alone_makes_nothing_unread_and_a_date_alone_is_not_listed(
    site: Site, tmp_path: Path
) -> None:
    site["/manual.md"] = Page(_manual("1.0"), type="text/markdown")
    with Watch(site, tmp_path) as watch:
        watch.add("/manual.md")
        watch.run()
        document_id = _revision(watch).document_id
        with watch.app.dossiers.open(watch.dossier_id) as store:
            store.marks.read("ann", document_id)
        for given in ({"updated": "2023-11-08"}, {"updated": "2023-11-08", "version": "3"}):
            site["/manual.md"] = Page(_manual(**({"version": "1.0"} | given)), type="text/markdown")
            watch.turn()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            assert not store.marks.unread("ann")
            assert not store.marks.unread_of("ann", [document_id])
            latest = store.outbox.latest(None, 10)
    assert [event.changed_metadata for event in latest] == [("version_hint",), ()]


# Last-Modified


@pytest.mark.covers("R-016", "R-117", "R-131")
def test_the_last_modified_of_a_page_reaches_its_item_and_its_chunks(site: Site, tmp_path: Path) -> None:
    site["/a"] = Page(_page().encode(), headers={"Last-Modified": SOME_DAY})
    with Watch(site, tmp_path) as watch:
        watch.add("/a", "page")
        watch.run()
        assert _chunk(watch)["last_modified"] == SOME_DAY_ISO
        revision = _revision(watch)
        assert (iso(revision.meta["modified_at"]), revision.meta["modified_by"]) == (SOME_DAY_ISO, "server")
        # The same bytes under a later date.
        site["/a"] = Page(_page().encode(), headers={"Last-Modified": LATER}, validates=False)
        (line,) = _news(watch.turn()[0])
        assert (line.code, _chunk(watch)["last_modified"]) == ("metadata", LATER_ISO)
        # One of several servers has an older date: the page is no older for it.
        site["/a"] = Page(_page().encode(), headers={"Last-Modified": SOME_DAY}, validates=False)
        assert told(watch.turn()[0]) == {Change.SAME: 1}
        assert _chunk(watch)["last_modified"] == LATER_ISO


def _beside(text: str) -> bytes:
    return _page(text=f'</p><p id="watched">{STORY}</p><p id="rest">{text}').encode()


@pytest.mark.parametrize("way", ["selectors", "parts", "without"])
def test_the_last_modified_of_a_page_is_no_news_of_a_part_of_it(site: Site, tmp_path: Path, way: str) -> None:
    before = _beside("Fog in the morning.")
    numbers = {choice.text: choice.n for choice in pictured(before, "").choices}
    rest, watched = (next(n for text, n in numbers.items() if text.startswith(one)) for one in ("Fog", STORY[:20]))
    chosen = {
        "selectors": {"selectors": "#watched"},
        "parts": parts_taken(before, "", [watched], []).options,
        "without": parts_taken(before, "", [], [rest]).options,
    }[way]
    site["/a"] = Page(before, headers={"Last-Modified": SOME_DAY})
    with Watch(site, tmp_path) as watch:
        watch.add("/a", "page", **chosen)
        watch.run()
        site["/a"] = Page(_beside("Sun in the morning."), headers={"Last-Modified": LATER})
        assert told(watch.turn()[0]) == {Change.SAME: 1}


@pytest.mark.covers("R-016", "R-117", "R-131")
@pytest.mark.parametrize(
    "head",
    [
        '<meta property="article:modified_time" content="2023-11-02T12:00:00Z">',
        '<script type="application/ld+json">{"@type": "NewsArticle", "dateModified": "2023-11-02T12:00:00Z"}</script>',
    ],
)
def test_the_date_in_the_page_wins_over_its_header(site: Site, tmp_path: Path, head: str) -> None:
    site["/a"] = Page(_page(head).encode(), headers={"Last-Modified": LATER})
    with Watch(site, tmp_path) as watch:
        watch.add("/a", "page")
        watch.run()
        assert _chunk(watch)["last_modified"] == "2023-11-02T12:00:00Z"
        assert _revision(watch).meta["modified_by"] == "document"


@pytest.mark.covers("R-016", "R-131")
def test_a_crawled_page_and_an_attachment_have_their_last_modified(site: Site, tmp_path: Path) -> None:
    site["/"] = Page(_page(text=f'{STORY}<a href="/n.txt">n</a>').encode(), headers={"Last-Modified": SOME_DAY})
    site["/n.txt"] = Page(f"Notes. {STORY}".encode(), type="text/plain", headers={"Last-Modified": LATER})
    with Watch(site, tmp_path) as watch:
        watch.add("/", "site", attachments=["txt"])
        watch.run()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            found = [store.records.revision(one.document_id) for one in store.records.documents()]
    dates = {one.url.removeprefix(site.url): iso(one.meta["modified_at"]) for one in found}
    assert dates == {"/": SOME_DAY_ISO, "/n.txt": LATER_ISO}


@pytest.mark.covers("R-016", "R-131")
def test_a_followed_entry_has_the_last_modified_of_its_page(site: Site, tmp_path: Path) -> None:
    site["/a"] = Page(_page().encode(), headers={"Last-Modified": SOME_DAY})
    site.feed("/feed", [("/a", "An entry", "A summary.")])
    with Watch(site, tmp_path) as watch:
        watch.add("/feed", "feed", follow_links=True)
        watch.run()
        assert _chunk(watch)["last_modified"] == SOME_DAY_ISO


@pytest.mark.covers("R-016", "R-066", "R-131")
def test_the_modification_time_of_a_file_is_its_last_modified(site: Site, tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "shelf"
    folder.mkdir()
    path = folder / "a.txt"
    path.write_text(STORY)
    os.utime(path, (1_699_000_000, 1_699_000_000))
    with Watch(site, tmp_path, fetch=FetchSettings(file_roots=(folder,))) as watch:
        watch.app.sources.add(watch.dossier_id, Wish(url=str(folder), kind="folder"))
        watch.run()
        assert _chunk(watch)["last_modified"] == iso(1_699_000_000_000)
        assert _revision(watch).meta["modified_by"] == "file"
        os.utime(path, (1_699_100_000, 1_699_100_000))
        (line,) = _news(watch.turn()[0])
        assert (line.change, line.code) == (Change.CHANGED, "metadata")
        assert _chunk(watch)["last_modified"] == iso(1_699_100_000_000)
        assert told(watch.turn()[0]) == {Change.SAME: 1}


# outgoing links


@pytest.mark.covers("R-119", "R-117")
def test_outgoing_links_are_whole_with_their_text(room: Newsroom) -> None:
    linked = '<a href="https://agency.example/a?b=1#c">The <b>agency</b></a> <a href="//www.other.example/x">Other</a>'
    room.site["/bridges"] = article("bridges", f" {linked} <a href='/here'>here</a> says so.")
    room.discover(room.feed("/feed.xml", [("/bridges", "bridges")]))
    room.poll()
    room.work()
    with room.app.dossiers.open(room.dossier_id) as store:
        (line,) = store.records.documents()
        links = store.records.revision(line.document_id).meta["out_links"]
    assert {"url": "https://agency.example/a?b=1#c", "text": "The agency"} in links
    assert {"url": "http://www.other.example/x", "text": "Other"} in links
    assert not [link for link in links if link["url"].startswith(room.site.url)]
    assert listed(room.raw("/bridges")["out_links"]) == ["agency.example", "other.example"], "the cell: sorted sites"


@pytest.mark.covers("R-119")
def test_a_page_with_a_hundred_thousand_links_keeps_the_first_and_counts_the_rest(site: Site, tmp_path: Path) -> None:
    links = " ".join(f"<a href=https://h{number}.example>{number}</a>" for number in range(100_000))
    site["/a"] = _page(text=f"{STORY}</p><p>{links}")
    site.feed("/feed", [("/a", "An entry", "A summary.")])
    with Watch(site, tmp_path) as watch:
        watch.add("/feed", "feed", follow_links=True)
        watch.run()
        meta = _revision(watch).meta
    kept = meta["out_links"]
    assert kept[0] == {"url": "https://h0.example", "text": "0"}
    assert len(kept) + meta["out_links_left_out"] == 100_000
    assert len(json.dumps(kept)) < 200_000


# The titles of page and feed


def test_the_title_of_the_page_is_kept_beside_that_of_the_feed(site: Site, tmp_path: Path) -> None:
    site["/a"] = _page()
    site.feed("/feed", [("/a", "As the feed has it", "A summary.")])
    with Watch(site, tmp_path) as watch:
        watch.add("/feed", "feed", follow_links=True)
        watch.run()
        revision = _revision(watch)
    assert (revision.title, revision.meta["listed_title"], revision.meta["page_title"]) == (
        "As the feed has it", "As the feed has it", "A page",
    )  # fmt: skip


def test_a_feed_without_titles_shows_that_of_the_page(site: Site, tmp_path: Path) -> None:
    site["/a"] = _page()
    site.feed("/feed", [("/a", "", "A summary.")])
    with Watch(site, tmp_path) as watch:
        watch.add("/feed", "feed", follow_links=True)
        watch.run()
        revision = _revision(watch)
    assert (revision.title, revision.meta.get("listed_title"), revision.meta["page_title"]) == (
        "A page",
        None,
        "A page",
    )
