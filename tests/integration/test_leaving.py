"""Everything leaves: whole exports of dossiers and accounts, and deletion that deletes, on both stores."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from leavings import traces, traces_in, unpacked
from people import PASSWORD
from postgres_server import shared
from receiver import SECRET, Receiver
from veille.bootstrap.backups import back_up
from veille.core.access.access import Role
from veille.core.access.accounts import User
from veille.core.alerts.records import AlertFilter
from veille.core.report.trash import TRASH_MS
from veille.errors import ConfigError, LoginError, NotFoundError, SinkError
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from veille.services.people.access import Access
from veille.services.watching.trash import purge_expired
from watching import Watch
from world import Page, Site

CANARY = "ultramarine-canary"
HIDDEN = "s3cret-of-the-vault"
EMAIL = "ada.canary@example.org"
STORY = "<html><title>{0}</title><main><h1>{0}</h1><p>The price of tea is {1} euros today, says the shop.</p></main>"


@pytest.fixture(params=["sqlite", "postgres"])
def watch(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Watch]:
    """A dossier with two revisions, kept answers, a sink of each sort, and secrets that must not leave."""
    sinks = {
        "hook": {"kind": "webhook", "url": Receiver(site).url, "secret": SECRET, "private": True},
        "pieces": {"kind": "chunks", "folder": str(tmp_path / "pieces")},
        "tables": {"kind": "sql", "url": f"sqlite:///{tmp_path / 'tables.db'}"},
        "frames": {"kind": "parquet", "folder": str(tmp_path / "frames")},
    }
    settings: dict[str, Any] = {"sinks": sinks}
    database = ""
    if request.param == "postgres":
        database = shared().database(shared().ready)
        settings["store"] = SecretStr(shared().url(database))
    with Watch(site, tmp_path, **settings) as watching:
        _fill(watching, site)
        yield watching
    if database:
        shared().drop(database)


def _fill(watch: Watch, site: Site) -> None:
    for price in ("3.50", "4.20"):
        site.pages["/tea"] = Page(STORY.format(CANARY, price).encode())
        if price == "3.50":
            watch.add("/tea", "page", keep_raw="all", tags=["shops"], headers={"Authorization": HIDDEN})
            watch.run()
        else:
            watch.turn()
    watch.app.secrets.put(watch.app.accounts.local(), watch.dossier_id, "KEY", HIDDEN, ["api.example.org"])
    watch.app.channels.add(watch.dossier_id, ChannelWish(name="team", kind="webhook", options=_HOOK))
    watch.app.rules.add(watch.dossier_id, RuleWish(expression="changed", name="Any change"))
    watch.deliver()


_HOOK = {"url": f"https://example.org/{HIDDEN}", "secret": HIDDEN + HIDDEN}


def _ada(watch: Watch, *, owns: bool = True) -> tuple[User, Access]:
    """A user who reads, keeps and makes things in the dossier."""
    accounts = watch.app.accounts
    user = accounts.users.add(accounts.local(), EMAIL, "Ada", PASSWORD)
    accounts.members.add(accounts.local(), watch.dossier_id, EMAIL, Role.OWNER if owns else Role.EDITOR)
    access = accounts.login(EMAIL, PASSWORD).access
    accounts.tokens.add(access, "backup", ["read"])
    accounts.tokens.add_app_password(access, "Phone", ("read",))
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.records.documents()
        store.marks.keep(user.id, document.document_id, watch.now)
        store.marks.visit(user.id, watch.now)
    watch.app.rules.add(watch.dossier_id, RuleWish(expression="new", name="Ada's", user_id=user.id))
    return user, access


def _lines(files: dict[str, bytes], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[name].decode().split("\n") if line]


def test_a_whole_dossier_leaves(watch: Watch, tmp_path: Path) -> None:
    user, access = _ada(watch)
    out = tmp_path / "news.zip"
    report = watch.app.leaving.takeout.dossier(watch.app.accounts.local(), watch.dossier_id, out)
    manifest, files = unpacked(out)
    assert out.stat().st_mode & 0o077 == 0
    assert manifest["dossier"]["name"] == "news"
    assert report.files == len(files)
    revisions = _lines(files, "revisions.jsonl")
    assert [one["n"] for one in revisions] == [2, 1]
    assert "4.20" in revisions[0]["text"]
    assert "3.50" in revisions[1]["text"]
    assert [one["tags"] for one in (one["config"] for one in _lines(files, "sources.jsonl"))] == [["shops"]]
    assert [one["change"] for one in _lines(files, "changes.jsonl")] == ["new", "changed"]
    assert {one["name"] for one in _lines(files, "rules.jsonl")} == {"Any change", "Ada's"}
    assert _lines(files, "secrets.jsonl")[0]["name"] == "KEY"
    assert [one["user_id"] for one in _lines(files, "marks.jsonl")] == [user.id]
    answers = _lines(files, "answers.jsonl")
    assert [files[f"bodies/{one['hash']}.bin"] for one in answers] == [
        STORY.format(CANARY, price).encode() for price in ("3.50", "4.20")
    ]
    # No secret of any sort, in no file.
    assert [name for name, content in files.items() if HIDDEN.encode() in content] == []
    # Over the web an owner gets what they read, not what others do.
    other = watch.app.accounts.users.add(watch.app.accounts.local(), "bob@example.org", "Bob", PASSWORD)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        store.marks.visit(other.id, watch.now)
    drawn = io.BytesIO()
    watch.app.leaving.takeout.dossier(access, watch.dossier_id, drawn)
    _, files = unpacked(drawn.getvalue())
    assert {one["user_id"] for one in _lines(files, "visits.jsonl")} == {user.id}


def test_only_an_owner_exports_a_whole_dossier(watch: Watch) -> None:
    _, access = _ada(watch, owns=False)
    with pytest.raises(NotFoundError):
        watch.app.leaving.takeout.dossier(access, watch.dossier_id, io.BytesIO())
    with pytest.raises(NotFoundError):
        watch.app.leaving.deleting.dossier(access, watch.dossier_id)


def test_an_account_leaves_with_what_is_its_own(watch: Watch) -> None:
    user, access = _ada(watch, owns=False)
    mine = access.create("mine")
    drawn = io.BytesIO()
    watch.app.leaving.takeout.account(access, drawn)
    manifest, files = unpacked(drawn.getvalue())
    assert manifest["account"] == {"id": user.id, "email": EMAIL}
    assert _lines(files, "account.jsonl")[0]["email"] == EMAIL
    assert {one["name"] for one in _lines(files, "tokens.jsonl")} == {"backup", "Phone"}
    assert {one["action"] for one in _lines(files, "audit.jsonl")} >= {"login", "dossier.create", "user.export"}
    part, whole = f"dossiers/news-{watch.dossier_id[-8:]}/", f"dossiers/mine-{mine.id[-8:]}/"
    assert len(_lines(files, f"{part}marks.jsonl")) == 1
    assert [one["name"] for one in _lines(files, f"{part}rules.jsonl")] == ["Ada's"]
    # Somebody else's dossier does not leave with it.
    assert f"{part}revisions.jsonl" not in files
    assert f"{whole}revisions.jsonl" in files
    digests = {"password_hash", "digest", "fever"}
    assert not [one for name in files if name.endswith(".jsonl") for one in _lines(files, name) if digests & set(one)]


def test_an_export_that_fails_leaves_no_file(watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> Iterator[tuple[str, bytes]]:
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr(watch.app.store.leavings, "files_of", broken)
    out = tmp_path / "news.zip"
    out.write_bytes(b"the one before")
    with pytest.raises(ConfigError, match="No space"):
        watch.app.leaving.takeout.dossier(watch.app.accounts.local(), watch.dossier_id, out)
    assert out.read_bytes() == b"the one before"
    assert not list(tmp_path.glob(".news*"))


def test_a_deleted_dossier_is_gone_everywhere(watch: Watch, tmp_path: Path, site: Site) -> None:
    receiver = Receiver(site)
    assert traces(tmp_path / "pieces", CANARY)
    assert traces(tmp_path / "buffer", CANARY)
    assert traces(tmp_path, watch.dossier_id)
    farewell = watch.app.leaving.deleting.dossier(watch.app.accounts.local(), watch.dossier_id)
    assert {one.sink: one.recall.value for one in farewell.sinks} == {
        "buffer": "gone",
        "hook": "told",
        "pieces": "gone",
        "tables": "gone",
        "frames": "gone",
    }
    assert receiver.forgotten == [watch.dossier_id]
    assert len(farewell.left) == 2
    with pytest.raises(NotFoundError):
        watch.app.dossier("news")
    copy = tmp_path / "copy.zip"
    back_up(watch.app.settings, copy, watch.now)
    assert traces_in(copy, CANARY) == []
    watch.app.close()
    assert traces(tmp_path, CANARY) == []


def test_a_sink_that_cannot_be_told_keeps_the_dossier(watch: Watch, site: Site, tmp_path: Path) -> None:
    receiver = Receiver(site)
    receiver.down = Page(b"", status=503, validates=False)
    local = watch.app.accounts.local()
    with pytest.raises(SinkError, match="hook") as refused:
        watch.app.leaving.deleting.dossier(local, watch.dossier_id)
    assert refused.value.code == "delete.not_told"
    # It is as it was, and sinks are free again.
    assert watch.app.dossier("news").id == watch.dossier_id
    assert traces(tmp_path / "pieces", CANARY), "whoever comes after it was not told"
    others_first = dict(reversed(watch.app.settings.sinks.items()))
    settings = watch.app.settings.model_copy(update={"sinks": others_first})
    with watch.app.beside(settings) as app, pytest.raises(SinkError, match="hook"):
        app.leaving.deleting.dossier(local, watch.dossier_id)
    assert traces(tmp_path / "pieces", CANARY) == []
    assert all(not one.code for one in watch.deliver() if one.sink != "hook")
    assert traces(tmp_path / "pieces", CANARY), "it was given everything again"
    farewell = watch.app.leaving.deleting.dossier(local, watch.dossier_id, anyway=True)
    assert "hook keeps" in " ".join(farewell.left)
    assert receiver.forgotten == []


def test_a_deleted_account_is_gone(watch: Watch, tmp_path: Path) -> None:
    _, access = _ada(watch, owns=False)
    accounts, local = watch.app.accounts, watch.app.accounts.local()
    mine = access.create("mine")
    accounts.members.add(local, watch.dossier_id, EMAIL, Role.OWNER)
    accounts.users.add(local, "bob@example.org", "Bob", PASSWORD)
    accounts.members.add(local, watch.dossier_id, "bob@example.org", Role.READER)
    with pytest.raises(LoginError):
        accounts.confirm(access, "not the password")
    with pytest.raises(ConfigError) as refused:
        watch.app.leaving.deleting.account(access)
    assert refused.value.code == "last_owner"
    accounts.members.add(local, watch.dossier_id, "bob@example.org", Role.OWNER)
    plan, farewells = watch.app.leaving.deleting.account(access)
    assert [one.name for one in plan.stays] == ["news"]
    assert [one.dossier.id for one in farewells] == [mine.id]
    with pytest.raises(LoginError):
        _ = access.who
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert _personal(watch, plan.user) == {}
        assert {one.user_id for one in store.rules.all()} == {""}
    # What was logged stays, without them; the log itself still cannot be changed.
    lines = accounts.audit(local)
    assert {"dossier.create", "user.delete", "login", "user.add"} <= {one.action for one in lines}
    assert EMAIL not in json.dumps([[one.who, one.detail] for one in lines])
    assert not {one.address for one in lines if one.who == "(deleted)"} - {""}
    copy = tmp_path / "copy.zip"
    back_up(watch.app.settings, copy, watch.now)
    assert traces_in(copy, EMAIL) == []
    watch.app.close()
    assert traces(tmp_path / "data", EMAIL) == []


def test_sinks_are_told_when_a_deleted_source_is_gone_for_good(watch: Watch, site: Site, tmp_path: Path) -> None:
    receiver = Receiver(site)
    watch.app.rules.add(watch.dossier_id, RuleWish(expression="removed", name="Gone"))
    (source,) = watch.app.sources.all(watch.dossier_id)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.records.documents()
    watch.app.sources.delete(watch.dossier_id, source.id)
    assert [one.delivered for one in watch.deliver()] == [0] * 5, "it can be restored"
    assert traces(tmp_path / "pieces", CANARY)
    watch.now += TRASH_MS + 1
    assert purge_expired(watch.app.dossiers, watch.now) == 1
    assert {one.sink: one.delivered for one in watch.deliver()} == {
        "buffer": 0,  # its reader got each revision as a file
        "hook": 1,
        "pieces": 1,
        "tables": 1,
        "frames": 1,
    }
    (told,) = receiver.changes.values()
    assert (told["change"], told["document_id"], told["text"]) == ("removed", document.document_id, "")
    assert traces(tmp_path / "pieces", CANARY) == []
    with closing(sqlite3.connect(tmp_path / "tables.db")) as tables:
        ((removed_at, text),) = tables.execute("SELECT removed_at, text FROM veille_documents")
    assert (bool(removed_at), text) == (True, "")
    # Once, and people are not told of what they deleted themselves.
    assert [one.delivered + one.pending for one in watch.deliver()] == [0] * 5
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert "removed" not in {one.alert.change for one in store.alerts.page(AlertFilter(), None, 9)}
        assert store.alerts.judged()[0] == store.outbox.last_seq()
        assert store.outbox.latest(None, 9) == []
    copy = tmp_path / "copy.zip"
    back_up(watch.app.settings, copy, watch.now)
    assert traces_in(copy, "price of tea") == []


def test_a_source_that_was_moved_is_removed_only_where_dossiers_are_kept_apart(watch: Watch, tmp_path: Path) -> None:
    (source,) = watch.app.sources.all(watch.dossier_id)
    other = watch.app.create_dossier("other").id
    watch.app.moving.move(watch.dossier_id, source.id, other)
    both = [watch.dossier_id, other]
    watch.app.deliver(both)
    assert {path.parent.name for path in (tmp_path / "pieces").rglob("*.jsonl")} == set(both)
    watch.now += TRASH_MS + 1
    assert purge_expired(watch.app.dossiers, watch.now) == 1
    told = watch.app.deliver(both)
    assert {(one.sink, one.dossier_id) for one in told if one.delivered} == {
        ("pieces", watch.dossier_id),
        ("frames", watch.dossier_id),
    }
    assert {one.pending for one in told} == {0}
    assert {path.parent.name for path in (tmp_path / "pieces").rglob("*.jsonl")} == {other}
    with closing(sqlite3.connect(tmp_path / "tables.db")) as tables:
        rows = tables.execute("SELECT dossier_id, removed_at, text <> '' FROM veille_documents").fetchall()
    assert rows == [(other, None, 1)]
    with watch.app.dossiers.open(watch.dossier_id) as store:
        changes = [(one.change, one.changed_metadata) for one in store.outbox.events()]
    assert changes == [("new", ()), ("changed", ()), ("removed", ("dossier_id",))]


def _personal(watch: Watch, user: User) -> dict[str, list[Any]]:
    found = watch.app.store.leavings.of_person(watch.dossier_id, user)
    rows = {name: list(records) for name, records in found}
    return {name: found for name, found in rows.items() if found}


def test_a_sink_that_is_not_in_the_settings_any_more_keeps_the_dossier(watch: Watch, tmp_path: Path) -> None:
    pieces = watch.app.settings.sinks["pieces"]
    fewer = {name: one for name, one in watch.app.settings.sinks.items() if name != "pieces"}
    with watch.app.beside(watch.app.settings.model_copy(update={"sinks": fewer})) as app:
        with pytest.raises(SinkError, match=r"\(pieces: .* not in today's settings") as refused:
            app.leaving.deleting.dossier(app.accounts.local(), watch.dossier_id)
        assert refused.value.code == "delete.not_told"
        assert watch.app.dossier("news").id == watch.dossier_id
        assert traces(tmp_path / "pieces", CANARY)
        assert traces(tmp_path / "buffer", CANARY), "no other sink was told"
        # Nothing was ever delivered to one that is new, and nothing is left at one that forgot.
        others = {**fewer, "late": {**pieces, "folder": str(tmp_path / "late")}}
    with watch.app.beside(watch.app.settings.model_copy(update={"sinks": others})) as app:
        farewell = app.leaving.deleting.dossier(app.accounts.local(), watch.dossier_id, anyway=True)
    assert "The sink pieces keeps what it was given: delete it there." in farewell.left
    assert traces(tmp_path / "pieces", CANARY)
    assert traces(tmp_path / "buffer", CANARY) == []


@pytest.mark.parametrize("now", [None, "elsewhere"])
def test_a_buffer_in_the_data_folder_forgets_without_being_in_the_settings(
    site: Site, tmp_path: Path, now: str | None
) -> None:
    buffer = tmp_path / "data" / "buffer"
    with Watch(site, tmp_path, buffer_dir=buffer) as watch:
        site.pages["/tea"] = Page(STORY.format(CANARY, "3.50").encode())
        watch.add("/tea", "page")
        watch.run()
        watch.deliver()
        other = watch.app.create_dossier("other").id
        (buffer / "pending" / "other.md").write_text(f"---\ndossier_id: {other}\n---\n\n{CANARY}")
    with Watch(site, tmp_path, buffer_dir=now and tmp_path / now) as watch:
        farewell = watch.app.leaving.deleting.dossier(watch.app.accounts.local(), watch.dossier_id)
    assert ({one.code for one in farewell.sinks}, farewell.left) == ({""}, [])
    assert traces(buffer, CANARY) == ["pending/other.md"]
