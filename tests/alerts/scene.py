"""A scripted world with a known past: shops, stocks, counters, notices with outages, and news told by several feeds.

What every source shows in every round follows from a seed. Truth is read from that script, never from the program.
"""

from __future__ import annotations

import html
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import TracebackType
from typing import Final, Self

from world import Page, Site

#: How many sources of each group there are, of sixty.
GROUPS: Final = {"shop": 20, "stock": 10, "counter": 10, "notice": 8, "news": 12}
_WORDS: Final = [a + b + c for a in ("ba", "do", "ki", "lu", "me", "no", "ra", "su") for b in "nrstlm" for c in
                 ("a", "el", "io", "ur", "ob", "et", "ine", "oth")]  # fmt: skip
#: Rounds between two outages: a host that fails too often in a row is left alone, and then a change is seen later.
_REST: Final = 6
#: What notices can say, and how many words that is.
NOTICES: Final = {
    "strike": "The crews begin a strike at noon.",
    "ferry": "The night ferry runs again.",
    "gate": "Today gate 14 closed early.",
    "long": "The harbour master explains " + " ".join(_WORDS[:50]) + " to everybody.",
}


@dataclass(frozen=True)
class Look:
    """What a source shows in one round."""

    price: Decimal | None = None
    stock: str = ""
    ships: int | None = None
    notices: frozenset[str] = frozenset()
    is_down: bool = False


@dataclass(frozen=True)
class Entry:
    """An entry of a feed, which tells a story."""

    story: int
    feed: str
    round: int
    keyword: str
    #: The place among those that tell the story, from 1.
    place: int


@dataclass
class Script:
    """Everything that happens in a world."""

    seed: int
    rounds: int
    share: float = 1.0
    #: By source, what it shows in each round.
    looks: dict[str, list[Look]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)
        for group, count in GROUPS.items():
            for number in range(max(1, round(count * self.share))):
                name = f"{group}-{number}"
                if group == "news":
                    self.looks[name] = [Look()] * self.rounds
                else:
                    self.looks[name] = list(_past(group, self.rounds, random.Random(f"{self.seed}/{name}")))
        feeds = [name for name in self.looks if name.startswith("news")]
        self.entries = list(_told(feeds, self.rounds, chance))

    def of(self, group: str) -> list[str]:
        return [name for name in self.looks if name.startswith(group)]


def _past(group: str, rounds: int, chance: random.Random) -> Iterator[Look]:
    look = Look(
        price=Decimal(chance.randrange(800, 3000)) / 100 if group in {"shop", "stock"} else None,
        stock=chance.choice(["InStock", "OutOfStock"]) if group in {"shop", "stock"} else "",
        ships=chance.randrange(20, 90) if group == "counter" else None,
    )
    down = 0
    for _ in range(rounds):
        yield replace(look, is_down=down > 0)
        down -= 1
        if chance.random() > 0.15:
            continue
        if group == "shop" and look.price is not None:
            step = Decimal(chance.choice([-400, -150, -50, 50, 150, 400])) / 100
            look = replace(look, price=min(max(look.price + step, Decimal("4.50")), Decimal("40.00")))
            if chance.random() < 0.2:
                look = replace(look, stock=chance.choice(["InStock", "OutOfStock"]))
        elif group == "stock":
            look = replace(look, stock="OutOfStock" if look.stock == "InStock" else "InStock")
        elif group == "counter" and look.ships is not None:
            look = replace(look, ships=max(1, look.ships + chance.choice([-12, -4, -1, 1, 4, 12])))
        elif chance.random() < 0.3 and down < -_REST:
            down = chance.choice([1, 2])
        else:
            look = replace(look, notices=look.notices ^ {chance.choice(list(NOTICES))})


def _told(feeds: list[str], rounds: int, chance: random.Random) -> Iterator[Entry]:
    story = 0
    for at in range(1, rounds):
        if chance.random() > 0.12:
            continue
        story += 1
        keyword = chance.choice(["harbour", "budget", "weather"])
        tellers = chance.sample(feeds, min(len(feeds), chance.choice([1, 2, 3, 4])))
        for place, feed in enumerate(tellers, 1):
            if at + place - 1 < rounds:
                yield Entry(story, feed, at + place - 1, keyword, place)


class Scene:
    """The script on loopback servers: `show` puts a round on."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._open = ExitStack()
        self.site = Site()
        #: Sources with outages have a host of their own, as a failing host is left alone.
        self.hosts = {name: Site() for name in script.of("notice")}
        self._prose = {name: _prose(random.Random(f"{script.seed}/prose/{name}"), 90) for name in script.looks}

    def __enter__(self) -> Self:
        for site in (self.site, *self.hosts.values()):
            self._open.enter_context(site)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def url(self, name: str) -> str:
        return f"{self.hosts.get(name, self.site).url}/{name}"

    def show(self, at: int) -> None:
        for name, looks in self._script.looks.items():
            if name.startswith("news"):
                self.site[f"/{name}"] = self._feed(name, at)
            else:
                self.hosts.get(name, self.site)[f"/{name}"] = self._page(name, looks[at])

    def _page(self, name: str, look: Look) -> Page:
        if look.is_down:
            return Page(b"down", status=500, validates=False)
        first, second, third = self._prose[name]
        lines = [f"<p>{first}</p>"]
        head = f"<title>{name}</title>"
        if look.price is not None:
            offer = {"@type": "Offer", "price": str(look.price), "priceCurrency": "EUR"}
            offer["availability"] = f"https://schema.org/{look.stock}"
            product = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": offer}
            head += f'<script type="application/ld+json">{json.dumps(product)}</script>'
            # Of every fourth shop the price is in the data only.
            if name.startswith("shop") and int(name.split("-")[1]) % 4:
                lines.append(f"<p>One tin costs {look.price} EUR in this shop.</p>")
        if look.ships is not None:
            lines.append(f"<p>There are <b class='count'>{look.ships}</b> ships in port now.</p>")
        lines.append(f"<p>{second}</p>")
        lines += [f"<p>{NOTICES[one]}</p>" for one in sorted(look.notices)]
        lines.append(f"<p>{third}</p>")
        body = f"<html lang=en><head>{head}</head><body><main><h1>{name}</h1>{''.join(lines)}</main></body></html>"
        return Page(body.encode())

    def _feed(self, name: str, at: int) -> Page:
        told = [one for one in self._script.entries if one.feed == name and one.round <= at][-30:]
        items = "".join(
            f"<item><guid>{name}/{one.story}</guid><link>{self.site.url}/{name}/{one.story}</link>"
            f"<title>Story {one.story} in {name}</title>"
            f"<description>{html.escape(self._telling(one))}</description></item>"
            for one in reversed(told)
        )
        text = f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>"
        return Page(text.encode(), type="application/rss+xml")

    def _telling(self, entry: Entry) -> str:
        prose = _prose(random.Random(f"{self._script.seed}/story/{entry.story}"), 150)
        own = " ".join(random.Random(f"{entry.feed}/{entry.story}").choices(_WORDS, k=6))
        return "".join(f"<p>{part}</p>" for part in (*prose, f"This is about the {entry.keyword}.", f"By {own}."))


def _prose(chance: random.Random, words: int) -> tuple[str, str, str]:
    parts = (" ".join(chance.choices(_WORDS, k=words // 3)) for _ in range(3))
    first, second, third = (f"{part.capitalize()}." for part in parts)
    return first, second, third
