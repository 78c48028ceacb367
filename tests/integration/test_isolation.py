"""Two tenants at work at the same time: nothing of one is ever found with the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import pytest

import veille
from veille.errors import NotFoundError
from veille.services.people.access import Access
from veille.services.watching.sources import Wish
from watching import FAST
from world import Page, Site

TENANTS = ("annsword", "bobsword")
THREADS = 50
ITEMS = 10_000
PER_FEED = ITEMS // THREADS


class Tenant:
    """A user with a dossier of their own, and a word that stands in everything of theirs."""

    def __init__(self, app: veille.App, word: str) -> None:
        accounts = app.accounts
        email = f"{word}@example.org"
        accounts.users.add(accounts.local(), email, "", None)
        self.app = app
        self.word = word
        self.access: Access = accounts.redeem(accounts.setup_link(accounts.local(), email)).access
        self.dossier_id = self.access.create(word).id

    def look(self, url: str, other: Tenant) -> None:
        """Watch it, and see on the way what can be seen."""
        sources = self.app.on_behalf(self.access, "write").sources
        wish = Wish(url=url, kind="feed", config={"max_entries": PER_FEED})
        self.app.check_now(self.dossier_id, sources.add(self.dossier_id, wish).id)
        searches = self.app.on_behalf(self.access, "read").searches
        assert searches.search([self.dossier_id], self.word)
        assert searches.search([self.dossier_id], other.word) == []
        with pytest.raises(NotFoundError):
            searches.search([other.dossier_id], other.word)


def _feed(word: str, number: int) -> Page:
    """Both tenants see the same numbers and ids: what is mixed up is not refused as a double."""
    entries = "".join(
        f"<item><guid>{number}-{entry}</guid><title>{word} {entry}</title>"
        f"<description>{word} in {number} {entry}</description></item>"
        for entry in range(PER_FEED)
    )
    return Page(f"<rss version='2.0'><channel>{entries}</channel></rss>".encode(), type="application/rss+xml")


def _rows(path: Path) -> list[str]:
    """Every row of every table but those of the index, and of what was searched for."""
    names = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'search%'"
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        tables = [name for (name,) in file.execute(names)]
        return [f"{name}: {row!r}" for name in tables for row in file.execute(f"SELECT * FROM {name}")]


@pytest.mark.timeout(400)
def test_two_tenants_with_fifty_threads_and_ten_thousand_items_share_no_row(tmp_path: Path) -> None:
    with Site("0.0.0.0") as site, veille.open_app(data=tmp_path, fetch=FAST, open_dossiers=1) as app:
        ann, bob = (Tenant(app, word) for word in TENANTS)
        port = urlsplit(site.url).port
        with ThreadPoolExecutor(THREADS) as threads:
            done = []
            for number in range(THREADS):
                tenant, other = (ann, bob) if number % 2 else (bob, ann)
                path = f"/{tenant.word}/{number // 2}"
                site[path] = _feed(tenant.word, number // 2)
                # Each at a host of its own, so that nobody waits for anybody.
                done.append(threads.submit(tenant.look, f"http://127.0.1.{number + 1}:{port}{path}", other))
            for one in done:
                one.result()
        for tenant, other in ((ann, bob), (bob, ann)):
            (file,) = (tmp_path / "dossiers").rglob(f"{tenant.dossier_id}.db")
            rows = _rows(file)
            assert [row for row in rows if other.word in row] == []
            assert sum(row.startswith("documents:") and tenant.word in row for row in rows) == ITEMS // 2
            assert sum(row.startswith("outbox:") for row in rows) == ITEMS // 2
