"""What one dossier may have: sources, requests and bytes of a day, room. Others do not notice."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from command import Cli
from inside_sqlite import catalog_of
from samples import NOW
from service import Client, Here
from veille.core.models import Change, Scope
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.core.workload import Limit, Room
from veille.errors import ConfigError
from veille.services.watching.sources import Wish
from veille.settings import QuotaSettings
from watching import FAST, Watch, told
from world import Page, Site

TEXT = "The tide table for the week was put up at the harbour office, with two corrections for the spring tide. " * 3
_MB = 1024 * 1024
#: One address at a time, so that what is over the limit is one answer.
ONE_BY_ONE = FAST.model_copy(update={"concurrency": 1, "host_concurrency": 1})


def test_a_dossier_has_no_more_sources_than_its_quota(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path, quotas=QuotaSettings(sources=2)) as watch:
        watch.add("/a")
        watch.add("/b")
        with pytest.raises(ConfigError) as caught:
            watch.add("/c")
        assert caught.value.code == "quota_sources"
        other = watch.app.create_dossier("other")
        watch.app.sources.add(other.id, Wish(url=f"{site.url}/c"))


def test_a_dossier_sends_no_more_requests_a_day_than_its_quota_and_goes_on_tomorrow(site: Site, tmp_path: Path) -> None:
    for number in range(5):
        site.article(f"/{number}", "Tides", f"{number} {TEXT}")
    with Watch(site, tmp_path, quotas=QuotaSettings(requests_per_day=3)) as watch:
        for number in range(5):
            watch.add(f"/{number}", "page")
        other = watch.app.create_dossier("other")
        watch.app.sources.add(other.id, Wish(url=f"{site.url}/4", kind="page"))
        watch.app.run(Scope())
        assert len(site.seen) == 3 + 1, "the other dossier has a quota of its own"
        assert watch.app.queue.exhausted(watch.now, Scope()) == {watch.dossier_id: Limit.REQUESTS}
        watch.now += 20 * MINUTE
        watch.app.run(Scope())
        assert len(site.seen) == 4
        watch.now = (watch.now // DAY + 1) * DAY
        site.seen.clear()
        watch.app.run(Scope(dossiers=frozenset({watch.dossier_id})))
        assert len(site.seen) == 3
        assert watch.app.queue.exhausted(watch.now, Scope(dossiers=frozenset({other.id}))) == {}


def _pages(site: Site, count: int, size: int = 0) -> list[str]:
    """Pages of their own words, each of about so many bytes."""
    for number in range(count):
        lines = (f"Page {number}, line {line}. {TEXT}" for line in range(size // len(TEXT) + 1))
        site.article(f"/{number}", f"Tides {number}", "\n".join(lines))
    return [f"/{number}" for number in range(count)]


def _only(watch: Watch) -> Scope:
    return Scope(dossiers=frozenset({watch.dossier_id}))


def _other(watch: Watch, *paths: str) -> str:
    other = watch.app.create_dossier("other")
    for path in paths:
        watch.app.sources.add(other.id, Wish(url=watch.site.url + path, kind="page"))
    return other.id


def _sizes(site: Site, paths: list[str]) -> int:
    return sum(len(site.pages[path].body) for path in paths)


def _sent(site: Site, paths: list[str]) -> int:
    return sum(site.sent[path] for path in paths)


def test_a_dossier_brings_in_no_more_bytes_a_day_than_its_quota_and_goes_on_tomorrow(
    site: Site, tmp_path: Path
) -> None:
    paths = _pages(site, 6, 10_000)
    site.article("/else", "Else", TEXT)
    with Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=QuotaSettings(bytes_per_day=25_000)) as watch:
        for path in paths:
            watch.add(path, "page")
        _other(watch, "/else")
        watch.app.run(Scope())
        assert 25_000 <= _sent(site, paths) < _sizes(site, paths), "no more than what was under way comes in on top"
        assert site.sent["/else"], "the other dossier has a quota of its own"
        assert watch.app.queue.exhausted(watch.now, Scope()) == {watch.dossier_id: Limit.BYTES}
        backlog = watch.app.queue.backlog(watch.now, _only(watch))
        assert (backlog.due, backlog.next_due) == (0, (watch.now // DAY + 1) * DAY)
        site.seen.clear()
        watch.now += HOUR
        assert watch.app.run(Scope(), wait=True) == [], "nothing is waited for that nobody may do"
        assert site.seen == []
        watch.now = (watch.now // DAY + 1) * DAY
        watch.app.run(_only(watch))
        assert site.seen


def test_bytes_of_answers_that_were_given_up_count_too(site: Site, tmp_path: Path) -> None:
    for number in range(4):
        site[f"/{number}"] = Page(os.urandom(60_000), announced=False)
    fetch = ONE_BY_ONE.model_copy(update={"max_bytes": 50_000})
    with Watch(site, tmp_path, fetch=fetch, quotas=QuotaSettings(bytes_per_day=60_000)) as watch:
        for number in range(4):
            watch.add(f"/{number}", "page")
        assert told(watch.run())[Change.ERROR] < 4
        assert watch.app.queue.exhausted(watch.now, Scope()) == {watch.dossier_id: Limit.BYTES}


def test_a_full_dossier_fetches_nothing_and_goes_on_when_something_is_deleted(site: Site, tmp_path: Path) -> None:
    paths = _pages(site, 12, 200_000)
    with Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=QuotaSettings(stored_mb=2)) as watch:
        sources = [watch.add(path, "page") for path in paths]
        other = _other(watch)
        watch.run()
        kept = len({seen.path for seen in site.seen})
        assert 1 < kept < len(paths)
        assert watch.app.queue.exhausted(watch.now, Scope()) == {watch.dossier_id: Limit.STORED}
        site.seen.clear()
        watch.app.queue.arm(watch.dossier_id, watch.now)
        assert watch.app.run(Scope(), wait=True) == []
        assert site.seen == []
        assert watch.found("harbour"), "nothing is deleted"
        watch.app.sources.add(other, Wish(url=site.url + paths[-1], kind="page"))
        watch.run()
        assert {seen.path for seen in site.seen} == {paths[-1]}, "the other dossier has room of its own"
        site.seen.clear()
        for source in sources:
            if watch.app.sources.find(watch.dossier_id, source.id).checked_at is not None:
                watch.app.sources.delete(watch.dossier_id, source.id, for_good=True)
        watch.run()
        assert site.seen


def test_a_full_dossier_goes_on_when_the_operator_raises_the_limit(site: Site, tmp_path: Path) -> None:
    paths = _pages(site, 10, 200_000)
    with Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=QuotaSettings(stored_mb=1)) as watch:
        for path in paths:
            watch.add(path, "page")
        watch.run()
        assert watch.app.queue.exhausted(watch.now, Scope())
    with Watch(site, tmp_path, quotas=QuotaSettings(stored_mb=100)) as watch:
        watch.now += 15 * MINUTE
        watch.run()
        assert {seen.path for seen in site.seen} == set(paths)
        assert watch.app.queue.exhausted(watch.now, Scope()) == {}


def test_several_workers_keep_to_one_quota_of_bytes(site: Site, tmp_path: Path) -> None:
    paths = _pages(site, 40, 10_000)
    quotas = QuotaSettings(bytes_per_day=60_000)
    with (
        Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=quotas) as one,
        Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=quotas) as two,
    ):
        for path in paths:
            one.add(path, "page")
        threads = [threading.Thread(target=watch.app.run, args=(Scope(),)) for watch in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 60_000 <= _sent(site, paths) < _sizes(site, paths) / 2
        assert one.app.queue.exhausted(NOW, Scope()) == two.app.queue.exhausted(NOW, Scope())


def test_what_was_used_up_is_known_after_a_restart(site: Site, tmp_path: Path) -> None:
    paths = _pages(site, 6, 10_000)
    quotas = QuotaSettings(bytes_per_day=15_000)
    with Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=quotas) as watch:
        for path in paths:
            watch.add(path, "page")
        watch.run()
    site.seen.clear()
    with Watch(site, tmp_path, fetch=ONE_BY_ONE, quotas=quotas) as watch:
        watch.now += 20 * MINUTE
        assert watch.app.run(Scope()) == []
        assert site.seen == []


def test_dossiers_that_wait_for_tomorrow_are_not_looked_at_with_every_tick(site: Site, tmp_path: Path) -> None:
    site.article("/a", "Tides", TEXT)
    site.article("/b", "Tides", TEXT)
    with Watch(site, tmp_path, quotas=QuotaSettings(requests_per_day=1)) as watch:
        watch.add("/a", "page")
        watch.add("/b", "page")
        watch.run()
        watch.app.queue.claim("worker", watch.now, Room(total=9, per_host=9), Scope())
        assert catalog_of(watch.app).due(watch.now, Scope()) == []


def test_workers_that_are_killed_do_not_begin_the_day_anew(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = _pages(site, 40, 10_000)
    monkeypatch.setenv("VEILLE_QUOTAS__BYTES_PER_DAY", "100000")
    monkeypatch.setenv("VEILLE_FETCH__CONCURRENCY", "1")
    monkeypatch.setenv("VEILLE_LEASE_S", "1")
    cli = Cli(tmp_path)
    for path in paths:
        cli("add", site.url + path, "--kind", "page")
    site.sent.clear()
    with monkeypatch.context() as killing:
        killing.setenv("VEILLE_FAILPOINT", "after_commit:kill@1")
        for _ in range(3):
            cli.process("work", "--drain", status=-9)
    cli.process("work", "--drain")
    assert "[quota_bytes]" in cli.stderr
    assert 100_000 <= _sent(site, paths) < _sizes(site, paths) / 2


def test_pages_and_monitoring_show_what_a_dossier_used_up(site: Site, tmp_path: Path) -> None:
    paths = _pages(site, 6, 10_000)
    quotas = {"bytes_per_day": 5_000, "stored_mb": 50}
    with Here(tmp_path, fetch=ONE_BY_ONE, quotas=quotas, serve={"metrics_port": 0}) as office:
        ann = office.person("ann@example.org")
        dossier_id = office.dossier("hers", "ann@example.org")
        for path in paths:
            office.watch(dossier_id, site.url + path)
        office.look(dossier_id)
        page = ann.ask("GET", f"/d/{dossier_id}/settings", None, {"Accept": "text/html"}).body.decode()
        assert "of 4.9 KB at most; <b>used up for today</b>" in page
        assert "of 50 MB at most" in page
        assert "<b>full</b>" not in page
        where = urlsplit(office.server.metrics_url)
        figures = Client(f"http://{where.netloc}").ask("GET", "/metrics").body
    assert b'veille_dossiers_held_back{limit="quota_bytes"} 1.0' in figures
    assert b'veille_dossiers_held_back{limit="quota_stored"} 0.0' in figures
