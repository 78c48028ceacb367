"""The folders of releases, unpacked, and the scripts of a made-up version after this one."""

from __future__ import annotations

import json
import lzma
import re
import shutil
import tarfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from upgrades.make import HERE, scripts

RELEASES = sorted(path.stem for path in HERE.glob("*.json"))
#: What changes when a folder is only looked at.
_PASSING = {"sessions", "links", "login_tries", "host_leases", "duties", "hosts", "last_sweep", "search_log", "origin"}
#: Tables that a later version does without: they were empty after every transaction.
DROPPED = {"loose_hashes"}


@cache
def noted(release: str) -> dict[str, Any]:
    """What was in the folder of a release, and which scripts made its tables."""
    found: dict[str, Any] = json.loads((HERE / f"{release}.json").read_text(encoding="utf-8"))
    return found


def begun(release: str, store: str) -> int:
    """The number of the last script of a store that a release had."""
    return _last(noted(release)["scripts"], store)


def _last(names: Iterable[str], store: str) -> int:
    found = (re.search(r"/(\d{4})\b", name) for name in names if name.startswith(f"{store}/"))
    return max(int(one[1]) for one in found if one)


#: The number of the last script of each store.
FILES, DATABASE = (_last(scripts(), store) for store in ("sqlite", "postgres"))


def unpacked(release: str, folder: Path) -> Path:
    """The data folder of a release."""
    with tarfile.open(HERE / f"{release}.tar.xz") as packed:
        packed.extractall(folder, filter="tar")  # which keeps the rights of folders
    return folder / "data"


def dumped(release: str) -> bytes:
    """The database of a release, as `pg_dump` wrote it."""
    return lzma.decompress((HERE / f"{release}.sql.xz").read_bytes())


def lasting(counted: dict[str, int]) -> dict[str, int]:
    """Without the rows that come and go."""
    return {name: count for name, count in counted.items() if name not in _PASSING | DROPPED}


def next_version(folder: Path, script: str = "") -> Path:
    """The scripts of a version after this one, as `VEILLE_TRY_SCHEMA` wants them; the catalog stays as it is."""
    place = folder / "next"
    (place / "sqlite" / "dossier").mkdir(parents=True)
    script = script or (HERE / "next" / "dossier.sql").read_text()
    (place / "sqlite" / "dossier" / f"{FILES + 1:04}.sql").write_text(script)
    number = f"{DATABASE + 1:04}"
    (place / "postgres" / number).mkdir(parents=True)
    shutil.copy(HERE / "next" / "postgres.sql", place / "postgres" / number / "1_tables.sql")
    return place
