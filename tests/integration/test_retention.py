"""How long revisions are kept: by command, over REST and on pages, and whoever kills it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import veille
from archives import Archive, restored
from command import Cli
from service import Here
from veille.bootstrap.backups import back_up
from veille.core.archive.content_state import ContentState
from veille.core.models import Change
from veille.core.schedule import DAY
from veille.core.zstandard import zstd
from veille.errors import NotFoundError, ReadError
from veille.settings import load_settings
from watching import Watch, told
from world import Page, Site

pytestmark = pytest.mark.covers("R-244")

PAGES, ROUNDS = 8, 6
WORDS = "the council of this city has decided to build a new bridge over its river because many people wait there"


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watched:
        yield watched


def _write(site: Site, turn: int) -> None:
    for page in range(PAGES):
        text = "".join(f"<p>{WORDS} in part {part} of page {page}.</p>" for part in range(6))
        site[f"/{page}"] = f"<html lang=en><title>Page {page}</title><main>{text}<p>{WORDS}, says edition {turn}.</p>"


def _watched(watch: Watch) -> None:
    """Pages with as many revisions as there are rounds, a day apart."""
    _write(watch.site, 0)
    for page in range(PAGES):
        watch.add(f"/{page}", look_twice=False)
    watch.run()
    for turn in range(1, ROUNDS):
        _write(watch.site, turn)
        watch.now += DAY
        report, _ = watch.turn()
        assert told(report)[Change.CHANGED] == PAGES


def _contents(folder: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """Where the content of every revision is, and its text if there is one."""
    with veille.open_app(data=folder) as app:
        found: dict[tuple[str, int], tuple[str, str]] = {}
        for dossier in app.dossiers.all():
            with app.reading(dossier.id) as reading:
                for line in reading.records.documents(limit=100):
                    for one in reading.records.revisions(line.document_id):
                        found[one.url.rpartition("/")[2], one.n] = one.kept, one.text
        return found


def _run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    cli = Cli(folder, **variables)
    command = [sys.executable, "-m", "veille", "retention", "run", "--json"]
    return subprocess.run(command, env=cli.environment, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("point", ["after_archive", "before_commit"])
def test_a_run_that_is_killed_and_repeated_is_the_same_as_undisturbed(watch: Watch, tmp_path: Path, point: str) -> None:
    _watched(watch)
    watch.app.retention.set_rule(watch.dossier_id, "last 4, archive after 1d")
    watch.app.close()
    first, second = tmp_path / "data", tmp_path / "twin" / "data"
    shutil.copytree(first, second)
    assert _run(tmp_path).returncode == 0
    killed = _run(tmp_path / "twin", VEILLE_FAILPOINT=f"{point}:kill@1")
    assert killed.returncode == -signal.SIGKILL
    assert {kept for kept, _ in _contents(second).values()} == {ContentState.HERE}
    assert _run(tmp_path / "twin").returncode == 0
    expected = _contents(first)
    assert _contents(second) == expected
    kept = {n: expected["0", n][0] for n in range(1, ROUNDS + 1)}
    assert [*kept.values()] == [ContentState.REMOVED] * 2 + [ContentState.ARCHIVED] * 3 + [ContentState.HERE]
    assert all("says edition 3" in expected[str(page), 4][1] for page in range(PAGES))


def test_a_dry_run_changes_nothing_and_counts_what_a_run_does(watch: Watch) -> None:
    _watched(watch)
    service = watch.app.retention
    service.set_rule(watch.dossier_id, "last 3")
    first = service.run(watch.dossier_id, dry_run=True)
    again = service.run(watch.dossier_id, dry_run=True)
    assert first == again
    assert first.counts == {"archived": 0, "removed": PAGES * (ROUNDS - 3), "deleted": 0}
    assert service.run(watch.dossier_id) == first
    assert not service.run(watch.dossier_id).documents


def test_archived_revisions_are_read_compared_and_exported(watch: Watch) -> None:
    _watched(watch)
    service, documents = watch.app.retention, watch.app.documents
    service.set_rule(watch.dossier_id, "archive after 0d")
    watch.now += 1000
    service.run(watch.dossier_id)
    with watch.app.reading(watch.dossier_id) as reading:
        document_id = reading.records.documents()[0].document_id
    compared = documents.compare(watch.dossier_id, document_id, 1, ROUNDS, lambda address: address)
    assert compared.inline is not None
    assert compared.inline.changes
    steps = documents.history(watch.dossier_id, document_id, None, 10)
    assert [step.kept for step in steps] == [ContentState.HERE] + [ContentState.ARCHIVED] * (ROUNDS - 1)
    assert all(step.added for step in steps)
    (file,) = (watch.folder / "data").rglob("*.jsonl.zst")
    lines = b"".join(zstd.open(file, "rb")).decode().splitlines()  # as zstdcat prints it
    assert len(lines) == PAGES * (ROUNDS - 1)


def test_a_backup_has_the_archive_files_and_tells_which_were_away(watch: Watch, tmp_path: Path) -> None:
    _watched(watch)
    watch.app.retention.set_rule(watch.dossier_id, "archive after 0d")
    watch.now += 1000
    watch.app.retention.run(watch.dossier_id)
    watch.app.close()
    expected = _contents(tmp_path / "data")
    made = back_up(load_settings(data=tmp_path / "data"), tmp_path / "a.zip", watch.now)
    assert (made.archives, made.missing_archives) == (1, 0)
    restored(tmp_path / "a.zip", tmp_path / "new")
    assert _contents(tmp_path / "new") == expected
    (file,) = (tmp_path / "new").rglob("*.jsonl.zst")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)

    (away,) = (tmp_path / "data").rglob("*.jsonl.zst")
    away.unlink()
    made = back_up(load_settings(data=tmp_path / "data"), tmp_path / "b.zip", watch.now)
    assert (made.archives, made.missing_archives) == (0, 1)
    restored(tmp_path / "b.zip", tmp_path / "less")
    with veille.open_app(data=tmp_path / "less") as app, app.reading(watch.dossier_id) as reading:
        (first, *_) = reading.records.documents()
        with pytest.raises(ReadError) as raised:
            reading.records.revision(first.document_id, 1)
        assert raised.value.code == "archive_missing"

    foreign = Archive(tmp_path / "a.zip")
    (member,) = (name for name in foreign.parts if ".archive/" in name)
    foreign.parts[f"dossiers/{'0' * 8}-0000-0000-0000-{'0' * 12}.archive/{member.rpartition('/')[2]}"] = b""
    with pytest.raises(ReadError) as refused:
        restored(foreign.write(tmp_path / "c.zip"), tmp_path / "none")
    assert refused.value.code == "backup.hostile"


def test_a_revision_whose_archive_file_is_away_says_so_and_the_others_stay(watch: Watch) -> None:
    _watched(watch)
    watch.app.retention.set_rule(watch.dossier_id, "archive after 0d, last 3")
    watch.now += 1000
    watch.app.retention.run(watch.dossier_id)
    (file,) = (watch.folder / "data").rglob("*.jsonl.zst")
    file.rename(watch.folder / file.name)
    with watch.app.reading(watch.dossier_id) as reading:
        document_id = reading.records.documents()[0].document_id
        with pytest.raises(ReadError, match=file.name) as raised:
            reading.records.revision(document_id, ROUNDS - 1)
        assert raised.value.code == "archive_missing"
        with pytest.raises(NotFoundError) as removed:
            reading.records.revision(document_id, 1)
        assert removed.value.code == "revision_removed"
        kept = [one.kept for one in reading.records.revisions(document_id)]
    assert kept == [
        ContentState.HERE,
        ContentState.AWAY,
        ContentState.AWAY,
        ContentState.REMOVED,
        ContentState.REMOVED,
        ContentState.REMOVED,
    ]
    (watch.folder / file.name).rename(file)
    with watch.app.reading(watch.dossier_id) as reading:
        assert "edition 4" in reading.records.revision(document_id, ROUNDS - 1).text


def test_documents_that_are_long_gone_leave_the_index_too(watch: Watch) -> None:
    _watched(watch)
    watch.site["/0"] = Page(b"", status=410)
    for _ in range(3):
        watch.now += DAY
        watch.turn()
    watch.app.retention.set_rule(watch.dossier_id, "delete gone after 30d")
    assert not watch.app.retention.run(watch.dossier_id).documents
    watch.now += 40 * DAY
    report = watch.app.retention.run(watch.dossier_id)
    assert report.counts["deleted"] == 1
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert store.records.health(watch.now)["documents"] == PAGES - 1
        assert not any(one.url.endswith("/0") for one in store.records.documents(limit=100))


def test_a_worker_carries_rules_out(watch: Watch) -> None:
    _watched(watch)
    watch.app.retention.set_rule(watch.dossier_id, "last 2")
    # The first call only starts the interval.
    watch.app.mending.purge_if_due()
    watch.now += DAY
    watch.app.mending.purge_if_due()
    with watch.app.reading(watch.dossier_id) as reading:
        document_id = reading.records.documents()[0].document_id
        assert [one.kept for one in reading.records.revision_lines(document_id)].count(
            ContentState.REMOVED
        ) == ROUNDS - 2


def test_a_deleted_dossier_leaves_no_archive(watch: Watch) -> None:
    _watched(watch)
    watch.app.retention.set_rule(watch.dossier_id, "archive after 0d")
    watch.now += 1000
    watch.app.retention.run(watch.dossier_id)
    assert [*(watch.folder / "data").rglob("*.jsonl.zst")]
    watch.app.accounts.local().delete(watch.dossier_id)
    assert not [*(watch.folder / "data").rglob("*.archive")]


def test_by_command(watch: Watch, tmp_path: Path) -> None:
    _watched(watch)
    watch.app.close()
    cli = Cli(tmp_path)
    assert cli.json("retention") == [{"dossier": "news", "rule": "all"}]
    cli("retention", "set", "last 4", "--dossier", "news")
    assert f"would now remove {PAGES * 2} revisions" in cli.stderr
    told_by: dict[str, Any] = cli.json("retention", "run", "--dry-run")
    assert told_by["dossiers"][0]["removed"] == PAGES * 2
    assert "1-2" in cli("retention", "run")
    assert cli.json("retention", "run")["dossiers"][0]["removed"] == 0
    cli("retention", "set", "forever", "--dossier", "news", status=2)
    assert "no rule of retention" in cli.stderr


def test_over_rest(tmp_path: Path) -> None:
    with Here(tmp_path) as office:
        client = office.person("ada@example.org")
        place = f"/api/dossiers/{office.dossier('news')}/retention"
        assert client.ask("GET", place).json == {"rule": "all"}
        assert client.ask("PUT", place, {"rule": "weekly after 90d"}).json == {"rule": "weekly after 90d"}
        bad = client.ask("PUT", place, {"rule": "sometimes"})
        assert (bad.status, bad.json["code"]) == (400, "bad_retention")
        ran = client.ask("POST", f"{place}/run", {"dry_run": True}).json
        assert ran == {"archived": 0, "removed": 0, "deleted": 0, "stopped": False, "documents": []}
