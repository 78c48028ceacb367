from __future__ import annotations

from forms import ADA, seen
from samples import STORY
from service import Here
from world import Site


def _tea(site: Site, price: str, stock: str) -> None:
    values = f"<b class=price>{price}</b> <i class=stock>{stock}</i>"
    site["/tea"] = f"<html><title>Tea &amp; more</title><main><p>{STORY}</p></main><footer>{values}</footer>"


def test_values_are_on_the_page_of_their_source_and_document_with_before_after_and_a_chart(
    office: Here, site: Site
) -> None:
    dossier_id = office.dossier("values")
    site["/plain"] = f"<title>Plain</title><main><p>No value. {STORY}</p></main>"
    config = {"values": {"price": ".price", "stock": ".stock"}}
    source_id = office.watch(dossier_id, f"{site.url}/tea", kind="page", config=config)
    plain_id = office.watch(dossier_id, f"{site.url}/plain", kind="page")
    _tea(site, "12.90 EUR", "in stock")
    office.look(dossier_id)
    ada, here = office.person(ADA), f"/d/{dossier_id}"
    page = seen(ada, f"{here}/sources/{source_id}")
    (values,) = page.css("[aria-labelledby=values]")
    assert "12.90 EUR" in values.text()
    assert "→" not in values.text()
    _tea(site, "11.50 EUR", "Sold out")
    office.look(dossier_id)
    page = seen(ada, f"{here}/sources/{source_id}")
    (values,) = page.css("[aria-labelledby=values]")
    price, stock = sorted(values.css("li"), key=lambda one: one.css("strong")[0].text())
    assert "12.90 EUR → 11.50 EUR" in price.text()
    assert "in stock → out of stock" in stock.text()
    assert [len(one.css("svg.chart")) for one in (price, stock)] == [1, 0], "a state is no number"
    (there,) = {str(one.attributes["href"]) for one in page.css(".items a.title")}
    assert "12.90 EUR → 11.50 EUR" in seen(ada, there).css("aside ul.values")[0].text()
    assert not seen(ada, f"{here}/sources/{plain_id}").css("[aria-labelledby=values]")
    found = ada.get(f"/api/dossiers/{dossier_id}/values", name="price")
    assert [one["text"] for one in found["points"]] == ["12.90 EUR", "11.50 EUR"]
    (value,) = found["values"]
    assert (value["number"], value["unit"], value["before"]) == (11.5, "EUR", "12.90 EUR")
    one = ada.get(f"/api/dossiers/{dossier_id}/sources/{plain_id}/values")
    assert one == {"trust": "untrusted", "values": [], "points": []}
