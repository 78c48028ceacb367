"""Steps in a real browser: a login by form, a consent banner, waiting, and what a failing step leaves behind."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from veille.adapters.fetch._browser import available
from veille.core.models import Change
from veille.core.urls import host_of
from veille.errors import ConfigError, StoreError
from watching import FAST, HEADLESS, Watch
from world import Asked, Page, Site

pytestmark = pytest.mark.skipif(
    not available(HEADLESS) and not os.environ.get("CI"), reason="no Chromium or no extra `browser` here"
)
SECRET = "hunter2-very-secret"
LOGIN = """<title>Log in</title><form method=post action=/enter>
<label>User <input id=user name=user></label><label>Password <input id=password name=password type=password></label>
<button>Log in</button></form>"""
BANNER = """<div id=banner>We use cookies. <button onclick="document.cookie='ok=1';
document.getElementById('banner').remove(); document.getElementById('text').hidden = false;
">Alle akzeptieren</button></div>"""


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path, fetch=FAST.model_copy(update={"timeout_s": 30})) as watch:
        with watch.app.vault(watch.dossier_id) as vault:
            vault.set("shop", SECRET, [host_of(site.url)], watch.now)
        yield watch


def shop(site: Site) -> None:
    """A shop whose prices are shown to those who are logged in."""

    def enter(asked: Asked) -> Page:
        is_right = asked.body == f"user=anna&password={SECRET}".encode()
        where = "/prices" if is_right else "/login"
        cookie = {"Set-Cookie": "session=1; HttpOnly"} if is_right else {}
        return Page(b"", status=303, headers={"Location": where, **cookie}, validates=False)

    def prices(asked: Asked) -> Page:
        if "session=1" not in asked.headers.get("Cookie", ""):
            return Page(b"", status=302, headers={"Location": "/login"}, validates=False)
        later = "setTimeout(() => { document.getElementById('p').textContent = 'Tea costs 12 EUR today.'; }, 300);"
        body = (
            f"<title>Prices</title><main><p id=p></p><p>{'For members only. ' * 10}</p></main><script>{later}</script>"
        )
        return Page(body.encode(), validates=False)

    site["/login"] = LOGIN
    site.made["/enter"] = enter
    site.made["/prices"] = prices


STEPS = ["type: #user = anna", "type: label=Password = ${secret:shop}", "click: text=Log in", "wait: text=Tea costs"]


def test_a_page_behind_a_login_form_is_read_and_the_secret_is_nowhere(
    site: Site, watch: Watch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shop(site)
    source = watch.add("/prices", "page", steps=STEPS, keep_raw="all")
    assert source.config["steps"] == STEPS
    report = watch.run()
    assert [(item.change, item.code) for item in report.items] == [(Change.NEW, "")], report.items
    assert watch.found("tea") == ["/prices"]
    assert SECRET not in repr(report) + repr(source) + caplog.text
    watch.app.close()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


def test_a_secret_that_a_page_shows_is_neither_kept_nor_in_a_picture(site: Site, tmp_path: Path) -> None:
    # The form sends it in the address, and the page writes it into its text, an attribute and a field.
    site["/form"] = "<title>Form</title><form action=/found><input id=q name=q><button>Find</button></form>"

    def found(asked: Asked) -> Page:
        said = asked.query["q"]
        field = f"<input id=q value='{said}' style='position:absolute;left:0;top:0;width:300px;height:40px'>"
        shown = f"<p data-q='{said}'>You asked for {said}.</p><p>{'Some words. ' * 20}</p><i id=no hidden>x</i>"
        return Page(f"<!doctype html><title>Found {said}</title>{field}<main>{shown}</main>".encode(), validates=False)

    site.made["/found"] = found
    steps = ["type: #q = ${secret:shop}", "click: text=Find", "wait: text=You asked"]
    with Watch(site, tmp_path, fetch=FAST.model_copy(update={"timeout_s": 24})) as watch:
        with watch.app.vault(watch.dossier_id) as vault:
            vault.set("shop", SECRET, [host_of(site.url)], watch.now)
        watch.add("/form", "page", steps=steps, keep_raw="all", pictures="page")
        failing = watch.add("/form?2", "page", steps=[*steps, "click: #no"])
        site["/form?2"] = site.pages["/form"]
        items = {item.code: item for item in watch.run().items}
        assert items.keys() == {"", "step_failed"}
        assert any(seen.path == f"/found?q={SECRET}" for seen in site.seen)
        assert SECRET not in repr(items)
        with watch.app.dossiers.open(watch.dossier_id) as store:
            failed = store.pictures.failed_step(failing.id)
            revision = store.records.revision(items[""].document_id)
            kept = store.pictures.of_revision(revision.document_id, 1)
            assert kept is not None
            pictures = [store.pictures.load(kept), failed.data if failed else b""]
        assert "You asked for ***." in revision.text
        assert revision.url == f"{site.url}/found?q=***"
    for data in pictures:
        with Image.open(io.BytesIO(data)) as image:
            # Where the field is, there is the colour of covers alone.
            inside = image.convert("RGB").crop((10, 10, 200, 30))
            assert inside.getcolors() == [(190 * 20, (154, 160, 166))]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_a_secret_is_not_typed_on_a_page_of_another_host(site: Site, watch: Watch) -> None:
    with Site("127.0.0.2") as other:
        other["/login"] = LOGIN
        site["/away"] = f"<title>Away</title><p>{'Some words. ' * 20}</p><a href={other.url}/login>Go on</a>"
        watch.add("/away", "page", steps=["click: text=Go on", "type: #password = ${secret:shop}", "press: Enter"])
        (item,) = watch.run().items
        assert (item.change, item.code) == (Change.ERROR, "secret_host")
        assert not [seen for seen in other.seen if SECRET.encode() in seen.body]


def test_a_consent_banner_is_accepted_and_one_that_does_not_come_is_no_failure(site: Site, watch: Watch) -> None:
    words = "The text behind the banner. " * 10
    site["/page"] = f"<title>A page</title>{BANNER}<main id=text hidden><p>{words}</p></main>"
    site["/plain"] = f"<title>Plain</title><main><p>{words} And more.</p></main>"
    watch.add("/page", "page", steps=["accept", "wait: #text"])
    watch.add("/plain", "page", steps=["accept"])
    assert {item.change for item in watch.run().items} == {Change.NEW}


def test_a_step_that_fails_says_which_and_its_picture_stays_until_the_steps_work(site: Site, tmp_path: Path) -> None:
    site["/page"] = f"<title>A page</title><p>{'Some words. ' * 20}</p><button disabled id=buy>Buy</button>"
    with Watch(site, tmp_path, fetch=FAST.model_copy(update={"timeout_s": 12})) as watch:
        source = watch.add("/page", "page", steps="scroll: bottom\nclick: #buy")
        (item,) = watch.run().items
        assert (item.change, item.code) == (Change.ERROR, "step_failed")
        assert "step 2 of 2 (click: #buy)" in item.message
        assert "hidden, covered or disabled" in item.message
        with watch.app.dossiers.open(watch.dossier_id) as store:
            failed = store.pictures.failed_step(source.id)
        assert failed is not None
        assert failed.data.startswith(b"\x89PNG")
        assert failed.message == item.message
        site["/page"] = site.pages["/page"].body.replace(b"disabled ", b"")
        watch.turn()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            assert store.pictures.failed_step(source.id) is None


def test_steps_reach_only_what_we_may_reach(site: Site, tmp_path: Path) -> None:
    site["/page"] = f"<title>A page</title><p>{'Some words. ' * 20}</p>"
    with Site("127.0.0.3") as inside:
        inside["/"] = "<p>Internal</p>"
        settings = FAST.model_copy(
            update={"timeout_s": 30, "allow_networks": (), "allow_hosts": frozenset({host_of(site.url).split(":")[0]})}
        )
        with Watch(site, tmp_path, fetch=settings) as watch:
            watch.add("/page", "page", steps=[f"open: {inside.url}/"])
            (item,) = watch.run().items
        assert item.code == "step_failed"
        assert inside.seen == []


def test_a_page_is_read_though_its_login_cannot_be_kept(
    site: Site, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals: list[Exception] = [StoreError("Busy.", code="store.busy"), ConfigError("No key.")]

    def refused(*_: object) -> None:
        raise refusals.pop()

    with watch.app.vault(watch.dossier_id) as vault:
        monkeypatch.setattr(type(vault), "keep_login", refused)
    shop(site)
    watch.add("/prices", "page", steps=STEPS)
    assert [watch.turn()[0].items[0].code for _ in range(2)] == ["", ""]
    assert refusals == []


def test_a_login_is_kept_sealed_and_made_again_when_it_ends(site: Site, watch: Watch, tmp_path: Path) -> None:
    shop(site)
    sessions = ["first-session-cookie"]
    valid, plain = {sessions[0]}, site.made["/enter"]

    def enter(asked: Asked) -> Page:
        page = plain(asked)
        return replace(page, headers={**page.headers, "Set-Cookie": f"session={sessions[-1]}; HttpOnly"})

    def prices(asked: Asked) -> Page:
        if not any(f"session={one}" in asked.headers.get("Cookie", "") for one in valid):
            return Page(b"", status=302, headers={"Location": "/login"}, validates=False)
        return Page(f"<main><p>Tea costs 12 EUR. {'For members only. ' * 20}</p></main>".encode(), validates=False)

    def check() -> tuple[str, int]:
        """What came of a check, and how often the form was sent in it."""
        report, seen = watch.turn()
        return report.items[0].code, sum(one.path == "/enter" for one in seen)

    site.made |= {"/enter": enter, "/prices": prices}
    source = watch.add("/prices", "page", steps=STEPS)
    assert [check(), check()] == [("", 1), ("", 0)]
    # The site forgets it: the steps log in again, within the same visit.
    valid.clear()
    sessions.append("second-session-cookie")
    valid.add(sessions[-1])
    assert [check(), check()] == [("", 1), ("", 0)]
    # Another password is another login.
    with watch.app.vault(watch.dossier_id) as vault:
        assert "second-session-cookie" in vault.login(source.id)
        vault.set("shop", SECRET + "!", [host_of(site.url)], watch.now)
    code, sent = check()
    assert (code, sent) == ("step_failed", 1)
    watch.app.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"session-cookie" not in path.read_bytes(), path
