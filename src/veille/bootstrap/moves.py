"""Moves: all dossiers and the catalog from one store to another, which is empty. The source is only read.

    move(settings, to)                          StoreMove

Killed at any point and run again, it goes on; at the end both stores are equal, table by table.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from veille.adapters.backup.files import written
from veille.adapters.bodies import place_of as body_place
from veille.adapters.bodies.folder import BodyFolder
from veille.adapters.files import replaced
from veille.adapters.private import private_folder
from veille.adapters.stores.body_files import BodyFiles, archive_folder
from veille.adapters.stores.sqlite.dossier_pool import dossier_path
from veille.adapters.stores.transfer.copying import digests, fill
from veille.adapters.stores.transfer.folders import FolderPlace
from veille.adapters.stores.transfer.places import check_folder_unused, dossier_ids
from veille.adapters.stores.transfer.tables import catalog_tables, dossier_tables
from veille.adapters.vault import key_id
from veille.core.archive.portable import RowDigest, joined
from veille.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from veille.adapters.stores.transfer.places import StorePlace
    from veille.settings import Settings

    #: Called with the number of dossiers done, and of all.
    Progress = Callable[[int, int], None]

_KEY = "secrets.key"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferredTable:
    """How many rows of a table there are in all dossiers, and a hash of them: equal in both stores."""

    table: str
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMove:
    """The result of a move."""

    source: str
    target: str
    dossiers: int
    rows: int
    sha256: str
    #: Whether it went on with one that was killed.
    resumed: bool
    #: How many files rows name: with archived revisions, and with kept answers and pictures that are not in the store.
    files: int
    #: Those that rows name, and that are neither in the data folder nor at the place of bodies.
    missing_files: tuple[str, ...]
    tables: tuple[TransferredTable, ...]


@dataclass(slots=True)
class _Tally:
    """The digests of all dossiers, by table and dossier."""

    tables: dict[str, dict[str, RowDigest]] = field(default_factory=dict)

    def add(self, dossier_id: str, found: dict[str, RowDigest]) -> None:
        for name, one in found.items():
            self.tables.setdefault(name, {})[dossier_id] = one

    def rows(self) -> tuple[TransferredTable, ...]:
        each = {name: joined(of) for name, of in sorted(self.tables.items())}
        return tuple(TransferredTable(table=name, rows=one.rows, sha256=one.sha256) for name, one in each.items())


def move(settings: Settings, to: str, progress: Progress = lambda _done, _all: None) -> StoreMove:
    """Copy the store of the settings to a folder or an address of PostgreSQL, and compare both."""
    check_folder_unused(settings.data)
    with place_of(settings) as source, _named(to, settings) as target:
        if isinstance(target, FolderPlace):
            beside = partial(copy_files, settings.data, target.folder)
            return copied(source, target, progress, beside, partial(_missing, settings))
        key = key_id(settings.data, settings.vault)
        return copied(source, target, progress, lambda _ids: target.note_key(key), partial(_missing, settings))


@contextmanager
def place_of(settings: Settings) -> Iterator[StorePlace]:
    """The store of the settings."""
    if settings.store is None:
        yield FolderPlace(settings.data)
    else:
        with _database(settings.store.get_secret_value(), settings) as place:
            yield place


@contextmanager
def _named(to: str, settings: Settings) -> Iterator[StorePlace]:
    if to.startswith(("postgres:", "postgresql:")):
        with _database(to, settings) as place:
            yield place
    elif "://" in to or not to.strip():
        raise ConfigError(
            "`--to` is neither a folder nor an address of PostgreSQL (postgresql://user@host/database).",
            code="move.bad_target",
        )
    else:
        yield FolderPlace(Path(to))


@contextmanager
def _database(url: str, settings: Settings) -> Iterator[StorePlace]:
    try:
        from veille.adapters.stores.transfer.databases import DatabasePlace  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(
            "A store on PostgreSQL needs an extra: pip install 'veille[postgres]'.", code="needs_extra"
        ) from error
    private_folder(settings.data)
    with DatabasePlace(url, settings.data, round(settings.lease_s * 1000)) as place:
        yield place


def copied(
    source: StorePlace,
    target: StorePlace,
    progress: Progress = lambda _done, _all: None,
    beside: Callable[[list[str]], None] = lambda _ids: None,
    missing: Callable[[str, set[str]], Iterable[str]] = lambda _id, _files: (),
) -> StoreMove:
    """Make the target equal to the source; StoreError `move.differs` if it is not in the end.

    `beside` is called with the dossiers before anybody can see them, `missing` with each and the files that it needs.
    """
    tally = _Tally()
    absent: list[str] = []
    named = 0
    for place in (source, target):
        place.check_unused()
    with source.reading() as catalog, target.beginning(source.name) as resumed:
        ids = list(dossier_ids(catalog))
        for number, dossier_id in enumerate(ids):
            progress(number, len(ids))
            tally.add(dossier_id, _dossier(source, target, dossier_id))
            with source.reading(dossier_id) as reader:
                files = reader.files()
            named += len(files)
            absent += missing(dossier_id, files)
        beside(ids)
        with target.concluding() as writer:
            fill(writer, catalog, catalog_tables())
            tally.add("", _equal(digests(catalog, catalog_tables()), digests(writer, catalog_tables())))
            # Whoever began meanwhile.
            for place in (source, target):
                place.check_unused()
    tables = tally.rows()
    whole = joined({one.table: RowDigest(one.rows, one.sha256) for one in tables})
    return StoreMove(
        source=source.name,
        target=target.name,
        dossiers=len(ids),
        rows=whole.rows,
        sha256=whole.sha256,
        resumed=resumed,
        files=named,
        missing_files=tuple(absent),
        tables=tables,
    )


def _dossier(source: StorePlace, target: StorePlace, dossier_id: str) -> dict[str, RowDigest]:
    tables = dossier_tables()
    with source.reading(dossier_id) as reader:
        wanted = digests(reader, tables)
        if (done := target.done(dossier_id)) == joined(wanted).sha256:
            return wanted
        if done:
            # The source was written to after its dossier was moved by a move that was killed.
            target.clear(dossier_id)
        for is_last in (False, True):
            with target.filling(dossier_id) as writer:
                fill(writer, reader, tables)
                found = digests(writer, tables)
            if found == wanted or is_last:
                break
            # Likewise, in the middle of it.
            target.clear(dossier_id)
    _equal(wanted, found)
    target.mark(dossier_id, joined(wanted).sha256)
    return wanted


def _equal(wanted: dict[str, RowDigest], found: dict[str, RowDigest]) -> dict[str, RowDigest]:
    if other := [name for name in wanted if wanted[name] != found[name]]:
        name = other[0]
        raise StoreError(
            f"The table {name} is not equal in both stores ({wanted[name].rows} rows in the source, {found[name].rows} "
            "in the target): somebody else writes to the target. Empty it, and move again; the source is as it was.",
            code="move.differs",
        )
    return found


def _missing(settings: Settings, dossier_id: str, files: set[str]) -> list[str]:
    """Those that are not within reach. Whether they are in S3 is not asked: a move changes nothing there."""
    place = body_place(settings.bodies, settings.place("bodies", "place"))
    if not files or (place is not None and not isinstance(place, BodyFolder)):
        return []
    there = BodyFiles(dossier_path(settings.data, dossier_id), place.of(dossier_id) if place else None)
    folder = archive_folder(dossier_path(Path(), dossier_id))
    return [str(folder / name) for name in sorted(files - {one.name for one in there.names()})]


def copy_files(source: Path, target: Path, ids: list[str]) -> None:
    """The key of the secrets, and the archive files of retention: both are in the data folder of either store."""
    with written(target):
        if (key := source / _KEY).exists():
            with replaced(target / _KEY, private=True) as file:
                file.write(key.read_bytes())
        for dossier_id in ids:
            there = archive_folder(dossier_path(target, dossier_id))
            for path in sorted(archive_folder(dossier_path(source, dossier_id)).glob("*")):
                private_folder(there)
                with replaced(there / path.name, private=True) as file, path.open("rb") as old:
                    shutil.copyfileobj(old, file)
