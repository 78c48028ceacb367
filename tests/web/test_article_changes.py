"""What changed in an article, as the page of a difference tells it."""

from __future__ import annotations

import pytest

from forms import ADA, seen
from service import Here
from veille.core.records import DocumentFilter
from world import Page, Site

FILLER = " ".join(f"word{n}" for n in range(90))


def _article(price: int, href: str) -> Page:
    body = f'<p>It costs {price} euros. {FILLER}</p><p>More is in <a href="{href}">the long report</a> of the year.</p>'
    return Page(f"<html><title>Prices</title><body><article><h1>Prices</h1>{body}</article></body></html>".encode())


@pytest.mark.covers("R-214")
def test_a_link_that_leads_elsewhere_is_told_and_never_leads_to_code(office: Here, site: Site) -> None:
    site["/a"] = _article(10, "/reports/1?a=1&b=2")
    dossier_id = office.dossier("links")
    office.watch(dossier_id, f"{site.url}/a")
    for price, href in ((11, "https://example.org/&quot;&gt;&lt;b&gt;2"), (12, "javascript:alert(1)")):
        office.look(dossier_id)
        site["/a"] = _article(price, href)
    office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        (line,), _ = store.records.lines(DocumentFilter(), None, 10)
    ada, here = office.person(ADA), f"/d/{dossier_id}/documents/{line.id}/diff"

    told = seen(ada, f"{here}?newer=2")
    (note,) = told.css(".diffed .relinked")
    assert not note.css("a")
    assert [one.text() for one in note.css("ins")] == ["https://example.org/%22%3E%3Cb%3E2"]
    assert [one.text() for one in note.css("del")] == [f"{site.url}/reports/1?a=1&b=2"]
    assert "data-change" in note.attributes, "it is walked to like any other change"
    assert "1 link elsewhere" in told.css("header .soft")[-1].text()

    (note,) = seen(ada, f"{here}?newer=3").css(".diffed .relinked")
    assert note.text().startswith("(no link any more, before: https://example.org/")
    assert "javascript" not in (note.html or "")
    assert not seen(ada, f"{here}?newer=3").css("[href^='javascript' i]")
