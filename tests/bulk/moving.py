"""A data folder moves to PostgreSQL, back to files, and to a copy of these: equal every time."""

from __future__ import annotations

import time
from pathlib import Path

from postgres_server import PostgresServer
from veille.bootstrap.moves import StoreMove, move
from veille.settings import load_settings


def there_and_back(data: Path, folder: Path) -> tuple[StoreMove, str]:
    """What moved, and how long each way took; what came back is in `folder / "back"`."""
    with PostgresServer() as server:
        url = server.url(server.database())
        began = time.monotonic()
        there = move(load_settings(data=data), url)
        arrived = time.monotonic()
        back = move(load_settings(data=data, store=url), str(folder / "back"))
        took = f"there {arrived - began:.0f} s, back {time.monotonic() - arrived:.0f} s"
    copy = move(load_settings(data=folder / "back"), str(folder / "copy"))
    assert there.tables == back.tables == copy.tables
    assert there.sha256 == copy.sha256
    return there, f"{there.dossiers} dossiers, {there.rows} rows: {took}, sha256 {there.sha256[:16]} every time"
