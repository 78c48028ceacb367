from __future__ import annotations

from dataclasses import replace

from desk import Desk
from samples import NOW, STORY, document, failure, payload
from veille.core.models import Lease
from veille.core.report.figures import CheckCounts, Stock
from veille.core.schedule import DAY, HOUR
from veille.core.traffic import Failure, Payload

#: When the day of NOW began.
TODAY = NOW // DAY * DAY


def _lease(desk: Desk, now: int) -> Lease:
    desk.program.queue.release("worker", now)
    desk.program.queue.arm(desk.dossier_id, now)
    return next(lease for lease in desk.claim(now=now) if lease.request.url == "https://example.org/a")


def _look(desk: Desk, now: int, text: str = STORY, answer: Payload | Failure | None = None) -> None:
    failed = answer if isinstance(answer, Failure) else None
    given = answer if isinstance(answer, Payload) else None
    found = [] if failed or (given and given.not_modified) else [document(text=text)]
    assert desk.commit(_lease(desk, now), *found, now=now, failure=failed, answer=given)


def test_days_count_what_was_asked_and_what_came_of_it(desk: Desk) -> None:
    desk.add()
    _look(desk, TODAY, answer=payload(wire_bytes=1000, duration_ms=30, raw_hash=""))
    _look(desk, TODAY + 1, "Now otherwise.", payload(wire_bytes=700, duration_ms=20, raw_hash="", etag='"2"'))
    _look(desk, TODAY + DAY - 1, answer=payload(status=304, wire_bytes=100, duration_ms=5))
    _look(desk, TODAY + DAY, answer=failure(503, duration_ms=7, wire_bytes=50))
    first = CheckCounts(asked=3, not_modified=1, bytes=1800, saved=600, duration_ms=55, new=1, changed=1)
    second = CheckCounts(asked=1, failed=1, bytes=50, duration_ms=7)
    with desk.open() as opened:
        assert opened.figures.by_day(TODAY + HOUR) == {TODAY: first, TODAY + DAY: second}
        assert opened.figures.by_day(TODAY + DAY) == {TODAY + DAY: second}
        assert opened.figures.by_day(TODAY + 2 * DAY) == {}
        assert opened.figures.by_host(TODAY, 9) == [("example.org", first + second)]
        assert [opened.figures.traffic(TODAY + at) for at in (-1, 0, DAY - 1, DAY)] == [0, 1800, 1800, 50]


def test_the_hosts_that_were_asked_most_come_first(desk: Desk) -> None:
    for host, times in (("b.example", 1), ("c.example", 2), ("a.example", 1)):
        desk.add(f"https://{host}/", *(f"https://{host}/{n}" for n in range(1, times)))
    for lease in desk.claim():
        desk.commit(lease, failure=failure(500))
    with desk.open() as opened:
        assert [host for host, _ in opened.figures.by_host(NOW, 9)] == ["c.example", "a.example", "b.example"]
        assert [host for host, _ in opened.figures.by_host(NOW, 1)] == ["c.example"]


def test_what_falls_due_is_counted_by_hour_and_what_is_overdue_in_the_first(desk: Desk) -> None:
    for number, at in enumerate((NOW - DAY, NOW, NOW + HOUR - 1, NOW + HOUR, NOW + 3 * HOUR)):
        desk.add(f"https://example.org/{number}", created_at=at)
    with desk.open() as opened:
        assert opened.figures.due(NOW, 3) == [3, 1, 0]
        assert opened.figures.due(NOW, 4) == [3, 1, 0, 1]
        (paused,) = (one for one in opened.sources.all() if one.url.endswith("/3"))
        opened.sources.update(replace(paused, enabled=False))
        assert opened.figures.due(NOW, 2) == [3, 0], "what is paused is not due"


def test_the_stock_counts_documents_copies_and_revisions(desk: Desk) -> None:
    words = " ".join(f"word{n} of{n % 7} the{n % 11} harbour{n}" for n in range(90))
    texts = [words, words, f"{words} and more", "Something else."]
    found = [document(f"https://example.org/{n}", text=text, published_at=NOW + n) for n, text in enumerate(texts)]
    with desk.open() as opened:
        stock, empty = opened.figures.stock(), opened.figures.stored()
        assert replace(stock, file_bytes=0, index_bytes=0) == Stock(
            documents=0, duplicates=0, retold=0, revisions=0, file_bytes=0, index_bytes=0
        )
    desk.bring(*found)
    desk.again(*found[:-1], document("https://example.org/3", text="Now otherwise."), now=NOW + 1)
    with desk.open() as opened:
        stock = opened.figures.stock()
        assert (stock.documents, stock.duplicates, stock.retold, stock.revisions) == (4, 1, 1, 4)
        assert 0 < stock.index_bytes < stock.file_bytes
        assert opened.figures.stored() >= empty
        assert sorted(opened.figures.published()) == [NOW, NOW + 2, NOW + 3], (
            "a copy is published where it is copied from"
        )


def test_what_is_deleted_makes_room_for_others(desk: Desk) -> None:
    text = "".join(f"word{n * n} " for n in range(20_000))
    stored = []
    for number in range(6):
        source = desk.bring(document(text=f"{number} {text}"), now=NOW + number)
        with desk.open() as opened:
            stored.append(opened.figures.stored())
            opened.sources.delete(source.id)
            assert opened.figures.stored() < stored[-1]
    assert max(stored) < 2 * stored[0]
