"""Reports of what was done in the background are there after the service was started anew."""

from __future__ import annotations

from pathlib import Path

from forms import ADA, Person, one, seen
from service import Here
from veille.core.access import Role
from veille.core.imports import ImportReport

OPML = (
    b'<opml version="2.0"><body><outline type="rss" text="Good" xmlUrl="https://example.org/a.rss"/>'
    b'<outline type="rss" text="&lt;b&gt;Bad" xmlUrl="javascript:alert(1)"/></body></opml>'
)


def test_the_report_of_a_list_outlives_the_service(tmp_path: Path) -> None:
    with Here(tmp_path) as office:
        dossier_id = office.dossier("listed", ADA)
        here = f"/d/{dossier_id}/opml"
        ada = Person(office.person(ADA))
        path = ada.led(ada.send_file(here, "opml", OPML))
        while "Done:" not in (first := ada.see(path)):
            pass
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        # As a service that was killed leaves it behind.
        user_id = store.imports.find(path.rpartition("/")[2]).user_id  # type: ignore[union-attr]
        store.imports.put(ImportReport(id="killed", user_id=user_id, begun_at=app.clock(), total=70))
    with Here(tmp_path) as office:
        ada = Person(office.person(ADA))
        again = ada.see(path)
        assert "Done: 2 of 2; 1 watched now, 0 already, 1 cannot be." in again
        assert _main(again) == _main(first)
        left = seen(ada.client, f"{here}/killed")
        assert one(left, "[role=status]").text().startswith("Left off: 0 of 70")
        assert "take it in again" in one(left, "[role=alert]").text()
        assert left.css("[data-finished]"), "nobody waits for it any longer"
        links = [link.attributes["href"] for link in seen(ada.client, here).css("section[aria-labelledby=earlier] a")]
        assert links == [f"{here}/killed", path]
        bob = office.person("bob@example.org")
        office.give("bob@example.org", dossier_id, Role.EDITOR)
        seen(bob, path, 404)
        assert not seen(bob, here).css("section[aria-labelledby=earlier]"), "a report is for whoever asked for it"


def _main(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]
