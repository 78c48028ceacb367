"""The extension of browsers, loaded in Chromium: watch a part of a page, see it on the button, open the change."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Worker, expect

from browsing import CHROMIUM
from service import Client, Here
from world import Site

FOLDER = Path(__file__).parents[2] / "extension"


@contextmanager
def _loaded(folder: Path, browser: Browser) -> Iterator[tuple[BrowserContext, Worker, str]]:
    """Chromium with the extension, and with the permission that its users are asked for when they save the options."""
    extension = folder / "extension"
    shutil.copytree(FOLDER, extension)
    manifest = json.loads((extension / "manifest.json").read_text())
    manifest["host_permissions"] = ["http://127.0.0.1/*"]
    (extension / "manifest.json").write_text(json.dumps(manifest))
    context = browser.browser_type.launch_persistent_context(
        folder / "profile",
        executable_path=CHROMIUM,
        headless=False,
        chromium_sandbox=os.geteuid() != 0,
        args=[
            "--headless=new",
            "--disable-dev-shm-usage",
            f"--disable-extensions-except={extension}",
            f"--load-extension={extension}",
        ],
    )
    worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
    yield context, worker, worker.url.removesuffix("/background.js")
    context.close()


def _badge(worker: Worker, tab: int) -> str:
    return str(worker.evaluate("(tabId) => chrome.action.getBadgeText({ tabId })", tab))


def test_it_asks_for_little() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    assert manifest["manifest_version"] == 3
    assert set(manifest["permissions"]) == {"activeTab", "scripting", "storage"}
    assert "host_permissions" not in manifest
    named = [
        manifest["background"]["service_worker"],
        manifest["action"]["default_popup"],
        manifest["options_ui"]["page"],
    ]
    assert all((FOLDER / name).is_file() for name in named)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path / "office") as running:
        yield running


def _page_with(price: str) -> str:
    return (
        "<html lang=en><title>Shop</title><main><h1>Shop</h1><div class=box><p>Tea is fine.</p>"
        f"<p class=price>Tea costs {price} EUR today.</p></div><p>Visitors: many, and a line of other words.</p>"
        "<shop-lamp><template shadowrootmode=open><p>The lamp is lit.</p></template></shop-lamp></main>"
    )


def _popup(context: BrowserContext, home: str, tab: int) -> Page:
    """The popup, in a tab of its own: a browser without a screen has no button to click."""
    page = context.new_page()
    page.goto(f"{home}/popup.html?tab={tab}")
    return page


def _set_up(context: BrowserContext, home: str, office: Here, dossier: str) -> Client:
    """Save the options with a token for one dossier; the program that has it."""
    robot = office.robot("ada@example.org", "read", "write", dossiers=[dossier])
    options = context.new_page()
    options.goto(f"{home}/options.html")
    options.fill("[name=url]", office.url)
    options.fill("[name=token]", robot.headers["Authorization"].removeprefix("Bearer "))
    options.click("button")
    expect(options.locator("#told")).to_have_text("Saved.")
    return robot


def _parts(robot: Client, dossier: str) -> set[str]:
    """The selectors of all sources."""
    sources = robot.get(f"/api/dossiers/{dossier}/sources")
    return {selector for one in sources for selector in json.loads(one["config_json"])["selectors"]}


def _point(popup: Page, shop: Page, part: str = ".price", state: str = "This page is not watched.") -> None:
    expect(popup.locator("#state")).to_have_text(state)
    popup.click("#part")
    shop.bring_to_front()
    shop.hover(part)
    expect(shop.locator("#veille-picker")).to_be_visible()
    shop.click(part)
    expect(shop.locator("#veille-told")).to_have_text("veille watches this part.")


def test_a_part_is_watched_seen_on_the_button_and_its_change_opened(
    office: Here, browser: Browser, tmp_path: Path
) -> None:
    with Site() as site, _loaded(tmp_path, browser) as (context, worker, home):
        site["/shop"] = _page_with("12.50")
        dossier = office.dossier("Shops")
        robot = _set_up(context, home, office, dossier)
        shop = context.new_page()
        shop.goto(f"{site.url}/shop")
        tabs = worker.evaluate("() => chrome.tabs.query({})")
        tab = next(one["id"] for one in tabs if one.get("url", "").endswith("/shop"))
        assert _badge(worker, tab) == ""
        _point(_popup(context, home, tab), shop)
        assert _parts(robot, dossier) == {"p.price"}
        assert _badge(worker, tab) == "✓"
        office.look(dossier)
        site["/shop"] = _page_with("13.90")
        office.look(dossier)
        popup = _popup(context, home, tab)
        expect(popup.locator("#state")).to_have_text("This page is watched.")
        assert _badge(worker, tab) == "1"
        change = popup.locator(".change")
        expect(change).to_contain_text("13.90")
        expect(change).not_to_contain_text("Visitors")
        name, _, value = office.person("ada@example.org").headers["Cookie"].partition("=")
        context.add_cookies([{"name": name, "value": value, "url": office.url}])
        with context.expect_page() as opened:
            change.click()
        expect(opened.value.locator("ins").first).to_contain_text("13.90")
        expect(opened.value.locator("del").first).to_contain_text("12.50")
        # In a component with a document of its own, all of the component is meant.
        shop.reload()
        _point(_popup(context, home, tab), shop, "shop-lamp p", "This page is watched.")
        assert _parts(robot, dossier) == {"p.price", "shop-lamp"}


def test_what_others_watch_is_not_told(office: Here) -> None:
    with Site() as site:
        site["/shop"] = _page_with("12.50")
        dossier = office.dossier("Shops")
        office.watch(dossier, f"{site.url}/shop")
        ada, bob = office.person("ada@example.org"), office.person("bob@example.org")
        for url in (f"{site.url}/shop", f"{site.url}/shop#part"):
            [found] = ada.get("/api/watched", url=url)["watched"]
            assert (found["dossier"], found["unread"], found["change"]) == ("Shops", 0, None)
            assert bob.get("/api/watched", url=url) == {"watched": []}
        for odd in (f"{site.url}/other", "nonsense", "javascript:1", "http://[", ""):
            assert ada.get("/api/watched", url=odd) == {"watched": []}
