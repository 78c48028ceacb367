"""Everything leaves, in a browser and by the keyboard alone: an export, a dossier, one's own account."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from browsing import serious, visitor
from leavings import traces, unpacked
from people import PASSWORD
from service import Here
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

#: No page has more to step through.
_STEPS = 200


def _step_to(wanted: Locator) -> None:
    """Go there as somebody does who has no mouse."""
    for _ in range(_STEPS):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        wanted.page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached")


def _fill(field: Locator, text: str) -> None:
    _step_to(field)
    field.page.keyboard.press("Control+A")
    field.page.keyboard.type(text)


def _press(button: Locator) -> None:
    _step_to(button)
    button.page.keyboard.press("Enter")


def _refusals(page: Page) -> int:
    """How many forms were refused, which the browser says in its console."""
    faults: list[str] = page.seen.faults  # type: ignore[attr-defined]
    said = [one for one in faults if "status of 400" in one]
    faults[:] = [one for one in faults if one not in said]
    return len(said)


def _filled(office: Here, site: Site, name: str, email: str) -> str:
    """A dossier with a document whose title is its name, also in the buffer."""
    site.article(f"/{name}", name, f"The price of tea is 3.50 euros today, says the shop of {name}. " * 9)
    dossier_id = office.dossier(name, email)
    office.watch(dossier_id, f"{site.url}/{name}")
    office.look(dossier_id)
    with office.program() as app:
        app.deliver([dossier_id])
    assert traces(office.folder / "buffer", name)
    return dossier_id


def test_an_export_is_downloaded_whole(page: Page, office: Here, site: Site, tmp_path: Path) -> None:
    dossier_id = _filled(office, site, "saffron", "ada@example.org")
    for path, button, inside in (
        ("/data-protection", "Download everything", f"dossiers/saffron-{dossier_id[-8:]}/"),
        (f"/d/{dossier_id}/exports", "ZIP of JSON lines", ""),
    ):
        page.goto(path)
        with page.expect_download() as begun:
            _press(page.get_by_role("link", name=button))
        begun.value.save_as(tmp_path / begun.value.suggested_filename)
        assert begun.value.suggested_filename.endswith(".zip")
        _, found = unpacked(tmp_path / begun.value.suggested_filename)
        assert b"saffron" in found[f"{inside}revisions.jsonl"]


def test_a_dossier_is_deleted_by_typing_its_name(page: Page, office: Here, site: Site) -> None:
    dossier_id = _filled(office, site, "indigo", "ada@example.org")
    other = office.dossier("crimson")
    page.goto(f"/d/{dossier_id}/settings")
    field, button = page.get_by_label("Type indigo to delete it"), page.get_by_role("button", name="Delete for good")
    _fill(field, "crimson")
    _press(button)
    expect(page.get_by_role("alert")).to_contain_text("Nothing is deleted: type indigo")
    assert serious(page) == []
    _fill(field, "indigo")
    _press(button)
    page.wait_for_url(lambda url: dossier_id not in url)
    expect(page.locator("body")).to_contain_text("The dossier indigo is deleted.")
    assert _refusals(page) == 1
    assert traces(office.folder / "buffer", "indigo") == []
    left = {one["id"] for one in office.person("ada@example.org").get("/api/dossiers")}
    assert (dossier_id in left, other in left) == (False, True)


def test_users_delete_their_own_account(browser: Browser, office: Here, site: Site) -> None:
    email = "cleo@example.org"
    with office.program() as app:
        app.accounts.users.add(app.accounts.local(), email, "Cleo", PASSWORD)
    _filled(office, site, "ochre", email)
    with visitor(browser, office, email) as page:
        page.goto("/data-protection")
        expect(page.locator("#delete")).to_contain_text("deleted with it: ochre.")
        button = page.get_by_role("button", name="Delete my account")
        typed, password = page.get_by_label(f"Type {email} to delete it"), page.get_by_label("Your password")
        for name, secret, refused in (
            ("ada@example.org", PASSWORD, f"Nothing is deleted: type {email}"),
            (email, "not the password", "password"),
        ):
            _fill(typed, name)
            _fill(password, secret)
            _press(button)
            expect(page.get_by_role("alert")).to_contain_text(refused)
        assert serious(page) == []
        _fill(typed, email)
        _fill(password, PASSWORD)
        _press(button)
        page.wait_for_url("**/login")
        assert page.context.cookies() == []
        page.goto("/settings")
        assert "/login" in page.url
        assert _refusals(page) == 2
    with office.program() as app:
        assert email not in {one.email for one in app.accounts.users.all(app.accounts.local())}
        assert "ochre" not in {one.name for one in app.dossiers.all()}
    assert traces(office.folder / "buffer", "ochre") == []
