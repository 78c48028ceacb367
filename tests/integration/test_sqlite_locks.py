"""Work while somebody holds the lock of one SQLite file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import veille
from inside_sqlite import database_of
from veille.adapters.stores.sqlite import _db
from veille.core.models import Scope
from veille.services.watching.sources import Wish
from watching import FAST
from world import Site


@pytest.fixture
def two(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[veille.App, list[str]]]:
    """Two dossiers with a page each; whoever finds a file locked does not wait long."""
    monkeypatch.setattr(_db, "BUSY_MS", 100)
    with veille.open_app(data=tmp_path / "data", buffer_dir=tmp_path / "buffer", lease_s=2, fetch=FAST) as app:
        dossiers = [app.create_dossier(name).id for name in ("coast", "hills")]
        for name, dossier in zip(("coast", "hills"), dossiers, strict=True):
            site.article(f"/{name}", f"The {name}", f"The keeper of the {name} wrote every storm down. " * 5)
            app.sources.add(dossier, Wish(url=f"{site.url}/{name}", kind="page"))
        yield app, dossiers


def _revisions(app: veille.App, dossier_id: str) -> int:
    with app.dossiers.open(dossier_id) as store:
        return store.records.totals()["revisions"]


@pytest.mark.covers("R-002", "R-163")
@pytest.mark.parametrize("when", ["before it claims", "before it commits"])
def test_somebody_who_froze_while_writing_to_a_dossier_holds_up_that_dossier_alone(
    two: tuple[veille.App, list[str]], when: str
) -> None:
    app, (coast, hills) = two
    frozen = apsw.Connection(str(_path(app, coast)))
    worker = app.worker()
    if when == "before it commits":
        deadline = time.monotonic() + 10
        while worker._claim(Scope()) or len(worker._held.leases) < len(two[1]):
            assert time.monotonic() < deadline
    frozen.execute("BEGIN IMMEDIATE")
    worker.drain(Scope())
    assert (_revisions(app, coast), _revisions(app, hills)) == (0, 1)
    told = {delivery.dossier_id: delivery.code for delivery in app.deliver([coast, hills])}
    assert told == {coast: "store.busy", hills: ""}
    frozen.execute("ROLLBACK")
    frozen.close()
    app.run(Scope(), wait=True)
    assert (_revisions(app, coast), _revisions(app, hills)) == (1, 1)


def _path(app: veille.App, dossier_id: str) -> Path:
    with app.dossiers.open(dossier_id) as store:
        return database_of(store).path
