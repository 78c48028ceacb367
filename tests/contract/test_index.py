from __future__ import annotations

import html
import random
import re

import pytest

from desk import Desk, Program
from samples import AWKWARD, NOW, document
from veille.core.search.answers import Hit
from veille.core.search.query import parse
from veille.services.reading.search import SearchService

DAY = 24 * 3_600_000


def _library(desk: Desk) -> None:
    texts = {
        "bridge": ("The bridge", "The old harbour bridge opened in Zürich, says O'Brien, who writes C++ and node.js."),
        "ferry": (
            "A ferry to the island",
            "The harbour ferry runs daily; the bridge is closed. <script>alert(1)</script>",
        ),
        "tower": ("東京タワー", "Έλληνες και русский текст. Harbours are harbour-like."),
    }
    desk.bring(
        *(
            document(f"https://example.org/{name}", text=text, title=title, lang="en" if name != "tower" else "ja")
            for name, (title, text) in texts.items()
        )
    )


def _search(desk: Desk, text: str, limit: int = 10, offset: int = 0) -> list[Hit]:
    with desk.open() as opened:
        query = parse(text, NOW)
        return opened.index.with_snippets(query, opened.index.ranked(query, limit + offset).hits[offset:])


def _names(desk: Desk, text: str) -> set[str]:
    return {hit.url.rpartition("/")[2] for hit in _search(desk, text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("harbour", {"bridge", "ferry", "tower"}),
        ("HARBOUR bridge", {"bridge", "ferry"}),
        ('"harbour bridge"', {"bridge"}),
        ('"bridge harbour"', set()),
        ("harbour -bridge", {"tower"}),
        ('harbour -"old harbour"', {"ferry", "tower"}),
        ("ferry OR zurich", {"bridge", "ferry"}),
        ("harb*", {"bridge", "ferry", "tower"}),
        ("isl*", {"ferry"}),
        ("zurich", {"bridge"}),
        ("ZÜRICH", {"bridge"}),
        ("o'brien", {"bridge"}),
        ("C++", {"bridge"}),
        ("node.js", {"bridge"}),
        ("έλληνες", {"tower"}),
        ("РУССКИЙ", {"tower"}),
        ("東京*", {"tower"}),
        ("lang:ja", {"tower"}),
        ("harbour lang:EN", {"bridge", "ferry"}),
        ("harbour kind:page", {"bridge", "ferry", "tower"}),
        ("harbour kind:feed", set()),
        ("harbour source:nobody", set()),
        ("harbour source:HTTPS://EXAMPLE.ORG/a", {"bridge", "ferry", "tower"}),
        ("-harbour", set()),
        ("-ferry", {"bridge", "tower"}),
        ("heliotrope", set()),
        ("", set()),
        ("after:1d", {"bridge", "ferry", "tower"}),
        ("before:1d", set()),
        ("harbour after:2099", set()),
    ],
)
def test_a_query_finds_what_it_says(desk: Desk, text: str, names: set[str]) -> None:
    _library(desk)
    assert _names(desk, text) == names


def test_no_awkward_string_is_an_error(desk: Desk) -> None:
    _library(desk)
    for text in AWKWARD:
        assert isinstance(_search(desk, text), list)


def test_a_word_in_the_title_counts_more_than_one_in_the_text(desk: Desk) -> None:
    desk.bring(
        document("https://example.org/text", title="News", text="Nothing but the heliotrope here today."),
        document("https://example.org/title", title="Heliotrope", text="Nothing but some other words here today."),
    )
    hits = _search(desk, "heliotrope")
    assert [hit.url.rpartition("/")[2] for hit in hits] == ["title", "text"]
    assert hits[0].score > hits[1].score > 0


def test_a_snippet_marks_the_match_and_lets_no_markup_through(desk: Desk) -> None:
    _library(desk)
    (hit,) = _search(desk, "alert")
    assert "<mark>alert</mark>" in hit.snippet
    assert "<script>" not in hit.snippet
    assert "&lt;script&gt;" in hit.snippet
    assert re.findall(r"<(?!/?mark>)", hit.snippet) == []


@pytest.mark.parametrize(
    ("asked", "mark"),
    [
        ("渡轮", "渡轮"), ("渡", "渡"), ("新渡轮*", "新渡轮"), ('"渡轮 停运"', "渡轮停运"), ("AI芯片", "AI芯片"),
        ("芯片", "芯片"), ("フェリー", "フェリー"), ("เรือข้ามฟาก", "เรือข้ามฟาก"), ("ferry", "ferry"),
    ],
)  # fmt: skip
def test_words_are_found_where_no_spaces_are_written(desk: Desk, asked: str, mark: str) -> None:
    text = "港口的新渡轮停运了三天、因为AI芯片坏了。フェリーは来ない。มีเรือข้ามฟากใหม่ The ferry."
    desk.bring(
        document("https://example.org/far", title="港口新闻", text=text),
        document("https://example.org/near", title="轮 渡", text="渡 of 轮, 片 of 芯, フ ェ, เร"),
    )
    found = {hit.url.rpartition("/")[2]: hit.snippet for hit in _search(desk, asked)}
    assert f"<mark>{mark}</mark>" in found["far"]
    assert "\u200b" not in repr(found)
    assert len(asked) == 1 or "near" not in found
    assert not _search(desk, "轮渡停"), "the order counts"


def test_a_snippet_without_words_to_find_is_the_beginning_escaped(desk: Desk) -> None:
    desk.bring(document(text="<b>First</b> words & more."))
    (hit,) = _search(desk, "kind:page")
    assert html.unescape(hit.snippet) == "<b>First</b> words & more."
    assert "<" not in hit.snippet


def test_a_snippet_does_not_say_the_title_again(desk: Desk) -> None:
    desk.bring(document(title="Smoked tea", text="Smoked tea\n\nThe tea costs 12.90 EUR."))
    (hit,) = _search(desk, "tea")
    assert hit.snippet == "The <mark>tea</mark> costs 12.90 EUR."


def test_dates_are_of_publication_or_else_of_change(desk: Desk) -> None:
    desk.bring(
        document("https://example.org/old", text="One harbour.", published_at=NOW - 30 * DAY),
        document("https://example.org/undated", text="Another harbour."),
    )
    assert _names(desk, "harbour before:7d") == {"old"}
    assert _names(desk, "harbour after:7d") == {"undated"}


def test_hits_come_in_pages_in_one_order(desk: Desk) -> None:
    desk.bring(*(document(f"https://example.org/{n}", text=f"harbour number {n}") for n in range(7)))
    everything = [hit.document_id for hit in _search(desk, "harbour")]
    paged = [hit.document_id for start in (0, 3, 6) for hit in _search(desk, "harbour", 3, start)]
    assert paged == everything
    assert len(set(paged)) == 7


def test_a_hit_says_where_it_comes_from(desk: Desk) -> None:
    added = desk.bring(document(lang="en"))
    (hit,) = _search(desk, "harbour")
    assert (hit.dossier_id, hit.source_id, hit.source_name) == (desk.dossier_id, added.id, added.name)
    assert (hit.kind, hit.url, hit.title, hit.lang) == ("page", "https://example.org/a", "A title", "en")
    assert (hit.changed_at, hit.state) == (NOW, "current")


def test_hits_come_by_date_too(desk: Desk) -> None:
    desk.bring(
        document("https://example.org/best", title="Harbour harbour", text="A harbour.", published_at=NOW - 30 * DAY),
        document("https://example.org/new", title="News", text="Much else beside one harbour.", published_at=NOW - DAY),
    )
    with desk.open() as opened:
        query = parse("harbour", NOW)
        best = [hit.url.rpartition("/")[2] for hit in opened.index.ranked(query, 10).hits]
        newest = opened.index.ranked(query, 10, newest=True).hits
    assert best == ["best", "new"]
    assert [hit.url.rpartition("/")[2] for hit in newest] == ["new", "best"]
    assert newest[0].dated_at == NOW - DAY


def test_the_beginning_of_many_words_finds_them_all(desk: Desk) -> None:
    desk.bring(*(document(f"https://example.org/{n}", text=f"The word harbour{n:03} here.") for n in range(60)))
    with desk.open() as opened:
        found = opened.index.ranked(parse("harb*", NOW), 100)
    assert len(found.hits) == 60
    assert not found.is_cut


def test_documents_are_matched_one_by_one(desk: Desk) -> None:
    _library(desk)
    ids = {hit.url.rpartition("/")[2]: hit.document_id for hit in _search(desk, "lang:en OR lang:ja harbour")}
    ids |= {hit.url.rpartition("/")[2]: hit.document_id for hit in _search(desk, "kind:page")}
    with desk.open() as opened:

        def matching(text: str, *names: str) -> set[str]:
            return opened.index.matching(parse(text, NOW), [ids[name] for name in names])

        assert matching("harbour", "bridge", "tower") == {ids["bridge"], ids["tower"]}
        assert matching("harb* -ferry", "bridge", "ferry") == {ids["bridge"]}
        assert matching("harbour lang:en", "bridge", "tower") == {ids["bridge"]}
        assert matching("-ferry", "bridge", "ferry") == {ids["bridge"]}
        assert matching("kind:page", "tower") == {ids["tower"]}
        assert matching("kind:feed", "tower") == set()
        assert matching("", "tower") == set()
        assert opened.index.matching(parse("harbour", NOW), []) == set()


def test_the_best_of_several_dossiers_are_the_best_of_all(program: Program) -> None:
    rng = random.Random(5)
    everything: list[Hit] = []
    ids = [program.dossiers.create(f"dossier {number}", NOW).id for number in range(4)]
    for dossier_id in ids:
        desk = Desk(program, dossier_id)
        texts = ["harbour " * rng.randrange(1, 9) + f"{'word ' * rng.randrange(90)}{n}" for n in range(20)]
        desk.bring(*(document(f"https://example.org/{n}", text=text) for n, text in enumerate(texts)))
        with desk.open() as opened:
            found = opened.index.ranked(parse("harbour", NOW), 100).hits
            assert opened.index.ranked(parse("harbour", NOW), 100, floor=found[7].score).hits == found[:8]
        everything += found
    searches = SearchService(program.dossiers, lambda: NOW)
    for limit in (1, 7, 100):
        found = searches.search(ids, "harbour", limit)
        assert [hit.score for hit in found] == sorted((hit.score for hit in everything), reverse=True)[:limit]
        assert len({(hit.dossier_id, hit.document_id) for hit in found}) == min(limit, 80)


NAMES = {
    "cpp": "It is written in C++11, and some of it in C++-style.",
    "csharp": "The C#-Programm runs on .NET 8.",
    "c": "The letter C; a sharp net and an init of it.",
    "python": "See __init__.py, and os.path.join in node.js.",
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("C++", {"cpp"}),
        ("c++", {"cpp"}),
        ("C#", {"csharp"}),
        (".NET", {"csharp"}),
        ("__init__", {"python"}),
        ("os.path.join", {"python"}),
        ("node.js", {"python"}),
        ("C", {"cpp", "csharp", "c"}),
        ("C -C++", {"csharp", "c"}),
        ("C++ OR C#", {"cpp", "csharp"}),
        ("C++ written", {"cpp"}),
        ("C++ letter", set()),
    ],
)
def test_names_are_found_with_their_signs(desk: Desk, text: str, names: set[str]) -> None:
    desk.bring(*(document(f"https://example.org/{name}", text=told, title=name) for name, told in NAMES.items()))
    assert _names(desk, text) == names
    with desk.open() as opened:
        revisions = opened.records.documents()
        ids = {one.document_id: one.url.rpartition("/")[2] for one in revisions}
        assert {ids[one] for one in opened.index.matching(parse(text, NOW), list(ids))} == names
        found = opened.index.finding(parse(text, NOW), revisions)
        assert {one.url.rpartition("/")[2] for one in revisions if one.id in found} == names


def test_names_are_marked_with_their_signs(desk: Desk) -> None:
    desk.bring(document("https://example.org/cpp", text=NAMES["cpp"], title="cpp"))
    assert "<mark>C++</mark>11" in _search(desk, "C++")[0].snippet
