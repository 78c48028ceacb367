"""A deletion that is killed at any step, and done again: all of it is gone, and nothing of others."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import veille
from leavings import traces, traces_in, unpacked
from people import PASSWORD
from postgres_server import shared
from samples import NOW
from veille.bootstrap import App
from veille.bootstrap.backups import back_up
from veille.core.access.access import Role
from veille.core.models import Scope
from veille.errors import NotFoundError
from veille.services.alerts.rules import RuleWish
from veille.services.watching.sources import Wish
from watching import FAST
from world import Page, Site

CANARY, OTHER = "ultramarine-canary", "vermilion-robin"
ADA, BOB = "ada.canary@example.org", "bob.robin@example.org"
STORY = "<html><title>{0}</title><main><h1>{0}</h1><p>The price of tea is 3.50 euros today, says {0}.</p></main>"
#: The sinks are told one after the other; then the dossier goes in one transaction, and after it what is beside it.
OF_DOSSIER = (
    ("sqlite", "before_sink_forgets"),
    ("sqlite", "after_sink_forgot"),
    ("sqlite", "after_sink_forgot@4"),
    ("sqlite", "before_dossier_is_deleted"),
    ("sqlite", "during_forget"),
    ("sqlite", "during_forget@2"),
    ("sqlite", "during_forget@4"),
    ("postgres", "after_sink_forgot"),
    ("postgres", "before_dossier_is_deleted"),
    ("postgres", "during_forget"),
)
#: Ada's own dossier goes first.
OF_ACCOUNT = (
    ("sqlite", "during_forget"),
    ("sqlite", "after_erasing_in_dossier"),
    ("sqlite", "before_account_is_erased"),
    ("sqlite", "after_account_was_erased"),
    ("postgres", "after_erasing_in_dossier"),
    ("postgres", "before_account_is_erased"),
)


@dataclass(frozen=True)
class Place:
    """A data folder, and beside it what sinks were given."""

    folder: Path
    #: The address of a database, or empty.
    store: str

    def open(self) -> App:
        return veille.open_app(**self._settings)

    def kill(self, failpoint: str, *command: str) -> None:
        point, _, count = failpoint.partition("@")
        variables = {"VEILLE_FAILPOINT": f"{point}:kill@{count or 1}"} | dict(_variables("VEILLE", self._settings))
        done = subprocess.run(
            [sys.executable, "-m", "veille", *command, "--yes"], env=os.environ | variables, check=False, timeout=60
        )
        assert done.returncode == -signal.SIGKILL, failpoint

    @property
    def _settings(self) -> dict[str, Any]:
        sinks = {
            "pieces": {"kind": "chunks", "folder": str(self.folder / "pieces")},
            "tables": {"kind": "sql", "url": f"sqlite:///{self.folder / 'tables.db'}"},
            "frames": {"kind": "parquet", "folder": str(self.folder / "frames")},
        }
        settings = {"data": self.folder / "data", "buffer_dir": self.folder / "buffer", "sinks": sinks}
        return settings | ({"store": self.store} if self.store else {})


def _variables(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield name, str(value)
        return
    for key, inner in value.items():
        yield from _variables(f"{name}{'_' if name == 'VEILLE' else '__'}{key.upper()}", inner)


@dataclass(frozen=True)
class Filled:
    """What tests make copies of."""

    folder: Path
    #: The name of a database, or empty.
    database: str
    of_bob: tuple[dict[str, bytes], list[str]]


@pytest.fixture(scope="module")
def by_store(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Filled]:
    """Each is filled once for all tests."""
    return cache(lambda store: _fill(tmp_path_factory.mktemp("filled"), store))


@pytest.fixture
def filled(request: pytest.FixtureRequest, by_store: Callable[[str], Filled]) -> Filled:
    return by_store(request.param)


def _fill(parent: Path, store: str) -> Filled:
    """Ada's dossier, and Bob's, in which Ada reads; all sinks have both."""
    folder = parent / "here"
    database = shared().database(shared().ready) if store == "postgres" else ""
    place = Place(folder, shared().url(database) if database else "")
    with Site() as site, veille.open_app(**place._settings, fetch=FAST, clock=lambda: NOW) as app:
        accounts, local = app.accounts, app.accounts.local()
        for email, name, word in ((ADA, "hers", CANARY), (BOB, "his", OTHER)):
            accounts.users.add(local, email, name, PASSWORD)
            dossier_id = accounts.login(email, PASSWORD).access.create(name).id
            site.pages[f"/{name}"] = Page(STORY.format(word).encode())
            app.sources.add(dossier_id, Wish(url=f"{site.url}/{name}", kind="page", config={"keep_raw": "all"}))
            app.run(Scope())
            app.deliver([dossier_id])
            with app.dossiers.open(dossier_id) as opened:
                archive = opened.db.path.with_suffix(".archive")  # type: ignore[attr-defined]  # of both stores
            archive.mkdir(parents=True)
            (archive / "2026.jsonl.zst").write_text(word)
            if not database:
                archive.with_name(f"{archive.stem}.db.schema-1").write_text(f"{word} {ADA}")
        (ada,) = (one for one in accounts.users.all(local) if one.email == ADA)
        accounts.members.add(local, dossier_id, ADA, Role.EDITOR)
        with app.dossiers.open(dossier_id) as opened:
            opened.marks.keep(ada.id, opened.records.documents()[0].document_id, NOW)
        app.rules.add(dossier_id, RuleWish(expression="new", name="Any", user_id=ada.id))
    if not database:
        (folder / "data" / "catalog.db.schema-1").write_text(ADA)
    return Filled(folder, database, _of_bob(place, parent))


@pytest.fixture
def place(filled: Filled, tmp_path: Path) -> Iterator[Place]:
    shutil.copytree(filled.folder, tmp_path / "here")
    database = shared().database(filled.database) if filled.database else ""
    yield Place(tmp_path / "here", shared().url(database) if database else "")
    if database:
        shared().drop(database)


def _of_bob(place: Place, folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """What Bob's dossier has, without what Ada has in it; and where sinks have it."""
    with place.open() as app:
        app.leaving.takeout.dossier(app.accounts.local(), "his", folder / "his.zip")
    _, files = unpacked(folder / "his.zip")
    of_ada = {"README.txt", "members.jsonl", "marks.jsonl", "rules.jsonl"}
    return {name: files[name] for name in files if name not in of_ada}, _in_sinks(place, OTHER)


def _in_sinks(place: Place, word: str) -> list[str]:
    return [one for one in traces(place.folder, word) if not one.startswith("data")]


def _nothing_is_left(place: Place, folder: Path, *words: str) -> None:
    with place.open() as app:
        back_up(app.settings, folder / "copy.zip", NOW)
    assert traces_in(folder / "copy.zip", OTHER)
    for word in words:
        assert traces_in(folder / "copy.zip", word) == []
    assert traces(place.folder, *words) == []


@pytest.mark.parametrize(("filled", "failpoint"), OF_DOSSIER, indirect=["filled"])
def test_a_dossier_whose_deletion_was_killed_is_deleted_by_the_next_one(
    filled: Filled, place: Place, tmp_path: Path, failpoint: str
) -> None:
    assert {one.split("/")[0] for one in traces(place.folder, CANARY)} >= {"data", "buffer", "pieces", "tables.db"}
    place.kill(failpoint, "dossiers", "delete", "hers")
    with place.open() as app, suppress(NotFoundError):
        app.leaving.deleting.dossier(app.accounts.local(), "hers")
        assert not failpoint.startswith("during_forget"), "it was gone with its entry"
    _nothing_is_left(place, tmp_path, CANARY)
    assert _of_bob(place, tmp_path) == filled.of_bob


@pytest.mark.parametrize("filled", ["sqlite", "postgres"], indirect=True)
def test_a_dossier_that_was_not_deleted_after_all_is_whole_also_where_sinks_took_it(place: Place) -> None:
    before = _in_sinks(place, CANARY)
    place.kill("before_dossier_is_deleted", "dossiers", "delete", "hers")
    assert _in_sinks(place, CANARY) == []
    with place.open() as app:
        app.deliver([app.dossier("hers").id])
    assert _in_sinks(place, CANARY) == before


@pytest.mark.parametrize(("filled", "failpoint"), OF_ACCOUNT, indirect=["filled"])
def test_an_account_whose_deletion_was_killed_is_deleted_by_its_user(
    filled: Filled, place: Place, tmp_path: Path, failpoint: str
) -> None:
    place.kill(failpoint, "users", "delete", ADA)
    with place.open() as app:
        local, deleting = app.accounts.local(), app.leaving.deleting
        is_erased = failpoint == "after_account_was_erased"
        assert is_erased == (ADA not in {one.email for one in app.accounts.users.all(local)})
        if not is_erased:
            deleting.account(app.accounts.login(ADA, PASSWORD).access)
        with pytest.raises(NotFoundError):
            deleting.plan(local, ADA)
        assert [one.name for one in app.dossiers.all()] == ["his"]
    _nothing_is_left(place, tmp_path, CANARY, ADA)
    assert _of_bob(place, tmp_path) == filled.of_bob
