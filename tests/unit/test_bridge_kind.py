from __future__ import annotations

import json
from typing import Any

import pytest

from samples import payload, request, source
from veille.core.fingerprint import guid_identity, url_identity
from veille.core.kinds import Finding, kind_of, kind_of_source
from veille.core.kinds.bridge import BridgeKind
from veille.core.models import Document, Json, Listing, Notice
from veille.errors import ReadError

SOURCE = source("https://social.example/@ann", kind="socmed", config={"limit": 5, "lists": ["a"]})


def _read(reply: object, **config: Any) -> list[Finding]:
    body = reply if isinstance(reply, str) else json.dumps(reply)
    return list(
        kind_of("bridge", config).read(SOURCE, request(SOURCE), payload(body, "http://127.0.0.1:9/socmed_fetch"))
    )


def _document(**extraction: Any) -> Document:
    (found,) = _read({"extractions": [extraction]})
    assert isinstance(found, Document)
    return found


@pytest.mark.covers("R-091")
def test_a_service_is_asked_with_the_source_and_its_options() -> None:
    kind = kind_of_source(SOURCE)
    assert isinstance(kind, BridgeKind)
    call = kind.call(SOURCE, request(SOURCE))
    assert (call.method, call.service, call.robots) == ("POST", "socmed", False)
    assert json.loads(call.body) == {
        "source_id": SOURCE.id,
        "url": "https://social.example/@ann",
        "config": {"limit": 5, "lists": ["a"]},
        "source_type": "socmed",
    }


@pytest.mark.covers("R-091")
def test_extractions_are_documents() -> None:
    found = _document(
        title="T", content="<p>Some text</p>", url="/1", content_hash="h", published="2026-02-24", authors=["Ann"]
    )
    assert (found.title, found.text, found.url) == ("T", "Some text", "https://social.example/1")
    assert (found.authors, found.published_at is not None) == (("Ann",), True)


@pytest.mark.parametrize(
    ("extraction", "key"),
    [
        ({"id": "7", "url": "https://social.example/7"}, guid_identity(SOURCE.id, "7")),
        ({"url": "https://social.example/7", "content_hash": "h"}, url_identity("https://social.example/7")),
        ({"content_hash": "h"}, guid_identity(SOURCE.id, "h")),
        ({"url": SOURCE.url, "content_hash": "h"}, guid_identity(SOURCE.id, "h")),
        ({}, guid_identity(SOURCE.id, f"{SOURCE.url}|T")),
    ],
)
def test_an_extraction_is_known_by_its_id_its_address_or_its_hash(extraction: Json, key: str) -> None:
    assert _document(title="T", content="Text", **extraction).keys[0] == key


def test_extractions_that_share_an_address_are_told_apart_by_their_hash() -> None:
    shared = {"url": "https://social.example/all", "content": "Text"}
    one, two = _read({"extractions": [shared | {"content_hash": "1"}, shared | {"content_hash": "2"}]})
    assert isinstance(one, Document)
    assert isinstance(two, Document)
    assert not set(one.keys) & set(two.keys)


def test_an_extraction_without_content_is_left_out_and_counted() -> None:
    document, notice = _read({"extractions": [{"title": "T"}, {"content": "Text"}, {"content": None}, 5]})
    assert isinstance(document, Document)
    assert isinstance(notice, Notice)
    assert (notice.code, notice.message[:1]) == ("empty", "2")


def test_a_service_whose_answer_is_complete_gives_a_listing() -> None:
    one = {"id": "1", "content": "Text"}
    listing = Listing(keys=(guid_identity(SOURCE.id, "1"),))
    assert _read({"extractions": [one], "complete": True})[1:] == [listing]
    assert _read({"extractions": [one]}, complete=True)[1:] == [listing]
    assert _read({"extractions": [], "complete": True}) == [Listing(keys=())]
    assert len(_read({"extractions": [one], "complete": False}, complete=True)) == 1
    assert len(_read({"extractions": [one], "complete": "yes"})) == 1
    for unread in ({"id": "2"}, 5):
        found = _read({"extractions": [one, unread], "complete": True})
        assert not any(isinstance(item, Listing) for item in found), "what was left out is not gone"


def test_no_extractions_is_fine() -> None:
    assert _read({"extractions": []}) == []


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        ("<html>", "api.not_json", "not JSON"),
        ("nonsense", "api.malformed", "no JSON"),
        ([], "bridge.reply", "extractions"),
        ({"results": []}, "bridge.reply", "the keys results"),
        ({"extractions": {}}, "bridge.reply", "the keys extractions"),
        ({"error": "no such account"}, "bridge.error", "no such account"),
    ],
)
def test_the_error_for_an_invalid_reply_quotes_it(reply: object, code: str, words: str) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        _read(reply)
    assert caught.value.code == code
