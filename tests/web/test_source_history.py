from __future__ import annotations

import pytest

from forms import ADA, seen
from service import Here
from world import Site


@pytest.mark.covers("R-214", "R-217")
def test_the_history_of_a_source_goes_back_to_its_first_check(office: Here, site: Site) -> None:
    names = [f"/p{n:03}" for n in range(120)]
    site.feed("/feed", [(name, f"Title {name}", f"About {name} " * 20) for name in names])
    dossier_id = office.dossier("long")
    wish = {"kind": "feed", "config": {"follow_links": False, "max_entries": 200}}
    source_id = office.watch(dossier_id, f"{site.url}/feed", **wish)
    office.look(dossier_id)
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}"
    told: list[str] = []
    pages = 0
    while path:
        page = seen(ada, path)
        told += [row.text(strip=True) for row in page.css("[aria-label=History] td.what > a")]
        following = page.css_first("a[rel=next]")
        path = following.attributes["href"] or "" if following else ""
        pages += 1
    assert sorted(told) == [f"Title {name}" for name in names]
    assert pages == 3
    assert "nothing older" in seen(ada, f"/d/{dossier_id}/sources/{source_id}/history?before=1.1").text()
