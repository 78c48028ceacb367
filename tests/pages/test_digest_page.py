from __future__ import annotations

from urllib.parse import urlencode

import pytest
from selectolax.lexbor import LexborHTMLParser

from service import Client, Here
from world import Site

BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
FORM = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}
BODY = " ".join(f"word{n} of{n % 7} the{n % 11} harbour{n}" for n in range(90))


def _get(client: Client, path: str) -> LexborHTMLParser:
    answer = client.ask("GET", path, headers=BROWSER)
    assert answer.status == 200, answer.body[:500]
    return LexborHTMLParser(answer.body.decode())


def _texts(page: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text().split()) for node in page.css(selector)]


@pytest.mark.covers("R-241")
def test_what_happened_has_the_most_told_first_and_says_why(office: Here, site: Site) -> None:
    dossier_id = office.dossier("happened")
    for number in range(3):
        site.article(f"/s{number}", f"The story as {number} tells it", f"{BODY} and number {number} says so.")
    site.article("/lone", "A lone report of Acme", "Acme builds a tunnel, and nobody else reports it yet. " * 20)
    for path in ("/lone", "/s0", "/s1", "/s2"):
        office.watch(dossier_id, f"{site.url}{path}")
    office.look(dossier_id)
    ada = office.person("ada@example.org")
    home = f"/d/{dossier_id}/digest"
    first = _get(ada, home)
    titles = _texts(first, ".digest h2")
    assert len(titles) == 2
    assert titles[0].startswith("The story as")
    assert "2 other documents tell it" in _texts(first, ".digest details")[0]
    answer = ada.ask(
        "POST", f"{home}/brands", urlencode({"brands": "Acme\ntunnel\nreport\nbuilds a tunnel"}).encode(), FORM
    )
    assert answer.status == 303
    assert _texts(_get(ada, f"{home}?since=30d"), ".digest h2")[0] == "A lone report of Acme"
    bad = ada.ask("POST", f"{home}/brands", urlencode({"brands": "..."}).encode(), FORM)
    assert (bad.status, b"up to 50 brands" in bad.body) == (400, True)


@pytest.mark.covers("R-240")
def test_documents_that_are_analysed_as_they_come_say_on_their_page_what_they_are_about(
    office: Here, site: Site
) -> None:
    dossier_id = office.dossier("analysed")
    ada = office.person("ada@example.org")
    home = f"/d/{dossier_id}/digest"
    assert "when somebody runs veille analyse" in " ".join(_texts(_get(ada, home), "main"))
    assert ada.ask("POST", f"{home}/switch", b"value=true", FORM).status == 303
    assert "analysed as they come" in " ".join(_texts(_get(ada, home), "main"))
    text = "Angela Brown said in Rotterdam that the harbour bridge will be rebuilt. The harbour bridge was closed. " * 8
    site.article("/a", "The harbour bridge", text)
    office.watch(dossier_id, f"{site.url}/a")
    office.look(dossier_id)
    with office.program() as app:
        app.analyse_new([dossier_id])
        with app.dossiers.open(dossier_id) as store:
            (document,) = store.records.documents()
    page = _get(ada, f"/d/{dossier_id}/documents/{document.document_id}")
    aside = " ".join(_texts(page, "aside"))
    assert "In short Angela Brown said in Rotterdam" in aside
    assert "Angela Brown (person)" in aside
    answer = ada.get(f"/api/dossiers/{dossier_id}/documents/{document.document_id}/analysis")
    assert (answer["made_by"], answer["keywords"][0]) == ("rules", "harbour bridge")
    digest = ada.get(f"/api/dossiers/{dossier_id}/digest")
    assert [entry["title"] for entry in digest["entries"]] == ["The harbour bridge"]
