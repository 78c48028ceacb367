from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from samples import failure, lease, payload, source
from veille.core.change.reading import unread
from veille.core.discover.catalogue import engines as offered_engines
from veille.core.discover.catalogue import entries, of_category
from veille.core.discover.engines import as_it_was, engine_of
from veille.core.fingerprint import url_identity
from veille.core.kinds import Finding, kind_of
from veille.core.models import Document, Json, Notice, Request
from veille.errors import ConfigError, NotFoundError, ReadError

ASKED = source("question://1", kind="question")
API: Json = {"id": "json", "url_template": "https://find.example/?q={query}", "result_path": "hits"}
PAGE: Json = {
    "id": "html",
    "strategy": "generic",
    "url_template": "https://look.example/find/{query}",
    "selectors": {"result_item": ".r", "title": "h3", "link": "a", "snippet": "p", "next": "a.next", "empty": ".none"},
    "max_pages": 3,
}
HTML = """<div class=r><h3>One</h3><a href="/go?u=https%3A%2F%2Fa.example%2F1">x</a><p>First  words</p></div>
<div class=r><h3>Two</h3><a href="https://a.example/2">x</a></div><div class=r><h3>No link</h3></div>
<a class=next href="?p=2">more</a>"""


def _config(*engines: Json, **given: Any) -> Json:
    known = {engine["id"]: engine for engine in engines}
    return {"text": "Who rebuilds the bridge?", "channels": list(known), "engines": known, **given}


def _ask(engine: Json, body: object, at: Request | None = None, **given: Any) -> list[Finding]:
    kind = kind_of("question", _config(engine, **given))
    at = at or next(iter(kind.start(ASKED)))
    text = body if isinstance(body, str) else json.dumps(body)
    return list(kind.read(ASKED, at, payload(text, at.url)))


def _hits(*paths: str) -> Json:
    return {"hits": [{"title": path, "url": f"https://a.example/{path}", "text": f"About {path}"} for path in paths]}


@pytest.mark.covers("R-096", "R-100")
def test_every_engine_is_asked_with_the_words_in_its_address() -> None:
    one, two = kind_of("question", _config(API, PAGE, keywords="old bridge/2026")).start(ASKED)
    assert (one.url, one.purpose) == ("https://find.example/?q=old%20bridge%2F2026", "root")
    assert (two.url, two.context["channel"]) == ("https://look.example/find/old%20bridge%2F2026", "html")
    (plain,) = kind_of("question", _config(API)).start(ASKED)
    assert plain.url == "https://find.example/?q=Who%20rebuilds%20the%20bridge%3F"


def test_an_engine_that_is_off_is_not_asked() -> None:
    assert list(kind_of("question", _config(API | {"enabled": False})).start(ASKED)) == []


def test_two_engines_at_one_address_are_two_requests() -> None:
    one, two = kind_of("question", _config(API, API | {"id": "other", "headers": {"X": "y"}})).start(ASKED)
    assert (one.url == two.url, one.id == two.id) == (True, False)


@pytest.mark.covers("R-089", "R-099", "R-078")
def test_a_snippet_is_a_document_known_by_its_address_and_worded_once() -> None:
    (found,) = _ask(API, _hits("x"), follow_links=False)
    assert isinstance(found, Document)
    assert (found.keys, found.text, found.once) == ((url_identity("https://a.example/x"),), "About x", True)
    assert found.meta == {"question_id": ASKED.id, "channel": "json", "query": "Who rebuilds the bridge?"}


@pytest.mark.covers("R-099")
def test_a_followed_result_is_fetched_once_however_its_snippet_is_worded() -> None:
    first, again = (_ask(API, {"hits": [{"title": words, "url": "https://a.example/x"}]}) for words in ("T", "U"))
    (one,), (other,) = first, again
    assert isinstance(one, Request)
    assert isinstance(other, Request)
    assert (one.id, one.stamp, one.purpose, one.url) == (other.id, other.stamp, "result", "https://a.example/x")


def test_the_page_of_a_result_is_the_document_and_its_snippet_stands_in_when_there_is_none() -> None:
    (at,) = _ask(API, _hits("x"))
    assert isinstance(at, Request)
    kind = kind_of("question", _config(API))
    words = "The council voted on Tuesday to rebuild the old harbour bridge after the flood of last year. " * 3
    (page,) = kind.read(ASKED, at, payload(f"<title>T</title><main><p>{words}</p></main>", at.url))
    assert isinstance(page, Document)
    assert (page.keys, "council" in page.text) == ((url_identity(at.url),), True)
    (bare,) = kind.read(ASKED, at, payload("", at.url))
    assert isinstance(bare, Document)
    assert bare.text == "About x"


@pytest.mark.parametrize(("status", "attempts", "snippets"), [(403, 0, 1), (500, 0, 0), (500, 4, 1)])
def test_the_snippet_is_kept_if_the_page_cannot_be_fetched(status: int, attempts: int, snippets: int) -> None:
    (at,) = _ask(API, _hits("x"))
    assert isinstance(at, Request)
    of = replace(ASKED, config=_config(API))
    reading = unread(lease(of, replace(at, attempts=attempts)), failure(status))
    assert reading is not None
    assert len(reading.documents) == snippets
    assert reading.failure is not None
    assert all(document.text == "About x" for document in reading.documents)


def test_results_are_counted_without_repeats() -> None:
    found = _ask(API, _hits("a", "a", "a?utm_source=x", "b", "c", "d"), follow_links=False, max_results=3)
    assert [item.title for item in found if isinstance(item, Document)] == ["a", "b", "c"]
    assert len(_ask(API, _hits(*"abcdef"), max_results=0)) == 6


def test_results_are_counted_over_all_pages() -> None:
    engine = API | {"paging": {"by": "page"}, "max_pages": 9}
    *first, onward = _ask(engine, _hits("a", "b"), follow_links=False, max_results=3)
    assert isinstance(onward, Request)
    assert (len(first), onward.url) == (2, "https://find.example/?q=Who%20rebuilds%20the%20bridge%3F&page=2")
    second = _ask(engine, _hits("b", "c", "d"), onward, follow_links=False, max_results=3)
    assert [getattr(item, "title", item) for item in second] == ["c"]


def test_an_engine_is_asked_for_one_page_unless_it_says_otherwise() -> None:
    assert not [
        item for item in _ask(API | {"paging": {"by": "page"}}, _hits("a")) if getattr(item, "purpose", "") == "next"
    ]
    found = _ask(PAGE | {"max_pages": 1}, HTML, follow_links=False)
    assert not [item for item in found if isinstance(item, Request | Notice)]


@pytest.mark.covers("R-100", "R-101")
def test_a_page_of_results_is_read_by_selectors() -> None:
    one, two, onward = _ask(PAGE | {"unwrap": "u"}, HTML, follow_links=False)
    assert isinstance(one, Document)
    assert isinstance(two, Document)
    assert (one.url, one.title, one.text) == ("https://a.example/1", "One", "First words")
    assert (two.url, two.text) == ("https://a.example/2", "Two")
    assert isinstance(onward, Request)
    assert onward.url == "https://look.example/find/Who%20rebuilds%20the%20bridge%3F?p=2"


def test_a_page_that_links_to_itself_as_the_next_one_ends_the_walk() -> None:
    *_, onward = _ask(PAGE, HTML, follow_links=False)
    assert isinstance(onward, Request)
    *_, notice = _ask(PAGE, HTML, onward, follow_links=False)
    assert isinstance(notice, Notice)
    assert notice.code == "page_loop"


def test_nothing_found_is_fine_when_the_page_says_so() -> None:
    assert _ask(PAGE, "<p class=none>No results</p>") == []
    assert _ask(API, {"hits": []}) == []


@pytest.mark.parametrize(
    ("engine", "body", "code", "words"),
    [
        (API, "<html>Are you human?</html>", "api.not_json", "generic"),
        (API, {"error": "quota"}, "api.path", "'hits'"),
        (PAGE, "<p>All new!</p>", "engine.no_match", "'.r'"),
        (PAGE, "<p class=r>All new!</p>", "engine.no_match", "'h3'"),
        (PAGE, '{"hits": []}', "engine.no_match", "'.r'"),
    ],
)
def test_the_error_for_an_unexpected_answer_says_what_to_change(
    engine: Json, body: object, code: str, words: str
) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        _ask(engine, body)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Not An Id"},
        {"url_template": "https://find.example/"},
        {"url_template": "https://{query}.example/"},
        {"url_template": "no address {query}"},
        {"url_template": "file:///etc/{query}"},
        {"url_template": "ftp://find.example/{query}"},
        {"strategy": "magic"},
        {"strategy": "generic"},
        {"strategy": "generic", "selectors": {"result_item": ":::", "title": "a", "link": "a"}},
        {"max_pages": 0},
        {"surprise": 1},
    ],
)
def test_a_record_that_cannot_be_an_engine_is_refused(change: Json) -> None:
    with pytest.raises(ConfigError) as caught:
        engine_of(API | change)
    assert caught.value.code == "bad_engine"


def test_keys_go_to_the_engine_and_to_no_other() -> None:
    kind = kind_of("question", _config(API | {"headers": {"X-Key": "${secret:K}"}, "paging": {"by": "link"}}))
    (at,) = kind.start(ASKED)
    assert kind.call(ASKED, at).headers["X-Key"] == "${secret:K}"
    elsewhere = kind.call(ASKED, replace(at, url="https://evil.example/"))
    assert "X-Key" not in elsewhere.headers
    (result,) = _ask(API, _hits("x"))
    assert isinstance(result, Request)
    followed = kind.call(ASKED, result)
    assert (dict(followed.headers), followed.robots) == ({}, True)


def test_a_question_can_be_put_in_the_body_and_to_a_browser() -> None:
    engine = API | {
        "method": "POST",
        "url_template": "https://find.example/",
        "body": {"q": ["{query}"]},
        "render": True,
    }
    kind = kind_of("question", _config(engine, keywords='a "b"'))
    (at,) = kind.start(ASKED)
    call = kind.call(ASKED, at)
    assert (call.method, json.loads(call.body), call.render) == ("POST", {"q": ['a "b"']}, True)


@pytest.mark.parametrize(
    "config", [{"text": " "}, {"text": "a", "max_results": -1}, {"text": "a", "engines": {"x": {}}}]
)
def test_a_question_that_cannot_be_asked_is_refused(config: Json) -> None:
    with pytest.raises(ConfigError) as caught:
        kind_of("question", config)
    assert caught.value.code == "bad_option"


def test_the_error_for_an_unknown_engine_names_it() -> None:
    with pytest.raises(ConfigError, match="'gone'") as caught:
        list(kind_of("question", {"text": "a", "channels": ["gone"]}).start(ASKED))
    assert caught.value.code == "no_engine"


@pytest.mark.covers("R-031")
def test_the_built_in_engines_are_complete_and_have_their_keys_in_the_vault() -> None:
    engines = offered_engines()
    states = {name: (engine.strategy, engine.enabled) for name, engine in engines.items()}
    assert (states["brave_api"], states["github_search"]) == (("api", True), ("api", True))
    assert (states["ddg_html"], states["scholar"]) == (("generic", False), ("generic", False))
    assert engines["brave_api"].headers == {"X-Subscription-Token": "${secret:BRAVE_API_KEY}"}


@pytest.mark.covers("R-030")
def test_the_catalogue_has_its_categories_and_every_entry_can_be_added() -> None:
    found = entries().values()
    names = {
        category: [entry.name for entry in of_category(found, category)]
        for category in ("tech", "legal-fr", "opendata")
    }
    assert names["tech"][:2] == ["Hacker News", "Lobsters"]
    assert [len(found) for found in names.values()] == [6, 3, 2]
    assert {entry.category for entry in found} == {*names, "academic", "news-fr"}
    for entry in found:
        kind_of(entry.kind, entry.config)
    with pytest.raises(NotFoundError, match="academic") as caught:
        of_category(found, "sports")
    assert caught.value.code == "no_category"


def test_hidden_headers_are_filled_in_for_the_same_host_and_for_no_other() -> None:
    known = engine_of({"id": "city", "url_template": "https://city.example/find?q={query}", "headers": {"X-Key": "k"}})
    shown = {"id": "city", "url_template": "https://city.example/v2?q={query}", "headers": {"X-Key": "***", "A": "b"}}
    assert as_it_was(shown, known)["headers"] == {"X-Key": "k", "A": "b"}
    assert as_it_was(shown, None) == shown
    for elsewhere in ("https://thief.example/?q={query}", "http://city.example/?q={query}", "", None):
        with pytest.raises(ConfigError, match="another address"):
            as_it_was(shown | {"url_template": elsewhere}, known)
    anew = {"id": "city", "url_template": "https://other.example/?q={query}", "headers": {"X-Key": "new"}}
    assert as_it_was(anew, known) == anew
