"""What a page offers for sale, by its JSON-LD, microdata or metas: price and availability of its product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from veille.core.values.availability import rank_of, read_availability
from veille.core.values.currencies import CODES
from veille.core.values.numbers import read_figure
from veille.core.values.reading import of_number
from veille.core.values.value import Value, ValueType

PRICE, AVAILABILITY = "price", "availability"
Item = Mapping[str, Any]
_PLAIN: Final = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_LISTS: Final = frozenset({"ItemList", "OfferCatalog", "SearchResultsPage", "CollectionPage"})
#: In these, other things are named than the one that the page is about.
_ASIDE: Final = ("isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "itemListElement")
_MOST_OFFERS: Final = 100


def offered(items: Sequence[Item], url: str, title: str, metas: Mapping[str, Sequence[str]]) -> tuple[Value, ...]:
    """Price and availability of the one thing that a page is about; nothing if it lists several."""
    selling = [item for item in items if "offers" in item and _is_thing(item)]
    if selling:
        product = _main(selling, items, url, title)
        return _values(list(_offers(product["offers"]))) if product is not None else ()
    if any(one in metas for one in ("product:price:amount", "og:price:amount")):
        return _values([_of_metas(metas)])
    return ()


def _is_thing(item: Item) -> bool:
    return _types(item).isdisjoint({*_LISTS, "Organization", "WebSite", "WebPage", "Store", "LocalBusiness", "Brand"})


def _main(selling: list[Item], items: Sequence[Item], url: str, title: str) -> Item | None:
    """The product of the page: the only one, the one at its address, or the one that its title names."""
    aside = {id(one) for item in items for name in _ASIDE for one in _nested(item.get(name))}
    own = [item for item in selling if id(item) not in aside]
    if not own or (any(not _types(item).isdisjoint(_LISTS) for item in items) and len(selling) > 1):
        own = [item for item in selling if _names_page(item, url)]
    if len(own) > 1:
        named = [item for item in own if _names_page(item, url)] or [item for item in own if _is_named(item, title)]
        # The same product is often described twice, as JSON-LD and as microdata.
        own = named or (own if len({_name(item) for item in own}) == 1 and _name(own[0]) else [])
    return own[0] if own else None


def _names_page(item: Item, url: str) -> bool:
    return any(_bare(str(item.get(key) or "")) == _bare(url) for key in ("url", "@id", "mainEntityOfPage"))


def _bare(url: str) -> str:
    return re.sub(r"^https?://(?:www\.)?|[#?].*$", "", url).rstrip("/")


def _name(item: Item) -> str:
    return " ".join(str(item.get("name") or "").casefold().split())


def _is_named(item: Item, title: str) -> bool:
    return bool(_name(item)) and _name(item) in " ".join(title.casefold().split())


def _types(item: Item) -> set[str]:
    stated = item.get("@type")
    names = stated if isinstance(stated, list) else [stated]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


def _nested(value: Any) -> Iterator[Item]:
    """The objects in a value, at any depth."""
    left = [value]
    for one in left:
        if len(left) > _MOST_OFFERS * 20:
            return
        if isinstance(one, dict):
            yield one
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)


def _offers(value: Any) -> Iterator[Item]:
    for one in (value if isinstance(value, list) else [value])[:_MOST_OFFERS]:
        if isinstance(one, dict):
            # Of an aggregate the lowest price counts; without one, its single offers.
            if "offers" in one and "lowPrice" not in one and "price" not in one:
                yield from _offers(one["offers"])
            else:
                yield one


def _values(offers: list[Item]) -> tuple[Value, ...]:
    """The lowest price, and the best availability: that is what one can have."""
    prices = [price for price in map(_price, offers) if price is not None]
    states = [state for state in (read_availability(_text(offer.get(AVAILABILITY))) for offer in offers) if state]
    found: list[Value] = []
    # Prices in several currencies are for several countries: nobody knows which one is meant.
    if prices and len({unit for _, unit in prices}) == 1:
        amount, unit = min(prices)
        found.append(of_number(PRICE, amount, ValueType.PRICE, unit))
    if states:
        found.append(Value(name=AVAILABILITY, type=ValueType.AVAILABILITY, text=max(states, key=rank_of)))
    return tuple(found)


def _price(offer: Item) -> tuple[Decimal, str] | None:
    stated = offer.get("priceSpecification")
    specified = next(_nested(stated), {}) if stated is not None else {}
    amount = next((one for one in (offer.get("price"), offer.get("lowPrice"), specified.get("price")) if one), None)
    currency = _text(offer.get("priceCurrency") or specified.get("priceCurrency")).strip().upper()
    text = _text(amount).strip()
    if _PLAIN.fullmatch(text):
        return Decimal(text), currency if currency in CODES else ""
    figure = read_figure(text, unit=currency if currency in CODES else "")
    return None if figure is None else (figure.number, figure.unit)


def _of_metas(metas: Mapping[str, Sequence[str]]) -> Item:
    def first(name: str) -> str:
        every = [*metas.get(f"product:{name}", ()), *metas.get(f"og:{name}", ())]
        return every[0] if every else ""

    return {
        "price": first("price:amount"),
        "priceCurrency": first("price:currency"),
        AVAILABILITY: first("availability"),
    }


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return value if isinstance(value, str) else format(Decimal(str(value)), "f")
