"""`veille backup` and `veille restore` as an operator types them, beside a service that runs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import veille
from command import Cli
from samples import STORY
from service import Client, Service
from world import Site

pytestmark = pytest.mark.timeout(150)


def _complaint(cli: Cli, *arguments: str) -> Any:
    """What is said on standard error, as JSON."""
    cli(*arguments, "--json", status=2)
    return json.loads(cli.stderr)


def test_a_folder_is_backed_up_and_restored(cli: Cli, site: Site, tmp_path: Path) -> None:
    site.article("/a", "Bridges", STORY)
    out, new = str(tmp_path / "backup.zip"), str(tmp_path / "new")
    cli("add", f"{site.url}/a")
    cli("run")
    made = cli.json("backup", out)
    assert made.keys() == {
        "file",
        "bytes",
        "created_at",
        "dossiers",
        "archives",
        "left_out",
        "missing_archives",
        "elsewhere",
    }
    assert (made["file"], made["dossiers"], made["left_out"]) == (out, 1, [])
    done = cli.json("restore", out, "--data", new)
    assert done == {
        "data": new,
        "made_at": made["created_at"],
        "veille": veille.__version__,
        "dossiers": 1,
        "sources": 1,
        "secrets": 0,
        "sealed": 0,
        "files": 0,
        "paused": [],
    }
    assert [hit["title"] for hit in cli.json("search", "harbour", "--data", new)] == ["Bridges"]
    assert cli.json("doctor", "--data", new)["healthy"] is True

    assert _complaint(cli, "backup", out)["code"] == "backup.exists"
    assert _complaint(cli, "restore", out, "--data", new)["code"] == "backup.not_empty"
    assert _complaint(cli, "restore", "none.zip", "--data", "x")["code"] == "bad_file"
    assert (
        _complaint(cli, "backup", str(tmp_path / "b.zip"), "--data", str(tmp_path / "typo"))["code"] == "backup.nothing"
    )
    assert not (tmp_path / "typo").exists()


def test_what_people_read(cli: Cli, tmp_path: Path) -> None:
    out, new = str(tmp_path / "backup.zip"), str(tmp_path / "new")
    cli("dossiers", "add", "good", "bad")
    said = cli("backup", out)
    assert "2 dossiers" in said
    assert "The key of the secrets is not in it" in said
    assert "2 dossiers with 0 sources" in cli("restore", out, "--data", new)
    assert cli.stderr == ""

    bad = next(one["id"] for one in cli.json("dossiers") if one["name"] == "bad")
    (path,) = (tmp_path / "data" / "dossiers").rglob(f"{bad}.db")
    path.unlink()
    assert "1 dossier," in cli("backup", out, "--force", status=1)
    assert "Left out bad:" in cli.stderr
    assert "[store.missing]" in cli.stderr
    (left,) = cli.json("backup", out, "--force", status=1)["left_out"]
    assert (left["dossier"], left["code"]) == ("bad", "store.missing")


def test_secrets_that_need_the_key_are_told_of(cli: Cli, tmp_path: Path) -> None:
    out, new = str(tmp_path / "backup.zip"), tmp_path / "new"
    assert "is stored" in cli.in_dialogue(
        "secrets", "set", "API_KEY", "--host", "api.example.org", answers={"Value: ": "hush"}
    )
    cli("backup", out)
    cli("restore", out, "--data", str(new))
    assert "put your copy of secrets.key there" in cli.stderr
    (tmp_path / "with").mkdir()
    (tmp_path / "with" / "secrets.key").touch(0o600)
    (tmp_path / "with" / "secrets.key").write_bytes((tmp_path / "data" / "secrets.key").read_bytes())
    assert cli.json("restore", out, "--data", str(tmp_path / "with"))["sealed"] == 0
    assert cli.stderr == ""


def _until(client: Client, dossier_id: str, count: int) -> list[dict[str, Any]]:
    end = time.monotonic() + 60
    while True:
        changes: list[dict[str, Any]] = client.get(f"/api/dossiers/{dossier_id}/changes", limit=1000)["changes"]
        if len(changes) >= count:
            return changes
        assert time.monotonic() < end, changes
        time.sleep(0.1)


def _files(service: Service, count: int) -> set[str]:
    end = time.monotonic() + 60
    while len(found := {path.name for path in (service.folder / "buffer").rglob("*.md")}) < count:
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def test_a_running_service_is_backed_up_and_the_restored_one_goes_on(tmp_path: Path, site: Site) -> None:
    for number in range(8):
        site.article(f"/{number}", f"Page {number}", f"{STORY} {number}")
    out = tmp_path / "backup.zip"
    with Service(tmp_path / "old", workers=1) as old:
        robot = old.robot("ann@example.org")
        dossier_id = robot.post("/api/dossiers", {"name": "news"}, 201)["id"]
        for number in range(8):
            source = {"name": str(number), "url": f"{site.url}/{number}"}
            robot.post(f"/api/dossiers/{dossier_id}/sources", source, 201)
        before = _until(robot, dossier_id, 8)
        delivered = _files(old, 8)
        cli = Cli(tmp_path / "old")
        # A file is written before it is marked as delivered; in between, a backup would have it delivered again.
        while sum(one["delivered"] for one in cli.json("deliveries")) < len(delivered):
            time.sleep(0.1)
        cli("backup", str(out))
        robot.get(f"/api/dossiers/{dossier_id}/stats")
    cli("restore", str(out), "--data", str(tmp_path / "new" / "data"))

    site.article("/3", "Page 3", f"{STORY} And then it was open again.")
    with Service(tmp_path / "new", workers=1) as new:
        # The same token; nobody has to be let in again.
        client = Client(new.url, robot.headers)
        where = f"/api/dossiers/{dossier_id}"
        assert client.get(f"{where}/changes", limit=1000)["changes"] == before
        (third,) = (one for one in client.get(f"{where}/sources") if one["name"] == "3")
        client.post(f"{where}/sources/{third['id']}/fetch")
        after = _until(client, dossier_id, 9)
        assert (after[:8], after[8]["change"]) == (before, "changed")
        assert not _files(new, 1) & delivered
        assert new.end() == 0
    assert len(_files(new, 1)) == 1
