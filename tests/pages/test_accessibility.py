"""What machines can check of what people need who see, hear or move differently: axe-core, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from browsing import PHONE, visitor
from service import Here
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
PAGES = (
    "/",
    "/d/{d}",
    "/d/{d}/figures",
    "/d/{d}/add",
    "/d/{d}/catalogue",
    "/d/{d}/opml",
    "/now",
    "/dossiers/new",
)
_RUN = "() => axe.run(document, { resultTypes: ['violations'] })"


@pytest.fixture(scope="module")
def places(office: Here) -> Iterator[dict[str, str]]:
    """A dossier in which something of everything is."""
    with Site() as site:
        dossier_id = office.dossier("all kinds")
        for name in ("one", "two"):
            site.article(f"/{name}", f"About {name}", " ".join(f"{name}{number}" for number in range(90)))
            office.watch(dossier_id, f"{site.url}/{name}")
        office.watch(dossier_id, f"{site.url}/missing")
        office.look(dossier_id)
        site.article("/one", "About one", " ".join(f"one{number}" for number in range(80)))
        office.look(dossier_id)
        yield {"d": dossier_id}


@pytest.mark.parametrize(("scheme", "viewport"), [("light", None), ("dark", PHONE)], ids=["light", "dark, on a phone"])
def test_axe_finds_nothing_serious(
    browser: Browser, office: Here, places: dict[str, str], scheme: str, viewport: dict[str, int] | None
) -> None:
    given: dict[str, Any] = {"color_scheme": scheme} | ({"viewport": viewport} if viewport else {})
    found = []
    with visitor(browser, office, **given) as page:
        for path in PAGES:
            page.goto(path.format(**places))
            page.evaluate(AXE)
            for violation in page.evaluate(_RUN)["violations"]:
                if violation["impact"] in {"serious", "critical"}:
                    found += [(path, violation["id"], node["html"][:200]) for node in violation["nodes"]]
    assert not found
