from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

import veille
from veille.adapters.vault import KEY_FILE, VaultKey
from veille.core.crawler.config import check_config
from veille.core.discover.engines import engine_of
from veille.core.models import Change, Scope, Source
from veille.core.urls import host_of
from veille.errors import ConfigError
from veille.services.crawler.crawl_run import CrawlRequest
from veille.services.watching.questions import Asking
from veille.services.watching.sources import SourceEdit, Wish
from veille.settings import FetchSettings
from watching import Watch
from world import Page, Site

SECRET = "hunter2-very-secret"


def watch(app: veille.App, url: str, headers: dict[str, str]) -> str:
    dossier = app.create_dossier("vault")
    with app.vault(dossier.id) as vault:
        vault.set("TOKEN", SECRET, [host_of(url)], app.clock())
    app.sources.add(dossier.id, Wish(url=url, kind="page", config={"headers": headers}))
    return dossier.id


@pytest.fixture
def watching(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watching:
        yield watching


def sent(site: Site, path: str) -> dict[str, str]:
    return next(seen.headers for seen in site.seen if seen.path == path)


@pytest.mark.covers("R-032", "R-033", "R-231")
def test_a_secret_is_sent_to_its_source_and_shown_nowhere(
    app: veille.App, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.article("/a", "Title", "text " * 50)
    dossier_id = watch(app, f"{site.url}/a", {"Authorization": "Bearer ${secret:TOKEN}", "X-Plain": "$HOME %PATH%"})
    runs = app.run(Scope())
    headers = sent(site, "/a")
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert headers["X-Plain"] == "$HOME %PATH%"
    assert SECRET not in repr(runs) + repr(app.sources.all(dossier_id)) + caplog.text
    with app.vault(dossier_id) as vault:
        assert vault.hosts() == {"TOKEN": (host_of(site.url),)}
        assert SECRET not in repr(vault)
    app.close()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.covers("R-032", "R-230")
def test_a_redirect_to_another_origin_carries_no_configured_header(app: veille.App, site: Site) -> None:
    with Site("127.0.0.2") as other:
        other.article("/there", "Title", "text " * 50)
        other["/back"] = Page(b"", status=302, headers={"Location": f"{site.url}/home"})
        site["/a"] = Page(b"", status=302, headers={"Location": "/b"})
        site["/b"] = Page(b"", status=302, headers={"Location": f"{other.url}/back"})
        site.article("/home", "Title", "text " * 50)
        watch(app, f"{site.url}/a", {"X-API-Key": "${secret:TOKEN}", "Cookie": "a=1"})
        app.run(Scope())
        assert sent(site, "/b")["X-API-Key"] == SECRET
        # Not to the other origin, and not even back home: by then somebody else chose the address.
        for headers in (sent(other, "/back"), sent(site, "/home")):
            assert SECRET not in repr(headers)
            assert "a=1" not in repr(headers)


@pytest.mark.covers("R-032")
@pytest.mark.parametrize("headers", [{"X-Key": "${secret:TOKEN}"}, {"X-Key": SECRET}, {"Accept": "text/html"}])
def test_no_repair_takes_credentials_to_another_host(watching: Watch, headers: dict[str, str]) -> None:
    with watching.app.vault(watching.dossier_id) as vault:
        vault.set("TOKEN", SECRET, [host_of(watching.site.url)], watching.now)
    with Site("127.0.0.2") as other:
        other.article("/there", "Title", "text " * 50)
        watching.site["/a"] = Page(b"", status=301, headers={"Location": f"{other.url}/there"})
        watching.add("/a", "page", headers=headers)
        for _ in range(5):
            watching.turn()
        assert SECRET not in repr([seen.headers for seen in other.seen])
        (repair,) = watching.app.repairs.all(watching.dossier_id)
        (source,) = watching.app.sources.all(watching.dossier_id)
        is_harmless = "Accept" in headers
        assert (repair.rule, repair.applied_at is not None) == ("moved", is_harmless)
        assert source.url == (f"{other.url}/there" if is_harmless else f"{watching.site.url}/a")
        if not is_harmless:
            assert "are for the old host" in repair.proof
            _apply_anyway(watching, repair.id, other, is_by_name="$" in headers["X-Key"])


def _apply_anyway(watching: Watch, repair_id: str, other: Site, *, is_by_name: bool) -> None:
    apply = partial(watching.app.repairs.apply, watching.dossier_id, repair_id)
    other.seen.clear()
    if not is_by_name:
        with pytest.raises(ConfigError) as refused:
            apply()
        assert refused.value.code == "headers_elsewhere"
        return
    apply()
    report, _ = watching.turn()
    assert [item.code for item in report.items] == ["secret_host"]
    assert other.seen == []
    with watching.app.vault(watching.dossier_id) as vault:
        vault.set("TOKEN", SECRET, [host_of(watching.site.url), host_of(other.url)], watching.now)
    watching.turn()
    assert sent(other, "/there")["X-Key"] == SECRET, "an owner said that it may have it"


@pytest.mark.covers("R-032", "R-006")
def test_whoever_moves_a_source_does_not_take_headers_along_that_they_were_not_shown(watching: Watch) -> None:
    added = watching.add("/a", "page", headers={"X-Key": SECRET, "Accept": "text/html"})

    def edited(**wanted: Any) -> Source:
        return watching.app.sources.edit(watching.dossier_id, added.id, SourceEdit(**wanted))

    shown = {"headers": {"X-Key": "***", "Accept": "text/html"}}
    for options in (None, {"delay_s": 1}, shown):
        with pytest.raises(ConfigError, match="write their values anew") as refused:
            edited(url="http://127.0.0.2:8000/mine", options=options)
        assert refused.value.code == "headers_elsewhere"
    assert edited(url=f"{watching.site.url}/b", options=shown).config["headers"]["X-Key"] == SECRET
    assert edited(url="http://127.0.0.2/c", options={"headers": {"X-Key": "mine"}}).config["headers"] == {
        "X-Key": "mine"
    }
    assert edited(url="https://127.0.0.2/c").config["headers"] == {"X-Key": "mine"}, "the same host, only safer"
    assert edited(url="http://127.0.0.3/d", unset=("headers",)).config == {}


@pytest.mark.covers("R-032")
@pytest.mark.covers("R-087")
@pytest.mark.parametrize(
    "value",
    ["${secret:OTHER}", "${PATH}", "${secret:}", "${}", "${SECRET:TOKEN}", "${ secret:TOKEN}", "${secret:TOKEN"],
)
@pytest.mark.parametrize("place", ["header", "agent", "body", "text"])
def test_a_reference_that_means_nothing_here_sends_nothing(app: veille.App, site: Site, value: str, place: str) -> None:
    dossier = app.create_dossier("vault")
    with app.vault(dossier.id) as vault:
        vault.set("TOKEN", SECRET, [host_of(site.url)], app.clock())
    options: dict[str, Any] = {
        "header": {"headers": {"X-Key": f"Bearer {value}"}},
        "agent": {"user_agent": f"me {value}"},
        "body": {"method": "POST", "body": {"key": [value]}},
        "text": {"method": "POST", "body": f"key={value}&q=1"},
    }
    wish = Wish(url=f"{site.url}/a", kind="api", config=options[place])
    if "}" not in value and place == "text":
        with pytest.raises(ConfigError, match="without its") as refused:
            app.sources.add(dossier.id, wish)
        assert refused.value.code == "bad_option"
        return
    app.sources.add(dossier.id, wish)
    items = app.run(Scope())[0].items
    assert [(item.change, item.code) for item in items] == [(Change.ERROR, "secret")]
    assert site.seen == []


@pytest.mark.covers("R-032")
def test_an_environment_variable_is_used_only_when_the_operator_lists_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", SECRET)
    monkeypatch.setenv("OTHER_KEY", "other")
    site.article("/a", "Title", "text " * 50)
    fetch = FetchSettings(
        host_delay_ms=0, allow_networks=(ip_network("127.0.0.0/8"),), allow_env={"BRAVE_API_KEY": (host_of(site.url),)}
    )
    with Site("127.0.0.2") as other, veille.open_app(data=tmp_path, fetch=fetch) as app:
        dossier_id = watch(app, f"{site.url}/a", {"X-Key": "${BRAVE_API_KEY}"})
        config = {"method": "POST", "body": {"key": "${BRAVE_API_KEY}"}, "headers": {"X-Key": "a ${BRAVE_API_KEY}"}}
        for url in (site.url, other.url):
            app.sources.add(dossier_id, Wish(url=f"{url}/api", kind="api", config=config))
        site.json("/api", [{"id": 1, "title": "A"}])
        (report,) = app.run(Scope())
        assert sent(site, "/a")["X-Key"] == SECRET
        assert json.loads(next(seen.body for seen in site.seen if seen.path == "/api")) == {"key": SECRET}
        assert [item.code for item in report.items if item.change is Change.ERROR] == ["secret_host"]
        assert other.seen == []


@pytest.mark.covers("R-032", "R-006")
def test_an_editor_who_sends_a_secret_to_a_host_of_their_own_gets_nothing(app: veille.App, site: Site) -> None:
    """By whatever way a reference is sent; where it leads on, and where it comes from."""
    with Site("127.0.0.2") as evil:
        dossier_id = watch(app, f"{site.url}/a", {"X-Key": "${secret:TOKEN}"})
        evil["/moved"] = Page(b"", status=307, headers={"Location": f"{site.url}/api"})
        (source,) = app.sources.all(dossier_id)
        app.sources.edit(dossier_id, source.id, SourceEdit(url=f"{evil.url}/a"))
        header, body = {"headers": {"X-Key": "${secret:TOKEN}"}}, {"method": "POST", "body": {"key": "${secret:TOKEN}"}}
        for path, kind, config in (
            ("/feed", "feed", header),
            ("/api", "api", body),
            ("/moved", "api", body),
            ("/site", "site", header),
            ("/agent", "page", {"user_agent": "${secret:TOKEN}"}),
        ):
            app.sources.add(dossier_id, Wish(url=evil.url + path, kind=kind, config=config))
        engine = {"id": "mine", "url_template": f"{evil.url}/?q={{query}}", "headers": {"X-Key": "${secret:TOKEN}"}}
        app.catalogue.put_engine(dossier_id, engine)
        app.questions.add(dossier_id, Asking(text="What is it?", channels=("mine",)))
        auth = {"type": "bearer", "credentials_ref": "secret:TOKEN"}
        app.crawler.configure(dossier_id, check_config({"seeds": [evil.url], "auth": auth, "retry_wait_s": 0}), "eve")
        (report,) = app.run(Scope())
        failed = [item for item in report.items if item.change is Change.ERROR]
        assert {item.code for item in failed} == {"secret_host"}
        assert len(failed) == 7
        host = host_of(evil.url)
        assert all(f"veille secrets set TOKEN --host {host}" in item.message for item in failed)
        app.crawler.run(dossier_id, CrawlRequest(by="eve"))
        assert evil.seen == []
        assert site.seen == []


@pytest.mark.covers("R-006")
def test_undoing_a_repair_takes_no_headers_to_the_host_it_left(watching: Watch) -> None:
    with Site("127.0.0.2") as evil:
        evil["/a"] = Page(b"", status=301, headers={"Location": f"{watching.site.url}/a"})
        watching.site.article("/a", "Title", "text " * 50)
        url = f"{evil.url}/a"
        added = watching.app.sources.add(watching.dossier_id, Wish(url=url, kind="page"))
        for _ in range(5):
            watching.turn()
        (repair,) = watching.app.repairs.all(watching.dossier_id)
        assert repair.status == "applied"
        watching.app.sources.edit(watching.dossier_id, added.id, SourceEdit(options={"headers": {"X-Key": SECRET}}))
        with pytest.raises(ConfigError) as refused:
            watching.app.repairs.undo(watching.dossier_id, repair.id)
        assert refused.value.code == "headers_elsewhere"
        (source,) = watching.app.sources.all(watching.dossier_id)
        assert source.url == f"{watching.site.url}/a"


@pytest.mark.parametrize("name", ["Host", "X-Forwarded-For", "Remote-User", "Content-Length", "Bad Name", "Proxy-Auth"])
def test_a_source_cannot_set_headers_that_speak_for_us(app: veille.App, site: Site, name: str) -> None:
    watch(app, f"{site.url}/a", {name: "x"})
    assert [item.code for item in app.run(Scope())[0].items] == ["bad_header"]
    assert site.seen == []


def test_a_header_value_cannot_smuggle_a_line(app: veille.App, site: Site) -> None:
    watch(app, f"{site.url}/a", {"X-Key": "a\r\nX-Evil: 1"})
    assert [item.code for item in app.run(Scope())[0].items] == ["bad_header"]
    assert site.seen == []


@pytest.mark.covers("R-230")
def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    key = VaultKey(tmp_path)
    path = tmp_path / KEY_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert VaultKey(tmp_path).id == key.id
    path.chmod(0o644)
    with pytest.raises(ConfigError) as caught:
        VaultKey(tmp_path)
    assert caught.value.code == "vault.key_open"


def test_the_key_can_be_handed_over_by_the_service_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed, data = tmp_path / "credentials", tmp_path / "data"
    handed.mkdir()
    data.mkdir()
    own = VaultKey(data)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(handed))
    assert VaultKey(data).id == own.id
    (handed / KEY_FILE).write_bytes(b"k" * 32)
    (handed / KEY_FILE).chmod(0o400)
    given = VaultKey(data)
    assert given.id != own.id
    assert given.opened(given.sealed(SECRET, "x"), "x") == SECRET
    (data / KEY_FILE).unlink()
    assert VaultKey(data).id == given.id
    assert list(data.iterdir()) == []


def test_a_sealed_value_opens_only_in_its_own_place(tmp_path: Path) -> None:
    key = VaultKey(tmp_path)
    sealed = key.sealed(SECRET, "dossier/one")
    assert SECRET.encode() not in sealed
    assert key.opened(sealed, "dossier/one") == SECRET
    with pytest.raises(ConfigError):
        key.opened(sealed, "dossier/two")


def test_one_dossier_cannot_use_the_secret_of_another(app: veille.App, site: Site) -> None:
    other = app.create_dossier("other")
    with app.vault(other.id) as vault:
        vault.set("THEIRS", "theirs", [host_of(site.url)], app.clock())
    watch(app, f"{site.url}/a", {"X-Key": "${secret:THEIRS}"})
    report = json.dumps([item.message for item in app.run(Scope())[0].items])
    assert "THEIRS" in report
    assert site.seen == []


@pytest.mark.covers("R-032", "R-231")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"key": "${secret:TOKEN}"}, {"key": 'a "b" & \\c'}),
        ("key=${secret:TOKEN}&q=$HOME", "key=a+%22b%22+%26+%5Cc&q=$HOME"),
    ],
)
def test_a_secret_in_a_body_is_written_as_the_body_asks_and_shown_nowhere(
    app: veille.App, site: Site, tmp_path: Path, body: object, expected: object
) -> None:
    dossier = app.create_dossier("vault")
    with app.vault(dossier.id) as vault:
        vault.set("TOKEN", 'a "b" & \\c', [host_of(site.url)], app.clock())
    site.json("/api", [{"id": 1, "title": "A"}])
    app.sources.add(dossier.id, Wish(url=f"{site.url}/api", kind="api", config={"method": "POST", "body": body}))
    runs = app.run(Scope())
    (seen,) = site.seen
    assert (json.loads(seen.body) if isinstance(body, dict) else seen.body.decode()) == expected
    assert "b" + '" & ' not in repr(runs) + repr(app.sources.all(dossier.id))
    app.close()
    assert not any(b'"b" & ' in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_an_answer_cannot_ask_for_a_secret_by_naming_it_as_its_cursor(app: veille.App, site: Site) -> None:
    dossier = app.create_dossier("vault")
    with app.vault(dossier.id) as vault:
        vault.set("OTHER", SECRET, [host_of(site.url)], app.clock())
        vault.set("TOKEN", "known", [host_of(site.url)], app.clock())
    site.json("/api", {"d": [{"id": 1, "title": "A"}], "c": "${secret:OTHER}"})
    paging = {"by": "cursor", "path": "c", "in_body": True}
    config = {"method": "POST", "body": {"key": "${secret:TOKEN}"}, "result_path": "d", "paging": paging}
    app.sources.add(dossier.id, Wish(url=f"{site.url}/api", kind="api", config=config))
    app.run(Scope())
    first, second = (json.loads(seen.body) for seen in site.seen)
    assert (first, second) == ({"key": "known"}, {"key": "known", "cursor": "${secret:OTHER}"})


def test_a_secret_that_is_not_there_is_reported_and_nothing_is_sent(app: veille.App, site: Site) -> None:
    dossier = app.create_dossier("vault")
    config = {"method": "POST", "body": {"key": "${secret:TOKEN}"}}
    app.sources.add(dossier.id, Wish(url=f"{site.url}/api", kind="api", config=config))
    (run,) = app.run(Scope())
    assert ([item.code for item in run.items], site.seen) == (["secret"], [])


@pytest.mark.covers("R-087")
@pytest.mark.parametrize(
    "query", ["?key=${secret:TOKEN}", "?key=%24%7Bsecret:TOKEN%7D", "${secret:TOKEN}/x", "?key=${API_KEY}", "${HOME}/x"]
)
def test_an_address_that_holds_a_reference_is_refused(app: veille.App, site: Site, query: str) -> None:
    dossier = app.create_dossier("vault")
    with pytest.raises(ConfigError, match="headers") as caught:
        app.sources.add(dossier.id, Wish(url=f"{site.url}/{query}", kind="api"))
    assert caught.value.code == "secret_in_url"
    record = {"id": "e", "url_template": f"{site.url}/{query}&q={{query}}"}
    with pytest.raises(ConfigError, match="cannot stand in an address"):
        engine_of(record)


KEY = bytes(range(100, 132))


@pytest.mark.parametrize("form", [KEY, base64.b64encode(KEY), KEY.hex().encode()])
def test_the_key_can_be_given_by_a_file_a_variable_or_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: bytes
) -> None:
    file = tmp_path / "key"
    file.write_bytes(form)
    file.chmod(0o640)
    ways: list[dict[str, Any]] = [{"key_file": str(file)}, {"key_command": ["cat", str(file)]}]
    found = [veille.load_settings(vault=way) for way in ways]
    if form != KEY:
        monkeypatch.setenv("VEILLE_VAULT__KEY", form.decode())
        found.append(veille.load_settings())
    data = tmp_path / "data"
    assert len({VaultKey(data, settings.vault).id for settings in found}) == 1
    assert not data.exists(), "none is made"
    assert form.decode("latin-1") not in repr(found)


@pytest.mark.parametrize(
    ("vault", "code", "said"),
    [
        ({"key": "c2hvcnQ="}, "vault.bad_key", "vault.key"),
        ({"key_file": "/nowhere/key"}, "vault.no_key", "/nowhere/key cannot be read (No such file or directory)."),
        ({"key_command": ["sh", "-c", "echo sealed >&2; exit 3"]}, "vault.no_key", "status 3: sealed"),
        ({"key_command": ["/nowhere/program"]}, "vault.no_key", "cannot be run"),
        ({"key_command": ["true"]}, "vault.bad_key", "prints"),
    ],
)
def test_a_key_that_cannot_be_had_is_said_in_one_line(
    tmp_path: Path, vault: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        VaultKey(tmp_path, veille.load_settings(data=tmp_path, vault=vault).vault)
    assert caught.value.code == code
    assert said in str(caught.value)
    assert "c2hvcnQ" not in str(caught.value)


def test_a_key_that_everybody_may_read_or_that_comes_from_two_places_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(ConfigError) as caught:
        VaultKey(tmp_path, veille.load_settings(vault={"key_file": tmp_path / "key"}).vault)
    assert caught.value.code == "vault.key_open"
    with pytest.raises(ConfigError, match="`key_file` and `key_command` are set: keep one of them"):
        veille.load_settings(vault={"key_file": tmp_path / "key", "key_command": ["true"]})
