from __future__ import annotations

from typing import Any

from desk import Desk, room
from samples import NOW, document, failure, payload, request, source
from veille.core.models import Lease, Scope, Source
from veille.core.news.facts import ArticleRow, FeedFacts, Written


def _feed(desk: Desk, name: str, *entries: str, now: int = NOW) -> Source:
    """A feed that led to these articles, none of which was fetched."""
    added = source(f"https://{name}.example/feed", kind="feed", created_at=now)
    with desk.open() as opened:
        found = (_entry(added, url) for url in entries)
        opened.sources.add(added, [request(added), *found])
    return added


def _entry(of: Source, url: str) -> Any:
    return request(of, url, "entry", context={"title": f"Title of {url}", "published_at": NOW - 5})


def _ids(of: Source, *urls: str) -> list[str]:
    return [_entry(of, url).id for url in urls]


def _articles(desk: Desk) -> list[ArticleRow]:
    with desk.open() as opened:
        return opened.news.articles()


def _leases(desk: Desk, now: int) -> dict[str, Lease]:
    """What waits for a fetch, of articles."""
    scope = Scope(purposes=frozenset({"entry"}))
    return {lease.request.url: lease for lease in desk.program.queue.claim("worker", now, room(99), scope)}


def test_every_article_has_one_row_however_many_feeds_list_it(desk: Desk) -> None:
    one = _feed(desk, "one", "https://example.org/a", "https://example.org/b")
    with desk.open() as opened:
        assert (opened.news.articles(), opened.news.number(NOW)) == ([], 2)
        assert opened.news.number(NOW + 1) == 0
    two = _feed(desk, "two", "http://www.example.org/b?utm_source=rss", "https://example.org/c", now=NOW + 2)
    with desk.open() as opened:
        assert opened.news.number(NOW + 2) == 1
    rows = {article.entries[0].url: article for article in _articles(desk)}
    assert {url: [entry.url for entry in row.entries[1:]] for url, row in rows.items()} == {
        "https://example.org/a": [],
        "https://example.org/b": ["http://www.example.org/b?utm_source=rss"],
        "https://example.org/c": [],
    }
    numbers = [article.row_id for article in _articles(desk)]
    assert numbers == sorted(set(numbers))
    assert rows["https://example.org/c"].row_id == numbers[-1]
    entry = rows["https://example.org/b"].entries[1]
    assert (entry.source_id, entry.feed_url, entry.found_at) == (two.id, two.url, NOW + 2)
    assert (entry.title, entry.published_at) == ("Title of http://www.example.org/b?utm_source=rss", NOW - 5)
    assert (entry.story, entry.attempts, entry.failed_with) == (None, 0, "")
    assert rows["https://example.org/b"].entries[0].source_id == one.id


def test_pages_and_other_requests_are_no_articles(desk: Desk) -> None:
    desk.add("https://example.org/page", "https://example.org/entry")
    with desk.open() as opened:
        assert (opened.news.number(NOW), opened.news.articles(), opened.news.feeds()) == (0, [], [])


def test_what_a_feed_lists_becomes_rows_or_has_them_and_was_seen_then(desk: Desk) -> None:
    one = _feed(desk, "one", "https://example.org/a", "https://example.org/b")
    with desk.open() as opened:
        news = opened.news
        assert news.listed(one.id, _ids(one, "https://example.org/a"), None, NOW) == (1, 0)
        both = _ids(one, "https://example.org/a", "https://example.org/b")
        assert news.listed(one.id, both, None, NOW + 1) == (1, 1)
        assert news.listed(one.id, both[:1], None, NOW + 2) == (0, 1)
        assert news.listed(one.id, ["another"], None, NOW + 3) == (0, 0)
        seen = {row.entries[0].url: row.last_seen_at for row in news.articles()}
        assert seen == {"https://example.org/a": NOW + 2, "https://example.org/b": NOW + 1}


def test_of_an_article_of_several_feeds_one_entry_is_fetched_and_the_next_when_that_failed(desk: Desk) -> None:
    _feed(desk, "one", "https://example.org/a")
    _feed(desk, "two", "https://example.org/a?utm_source=rss", now=NOW + 1)
    with desk.open() as opened:
        opened.news.number(NOW + 1)
    first = _leases(desk, NOW + 2)
    assert list(first) == ["https://example.org/a"]
    desk.commit(first["https://example.org/a"], failure=failure(404), now=NOW + 2)
    desk.program.queue.release("worker", NOW + 2)
    with desk.open() as opened:
        opened.news.number(NOW + 3)
    second = _leases(desk, NOW + 3)
    assert list(second) == ["https://example.org/a?utm_source=rss"]
    (lease,) = second.values()
    desk.commit(lease, document(lease.request.url), now=NOW + 4, answer=payload(url=lease.request.url))
    desk.program.queue.release("worker", NOW + 4)
    (article,) = _articles(desk)
    failed, stored = article.entries
    assert (failed.failed_with, failed.story) == ("http.404", None)
    assert stored.story is not None
    assert (stored.story.state, stored.story.rev_n, stored.story.title) == ("current", 1, "A title")
    assert stored.done_at == NOW + 4
    with desk.open() as opened:
        opened.news.number(NOW + 5)
    assert _leases(desk, NOW + 5) == {}


def test_an_article_that_somebody_works_on_shows_who_has_it(desk: Desk) -> None:
    _feed(desk, "one", "https://example.org/a")
    with desk.open() as opened:
        opened.news.number(NOW)
    (lease,) = _leases(desk, NOW).values()
    ((entry,),) = (article.entries for article in _articles(desk))
    assert (entry.lock_owner, entry.lock_at, entry.lock_until) == ("worker", NOW, lease.until)
    desk.program.queue.release("worker", NOW)
    ((entry,),) = (article.entries for article in _articles(desk))
    assert (entry.lock_owner, entry.due) == ("", True)


def test_articles_of_a_feed_that_is_deleted_go_with_it_and_other_rows_keep_their_numbers(desk: Desk) -> None:
    one = _feed(desk, "one", "https://example.org/a", "https://example.org/b")
    _feed(desk, "two", "https://example.org/b", "https://example.org/c", now=NOW + 1)
    with desk.open() as opened:
        opened.news.number(NOW)
        before = {article.entries[-1].url: article.row_id for article in opened.news.articles()}
        opened.sources.delete(one.id)
    after = {article.entries[-1].url: article.row_id for article in _articles(desk)}
    assert after == {url: row for url, row in before.items() if not url.endswith("/a")}
    _feed(desk, "three", "https://example.org/d", now=NOW + 2)
    with desk.open() as opened:
        assert opened.news.number(NOW + 2) == 1
        assert opened.news.articles()[-1].row_id > max(before.values())


def test_feeds_are_listed_as_they_were_added_with_what_was_noted(desk: Desk) -> None:
    later, sooner = _feed(desk, "later", now=NOW + 1), _feed(desk, "sooner")
    plain = {"etag": "", "last_modified": "", "given_url": "", "lang": "", "newest_at": None, "notes": ""}
    facts = {"given_url": "https://later.example", "lang": "en", "newest_at": NOW, "notes": "ü", "checked_at": NOW + 2}
    with desk.open() as opened:
        assert opened.news.feeds() == [
            FeedFacts(source=one, checked_at=None, **plain)  # type: ignore[arg-type]
            for one in (sooner, later)
        ]
        opened.news.register(FeedFacts(source=later, etag="", last_modified="", **facts))  # type: ignore[arg-type]
        assert opened.news.feeds()[1] == FeedFacts(source=later, **(plain | facts))  # type: ignore[arg-type]
        for newest in (NOW + 5, NOW + 1, None):
            opened.news.listed(later.id, [], newest, NOW + 6)
        assert opened.news.feeds()[1].newest_at == NOW + 5, "it never goes back"
        facts |= {"notes": "", "newest_at": None}
        opened.news.register(FeedFacts(source=later, etag="", last_modified="", **facts))  # type: ignore[arg-type]
        assert opened.news.feeds()[1] == FeedFacts(source=later, **(plain | facts))  # type: ignore[arg-type]


def test_a_feed_shows_what_its_server_said_last(desk: Desk) -> None:
    _feed(desk, "one")
    (lease,) = desk.claim()
    answer = payload(url=lease.request.url, etag='"7"', last_modified="yesterday")
    desk.commit(lease, answer=answer)
    with desk.open() as opened:
        (feed,) = opened.news.feeds()
    assert (feed.etag, feed.last_modified) == ('"7"', "yesterday")


def test_the_figures_of_runs_are_kept_in_order(desk: Desk) -> None:
    with desk.open() as opened:
        assert opened.news.logged() == {}
        for run_id in ("b", "a"):
            opened.news.log(run_id, {"run_id": run_id, "new": 3, "note": "ü"})
        assert list(opened.news.logged()) == ["b", "a"]
        assert opened.news.logged()["a"] == {"run_id": "a", "new": 3, "note": "ü"}


def test_a_workbook_keeps_its_rows_until_it_is_another_one(desk: Desk) -> None:
    first = Written(book_id="x", cursor=1, tags=frozenset({("Articles", "1", "old"), ("Articles", "2", "t")}))
    with desk.open() as opened:
        news = opened.news
        assert news.written("book") == Written()
        news.mark("book", first)
        news.mark("other", Written(book_id="y", cursor=7))
        assert news.written("book") == first
        news.mark("book", Written(book_id="x", cursor=2, tags=frozenset({("Articles", "1", "new")})))
        tags = frozenset({("Articles", "1", "new"), ("Articles", "2", "t")})
        assert news.written("book") == Written(book_id="x", cursor=2, tags=tags)
        fresh = Written(book_id="z", cursor=1, tags=frozenset({("Feeds", "1", "t")}))
        news.mark("book", fresh)
        assert (news.written("book"), news.written("other")) == (fresh, Written(book_id="y", cursor=7))
