"""Two tenants at work at the same time: nothing of one is ever found with the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import psycopg
import pytest

import veille
from postgres_server import shared
from veille.errors import NotFoundError
from veille.services.people.access import Access
from veille.services.watching.sources import Wish
from watching import FAST
from world import Page, Site

TENANTS = ("annsword", "bobsword")
THREADS = 50


class Tenant:
    """A user with a dossier of their own, and a word that stands in everything of theirs."""

    def __init__(self, app: veille.App, word: str, items: int) -> None:
        accounts = app.accounts
        email = f"{word}@example.org"
        accounts.users.add(accounts.local(), email, "", None)
        self.app = app
        self.word = word
        self._items = items
        self.access: Access = accounts.redeem(accounts.setup_link(accounts.local(), email)).access
        self.dossier_id = self.access.create(word).id

    def look(self, url: str, other: Tenant) -> None:
        """Watch it, and see on the way what can be seen."""
        sources = self.app.on_behalf(self.access, "write").sources
        wish = Wish(url=url, kind="feed", config={"max_entries": self._items})
        self.app.check_now(self.dossier_id, sources.add(self.dossier_id, wish).id)
        searches = self.app.on_behalf(self.access, "read").searches
        assert searches.search([self.dossier_id], self.word)
        assert searches.search([self.dossier_id], other.word) == []
        with pytest.raises(NotFoundError):
            searches.search([other.dossier_id], other.word)


def _feed(word: str, number: int, items: int) -> Page:
    """Both tenants see the same numbers and ids: what is mixed up is not refused as a double."""
    entries = "".join(
        f"<item><guid>{number}-{entry}</guid><title>{word} {entry}</title>"
        f"<description>{word} in {number} {entry}</description></item>"
        for entry in range(items)
    )
    return Page(f"<rss version='2.0'><channel>{entries}</channel></rss>".encode(), type="application/rss+xml")


def _rows_of_file(path: Path) -> list[str]:
    """Every row of every table but those of the index, and of what was searched for."""
    names = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'search%'"
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        tables = [name for (name,) in file.execute(names)]
        return [f"{name}: {row!r}" for name in tables for row in file.execute(f"SELECT * FROM {name}")]


def _rows_of_database(url: str, dossier_id: str) -> list[str]:
    """The same of PostgreSQL, seen by the owner of the tables, whom no view and no rule keeps from anything."""
    names = "SELECT tablename FROM pg_tables WHERE schemaname = 'veille_tables' AND tablename NOT LIKE 'search%'"
    with psycopg.connect(url, row_factory=psycopg.rows.tuple_row) as rows:
        tables = [name for (name,) in rows.execute(names) if not name.startswith("word_")]
        return [
            f"{name}: {row!r}"
            for name in tables
            for row in rows.execute(f"SELECT * FROM veille_tables.{name} WHERE dossier_id = %s", (dossier_id,))
        ]


def _work(app: veille.App, items: int) -> tuple[Tenant, Tenant]:
    """Both tenants at once, with 25 threads each, and so many items in all."""
    ann, bob = (Tenant(app, word, items // THREADS) for word in TENANTS)
    with Site("0.0.0.0") as site, ThreadPoolExecutor(THREADS) as threads:
        port = urlsplit(site.url).port
        done = []
        for number in range(THREADS):
            tenant, other = (ann, bob) if number % 2 else (bob, ann)
            path = f"/{tenant.word}/{number // 2}"
            site[path] = _feed(tenant.word, number // 2, items // THREADS)
            # Each at a host of its own, so that nobody waits for anybody.
            done.append(threads.submit(tenant.look, f"http://127.0.1.{number + 1}:{port}{path}", other))
        for one in done:
            one.result()
    return ann, bob


def _apart(rows: list[str], tenant: Tenant, other: Tenant, items: int) -> None:
    assert [row for row in rows if other.word in row] == []
    assert sum(row.startswith("documents:") and tenant.word in row for row in rows) == items // 2
    assert sum(row.startswith("outbox:") for row in rows) == items // 2


@pytest.mark.covers("R-002")
@pytest.mark.timeout(400)
def test_two_tenants_with_fifty_threads_and_ten_thousand_items_share_no_row(tmp_path: Path) -> None:
    with veille.open_app(data=tmp_path, fetch=FAST, open_dossiers=1) as app:
        ann, bob = _work(app, 10_000)
        for tenant, other in ((ann, bob), (bob, ann)):
            (file,) = (tmp_path / "dossiers").rglob(f"{tenant.dossier_id}.db")
            _apart(_rows_of_file(file), tenant, other, 10_000)


@pytest.mark.covers("R-002")
@pytest.mark.timeout(400)
def test_two_tenants_with_fifty_threads_share_no_row_of_a_database(tmp_path: Path) -> None:
    server = shared()
    url = server.url(server.database(server.ready))
    with veille.open_app(data=tmp_path, store=url, fetch=FAST, open_dossiers=1) as app:
        ann, bob = _work(app, 3_000)
        for tenant, other in ((ann, bob), (bob, ann)):
            _apart(_rows_of_database(url, tenant.dossier_id), tenant, other, 3_000)
