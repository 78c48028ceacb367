"""Backups: made while programs use the store, restored into another, of any kind, that has no data yet.

    back_up(settings, out, now)                 Backup
    restore(settings, archive)                  Restored, into the store of the settings

What a backup contains: docs/howto/back-up-and-restore.md.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veille.adapters.backup.packing import packing
from veille.adapters.backup.staging import staging
from veille.adapters.backup.unpacking import unpacking
from veille.adapters.bodies import place_of as body_place
from veille.adapters.bodies.folder import BodyFolder
from veille.adapters.private import private_folder
from veille.adapters.stores.body_files import archive_folder
from veille.adapters.stores.sqlite.backup.inspection import inspect_catalog, inspect_dossier
from veille.adapters.stores.sqlite.backup.snapshots import (
    archive_files,
    copied_dossiers,
    settle_catalog,
    settle_dossier,
)
from veille.adapters.stores.sqlite.dossier_pool import dossier_path
from veille.adapters.stores.transfer.folders import FolderPlace
from veille.adapters.vault import key_id
from veille.bootstrap import App
from veille.bootstrap._copies import copying
from veille.bootstrap.moves import copied, copy_files, place_of
from veille.core.archive.backup_names import CATALOG, archive_member, archive_of, dossier_of, member_of
from veille.core.dates import iso
from veille.errors import ConfigError, ReadError, StoreError, VeilleError
from veille.failpoints import failpoint
from veille.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from veille.adapters.backup.packing import Packing
    from veille.adapters.backup.unpacking import Unpacking
    from veille.bootstrap._copies import StoreCopy
    from veille.core.archive.backups import Manifest
    from veille.core.models import Dossier
    from veille.settings import Settings

    #: Called with the number of files done, and of all files.
    Progress = Callable[[int, int], None]


#: The copy of the dossier that is being packed.
_DRAFT = "dossier.db"


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
    #: Files of old revisions and of bodies that are in it; how many somebody moved away before; how many are in S3.
    archives: int = 0
    missing_archives: int = 0
    elsewhere: int = 0


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
    #: Files of archived revisions, kept answers and pictures: beside the dossiers, or at the place of bodies where a
    #: database has the rows.
    files: int
    #: Sources that would be refused today: restored, but paused.
    paused: tuple[Paused, ...]


def back_up(
    settings: Settings, out: Path, now: int, *, force: bool = False, progress: Progress = lambda _done, _all: None
) -> Backup:
    """Write a backup of the store; each file is a consistent snapshot, and no program is blocked."""
    with copying(settings) as store, packing(out, force=force) as pack:
        draft = pack.folder / CATALOG
        # The catalog first, so that every dossier in the copy has its file; dossiers created later are not in it.
        store.copy_catalog(draft)
        names = copied_dossiers(draft)
        absent: dict[str, LeftOut | None] = {}
        archives: Counter[bool] = Counter()
        for number, (dossier_id, name) in enumerate(names.items()):
            progress(number, len(names))
            try:
                if _take(pack, store, dossier_id):
                    archives.update(_take_files(pack, settings, dossier_id))
                else:
                    absent[dossier_id] = None
            except StoreError as error:
                if error.is_full or not store.is_apart:
                    raise
                absent[dossier_id] = LeftOut(dossier=name, code=error.code, error=str(error))
        settle_catalog(draft, absent)
        pack.take(CATALOG, draft)
        pack.finish(VERSION, iso(now))
    is_far = settings.bodies.place.startswith("s3://")
    left_out = tuple(one for one in absent.values() if one)
    return Backup(
        file=str(out),
        bytes=out.stat().st_size,
        created_at=now,
        dossiers=len(names) - len(absent),
        left_out=left_out,
        archives=archives[True],
        missing_archives=0 if is_far else archives[False],
        elsewhere=archives[False] if is_far else 0,
    )


def _take(pack: Packing, store: StoreCopy, dossier_id: str) -> bool:
    """Add a dossier to the backup; returns False if it was deleted meanwhile."""
    draft = pack.folder / _DRAFT
    draft.unlink(missing_ok=True)
    try:
        store.copy(dossier_id, draft)
        # If it was deleted during the copy, its write-ahead log may be missing, and the copy incomplete.
        if is_there := store.has(dossier_id):
            settle_dossier(draft)
            pack.take(member_of(dossier_id), draft)
    except StoreError:
        is_there = store.has(dossier_id)
        if is_there:
            raise
    return is_there


def _take_files(pack: Packing, settings: Settings, dossier_id: str) -> Iterator[bool]:
    """Add the files that the copy of a dossier needs, which are never changed; yields whether each is within reach."""
    folders = [archive_folder(dossier_path(settings.data, dossier_id))]
    place = body_place(settings.bodies, settings.place("bodies", "place"))
    if isinstance(place, BodyFolder):
        folders.append(place.of(dossier_id).folder)
    for file in archive_files(pack.folder / _DRAFT):
        name = archive_member(dossier_id, file)
        found = next((folder / file for folder in folders if (folder / file).exists()), None)
        is_ours = found is not None and archive_of(name) is not None
        try:
            if is_ours and found is not None:
                pack.take(name, found)
        except FileNotFoundError:
            yield False
        else:
            yield is_ours


def restore(settings: Settings, archive: Path, progress: Progress = lambda _done, _all: None) -> Restored:
    """Fill an empty store from a backup of any store. Everything is checked first; if a file is bad, nothing is done.

    Sources that would be refused today are paused, so that they do not prevent restoring the rest.
    """
    with unpacking(archive) as pack, _staged(settings, pack.manifest) as folder:
        _take_out(pack, folder, progress)
        with App(settings.in_folder(folder)) as app:
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
        sealed=sum(keys.values()) - keys.get(key_id(settings.data, settings.vault), 0),
        files=sum(archive_of(one.name) is not None for one in pack.manifest.files),
        paused=paused,
    )


@contextmanager
def _staged(settings: Settings, manifest: Manifest) -> Iterator[Path]:
    """A folder that becomes the data folder; or, for a store in a database, its content is moved there."""
    if settings.store is None:
        with staging(settings.data, manifest.bytes) as folder:
            yield folder
        return
    private_folder(settings.data)
    with place_of(settings) as target, TemporaryDirectory(prefix="restoring-", dir=settings.data) as name:
        folder = Path(name)
        (folder / "dossiers").mkdir()
        # One that was killed goes on if it is told to restore the same.
        source = FolderPlace(folder, f"the backup {hashlib.sha256(manifest.model_dump_json().encode()).hexdigest()}")
        try:
            target.check(source.name)
        except ConfigError as error:
            raise ConfigError(
                f"{target.name} holds data already, which a restore never touches: name an empty database in `store`.",
                code="backup.not_empty",
            ) from error
        yield folder
        copied(source, target, beside=partial(_bring_files, folder, settings))


def _bring_files(folder: Path, settings: Settings, ids: list[str]) -> None:
    """Bring the files of dossiers to where every program on the database looks for them, if there is such a place."""
    place = body_place(settings.bodies, settings.place("bodies", "place"))
    if place is None:
        copy_files(folder, settings.data, ids)
        return
    for dossier_id in ids:
        for path in sorted(archive_folder(dossier_path(folder, dossier_id)).glob("*")):
            place.of(dossier_id).put(path.name, path.read_bytes())


def _take_out(pack: Unpacking, folder: Path, progress: Progress) -> None:
    files = pack.manifest.files
    found, known = set(), set()
    for number, packed in enumerate(files):
        progress(number, len(files))
        dossier_id = dossier_of(packed.name)
        path = _place_of(folder, packed.name)
        private_folder(path.parent)
        pack.take_out(packed, path)
        if archive_of(packed.name):
            pass  # Its frames have checksums of their own, which are verified when one is read.
        elif dossier_id:
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


def _place_of(folder: Path, name: str) -> Path:
    """Where a file of a backup belongs in a data folder."""
    if archived := archive_of(name):
        return archive_folder(dossier_path(folder, archived[0])) / archived[1]
    dossier_id = dossier_of(name)
    return dossier_path(folder, dossier_id) if dossier_id else folder / CATALOG


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
