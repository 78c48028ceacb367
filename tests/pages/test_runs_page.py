from __future__ import annotations

from forms import ADA, one, seen
from service import Here
from world import Site


def test_a_long_report_is_read_page_by_page_with_subtotals_that_are_true(office: Here, site: Site) -> None:
    site.feed("/many.rss", [(f"/{n}", f"Entry {n}", f"<p>Text of {n}") for n in range(130)])
    dossier_id = office.dossier("reported")
    office.watch(dossier_id, f"{site.url}/many.rss", name="Many", config={"max_entries": 130})
    office.watch(dossier_id, f"{site.url}/gone", name="Gone")
    office.look(dossier_id)
    ada = office.person(ADA)
    row = one(seen(ada, f"/d/{dossier_id}/runs"), "tbody tr")
    assert [cell.text(strip=True) for cell in row.css("td")][2:4] == ["1", "130"]
    here = one(row, "a").attributes["href"] or ""
    page, found = seen(ada, here), []
    assert {link.text(strip=True) for link in page.css(".words a")} == {"all131", "error1", "new130"}
    by_source = [row.text(strip=True) for row in page.css("details tbody tr")]
    assert by_source == ["Gone1", "Many130"]
    while True:
        found += [one(row, ".title, .address").text() for row in page.css("tr[data-item]")]
        more = page.css_first("a[rel=next]")
        if more is None:
            break
        page = seen(ada, f"{here}{more.attributes['href']}")
    assert found[0] == f"{site.url}/gone"
    assert sorted(found[1:]) == sorted(f"Entry {n}" for n in range(130))
    only = seen(ada, f"{here}?change=error")
    assert [one(row, ".badge").text() for row in only.css("tr[data-item]")] == ["error"]
    source = (one(page, "td a[href*='/sources/']").attributes["href"] or "").rpartition("/")[2]
    assert len(seen(ada, f"{here}?source={source}&change=error").css("tr[data-item]")) == 0
    seen(ada, f"{here}?after=new.x", 400)
    seen(ada, f"/d/{dossier_id}/runs/none", 404)
