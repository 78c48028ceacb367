from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from samples import payload, request, source
from veille.core.fingerprint import guid_identity, url_identity
from veille.core.json.paging import is_walk, next_link, with_parameter
from veille.core.kinds import Finding, kind_of
from veille.core.models import Document, Notice, Request, Source
from veille.errors import ConfigError, ReadError

API = source("https://api.example/v1/things", kind="api")


def _read(value: object, at: Request | None = None, *, of: Source = API, **config: Any) -> list[Finding]:
    given = {name: config.pop(name) for name in ("media_type", "link", "charset") if name in config}
    body = value if isinstance(value, str | bytes) else json.dumps(value)
    at = at or request(of)
    return list(kind_of("api", config).read(of, at, payload(body, at.url, **given)))


def _documents(*args: Any, **given: Any) -> list[Document]:
    return [item for item in _read(*args, **given) if isinstance(item, Document)]


def _onward(*args: Any, **given: Any) -> Request | None:
    return next((item for item in _read(*args, **given) if isinstance(item, Request)), None)


def _notices(*args: Any, **given: Any) -> list[Notice]:
    return [item for item in _read(*args, **given) if isinstance(item, Notice)]


@pytest.mark.covers("R-087", "R-080")
def test_items_are_found_by_a_path_and_mapped_field_by_field() -> None:
    item = {
        "id": 7,
        "attributes": {"headline": "A <b>bridge</b>", "body": "<p>One.</p><p>Two.</p>"},
        "slug": "bridge",
        "when": "2026-02-24T14:30:00Z",
        "changed": 1_771_943_400,
        "people": [{"name": "Ann"}, {"name": "Bo"}],
        "score": 3,
        "lang": "en-GB",
    }
    fields = {"title": "attributes.headline", "text": "attributes.body", "url": "https://example.org/{slug}"}
    fields |= {"published": "when", "updated": "changed", "authors": "people.*.name", "score": "score", "lang": "lang"}
    (found,) = _documents({"data": {"items": [item]}}, result_path="data.items", fields=fields)
    assert (found.title, found.text, found.url) == ("A bridge", "One.\n\nTwo.", "https://example.org/bridge")
    assert found.published_at == found.modified_at == 1_771_943_400_000
    assert (found.authors, found.lang, found.meta) == (("Ann", "Bo"), "en", {"score": 3})
    assert found.keys == (guid_identity(API.id, "7"), url_identity("https://example.org/bridge"))


def test_without_a_mapping_the_usual_keys_are_used() -> None:
    (found,) = _documents([{"guid": "g", "name": "T", "body": "Text", "html_url": "/t", "created_at": "2026-02-24"}])
    assert (found.title, found.text, found.url) == ("T", "Text", "https://api.example/t")
    assert found.keys[0] == guid_identity(API.id, "g")
    assert found.published_at is not None


def test_an_item_is_known_by_its_id_else_its_address_else_its_content() -> None:
    by_id, by_url, by_content = _documents([{"id": 1, "title": "A"}, {"title": "B", "url": "/b"}, {"title": "C"}])
    assert by_id.keys == (guid_identity(API.id, "1"),)
    assert by_url.keys == (url_identity("https://api.example/b"),)
    assert by_content.keys == (guid_identity(API.id, "C\n"),)


@pytest.mark.parametrize("url", [None, "", " ", 7, {"href": "/x"}, ["/x"], "javascript:alert(1)", "http://[x"])
def test_what_is_no_address_names_no_item(url: object) -> None:
    (found,) = _documents([{"id": 1, "title": "A", "url": url}])
    assert (found.url, found.keys) == (API.url, (guid_identity(API.id, "1"),))


def test_an_address_that_several_items_share_names_none_of_them() -> None:
    one, two = _documents([{"id": 1, "title": "A", "url": "/all"}, {"id": 2, "title": "B", "url": "/all"}])
    assert (len(one.keys), len(two.keys)) == (1, 1)
    one, two = _documents([{"title": "A", "url": "/all"}, {"title": "B", "url": "/all"}])
    assert one.keys != two.keys


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.5, "12.5"),
        (True, "true"),
        (["a", "b", 3], "a, b, 3"),
        ({"b": 1, "a": None}, '{"a": null, "b": 1}'),
        ({"bridge": [1], "The": [0], "is": [2, 4], "what": [3]}, "The bridge is what is"),
        ("half a pair \ud800 of surrogates", "half a pair of surrogates"),
    ],
)
def test_a_value_that_is_no_text_becomes_one(value: object, text: str) -> None:
    (found,) = _documents([{"title": "T", "text": value}])
    assert found.text == text


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/jsonl", "text/plain"])
def test_lines_of_json_are_items(media_type: str) -> None:
    body = '\ufeff{"id": 1, "title": "A"}\n\n{"id": 2, "title": "B"}\r\n'
    assert [found.title for found in _documents(body, media_type=media_type)] == ["A", "B"]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("", "api.malformed", "no JSON"),
        ('{"a": [', "api.malformed", "no JSON"),
        ('{"a": 1}\n{"b": ', "api.malformed", "Line 2"),
        ("[" * 100_000, "api.malformed", "deep"),
        ("[" + "9" * 5000 + "]", "api.malformed", "no JSON"),
        ("<!DOCTYPE html><title>Log in</title>", "api.not_json", "not JSON"),
        ('{"data": {"items": [1]}}', "api.path", "data.items"),
        ('{"result": {}}', "api.path", "no list"),
        ('"text"', "api.path", "a text"),
        ("[1, 2]", "api.path", "a number"),
        ('[{"x": 1}]', "api.field", "the keys x"),
    ],
)
def test_what_cannot_be_read_says_what_came_and_what_to_change(body: str, code: str, words: str) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        _read(body)
    assert caught.value.code == code


@pytest.mark.covers("R-087")
def test_a_path_that_leads_nowhere_is_named_with_what_is_there() -> None:
    with pytest.raises(ReadError) as caught:
        _read({"data": {"items": []}, "total": 1}, result_path="data.itmes")
    assert caught.value.code == "api.path"
    assert "'data.itmes'" in str(caught.value)
    assert "the keys data, total" in str(caught.value)
    assert "data.items" in str(caught.value)
    with pytest.raises(ReadError, match="no list but the keys items"):
        _read({"data": {"items": []}}, result_path="data")


def test_a_mapped_path_that_no_item_has_is_reported_and_the_items_are_kept() -> None:
    items = [{"id": 1, "title": "A", "date": "2026-01-01"}]
    (notice,) = _notices(items, fields={"published": "dat"})
    assert (notice.code, "'dat'" in notice.message) == ("api.field", True)
    assert "the keys date, id, title" in notice.message
    assert [found.title for found in _documents(items, fields={"published": "dat"})] == ["A"]


def test_an_item_without_title_and_text_is_reported_beside_the_others() -> None:
    items = [{"id": 1, "head": "A"}, {"id": 2, "hed": "B"}]
    (notice,) = _notices(items, fields={"title": "head", "text": "head"})
    assert "'head'" in notice.message
    assert "the keys hed, id" in notice.message
    assert len(_documents(items, fields={"title": "head", "text": "head"})) == 1


def test_an_empty_list_is_fine() -> None:
    assert _read([]) == []
    assert _read({"items": []}, result_path="items", fields={"title": "nothing"}) == []


def test_when_every_item_lacks_what_is_mapped_the_answer_is_an_error() -> None:
    with pytest.raises(ReadError, match=r"No item can be used.*'headline'.*the keys id, title") as caught:
        _read([{"id": 1, "title": "A"}], fields={"title": "headline", "text": "body"})
    assert caught.value.code == "api.field"


PAGE = [{"id": 1, "title": "A"}, {"id": 2, "title": "B"}]


@pytest.mark.parametrize(
    ("paging", "value", "link", "url"),
    [
        ({"by": "link"}, PAGE, '</v1/things?page=2>; rel="next"', "https://api.example/v1/things?page=2"),
        ({"by": "next", "path": "next"}, {"data": PAGE, "next": "?c=2"}, "", "https://api.example/v1/things?c=2"),
        ({"by": "page"}, PAGE, "", "https://api.example/v1/things?page=2"),
        ({"by": "page", "param": "p", "start": 0}, PAGE, "", "https://api.example/v1/things?p=1"),
        ({"by": "offset", "size": 2}, PAGE, "", "https://api.example/v1/things?offset=2"),
        ({"by": "cursor", "path": "c"}, {"data": PAGE, "c": "x/ y"}, "", "https://api.example/v1/things?cursor=x/%20y"),
        ({"by": "cursor", "path": "c", "param": "after"}, {"data": PAGE, "c": 9}, "", "https://api.example/v1/things?after=9"),
        ({"by": "page", "more": "more"}, {"data": PAGE, "more": True}, "", "https://api.example/v1/things?page=2"),
    ],
)  # fmt: skip
def test_every_form_of_paging_leads_to_the_next_page(paging: object, value: Any, link: str, url: str) -> None:
    onward = _onward(value, link=link, result_path="data" if isinstance(value, dict) else "", paging=paging)
    assert onward is not None
    assert (onward.url, onward.purpose, onward.context["page"]) == (url, "next", 2)
    assert is_walk(onward)


@pytest.mark.parametrize(
    ("paging", "value", "link"),
    [
        ({"by": "link"}, PAGE, '</v1/things?page=1>; rel="prev"'),
        ({"by": "link"}, PAGE, ""),
        ({"by": "next", "path": "next"}, {"data": PAGE, "next": None}, ""),
        ({"by": "next", "path": "next"}, {"data": PAGE}, ""),
        ({"by": "page"}, [], ""),
        ({"by": "page", "size": 3}, PAGE, ""),
        ({"by": "offset", "size": 3}, PAGE, ""),
        ({"by": "cursor", "path": "c"}, {"data": PAGE, "c": ""}, ""),
        ({"by": "cursor", "path": "c"}, {"data": PAGE, "c": False}, ""),
        ({"by": "page", "more": "more"}, {"data": PAGE, "more": False}, ""),
    ],
)
def test_the_last_page_is_known_as_such(paging: object, value: Any, link: str) -> None:
    found = _read(value, link=link, result_path="data" if isinstance(value, dict) else "", paging=paging)
    assert [item for item in found if not isinstance(item, Document)] == []


def _walk(answer: Any, **config: Any) -> tuple[list[str], list[Notice]]:
    """Follow the pages as the engine would; the addresses asked, and what was reported."""
    (at,) = kind_of("api", config).start(API)
    urls, notices = [], []
    for _ in range(50):
        urls.append(f"{at.url} {at.context['value']}" if "value" in at.context else at.url)
        found = _read(answer(at), at, **config)
        notices += [item for item in found if isinstance(item, Notice)]
        onward = next((item for item in found if isinstance(item, Request)), None)
        if onward is None:
            return urls, notices
        at = onward
    raise AssertionError("the walk does not end")


def test_the_same_cursor_again_ends_the_walk_and_says_so() -> None:
    config = {"result_path": "data", "paging": {"by": "cursor", "path": "c"}, "max_pages": 40}
    urls, (notice,) = _walk(lambda at: {"data": [{"id": len(at.context), "title": at.url}], "c": "same"}, **config)
    assert len(urls) == 2
    assert notice.code == "page_loop"


def test_the_same_page_under_ever_new_cursors_ends_the_walk() -> None:
    config = {"result_path": "data", "paging": {"by": "cursor", "path": "c"}, "max_pages": 40}
    urls, (notice,) = _walk(lambda at: {"data": PAGE, "c": f"{at.context.get('page', 1)}", "at": at.url}, **config)
    assert len(urls) == 2
    assert (notice.code, "paging.size" in notice.message) == ("page_loop", True)


def test_pages_that_link_in_a_circle_end_the_walk() -> None:
    config = {"result_path": "data", "paging": {"by": "next", "path": "next"}, "max_pages": 40}
    numbers = {API.url: 2, f"{API.url}?p=2": 3, f"{API.url}?p=3": 2}

    def answer(at: Request) -> object:
        return {"data": [{"id": at.url, "title": at.url}], "next": f"?p={numbers[at.url]}"}

    urls, (notice,) = _walk(answer, **config)
    assert (len(urls), notice.code) == (3, "page_loop")


def test_an_empty_page_is_no_end_while_the_answer_names_the_next() -> None:
    """Filters that work on each page leave such gaps."""
    config = {"result_path": "data", "paging": {"by": "cursor", "path": "c"}, "max_pages": 40}

    def answer(at: Request) -> object:
        number = at.context.get("page", 1)
        return {"data": [] if number in {2, 3} else [{"id": number, "title": "A"}], "c": number if number < 5 else None}

    urls, notices = _walk(answer, **config)
    assert (len(urls), notices) == (5, [])


def test_an_end_of_empty_pages_ends_the_walk_and_says_so() -> None:
    config = {"result_path": "data", "paging": {"by": "next", "path": "next"}, "max_pages": 40}
    urls, (notice,) = _walk(lambda at: {"data": [], "next": f"?p={at.context.get('page', 1)}"}, **config)
    assert (len(urls), notice.code) == (6, "page_empty")


def test_a_cursor_that_stays_where_it_is_with_nothing_behind_it_is_the_end() -> None:
    config = {"result_path": "data", "paging": {"by": "cursor", "path": "c"}}
    urls, notices = _walk(lambda at: {"data": [] if "page" in at.context else PAGE, "c": "end"}, **config)
    assert (len(urls), notices) == (2, [])


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://api.example/2", "http://[x"])
def test_a_next_page_that_cannot_be_read_is_reported(link: str) -> None:
    found = _read({"data": PAGE, "next": link}, result_path="data", paging={"by": "next", "path": "next"})
    (notice,) = [item for item in found if not isinstance(item, Document)]
    assert isinstance(notice, Notice)
    assert (notice.code, link in notice.message) == ("page_link", True)


def test_items_that_share_an_id_are_reported_with_the_field_to_change() -> None:
    items = [{"type": "a", "title": title} for title in "ABC"]
    (notice,) = _notices(items, fields={"id": "type"})
    assert (notice.code, notice.message.split()[0]) == ("api.id", "2")
    assert "'type', which fields.id names" in notice.message
    (notice,) = _notices([{"id": 1, "title": "A"}, {"id": "1", "title": "B"}])
    assert "set fields.id" in notice.message
    assert _notices([PAGE[0], PAGE[0]]) == [], "the same item twice is nothing lost"


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/json"])
def test_a_broken_line_costs_that_line_only(media_type: str) -> None:
    lines = [json.dumps({"id": number, "title": f"T{number}"}) for number in range(6)]
    body = "\n".join([*lines[:3], '{"id": 9, "tit', *lines[3:]])
    assert len(_documents(body, media_type=media_type)) == 6
    (notice,) = _notices(body, media_type=media_type)
    assert (notice.code, notice.message.startswith("Line 4 is no JSON")) == ("api.malformed", True)


def test_an_endless_list_ends_at_the_limit_and_says_that_there_is_more() -> None:
    config = {"paging": {"by": "page"}, "max_pages": 5}
    urls, (notice,) = _walk(lambda at: [{"id": at.url, "title": at.url}], **config)
    assert urls == [API.url, *(f"{API.url}?page={n} {n}" for n in range(2, 6))]
    assert (notice.code, "max_pages (5)" in notice.message) == ("page_limit", True)


def test_every_turn_uses_the_same_rows_for_its_pages_and_asks_for_them_anew() -> None:
    config = {"result_path": "data", "paging": {"by": "cursor", "path": "c"}}
    one, other = (_onward({"data": PAGE, "c": cursor}, **config) for cursor in ("a", "b"))
    assert one is not None
    assert other is not None
    assert (one.id == other.id, one.url == other.url) == (True, False)
    (at,) = kind_of("api", config).start(API)
    later = list(kind_of("api", config).read(API, at, payload(json.dumps({"data": PAGE, "c": "a"}), fetched_at=9)))
    assert [item.stamp for item in later if isinstance(item, Request)] == ["9"]


def test_a_cursor_can_stand_in_the_body() -> None:
    paging = {"by": "cursor", "path": "data.end", "param": "variables.after", "in_body": True}
    config = {"method": "POST", "body": {"query": "{x}", "variables": {"first": 2}}, "paging": paging}
    config |= {"result_path": "data.nodes"}
    kind = kind_of("api", config)
    first = next(iter(kind.start(API)))
    onward = _onward({"data": {"nodes": PAGE, "end": "X"}}, **config)
    assert onward is not None
    assert (onward.url, kind.call(API, first).method) == (API.url, "POST")
    assert json.loads(kind.call(API, first).body) == {"query": "{x}", "variables": {"first": 2}}
    assert json.loads(kind.call(API, onward).body)["variables"] == {"first": 2, "after": "X"}


def test_headers_and_body_stay_with_the_site_of_the_source() -> None:
    kind = kind_of("api", {"method": "POST", "body": "q=1", "headers": {"X-Key": "${secret:KEY}"}})
    own, other = (kind.call(API, request(API, url, "next")) for url in (API.url + "?p=2", "https://other.example/p"))
    assert (own.method, own.body, own.headers["X-Key"]) == ("POST", b"q=1", "${secret:KEY}")
    assert (other.method, other.body, dict(other.headers)) == ("GET", b"", {"Accept": "application/json"})


@pytest.mark.parametrize(
    "config",
    [
        {"paging": {"by": "magic"}},
        {"paging": {"by": "cursor"}},
        {"paging": {"by": "offset"}},
        {"paging": {"by": "page", "size": -1}},
        {"method": "DELETE"},
        {"max_pages": 0},
        {"fields": ["title"]},
        {"body": {"q": 1}},
        {"paging": {"by": "page", "in_body": True}},
        {"result_pth": "x"},
    ],
)
def test_a_wrong_option_is_refused_when_the_source_is_added(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        kind_of("api", config)
    assert caught.value.code == "bad_option"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('<https://a.example/?a=1,2&b>; rel="next"', "https://a.example/?a=1,2&b"),
        ("</2>;rel=next", "/2"),
        ('</1>; rel="first prev", </2>; title="x; rel=prev"; rel="Next last"', "/2"),
        ('</1>; title="; rel=next", </2>; rel=last', ""),
        ('</1>; rel="first prev", </2>; rel="Next last"; title="a, b"', "/2"),
        ("</2>; rel=nextish", ""),
        ("<", ""),
        ("", ""),
    ],
)
def test_the_next_link_of_a_header_is_found(header: str, expected: str) -> None:
    assert next_link(header) == expected


def test_a_parameter_is_set_and_the_others_stay_as_they_stand() -> None:
    assert (
        with_parameter("https://a.example/?q=a%2Fb+c&page=1&x", "page", "2") == "https://a.example/?q=a%2Fb+c&x&page=2"
    )
    assert with_parameter("https://a.example/x", "p[n]", "a&b") == "https://a.example/x?p%5Bn%5D=a%26b"


def _outcome(body: bytes | str, **config: Any) -> list[Finding]:
    """What was read; nothing when it could not be, for a reason that has a code."""
    try:
        return _read(body, **config)
    except ReadError as error:
        if not error.code.startswith("api."):
            raise
        return []


@given(some.binary(max_size=200), some.sampled_from(["", "application/json", "application/x-ndjson"]))
def test_any_bytes_give_documents_or_an_error_with_a_code(body: bytes, media_type: str) -> None:
    assert _outcome(body, media_type=media_type) is not None


_JSON = some.recursive(
    some.none() | some.booleans() | some.floats() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.sampled_from(["id", "title", "text", "url", "x"]), inner),
)


@given(some.lists(_JSON))
def test_any_list_gives_documents_or_an_error_with_a_code(value: list[Any]) -> None:
    found = _outcome(json.dumps(value), paging={"by": "page", "more": "x"}, fields={"authors": "x.*.id"})
    assert all(item.keys and item.text for item in found if isinstance(item, Document))
