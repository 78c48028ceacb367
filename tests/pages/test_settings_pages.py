from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from browsing import PHONE, visitor
from forms import one, seen, send
from paper import alert, attribute, refused, sent, shown, words
from people import PASSWORD
from service import Client, Here
from veille.core.access.access import Role

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOSS = "boss@example.org"


@pytest.fixture
def boss(office: Here) -> Client:
    """Manages the instance, beside the one who is made for its dossiers."""
    return office.person(BOSS, is_admin=True)


def test_a_name_and_a_look_are_set(office: Here) -> None:
    ada = office.person("ada@example.org")
    sent(ada, "/settings/name", name="Ada Lovelace")
    assert attribute(shown(ada, "/settings").css("#you input[name=name]")[0], "value") == "Ada Lovelace"
    assert shown(ada, "/").css(".menu summary bdi")[0].text() == "Ada Lovelace"
    again = refused(ada, "/settings/name", name=" ")
    assert "is required" in alert(again)
    cookie = sent(ada, "/settings/look", look="dark").headers["set-cookie"]
    assert "look=dark" in cookie
    dark = Client(office.url, {"Cookie": f"{ada.headers['Cookie']}; look=dark"})
    assert shown(dark, "/settings").css("html")[0].attributes["data-theme"] == "dark"
    odd = Client(office.url, {"Cookie": f'{ada.headers["Cookie"]}; look="><script>'})
    assert "data-theme" not in shown(odd, "/settings").css("html")[0].attributes


def test_a_password_is_set_and_then_needed(office: Here) -> None:
    eva = office.person("eva@example.org")
    other = office.person("eva@example.org")
    assert "You have none yet" in words(shown(eva, "/settings"))
    assert "differ" in alert(refused(eva, "/settings/password", new=PASSWORD, again="another one here"))
    assert alert(refused(eva, "/settings/password", new="short", again="short"))
    cookie = sent(eva, "/settings/password", new=PASSWORD, again=PASSWORD).headers["set-cookie"]
    new = Client(office.url, {"Cookie": re.findall(r"sid=[^;]+", cookie)[0]})
    for gone in (eva, other):
        assert gone.ask("GET", "/settings", headers={"Accept": "text/html"}).status == 303
    assert "old password" in alert(refused(new, "/settings/password", old="wrong", new="x" * 20, again="x" * 20))


def test_browsers_are_listed_and_logged_out(office: Here) -> None:
    first, second = office.person("two@example.org"), office.person("two@example.org")
    page = shown(first, "/settings")
    assert "this one" in words(page.css("#sessions")[0])
    (form,) = page.css("#sessions form")
    sent(first, attribute(form, "action"))
    assert second.ask("GET", "/settings", headers={"Accept": "text/html"}).status == 303
    shown(first, "/settings")


def test_a_token_is_shown_once_and_does_what_it_may(office: Here) -> None:
    dossier_id, other = office.dossier("tokens", "tom@example.org"), office.dossier("others", "tom@example.org")
    tom = office.person("tom@example.org")
    page = refused(tom, "/settings/tokens", name="backup")
    assert "no scope" in alert(page)
    assert attribute(page.css("#tokens input[name=name]")[0], "value") == "backup"
    made = sent(tom, "/settings/tokens", 200, name="backup", scopes=["read"], dossiers=[dossier_id], days=7)
    text = re.findall(r"vk_[A-Za-z0-9_-]+", made.body.decode())[0]
    program = Client(office.url, {"Authorization": f"Bearer {text}"})
    assert [one["id"] for one in program.get("/api/dossiers")] == [dossier_id]
    program.get(f"/api/dossiers/{other}/sources", 404)
    listed = shown(tom, "/settings")
    assert text not in (listed.html or "")
    assert "backup" in words(listed.css("#tokens tbody")[0])
    # Tokens make no tokens, and see no settings.
    assert program.ask("GET", "/settings", headers={"Accept": "text/html"}).status == 403
    assert program.ask("POST", "/settings/tokens", headers={"Accept": "text/html"}).status == 403
    (form,) = listed.css("#tokens tbody form")
    sent(tom, attribute(form, "action"))
    program.get("/api/dossiers", 401)


def test_an_assistant_is_given_this_address(office: Here) -> None:
    page = shown(office.person("ada@example.org"), "/settings")
    assert f'"url": "{office.url}/mcp"' in words(page.css("#assistant")[0])
    assert f"{office.url}/add?text=" in attribute(page.css("#bookmark input")[0], "value")


def test_an_owner_says_which_answers_a_dossier_keeps(office: Here) -> None:
    dossier_id = office.dossier("kept", "own@example.org")
    own, guest = office.person("own@example.org"), office.person("guest@example.org")
    office.give("guest@example.org", dossier_id, Role.EDITOR)
    home = f"/d/{dossier_id}/settings"
    assert words(shown(own, home).css("select[name=keep_raw] option[selected]")[0]) == "none"
    sent(own, f"{home}/keep-raw", keep_raw="last")
    assert words(shown(own, home).css("select[name=keep_raw] option[selected]")[0]) == "last"
    assert not shown(guest, home).css("select[name=keep_raw]")
    sent(guest, f"{home}/keep-raw", 404, keep_raw="none")
    sent(own, f"{home}/keep-raw", 400, keep_raw="some")


def test_a_dossier_is_renamed_shared_and_left(office: Here) -> None:
    dossier_id, _ = office.dossier("shared", "own@example.org"), office.dossier("taken", "own@example.org")
    own, guest = office.person("own@example.org"), office.person("guest@example.org")
    home = f"/d/{dossier_id}/settings"
    assert "already" in alert(refused(own, f"{home}/name", name="taken"))
    sent(own, f"{home}/name", name="better")
    assert "better" in words(shown(own, home).css("h1")[0])
    unknown = refused(own, f"{home}/members", email="ghost@example.org", role="editor")
    assert "ghost@example.org" in alert(unknown)
    assert attribute(unknown.css("form.card input[name=email]")[0], "value") == "ghost@example.org"
    sent(own, f"{home}/members", email="guest@example.org", role="reader")
    page = shown(guest, home)
    assert "guest@example.org" in words(page)
    assert not page.css("form[action$='/delete'], form[action$='/name'], form[action$='/members']")
    sent(guest, f"{home}/members", 404, email="guest@example.org", role="owner")
    sent(guest, f"{home}/delete", 404, name="better")
    (mine,) = [one for one in shown(own, home).css("form[action$='/remove']") if "Leave" in words(one)]
    assert "last owner" in alert(refused(own, attribute(mine, "action")))
    (leave,) = [attribute(form, "action") for form in page.css("form[action$='/remove']")]
    assert sent(guest, leave).headers["location"] == "/"
    shown(guest, home, 404)


def test_a_dossier_is_deleted_by_typing_its_name(office: Here) -> None:
    dossier_id = office.dossier("precious")
    ada = office.person("ada@example.org")
    page = refused(ada, f"/d/{dossier_id}/settings/delete", name="precous")
    assert "Nothing is deleted" in alert(page)
    assert "precious" in words(shown(ada, "/"))
    sent(ada, f"/d/{dossier_id}/settings/delete", name="precious")
    shown(ada, f"/d/{dossier_id}", 404)


@pytest.mark.covers("R-214")
def test_people_are_added_by_a_link_and_removed(office: Here, boss: Client) -> None:
    assert alert(refused(boss, "/users", email="not an address"))
    made = sent(boss, "/users", 200, email="neu@example.org", name="Neu")
    link = re.findall(rf"{office.url}/setup\?token=[\w-]+", made.body.decode())[0]
    assert link not in (shown(boss, "/users").html or "")
    where = urlsplit(link)
    came = office.anonymous().ask("POST", f"{where.path}?{where.query}")
    assert came.status == 200
    neu = Client(office.url, {"Cookie": re.findall(r"sid=[^;]+", came.headers["set-cookie"])[0]})
    shown(neu, "/settings")
    for path in ("/users", "/audit"):
        shown(neu, path, 403)
    assert "already" in alert(refused(boss, "/users", email="neu@example.org"))
    with office.program() as app:
        user_id = app.accounts.users.find(app.accounts.local(), "neu@example.org").id
    sent(boss, f"/users/{user_id}/admin", value="1")
    assert neu.ask("GET", "/settings", headers={"Accept": "text/html"}).status == 303
    sent(boss, f"/users/{user_id}/remove")
    assert "removed" in words(shown(boss, "/users"))


def test_the_last_administrator_stays(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Here(tmp_path_factory.mktemp("lonely")) as office:
        boss = office.person(BOSS, is_admin=True)
        office.person("user@example.org")
        actions = [attribute(one, "action") for one in shown(boss, "/users").css("form[action$='/remove']")]
        told = [alert(refused(boss, action)) for action in actions if _is_boss(office, action)]
        assert told == ["The last administrator stays: make somebody else one first."]


def _is_boss(office: Here, action: str) -> bool:
    with office.program() as app:
        return app.accounts.users.find(app.accounts.local(), BOSS).id in action


def test_what_was_done_is_gone_through_page_by_page(office: Here, boss: Client) -> None:
    with office.program() as app:
        local = app.accounts.local()
        for n in range(230):
            local.log("test.line", n=n, note="<script>alert(1)</script>")
    seen: list[str] = []
    path = "/audit"
    while path:
        page = shown(boss, path)
        assert not page.css("td script")
        seen += re.findall(r"\bn: (\d+)", words(page))
        older = page.css(".pager a[rel=next]")
        path = older[0].attributes["href"] or "" if older else ""
    assert [int(one) for one in seen] == list(range(229, -1, -1))


def test_owners_see_what_was_done_in_their_dossier(office: Here) -> None:
    dossier_id = office.dossier("logged", "own@example.org")
    office.person("guest@example.org")
    office.give("guest@example.org", dossier_id, Role.EDITOR)
    assert "dossier.create" in words(shown(office.person("own@example.org"), f"/d/{dossier_id}/audit"))
    shown(office.person("guest@example.org"), f"/d/{dossier_id}/audit", 404)


def test_a_link_that_was_used_says_so(office: Here) -> None:
    office.person("lin@example.org")
    with office.program() as app:
        link = app.accounts.setup_link(app.accounts.local(), "lin@example.org")
    anybody = office.anonymous()
    assert send(anybody, f"/setup?token={link}").status == 303
    again = send(anybody, f"/setup?token={link}")
    assert again.status == 401
    assert b"This link was used, or its time is over: ask for another." in again.body
    assert b"/login" in again.body


def test_whoever_does_not_manage_the_service_is_told_so_in_words(office: Here) -> None:
    page = seen(office.person("ned@example.org"), "/admin", 403)
    assert "Only administrators of this service see this page." in one(page, "main").text()
    assert page.css_first("input[name=q]") is not None


def test_the_first_user_logs_in_by_a_name_that_is_no_address(office: Here) -> None:
    field = one(seen(office.anonymous(), "/login"), "input[name=email]")
    assert field.attributes.get("type", "text") == "text", "a browser would refuse `owner`"


def test_whoever_was_logged_out_comes_back_to_the_page_whose_form_they_sent(office: Here) -> None:
    anybody = office.anonymous()
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Referer": f"{office.url}/settings?x=1"}
    led = [
        anybody.ask(
            "POST", "/settings/name", b"name=x", headers | {"Content-Type": "application/x-www-form-urlencoded"}
        )
    ]
    led.append(anybody.ask("POST", "/settings/name", b"", headers | {"Referer": "https://elsewhere.example/settings"}))
    led.append(anybody.ask("GET", "/kept", headers={"Accept": "text/html"}))
    assert [one.headers["location"] for one in led] == ["/login?next=/settings%3Fx%3D1", "/login", "/login?next=/kept"]


def test_what_a_form_far_down_says_is_in_view(browser: Browser, office: Here) -> None:
    dossier_id = office.dossier("kept")
    with visitor(browser, office, viewport=PHONE) as page:
        page.goto(f"/d/{dossier_id}/settings")
        page.get_by_label("Rule").fill("last 2")
        page.get_by_role("button", name="Show what it would do").click()
        expect(page.locator("#retention").get_by_role("status")).to_be_in_viewport()
