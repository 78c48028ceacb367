"""The answer in a line of an archive file: as it was kept, or told to be damaged."""

from __future__ import annotations

from typing import Any

import pytest

from samples import NOW
from veille.core.archive.archive_files import line_of, packed_answer, packed_lines, unpacked_answer
from veille.core.fingerprint import raw_hash
from veille.core.traffic import Payload
from veille.errors import ReadError

ANSWER = Payload(
    url="http://a.example/",
    final_url="http://a.example/home",
    status=200,
    body=b"caf\xe9\0\xff",
    fetched_at=NOW,
    media_type="text/html",
    charset="windows-1252",
    etag='"1"',
    robots="noindex\nnofollow",
)


def _line(**changed: Any) -> dict[str, Any]:
    return {"text": "", "raw": packed_answer(ANSWER, raw_hash(ANSWER.body)) | changed}


def test_an_answer_comes_back_as_it_was() -> None:
    assert unpacked_answer(line_of(packed_lines([{}, _line()]), 1)) == ANSWER
    assert unpacked_answer({"text": ""}) is None


@pytest.mark.parametrize(
    "line",
    [
        _line(body="AAAA"),
        _line(body="é"),
        _line(body=7),
        _line(sha256=""),
        _line(fetched_at="then"),
        _line(status=None),
        _line(final_url=["x"]),
        {"raw": []},
        {"raw": {}},
        {"raw": "x"},
    ],
)
def test_a_line_that_was_changed_is_damaged(line: dict[str, Any]) -> None:
    with pytest.raises(ReadError) as caught:
        unpacked_answer(line)
    assert caught.value.code == "archive_damaged"
