"""Services on several machines with one database: whichever is asked, it answers as the others do."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest

import veille
from forms import Person
from postgres_server import shared
from process_tree import wait_until
from samples import STORY
from service import Client, Here
from veille.core.models import Scope
from veille.core.report.imports import ImportReport
from veille.errors import ConfigError
from world import Site

KEY = base64.b64encode(b"k" * 32).decode()
LIST = b"<opml version='2.0'><body>%s</body></opml>"


@pytest.fixture(autouse=True)
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = shared()
    name = server.database(server.ready)
    monkeypatch.setenv("VEILLE_STORE", server.url(name))
    yield
    server.drop(name)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Here]]:
    """Two services, each with a data folder of its own; the second gets the key of the secrets from a command."""
    (tmp_path / "key").write_text(KEY)
    with ExitStack() as opened:
        yield [
            opened.enter_context(Here(tmp_path / name, calls_per_minute=6, vault=vault))
            for name, vault in (("one", {"key": KEY}), ("two", {"key_command": ["cat", str(tmp_path / "key")]}))
        ]


def _at(client: Client, machine: Here) -> Client:
    return Client(machine.url, client.headers)


def test_who_signs_in_at_one_machine_is_known_at_all_until_they_leave_any(machines: list[Here]) -> None:
    one, two = machines
    with one.program() as app, two.program() as other:
        link, later = (each.accounts.setup_link(each.accounts.local()) for each in (app, other))
    came = two.anonymous().ask("POST", f"/setup?token={link}")
    assert came.status == 200
    for used in (link, later):
        assert one.anonymous().ask("POST", f"/setup?token={used}").headers.get("set-cookie") is None, "used twice"
    me = Client(two.url, {"Cookie": came.headers["set-cookie"].partition(";")[0]})
    made = me.post("/api/dossiers", {"name": "news"}, 201)
    assert [each["id"] for each in _at(me, one).get("/api/dossiers")] == [made["id"]]
    _at(me, one).ask("POST", "/api/auth/logout", {})
    assert me.ask("GET", "/api/dossiers").status == 401


def test_while_the_database_does_not_answer_programs_are_told_to_come_again(machines: list[Here]) -> None:
    url = os.environ["VEILLE_STORE"]
    for machine in machines:
        assert machine.anonymous().ask("GET", "/health").status == 200
    anyone = machines[0].anonymous()
    with closing(psycopg.connect(url)) as other, ThreadPoolExecutor() as thread:
        tables = other.execute(
            "SELECT string_agg('veille.' || tablename, ', ') FROM pg_tables WHERE schemaname = 'veille'"
        )
        other.execute(f"LOCK {tables.fetchall()[0][0]}".encode())
        asked = thread.submit(anyone.ask, "POST", "/api/auth/login", {"email": "ada", "password": "wrong"})
        ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE NOT granted"
        wait_until(lambda: (other.execute(ended), asked.done())[1])
        other.rollback()
        answer = asked.result()
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert b"try again" in answer.body
    assert anyone.ask("GET", "/health").status == 200


def test_wrong_passwords_are_counted_together(machines: list[Here]) -> None:
    told = {"email": "ada@example.org", "password": "wrong"}
    seen = [machines[number % 2].anonymous().ask("POST", "/api/auth/login", told).status for number in range(12)]
    assert seen[0] == 401
    first = seen.index(429)
    alone = first // 2
    assert set(seen[first:]) == {429}, "the one that was asked less refuses, too"
    assert alone < first


def test_calls_are_counted_together(machines: list[Here]) -> None:
    robot = machines[0].robot("ada@example.org")
    robots = [_at(robot, each) for each in machines]
    seen = [robots[number % 2].ask("POST", "/connectivity/veille_list_dossiers", {}).status for number in range(8)]
    assert seen == [200] * 6 + [429] * 2


def test_a_secret_of_one_machine_is_sent_by_another(machines: list[Here], site: Site) -> None:
    one, two = machines
    dossier_id = one.dossier("news")
    ada = one.person("ada@example.org", is_admin=True)
    ada.put(f"/api/dossiers/{dossier_id}/secrets/WIKI", {"value": "hush", "hosts": [site.url.partition("//")[2]]})
    site.article("/wiki", "Wiki", STORY)
    one.watch(dossier_id, f"{site.url}/wiki", kind="page", config={"headers": {"Authorization": "${secret:WIKI}"}})
    with veille.open_app(two.settings) as app:
        app.queue.arm(dossier_id, app.clock())
        app.run(Scope())
    assert [seen.headers["Authorization"] for seen in site.seen if seen.path == "/wiki"] == ["hush"]
    shown = [*ada.get(f"/api/dossiers/{dossier_id}/secrets")]
    assert "hush" not in repr(shown)


def test_a_change_that_one_machine_wrote_is_told_by_the_stream_of_another(machines: list[Here], site: Site) -> None:
    one, two = machines
    dossier_id = one.dossier("news")
    ada = _at(one.person("ada@example.org"), two)
    site.article("/a", "Bridge", STORY)
    with ada.told(f"/live?in={dossier_id}") as told:
        assert next(told)["seq"] == 0
        one.watch(dossier_id, f"{site.url}/a", kind="page")
        one.look(dossier_id)
        while next(told)["seq"] != 1:
            pass


def test_a_preview_of_one_machine_is_saved_at_another_by_its_owner_only(machines: list[Here], site: Site) -> None:
    one, two = machines
    dossier_id = one.dossier("news")
    ada = one.person("ada@example.org")
    ann, there, other = Person(ada), Person(_at(ada, two)), Person(two.person("bob@example.org"))
    site.article("/a", "Bridge", STORY)
    look = ann.led(ann.send(f"/d/{dossier_id}/add", text=f"{site.url}/a"))
    assert "Bridge" in there.see(look)
    assert other.led(other.send(f"{look}/save", dossier_id=dossier_id)) == "/add"
    there.led(there.send(f"{look}/save", dossier_id=dossier_id))
    assert [each["url"] for each in ada.get(f"/api/dossiers/{dossier_id}/sources")] == [f"{site.url}/a"]


def test_an_import_that_another_machine_runs_is_not_left_off(machines: list[Here]) -> None:
    one, two = machines
    dossier_id = one.dossier("news")
    ada = one.person("ada@example.org")
    there = Person(_at(ada, two))
    feeds = b"".join(b"<outline type='rss' xmlUrl='http://127.0.0.1:9/%d'/>" % number for number in range(3))
    report = Person(ada).led(Person(ada).send_file(f"/d/{dossier_id}/opml", "opml", LIST % feeds))
    while "Done: 3 of 3" not in (shown := there.see(report)):
        assert "Left off" not in shown
    with one.program() as app:
        (me,) = (each.id for each in app.accounts.users.all(app.accounts.local()))
        app.lists.keep_report(dossier_id, ImportReport(id="long", user_id=me, begun_at=app.clock(), total=5))
        place = report.rpartition("/")[0]
        with app.store.presence.hold("import-long"):
            assert "Left off" not in there.see(f"{place}/long")
        assert "Left off" in there.see(f"{place}/long")


def test_a_machine_with_another_key_is_told_so_and_makes_none(tmp_path: Path) -> None:
    with veille.open_app(data=tmp_path / "one") as app:
        own = app.store.key("images")
    for vault in (None, {"key": KEY}):
        with veille.open_app(data=tmp_path / "two", vault=vault) as app, pytest.raises(ConfigError) as caught:
            app.store.key("images")
        assert caught.value.code == "vault.other_key"
        assert os.uname().nodename in str(caught.value)
        assert KEY not in str(caught.value)
    assert not (tmp_path / "two" / "secrets.key").exists()
    (tmp_path / "two" / "secrets.key").write_bytes((tmp_path / "one" / "secrets.key").read_bytes())
    (tmp_path / "two" / "secrets.key").chmod(0o600)
    with veille.open_app(data=tmp_path / "two") as app:
        assert app.store.key("images") == own
