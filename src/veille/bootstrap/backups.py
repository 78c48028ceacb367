"""Backups: made while programs use the data folder, restored into another folder that has no data yet.

    back_up(settings, out, now)                 Backup
    restore(settings, archive)                  Restored; `settings.data` is the folder

What a backup contains: docs/howto/back-up-and-restore.md.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import veille
from veille.adapters.backup.packing import packing
from veille.adapters.backup.staging import staging
from veille.adapters.backup.unpacking import unpacking
from veille.adapters.stores.sqlite.backup.inspection import inspect_catalog, inspect_dossier
from veille.adapters.stores.sqlite.backup.snapshots import copied_dossiers, settle_catalog, settle_dossier
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers, dossier_path
from veille.adapters.vault import key_id
from veille.bootstrap import App
from veille.core.archive.backups import CATALOG, dossier_of, member_of
from veille.core.dates import iso
from veille.errors import ConfigError, NotFoundError, ReadError, StoreError, VeilleError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from veille.adapters.backup.packing import Packing
    from veille.adapters.backup.unpacking import Unpacking
    from veille.core.models import Dossier
    from veille.settings import Settings

    #: Called with the number of files done, and of all files.
    Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A dossier that is not in a backup, and why."""

    dossier: str
    code: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """The result of a backup."""

    file: str
    bytes: int
    created_at: int
    dossiers: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """A source that stays paused until a person changes it or the settings, and why."""

    dossier: str
    source: str
    url: str
    code: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The result of a restore."""

    data: str
    #: When the backup was started, and by which version.
    made_at: str
    veille: str
    dossiers: int
    sources: int
    secrets: int
    #: Secrets that the key in the folder cannot decrypt.
    sealed: int
    #: Sources that would be refused today: restored, but paused.
    paused: tuple[Paused, ...]


def back_up(
    settings: Settings, out: Path, now: int, *, force: bool = False, progress: Progress = lambda _done, _all: None
) -> Backup:
    """Write a backup of the data folder; each file is a consistent snapshot, and no program is blocked."""
    _check_there(settings.data)
    catalog = Catalog(settings.data)
    dossiers = SqliteDossiers(settings.data, catalog, 1)
    with closing(dossiers), packing(out, force=force) as pack:
        draft = pack.folder / CATALOG
        # The catalog first, so that every dossier in the copy has its file; dossiers created later are not in it.
        catalog.db.copy_to(draft)
        names = copied_dossiers(draft)
        absent: dict[str, LeftOut | None] = {}
        for number, (dossier_id, name) in enumerate(names.items()):
            progress(number, len(names))
            try:
                if not _take(pack, dossiers, dossier_id):
                    absent[dossier_id] = None
            except StoreError as error:
                if error.is_full:
                    raise
                absent[dossier_id] = LeftOut(dossier=name, code=error.code, error=str(error))
        settle_catalog(draft, absent)
        pack.take(CATALOG, draft)
        pack.finish(veille.__version__, iso(now))
    left_out = tuple(one for one in absent.values() if one)
    return Backup(
        file=str(out),
        bytes=out.stat().st_size,
        created_at=now,
        dossiers=len(names) - len(absent),
        left_out=left_out,
    )


def _check_there(folder: Path) -> None:
    try:
        is_there = (folder / CATALOG).is_file()
    except OSError as error:
        raise StoreError(
            f"The data folder {folder} cannot be used ({error.strerror}): check its rights.", code="store.unreadable"
        ) from error
    if not is_there:
        raise ConfigError(f"{folder} is no data folder: name the one to back up with --data.", code="backup.nothing")


def _take(pack: Packing, dossiers: SqliteDossiers, dossier_id: str) -> bool:
    """Add a dossier to the backup; returns False if it was deleted meanwhile."""
    draft = pack.folder / "dossier.db"
    try:
        with dossiers.open(dossier_id) as store:
            store.db.copy_to(draft)
        # If it was deleted during the copy, its write-ahead log may be missing, and the copy incomplete.
        if is_there := _is_there(dossiers, dossier_id):
            settle_dossier(draft)
            pack.take(member_of(dossier_id), draft)
    except StoreError:
        is_there = _is_there(dossiers, dossier_id)
        if is_there:
            raise
    finally:
        draft.unlink(missing_ok=True)
    return is_there


def _is_there(dossiers: SqliteDossiers, dossier_id: str) -> bool:
    try:
        return dossiers.find(dossier_id).id == dossier_id
    except NotFoundError:
        return False


def restore(settings: Settings, archive: Path, progress: Progress = lambda _done, _all: None) -> Restored:
    """Create a data folder from a backup. Everything is checked first; if a file is bad, nothing is created.

    Sources that would be refused today are paused, so that they do not prevent restoring the rest.
    """
    with unpacking(archive) as pack, staging(settings.data, pack.manifest.bytes) as folder:
        _take_out(pack, folder, progress)
        inside = settings.model_copy(update={"data": folder, "buffer_dir": None, "sinks": {}})
        with App(inside) as app:
            dossiers = app.dossiers.all()
            paused = tuple(one for dossier in dossiers for one in _paused(app, dossier))
            count = sum(len(app.sources.all(dossier.id)) for dossier in dossiers)
            keys = _keys(app, dossiers)
    return Restored(
        data=str(settings.data),
        made_at=pack.manifest.created_at,
        veille=pack.manifest.veille,
        dossiers=len(dossiers),
        sources=count,
        secrets=sum(keys.values()),
        sealed=sum(keys.values()) - keys.get(key_id(settings.data), 0),
        paused=paused,
    )


def _take_out(pack: Unpacking, folder: Path, progress: Progress) -> None:
    files = pack.manifest.files
    found, known = set(), set()
    for number, packed in enumerate(files):
        progress(number, len(files))
        dossier_id = dossier_of(packed.name)
        path = dossier_path(folder, dossier_id) if dossier_id else folder / CATALOG
        path.parent.mkdir(exist_ok=True)
        pack.take_out(packed, path)
        if dossier_id:
            inspect_dossier(path, packed.name)
            found.add(dossier_id)
        else:
            known = inspect_catalog(path, packed.name)
        failpoint("during_restore")
    if found != known:
        raise ReadError(
            f"It is not whole: its catalog names {len(known - found)} dossiers that are not in it, and not "
            f"{len(found - known)} that are. Use another backup.",
            code="backup.damaged",
        )


def _paused(app: App, dossier: Dossier) -> Iterator[Paused]:
    """Pause the sources of a dossier that would be refused today."""
    try:
        for source in app.sources.all(dossier.id):
            if not isinstance(source.config, dict):
                raise TypeError("its options are no table")  # noqa: TRY301 - like any other column
            try:
                app.sources.vet(source)
            except VeilleError as error:
                code, why = error.code, str(error)
                with app.dossiers.open(dossier.id) as store:
                    store.sources.refuse(source.id, code, why)
                yield Paused(dossier=dossier.name, source=source.name, url=source.url, code=code, error=why)
    # If the file was tampered with, columns may contain anything.
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ReadError(
            f"A source in {dossier.name!r} cannot be read ({error}). Nothing was restored; use another backup.",
            code="backup.damaged",
        ) from error


def _keys(app: App, dossiers: list[Dossier]) -> Counter[str]:
    """How many secrets are encrypted with which key."""
    keys: Counter[str] = Counter()
    for dossier in dossiers:
        with app.dossiers.open(dossier.id) as store:
            keys.update(store.vault.sealed_under())
            keys.update(store.channels.sealed_under())
    return keys
