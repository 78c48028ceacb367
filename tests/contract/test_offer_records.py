from __future__ import annotations

from desk import Program, Store
from samples import NOW
from veille.core.discover.catalogue import Offer


def test_offers_are_listed_by_id_and_of_one_kind(program: Program) -> None:
    offers = program.offers
    assert offers.all("engine") == {}
    for offer_id in ("b", "a"):
        offers.put("engine", offer_id, {"id": offer_id, "name": "Ü", "more": [1, None]}, NOW)
    offers.put("source", "a", {"url": "https://example.org"}, NOW)
    assert list(offers.all("engine")) == ["a", "b"]
    assert offers.all("engine")["a"] == Offer(
        record={"id": "a", "name": "Ü", "more": [1, None]}, created_at=NOW, updated_at=NOW
    )
    assert list(offers.all("source")) == ["a"]


def test_an_offer_is_changed_withdrawn_and_forgotten(store: Store) -> None:
    here, there = store.program().offers, store.program().offers
    here.put("engine", "a", {"name": "one"}, NOW)
    there.put("engine", "a", {"name": "two"}, NOW + 1)
    assert here.all("engine") == {"a": Offer(record={"name": "two"}, created_at=NOW, updated_at=NOW + 1)}
    there.put("engine", "a", None, NOW + 2)
    assert here.all("engine") == {"a": Offer(record=None, created_at=NOW, updated_at=NOW + 2)}
    there.put("source", "a", {}, NOW)
    for _ in range(2):
        there.delete("engine", "a")
    assert here.all("engine") == {}
    assert here.all("source") == {"a": Offer(record={}, created_at=NOW, updated_at=NOW)}
