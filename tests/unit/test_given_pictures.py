from __future__ import annotations

import io
import json
from base64 import b64encode
from typing import Any

import pytest
from PIL import Image

from samples import payload, request, source
from veille.core.browsing.given_pictures import given_picture
from veille.core.kinds import Finding, kind_of
from veille.core.models import Document, Notice
from veille.errors import ReadError

SOURCE = source("camera://harbour", kind="camera")


def _webp(width: int = 70, height: int = 40, **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGBA" if options.pop("alpha", False) else "RGB", (width, height), "#0b5d6b").save(out, "WEBP", **options)
    return out.getvalue()


def _given(data: bytes) -> str:
    return b64encode(data).decode()


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 80}, {"quality": 80, "alpha": True, "exif": b"x"}])
def test_a_webp_of_any_kind_is_kept_as_it_is(options: dict[str, Any]) -> None:
    data = _webp(**options)
    found = given_picture(_given(data))
    assert (found.width, found.height, found.webp, found.difference) == (70, 40, data, None)
    assert given_picture(_given(data)).hash == found.hash != given_picture(_given(_webp(71, 40))).hash


@pytest.mark.parametrize(
    "value", ["%%%", 7, ["a"], _given(b"<svg onload=alert(1)>" * 3), _given(b"RIFF" + bytes(40)), _given(_webp()[:25])]
)
def test_what_is_no_picture_is_refused(value: object) -> None:
    with pytest.raises(ReadError) as refused:
        given_picture(value)
    assert refused.value.code == "bad_picture"


def test_a_picture_that_is_too_large_is_refused() -> None:
    with pytest.raises(ReadError, match="too large"):
        given_picture(_given(_webp(12_000, 2)))
    with pytest.raises(ReadError, match="too large"):
        given_picture(_given(_webp() + bytes(2_000_000)))


def _read(picture: object) -> list[Finding]:
    answer = json.dumps({"extractions": [{"id": "1", "content": "Two ships.", "picture": picture}]})
    return list(kind_of("bridge", {}).read(SOURCE, request(SOURCE), payload(answer, "http://127.0.0.1:9/fetch")))


@pytest.mark.covers("R-091")
def test_a_service_may_hand_over_a_picture() -> None:
    (found,) = _read(_given(_webp()))
    assert isinstance(found, Document)
    assert found.picture is not None
    assert found.picture.webp == _webp()


def test_a_bad_picture_is_told_and_the_document_stays() -> None:
    document, notice = _read("nonsense")
    assert isinstance(document, Document)
    assert (document.text, document.picture) == ("Two ships.", None)
    assert isinstance(notice, Notice)
    assert notice.code == "bad_picture"
