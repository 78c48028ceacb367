from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from forms import ADA, one, seen, send
from service import Here
from world import Page, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab


def test_an_administrator_sees_what_fails_everywhere_probes_and_sweeps(office: Here, page: Tab, site: Site) -> None:
    dossier_id = office.dossier("theirs", "ben@example.org")
    office.watch(dossier_id, f"{site.url}/gone", name="Gone")
    office.look(dossier_id)
    page.goto("/admin")
    row = page.get_by_role("region", name="Sources that fail").get_by_role("row").filter(has_text="Gone")
    expect(row).to_contain_text("theirs")
    # What is in a dossier of somebody else's is not for administrators to open.
    expect(row.locator("a")).to_have_count(0)
    page.get_by_role("textbox", name="Address").fill(f"{site.url}/gone")
    page.get_by_role("button", name="Probe").click()
    expect(page.locator("main [role=status]")).to_contain_text("There is nothing at this address")
    site.article("/gone", "Back", " ".join(f"word{n}" for n in range(90)))
    page.get_by_role("button", name="Sweep now").click()
    expect(page.locator("main [role=status]")).to_contain_text("are reset")

    found = page.get_by_role("region", name="What the last sweep found").get_by_role("row").filter(has_text="Gone")

    def swept() -> bool:
        page.reload()
        return found.count() == 1

    assert any(swept() for _ in range(100))
    expect(row).to_have_count(0)
    expect(found).to_contain_text("reset")
    expect(found.locator("a")).to_have_count(0)


def test_the_ledger_of_hosts_tells_what_was_spared(office: Here, site: Site) -> None:
    site.article("/a", "A", " ".join(f"word{n}" for n in range(90)))
    site["/slow"] = Page(b"", status=429, headers={"Retry-After": "600"}, validates=False)
    dossier_id = office.dossier("hosts")
    office.watch(dossier_id, f"{site.url}/a")
    office.look(dossier_id)
    office.look(dossier_id)
    office.watch(dossier_id, f"{site.url}/slow")
    office.look(dossier_id)
    ada = office.person(ADA, is_admin=True)
    row = one(seen(ada, "/hosts?which=paused"), "tbody tr")
    cells = [cell.text(strip=True) for cell in row.css("td")]
    assert cells[0] == site.url.removeprefix("http://")
    assert cells[2].endswith("%")
    assert cells[2] != "0 %"
    assert cells[-1].startswith("in 9 min")
    assert send(office.person("cem@example.org"), "/admin/sweep").status == 403
    seen(office.person("cem@example.org"), "/hosts", 403)
