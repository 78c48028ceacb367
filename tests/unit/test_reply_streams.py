from __future__ import annotations

import json
from itertools import pairwise

import pytest

from veille.core.ask.answering import AnswerSentence, WrittenSentences
from veille.core.prompting.replies import MAX_REPLY
from veille.core.prompting.streams import GrowingList, ServerEvents

EVENTS = "\ufeffdata: é😀\n\n: comment\nid: x\r\ndata:two\r\ndata: lines\r\n\r\n\n\ndata\ndata: [DONE]\r\rdata: late"


def _fed(parts: list[bytes]) -> list[str]:
    events = ServerEvents()
    return [data for part in parts for data in events.feed(part)]


def test_events_are_the_same_wherever_they_are_cut() -> None:
    body = EVENTS.encode()
    found = ["é😀", "two\nlines", "\n[DONE]"]
    assert _fed([body]) == found
    for at in range(len(body)):
        assert _fed([body[:at], body[at:]]) == found, at
    assert _fed([body[at : at + 1] for at in range(len(body))]) == found


def test_an_event_is_told_as_soon_as_it_is_whole() -> None:
    events = ServerEvents()
    assert [events.feed(part) for part in (b"data: 1", b"\n", b"\ndata: 2\r\n\r", b"\n")] == [[], [], ["1"], ["2"]]


ITEMS = [{"a": "}]"}, {"b": {"c": ['"sentences": [', {}]}}, {"d": "\\"}, {"é": "😀\n"}]


@pytest.mark.parametrize("around", ["%s", 'Sure: ```json\n{"why": "\\"sentences\\": [{", "sentences" : %s}\n``` [{}]'])
def test_items_are_the_same_wherever_the_text_is_cut(around: str) -> None:
    text = around % json.dumps(ITEMS, ensure_ascii=False)
    text = text if "sentences" in around else f'{{"sentences":{text}}}'
    for size in (1, 2, 3, 7, len(text)):
        items = GrowingList("sentences")
        assert [one for at in range(0, len(text), size) for one in items.feed(text[at : at + size])] == ITEMS, size
    for at in range(len(text)):
        items = GrowingList("sentences")
        assert items.feed(text[:at]) + items.feed(text[at:]) == ITEMS, at


@pytest.mark.parametrize(
    "text",
    [
        "Bananas.", "[{}]", '{"other": [{}]}', '{"sentences": {}}', '{"sentences": [1, {}]}', '{"sentences": ["{}"]}',
        '{"sentences": [{"a": 1', '{"sentences": [{' + '"a": "' + "}" * 30_000, '{"sentences": [' + "{" * 9000 + "}",
        '{"sentences": [{"a":' + '{"a":' * 3000 + "}", " " * MAX_REPLY + '{"sentences": [{}]}',
    ],
    ids=range(11),
)  # fmt: skip
def test_nothing_is_found_in_nonsense(text: str) -> None:
    items = GrowingList("sentences")
    assert [one for at in range(0, len(text), 50) for one in items.feed(text[at : at + 50])] == []


def test_sentences_are_read_until_one_is_of_the_wrong_shape_and_no_more_than_an_answer_has() -> None:
    good = {"text": "It is.", "quotes": [{"number": 1, "quote": "is"}]}
    for said, found in (([good, good], 2), ([good, {"text": 5}, good], 1), ([good] * 20, 12)):
        text = json.dumps({"sentences": said})
        written = WrittenSentences()
        ends = [*range(0, len(text), 9), len(text)]
        read = [one for at, end in pairwise(ends) for one in written.feed(text[at:end])]
        assert read == [AnswerSentence.model_validate(good)] * found
