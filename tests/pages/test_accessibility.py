"""What machines can check of what people need who see, hear or move differently: axe-core, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from browsing import PHONE, serious, visitor
from service import Here
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = (
    "/",
    "/d/{d}",
    "/d/{d}/figures",
    "/d/{d}/sources",
    "/d/{d}/sources/{s}",
    "/d/{d}/sources/{s}/edit",
    "/d/{d}/trash",
    "/d/{d}/sources/{s}/steps",
    "/d/{d}/runs",
    "/d/{d}/runs/{run}",
    "/d/{d}/repairs",
    "/d/{d}/questions/new",
    "/d/{d}/engines",
    "/admin",
    "/hosts",
    "/d/{d}/add",
    "/d/{d}/catalogue",
    "/d/{d}/opml",
    "/now",
    "/dossiers/new",
    "/d/{d}/search?q=about",
    "/d/{d}/searches",
    "/d/{d}/ask",
    "/d/{d}/ask?q=What+is+said+about+one1",
    "/d/{d}/ask?q=What+changed+about+one85",
    "/d/{d}/settings",
    "/settings",
    "/data-protection",
    "/users",
    "/audit",
    "/kept",
    "/d/{d}/documents",
    "/d/{d}/documents/{document}",
    "/d/{d}/documents/{document}/diff",
    "/d/{d}/documents/{document}/diff?view=unified",
    "/d/{d}/documents/{document}/chunks",
    "/d/{d}/stories",
    "/d/{d}/digest",
    "/d/{d}/alerts",
    "/d/{d}/rules",
    "/d/{d}/rules/new",
    "/d/{d}/rules/{rule}/edit",
    "/d/{d}/shares",
    "/d/{d}/audit",
    "/d/{d}/questions",
    "/d/{d}/engines/new",
    "/search?q=about",
    "/ask",
    "/add",
    "/welcome",
    "/d/{d}/channels",
    "/d/{d}/exports",
    "/alerts",
    "/documents",
    "/sources",
    "/searches",
)


@pytest.fixture(scope="module")
def places(office: Here) -> Iterator[dict[str, str]]:
    """A dossier in which something of everything is."""
    with Site() as site:
        dossier_id = office.dossier("all kinds")
        for name in ("one", "two"):
            site.article(f"/{name}", f"About {name}", " ".join(f"{name}{number}" for number in range(90)))
            office.watch(dossier_id, f"{site.url}/{name}")
        source_id = office.watch(dossier_id, f"{site.url}/missing")
        office.look(dossier_id)
        with office.program() as app:
            # Its address takes nothing, so the channel stands on the page with its failure.
            wish = ChannelWish(name="Hook", kind="webhook", options={"url": f"{site.url}/nothing"})
            channel = app.channels.add(dossier_id, wish)
            rule = app.rules.add(dossier_id, RuleWish(expression="is changed", tell=(channel.id,)))
        site.article("/one", "About one", " ".join(f"one{number}" for number in range(80)))
        office.look(dossier_id)
        with office.program() as app, app.dossiers.open(dossier_id) as store:
            (document,) = (one.document_id for one in store.records.documents() if one.n > 1)
            (run, *_) = store.runs.recent(1)
        with office.program() as app:
            app.deliver([dossier_id])
        yield {"d": dossier_id, "document": document, "s": source_id, "run": run.id, "rule": rule.id}


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("scheme", "viewport"), [("light", None), ("dark", PHONE)], ids=["light", "dark, on a phone"])
def test_axe_finds_nothing_serious(
    browser: Browser, office: Here, places: dict[str, str], scheme: str, viewport: dict[str, int] | None
) -> None:
    given: dict[str, Any] = {"color_scheme": scheme} | ({"viewport": viewport} if viewport else {})
    found = []
    with visitor(browser, office, **given) as page:
        for path in PAGES:
            page.goto(path.format(**places))
            found += [(path, what) for what in serious(page)]
        page.goto("/d/{d}".format(**places))
        page.keyboard.press("j")
        page.keyboard.press("o")
        expect(page.locator(".opened").first).to_be_visible()
        found += [("an opened row", what) for what in serious(page)]
        page.context.clear_cookies()
        page.goto("/login")
        expect(page.get_by_label("Password")).to_be_visible()
        found += [("/login", what) for what in serious(page)]
    assert not found
