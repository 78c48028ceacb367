from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from veille.core.readers.item_numbers import item_number, long_id
from veille.core.readers.streams import (
    ItemQuery,
    ReaderItem,
    Stream,
    StreamKind,
    label_id,
    page_of,
    state_id,
    stream_of,
)


def _item(number: int, at: int) -> ReaderItem:
    return ReaderItem(
        number=number,
        dossier_id="d",
        seq=number,
        at=at,
        document_id=str(number),
        feed=number % 3,
        is_unread=bool(number % 2),
        is_kept=number % 5 == 0,
        labels=frozenset({"News"} if number % 2 else ()),
    )


@given(some.integers(-(2**63), 2**63 - 1))
def test_every_form_of_an_id_gives_its_number(number: int) -> None:
    assert item_number(long_id(number)) == number
    assert item_number(long_id(number)[-16:].upper()) == number
    # Sixteen digits are hexadecimal: apps that send decimal numbers send shorter ones here.
    if len(str(number)) != 16:
        assert item_number(str(number)) == number


@given(some.text())
def test_any_text_is_a_stream_or_none(text: str) -> None:
    found = stream_of(text)
    assert found is None or isinstance(found.kind, StreamKind)
    item_number(text)
    if text:
        assert stream_of(label_id(text)) == Stream(StreamKind.LABEL, text)


def test_streams_of_states() -> None:
    assert stream_of(state_id(StreamKind.STARRED)) == Stream(StreamKind.STARRED, "starred")
    assert stream_of("user/0815/state/com.google/broadcast") == Stream(StreamKind.OTHER, "broadcast")
    assert [one.feed for one in (Stream(StreamKind.FEED, "12"), Stream(StreamKind.FEED, "https://a"))] == [12, None]


@given(
    some.lists(some.integers(0, 50), max_size=40),
    some.integers(1, 7),
    some.sampled_from("on"),
    some.sampled_from([StreamKind.ALL, StreamKind.UNREAD, StreamKind.STARRED, StreamKind.READ]),
)
def test_pages_together_are_the_whole_list(times: list[int], limit: int, order: str, kind: StreamKind) -> None:
    is_oldest_first = order == "o"
    items = [_item(number, at) for number, at in enumerate(times, 1)]
    query = ItemQuery(stream=Stream(kind), limit=1000, is_oldest_first=is_oldest_first)
    whole, after, read = page_of(items, query), "", []
    assert whole.following == ""
    while True:
        page = page_of(items, ItemQuery(stream=Stream(kind), limit=limit, is_oldest_first=is_oldest_first, after=after))
        read += page.items
        after = page.following
        if not after:
            break
    assert read == whole.items


def test_what_is_no_place_ends_the_list() -> None:
    items = [_item(1, 1)]
    for is_oldest_first in (True, False):
        for after in ("nonsense", "1-", "-", "9" * 30 + "-1"):
            assert page_of(items, ItemQuery(after=after, is_oldest_first=is_oldest_first)).items == []
