"""Forty rules, and where each of them has to fire, by the script alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from alerts.scene import NOTICES, Look, Script
from samples import NOW
from veille.core.schedule import HOUR

#: A rule, a source or story, and a round.
Firing = tuple[str, str, int]
Holds = Callable[[Look], bool]
_PARIS: Final = ZoneInfo("Europe/Paris")
#: How long a source has to be silent, in rounds of an hour.
SILENT: Final = 48


@dataclass(frozen=True)
class Seen:
    """A source in a round in which it could be read and showed something else: before and now."""

    source: str
    round: int
    before: Look | None
    now: Look
    #: The prices in force in the two days before.
    prices: tuple[Decimal, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A rule, the group of sources it is for, and what fires it."""

    expression: str
    group: str
    fires: Callable[[Seen], bool]
    source: str = ""


def _state(holds: Holds) -> Callable[[Seen], bool]:
    """A state is told when it begins, and if it holds from the start."""
    return lambda seen: holds(seen.now) and (seen.before is None or not holds(seen.before))


def _event(happened: Callable[[Look, Look, Seen], bool]) -> Callable[[Seen], bool]:
    return lambda seen: seen.before is not None and happened(seen.before, seen.now, seen)


def _price(look: Look) -> Decimal:
    assert look.price is not None
    return look.price


def _ships(look: Look) -> int:
    assert look.ships is not None
    return look.ships


def _local(at: int) -> datetime:
    return datetime.fromtimestamp((NOW + at * HOUR) / 1000, UTC).astimezone(_PARIS)


def _is_in_stock(look: Look) -> bool:
    return look.stock == "InStock"


def _words(before: Look, now: Look) -> int:
    return max(_count(now.notices - before.notices), _count(before.notices - now.notices))


def _count(notices: frozenset[str]) -> int:
    return sum(len(NOTICES[one].split()) for one in notices)


def _has(word: str) -> Holds:
    return lambda look: word in look.notices


ON_CHANGES: Final = [
    Asked("price < 10", "shop", _state(lambda look: _price(look) < 10)),
    Asked("price >= 25 EUR", "shop", _state(lambda look: _price(look) >= 25)),
    Asked("price > 30", "shop", _state(lambda look: _price(look) > 30)),
    Asked("price < 15 USD", "shop", lambda _: False),
    Asked("price falls by 10%", "shop", _event(lambda a, b, _: _price(a) - _price(b) >= _price(a) / 10)),
    Asked("price falls by 4", "shop", _event(lambda a, b, _: _price(a) - _price(b) >= 4)),
    Asked("price rises by 3", "shop", _event(lambda a, b, _: _price(b) - _price(a) >= 3)),
    Asked("price rises by 20%", "shop", _event(lambda a, b, _: _price(b) - _price(a) >= _price(a) / 5)),
    Asked("price changes", "shop", _event(lambda a, b, _: a.price != b.price)),
    Asked("price falls", "shop", _event(lambda a, b, _: _price(b) < _price(a))),
    Asked("price is lowest of 2 days", "shop", _event(lambda _a, b, seen: _price(b) < min(seen.prices))),
    Asked("price is highest of 2 days", "shop", _event(lambda _a, b, seen: _price(b) > max(seen.prices))),
    Asked(
        "price falls and availability = in stock",
        "shop",
        _event(lambda a, b, _: _price(b) < _price(a) and _is_in_stock(b)),
    ),
    Asked(
        "price < 8 or availability = out of stock",
        "shop",
        lambda seen: any(
            _state(holds)(seen) for holds in (lambda look: _price(look) < 8, lambda look: not _is_in_stock(look))
        ),
    ),
    Asked("price changes and not price < 20", "shop", _event(lambda a, b, _: a.price != b.price and _price(b) >= 20)),
    Asked(
        "price changes and between 08:00 and 18:00 Europe/Paris",
        "shop",
        lambda seen: _event(lambda a, b, _: a.price != b.price)(seen) and 8 <= _local(seen.round).hour < 18,
    ),
    Asked(
        "price changes and on sat-sun Europe/Paris",
        "shop",
        lambda seen: _event(lambda a, b, _: a.price != b.price)(seen) and _local(seen.round).weekday() >= 5,
    ),
    Asked("price < 12", "shop", _state(lambda look: _price(look) < 12), source="shop-1"),
    Asked("price <= 20", "shop", _state(lambda look: _price(look) <= 20), source="shop-0"),
    Asked("availability = in stock", "stock", _state(_is_in_stock)),
    Asked("availability = out of stock", "stock", _state(lambda look: not _is_in_stock(look))),
    Asked("availability changes", "stock", _event(lambda a, b, _: a.stock != b.stock)),
    Asked("ships > 50", "counter", _state(lambda look: _ships(look) > 50)),
    Asked("ships <= 30", "counter", _state(lambda look: _ships(look) <= 30)),
    Asked("ships rises by 20%", "counter", _event(lambda a, b, _: (_ships(b) - _ships(a)) * 5 >= _ships(a))),
    Asked("ships falls by 12", "counter", _event(lambda a, b, _: _ships(a) - _ships(b) >= 12)),
    Asked("ships changes and ships > 60", "counter", _event(lambda a, b, _: a.ships != b.ships and _ships(b) > 60)),
    Asked('"strike" appears', "notice", _event(lambda a, b, _: "strike" in b.notices - a.notices)),
    Asked('"strike" disappears', "notice", _event(lambda a, b, _: "strike" in a.notices - b.notices)),
    Asked('"night ferry" is there', "notice", _state(_has("ferry"))),
    Asked("matches /gate [0-9]+ closed/", "notice", _state(_has("gate"))),
    Asked("more than 30 words changed", "notice", _event(lambda a, b, _: _words(a, b) > 30)),
    Asked("only added", "notice", _event(lambda a, b, _: bool(b.notices - a.notices) and a.notices <= b.notices)),
    Asked(
        'is changed and not "strike" is there', "notice", _event(lambda a, b, _: a != b and "strike" not in b.notices)
    ),
]
#: Rules over news, over states of sources, and over the time that passed.
NEW, TOLD, FOUND = 'is new and "harbour" is there', "told by at least 3 sources", 'search "Budget" finds it'
FAILING, WORKS, SILENCE = "source is failing", "source works again", "source is silent for 2 days"


def rules(script: Script) -> list[tuple[str, str, str]]:
    """Expression, group and source of every rule: forty of them."""
    known = [one for one in ON_CHANGES if not one.source or one.source in script.looks]
    return [(one.expression, one.group, one.source) for one in known] + [
        (NEW, "news", ""),
        (TOLD, "news", ""),
        (FOUND, "news", ""),
        (FAILING, "notice", ""),
        (WORKS, "notice", ""),
        (SILENCE, "notice", ""),
    ]


def truth(script: Script) -> set[Firing]:
    """Every alert that has to be told."""
    found: set[Firing] = set()
    for one in ON_CHANGES:
        for name in script.of(one.group):
            if one.source in {"", name}:
                found |= {(one.expression, name, seen.round) for seen in _changes(script, name) if one.fires(seen)}
    return found | set(_news(script)) | set(_states(script))


def _changes(script: Script, name: str) -> Iterator[Seen]:
    before: Look | None = None
    prices: list[tuple[int, Decimal]] = []
    for at, look in enumerate(script.looks[name]):
        if look.is_down:
            continue
        if before is None or look != before:
            # In force in the two days: what was set in them, and what was in force when they began.
            begun = max((when for when, _ in prices if when <= at - 48), default=0)
            yield Seen(name, at, before, look, tuple(price for when, price in prices if when >= begun))
        if look.price is not None and (before is None or look.price != before.price):
            prices.append((at, look.price))
        before = look


def _news(script: Script) -> Iterator[Firing]:
    for one in script.entries:
        if one.place == 1 and one.keyword == "harbour":
            yield NEW, f"{one.feed}/{one.story}", one.round
        if one.place == 1 and one.keyword == "budget":
            yield FOUND, f"{one.feed}/{one.story}", one.round
        if one.place == 3:
            yield TOLD, f"story {one.story}", 0


def _states(script: Script) -> Iterator[Firing]:
    for name in script.of("notice"):
        looks = script.looks[name]
        for at in range(1, len(looks)):
            if looks[at].is_down and not looks[at - 1].is_down:
                yield FAILING, name, at
            if looks[at - 1].is_down and not looks[at].is_down:
                yield WORKS, name, at
        changed = [seen.round for seen in _changes(script, name)]
        for at, following in zip(changed, [*changed[1:], len(looks) + SILENT], strict=True):
            if at + SILENT < min(following, len(looks)):
                yield SILENCE, name, at + SILENT
