"""Nobody else on the machine can read what is kept, whatever the umask of whoever starts the program."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import veille
from command import Cli
from service import Service
from veille.services.watching.sources import Wish
from world import Site


@pytest.fixture(autouse=True)
def _careless() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, str]:
    """The files and folders that others have any rights to."""
    found = {str(path.relative_to(folder.parent)): path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    return {name: stat.filemode(mode) for name, mode in found.items() if mode & 0o077}


def test_whatever_commands_write_is_private(cli: Cli, site: Site) -> None:
    site.article("/a", "Bridge", "The bridge is open again. " * 20)
    cli("add", f"{site.url}/a")
    cli("run")
    cli("backup", str(cli.folder / "backup.zip"))
    cli("export", "--out", str(cli.folder / "export.jsonl"))
    # While it is open, the journal lies beside each file.
    with veille.open_app(data=cli.folder / "data") as app:
        app.searches.search([app.dossiers.all()[0].id], "bridge")
        assert list((cli.folder / "data").rglob("*-wal"))
        cli.folder.chmod(0o700)
        assert _modes(cli.folder) == {}
    assert cli.json("doctor")["readable_by_others"] == 0


def test_a_service_and_a_library_write_private_files(tmp_path: Path) -> None:
    with veille.open_app(data=tmp_path / "library" / "data") as app:
        app.sources.add(app.create_dossier("news").id, Wish(url="https://example.org/"))
    assert _modes(tmp_path / "library" / "data") == {}
    with Service(tmp_path, workers=1) as service:
        service.dossier("news")
        assert _modes(service.data) == {}


@pytest.mark.parametrize(("umask", "mode"), [("0077", 0o600), ("0027", 0o640)])
def test_readers_of_the_buffer_have_the_rights_that_the_settings_give(
    cli: Cli, site: Site, monkeypatch: pytest.MonkeyPatch, umask: str, mode: int
) -> None:
    monkeypatch.setenv("VEILLE_UMASK", umask)
    site.article("/a", "Bridge", "The bridge is open again. " * 20)
    cli("add", f"{site.url}/a")
    cli("run")
    (file,) = (cli.folder / "buffer" / "pending").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert _modes(cli.folder / "data") == {}


def test_doctor_says_that_an_older_folder_can_be_read_by_others_and_mends_it(cli: Cli) -> None:
    cli("dossiers", "add", "news")
    data = cli.folder / "data"
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert cli.json("doctor", status=1)["readable_by_others"] > 3
    assert "veille doctor --fix" in cli.stderr
    assert cli.json("doctor", "--fix")["readable_by_others"] == 0
    assert _modes(data) == {}
    assert cli.json("doctor")["healthy"] is True
