from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from picks.run import judge, pairs
from veille.core.extract import Options, extract_page
from veille.core.kinds import kind_of
from veille.core.models import Document, Request, Source
from veille.core.pick.finding import find_part, part_of
from veille.core.pick.flat import FlatPage
from veille.core.pick.identity import part_key
from veille.core.pick.names import names_of
from veille.core.pick.part import PagePart
from veille.core.pick.snapshot import MOST_ELEMENTS, snapshot_of
from veille.core.show.pointing import items_taken, parts_taken, pictured
from veille.core.traffic import Payload
from veille.errors import ConfigError, ReadError

SHOP = (
    "<body><main><h1>Tea</h1><div class=box><p>Price <span class=price>12.90 EUR</span></p>"
    "<p id=views>seen <b>12</b> times</p></div></main><aside><h2>Also</h2><ul>"
    "<li><a href=/a>Cup</a> <span class=price>3 EUR</span></li>"
    "<li><a href=/b>Pot</a> <span class=price>4 EUR</span></li></ul></aside>"
)


def _flat(html: str) -> FlatPage:
    return FlatPage(LexborHTMLParser(html))


def _picked(html: str, text: str) -> PagePart:
    page = _flat(html)
    return part_of(page, next(n for n in range(len(page) - 1, -1, -1) if page.text(n) == text))


def _payload(html: str) -> Payload:
    return Payload(
        url="http://a.example/",
        final_url="http://a.example/",
        status=200,
        media_type="text/html",
        fetched_at=0,
        body=html.encode(),
    )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", [200, 203])
def test_parts_are_found_again_or_declared_lost_and_never_another_is_taken(seed: int) -> None:
    verdicts = [judge(pair) for pair in pairs(60, seed)]
    wrong = [(one.pair.name, one.pair.changes, one.why) for one in verdicts if one.outcome == "wrong"]
    there = [one for one in verdicts if one.pair.truth is not None and one.outcome != "refused"]
    assert not wrong
    assert sum(one.outcome == "found" for one in there) >= 0.95 * len(there)


def test_the_author_of_a_post_that_is_gone_is_not_the_author_of_the_next_one() -> None:
    def forum(*posts: tuple[str, str]) -> str:
        shown = (f"<div class=post><p class=head><b>{who}</b> wrote</p><p>{what}</p></div>" for who, what in posts)
        return f"<body><main><h1>Markets of Lyon</h1><div id=posts>{''.join(shown)}</div></main>"

    old, new = ("Jonas", "The engine of Tartu is old."), ("Jonas", "The garden of Turin is new.")
    third, fresh = ("Mona", "Nobody saw the museum."), ("Jonas", "I was there today.")
    page = _flat(forum(old, new, third))
    part = part_of(page, next(n for n in range(len(page)) if (page.tags[n], page.text(n)) == ("b", "Jonas")))
    assert find_part(page, part).n is not None
    assert find_part(_flat(forum(new, third)), part).n is None
    assert find_part(_flat(forum(fresh, old, new, third)), part).n is None


def test_an_entry_of_a_menu_that_is_gone_with_its_neighbour_is_not_its_copy_for_phones() -> None:
    def menu(*entries: str) -> str:
        return "".join(f"<li><a href=/{one.lower()}>{one}</a></li>" for one in entries)

    all_of_them = menu("Cups", "Blankets", "Lamps", "Pillows", "Market")
    frame = "<header class=site-header><a class=logo href=/>Shop</a><nav class=menu><ul>{}</ul></nav></header>"
    rest = "<main class=content><h1>Roofs of Ghent</h1><p class=lead>They are bright again.</p></main>"
    page = _flat(f"<body>{frame.format(all_of_them)}{rest}")
    part = part_of(page, next(n for n in range(len(page)) if (page.tags[n], page.text(n)) == ("li", "Market")))
    copied = f"<div class=mobile><a class=logo href=/>Shop</a><nav class=menu><ul>{all_of_them}</ul></nav></div>"
    assert find_part(_flat(f"<body>{copied}{frame.format(menu('Blankets', 'Lamps'))}{rest}"), part).n is None
    both = _flat(f"<body>{copied}{frame.format(all_of_them)}{rest}")
    found = find_part(both, part).n
    assert found is not None
    assert "header" in [both.tags[n] for n in both.above(found)]


def test_a_heading_that_is_gone_is_not_the_button_for_phones_beside_it() -> None:
    def footer(heading: str) -> str:
        lists = "".join(
            f"<li><button aria-label='{title}'><span>{title}</span></button>{made}<ul><li><a href=/x>{link}</a></ul>"
            for title, made, link in (
                ("About us", "<h3><span>About us</span></h3>", "Careers"),
                ("Printing", heading, "Books for publishers"),
                ("Reuters", "<h3><span>Reuters</span></h3>", "Agency"),
            )
        )
        return f"<body><main><h1>News</h1><p>All of today.</p></main><footer><nav><ul>{lists}</ul></nav></footer>"

    page = _flat(footer("<h3><span>Printing</span></h3>"))
    for tag in ("h3", "span"):
        part = part_of(page, max(n for n in range(len(page)) if (page.tags[n], page.text(n)) == (tag, "Printing")))
        assert find_part(page, part).n is not None
        assert find_part(_flat(footer("")), part).n is None


def test_a_part_that_is_gone_is_not_an_advertisement_with_a_price_in_its_place() -> None:
    box = "<div class=buy-box><p>Price <b>$78.30</b></p><p>Shipping <b>$5.10</b></p><p>In stock: <b>61</b></p></div>"
    shop = (
        f"<body><main><article id=product><h1>Compass</h1>{box}"
        "<div class=about><h2>Description</h2><p>It shows where north is, in the dark, too.</p></div></article></main>"
    )
    part = _picked(shop, "Price $78.30 Shipping $5.10 In stock: 61")
    ad = "<div class=ad><p>Advertisement</p><a href=/ad/4>Smoked tea near Lisbon</a> <b>$214.28</b></div>"
    page = _flat(shop.replace(box, ad).replace("class=about", "class=flex"))
    assert find_part(page, part).n is None
    dearer = _flat(shop.replace("$78.30", "$81.00").replace("class=buy-box", "class=shop"))
    found = find_part(dearer, part).n
    assert found is not None
    assert dearer.text(found) == "Price $81.00 Shipping $5.10 In stock: 61"


def test_a_part_that_is_gone_is_not_its_copy_in_a_menu_for_phones() -> None:
    """Its neighbours stood twice before, so nothing but how often they stand, and where, tells the copy."""
    links = "<li><a href=/plan>Our plan</a></li><li><a href=/help>Volunteer</a></li><li><a href=/give>Donate</a></li>"
    menu = f"<nav class=wide><ul class=places>{links}</ul></nav>"
    footer = "<footer><p><a href=/plan>Our plan</a></p><p><a href=/give>Donate</a></p></footer>"
    body = f"<main><h1>Gardens</h1><p>{'Roses and more. ' * 9}</p></main>{footer}"
    before = f"<body><header class=top>{menu}</header>{body}"
    copied = f"{before}<div class=mobile>{menu}</div>"
    part = _picked(before, "Volunteer")
    assert part.times == (1, 2, 2)
    found, page = find_part(_flat(copied), part), _flat(copied)
    assert found.n is not None
    assert "header" in [page.tags[one] for one in page.above(found.n)]
    gone = copied.replace("<li><a href=/help>Volunteer</a></li>", "", 1)
    assert find_part(_flat(gone), part).n is None


@contextmanager
def _counted() -> Iterator[list[int]]:
    """How many Python functions are called."""
    calls = [0]

    def count(_frame: object, event: str, _given: object) -> None:
        calls[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def _calls_to_find(rows: int) -> int:
    """The Python functions that are called to find a cell of a long table again."""
    made = "".join(
        f"<tr class=row><td class=a>{name} {name}</td><td class=price>{i}.90 EUR</td></tr>"
        for i, name in enumerate("".join(chr(97 + int(sign)) for sign in f"{i:05}") for i in range(rows))
    )
    html = f"<body><h1>Tea</h1><table class=data>{made}</table>"
    part, page = _picked(html, "77.90 EUR"), _flat(html.replace(">77.90", ">78.95"))
    with _counted() as calls:
        found = find_part(page, part)
    assert found.n is not None
    assert page.text(found.n) == "78.95 EUR"
    return calls[0]


def test_an_element_more_on_a_very_large_page_is_hardly_more_work() -> None:
    small, large = _calls_to_find(2_000), _calls_to_find(5_000)
    assert (large - small) / (3 * 3_000) < 25


def test_a_copy_in_other_surroundings_is_not_taken_for_a_part_that_is_gone() -> None:
    part = _picked(SHOP, "Cup")
    gone = SHOP.replace("<li><a href=/a>Cup</a> <span class=price>3 EUR</span></li>", "")
    copied = gone.replace("<body>", "<body><div class=promo><h4>Buy now</h4><em>Cup</em><p>and more</p></div>")
    assert find_part(_flat(copied), part).n is None


def _posts(*names: str) -> str:
    made = "".join(
        f"<div class=post><div class=head><b>{name}</b> wrote on <span class=when>2026-0{n}-11</span></div>"
        f"<p>Words of {name}, all their own, number {n}.</p></div>"
        for n, name in enumerate(names, 1)
    )
    return f"<body><main><h1>Talk</h1><div id=posts>{made}</div><p>The end</p></main>"


def test_the_title_of_a_whole_list_is_not_that_of_an_item_in_it() -> None:
    before = _posts("Mona", "Greta", "Elif", "Bruno", "Pablo", "Nils", "Olga", "Ines")
    part = _picked(before, "2026-01-11")
    gone = before.replace("<span class=when>2026-01-11</span>", "")
    # A list beside another has a title of its own: that of its first item.
    beside = gone.replace("<p>The end", "<div class=ad>Buy now</div><p>The end")
    assert find_part(_flat(beside), part).n is None


def test_the_copy_of_a_link_in_another_menu_is_not_taken_for_it() -> None:
    menus = "".join(
        f"<nav class={name}><div class={name}-item><a href=/shop>shop</a></div><a href=/about>about us</a></nav>"
        for name in ("wide", "narrow")
    )
    page = f"<body><header>{menus}</header><main><p>Tea of the harbour</p></main>"
    flat = _flat(page)
    part = part_of(flat, [n for n in range(len(flat)) if flat.tags[n] == "a" and flat.text(n) == "shop"][1])
    assert find_part(flat, part).n is not None
    gone = page.replace("<div class=narrow-item><a href=/shop>shop</a></div>", "")
    assert find_part(_flat(gone), part).n is None


def test_a_number_that_is_another_ones_now_does_not_stand_for_the_part() -> None:
    tiles = "".join(
        f"<div class=tile><h3>{name}</h3><p class=trend>{n} % since yesterday</p></div>"
        for n, name in enumerate(("Boot", "Stove", "Jacket"), 1)
    )
    page = f"<body><main><h1>Today</h1>{tiles}</main>"
    part = _picked(page, "3 % since yesterday")
    promo = "<div class=promo><h4>Malmo finds a simple engine</h4><p class=trend>3 % since yesterday</p></div></main>"
    changed = _flat(page.replace("3 % since", "8 % since").replace("</main>", promo))
    found = find_part(changed, part)
    assert found.n is None or changed.text(found.n) == "8 % since yesterday"


def test_what_was_told_by_its_text_alone_is_lost_with_its_text() -> None:
    code = "<body><h2>Use</h2><pre>" + "".join(f"read(<i class=s>'{word}'</i>); " for word in ("a1", "port", "b2"))
    part = _picked(code, "'port'")
    assert find_part(_flat(code), part).n is not None
    assert find_part(_flat(code.replace("'port'", "'message'")), part).n is None


def test_another_item_in_the_same_place_of_a_list_is_not_taken() -> None:
    listed = "".join(f"<li><a href=/{n}>{word} news today</a></li>" for n, word in enumerate(("Old", "Rare", "Late")))
    page = f"<body><aside><h2>Most read</h2><ol>{listed}</ol></aside>"
    part = part_of(_flat(page), [n for n, tag in enumerate(_flat(page).tags) if tag == "li"][1])
    other = page.replace("<a href=/1>Rare news today", "<a href=/9>Green school")
    assert find_part(_flat(other), part).n is None


def test_a_part_that_grew_is_found_and_not_what_is_left_of_it_inside() -> None:
    page = "<body><header class=top><nav class=menu><ul><li>Old bridge road</li><li>Green lamp</li></ul></nav></header>"
    flat = _flat(page)
    part = part_of(flat, flat.tags.index("nav"))
    grown = _flat(page.replace("class=menu>", "class=new><div class=ad><b>Buy now</b> and more</div>"))
    found = find_part(grown, part)
    assert found.n is not None
    assert grown.tags[found.n] == "nav"


def test_a_part_of_a_translated_page_is_found_by_its_link() -> None:
    part = _picked(SHOP, "Pot")
    words = {"Tea": "Tee", "Price": "Preis", "seen": "gesehen", "times": "mal", "Also": "Auch", "Cup": "Tasse"}
    translated = SHOP.replace("Pot", "Kanne")
    for word, other in words.items():
        translated = translated.replace(word, other)
    page = _flat(translated)
    found = find_part(page, part)
    assert found.n is not None
    assert page.text(found.n) == "Kanne"


def test_a_price_is_found_after_new_classes_wrappers_and_a_new_price() -> None:
    part = _picked(SHOP, "12.90 EUR")
    changed = SHOP.replace("class=price", "class=css-x81f2").replace("<p>Price", "<div><p>Price", 1)
    page = _flat(changed.replace("12.90", "13.90"))
    found = find_part(page, part)
    assert found.n is not None
    assert page.text(found.n) == "13.90 EUR"


def test_a_part_that_is_gone_is_not_replaced_by_one_like_it() -> None:
    part = _picked(SHOP, "12.90 EUR")
    assert find_part(_flat(SHOP.replace("<span class=price>12.90 EUR</span>", "")), part).n is None


def test_names_made_by_programs_are_not_trusted() -> None:
    given = {"id": "ember123", "class": "css-1x2y3z price__3xY2z is-open buy", "itemprop": "price"}
    assert names_of(given) == ('[itemprop="price"]', ".price", ".buy")


def test_only_the_parts_are_read_in_their_order_and_without_what_is_ignored() -> None:
    page = _flat(SHOP)
    views = next(n for n in range(len(page)) if page.attributes[n].get("id") == "views")
    options = Options(
        mode="parts",
        parts=(part_of(page, views), _picked(SHOP, "12.90 EUR")),
        without=(_picked(SHOP, "12"),),
    )
    found = extract_page(SHOP.replace("12.90", "14.50"), "http://a.example/", options)
    assert found.content is not None
    assert found.content.text == "14.50 EUR\n\nseen times"
    with pytest.raises(ReadError) as lost:
        extract_page("<body><main><h1>Closed</h1><p>We moved away.</p></main>", "http://a.example/", options)
    assert lost.value.code == "part_lost"


def test_a_page_without_a_part_is_the_document_of_the_page_unless_it_is_to_have_its_own() -> None:
    part, other = (
        _picked(SHOP, text).model_dump(mode="json", exclude_defaults=True) for text in ("12.90 EUR", "4 EUR")
    )
    leaves: list[dict[str, Any]] = [
        {"without": [one], **own} for own in ({}, {"own_document": True}) for one in (part, other)
    ]
    assert [bool(part_key(config)) for config in leaves] == [False, False, True, True]
    assert part_key(leaves[2]) != part_key(leaves[3])
    assert part_key({"parts": [part], "without": [other]}) == part_key({"parts": [part]}), "as it is stored"
    keys = [_keys_of(config) for config in ({}, *leaves)]
    assert keys[0] == keys[1] == keys[2]
    assert not set(keys[0]) & set(keys[3])


def _keys_of(config: dict[str, Any], source_id: str = "one") -> tuple[str, ...]:
    """The keys of the document that a source with these options makes of the page."""
    kind = kind_of("page", config)
    kind.check()
    source = Source(id=source_id, name="", kind="page", url="http://a.example/", config=config)
    request = Request(id="r", source_id=source_id, url="http://a.example/")
    (document,) = (one for one in kind.read(source, request, _payload(SHOP)) if isinstance(one, Document))
    return document.keys


def test_two_sources_of_one_page_have_documents_of_their_own() -> None:
    part = _picked(SHOP, "12.90 EUR").model_dump(mode="json", exclude_defaults=True)
    other = _picked(SHOP, "4 EUR").model_dump(mode="json", exclude_defaults=True)
    assert len({part_key({}), part_key({"parts": [part]}), part_key({"parts": [other]})}) == 3
    sources = (("one", {"parts": [part]}), ("two", {"parts": [other]}), ("all", {"min_chars": 1}))
    keys = {_keys_of(config, source_id) for source_id, config in sources}
    assert len(keys) == 3


def test_selectors_may_be_written_as_one_text() -> None:
    config = kind_of("page", {"selectors": ".price"}).config
    assert config.model_dump()["selectors"] == (".price",)
    assert kind_of("page", {"selectors": ".a, .b\n.c"}).config.model_dump()["selectors"] == (".a, .b", ".c")


def test_two_marked_items_give_all_of_them_as_documents() -> None:
    page = _flat(SHOP)
    marked = [n for n in range(len(page)) if page.tags[n] == "li"]
    options = items_taken(SHOP.encode(), "", marked)
    kind = kind_of("items", options.options)
    kind.check()
    source = Source(id="s", name="", kind="items", url="http://a.example/", config=options.options)
    found = kind.read(source, Request(id="r", source_id="s", url="http://a.example/"), _payload(SHOP))
    documents = [one for one in found if isinstance(one, Document)]
    assert [(one.title, one.url) for one in documents] == [
        ("Cup", "http://a.example/a"),
        ("Pot", "http://a.example/b"),
    ]
    with pytest.raises(ConfigError) as refused:
        items_taken(SHOP.encode(), "", marked[:1])
    assert refused.value.code == "bad_items"


def test_what_cannot_be_told_apart_later_is_refused_at_once() -> None:
    rows = "<body><ul>" + "<li><span>same</span></li>" * 4 + "</ul>"
    with pytest.raises(ConfigError) as refused:
        parts_taken(rows.encode(), "", [3], [])
    assert refused.value.code == "vague_part"


def test_a_very_large_page_is_shown_in_part_and_says_so() -> None:
    large = b"<body>" + b"<p>word</p>" * 100_000
    found = pictured(large, "")
    assert found.left_out == 100_001 - MOST_ELEMENTS
    assert found.markup.count("data-n") <= MOST_ELEMENTS


def test_a_page_with_more_elements_than_can_be_looked_through_says_so() -> None:
    enormous = b"<body>" + b"<p>word</p>" * 150_001
    with pytest.raises(ReadError, match="more than 150,000 elements: nothing on it can be pointed at"):
        parts_taken(enormous, "", [5], [])


def _cards(count: int) -> bytes:
    made = "".join(
        f"<div class=card><h3>Tea number {n}</h3><p class=price>{n}.50 EUR</p><p>Blend {n * 7 % 977}</p></div>"
        for n in range(count)
    )
    return f"<body><main>{made}</main>".encode()


def _calls_to_take(page: bytes, take: list[int]) -> int:
    with _counted() as calls:
        parts_taken(page, "", take, [])
    return calls[0]


def test_ten_parts_of_a_very_large_page_are_hardly_more_work_than_one() -> None:
    page = _cards(12_500)
    one, ten = (_calls_to_take(page, [502 + 400 * n for n in range(count)]) for count in (1, 10))
    assert ten < 3.5 * one
    assert one < 25 * 50_000


def test_the_texts_around_a_part_of_a_very_large_page_are_read_once() -> None:
    card = "<div class=card><p>Tea from hill {}</p><b class=price>{} EUR</b></div>"
    cards = "".join(card.format(n, n % 89) for n in range(8_000))
    page = f"<body><main><p class=total>Total <b>{{}} EUR</b></p>{cards}</main>"
    part, after = _picked(page.format("9000"), "9000 EUR"), _flat(page.format("9001"))
    with _counted() as calls:
        found = find_part(after, part)
    assert found.n is not None
    assert after.text(found.n) == "9001 EUR"
    assert calls[0] < 25 * len(after)


def test_blocks_that_say_much_are_compared_with_few_of_their_like() -> None:
    """A part in one of many blocks of the same tags: which of them stand twice is not a matter of all pairs."""
    made = "".join(
        f"<div><p>Pier</p><p>Ferry {n} leaves</p><p>Calls at {n * 7 % 977} ports</p><p>On time</p><b>{n} EUR</b></div>"
        for n in range(8_000)
    )
    page = f"<body><main>{made}</main>".encode()
    one, two = (_calls_to_take(page, take) for take in ([602], [602, 1202]))
    assert two < 1.5 * one


def test_a_line_of_notes_that_was_edited_is_found_though_its_date_is_gone() -> None:
    page = (
        "<body><main><section><h3>Version 2.1</h3><time>2026-02-03</time><ul><li>{}</li><li>Downloads of large files "
        "are resumed after the network was away for a while.</li><li>The clock is right again.</li></ul></section>"
        "<section><h3>Version 2.0</h3><time>2025-11-08</time><ul><li>Everything is new.</li></ul></section></main>"
    )
    line = "Searches in very long lists answer at once, also while new entries are being added."
    part = _picked(page.format(line), line)
    edited = line.replace("very long", "all").replace("answer at once", "answer quickly")
    after = _flat(page.format(edited).replace("<time>2026-02-03</time>", ""))
    assert after.text(find_part(after, part).n or 0) == edited
    new = "Pictures can be turned and cut before they are sent to anybody in the house."
    assert find_part(_flat(page.format(new).replace("<time>2026-02-03</time>", "")), part).n is None


def test_a_state_is_told_by_its_name_and_its_label_whatever_its_tag() -> None:
    rows = "".join(
        f"<li><b>{name}</b> <span class=state>{state}</span></li>"
        for name, state in (("Lifts", "open"), ("Slopes", "closed"), ("Road", "open"), ("Bus", "late"))
    )
    page = f"<body><aside><h2>Today</h2><ul class=board>{rows}</ul></aside>"
    part = _picked(page, "closed")
    after = _flat(page.replace("<span class=state>closed</span>", "<em class=state>partly open</em>"))
    assert after.text(find_part(after, part).n or 0) == "partly open"


def test_the_copy_of_a_menu_from_which_more_is_gone_is_not_taken_for_it() -> None:
    names = "Arrivals", "Departures", "Parking", "Shops", "Contact us", "Jobs here"
    items = [f"<li><a href=/{name[:3]}>{name}</a></li>" for name in names]
    header = "<header class=top><nav class=menu><ul>{}</ul></nav></header>"
    page = f"<body>{{}}{header}<main class=all><p class=hello>Welcome</p></main>"
    before = page.format("", "".join(items))
    part = _picked(before, "Arrivals")
    copy = f"<div class=top><nav class=menu><ul>{''.join(items)}</ul></nav></div>"
    after = page.format(copy, "".join(items[2:]))
    for name in ("top", "menu", "all", "hello"):
        after = after.replace(f"class={name}", f"class=new-{name[::-1]}")
    assert find_part(_flat(after), part).n is None


def test_a_picture_has_nothing_of_the_page_but_structure_and_text() -> None:
    evil = '<body><p onclick=x() style="background:url(//e)">a<script>b</script><img src=x onerror=y alt="<i>"></p>'
    markup, _ = snapshot_of(_flat(evil))
    assert markup == (
        '<div data-n="0"><div class="k-p" data-n="1">a<span class="k-img" data-n="2">&lt;i&gt;</span></div></div>'
    )
