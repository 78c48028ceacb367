"""Reports of what was done in the background are there after the service was started anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from forms import ADA, Person, one, seen, send
from service import Client, Here
from veille.core.access.access import Role
from veille.core.report.imports import ImportReport
from world import Site

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
        assert "import it again" in one(left, "[role=alert]").text()
        assert left.css("[data-finished]"), "nobody waits for it any longer"
        links = [link.attributes["href"] for link in seen(ada.client, here).css("section[aria-labelledby=earlier] a")]
        assert links == [f"{here}/killed", path]
        bob = office.person("bob@example.org")
        office.give("bob@example.org", dossier_id, Role.EDITOR)
        seen(bob, path, 404)
        assert not seen(bob, here).css("section[aria-labelledby=earlier]"), "a report is for whoever asked for it"


def _main(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]


@pytest.mark.covers("R-177", "R-214")
def test_what_the_last_sweep_found_outlives_the_service(tmp_path: Path, site: Site) -> None:
    with Here(tmp_path) as office:
        theirs, hers = office.dossier("theirs", "ben@example.org"), office.dossier("hers", ADA)
        for dossier_id, name in ((theirs, "Back"), (hers, "<b>Gone")):
            office.watch(dossier_id, f"{site.url}/{name[-4:]}", name=name)
            office.look(dossier_id)
        ada = office.person(ADA)
        assert "There was none yet." in one(seen(ada, "/admin"), "section.card").text()
        site.article("/Back", "Back", " ".join(f"word{n}" for n in range(90)))
        assert send(ada, "/admin/sweep").status == 303
        while not (rows := _swept(ada)):
            pass
    with Here(tmp_path) as office:
        ada = office.person(ADA)
        assert _swept(ada) == rows
        assert rows[0] == ["Back", "theirs", "200", "ok reset"]
        assert rows[1][0].startswith("<b>GoneThere is nothing at this address"), "it says why"
        assert rows[1][1:] == ["hers", "404", "still error"]
        page = seen(ada, "/admin")
        assert "2 asked, 1 answers again" in one(page, "section.card").text()
        links = [link.attributes["href"] for link in page.css("section[aria-labelledby=swept] a")]
        assert [link and link.split("/")[2] for link in links] == [hers], "what is in theirs is not hers to open"


def _swept(admin: Client) -> list[list[str]]:
    rows = seen(admin, "/admin").css("section[aria-labelledby=swept] tbody tr")
    return [[" ".join(cell.text().split()) for cell in row.css("td")] for row in rows]
