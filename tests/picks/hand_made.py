"""Pages and what became of them, written by hand: what a site does to its own pages from one week to the next.

Each pair is a page, the text of the element that is picked, the page afterwards, and the text that must be found: none
if the part is gone, or can no longer be told from others.
"""

# ruff: noqa: E501 - markup

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HandMade:
    """One pair; of several elements with the picked text, the one at `which`."""

    name: str
    before: str
    picked: str
    after: str
    expected: str | None
    which: int = -1
    tag: str = ""


PAIRS: list[HandMade] = []


def _pair(  # noqa: PLR0913, PLR0917 - the columns of a table
    name: str, before: str, picked: str, after: str, expected: str | None, which: int = -1, tag: str = ""
) -> None:
    PAIRS.append(HandMade(name, before, picked, after, expected, which, tag))


def _bare(html: str) -> str:
    """The page without its classes."""
    return re.sub(r' class="[^"]*"', "", html)


SHOP = """<html><body><header class="top"><a href="/">Kettle House</a><nav><a href="/tea">Tea</a><a href="/pots">Pots</a></nav></header>
<div class="columns"><main class="product-page"><h1 class="title">Iron kettle 1.2 l</h1>
<div class="offer"><span class="old-price">89.00 EUR</span><span class="now-price">74.50 EUR</span><span class="vat">incl. VAT</span></div>
<p class="delivery">Ready to ship in 3 days</p><p class="stock">Only 4 left</p>
<section class="desc"><h2>Description</h2><p>A heavy kettle of cast iron, enamelled inside.</p></section></main>
<aside class="side"><h2>You may also like</h2><ul class="cards">
<li class="card"><a href="/p/11">Clay teapot</a><span class="now-price">39.00 EUR</span></li>
<li class="card"><a href="/p/12">Glass teapot</a><span class="now-price">29.00 EUR</span></li>
<li class="card"><a href="/p/13">Travel cup</a><span class="now-price">19.00 EUR</span></li></ul></aside></div>
<footer><p>Imprint</p></footer></body></html>"""
PRICE = "74.50 EUR"
_pair(
    "sale ends: old price gone, one price left (new class)",
    SHOP,
    PRICE,
    SHOP.replace(
        '<span class="old-price">89.00 EUR</span><span class="now-price">74.50 EUR</span>',
        '<span class="price">89.00 EUR</span>',
    ),
    None,
)
_pair(
    "sale ends: old price gone, now-price 89",
    SHOP,
    PRICE,
    SHOP.replace('<span class="old-price">89.00 EUR</span>', "").replace("74.50", "89.00"),
    "89.00 EUR",
)
_pair(
    "sale: now price gone, old price stays",
    SHOP,
    PRICE,
    SHOP.replace('<span class="now-price">74.50 EUR</span>', ""),
    None,
)
_pair(
    "prices swap classes (A/B)",
    SHOP,
    PRICE,
    SHOP.replace('old-price">89.00 EUR', 'x-a">91.00 EUR').replace('now-price">74.50 EUR', 'x-b">72.10 EUR'),
    "72.10 EUR",
)
_pair(
    "old price removed when picked old",
    SHOP,
    "89.00 EUR",
    SHOP.replace('<span class="old-price">89.00 EUR</span>', ""),
    None,
)
_pair(
    "product sold out: price gone, recommendations stay",
    SHOP,
    PRICE,
    SHOP.replace(
        '<span class="old-price">89.00 EUR</span><span class="now-price">74.50 EUR</span><span class="vat">incl. VAT</span>',
        '<span class="soldout">Sold out</span>',
    ),
    None,
)
_pair(
    "page is now another product (redirect)",
    SHOP,
    PRICE,
    SHOP.replace("Iron kettle 1.2 l", "Copper pan 24 cm")
    .replace("A heavy kettle of cast iron, enamelled inside.", "A pan of copper.")
    .replace("89.00", "120.00")
    .replace("74.50", "99.00"),
    "99.00 EUR",
)
_pair(
    "main moved to right column, aside first",
    SHOP,
    PRICE,
    SHOP.replace(
        '<div class="columns">',
        '<div class="columns"><aside class="side"><h2>You may also like</h2><ul class="cards"><li class="card"><a href="/p/11">Clay teapot</a><span class="now-price">39.00 EUR</span></li></ul></aside>',
    ).split('<aside class="side"><h2>You may also like</h2><ul class="cards">\n')[0]
    + "</div><footer><p>Imprint</p></footer></body></html>",
    PRICE,
)
_pair(
    "recommended list above with the very price",
    SHOP,
    PRICE,
    SHOP.replace(
        "<h1 class",
        '<ul class="cards"><li class="card"><a href="/p/19">Tin kettle</a><span class="now-price">74.50 EUR</span></li></ul><h1 class',
    ).replace('now-price">74.50 EUR</span><span class="vat"', 'now-price">70.00 EUR</span><span class="vat"'),
    "70.00 EUR",
)
_pair(
    "classes hashed and value changed",
    SHOP,
    PRICE,
    SHOP.replace("now-price", "_3xY2z")
    .replace("old-price", "_9aQ1")
    .replace("offer", "_1kk2")
    .replace("74.50", "71.00"),
    "71.00 EUR",
)
_pair(
    "stock text gone, delivery stays", SHOP, "Only 4 left", SHOP.replace('<p class="stock">Only 4 left</p>', ""), None
)
_pair("stock text changed words", SHOP, "Only 4 left", SHOP.replace("Only 4 left", "Sold out"), "Sold out")
_pair(
    "delivery and stock swapped, both changed",
    SHOP,
    "Only 4 left",
    SHOP.replace(
        '<p class="delivery">Ready to ship in 3 days</p><p class="stock">Only 4 left</p>',
        '<p class="stock">Only 2 left</p><p class="delivery">Ready to ship in 5 days</p>',
    ),
    "Only 2 left",
)
_pair(
    "delivery and stock lose their class and stock goes",
    SHOP,
    "Only 4 left",
    SHOP.replace(
        '<p class="delivery">Ready to ship in 3 days</p><p class="stock">Only 4 left</p>',
        "<p>Ready to ship in 4 days</p>",
    ),
    None,
)

ROW = "<tr><td>{}</td><td>{}</td><td>{}</td></tr>"


def _rates(heads: list[str], rows: list[list[str]]) -> str:
    return (
        '<html><body><h1>Exchange rates</h1><table class="rates"><tr>'
        + "".join(f"<th>{h}</th>" for h in heads)
        + "</tr>"
        + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in r) + "</tr>" for r in rows)
        + "</table><p>Source: bank</p></body></html>"
    )


RATES = _rates(
    ["Currency", "Buy", "Sell"],
    [
        ["Dollar", "1.0812", "1.0921"],
        ["Pound", "0.8412", "0.8533"],
        ["Yen", "161.20", "163.90"],
        ["Franc", "0.9401", "0.9533"],
    ],
)
_pair(
    "table column inserted between",
    RATES,
    "0.8412",
    _rates(
        ["Currency", "Code", "Buy", "Sell"],
        [
            ["Dollar", "USD", "1.0801", "1.0911"],
            ["Pound", "GBP", "0.8398", "0.8501"],
            ["Yen", "JPY", "160.20", "162.90"],
            ["Franc", "CHF", "0.9399", "0.9501"],
        ],
    ),
    "0.8398",
)
_pair(
    "table columns swapped, values changed",
    RATES,
    "0.8412",
    _rates(
        ["Currency", "Sell", "Buy"],
        [
            ["Dollar", "1.0911", "1.0801"],
            ["Pound", "0.8501", "0.8398"],
            ["Yen", "162.90", "160.20"],
            ["Franc", "0.9501", "0.9399"],
        ],
    ),
    "0.8398",
)
_pair(
    "table row gone",
    RATES,
    "0.8412",
    _rates(
        ["Currency", "Buy", "Sell"],
        [["Dollar", "1.0801", "1.0911"], ["Yen", "160.20", "162.90"], ["Franc", "0.9399", "0.9501"]],
    ),
    None,
)
_pair(
    "table column gone",
    RATES,
    "0.8412",
    _rates(["Currency", "Sell"], [["Dollar", "1.0911"], ["Pound", "0.8501"], ["Yen", "162.90"], ["Franc", "0.9501"]]),
    None,
)
_pair(
    "table rows sorted, row inserted",
    RATES,
    "0.8412",
    _rates(
        ["Currency", "Buy", "Sell"],
        [
            ["Crown", "11.20", "11.40"],
            ["Dollar", "1.0801", "1.0911"],
            ["Franc", "0.9399", "0.9501"],
            ["Peso", "20.1", "21.2"],
            ["Pound", "0.8398", "0.8501"],
            ["Yen", "160.20", "162.90"],
        ],
    ),
    "0.8398",
)
_pair(
    "table headers renamed & swapped",
    RATES,
    "0.8412",
    _rates(
        ["Currency", "We sell", "We buy"],
        [
            ["Dollar", "1.0911", "1.0801"],
            ["Pound", "0.8501", "0.8398"],
            ["Yen", "162.90", "160.20"],
            ["Franc", "0.9501", "0.9399"],
        ],
    ),
    None,
)
_pair(
    "second table same rows inserted before",
    RATES,
    "0.8412",
    RATES.replace(
        "<h1>Exchange rates</h1>",
        '<h1>Exchange rates</h1><h2>Yesterday</h2><table class="rates"><tr><th>Currency</th><th>Buy</th><th>Sell</th></tr><tr><td>Dollar</td><td>1.0701</td><td>1.0811</td></tr><tr><td>Pound</td><td>0.8412</td><td>0.8533</td></tr></table><h2>Today</h2>',
    ).replace("0.8412</td><td>0.8533</td></tr>\n<tr><td>Yen", "0.8398"),
    None,
)

NEWS = """<html><body><header><h1>The Ferry</h1></header><main>
<section class="lead"><h2><a href="/2026/bridge">Bridge closed after storm</a></h2><p>Cars are sent by ferry until Friday.</p></section>
<section class="ticker"><h3>Water level</h3><p class="level">412 cm</p><h3>Wind</h3><p class="level">21 km/h</p><h3>Waves</h3><p class="level">80 cm</p></section>
<ul class="list"><li><a href="/a1">School opens in May</a><time>12 May</time></li><li><a href="/a2">New tram line planned</a><time>11 May</time></li><li><a href="/a3">Market moves to harbour</a><time>10 May</time></li></ul></main></body></html>"""
_pair(
    "lead story replaced: h2 pick",
    NEWS,
    "Bridge closed after storm",
    NEWS.replace("/2026/bridge", "/2026/fire")
    .replace("Bridge closed after storm", "Fire in old mill")
    .replace("Cars are sent by ferry until Friday.", "Nobody was hurt."),
    None,
    0,
    "h2",
)
_pair(
    "lead replaced by the former list item",
    NEWS,
    "Bridge closed after storm",
    NEWS.replace("/2026/bridge", "/a2")
    .replace("Bridge closed after storm", "New tram line planned")
    .replace("Cars are sent by ferry until Friday.", "It will be long.")
    .replace(
        '<li><a href="/a2">New tram line planned</a><time>11 May</time></li>',
        '<li><a href="/2026/bridge">Bridge closed after storm</a><time>9 May</time></li>',
    ),
    "Bridge closed after storm",
    0,
    "a",
)
_pair(
    "water level label gone", NEWS, "412 cm", NEWS.replace('<h3>Water level</h3><p class="level">412 cm</p>', ""), None
)
_pair(
    "water level value removed, label stays",
    NEWS,
    "412 cm",
    NEWS.replace('<p class="level">412 cm</p>', "<p>no data</p>"),
    None,
)
_pair(
    "waves now reads what water read",
    NEWS,
    "412 cm",
    NEWS.replace("412 cm", "398 cm").replace("80 cm", "412 cm"),
    "398 cm",
)
_pair(
    "item inserted before in list",
    NEWS,
    "11 May",
    NEWS.replace('<ul class="list">', '<ul class="list"><li><a href="/a0">Zoo has a tiger</a><time>13 May</time></li>'),
    "11 May",
)
_pair(
    "item gone, date picked",
    NEWS,
    "11 May",
    NEWS.replace('<li><a href="/a2">New tram line planned</a><time>11 May</time></li>', ""),
    None,
)
_pair(
    "item gone, newer item with the same date",
    NEWS,
    "11 May",
    NEWS.replace(
        '<li><a href="/a2">New tram line planned</a><time>11 May</time></li>',
        '<li><a href="/a9">Concert in the park</a><time>11 May</time></li>',
    ),
    None,
)
_pair(
    "list to divs, moved to aside",
    NEWS,
    "New tram line planned",
    NEWS.replace('<ul class="list">', "</main><aside><div>")
    .replace("</ul></main>", "</div></aside>")
    .replace("<li>", "<div>")
    .replace("</li>", "</div>"),
    "New tram line planned",
    0,
    "a",
)
_pair(
    "translated ticker",
    NEWS,
    "412 cm",
    NEWS.replace("Water level", "Wasserstand")
    .replace("Wind", "Wind")
    .replace("Waves", "Wellen")
    .replace("Bridge closed after storm", "Bruecke gesperrt")
    .replace("Cars are sent by ferry until Friday.", "Autos nehmen die Faehre.")
    .replace("School opens in May", "Schule")
    .replace("New tram line planned", "Neue Bahn")
    .replace("Market moves to harbour", "Markt am Hafen")
    .replace("412", "405")
    .replace("May", "Mai"),
    None,
)

FORM = """<html><body><div id="app"><div id="status"><span id="queue">17</span><span id="done">204</span><span id="failed">3</span></div><div id="log"><p>Started</p></div></div></body></html>"""
_pair("element removed, ids stay", FORM, "17", FORM.replace('<span id="queue">17</span>', ""), None)
_pair(
    "ids shuffled order",
    FORM,
    "17",
    '<html><body><div id="app"><div id="status"><span id="failed">3</span><span id="done">217</span><span id="queue">12</span></div><div id="log"><p>Started</p></div></div></body></html>',
    "12",
)

VAR = """<html><body><main><h1>Tickets</h1><div class="opt"><h3>Adult</h3><b>24 EUR</b><button>Buy</button></div><div class="opt"><h3>Child</h3><b>12 EUR</b><button>Buy</button></div><div class="opt"><h3>Senior</h3><b>18 EUR</b><button>Buy</button></div></main></body></html>"""
_pair(
    "variant reordered, price changed",
    VAR,
    "12 EUR",
    VAR.replace('<div class="opt"><h3>Child</h3><b>12 EUR</b><button>Buy</button></div>', "").replace(
        "<h1>Tickets</h1>", '<h1>Tickets</h1><div class="opt"><h3>Child</h3><b>13 EUR</b><button>Buy</button></div>'
    ),
    "13 EUR",
)
_pair(
    "variant gone",
    VAR,
    "12 EUR",
    VAR.replace('<div class="opt"><h3>Child</h3><b>12 EUR</b><button>Buy</button></div>', ""),
    None,
)
_pair("variant renamed wholly, prices kept", VAR, "12 EUR", VAR.replace("Child", "Youth"), None)
_pair(
    "variant gone, senior now costs 12",
    VAR,
    "12 EUR",
    VAR.replace('<div class="opt"><h3>Child</h3><b>12 EUR</b><button>Buy</button></div>', "").replace(
        "18 EUR", "12 EUR"
    ),
    None,
)
_pair("variant: adult and child prices become equal", VAR, "12 EUR", VAR.replace("24 EUR", "12 EUR"), "12 EUR")
_pair(
    "pick Buy of child: reorder",
    VAR,
    "Buy",
    VAR.replace('<div class="opt"><h3>Adult</h3><b>24 EUR</b><button>Buy</button></div>', ""),
    "Buy",
    1,
)
_pair(
    "pick Buy of child: gone",
    VAR,
    "Buy",
    VAR.replace('<div class="opt"><h3>Child</h3><b>12 EUR</b><button>Buy</button></div>', ""),
    None,
    1,
)
_pair(
    "pick whole option: gone and new family one",
    VAR,
    "Child 12 EUR Buy",
    VAR.replace("Child", "Family").replace("12 EUR", "50 EUR"),
    None,
)

LOGIN = '<html><body><header class="top"><a href="/">Kettle House</a></header><main class="product-page"><h1 class="title">Please sign in</h1><form><p>Name</p><p>Password</p><button>Sign in</button></form></main><footer><p>Imprint</p></footer></body></html>'
_pair("login page instead", SHOP, PRICE, LOGIN, None)
_pair(
    "consent wall instead",
    SHOP,
    PRICE,
    '<html><body><div class="wall"><h1>We value your privacy</h1><p>Pay 4.99 EUR or accept</p><button>Accept</button></div></body></html>',
    None,
)
_pair(
    "error page with number",
    SHOP,
    "Only 4 left",
    "<html><body><h1>404</h1><p>Only the home page is left</p></body></html>",
    None,
)

DASH = """<html><body><div class="grid"><div class="tile" data-id="cpu"><span class="label">CPU</span><span class="val">42 %</span></div><div class="tile" data-id="mem"><span class="label">Memory</span><span class="val">61 %</span></div><div class="tile" data-id="disk"><span class="label">Disk</span><span class="val">83 %</span></div></div></body></html>"""
_pair(
    "tile attributes shuffled and reordered",
    DASH,
    "61 %",
    '<html><body><div class="grid"><div data-id="mem" class="tile"><span class="val">64 %</span><span class="label">Memory</span></div><div data-id="disk" class="tile"><span class="val">84 %</span><span class="label">Disk</span></div><div data-id="cpu" class="tile"><span class="val">12 %</span><span class="label">CPU</span></div></div></body></html>',
    "64 %",
)
_pair(
    "tile gone",
    DASH,
    "61 %",
    DASH.replace(
        '<div class="tile" data-id="mem"><span class="label">Memory</span><span class="val">61 %</span></div>', ""
    ),
    None,
)
_pair(
    "tile label changed, data-id same", DASH, "61 %", DASH.replace("Memory", "RAM in use").replace("61", "66"), "66 %"
)
_pair(
    "tile swapped values", DASH, "61 %", DASH.replace("42 %", "X").replace("61 %", "42 %").replace("X", "61 %"), "42 %"
)
_pair(
    "labels removed, positions shifted",
    DASH,
    "61 %",
    '<html><body><div class="grid"><div class="tile"><span class="val">64 %</span></div><div class="tile"><span class="val">84 %</span></div></div></body></html>',
    None,
)

REL = """<html><body><nav><a href="/">Home</a><a href="/dl">Downloads</a></nav><main><h1>Downloads</h1>
<div class="release"><h2>Stable</h2><p class="version">3.12.4</p><p class="date">June 6, 2026</p><a class="btn" href="/f/3.12.4.tar.gz">Source</a></div>
<div class="release"><h2>Beta</h2><p class="version">3.13.0b2</p><p class="date">June 5, 2026</p><a class="btn" href="/f/3.13.0b2.tar.gz">Source</a></div>
<div class="release"><h2>Old stable</h2><p class="version">3.11.9</p><p class="date">April 2, 2026</p><a class="btn" href="/f/3.11.9.tar.gz">Source</a></div></main></body></html>"""
_pair(
    "stable: new version everywhere",
    REL,
    "3.12.4",
    REL.replace("3.12.4", "3.12.5").replace("June 6", "July 9").replace("3.13.0b2", "3.13.0b3"),
    "3.12.5",
)
_pair(
    "stable box gone",
    REL,
    "3.12.4",
    REL.replace(REL[REL.index('<div class="release"><h2>Stable') : REL.index('<div class="release"><h2>Beta')], ""),
    None,
)
_pair(
    "stable becomes what was beta, old stable what was stable",
    REL,
    "3.12.4",
    REL.replace("3.11.9", "OLD")
    .replace("3.12.4", "3.13.0")
    .replace("OLD", "3.12.4")
    .replace(
        '<div class="release"><h2>Beta</h2><p class="version">3.13.0b2</p><p class="date">June 5, 2026</p><a class="btn" href="/f/3.13.0b2.tar.gz">Source</a></div>',
        "",
    ),
    "3.13.0",
)
_pair(
    "beta box put first",
    REL,
    "3.12.4",
    REL.replace(
        "<h1>Downloads</h1>",
        '<h1>Downloads</h1><div class="release"><h2>Alpha</h2><p class="version">3.14.0a1</p><p class="date">June 9, 2026</p><a class="btn" href="/f/3.14.0a1.tar.gz">Source</a></div>',
    ).replace("3.12.4", "3.12.5"),
    "3.12.5",
)
_pair(
    "headings renamed Stable->Latest",
    REL,
    "3.12.4",
    REL.replace("<h2>Stable", "<h2>Latest release").replace("3.12.4", "3.12.5"),
    None,
)
_pair("pick link Source of beta; version changes", REL, "Source", REL.replace("3.13.0b2", "3.13.0b3"), "Source", 1)
_pair(
    "pick link Source of beta; beta gone",
    REL,
    "Source",
    REL.replace(REL[REL.index('<div class="release"><h2>Beta') : REL.index('<div class="release"><h2>Old')], ""),
    None,
    1,
)
_pair(
    "pick whole box; beta gone",
    REL,
    "Beta 3.13.0b2 June 5, 2026 Source",
    REL.replace(REL[REL.index('<div class="release"><h2>Beta') : REL.index('<div class="release"><h2>Old')], ""),
    None,
)
_pair(
    "pick whole box; beta new version",
    REL,
    "Beta 3.13.0b2 June 5, 2026 Source",
    REL.replace("3.13.0b2", "3.13.0rc1").replace("June 5", "August 1"),
    "Beta 3.13.0rc1 August 1, 2026 Source",
)
_pair(
    "pick whole box; classes gone, wrapped",
    REL,
    "Beta 3.13.0b2 June 5, 2026 Source",
    REL.replace('class="release"', "")
    .replace("<h1>", '<div class="x"><h1>')
    .replace("</main>", "</div></main>")
    .replace("3.13.0b2", "3.13.0rc1"),
    "Beta 3.13.0rc1 June 5, 2026 Source",
)

SCORE = """<html><body><h1>Match</h1><div class="board"><div class="team"><span class="name">Rovers</span><span class="pts">2</span></div><div class="team"><span class="name">United</span><span class="pts">1</span></div></div><div class="info"><p>Minute <b>56</b></p></div></body></html>"""
_pair(
    "teams swapped, scores changed",
    SCORE,
    "2",
    '<html><body><h1>Match</h1><div class="board"><div class="team"><span class="name">United</span><span class="pts">2</span></div><div class="team"><span class="name">Rovers</span><span class="pts">3</span></div></div><div class="info"><p>Minute <b>71</b></p></div></body></html>',
    "3",
)
_pair(
    "first team removed",
    SCORE,
    "2",
    SCORE.replace('<div class="team"><span class="name">Rovers</span><span class="pts">2</span></div>', ""),
    None,
)
_pair("other match with same structure", SCORE, "2", SCORE.replace("Rovers", "Albion").replace("United", "City"), None)
_pair(
    "score as cell table",
    SCORE,
    "2",
    "<html><body><h1>Match</h1><table><tr><td>Rovers</td><td>4</td></tr><tr><td>United</td><td>1</td></tr></table><p>Minute <b>88</b></p></body></html>",
    "4",
)

HOURS = """<html><body><main><h1>Library</h1><section id="hours"><h2>Opening hours</h2><p>Monday to Friday 9 to 18</p></section><section id="events"><h2>Events</h2><ul><li>Reading for children, 3 June</li><li>Chess evening, 7 June</li></ul></section><section id="past"><h2>Past events</h2><ul><li>Book fair, 2 May</li><li>Poetry night, 9 May</li></ul></section></main></body></html>"""
_pair(
    "hours text changed",
    HOURS,
    "Monday to Friday 9 to 18",
    HOURS.replace("Monday to Friday 9 to 18", "Monday to Saturday 10 to 19"),
    "Monday to Saturday 10 to 19",
)
_pair(
    "hours: section gone",
    HOURS,
    "Monday to Friday 9 to 18",
    HOURS.replace('<section id="hours"><h2>Opening hours</h2><p>Monday to Friday 9 to 18</p></section>', ""),
    None,
)
EVENTS = "Reading for children, 3 June Chess evening, 7 June"
_pair(
    "events list: new items, old to past",
    HOURS,
    EVENTS,
    HOURS.replace("<li>Reading for children, 3 June</li>", "")
    .replace("<ul><li>Book", "<ul><li>Reading for children, 3 June</li><li>Book")
    .replace("<li>Chess evening, 7 June</li>", "<li>Chess evening, 7 June</li><li>Film club, 12 June</li>"),
    "Chess evening, 7 June Film club, 12 June",
    0,
    "ul",
)
_pair(
    "events list gone, past stays",
    HOURS,
    EVENTS,
    HOURS.replace(
        '<section id="events"><h2>Events</h2><ul><li>Reading for children, 3 June</li><li>Chess evening, 7 June</li></ul></section>',
        "",
    ),
    None,
    0,
    "ul",
)
_pair(
    "events all moved to past",
    HOURS,
    EVENTS,
    HOURS.replace(
        "<ul><li>Reading for children, 3 June</li><li>Chess evening, 7 June</li></ul>", "<p>No events</p>"
    ).replace("<ul><li>Book", "<ul><li>Reading for children, 3 June</li><li>Chess evening, 7 June</li><li>Book"),
    None,
    0,
    "ul",
)
_pair(
    "event item replaced by another",
    HOURS,
    "Chess evening, 7 June",
    HOURS.replace("Chess evening, 7 June", "Film club, 12 June"),
    None,
)
_pair(
    "event date changed",
    HOURS,
    "Chess evening, 7 June",
    HOURS.replace("Chess evening, 7 June", "Chess evening, 8 June"),
    "Chess evening, 8 June",
)

DUP = """<html><body><div class="mobile"><span class="price">49.90 EUR</span></div><main><h1>Lamp</h1><div class="buy"><span class="price">49.90 EUR</span><button>Add</button></div></main></body></html>"""
_pair(
    "mobile dup: main gone, mobile stays",
    DUP,
    "49.90 EUR",
    DUP.replace('<div class="buy"><span class="price">49.90 EUR</span><button>Add</button></div>', "<p>Gone</p>"),
    None,
)
_pair("mobile dup: both change", DUP, "49.90 EUR", DUP.replace("49.90", "47.50"), "47.50 EUR")
_pair(
    "mobile dup appears",
    DUP.replace('<div class="mobile"><span class="price">49.90 EUR</span></div>', ""),
    "49.90 EUR",
    DUP.replace("49.90", "47.50"),
    "47.50 EUR",
)
_pair(
    "mobile dup appears, original gone",
    DUP.replace('<div class="mobile"><span class="price">49.90 EUR</span></div>', ""),
    "49.90 EUR",
    DUP.replace('<div class="buy"><span class="price">49.90 EUR</span><button>Add</button></div>', ""),
    None,
)

JOBS = """<html><body><h1>Jobs</h1><div class="job"><a href="/j/1"><b>Gardener</b></a><i>Oslo</i><em>Full time</em></div><div class="job"><a href="/j/2"><b>Cook</b></a><i>Bergen</i><em>Part time</em></div><div class="job"><a href="/j/3"><b>Driver</b></a><i>Oslo</i><em>Full time</em></div></body></html>"""
_pair("job place: cook to Oslo", JOBS, "Bergen", JOBS.replace("Bergen", "Oslo"), "Oslo")
_pair(
    "job gone, other in Bergen", JOBS, "Bergen", JOBS.replace('<a href="/j/2"><b>Cook', '<a href="/j/9"><b>Baker'), None
)
_pair(
    "job gone, driver now in Bergen",
    JOBS,
    "Bergen",
    JOBS.replace('<div class="job"><a href="/j/2"><b>Cook</b></a><i>Bergen</i><em>Part time</em></div>', "").replace(
        '<a href="/j/3"><b>Driver</b></a><i>Oslo', '<a href="/j/3"><b>Driver</b></a><i>Bergen'
    ),
    None,
)
_pair(
    "pick first job place (Oslo), its job gone",
    JOBS,
    "Oslo",
    JOBS.replace('<div class="job"><a href="/j/1"><b>Gardener</b></a><i>Oslo</i><em>Full time</em></div>', ""),
    None,
    0,
)
_pair(
    "pick first job place (Oslo), job inserted before in Oslo",
    JOBS,
    "Oslo",
    JOBS.replace(
        "<h1>Jobs</h1>",
        '<h1>Jobs</h1><div class="job"><a href="/j/8"><b>Smith</b></a><i>Oslo</i><em>Full time</em></div>',
    ),
    "Oslo",
    0,
)

DL = """<html><body><dl><dt>Depth</dt><dd>12 cm</dd><dt>Width</dt><dd>30 cm</dd><dt>Height</dt><dd>45 cm</dd><dt>Weight</dt><dd>3 kg</dd></dl></body></html>"""
_pair(
    "dl: entry inserted, values changed",
    DL,
    "30 cm",
    DL.replace("<dl>", "<dl><dt>Colour</dt><dd>red</dd>").replace("30 cm", "31 cm").replace("12 cm", "13 cm"),
    "31 cm",
)
_pair("dl: width gone", DL, "30 cm", DL.replace("<dt>Width</dt><dd>30 cm</dd>", ""), None)
_pair(
    "dl: width gone, height now 30",
    DL,
    "30 cm",
    DL.replace("<dt>Width</dt><dd>30 cm</dd>", "").replace("45 cm", "30 cm"),
    None,
)
_pair(
    "dl: labels swapped order",
    DL,
    "30 cm",
    DL.replace(
        "<dt>Width</dt><dd>30 cm</dd><dt>Height</dt><dd>45 cm</dd>",
        "<dt>Height</dt><dd>44 cm</dd><dt>Width</dt><dd>29 cm</dd>",
    ),
    "29 cm",
)
_pair(
    "dl: becomes table",
    DL,
    "30 cm",
    "<html><body><table><tr><th>Depth</th><td>12 cm</td></tr><tr><th>Width</th><td>33 cm</td></tr><tr><th>Height</th><td>45 cm</td></tr><tr><th>Weight</th><td>3 kg</td></tr></table></body></html>",
    "33 cm",
)
_pair(
    "dl: German labels",
    DL,
    "30 cm",
    "<html><body><dl><dt>Tiefe</dt><dd>12 cm</dd><dt>Breite</dt><dd>30 cm</dd><dt>Hoehe</dt><dd>45 cm</dd><dt>Gewicht</dt><dd>3 kg</dd></dl></body></html>",
    "30 cm",
)
_pair(
    "dl: German labels, width gone, depth=30",
    DL,
    "30 cm",
    "<html><body><dl><dt>Tiefe</dt><dd>30 cm</dd><dt>Hoehe</dt><dd>45 cm</dd><dt>Gewicht</dt><dd>3 kg</dd></dl></body></html>",
    None,
)

FLEET = """<html><body><h1>Fleet</h1><div class="s"><div class="c"><em>Ships</em><b>12</b></div><div class="c"><em>Boats</em><b>41</b></div><div class="c"><em>Rafts</em><b>77</b></div></div></body></html>"""
_pair(
    "labels below & boats gone",
    FLEET,
    "41",
    '<html><body><h1>Fleet</h1><div class="s"><div class="c"><b>13</b><em>Ships</em></div><div class="c"><b>79</b><em>Rafts</em></div></div></body></html>',
    None,
)

WEATHER = """<html><body><h1>Weather in Porto</h1><div class="days">{}</div></body></html>"""


def _days(*d: tuple[str, str, str]) -> str:
    return WEATHER.format(
        "".join(f'<div class="day"><span>{a}</span><strong>{b}°</strong><em>{c}</em></div>' for a, b, c in d)
    )


WEEK = _days(("Mon", "21", "sunny"), ("Tue", "19", "rain"), ("Wed", "23", "cloudy"), ("Thu", "18", "rain"))
_pair(
    "days shift",
    WEEK,
    "19°",
    _days(("Tue", "17", "rain"), ("Wed", "22", "cloudy"), ("Thu", "18", "sunny"), ("Fri", "19", "rain")),
    "17°",
)
_pair(
    "days shift past picked",
    WEEK,
    "19°",
    _days(("Wed", "22", "cloudy"), ("Thu", "19", "sunny"), ("Fri", "20", "rain")),
    None,
)
_pair(
    "same weekday shape: rain picked of Tue",
    WEEK,
    "rain",
    _days(("Tue", "17", "storm"), ("Wed", "22", "cloudy"), ("Thu", "18", "rain")),
    "storm",
    0,
)
_pair(
    "all values change, order same",
    WEEK,
    "19°",
    _days(("Mon", "11", "fog"), ("Tue", "12", "fog"), ("Wed", "13", "fog"), ("Thu", "14", "fog")),
    "12°",
)
AUCTION = """<html><body><main><h1>Old clock</h1><div class="bids"><p>Start bid <b>10.00 EUR</b></p><p>Current bid <b>42.00 EUR</b></p><p>Buy now <b>99.00 EUR</b></p></div><p class="by">Sold by Anna</p></main></body></html>"""
_pair(
    "auction ended: current bid gone",
    AUCTION,
    "42.00 EUR",
    AUCTION.replace("<p>Current bid <b>42.00 EUR</b></p>", ""),
    None,
)
_pair(
    "auction ended: becomes final",
    AUCTION,
    "42.00 EUR",
    AUCTION.replace("<p>Current bid <b>42.00 EUR</b></p>", "<p>Final price <b>61.00 EUR</b></p>").replace(
        "<p>Buy now <b>99.00 EUR</b></p>", ""
    ),
    None,
)
_pair(
    "auction: buy now gone, bid raised",
    AUCTION,
    "42.00 EUR",
    AUCTION.replace("42.00", "55.00").replace("<p>Buy now <b>99.00 EUR</b></p>", ""),
    "55.00 EUR",
)
_pair(
    "auction: buy now reaches 42",
    AUCTION,
    "42.00 EUR",
    AUCTION.replace("42.00", "55.00").replace("99.00", "42.00"),
    "55.00 EUR",
)
_pair(
    "auction: current bid moved to the end",
    AUCTION,
    "42.00 EUR",
    AUCTION.replace("<p>Current bid <b>42.00 EUR</b></p>", "").replace(
        "Sold by Anna</p>", "Sold by Anna</p><p>Current bid <b>43.00 EUR</b></p>"
    ),
    "43.00 EUR",
)
_pair(
    "auction: pick line: gone",
    AUCTION,
    "Current bid 42.00 EUR",
    AUCTION.replace("<p>Current bid <b>42.00 EUR</b></p>", ""),
    None,
)
_pair(
    "auction: pick line: raised",
    AUCTION,
    "Current bid 42.00 EUR",
    AUCTION.replace("42.00", "57.50"),
    "Current bid 57.50 EUR",
)
PLANS = """<html><body><div class="flex"><div class="p-4 w-1/2"><div class="text-lg">Plan Basic</div><div class="text-3xl">5 €</div><div class="text-sm">per month</div></div><div class="p-4 w-1/2"><div class="text-lg">Plan Pro</div><div class="text-3xl">15 €</div><div class="text-sm">per month</div></div></div></body></html>"""
_pair(
    "plans: tailwind, third plan inserted in the middle",
    PLANS,
    "15 €",
    PLANS.replace(
        '<div class="p-4 w-1/2"><div class="text-lg">Plan Pro',
        '<div class="p-4 w-1/2"><div class="text-lg">Plan Plus</div><div class="text-3xl">9 €</div><div class="text-sm">per month</div></div><div class="p-4 w-1/2"><div class="text-lg">Plan Pro',
    ).replace("15 €", "17 €"),
    "17 €",
)
_pair("plans: pro gone, team added", PLANS, "15 €", PLANS.replace("Plan Pro", "Team").replace("15 €", "30 €"), None)
_pair(
    "plans: pro gone; basic costs 15",
    PLANS,
    "15 €",
    PLANS[: PLANS.index('<div class="p-4 w-1/2"><div class="text-lg">Plan Pro')].replace("5 €", "15 €")
    + "</div></body></html>",
    None,
)
_pair(
    "plans: order changed, price per year",
    PLANS,
    "15 €",
    '<html><body><div class="flex"><div class="p-4 w-1/2"><div class="text-lg">Plan Pro</div><div class="text-3xl">150 €</div><div class="text-sm">per year</div></div><div class="p-4 w-1/2"><div class="text-lg">Plan Basic</div><div class="text-3xl">50 €</div><div class="text-sm">per year</div></div></div></body></html>',
    "150 €",
)
_pair(
    "plans: classes all anew",
    PLANS,
    "15 €",
    PLANS.replace("text-3xl", "h-9").replace("text-lg", "t1").replace("p-4 w-1/2", "col").replace("15 €", "16 €"),
    "16 €",
)
COMMENTS = """<html><body><h1>Comments</h1><div class="c"><a class="who" href="/u/anna">Anna</a><span class="likes">5 likes</span><p>I like the bridge.</p></div><div class="c"><a class="who" href="/u/bob">Bob</a><span class="likes">2 likes</span><p>Too expensive for us.</p></div><div class="c"><a class="who" href="/u/anna">Anna</a><span class="likes">1 likes</span><p>Not at all, Bob.</p></div></body></html>"""
COMMENT = '<div class="c"><a class="who" href="/u/{0}">{1}</a><span class="likes">{2} likes</span><p>{3}</p></div>'
_pair(
    "likes of Bob; new on top",
    COMMENTS,
    "2 likes",
    COMMENTS.replace("<h1>Comments</h1>", "<h1>Comments</h1>" + COMMENT.format("eve", "Eve", 2, "Fine.")).replace(
        "2 likes</span><p>Too", "4 likes</span><p>Too"
    ),
    "4 likes",
)
_pair(
    "likes of Bob; Bob deleted, Eve has 2",
    COMMENTS,
    "2 likes",
    COMMENTS.replace(
        '<a class="who" href="/u/bob">Bob</a><span class="likes">2 likes</span><p>Too expensive for us.',
        '<a class="who" href="/u/eve">Eve</a><span class="likes">2 likes</span><p>Fine.',
    ),
    None,
)
_pair(
    "likes of first Anna; it is deleted",
    COMMENTS,
    "5 likes",
    COMMENTS.replace(
        '<div class="c"><a class="who" href="/u/anna">Anna</a><span class="likes">5 likes</span><p>I like the bridge.</p></div>',
        "",
    ),
    None,
)
_pair(
    "likes of first Anna; second Anna deleted",
    COMMENTS,
    "5 likes",
    COMMENTS.replace(
        '<div class="c"><a class="who" href="/u/anna">Anna</a><span class="likes">1 likes</span><p>Not at all, Bob.</p></div>',
        "",
    ).replace("5 likes", "6 likes"),
    "6 likes",
)
_pair(
    "likes of first Anna; third Anna on top",
    COMMENTS,
    "5 likes",
    COMMENTS.replace(
        "<h1>Comments</h1>", "<h1>Comments</h1>" + COMMENT.format("anna", "Anna", 3, "Hello again.")
    ).replace("5 likes", "6 likes"),
    "6 likes",
)
MENU = """<html><body><h1>Canteen</h1><p><b>Monday</b> Soup with bread</p><p><b>Tuesday</b> Fish and potatoes</p><p><b>Wednesday</b> Rice with beans</p></body></html>"""
_pair("menu: new dish", MENU, "Tuesday Fish and potatoes", MENU.replace("Fish and potatoes", "Pasta"), "Tuesday Pasta")
_pair(
    "menu: Tuesday gone (holiday)",
    MENU,
    "Tuesday Fish and potatoes",
    MENU.replace("<p><b>Tuesday</b> Fish and potatoes</p>", ""),
    None,
)
_pair(
    "menu: fish on Wednesday",
    MENU,
    "Tuesday Fish and potatoes",
    MENU.replace("<b>Tuesday</b> Fish and potatoes", "<b>Tuesday</b> Rice with beans").replace(
        "<b>Wednesday</b> Rice with beans", "<b>Wednesday</b> Fish and potatoes"
    ),
    "Tuesday Rice with beans",
)
BILL = """<html><body><table><tr><td>Subtotal</td><td>40.00</td></tr><tr><td>Shipping</td><td>5.00</td></tr><tr><td>Total</td><td>45.00</td></tr></table></body></html>"""
_pair(
    "total: shipping gone",
    BILL,
    "45.00",
    BILL.replace("<tr><td>Shipping</td><td>5.00</td></tr>", "").replace("45.00", "40.00"),
    "40.00",
)
_pair(
    "shipping gone",
    BILL,
    "5.00",
    BILL.replace("<tr><td>Shipping</td><td>5.00</td></tr>", "").replace("45.00", "40.00"),
    None,
)
_pair(
    "shipping renamed delivery",
    BILL,
    "5.00",
    BILL.replace("Shipping", "Delivery").replace("5.00</td></tr><tr><td>Total", "6.00</td></tr><tr><td>Total"),
    None,
)
_pair(
    "tax row inserted",
    BILL,
    "45.00",
    BILL.replace("<tr><td>Total", "<tr><td>Tax</td><td>7.20</td></tr><tr><td>Total").replace("45.00", "52.20"),
    "52.20",
)
_pair(
    "total above, subtotal below",
    BILL,
    "45.00",
    "<html><body><table><tr><td>Total</td><td>46.00</td></tr><tr><td>Shipping</td><td>5.00</td></tr><tr><td>Subtotal</td><td>41.00</td></tr></table></body></html>",
    "46.00",
)
TILES = """<html><body><div><div><div><span>Users online</span><div>1,204</div></div><div><span>Servers</span><div>88</div></div><div><span>Errors</span><div>3</div></div></div></div></body></html>"""
_pair(
    "nameless: wrapped, changed",
    TILES,
    "1,204",
    TILES.replace("<body><div>", "<body><div><section><div>")
    .replace("</div></body>", "</div></section></div></body>")
    .replace("1,204", "1,377")
    .replace("88", "90"),
    "1,377",
)
_pair(
    "nameless: removed", TILES, "1,204", TILES.replace("<div><span>Users online</span><div>1,204</div></div>", ""), None
)
_pair(
    "nameless: label changed & value changed",
    TILES,
    "1,204",
    TILES.replace("Users online", "People here").replace("1,204", "1,377"),
    None,
)
_pair(
    "nameless: label removed from all",
    TILES,
    "1,204",
    TILES.replace("<span>Users online</span>", "")
    .replace("<span>Servers</span>", "")
    .replace("<span>Errors</span>", "")
    .replace("1,204", "1,300"),
    None,
)
_pair(
    "nameless: servers now first, users gone, same count",
    TILES,
    "88",
    "<html><body><div><div><div><span>Errors</span><div>88</div></div></div></div></body></html>",
    None,
)
PORT = """<html><body><h1>Deep sea port</h1><p class="lead">Ships wait for a berth.</p><h2>Ships in port</h2><p>14</p><h2>Ships expected</h2><p>9</p><h2>Pilots</h2><p>4</p></body></html>"""
_pair("port: section gone", PORT, "9", PORT.replace("<h2>Ships expected</h2><p>9</p>", ""), None)
_pair("port: value", PORT, "9", PORT.replace("<p>9</p>", "<p>11</p>"), "11")
_pair(
    "port: order",
    PORT,
    "14",
    PORT.replace("<h2>Ships in port</h2><p>14</p>", "").replace("<p>4</p>", "<p>4</p><h2>Ships in port</h2><p>15</p>"),
    "15",
)
_pair(
    "port: inserted paragraph before value", PORT, "9", PORT.replace("<p>9</p>", "<p>As of today:</p><p>12</p>"), None
)

TOOL = """<html><body><header><ul class="nav"><li><a href="/">Home</a></li><li><a href="/docs">Docs</a></li><li><a class="dl" href="/f/1.2.zip">Download 1.2</a></li></ul></header><main><h1>Tool</h1><p>It does things well and quickly, for everybody.</p><section class="hero"><h2 class="headline"><a href="/n/9">Tool 1.2 is out</a></h2><p>New and better.</p></section><ul class="news"><li><a href="/n/8">Meeting in May</a></li><li><a href="/n/7">New server</a></li><li><a href="/n/6">Old bug fixed</a></li></ul></main></body></html>"""
_pair(
    "download button in a menu: new version",
    TOOL,
    "Download 1.2",
    TOOL.replace("1.2.zip", "1.3.zip").replace("Download 1.2", "Download 1.3"),
    "Download 1.3",
    -1,
    "a",
)
_pair(
    "download button gone",
    TOOL,
    "Download 1.2",
    TOOL.replace('<li><a class="dl" href="/f/1.2.zip">Download 1.2</a></li>', ""),
    None,
    -1,
    "a",
)
_pair(
    "download becomes donate",
    TOOL,
    "Download 1.2",
    TOOL.replace('/f/1.2.zip">Download 1.2', '/give">Donate'),
    None,
    -1,
    "a",
)
_pair(
    "headline: another story, same unique class",
    TOOL,
    "Tool 1.2 is out",
    TOOL.replace("/n/9", "/n/10").replace("Tool 1.2 is out", "We moved to Turin"),
    "We moved to Turin",
    -1,
    "h2",
)
_pair("news item gone", TOOL, "New server", TOOL.replace('<li><a href="/n/7">New server</a></li>', ""), None, -1, "a")
_pair(
    "news item gone, new item there",
    TOOL,
    "New server",
    TOOL.replace('/n/7">New server', '/n/10">Summer party'),
    None,
    -1,
    "a",
)
_pair("news item: links all new", TOOL, "New server", TOOL.replace("/n/", "/news/2026/"), "New server", -1, "a")
_pair(
    "whole news list: new item on top",
    TOOL,
    "Meeting in May New server Old bug fixed",
    TOOL.replace('<ul class="news">', '<ul class="news"><li><a href="/n/11">Release party</a></li>').replace(
        '<li><a href="/n/6">Old bug fixed</a></li>', ""
    ),
    "Release party Meeting in May New server",
)
_pair(
    "whole news list: all items new",
    TOOL,
    "Meeting in May New server Old bug fixed",
    TOOL.replace('/n/8">Meeting in May', '/n/12">Poster')
    .replace('/n/7">New server', '/n/13">Shirts')
    .replace('/n/6">Old bug fixed', '/n/14">Cups'),
    "Poster Shirts Cups",
)
_pair(
    "whole news list, class gone: all items new",
    TOOL,
    "Meeting in May New server Old bug fixed",
    TOOL.replace(' class="news"', "")
    .replace('/n/8">Meeting in May', '/n/12">Poster')
    .replace('/n/7">New server', '/n/13">Shirts')
    .replace('/n/6">Old bug fixed', '/n/14">Cups'),
    None,
)
_pair(
    "list gone, nav stays",
    TOOL,
    "Meeting in May New server Old bug fixed",
    TOOL[: TOOL.index('<ul class="news">')] + "</main></body></html>",
    None,
)
_pair(
    "header gone, its copy for phones stays, without classes",
    SHOP,
    "Kettle House Tea Pots",
    _bare(SHOP).replace("<header>", '<div class="mobile">').replace("</header>", "</div>"),
    None,
    -1,
    "header",
)
_pair(
    "header gone, its copy for phones stays, without classes and with an entry more",
    SHOP,
    "Kettle House Tea Pots",
    _bare(SHOP).replace(
        '<header><a href="/">Kettle House</a><nav><a href="/tea">Tea</a><a href="/pots">Pots</a></nav></header>',
        '<div class="mobile"><a href="/">Kettle House</a><nav><a href="/tea">Tea</a><a href="/sale">Sale</a>'
        '<a href="/pots">Pots</a></nav></div>',
    ),
    None,
    -1,
    "header",
)


def _menu(name: str) -> str:
    entries = "".join(
        f'<li class="entry"><div class="box"><p><span><a href="/{one.lower()}">{one}</a></span></p></div></li>'
        for one in ("Harbour", "Ferries", "Tides")
    )
    return f'<div class="menu {name}"><ul class="list">{entries}</ul></div>'


TWICE = f"""<html><body><div id="menus">{_menu("header-open")}{_menu("header-collapsed")}</div>
<main><h1>Timetable</h1><p>Ferries leave every hour.</p></main></body></html>"""
_pair("one of two equal menus, told by a class: the class stays", TWICE, "Ferries", TWICE, "Ferries", -1, "span")
_pair("one of two equal menus, told by a class that is gone", TWICE, "Ferries", _bare(TWICE), None, -1, "span")
BEDS = """<html><body><main><h1>Beds</h1>{}</main></body></html>""".format(
    "".join(
        f"<p>{name}</p><h3>Considerations</h3><ul><li>{price}</li><li>{other}</li></ul>"
        for name, price, other in (
            ("Cloud", "Higher price point ($1,499 for a queen)", "May feel too firm"),
            ("Moss", "Premium price ($2,373 for a queen)", "May feel too firm"),
            ("Stone", "Slightly pricey ($1,599 for a queen)", "May feel too firm"),
        )
    )
)
_pair(
    "a price in words of its own, while all prices change",
    BEDS,
    "Higher price point ($1,499 for a queen)",
    BEDS.replace("1,499", "4,254").replace("2,373", "6,767").replace("1,599", "9,679"),
    "Higher price point ($4,254 for a queen)",
)
STAND = """<html><body><header><p>Kettle House</p></header><main><h1>Tools</h1><p class="count">3 tools</p><ul class="results">{}</ul></main>
<footer><p>Imprint</p></footer></body></html>"""
_TOOLS = (("Silent router D28", 210, "89.00"), ("Cordless boiler", 220, "59.00"), ("Compact plane", 230, "49.00"))


def _offers(*without: str, by: str = "") -> str:
    return "".join(
        f'<li class="item"><h2><a href="/p/{number}">{name}</a></h2><span class="cost">{price}{by} EUR</span></li>'
        for name, number, price in _TOOLS
        if name not in without
    )


def _with_copy(first: str, second: str) -> str:
    """The list, and its copy for phones."""
    return STAND.format(f'{first}</ul><div class="visible-xs"><ul class="results">{second}</ul></div><ul>')


_pair(
    "a list once more for phones", STAND.format(_offers()), "59.00 EUR", _with_copy(_offers(), _offers()), "59.00 EUR"
)
_pair(
    "a list once more for phones, whose copy has the old prices",
    STAND.format(_offers()),
    "59.00 EUR",
    _with_copy(_offers(by="7"), _offers()),
    "59.007 EUR",
)
_pair(
    "an item is gone, but not in the copy of its list",
    STAND.format(_offers() + "<li>More tomorrow</li>"),
    "59.00 EUR",
    _with_copy(_offers("Cordless boiler") + "<li>More tomorrow</li>", _offers() + "<li>More tomorrow</li>"),
    None,
)
_pair(
    "a sentence once more for phones",
    STAND.format(_offers()),
    "3 tools",
    STAND.format(_offers()).replace(
        '<p class="count">3 tools</p>',
        '<p class="count">3 tools</p><div class="phone"><p class="count">3 tools</p></div>',
    ),
    "3 tools",
)
_pair(
    "a title with a number in another place of its list, while all prices change and sections are divisions",
    STAND.format(_offers()).replace("<main>", "<main><section>").replace("</main>", "</section></main>"),
    "Silent router D28",
    STAND.format(_offers("Silent router D28", by="3") + _offers("Cordless boiler", "Compact plane", by="3")),
    "Silent router D28",
)
_pair(
    "the name in the header is gone, but not in its copy for phones, without classes",
    SHOP,
    "Kettle House",
    _bare(SHOP)
    .replace('<a href="/">Kettle House</a>', "<a href='/cart'>Cart</a><a href='/help'>Help</a>")
    .replace(
        "<footer>",
        '<div class="mobile"><a href="/">Kettle House</a><nav><a href="/tea">Tea</a><a href="/pots">Pots</a></nav>'
        "<a href='/cart'>Cart</a><a href='/help'>Help</a></div><footer>",
    ),
    None,
)
MANUAL = """<html><body><div class="layout"><main><h1>Manual</h1><p>Read it first.</p></main><aside class="sidebar"><ul><li>Install</li>
<li>Remove</li></ul><p class="version">Version 3.5.6</p></aside></div><footer><h4>About</h4></footer></body></html>"""
_ASIDE = MANUAL[MANUAL.index("<aside") : MANUAL.index("</div><footer>")]
_pair(
    "the box of a version goes to the other side, and what stands before it is gone",
    MANUAL,
    "Version 3.5.6",
    MANUAL.replace(_ASIDE, "").replace("<main>", _ASIDE.replace("<li>Remove</li>", "") + "<main>"),
    "Version 3.5.6",
)
_pair(
    "a price is gone, and an advertisement with a price stands in its place",
    SHOP,
    PRICE,
    SHOP.replace(
        '<span class="now-price">74.50 EUR</span>',
        '<div class="ad"><p>Advertisement</p><a href="/ad/1">Winter sale of warm blankets near you</a> <b>32.50 EUR</b></div>',
    ),
    None,
)
