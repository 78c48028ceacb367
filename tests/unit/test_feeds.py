from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.feeds import Feed, parse_feed
from veille.errors import ReadError

CASES = sorted((Path(__file__).parent.parent / "cases" / "feeds").iterdir())
PIECES = tuple(
    piece for case in CASES for piece in (case / "input.xml").read_bytes().replace(b"<", b"\0<").split(b"\0")
)


@pytest.mark.covers("R-085")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_feed_is_read_as_expected(case: Path) -> None:
    try:
        found = json.loads(json.dumps(asdict(parse_feed((case / "input.xml").read_bytes()))))
    except ReadError as error:
        found = {"error": error.code}
    assert not any(entry.pop("is_cut") for entry in found.get("entries", ()))
    assert found == json.loads((case / "expected.json").read_text())


@given(st.binary() | st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=60).map(b"".join))
def test_any_bytes_are_a_feed_or_a_read_error(data: bytes) -> None:
    with suppress(ReadError):
        assert isinstance(parse_feed(data), Feed)


@given(st.sampled_from(CASES), st.data())
def test_a_feed_cut_or_damaged_anywhere_is_a_feed_or_a_read_error(case: Path, data: st.DataObject) -> None:
    whole = bytearray((case / "input.xml").read_bytes())
    at = data.draw(st.integers(0, len(whole)))
    damaged = whole[:at] + data.draw(st.binary(max_size=3)) + whole[at + data.draw(st.integers(0, 50)) :]
    with suppress(ReadError):
        parse_feed(bytes(damaged))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_declared_encoding_counts(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?><rss><channel><title>Müller</title></channel></rss>"
    assert parse_feed(text.encode(encoding)).title == "Müller"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_no_file_and_no_entity_of_entities_ever_gets_into_a_feed(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file://{tmp_path}/secret">'
        '<!ENTITY y "twice"><!ENTITY z "expanded &y;">]><rss><channel><title>&x;&z;</title></channel></rss>'
    )
    title = ""
    with suppress(ReadError):
        title = parse_feed(text.encode(encoding)).title
    assert "secret" not in title
    assert "expanded twice" not in title
