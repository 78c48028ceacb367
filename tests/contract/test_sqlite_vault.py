"""Secrets in the files of the SQLite store."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.stores import ON_SQLITE
from desk import Desk
from samples import NOW
from veille.errors import ConfigError


@ON_SQLITE
@pytest.mark.covers("R-032")
def test_whoever_binds_a_stored_secret_to_another_host_cannot_open_it(desk: Desk, tmp_path: Path) -> None:
    with desk.program.vault(desk.dossier_id) as vault:
        vault.set("TOKEN", "a very secret value", ["api.example.org"], NOW)
    with desk.open() as store:
        store.db.execute("UPDATE secrets SET hosts = 'evil.example'")  # type: ignore[attr-defined]  # the SQLite one
    with desk.program.vault(desk.dossier_id) as vault, pytest.raises(ConfigError) as refused:
        vault.get("TOKEN")
    assert refused.value.code == "vault.wrong_key"
    desk.program.dossiers.close()
    assert not any(b"a very secret value" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
