from __future__ import annotations

import pytest

import veille
from veille.services.reading.filling import fill

DOCUMENTS = [
    ("Bridge of the harbour", "The harbour has a bridge, says the harbour master of the harbour.", "en"),
    ("Museum", "A museum at the harbour opens, built by Acme Corporation for the town.", "en"),
    ("Fish", "Fish is sold near the harbour.", "en"),
]


@pytest.mark.covers("R-241")
def test_the_most_popular_hits_come_first_and_say_why(app: veille.App) -> None:
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, DOCUMENTS, app.clock())
    app.popular.set_brands(dossier, ["Acme Corporation"])
    best = app.searches.search([dossier], "harbour")
    assert best[0].title == "Bridge of the harbour"
    assert all(hit.why == () for hit in best)
    first, *others = app.searches.search([dossier], "harbour", order="popular")
    assert first.title == "Museum"
    assert first.why[0] == "names Acme Corporation (+1.5)"
    assert {hit.document_id for hit in (first, *others)} == {hit.document_id for hit in best}
    assert [hit.title for hit in app.searches.search([dossier], "harbour", 1, order="popular")] == ["Museum"]
    page = app.searches.find([dossier], "harbour", 0, 2, order="popular")
    assert page.hits[0].title == "Museum"
