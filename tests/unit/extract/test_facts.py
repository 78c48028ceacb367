"""Title, authors, dates and topics as real news pages state and show them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from veille.core.dates import before_date, iso, written_date
from veille.core.extract import Metadata, Options, extract_page

URL = "https://www.daily.example/2026/news/harbour"
HEADLINE = "Harbour bridge opens after the flood"
TEXT = "<p>" + "The bridge, closed since the flood in spring, opens again for everybody. " * 8 + "</p>"


def about(body: str = "", head: str = "", url: str = URL, mode: str = "auto", **data: Any) -> Metadata:
    """The metadata of an article with this JSON-LD."""
    item = {"@type": "NewsArticle", "publisher": {"@type": "Organization", "name": "The Daily"}, **data}
    script = f'<script type="application/ld+json">{json.dumps(item)}</script>' if data else ""
    page = f"<html lang=en><head>{script}{head}</head><body>{body}<article>{TEXT * 3}</article></body></html>"
    return extract_page(page, url, Options(mode=mode)).metadata


def og(title: str) -> str:
    return f'<meta property="og:type" content="article"><meta property="og:title" content="{title}">'


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        (f"{HEADLINE} - The Daily", HEADLINE),
        (f"{HEADLINE} | daily.example", HEADLINE),
        (f"{HEADLINE} \u2013 News \u2013 24.02.2026", HEADLINE),
        (f"{HEADLINE}\uff5cThe Daily", HEADLINE),
        ("Harbour - a history", "Harbour - a history"),
        ("Bridge opens | Politics", "Bridge opens | Politics"),
    ],
)
@pytest.mark.covers("R-119")
def test_the_headline_of_an_article_has_no_site_name(title: str, kept: str) -> None:
    assert about(f"<h1>{HEADLINE}</h1>", headline=title).title == kept
    assert about(f"<h1>{HEADLINE}</h1>", og(title) + '<meta property="og:site_name" content="The Daily">').title == kept


def test_other_titles_say_what_they_belong_to() -> None:
    page = '<meta property="og:title" content="Models | Example documentation"><h1>Models</h1>' + TEXT
    assert extract_page(page, "https://docs.example.org/models").metadata.title == "Models | Example documentation"


def test_reader_mode_keeps_the_title_that_readability_gives() -> None:
    title = f"{HEADLINE} - The Daily"
    assert about(f"<h1>{HEADLINE}</h1>", og(title), mode="reader").title == title


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("<b>Breaking</b> news: <i>ferry</i>", "Breaking news: ferry"),
        ("<p>One</p><p>two</p>", "One two"),
        ("One<br>two<br/>three", "One two three"),
        ('<span class="x">H<sub>2</sub>O</span> is short', "H2O is short"),
        ("<h1>" * 20 + "Harbour", "Harbour"),
        ("How to use <div> and <p>", "How to use <div> and <p>"),
        ("<b>: the element that draws attention", "<b>: the element that draws attention"),
        ("A &lt;b&gt; tag", "A <b> tag"),
        ("Why a < b and c > d", "Why a < b and c > d"),
    ],
)
def test_markup_in_data_is_resolved_and_tags_that_are_named_stay(stated: str, title: str) -> None:
    assert about(headline=stated).title == title
    assert about(headline="Ferry", description=stated).description == title
    escaped = stated.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    marked = (
        f'<div itemscope itemtype="https://schema.org/NewsArticle"><meta itemprop="headline" content="{escaped}"></div>'
    )
    assert about(marked).title == about(head=og(escaped)).title == title


def test_markup_in_the_name_of_an_author_is_resolved() -> None:
    assert about(headline="Ferry", author={"name": '<a href="/ann">Ann Lee</a>'}).authors == ("Ann Lee",)
    assert about(headline="Ferry", author="<div>" * 100_000 + "Ann Lee").authors == ("Ann Lee",)


@pytest.mark.parametrize("nested", ["<b>", "<div>", '<b x="', "<b " + " " * 50, "< ", "<b x=" + " " * 200, "</b>"])
def test_what_the_data_says_is_bounded(nested: str) -> None:
    text = nested * (500_000 // len(nested)) + "Harbour"
    start = time.process_time()
    for mode in ("auto", "reader"):
        found = about(
            head=f"<title>{'a ' * 100_000}</title>",
            mode=mode,
            headline=text,
            description=text,
            author=[
                {"name": f"Ann {'ABCDEFGHIJ'[n % 10]}o{'abcdefghij'[n // 10 % 10]}{n // 100 * 'x'}"} for n in range(900)
            ],
            publisher={"name": text},
        )
        assert len(found.title) <= 1000
        assert len(found.description) <= 5000
        assert 0 < len(found.authors) <= 50
        assert all(len(name) <= 200 for name in found.authors)
        assert len(found.site_name) <= 200
    assert time.process_time() - start < 10


def test_references_in_data_are_resolved() -> None:
    assert about(headline="Ministers&#8217; R&uuml;ckkehr").title == "Ministers\u2019 Rückkehr"


def test_a_headline_that_stands_only_in_the_trail_is_for_search_engines() -> None:
    seo = "Harbour bridge: all about the opening"
    trail = f'<nav><ol class="breadcrumb"><li><h1>{seo}</h1></li></ol></nav>'
    assert about(f"{trail}<h2><span>Spring flood</span> {HEADLINE}</h2>", og(HEADLINE), headline=seo).title == HEADLINE
    assert about(f"{trail}<h2>{seo}</h2>", og(HEADLINE), headline=seo).title == seo
    assert about(f"<h1>{seo}</h1><h2>{HEADLINE}</h2>", og(HEADLINE), headline=seo).title == seo


def test_the_line_above_a_headline_and_live_are_no_part_of_it() -> None:
    assert about(f"<h1>{HEADLINE}</h1>", og(HEADLINE), headline=f"Flood: {HEADLINE}").title == HEADLINE
    live = "Harbour LIVE: updates as the bridge opens"
    assert about(f"<h1>{live}</h1>", og(HEADLINE), headline=live).title == HEADLINE


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("Ada Lind og Bo Ek", ("Ada Lind", "Bo Ek")),
        ("Ada Lind, Bo Ek and Cy Oz Fox", ("Ada Lind", "Bo Ek", "Cy Oz Fox")),
        ("By Ada Lind/Bo Ek", ("Ada Lind", "Bo Ek")),
        ("Ada Lind, professor at the university of the harbour, Daily.example", ("Ada Lind",)),
        ("Ada Lind, THE DAILY", ("Ada Lind",)),
        ("Ada Lind, MA", ("Ada Lind, MA",)),
        ("Ana Costa e Silva", ("Ana Costa e Silva",)),
        ("Redaktion", ("Redaktion",)),
    ],
)
@pytest.mark.covers("R-119")
def test_authors_are_named_one_by_one_without_their_jobs(stated: str, names: tuple[str, ...]) -> None:
    assert about(headline=HEADLINE, author={"@type": "Person", "name": stated}).authors == names
    assert about(head=f'<meta name=author content="{stated}">').authors == names


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("", '<meta name="author" content="Ada Lind">'),
        ('<p class="author">von <a href="/ada">Ada Lind, The Daily</a></p>', ""),
        ('<div class="byline">By <a>Ada Lind</a> <a class="share">Follow</a> <time>24 Feb 2026</time></div>', ""),
        (f"<h1>{HEADLINE}</h1><div>Tue 24.02.26 | 14:07 | By Ada Lind</div>", ""),
        (f"<h1>{HEADLINE}</h1><p>Ada Lind | 24.02.2026</p>", ""),
    ],
)
def test_a_person_is_the_author_rather_than_the_site(body: str, head: str) -> None:
    for author in ("The Daily", "daily.example", "https://daily.example/author/7"):
        assert about(body, head, headline=HEADLINE, author={"name": author}).authors == ("Ada Lind",)


def test_the_site_is_the_author_if_nobody_else_is_named() -> None:
    assert about(headline=HEADLINE, author={"name": "The Daily"}).authors == ("The Daily",)
    commented = '<div class="comment"><span class="author">Bo Ek</span></div>'
    assert about(commented, headline=HEADLINE, author={"name": "The Daily"}).authors == ("The Daily",)


def test_all_names_of_one_byline_are_authors_and_those_of_teasers_are_not() -> None:
    def link(name: str) -> str:
        return f'<div><div class="x"><a rel="author" href="/a">{name}</a></div></div>'

    data: dict[str, Any] = {"headline": HEADLINE, "author": [{"name": "Ada Lind"}]}
    assert about(f"<div>{link('Bo Ek')}{link('Ada Lind')}</div>", **data).authors == ("Bo Ek", "Ada Lind")
    far = f"<section><ul><li><div>{link('Cy Fox')}</div></li></ul></section>"
    assert about(f"<header><div><div>{link('Ada Lind')}</div></div></header>{far}", **data).authors == ("Ada Lind",)
    spans = '<div class="byline"><span>Ada Lind</span> <span>Bo Ek</span></div>'
    assert about(spans).authors == ("Ada Lind", "Bo Ek")


def test_an_author_may_be_another_item_of_the_data() -> None:
    graph = {
        "@graph": [
            {"@type": "Article", "headline": HEADLINE, "author": {"@id": "#ada"}},
            {"@type": "Person", "@id": "#ada", "name": "Ada Lind"},
        ]
    }
    page = f'<script type="application/ld+json">{json.dumps(graph)}</script>{TEXT}'
    assert extract_page(page, URL).metadata.authors == ("Ada Lind",)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Do 25.04.24 | 14:07 Uhr", "2024-04-25T14:07:00Z"),
        ("05.04.2025 - Güncelleme : 06.04.2025", "2025-04-05T00:00:00Z"),
        ("Published: May 3rd, 2024", "2024-05-03T00:00:00Z"),
        ("Le 30 août 2023 à 14h52", "2023-08-30T14:52:00Z"),
        ("12 de marzo de 2025", "2025-03-12T00:00:00Z"),
        ("2025年1月31日 11:30", "2025-01-31T11:30:00Z"),
        ("2024/12/03", "2024-12-03T00:00:00Z"),
        ("31.02.2024", None),
        ("03/04/2024", None),
        ("Marathon 12, 2024", None),
        ("Version 1.2.3", None),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, at: str | None) -> None:
    found = written_date(text)
    assert (iso(found) if found is not None else None) == at


def test_what_stands_before_a_date_is_no_part_of_it() -> None:
    assert before_date("Ada Lind 4 August 2010") == "Ada Lind"
    assert before_date("Ada Lind") == "Ada Lind"


@pytest.mark.covers("R-119")
def test_a_page_that_states_no_date_has_the_one_below_its_headline() -> None:
    found = about(f"<p>1.1.2020</p><h1>{HEADLINE}</h1><p>24.02.2026, 14:30</p>", url="https://daily.example/2026/02/x/")
    assert (iso(found.published_at or 0), found.date_origin) == ("2026-02-24T14:30:00Z", "text")
    other = about(f"<h1>{HEADLINE}</h1><p>24.03.2026</p>", url="https://daily.example/2026/02/x/")
    assert (iso(other.published_at or 0), other.date_origin) == ("2026-02-01T00:00:00Z", "url")


def test_the_day_of_an_update_and_dates_on_a_front_page_are_no_publication_dates() -> None:
    updated = f"<h1>{HEADLINE}</h1><p>Last updated: 24.02.2026</p>"
    assert about(updated, url="https://daily.example/x").published_at is None
    assert about(f"<h1>{HEADLINE}</h1><p>24.02.2026</p>", url="https://daily.example/").published_at is None
    both = f"<h1>{HEADLINE}</h1><p>23.02.2026, updated 24.02.2026</p>"
    assert iso(about(both, url="https://daily.example/x").published_at or 0) == "2026-02-23T00:00:00Z"


def test_of_two_statements_the_one_with_a_time_of_day_counts() -> None:
    items = [
        {"@type": "Article", "headline": HEADLINE, "datePublished": said}
        for said in ("2026-02-24", "2026-02-24T14:30:00Z")
    ]
    page = "".join(f'<script type="application/ld+json">{json.dumps(item)}</script>' for item in items) + TEXT
    assert iso(extract_page(page, URL).metadata.published_at or 0) == "2026-02-24T14:30:00Z"


@pytest.mark.covers("R-119")
def test_topics_are_split_and_cleaned_of_codes() -> None:
    stated = ["Sea, Bridges", "sea", "98be933f-38cf-4fba-b6c6-ad438e82010a", "100312362", "_prio", "daily.example"]
    assert about(headline=HEADLINE, keywords=stated, url="https://daily.example/a").tags == ("Sea", "Bridges")
    labelled = "Category: Sea,Day: Tuesday,Subject: Bridges,Page Type: Article"
    assert about(headline=HEADLINE, keywords=labelled).tags == ("Sea", "Bridges")
    assert about(head='<meta property="article:tag" content="Business, Finance, & Economics">').tags == (
        "Business, Finance, & Economics",
    )
    codes = "AER,CCOS,DIP,GEN,ICC,INDG,POL,Harbours"
    assert about(head=f'<meta name=keywords content="{codes}">').tags == ("Harbours",)


def test_a_page_that_states_no_topics_has_those_it_is_about_or_links_to() -> None:
    assert about(headline=HEADLINE, about=[{"@type": "Thing", "name": "Bridges"}]).tags == ("Bridges",)
    assert about('<a rel="tag" href="/t/sea">Sea</a>', headline=HEADLINE).tags == ("Sea",)
    box = '<ul class="article-tags"><li><a href="/t/sea">#Sea</a></li><li><a href="/t/b">Bridges</a></li></ul>'
    assert about(box, headline=HEADLINE).tags == ("Sea", "Bridges")
    menu = f'<ul class="all-tags">{"".join(f"<a href=/t/{number}>T{number}</a>" for number in range(50))}</ul>'
    assert about(menu, headline=HEADLINE).tags == ()


@pytest.mark.parametrize(
    "data",
    [
        {"headline": " | ".join(["x"] * 50_000), "author": {"name": "A B, " * 50_000}},
        {"headline": HEADLINE, "author": [{"name": "Ada Lind"}] * 50_000, "keywords": ["a b"] * 50_000},
        {"headline": HEADLINE, "author": {"name": "By " * 100_000}, "keywords": "a:b," * 100_000},
        {"headline": ["x"] * 1000, "author": {"name": {"name": 1}}, "keywords": {"name": [1]}, "about": [[["x"]]]},
        {"headline": 1, "author": 2, "keywords": 3, "datePublished": {"@value": 1}, "publisher": ["x"], "@id": ["y"]},
        {"headline": HEADLINE, "author": {"@id": "#a", "name": None}, "publisher": {"@id": "#a"}, "@id": "#a"},
    ],
)
def test_hostile_data_takes_no_time_and_raises_nothing(data: dict[str, Any]) -> None:
    headings = f"<h1>{'x | ' * 5000}</h1>" + "<h2>y</h2>" * 5000
    start = time.process_time()
    found = about(headings, og("y") * 100, **data)
    assert time.process_time() - start < 2
    assert len(found.authors) <= 1000
    assert len(found.tags) <= 200
