"""Steps on their page: tried in a browser, recorded from a picture of the page, saved; and pictures compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from browsing import serious
from service import Here
from veille.core.records import DocumentFilter
from world import Asked, Site
from world import Page as WebPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORDS = "The text that is shown to everybody who asks for more. " * 4
DOOR = f"""<!doctype html><title>Door</title><p>{"A few words on the door. " * 10}</p>
<form action=/inside><input name=user aria-label=User><input type=password name=pass><button>Go in</button></form>
<script>document.querySelector('form').addEventListener('submit', (event) => {{ event.preventDefault();
location = '/inside?user=' + document.querySelector('[name=user]').value; }});</script>"""


def test_steps_are_recorded_from_the_picture_tried_and_saved(page: Page, office: Here, site: Site) -> None:
    site["/door"] = DOOR
    site["/inside?user=anna"] = f"<title>Inside</title><main><p>{WORDS}</p></main>"
    dossier_id = office.dossier("steps")
    source_id = office.watch(dossier_id, f"{site.url}/door", kind="page")
    page.goto(f"/d/{dossier_id}/sources/{source_id}/edit")
    page.get_by_role("link", name="try and record steps").click()
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("link", name="field user").click()
    assert serious(page) == []
    steps = page.get_by_label("Steps", exact=True)
    expect(steps).to_have_value("type: input[name='user'] = ")
    steps.fill("type: input[name='user'] = anna")
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("link", name="button Go in").click()
    expect(steps).to_have_value("type: input[name='user'] = anna\nclick: text=Go in")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("The text that is shown")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The steps are saved.")).to_be_visible()
    with office.program() as app:
        kept = app.sources.find(dossier_id, source_id).config["steps"]
    assert kept == ["type: input[name='user'] = anna", "click: text=Go in"]


SECRET = "hunter2-very-secret"


def _shop(site: Site, price: str) -> None:
    """A shop whose prices are shown to those who are logged in."""

    def enter(asked: Asked) -> WebPage:
        is_right = asked.body == f"user=anna&pass={SECRET}".encode()
        cookie = {"Set-Cookie": "session=1; HttpOnly"} if is_right else {}
        return WebPage(
            b"", status=303, headers={"Location": "/members" if is_right else "/login", **cookie}, validates=False
        )

    def members(asked: Asked) -> WebPage:
        if "session=1" not in asked.headers.get("Cookie", ""):
            return WebPage(b"", status=302, headers={"Location": "/login"}, validates=False)
        told = f"<title>Members</title><main><h1>Prices</h1><p>Tea costs {price} EUR today.</p><p>{WORDS}</p></main>"
        return WebPage(told.encode(), validates=False)

    site["/login"] = (
        "<!doctype html><title>Log in</title><form method=post action=/enter><input name=user aria-label=User>"
        "<input type=password name=pass aria-label=Password><button>Log in</button></form>"
    )
    site.made["/enter"] = enter
    site.made["/members"] = members


def _watched_with_a_secret(page: Page, office: Here, site: Site) -> tuple[str, str]:
    """A dossier whose owner set the password of the shop on its page, and the source of it."""
    dossier_id = office.dossier("members")
    source_id = office.watch(dossier_id, f"{site.url}/members", kind="page", name="Prices for members")
    page.goto(f"/d/{dossier_id}/settings")
    form = page.locator("#secrets form.card")
    form.get_by_label("Name").fill("shop")
    form.get_by_label("Value").fill(SECRET)
    form.get_by_label("Hosts").fill(site.url.removeprefix("http://"))
    form.get_by_role("button", name="Keep").click()
    expect(page.locator("#secrets")).to_contain_text("shop")
    return dossier_id, source_id


def test_a_login_is_recorded_with_a_secret_and_what_changes_behind_it_stands_in_the_row(
    page: Page, office: Here, site: Site
) -> None:
    _shop(site, "12.90")
    dossier_id, source_id = _watched_with_a_secret(page, office, site)
    page.goto(f"/d/{dossier_id}/sources/{source_id}/steps")
    steps = page.get_by_label("Steps", exact=True)
    page.get_by_role("button", name="Try it").click()
    # What was typed stays when the next element is chosen; of a password, the name of its secret is typed.
    for link, typed in (("field user", "anna"), ("field password pass", "shop"), ("button Log in", "")):
        page.get_by_role("link", name=link).click()
        page.keyboard.type(typed)
    expect(steps).to_have_value(
        "type: input[name='user'] = anna\ntype: input[name='pass'] = ${secret:shop}\nclick: text=Log in"
    )
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("Tea costs 12.90 EUR today.")).to_be_visible()
    shown = page.content()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The steps are saved.")).to_be_visible()
    office.look(dossier_id)
    _shop(site, "13.90")
    office.look(dossier_id)
    page.goto(f"/d/{dossier_id}")
    row = page.locator(".item.row").first
    expect(row.locator(".body > .what del")).to_have_text("12.90")
    expect(row.locator(".body > .what ins")).to_have_text("13.90")
    assert SECRET not in shown + page.content()
    page.goto(f"/d/{dossier_id}/sources/{source_id}/edit")
    assert SECRET not in page.content()


def test_a_step_that_fails_is_shown_with_its_picture_and_a_wrong_one_with_its_line(
    page: Page, office: Here, site: Site
) -> None:
    site["/door"] = DOOR.replace("<button>", "<button disabled>")
    dossier_id = office.dossier("failing steps")
    source_id = office.watch(dossier_id, f"{site.url}/door", kind="page")
    page.goto(f"/d/{dossier_id}/sources/{source_id}/steps")
    page.get_by_label("Steps", exact=True).fill("accept\nclik: #a")
    page.seen.faults.clear()  # type: ignore[attr-defined]
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("line 2: there is no step 'clik'. Did you mean click?")
    page.seen.faults.clear()  # type: ignore[attr-defined]  # the status 400 of a form that is not right
    page.get_by_label("Steps", exact=True).fill("open: /nothing")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("step 1 of 1 (open: /nothing): the page answers with status 404")
    picture = page.locator("svg.shot image")
    expect(picture).to_be_visible()
    answer = page.request.get(picture.get_attribute("href") or "")
    assert (answer.headers["content-type"], answer.body()[:4]) == ("image/png", b"\x89PNG")


def test_a_hostile_page_cannot_make_steps_or_markup_of_ours(page: Page, office: Here, site: Site) -> None:
    link = "<a href=/x id='&quot;><script>alert(1)</script>'>&lt;img src=x onerror=alert(1)&gt;</a>"
    many = "<script>for (let n = 0; n < 20000; n++) document.body.append(document.createElement('button'))</script>"
    lies = "CSS.escape = () => 'a\\nopen: https://elsewhere.example'; Math.round = () => 5e9"
    dossier_id = office.dossier("hostile steps")
    for number, body in enumerate((link + many, f"<a href=/y id=b>There</a><script>{lies}</script>")):
        site[f"/{number}"] = f"<!doctype html><title>Page</title><p>{WORDS}</p>{body}"
        source_id = office.watch(dossier_id, f"{site.url}/{number}", kind="page")
        page.goto(f"/d/{dossier_id}/sources/{source_id}/steps")
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("svg.shot image")).to_be_visible()
        found = page.locator("svg.shot a")
        assert found.count() == (300 if number == 0 else 0)
        if number == 0:
            found.first.click()
            assert "\n" not in page.get_by_label("Steps", exact=True).input_value()
    assert page.seen.dialogs == []  # type: ignore[attr-defined]


def test_pictures_are_compared_on_their_page(page: Page, office: Here, site: Site) -> None:
    def square(colour: str) -> WebPage:
        mark = f"<div style='width:300px;height:300px;background:{colour}'></div>"
        return WebPage(f"<!doctype html><title>Square</title><main><p>{WORDS}</p></main>{mark}".encode())

    site["/page"] = square("green")
    dossier_id = office.dossier("pictures")
    config = {"pictures": "page", "watch_picture": True}
    office.watch(dossier_id, f"{site.url}/page", kind="page", config=config)
    office.look(dossier_id)
    site["/page"] = square("red")
    office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        (line,) = store.records.lines(DocumentFilter(), None, 10)[0]
    assert line.rev_n == 2
    page.goto(f"/d/{dossier_id}/documents/{line.id}")
    page.get_by_role("link", name="The page in revision 2").click()
    expect(page.get_by_text("It looks different:")).to_be_visible()
    for name in ("The page in revision 1", "The page in revision 2", "What differs between revisions 1 and 2"):
        image = page.get_by_role("img", name=name)
        image.scroll_into_view_if_needed()
        page.wait_for_function("one => one.complete && one.naturalWidth > 0", arg=image.element_handle())
    over = page.locator("[data-over]")
    page.get_by_role("slider").fill("25")
    assert over.evaluate("one => one.style.clipPath") == "inset(0px 0px 0px 75%)"
    assert serious(page) == []
    page.goto(f"/d/{dossier_id}/documents/{line.id}/diff")
    expect(page.get_by_role("link", name="Pictures", exact=True)).to_be_visible()
    page.goto(f"/d/{dossier_id}")
    # The row has its picture, too: small, and not the whole one.
    small = page.get_by_role("img", name="The page in revision 2")
    page.wait_for_function("one => one.complete && one.naturalWidth === 184", arg=small.element_handle())
    page.locator("a.title", has_text="Square").first.focus()
    page.keyboard.press("o")
    for name in ("Before: the page in revision 1", "Now: the page in revision 2"):
        page.wait_for_function(
            "one => one.complete && one.naturalWidth > 0", arg=page.get_by_role("img", name=name).element_handle()
        )
