from __future__ import annotations

import json
from itertools import pairwise

import pytest
from selectolax.lexbor import LexborHTMLParser

from samples import NOW
from veille.core.change.reading import findings
from veille.core.kinds import kind_of
from veille.core.models import Json, Request, Source
from veille.core.pick.finding import part_of
from veille.core.pick.flat import FlatPage
from veille.core.traffic import Payload
from veille.core.values.availability import read_availability
from veille.core.values.changing import changing_numbers
from veille.core.values.comparing import compare
from veille.core.values.near import value_near
from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueType
from veille.core.values.versions import version_key
from veille.errors import ConfigError

URL = "https://shop.example/tea"
OFFER = {"price": "12.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
TEA = {"@type": "Product", "name": "Green tea", "offers": OFFER}


def _read(html: str, config: Json | None = None, kind: str = "page", media_type: str = "text/html") -> dict[str, str]:
    source = Source(id="s", name="tea", kind=kind, url=URL, config=config or {})
    payload = Payload(url=URL, final_url=URL, status=200, media_type=media_type, body=html.encode(), fetched_at=NOW)
    found = findings(source, Request(id="r", source_id="s", url=URL), payload)
    read = {value.name: value.text for document in found.documents for value in document.values}
    return read | {notice.about: notice.code for notice in found.notices if notice.code == "value_missing"}


def _page(*items: Json, body: str = "") -> str:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(item)}</script>' for item in items)
    return f"<html><head><title>Green tea</title>{scripts}</head><body><p>Tea from the hills.</p>{body}</body></html>"


def test_price_and_availability_of_a_product_are_found_without_being_asked() -> None:
    assert _read(_page(TEA)) == {"price": "12.90 EUR", "availability": "in stock"}
    assert _read(_page(TEA), {"offers": False}) == {}


def test_a_page_that_lists_products_has_no_price() -> None:
    others = [TEA | {"name": f"Tea {number}"} for number in range(30)]
    assert _read(_page(*others)) == {}
    assert _read(_page({"@type": "ItemList", "itemListElement": others})) == {}


def test_related_products_do_not_hide_the_one_of_the_page() -> None:
    related = [TEA | {"name": "Cup", "offers": OFFER | {"price": "3"}}]
    assert _read(_page(TEA | {"isRelatedTo": related}))["price"] == "12.90 EUR"


def _pointing_at(html: str, *texts: str) -> Json:
    """The options of a source that watches the innermost elements with these texts."""
    page = FlatPage(LexborHTMLParser(html))
    found = [max(n for n in range(len(page)) if page.text(n) == text) for text in texts]
    return {"parts": [part_of(page, n).model_dump() for n in found]}


def test_a_price_that_was_pointed_at_is_a_value() -> None:
    body = '<s>15.00 EUR</s> <b class="now">13.50 EUR</b> <i>412 cm</i> <u>Only 4 left, be quick</u>'
    html = _page(TEA, body=body)
    assert _read(html, _pointing_at(html, "13.50 EUR"))["price"] == "13.50 EUR", "not what the page says of itself"
    assert _read(html, _pointing_at(html, "13.50 EUR") | {"values": {"price": "s"}})["price"] == "15.00 EUR"
    assert _read(html, _pointing_at(html, "13.50 EUR") | {"offers": False}) == {}
    assert _read(html, _pointing_at(html, "412 cm"))["number"] == "412 cm"
    assert "number" not in _read(html, _pointing_at(html, "Only 4 left, be quick"))
    assert _read(html, _pointing_at(html, "15.00 EUR", "13.50 EUR"))["price"] == "12.90 EUR", "which one, of two?"


def test_values_are_found_by_selector_xpath_and_the_words_around_them() -> None:
    body = '<b class="cost">nur 1.299,00 \u20ac</b><p>Ships in port: 12</p><i data-v="v2.0-rc1"></i>'
    asked = {
        "price": ".cost",
        "ships": "Ships in port: {}",
        "release": {"selector": "i", "attribute": "data-v"},
        "cost": "//b",
        "lost": ".gone",
    }
    assert _read(_page(TEA, body=body), {"values": asked}) == {
        "availability": "in stock",
        "price": "1299.00 EUR",
        "release": "2.0-rc1",
        "cost": "1299.00 EUR",
        "ships": "12",
        "lost": "value_missing",
    }


def test_values_of_an_api_are_found_by_path() -> None:
    answer = json.dumps({"rate": 1.5, "items": [{"title": "Tea", "cost": {"amount": 12.9}, "tags": ["a", "b"]}]})
    asked = {"price": "cost.amount", "rate": "$.rate", "tags": {"path": "tags", "type": "count"}, "none": "nowhere"}
    config = {"result_path": "items", "values": asked}
    assert _read(answer, config, "api", "application/json") == {
        "price": "12.90",
        "rate": "1.5",
        "tags": "2",
        "none": "value_missing",
    }


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("page", {"price": "p:::"}),
        ("page", {"price": {"xpath": "//["}}),
        ("page", {"price": {"path": "a.b"}}),
        ("api", {"price": {"selector": ".a"}}),
        ("page", {"price": {}}),
        ("page", {"price": {"selector": "a", "near": "b {}"}}),
        ("page", {"": ".a"}),
        ("page", {"1": ".a"}),
    ],
)
def test_a_definition_that_can_never_work_is_refused(kind: str, values: Json) -> None:
    with pytest.raises(ConfigError):
        kind_of(kind, {"values": values}).check()


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("http://schema.org/SoldOut", "out of stock"),
        ("In stock", "in stock"),
        ("Derzeit nicht verfügbar", "out of stock"),
        ("Sofort lieferbar", "in stock"),
        ("Nur noch 3 auf Lager", "limited"),
        ("En stock", "in stock"),
        ("Rupture de stock", "out of stock"),
        ("Précommande", "preorder"),
        ("Agotado", "out of stock"),
        ("Disponible", "in stock"),
        ("Non disponibile", "out of stock"),
        ("Esaurito", "out of stock"),
        ("Vorbestellbar", "preorder"),
        ("Discontinued", "discontinued"),
        ("On backorder", "backorder"),
        ("Only 2 left", "limited"),
        ("A nice tea", ""),
    ],
)
def test_availability_is_read_in_the_words_of_shops(text: str, state: str) -> None:
    assert read_availability(text) == state


def test_versions_are_ordered_as_they_were_released() -> None:
    ordered = ["1.9", "1.10-dev", "1.10a1", "1.10-beta.2", "v1.10-rc1", "1.10", "1.10.post1", "1.10.1", "2"]
    keys = [version_key(one) for one in ordered]
    assert all(one is not None and other is not None and one < other for one, other in pairwise(keys))
    assert version_key("1.0") == version_key("v1.0.0")


def _value(text: str, kind: ValueType | None = None) -> Value:
    found = value_of("x", text, kind)
    assert found is not None
    return found


def test_values_are_compared_where_that_means_something() -> None:
    assert compare(_value("12 €"), _value("13,50 €")) == -1
    assert compare(_value("12 €"), _value("$12")) is None
    assert compare(_value("12 €"), _value("12", ValueType.NUMBER)) == 0
    assert compare(_value("in stock"), _value("sold out")) == 1
    assert compare(_value("3.11.2"), _value("3.9.0")) == 1
    assert compare(_value("2026-03-01"), _value("1 May 2026")) == -1
    assert compare(_value("in stock"), _value("12 €")) is None


def test_the_numbers_that_change_are_offered_with_words_that_find_them_again() -> None:
    before = "Harbour\nShips in port: 12\nPrice: 1.299,00 \u20ac incl. VAT\nStars\n4512\nUpdated 12:30\nCranes: 5"
    after = "Harbour\nShips in port: 14\nPrice: 1.199,00 \u20ac incl. VAT\nStars\n4519\nUpdated 12:35\nCranes: 5"
    found = changing_numbers([before, after])
    assert [(one.name, one.before.text, one.after.text) for one in found] == [
        ("ships in port", "12", "14"),
        ("price", "1299.00 EUR", "1199.00 EUR"),
        ("stars", "4512", "4519"),
    ]
    for one in found:
        edited = "News of today\n" + after.replace("Ships in port", "Ships now in port")
        value = value_near(one.name, edited, one.wish.near, one.wish.type)
        assert value is not None
        assert value.text == one.after.text
