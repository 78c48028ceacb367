from __future__ import annotations

import hashlib
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.fingerprint import content_hash, guid_identity, raw_hash, request_id, url_identity, uuid7

times = st.integers(0, 2**48 - 1)


@given(times, st.lists(st.text(st.characters(codec="utf-8"))))
def test_an_id_is_a_uuid_7_and_the_same_each_time(at: int, parts: list[str]) -> None:
    made = uuid.UUID(uuid7(at, *parts))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == at
    assert uuid7(at, *parts) == str(made)


@given(times, times)
def test_ids_sort_by_time(one: int, other: int) -> None:
    assert (one < other) == (uuid7(one, "a")[:13] < uuid7(other, "b")[:13])


def test_ids_of_one_instant_differ_by_what_they_name() -> None:
    assert len({uuid7(1, "a"), uuid7(1, "b"), uuid7(2, "a")}) == 3


@pytest.mark.covers("R-020")
def test_the_url_hash_is_the_sha_256_of_the_key_of_the_address() -> None:
    expected = hashlib.sha256(b"example.com/a?id=7").hexdigest()
    assert url_identity("https://www.example.com/a/?id=7&utm_source=x#top") == f"url:{expected}"


@pytest.mark.covers("R-020")
def test_the_content_hash_is_the_sha_256_of_the_normalised_text() -> None:
    assert content_hash(" Two\n\nwords\u200b ") == hashlib.sha256(b"Two words").hexdigest()
    assert content_hash("Two words") != content_hash("two words")


def test_the_raw_hash_is_the_sha_256_of_the_bytes() -> None:
    assert raw_hash(b"a ") == hashlib.sha256(b"a ").hexdigest() != raw_hash(b"a")


def test_a_publishers_id_names_an_entry_within_its_source_only_and_an_address_everywhere() -> None:
    assert guid_identity("a", "1") != guid_identity("b", "1")
    assert url_identity("https://example.com/a") == url_identity("http://example.com/a/")


def test_the_same_request_has_the_same_id() -> None:
    assert request_id("a", "root", "u") == request_id("a", "root", "u")
    assert (
        len({request_id(*parts) for parts in [("a", "r", "u"), ("b", "r", "u"), ("a", "e", "u"), ("a", "r", "v")]}) == 4
    )
