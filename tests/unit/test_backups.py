from __future__ import annotations

import json
from typing import Any

import pytest

from veille.core.archive.backup_names import CATALOG, dossier_of, member_of
from veille.core.archive.backups import FORMAT, MANIFEST, VERSION, read_manifest
from veille.errors import ReadError

ID = "01a1dfe8-0c12-74d4-874c-bdb0b7ebdee4"
SUM = "0" * 64


def _manifest(**given: Any) -> bytes:
    files = [{"name": name, "bytes": 1, "sha256": SUM} for name in (CATALOG, member_of(ID))]
    known = {"format": FORMAT, "version": 1, "veille": "0.1.0", "created_at": "2026-01-01T00:00:00Z", "files": files}
    return json.dumps(known | given).encode()


def _code(data: bytes) -> str:
    with pytest.raises(ReadError) as caught:
        read_manifest(data)
    return caught.value.code


def test_a_dossier_has_one_name_in_a_backup() -> None:
    assert dossier_of(member_of(ID)) == ID
    assert read_manifest(_manifest()).bytes == 2


@pytest.mark.parametrize(
    "name",
    [
        "../catalog.db",
        "/catalog.db",
        "catalog.db/",
        "./catalog.db",
        "Catalog.db",
        "dossiers\\" + ID + ".db",
        "dossiers/../catalog.db",
        f"dossiers/{ID.upper()}.db",
        f"dossiers/{ID}.db\n",
        f"dossiers/{ID}.db-wal",
        f"dossiers/x/{ID}.db",
        "dossiers/name.db",
        "secrets.key",
        MANIFEST,
        "",
    ],
)
def test_no_other_names_are_taken(name: str) -> None:
    files = [{"name": one, "bytes": 1, "sha256": SUM} for one in (CATALOG, name)]
    assert dossier_of(name) is None
    assert _code(_manifest(files=files)) == "backup.hostile"


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"null", b"{}", b"{", b"[" * 100_000, _manifest(format="other"), _manifest(version="1"), b"\xff\xfe"],
    ids=lambda data: data[:20].decode("latin-1"),
)
def test_what_is_no_manifest_is_told(data: bytes) -> None:
    assert _code(data) == "backup.not_a_backup"


def test_a_manifest_of_the_future_is_told_before_its_new_fields_are_wondered_at() -> None:
    assert _code(_manifest(version=VERSION + 1, more=[1])) == "backup.newer"


@pytest.mark.parametrize(
    "given",
    [
        {"files": []},
        {"files": [{"name": member_of(ID), "bytes": 1, "sha256": SUM}]},
        {"files": [{"name": CATALOG, "bytes": -1, "sha256": SUM}]},
        {"files": [{"name": CATALOG, "bytes": "1", "sha256": SUM}]},
        {"files": [{"name": CATALOG, "bytes": 1, "sha256": "0"}]},
        {"files": [{"name": CATALOG, "bytes": 1}]},
        {"files": "catalog.db"},
        {"created_at": 7},
        {"surprise": True},
    ],
    ids=str,
)
def test_a_manifest_that_is_not_whole_is_damaged(given: dict[str, Any]) -> None:
    assert _code(_manifest(**given)) == "backup.damaged"


def test_a_file_that_is_named_twice_is_refused() -> None:
    assert _code(_manifest(files=[{"name": CATALOG, "bytes": 1, "sha256": SUM}] * 2)) == "backup.hostile"
