"""The pages as an app: what a browser needs to install it, its page without a network, and what is shared with it."""

from __future__ import annotations

import struct
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page, expect

from browsing import visitor
from paper import shown
from service import Here

_KEPT = """async () => {
    const kept = [];
    for (const name of await caches.keys()) {
        for (const request of await (await caches.open(name)).keys()) kept.push(new URL(request.url).pathname);
    }
    return kept;
}"""


def test_browsers_can_install_it_and_other_apps_share_with_it(page: Page, office: Here) -> None:
    page.goto("/settings")
    driver = page.context.new_cdp_session(page)
    problems = {one["errorId"] for one in driver.send("Page.getInstallabilityErrors")["installabilityErrors"]}
    assert problems <= {"in-incognito"}, "every browser of a test is one that forgets"
    found = driver.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = office.anonymous().get(urlsplit(found["url"]).path)
    for icon in manifest["icons"]:
        body = office.anonymous().ask("GET", icon["src"]).body
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", body[16:24])) == icon["sizes"]
    shared = manifest["share_target"]
    for sent in (
        {"title": "A page", "text": "See https://example.org/a?b=c&d=1. It is good", "url": ""},
        {"title": "A page", "text": "", "url": "https://example.org/a?b=c&d=1"},
    ):
        names = {shared["params"][name]: value for name, value in sent.items()}
        answer = office.person("ada@example.org").ask(shared["method"], shared["action"], None, None, **names)
        assert answer.status == 303
        where = urlsplit(answer.headers["location"])
        assert (where.path, parse_qs(where.query)) == ("/add", {"text": ["https://example.org/a?b=c&d=1"]})
    stranger = office.anonymous().ask("GET", "/share", None, {"Accept": "text/html"}, url="https://example.org/")
    assert stranger.headers["location"].startswith("/login?next=/share%3Furl"), "it is not lost by a login"


def test_without_a_network_there_is_a_page_and_nothing_private_is_kept(browser: Browser, office: Here) -> None:
    with visitor(browser, office) as page:
        page.goto("/settings")
        page.click("[data-install]")
        expect(page.locator("[data-install=done]")).to_be_visible()
        page.wait_for_function("() => navigator.serviceWorker.controller")
        page.goto("/")
        page.goto("/settings")
        kept = page.evaluate(_KEPT)
        assert "/offline" in kept
        assert all(path == "/offline" or path.startswith("/static/") for path in kept), kept
        page.context.set_offline(True)
        page.goto("/documents")
        expect(page.locator("h1")).to_have_text("There is no network")
        assert page.evaluate("() => getComputedStyle(document.body).margin") == "0px", "it has its style"
        page.context.set_offline(False)
        page.click("text=Try again")
        expect(page.locator("h1")).not_to_have_text("There is no network")
        page.goto("/settings")
        page.locator(".account summary").click()
        page.click("text=Log out")
        page.wait_for_url("**/login")
        page.wait_for_function("async () => !(await navigator.serviceWorker.getRegistrations()).length")
        assert page.evaluate(_KEPT) == []
        page.seen.faults[:] = [one for one in page.seen.faults if "INTERNET_DISCONNECTED" not in one]  # type: ignore[attr-defined]


def test_the_bookmark_can_be_dragged(office: Here) -> None:
    link = shown(office.person("ada@example.org"), "/settings").css("a[data-bookmark]")[0]
    assert link.attributes["href"] == (
        f"javascript:location.href='{office.url}/add?text='+encodeURIComponent(location.href)"
    )
