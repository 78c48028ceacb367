"""Backups that were damaged, or made to do harm: none is restored, and nothing is left of the attempt."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

import veille
from archives import Archive, encrypted, overlapping, restored, swap
from people import Clock
from samples import NOW
from veille.adapters.backup.staging import staging
from veille.bootstrap.backups import back_up
from veille.core.archive.backups import VERSION
from veille.core.models import Scope
from veille.errors import StoreError, VeilleError
from veille.services.watching.sources import SourceEdit, Wish
from veille.settings import FetchSettings
from watching import FAST

OTHER = "dossiers/01a1dfe8-0c12-74d4-874c-bdb0b7ebdee4.db"


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dossiers with a source each."""
    folder = tmp_path_factory.mktemp("honest")
    with veille.open_app(data=folder / "data", clock=Clock(), fetch=FAST) as app:
        for name in ("one", "two"):
            app.sources.add(app.create_dossier(name).id, Wish(url=f"https://{name}.example.org/news", kind="page"))
        back_up(app.settings, folder / "backup.zip", NOW)
    return folder / "backup.zip"


@pytest.fixture
def archive(backup: Path) -> Archive:
    return Archive(backup)


def _refused(path: Path, folder: Path, fetch: FetchSettings = FAST) -> VeilleError:
    """Why it is; and nothing is there."""
    with pytest.raises(VeilleError) as caught:
        restored(path, folder, fetch)
    assert not folder.exists()
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name]
    return caught.value


def test_taken_apart_and_put_together_it_is_still_good(archive: Archive, tmp_path: Path) -> None:
    assert restored(archive.write(tmp_path / "same.zip"), tmp_path / "data").dossiers == 2


def _extra(name: str) -> Callable[[Archive], None]:
    def change(archive: Archive) -> None:
        archive.more.append((ZipInfo(name), b"harm"))

    return change


def _named(name: str) -> Callable[[Archive], None]:
    """It is in the manifest, too."""

    def change(archive: Archive) -> None:
        archive.parts[name] = archive.parts[archive.dossiers[0]]

    return change


def _link(archive: Archive) -> None:
    def head(info: ZipInfo) -> None:
        if info.filename == "catalog.db":
            info.external_attr = (stat.S_IFLNK | 0o777) << 16

    archive.parts["catalog.db"] = b"/etc/passwd"
    archive.head = head


def _cut_name(archive: Archive) -> None:
    archive.bytes = lambda data: swap(data, b"manifest.json", b"manifest\0json")


def _said(size: int, archive: Archive) -> None:
    def vouch(manifest: dict[str, Any]) -> None:
        (catalog,) = (file for file in manifest["files"] if file["name"] == "catalog.db")
        catalog["bytes"] = size

    archive.vouch = vouch


def _said_smaller(archive: Archive) -> None:
    _said(10, archive)


def _said_everywhere(size: int) -> Callable[[Archive], None]:
    """The directory of the zip lies as well."""

    def change(archive: Archive) -> None:
        real = len(archive.parts["catalog.db"])
        _said(size, archive)
        archive.bytes = lambda data: swap(data, real.to_bytes(4, "little"), size.to_bytes(4, "little"))

    return change


def _one_stretch_twice(archive: Archive) -> None:
    one, other = archive.dossiers
    archive.parts[other] = archive.parts[one]
    archive.bytes = lambda data: overlapping(data, other, one)


def _a_byte(archive: Archive) -> None:
    def flip(data: bytes) -> bytes:
        middle = len(data) // 3
        return data[:middle] + bytes([data[middle] ^ 0x10]) + data[middle + 1 :]

    archive.bytes = flip


def _sum(archive: Archive) -> None:
    archive.vouch = lambda manifest: manifest["files"][0].update(sha256="0" * 64)


def _missing(archive: Archive) -> None:
    gone = archive.dossiers[0]
    kept = archive.parts.pop(gone)
    entry = {"name": gone, "bytes": len(kept), "sha256": "0" * 64}
    archive.vouch = lambda manifest: manifest["files"].append(entry)


def _forgotten(archive: Archive) -> None:
    del archive.parts[archive.dossiers[0]]


def _no_catalog(archive: Archive) -> None:
    del archive.parts["catalog.db"]


def _half(archive: Archive) -> None:
    archive.bytes = lambda data: data[: len(data) // 2]


def _two_catalogs(archive: Archive) -> None:
    archive.more.append((ZipInfo("catalog.db"), archive.parts["catalog.db"]))


def _all_encrypted(archive: Archive) -> None:
    archive.bytes = encrypted


def _not_a_database(archive: Archive) -> None:
    archive.parts[archive.dossiers[0]] = b"Dear diary, " * 1000


def _mixed_up(archive: Archive) -> None:
    archive.parts[archive.dossiers[0]] = archive.parts["catalog.db"]


def _of_the_future(archive: Archive) -> None:
    archive.manifest["version"] = VERSION + 1


def _of_another(archive: Archive) -> None:
    archive.manifest["format"] = "their-backup"


ALTERED: dict[str, tuple[Callable[[Archive], None], str]] = {
    "up and out": (_extra("../evil.db"), "backup.hostile"),
    "up and out, in the manifest": (_named("../evil.db"), "backup.hostile"),
    "up and out of the dossiers": (_named("dossiers/../../evil.db"), "backup.hostile"),
    "absolute": (_extra("/tmp/evil.db"), "backup.hostile"),  # noqa: S108 - it is never written
    "absolute, in the manifest": (_named("/tmp/evil.db"), "backup.hostile"),  # noqa: S108 - likewise
    "backslashes": (_named("dossiers\\..\\..\\evil.db"), "backup.hostile"),
    "a folder": (_extra("dossiers/"), "backup.hostile"),
    "a link": (_link, "backup.hostile"),
    "a name cut at NUL": (_cut_name, "backup.not_a_backup"),
    "a hidden name": (_extra("catalog.db\0.txt"), "backup.hostile"),
    "two of one name": (_two_catalogs, "backup.hostile"),
    "two manifests": (_extra("manifest.json"), "backup.hostile"),
    "a member more": (_extra(OTHER), "backup.hostile"),
    "the key": (_extra("secrets.key"), "backup.hostile"),
    "encrypted": (_all_encrypted, "backup.damaged"),
    "said to be smaller": (_said_smaller, "backup.hostile"),
    "said to be smaller twice": (_said_everywhere(10), "backup.damaged"),
    "said to be larger twice": (_said_everywhere(10_000_000), "backup.damaged"),
    "one stretch twice": (_one_stretch_twice, "backup.hostile"),
    "a byte changed": (_a_byte, "backup.damaged"),
    "a sum changed": (_sum, "backup.damaged"),
    "a member missing": (_missing, "backup.damaged"),
    "a dossier missing": (_forgotten, "backup.damaged"),
    "a dossier more": (_named(OTHER), "backup.damaged"),
    "no catalog": (_no_catalog, "backup.damaged"),
    "half of it": (_half, "backup.not_a_backup"),
    "not a database": (_not_a_database, "backup.damaged"),
    "a catalog for a dossier": (_mixed_up, "backup.foreign"),
    "of the future": (_of_the_future, "backup.newer"),
    "of another program": (_of_another, "backup.not_a_backup"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_an_altered_archive_is_refused(what: str, archive: Archive, tmp_path: Path) -> None:
    change, code = ALTERED[what]
    change(archive)
    error = _refused(archive.write(tmp_path / "bad.zip"), tmp_path / "data")
    assert error.code == code, str(error)


@pytest.mark.parametrize("data", [b"", b"Dear diary", b"PK\x05\x06" + bytes(18)], ids=["empty", "text", "empty zip"])
def test_what_is_no_backup_is_told(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(data)
    assert _refused(path, tmp_path / "data").code == "backup.not_a_backup"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(VeilleError) as caught:
        restored(tmp_path / "none.zip", tmp_path / "data")
    assert caught.value.code == "bad_file"


def test_a_bomb_is_refused_before_it_goes_off(archive: Archive, tmp_path: Path) -> None:
    size, step = 300 * 1024 * 1024, bytes(1024 * 1024)
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED, compresslevel=1) as bomb:
        with bomb.open("catalog.db", "w", force_zip64=True) as member:
            for _ in range(size // len(step)):
                member.write(step)
        files = [{"name": "catalog.db", "bytes": size, "sha256": "0" * 64}]
        bomb.writestr("manifest.json", json.dumps(archive.manifest | {"files": files}))
    path = tmp_path / "bad.zip"
    path.write_bytes(packed.getvalue())
    assert len(packed.getvalue()) < 2_000_000
    assert _refused(path, tmp_path / "data").code == "backup.hostile"


def test_more_than_the_disk_has_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught, staging(tmp_path / "data", 1 << 60):
        pass
    assert caught.value.code == "backup.no_space"
    assert not (tmp_path / "data").exists()


BY_HAND = {
    "a trigger": (
        "CREATE TRIGGER evil AFTER INSERT ON sources BEGIN UPDATE sources SET url = 'file:///etc/passwd'; END",
        "backup.foreign",
    ),
    "a view": ("CREATE VIEW evil AS SELECT * FROM sources", "backup.foreign"),
    "a view in the place of a table": (
        "PRAGMA foreign_keys=OFF; DROP TABLE secrets; CREATE VIEW secrets AS SELECT 1 AS name",
        "backup.foreign",
    ),
    "a table": ("CREATE TABLE evil (x)", "backup.foreign"),
    "a table less": ("DROP TABLE secrets", "backup.foreign"),
    "an index less": ("DROP INDEX sources_ailing", "backup.foreign"),
    "a column": ("ALTER TABLE secrets ADD COLUMN evil TEXT DEFAULT (load_extension('x'))", "backup.foreign"),
    "a virtual table": ("CREATE VIRTUAL TABLE evil USING fts5 (x)", "backup.foreign"),
    "a schema written by hand": (
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = replace(sql, 'old.text', 'old.title')",
        "backup.foreign",
    ),
    "another program's": ("PRAGMA application_id=7", "backup.foreign"),
    "never made": ("PRAGMA user_version=0", "backup.foreign"),
    "of a newer program": ("PRAGMA user_version=99", "backup.newer"),
    "a reference to nothing": (
        "PRAGMA foreign_keys=OFF; UPDATE requests SET source_id = 'nobody'",
        "backup.damaged",
    ),
    "an index that is not right": (
        "INSERT INTO search (rowid, title, text) VALUES (1, 'a', 'b'); DELETE FROM search_data WHERE id > 10",
        "backup.damaged",
    ),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_a_database_that_somebody_changed_is_refused(what: str, archive: Archive, tmp_path: Path) -> None:
    script, code = BY_HAND[what]
    with archive.database(archive.dossiers[0], tmp_path) as database:
        database.execute(script)
    error = _refused(archive.write(tmp_path / "bad.zip"), tmp_path / "data")
    assert error.code == code, str(error)
    if code != "backup.newer":
        assert archive.dossiers[0] in str(error)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TRIGGER evil AFTER INSERT ON sessions BEGIN UPDATE users SET is_admin = 1; END",
        "DROP TRIGGER audit_is_kept",
        "CREATE VIEW evil AS SELECT * FROM users",
    ],
)
def test_a_catalog_that_somebody_changed_is_refused(script: str, archive: Archive, tmp_path: Path) -> None:
    with archive.database("catalog.db", tmp_path) as database:
        database.execute(script)
    assert _refused(archive.write(tmp_path / "bad.zip"), tmp_path / "data").code == "backup.foreign"


def test_a_damaged_page_is_found(archive: Archive, tmp_path: Path) -> None:
    name = archive.dossiers[0]
    with archive.database(name, tmp_path) as database:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'outbox'"
        page, size = next(database.execute(sql))[0] - 1, next(database.execute("PRAGMA page_size"))[0]
    data = bytearray(archive.parts[name])
    data[page * size : page * size + 64] = b"\xff" * 64
    archive.parts[name] = bytes(data)
    assert _refused(archive.write(tmp_path / "bad.zip"), tmp_path / "data").code == "backup.damaged"


SOURCES: dict[str, tuple[dict[str, Any], str]] = {
    "loopback": ({"url": "http://[::1]:8080/admin"}, "unsafe_address"),
    "private": ({"url": "http://10.0.0.1/"}, "unsafe_address"),
    "metadata": ({"url": "http://169.254.169.254/latest/meta-data"}, "unsafe_address"),
    "a local name": ({"url": "http://localhost/"}, "unsafe_address"),
    "one label": ({"url": "http://db/"}, "unsafe_address"),
    "a file": ({"url": "file:///etc/passwd"}, "unsafe_address"),
    "a folder": ({"url": "file:///etc/", "kind": "folder"}, "unsafe_address"),
    "out of a folder": ({"url": "file:///srv/documents/../../etc/", "kind": "folder"}, "bad_url"),
    "another scheme": ({"url": "gopher://example.org/"}, "unsafe_address"),
    "a password": ({"url": "https://me:secret@example.org/"}, "bad_url"),
    "a secret": ({"url": "https://example.org/?key=${secret:KEY}"}, "secret_in_url"),
    "no address": ({"url": "news"}, "bad_url"),
    "no kind": ({"kind": "os"}, "unknown_extension"),
    "an option": ({"config": '{"evil": true}'}, "bad_option"),
    "a pattern without end": ({"kind": "site", "config": '{"include": ["re:("]}'}, "bad_option"),
    "every second": ({"interval_ms": 1000}, "bad_interval"),
    "a cron expression": ({"cron": "* * *"}, "bad_cron"),
    "a name": ({"name": "a\x1b[2J"}, "bad_name"),
}


def _with_source(archive: Archive, values: dict[str, Any], folder: Path) -> Path:
    with archive.database(archive.dossiers[1], folder) as database:
        columns = ", ".join(f"{column} = ?" for column in values)
        database.execute(f"UPDATE sources SET {columns}", tuple(values.values()))
    return archive.write(folder / "bad.zip")


@pytest.mark.parametrize("what", SOURCES)
def test_a_source_that_the_api_would_refuse_is_paused_and_stays_so(what: str, archive: Archive, tmp_path: Path) -> None:
    values, code = SOURCES[what]
    public = FetchSettings(file_roots=(Path("/srv/documents"),))
    done = restored(_with_source(archive, values, tmp_path), tmp_path / "data", public)
    (paused,) = done.paused
    assert (done.sources, paused.code) == (2, code), paused
    with veille.open_app(data=tmp_path / "data", fetch=public) as app:
        states = {where.name: app.sources.all(where.id)[0] for where in app.dossiers.all()}
        assert sorted(source.enabled for source in states.values()) == [False, True]
        assert (states[paused.dossier].error_code, states[paused.dossier].enabled) == (code, False)
        where, source = app.dossier(paused.dossier), states[paused.dossier]
        assert app.run(Scope(dossiers=frozenset({where.id}))) == [], "it is not looked at"
        with pytest.raises(VeilleError) as caught:
            app.sources.set_enabled(where.id, source.id, enabled=True)
        assert caught.value.code == code
        with pytest.raises(VeilleError) as caught:
            app.sources.edit(where.id, source.id, SourceEdit(enabled=True))
        assert caught.value.code == code
        app.sources.delete(where.id, source.id)


@pytest.mark.parametrize(
    "values",
    [{"config": "{"}, {"state": "evil"}, {"config": "[" * 5000}, {"rhythm": "7"}, {"url": b"x"}, {"name": b"x"}],
    ids=str,
)
def test_a_source_that_cannot_be_read_is_refused(values: dict[str, Any], archive: Archive, tmp_path: Path) -> None:
    assert _refused(_with_source(archive, values, tmp_path), tmp_path / "data").code == "backup.damaged"


@pytest.mark.parametrize(
    "values", [{"url": "http://10.0.0.1/"}, {"url": "file:///srv/documents/a.pdf"}, {"url": "file:///srv/documents/b/"}]
)
def test_what_the_operator_allows_is_restored(values: dict[str, Any], archive: Archive, tmp_path: Path) -> None:
    allowed = FetchSettings.model_validate({"allow_networks": ["10.0.0.0/8"], "file_roots": ["/srv/documents"]})
    done = restored(_with_source(archive, values, tmp_path), tmp_path / "data", allowed)
    assert done.sources == 2


def test_a_source_that_is_no_json_at_all_does_not_pass_as_one(archive: Archive, tmp_path: Path) -> None:
    error = _refused(_with_source(archive, {"config": "7"}, tmp_path), tmp_path / "data")
    assert error.code == "backup.damaged"
