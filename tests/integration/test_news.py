"""The news workflow on a loopback site, seen through the workbook."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from newsroom import TEXT, Newsroom, article, listed
from veille.core.dates import iso
from veille.core.news.labels import clean_text
from veille.core.news.sheets import SHEETS
from veille.core.schedule import HOUR
from veille.core.text import flat
from veille.services.watching.sources import Wish
from world import Asked, Page, Site


@pytest.fixture
def room(site: Site, tmp_path: Path) -> Iterator[Newsroom]:
    with Newsroom(site, tmp_path) as opened:
        yield opened


def _stocked(room: Newsroom, *subjects: str) -> str:
    """A registered feed with an article for each subject."""
    for subject in subjects:
        room.site[f"/{subject}"] = article(subject)
    url = room.feed("/feed.xml", [(f"/{subject}", subject) for subject in subjects])
    room.discover(url)
    return url


@pytest.mark.covers("R-186", "R-010", "R-011", "R-012", "R-013", "R-140")
def test_ensure_makes_the_five_sheets_with_their_columns(room: Newsroom) -> None:
    room.desk.ensure()
    book = openpyxl.load_workbook(room.book)
    assert book.sheetnames == ["Feeds", "Raw", "ArticlesIndex", "Diagnostics", "Config"]
    for sheet in SHEETS:
        assert tuple(cell.value for cell in book[sheet.name][1]) == sheet.columns
    assert [len(sheet.columns) for sheet in SHEETS[:3]] == [12, 33, 11]
    assert {row["key"]: row["value"] for row in room.rows("Config")}["schema_version"] == "v1"


@pytest.mark.covers("R-234", "R-036", "R-037", "R-038", "R-039", "R-040", "R-187")
def test_a_fresh_english_feed_becomes_active(room: Newsroom) -> None:
    url = room.feed("/feed.xml", [("/a", "Bridges")], age_h=30)
    (found,) = room.discover(url)
    assert (found.accepted, found.finding) == (True, "ok")
    (row,) = room.rows("Feeds")
    assert (row["feed_url"], row["feed_url_canon"], row["status"], row["lang"]) == (url, url, "active", "en")
    assert (row["health_score"], row["no_updates_days"], row["checked_at"]) == (100, 1, iso(room.now))


@pytest.mark.covers("R-039", "R-028")
@pytest.mark.parametrize(
    ("age_h", "lang", "finding"), [(24 * 8, "en", "stale"), (1, "fr", "language"), (24 * 6.9, "en", "ok")]
)
def test_a_feed_that_is_old_or_in_another_language_is_left_out(
    room: Newsroom, age_h: float, lang: str, finding: str
) -> None:
    (found,) = room.discover(room.feed("/feed.xml", [("/a", "A")], age_h=age_h, lang=lang))
    assert (found.finding, found.accepted) == (finding, finding == "ok")
    assert len(room.rows("Feeds")) == found.accepted


def test_registering_a_feed_again_changes_its_one_row(room: Newsroom) -> None:
    url = _stocked(room, "bridges")
    room.discover(url + "?utm_source=x", url)
    assert len(room.rows("Feeds")) == 1


def test_a_page_leads_to_the_feed_it_names(room: Newsroom) -> None:
    url = room.feed("/feed.xml", [("/a", "A")])
    room.site["/"] = (
        "<html><head><link rel=alternate type=application/rss+xml href=/feed.xml></head><p>Hello</p></html>"
    )
    (found,) = room.discover(room.site.url)
    assert (found.accepted, found.feed_url) == (True, url)


def test_a_feed_that_is_not_there_is_reported_and_no_row(room: Newsroom) -> None:
    found, run = room.desk.discover([room.site.url + "/none.xml"])
    assert (found[0].accepted, found[0].finding, run.figures["errors"]) == (False, "http.404", 1)
    assert room.rows("Feeds") == []


@pytest.mark.covers("R-234", "R-053", "R-051", "R-188", "R-218")
def test_a_poll_without_news_makes_no_rows_and_records_the_304(room: Newsroom) -> None:
    _stocked(room, "bridges", "roads")
    first, second = room.poll(), room.poll()
    assert (first.figures["new_items"], first.figures["fetch_200"]) == (2, 1)
    assert (second.figures["new_items"], second.figures["fetch_304"], second.figures["fetch_200"]) == (0, 1, 0)
    assert len(room.rows()) == 2
    last = room.rows("Diagnostics")[-1]
    assert (last["command"], last["fetch_304"], last["feeds_active"]) == ("poll", 1, 1)
    (feed,) = room.rows("Feeds")
    assert feed["last_crawled"] == iso(room.now)
    assert feed["etag"]


@pytest.mark.covers("R-092", "R-014")
def test_a_poll_adds_rows_that_wait(room: Newsroom) -> None:
    feed_url = _stocked(room, "bridges")
    room.poll()
    row = room.raw("/bridges")
    assert (row["status"], row["retries"], row["title"], row["row_id"]) == ("pending", 0, "bridges", 1)
    assert (row["found_at"], row["last_seen_rss"]) == (iso(room.now), iso(room.now))
    assert (row["feed_url"], listed(row["sources_list"]), listed(row["aliases"])) == (feed_url, [feed_url], [])
    assert row["article_url_canon"] == _canon(room, "/bridges")
    assert row["url_hash"] == hashlib.sha256(row["article_url_canon"].encode()).hexdigest()
    assert not row["clean_text"]
    (entry,) = room.rows("ArticlesIndex")
    assert (entry["row_id_raw"], entry["url_hash"], entry["is_duplicate"]) == (1, row["url_hash"], 0)


@pytest.mark.covers("R-234", "R-094", "R-118", "R-119", "R-121", "R-122", "R-189")
def test_work_on_what_waits_stores_it_with_its_fields_filled(room: Newsroom) -> None:
    _stocked(room, "bridges")
    room.poll()
    room.now += 60_000
    run = room.work("desk-7")
    row = room.raw("/bridges")
    assert (run.figures["new_articles"], run.figures["worker"], row["status"]) == (1, "desk-7", "stored")
    assert (row["source"], row["title"], row["subtitle"]) == ("The Herald", "bridges", "About bridges.")
    assert (row["authors"], row["section"], row["language"]) == ("Ann Lee", "World", "en")
    assert row["tags"].split(", ") == ["vote", "bridges"]
    assert (row["article_type"], row["category_guess"]) == ("news", "politics")
    assert listed(row["out_links"]) == ["agency.example"]
    assert (row["fetched_at"], row["processed_at"]) == (iso(room.now), iso(room.now))
    assert not row["lock_owner"]
    assert not row["error_msg"]
    full = Path(row["full_text_ref"]).read_text()
    assert TEXT.format("bridges").split("\n")[0] in full
    assert (row["full_text_len"], row["clean_text"]) == (len(full), clean_text(full))
    assert row["text_hash"] == hashlib.sha256(flat(row["clean_text"]).encode()).hexdigest()
    assert (row["clean_text_len"], row["word_count"]) == (len(row["clean_text"]), len(row["clean_text"].split()))
    (entry,) = room.rows("ArticlesIndex")
    assert (entry["rev_n"], entry["text_hash"], entry["category_guess"]) == (1, row["text_hash"], "politics")
    assert Path(row["full_text_ref"]).parent == room.folder.joinpath("texts", *row["found_at"][:10].split("-"))


@pytest.mark.covers("R-234", "R-075", "R-071", "R-074")
def test_polling_and_working_again_makes_no_duplicates(room: Newsroom) -> None:
    _stocked(room, "bridges", "roads")
    room.poll()
    room.feed("/feed.xml", [("/bridges", "bridges"), ("/roads?utm_source=rss", "roads")], age_h=2)
    room.poll()
    assert len(room.rows()) == 2, "two polls before a work run"
    assert {row["article_url_canon"] for row in room.rows()} == {_canon(room, "/bridges"), _canon(room, "/roads")}
    for _ in range(2):
        room.work()
        room.poll()
    assert [row["status"] for row in room.rows()] == ["stored", "stored"]
    assert len(room.rows("ArticlesIndex")) == 2


@pytest.mark.covers("R-235", "R-059")
@pytest.mark.parametrize("status", [301, 302])
def test_a_redirect_changes_the_canonical_address(room: Newsroom, status: int) -> None:
    room.site["/old"] = Page(b"", status=status, headers={"Location": "/new"}, validates=False)
    room.site["/new"] = article("bridges")
    room.discover(room.feed("/feed.xml", [("/old", "bridges")]))
    room.poll()
    before = room.raw("/old")
    room.work()
    row = room.raw("/old")
    new = _canon(room, "/new")
    assert (row["row_id"], row["article_url_canon"], row["status"]) == (before["row_id"], new, "stored")
    assert row["url_hash"] == hashlib.sha256(new.encode()).hexdigest() != before["url_hash"]
    assert listed(row["aliases"]) == [_canon(room, "/old")]
    (entry,) = room.rows("ArticlesIndex")
    assert (entry["article_url_canon"], entry["url_hash"]) == (new, row["url_hash"])


@pytest.mark.covers("R-235", "R-072")
def test_the_same_text_at_two_addresses_is_a_duplicate_by_text(room: Newsroom) -> None:
    room.site["/a"] = room.site["/b"] = article("bridges")
    room.discover(room.feed("/feed.xml", [("/a", "bridges"), ("/b", "bridges")]))
    room.poll()
    run = room.work()
    rows = {row["status"]: row for row in room.rows()}
    assert set(rows) == {"stored", "duplicate"}
    main, copy = rows["stored"], rows["duplicate"]
    assert main["text_hash"] == copy["text_hash"]
    assert listed(main["aliases"]) == [copy["article_url_canon"]]
    assert not copy["clean_text"]
    assert (run.figures["duplicates_text"], run.figures["new_articles"]) == (1, 1)
    entry = next(row for row in room.rows("ArticlesIndex") if row["row_id_raw"] == copy["row_id"])
    assert (entry["is_duplicate"], entry["reason"]) == (1, "text")


@pytest.mark.covers("R-235", "R-120")
def test_without_a_date_in_the_page_the_feeds_is_taken_and_without_both_it_is_empty(room: Newsroom) -> None:
    dated = room.feed("/dated.xml", [("/a", "bridges"), ("/c", "canals")], age_h=5)
    room.site["/a"] = article("bridges")
    room.site["/b"] = article("roads")
    stated = "<meta property='article:published_time' content='2023-11-10T08:00:00Z'>"
    room.site["/c"] = article("canals", head=stated)
    undated = f"<rss version='2.0'><channel><title>F</title><item><link>{room.site.url}/b</link></item></channel></rss>"
    room.site["/undated.xml"] = Page(undated.encode(), type="application/rss+xml")
    room.discover(dated)
    at = iso(room.now - 5 * HOUR)
    # Discovery would not register it; a person may.
    wish = Wish(url=room.site.url + "/undated.xml", kind="feed", config={"follow_links": True})
    room.app.sources.add(room.dossier_id, wish)
    room.poll()
    room.work()
    assert room.raw("/a")["published_at"] == at
    assert room.raw("/c")["published_at"] == "2023-11-10T08:00:00Z"
    assert not room.raw("/b")["published_at"]


@pytest.mark.covers("R-093", "R-028")
def test_a_poll_takes_so_many_new_articles_of_a_feed_and_the_next_poll_takes_more(site: Site, tmp_path: Path) -> None:
    with Newsroom(site, tmp_path, max_items_per_feed_per_poll=3) as room:
        room.discover(room.feed("/feed.xml", [(f"/{n}", f"Title {n}") for n in range(7)]))
        counts = [room.poll().figures["new_items"] for _ in range(4)]
    assert counts == [3, 3, 1, 0]


@pytest.mark.covers("R-164", "R-028")
def test_work_takes_one_batch_and_drains_when_asked_to(site: Site, tmp_path: Path) -> None:
    with Newsroom(site, tmp_path, pending_batch_size=2) as room:
        _stocked(room, "bridges", "roads", "canals", "ports", "dams")
        room.poll()
        room.work()
        assert _statuses(room) == ["pending"] * 3 + ["stored"] * 2
        room.work(drain=True)
        assert _statuses(room) == ["stored"] * 5


@pytest.mark.covers("R-184", "R-014")
def test_a_failure_is_an_error_with_its_message_and_what_may_not_be_fetched_is_skipped(room: Newsroom) -> None:
    room.site["/robots.txt"] = "User-agent: *\nDisallow: /hidden"
    room.discover(room.feed("/feed.xml", [("/gone", "A"), ("/hidden", "B")]))
    room.poll()
    run = room.work()
    gone, hidden = room.raw("/gone"), room.raw("/hidden")
    assert (gone["status"], hidden["status"]) == ("error", "skipped")
    assert (gone["retries"], gone["processed_at"]) == (1, iso(room.now))
    assert gone["error_msg"].startswith("http.404: ")
    assert hidden["error_msg"].startswith("robots: ")
    assert (run.figures["fetch_4xx"], run.figures["errors"]) == (1, 1)
    room.now += 24 * HOUR
    assert room.work().figures["errors"] == 0, "neither is tried again"


@pytest.mark.covers("R-184", "R-063")
def test_a_passing_failure_is_tried_again(room: Newsroom) -> None:
    room.site["/broken"] = Page(b"", status=503, validates=False)
    room.discover(room.feed("/feed.xml", [("/broken", "bridges")]))
    room.poll()
    room.work()
    assert room.raw("/broken")["status"] == "error"
    room.site["/broken"] = article("bridges")
    room.now += 24 * HOUR
    room.work()
    assert (room.raw("/broken")["status"], room.raw("/broken")["retries"]) == ("stored", 0)


@pytest.mark.covers("R-073")
def test_an_article_that_its_feed_says_is_new_is_read_again_as_the_next_revision(room: Newsroom) -> None:
    url = _stocked(room, "bridges")
    room.poll()
    room.work()
    first = room.raw("/bridges")
    room.site["/bridges"] = article("bridges", extra="\nA second vote was held at night.")
    room.feed("/feed.xml", [("/bridges", "bridges: second vote")], age_h=-2)
    room.poll()
    assert room.raw("/bridges")["status"] == "pending"
    room.work()
    row, (entry,) = room.raw("/bridges"), room.rows("ArticlesIndex")
    assert (row["status"], row["row_id"], entry["rev_n"]) == ("stored", first["row_id"], 2), url
    assert row["text_hash"] != first["text_hash"]
    assert "second vote was held" in Path(row["full_text_ref"]).read_text()


@pytest.mark.covers("R-071")
def test_an_article_of_two_feeds_is_one_row_with_both_feeds(room: Newsroom) -> None:
    one = _stocked(room, "bridges")
    room.site["/bridges?utm_medium=rss"] = article("bridges")
    two = room.feed("/two.xml", [("/bridges?utm_medium=rss", "bridges")])
    room.discover(two)
    room.poll()
    room.work()
    (row,) = room.rows()
    assert (row["status"], listed(row["aliases"])) == ("stored", [])
    assert sorted(listed(row["sources_list"])) == sorted([one, two])


def test_two_links_that_lead_to_one_page_for_good_are_one_article_and_a_duplicate_by_address(room: Newsroom) -> None:
    for path in ("/r1", "/r2"):
        room.site[path] = Page(b"", status=301, headers={"Location": "/new"}, validates=False)
    room.site["/new"] = article("bridges")
    room.discover(room.feed("/feed.xml", [("/r1", "bridges"), ("/r2", "bridges")]))
    room.poll()
    room.work()
    assert _statuses(room) == ["duplicate", "stored"]
    reasons = [row["reason"] for row in room.rows("ArticlesIndex") if row["is_duplicate"]]
    assert reasons == ["url"]


@pytest.mark.covers("R-163")
def test_an_article_that_somebody_works_on_shows_who(room: Newsroom) -> None:
    _stocked(room, "bridges")
    room.poll()
    seen: list[dict[str, object]] = []

    def look(_: Asked) -> Page:
        room.desk.ensure()
        seen.append(room.raw("/bridges"))
        return Page(article("bridges").encode())

    room.site.made["/bridges"] = look
    room.work("desk-7")
    assert [(row["status"], row["lock_owner"], row["lock_at"]) for row in seen] == [
        ("processing", "desk-7", iso(room.now))
    ]
    assert not room.raw("/bridges")["lock_owner"]


@pytest.mark.covers("R-164", "R-163")
def test_while_a_worker_is_at_one_paper_another_is_at_the_next(site: Site, tmp_path: Path) -> None:
    with Site() as other, Newsroom(site, tmp_path, pending_batch_size=1) as first:
        first.discover(first.feed("/feed.xml", [("/a", "bridges"), (f"{other.url}/b", "roads")]))
        first.poll()
        shares: list[object] = []

        def serve(_: Asked) -> Page:
            if not shares:
                shares.append("first")
                with Newsroom(site, tmp_path) as second:
                    second.now = first.now
                    shares.append(second.work("second").figures["new_articles"])
            return Page(article("bridges" if shares[1:] else "roads").encode())

        site.made["/a"], other.made["/b"] = serve, serve
        shares.append(first.work("first").figures["new_articles"])
        assert shares == ["first", 1, 1]
        assert _statuses(first) == ["stored", "stored"]


def _canon(room: Newsroom, path: str) -> str:
    return f"https://{room.site.url.partition('://')[2]}{path}"


def _statuses(room: Newsroom) -> list[str]:
    return sorted(row["status"] for row in room.rows())


@pytest.mark.covers("R-071", "R-074")
def test_an_article_of_two_feeds_is_fetched_once_and_by_the_other_address_when_the_first_is_dead(
    room: Newsroom,
) -> None:
    room.site["/bridges"] = article("bridges")
    room.site["/roads?utm_medium=rss"] = article("roads")
    room.discover(room.feed("/one.xml", [("/bridges", "bridges"), ("/roads", "roads")]))
    room.poll()
    room.discover(room.feed("/two.xml", [("/bridges?utm_medium=rss", "bridges"), ("/roads?utm_medium=rss", "roads")]))
    room.poll()
    assert _statuses(room) == ["pending", "pending"]
    room.work()
    fetched = sorted(seen.path for seen in room.site.seen if seen.path.startswith(("/bridges", "/roads")))
    assert fetched == ["/bridges", "/roads"]
    room.work()
    assert _statuses(room) == ["stored", "stored"]
    assert "/bridges?utm_medium=rss" not in {seen.path for seen in room.site.seen}
    assert room.work().figures["fetch_200"] == 0


@pytest.mark.covers("R-072", "R-073")
def test_texts_that_differ_in_offers_only_are_one_text(room: Newsroom) -> None:
    room.site["/a"] = article("bridges", extra="\nRead more: ten bridges that you must have seen this year.")
    room.site["/b"] = article("bridges", extra="\nSubscribe to our letter about bridges, roads and canals.")
    room.discover(room.feed("/feed.xml", [("/a", "bridges"), ("/b", "bridges")]))
    room.poll()
    room.work()
    assert _statuses(room) == ["duplicate", "stored"]
    assert len({row["text_hash"] for row in room.rows()}) == 1
    room.site["/a"] = article("bridges", extra="\nRead more: what became of the ten bridges that you have seen.")
    room.feed("/feed.xml", [("/a", "bridges")], age_h=-1)
    room.poll()
    room.work()
    assert {row["rev_n"] for row in room.rows("ArticlesIndex") if not row["is_duplicate"]} == {1}


@pytest.mark.covers("R-010", "R-218")
def test_a_feed_that_fails_loses_health_says_why_and_recovers(room: Newsroom) -> None:
    url = _stocked(room, "bridges")
    healthy = room.site.pages["/feed.xml"]
    room.site["/feed.xml"] = Page(b"", status=500, validates=False)
    run = room.poll()
    (feed,) = room.rows("Feeds")
    assert (run.figures["errors"], run.figures["fetch_5xx"]) == (1, 1)
    assert (feed["feed_url"], feed["status"], feed["health_score"]) == (url, "active", 80)
    assert feed["notes"].startswith("http.500: ")
    room.site["/feed.xml"] = healthy
    room.now += 24 * HOUR
    assert room.poll().figures["new_items"] == 1
    (feed,) = room.rows("Feeds")
    assert (feed["health_score"], feed["notes"]) == (100, "The newest entry is 0 days old.")
