"""What changed in an article, as the page of a difference tells it."""

from __future__ import annotations

import pytest

from forms import ADA, one, seen
from paper import attribute
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
    assert [word.text() for word in note.css("ins")] == ["https://example.org/%22%3E%3Cb%3E2"]
    assert [word.text() for word in note.css("del")] == [f"{site.url}/reports/1?a=1&b=2"]
    assert "data-change" in note.attributes, "it is walked to like any other change"
    assert "1 link elsewhere" in told.css("header .soft")[-1].text()

    (note,) = seen(ada, f"{here}?newer=3").css(".diffed .relinked")
    assert note.text().startswith("(no link any more, before: https://example.org/")
    assert "javascript" not in (note.html or "")
    assert not seen(ada, f"{here}?newer=3").css("[href^='javascript' i]")


@pytest.mark.covers("R-066")
def test_a_change_of_metadata_alone_is_marked_and_leads_to_the_document(office: Here, site: Site) -> None:
    def manual(version: str, updated: str) -> Page:
        return Page(f"---\nversion: {version}\nupdated: {updated}\n---\n\n{FILLER}".encode(), type="text/markdown")

    dossier_id = office.dossier("metadata")
    site["/manual.md"] = manual("1.0", "2023-11-01")
    office.watch(dossier_id, f"{site.url}/manual.md")
    office.look(dossier_id)
    for version, updated in (("2.0", "2023-11-02"), ("2.0", "2023-11-03")):
        site["/manual.md"] = manual(version, updated)
        office.look(dossier_id)
    ada = office.person(ADA)
    # The document is unread, but metadata alone would not make it so.
    second, first = seen(ada, f"/d/{dossier_id}").css("[data-item]")
    assert "only version hint, modified at" in first.text()
    assert attribute(one(first, "a.title"), "href") == attribute(first, "data-document"), "no difference to show"
    assert "only" not in second.text()
    answer = ada.get(f"/api/dossiers/{dossier_id}/changes")
    named = [change["changed_metadata"] for change in answer["changes"]]
    assert named == [[], ["version_hint", "modified_at"], ["modified_at"]]
    (document,) = ada.get(f"/api/dossiers/{dossier_id}/documents")
    assert (document["revision"], document["last_modified"], document["meta"]["version_hint"]) == (
        1, 1_698_969_600_000, "2.0",
    )  # fmt: skip
