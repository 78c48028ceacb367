"""Realistic pages, made at random: shops, tables, lists, articles, dashboards, definitions, cards, forums."""

# ruff: noqa: E501 - markup

from __future__ import annotations

import random

_NOUNS = (
    "tea kettle cup lamp chair table river harbour ferry bridge garden engine report budget school library museum "
    "train ticket concert festival council weather storm market bakery bicycle camera printer keyboard monitor cable "
    "window door roof kitchen blanket pillow jacket boot glove helmet rope tent stove lantern compass map"
).split()
_ADJECTIVES = (
    "smoked green old quiet bright northern heavy little open public private famous wooden steel cheap rare annual "
    "monthly late early summer winter urban rural digital hidden simple double warm cold"
).split()
_NAMES = "Anna Bruno Carla David Elif Farid Greta Hugo Ines Jonas Kira Liam Mona Nils Olga Pablo".split()
_CITIES = "Oslo Bergen Lisbon Porto Vienna Graz Turin Lyon Gdansk Riga Tartu Malmo Aarhus Ghent Utrecht Basel".split()
_VERBS = "opens closes wins loses plans delays starts repairs renews sells buys finds leaves joins reports".split()


class Words:
    """Texts of one page."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def thing(self) -> str:
        """The name of a thing."""
        return f"{self.chance.choice(_ADJECTIVES)} {self.chance.choice(_NOUNS)}".capitalize()

    def things(self, count: int) -> list[str]:
        """Names of things, all different."""
        found: list[str] = []
        while len(found) < count:
            one = self.thing()
            if one not in found:
                found.append(one)
        return found

    def headline(self) -> str:
        """A headline."""
        pick = self.chance.choice
        return f"{pick(_CITIES)} {pick(_VERBS)} {pick(_ADJECTIVES)} {pick(_NOUNS)} near {pick(_CITIES)}"

    def sentence(self) -> str:
        """A sentence."""
        pick = self.chance.choice
        return (
            f"The {pick(_ADJECTIVES)} {pick(_NOUNS)} of {pick(_CITIES)} {pick(_VERBS)} the {pick(_NOUNS)}, says "
            f"{pick(_NAMES)}, and {pick(_VERBS)} a {pick(_ADJECTIVES)} {pick(_NOUNS)}."
        )

    def paragraph(self) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(self.chance.randint(2, 5)))

    def price(self) -> str:
        """A price."""
        amount = self.chance.randint(199, 99999) / 100
        return self.chance.choice(("{:.2f} €", "€ {:.2f}", "${:.2f}", "{:.2f} EUR")).format(amount)

    def number(self) -> str:
        """A number."""
        return f"{self.chance.randint(3, 99999):,}"

    def date(self) -> str:
        """A date."""
        return f"2026-{self.chance.randint(1, 12):02}-{self.chance.randint(1, 28):02}"

    def person(self) -> str:
        """A name."""
        return self.chance.choice(_NAMES)

    def cities(self, count: int) -> list[str]:
        """Names of cities, all different."""
        return self.chance.sample(_CITIES, count)


def _frame(words: Words, title: str, main: str, aside: str = "") -> str:
    links = "".join(f'<li><a href="/{name.split()[-1]}">{name}</a></li>' for name in words.things(5))
    side = f'<aside class="sidebar">{aside}</aside>' if aside else ""
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body>"
        f'<header class="site-header"><a class="logo" href="/">{words.thing()} &amp; Co</a>'
        f'<nav class="menu"><ul>{links}</ul></nav></header>'
        f'<div id="page" class="page"><main class="content">{main}</main>{side}</div>'
        f'<footer class="site-footer"><p>Contact us</p><p class="legal">All rights reserved {words.number()}</p>'
        "</footer></body></html>"
    )


def product(words: Words) -> str:
    """A product in a shop, with others like it beside it."""
    name = words.thing()
    related = "".join(
        f'<li class="related-item"><a href="/p/{i}">{one}</a> <span class="price">{words.price()}</span></li>'
        for i, one in enumerate(words.things(4))
    )
    main = (
        f'<article class="product" id="product"><h1 class="product-title" itemprop="name">{name}</h1>'
        f'<div class="buy-box"><p class="price-line">Price <span class="price" itemprop="price">{words.price()}</span></p>'
        f'<p class="shipping">Shipping <span class="price">{words.price()}</span></p>'
        f'<p class="stock">In stock: <b>{words.number()}</b></p><button class="buy">Add to cart</button></div>'
        f'<div class="description"><h2>Description</h2><p>{words.paragraph()}</p><p>{words.paragraph()}</p></div>'
        f'<div class="reviews"><h2>Reviews</h2><p class="rating">Rated <span>4.{words.chance.randint(0, 9)}</span> of 5</p>'
        f"<p>{words.sentence()}</p></div></article>"
    )
    return _frame(words, name, main, f"<h2>Related</h2><ul class=related>{related}</ul>")


def listing(words: Words) -> str:
    """A list of products."""
    items = "".join(
        f'<li class="item"><h3 class="item-name"><a href="/p/{i}-{one.split()[-1]}">{one}</a></h3>'
        f'<p class="item-text">{words.sentence()}</p><span class="item-price">{words.price()}</span>'
        f'<button class="buy">Add to cart</button></li>'
        for i, one in enumerate(words.things(words.chance.randint(4, 12)))
    )
    return _frame(words, "Shop", f'<h1>All {words.thing()}</h1><ul class="items" id="items">{items}</ul>')


def table(words: Words) -> str:
    """A table with a row for each city."""
    heads = ["City", *words.things(3)]
    rows = "".join(
        f"<tr><td>{city}</td><td>{words.number()}</td><td>{words.price()}</td><td>{words.date()}</td></tr>"
        for city in words.cities(words.chance.randint(4, 10))
    )
    head = "".join(f"<th>{one}</th>" for one in heads)
    main = (
        f"<h1>{words.headline()}</h1><p class=lead>{words.sentence()}</p>"
        f'<table class="data"><caption>{words.thing()}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
    return _frame(words, "Figures", main, f"<h2>Notes</h2><p>{words.paragraph()}</p>")


def facts(words: Words) -> str:
    """Definitions."""
    pairs = "".join(
        f"<dt>{name}</dt><dd>{words.chance.choice((words.number, words.price, words.date, words.thing))()}</dd>"
        for name in words.things(words.chance.randint(5, 10))
    )
    rows = "".join(
        f"<tr><th scope=row>{name}</th><td>{words.number()}</td></tr>"
        for name in words.things(words.chance.randint(3, 6))
    )
    main = (
        f"<h1>{words.thing()}</h1><dl class=facts>{pairs}</dl><h2>Technical data</h2><table class=spec>{rows}</table>"
    )
    return _frame(words, "Facts", main)


def article(words: Words) -> str:
    """An article with its byline."""
    body = "".join(f"<p>{words.paragraph()}</p>" for _ in range(words.chance.randint(3, 7)))
    more = "".join(f'<li><a href="/a/{i}">{words.headline()}</a></li>' for i in range(5))
    main = (
        f'<article class="story"><h1 class="headline">{words.headline()}</h1>'
        f'<p class="byline">By <a class="author" rel="author" href="/by">{words.person()}</a>, '
        f'<time datetime="{words.date()}">{words.date()}</time></p>'
        f'<p class="lead">{words.sentence()}</p><div class="story-body">{body}</div>'
        f'<p class="count">Comments: <span>{words.number()}</span></p></article>'
    )
    return _frame(words, "News", main, f'<h2>Most read</h2><ol class="top">{more}</ol>')


def dashboard(words: Words) -> str:
    """Numbers on tiles."""
    tiles = "".join(
        f'<div class="tile"><h3>{one}</h3><p class="figure">{words.number()}</p><p class="trend">{words.chance.randint(1, 40)} %'
        f" since yesterday</p></div>"
        for one in words.things(words.chance.randint(4, 9))
    )
    main = f'<h1>Today</h1><div class="tiles">{tiles}</div><p class="updated">Updated {words.date()}</p>'
    return _frame(words, "Dashboard", main)


def cards(words: Words) -> str:
    """Cards without any names of use."""
    made = "".join(
        f'<div class="card-x{words.chance.randint(1000, 9999)}"><div><a href="/c/{one.lower().replace(" ", "-")}">{one}</a></div>'
        f"<div>{words.sentence()}</div><div><span>{words.date()}</span> <span>{words.person()}</span></div></div>"
        for one in words.things(words.chance.randint(4, 9))
    )
    return _frame(words, "Cards", f"<h1>{words.thing()}</h1><section>{made}</section>")


def forum(words: Words) -> str:
    """Posts below each other."""
    posts = "".join(
        f'<div class="post" id="post-{words.chance.randint(10000, 99999)}"><div class="head"><b>{words.person()}</b> wrote on '
        f'<span class="when">{words.date()}</span></div><div class="text">{words.paragraph()}</div>'
        f'<div class="foot">Likes: <span class="likes">{words.chance.randint(0, 90)}</span></div></div>'
        for _ in range(words.chance.randint(3, 8))
    )
    return _frame(
        words, "Forum", f"<h1>{words.headline()}</h1><div id=posts>{posts}</div>", f"<p>{words.sentence()}</p>"
    )


def releases(words: Words) -> str:
    """Versions with their notes."""
    made = "".join(
        f'<section class="release"><h2>Version {9 - i}.{words.chance.randint(0, 9)}</h2><p class="date">{words.date()}</p>'
        f"<ul>{''.join(f'<li>{words.sentence()}</li>' for _ in range(words.chance.randint(1, 4)))}</ul></section>"
        for i in range(words.chance.randint(2, 6))
    )
    status = "".join(
        f'<li><span class="name">{one}</span> <span class="state">{words.chance.choice(("up", "down", "slow"))}</span></li>'
        for one in words.things(5)
    )
    return _frame(
        words, "Releases", f"<h1>{words.thing()}</h1>{made}", f"<h3>Status</h3><ul class=status>{status}</ul>"
    )


PAGES = (product, listing, table, facts, article, dashboard, cards, forum, releases)
