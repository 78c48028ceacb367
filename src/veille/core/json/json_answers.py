"""Parse JSON answers into a list of items, or raise an error that says what was received and what to change."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from veille.core.http.charset import decoded
from veille.core.json.dotpaths import MISSING, at, described, lists_in
from veille.core.traffic import Payload
from veille.errors import ReadError

_LINES = ("ndjson", "jsonl", "json-lines", "jsonlines", "json-seq")
_SHOWN = 60
_RECORD = "\x1e"


class JsonAnswer(NamedTuple):
    """The value of a JSON answer, and errors in single lines of JSON lines."""

    value: Any
    flaws: tuple[str, ...] = ()


def parsed(payload: Payload) -> JsonAnswer:
    """The value of a JSON answer; JSON lines become a list of their values, without a few invalid lines."""
    text = decoded(payload.body, payload.charset or "utf-8")[0].lstrip("\ufeff").strip()
    if any(name in payload.media_type for name in _LINES):
        return _lines(text)
    try:
        return JsonAnswer(json.loads(text))
    except (ValueError, RecursionError) as error:
        if text.startswith("<"):
            raise ReadError(
                f"The answer is {payload.media_type or 'markup'}, not JSON: it begins {text[:_SHOWN]!r}. A login page, "
                "a block or the wrong address? Check the address, the key and the headers; an engine that answers "
                "pages has the strategy `generic`.",
                code="api.not_json",
            ) from error
        # JSON lines often have a media type that does not say so.
        if getattr(error, "msg", "") == "Extra data" and "\n" in text:
            return _lines(text)
        raise ReadError(
            f"This is no JSON ({_reason(error)}): it begins {text[:_SHOWN]!r}. Check the address, and whether the "
            "answer was cut.",
            code="api.malformed",
        ) from error


def items_in(value: Any, result_path: str) -> list[Any]:
    """The list at the path, or an error that says what is there."""
    found = at(value, result_path)
    if isinstance(found, list):
        return found
    lists = lists_in(value)
    advice = f"Lists stand at: {', '.join(lists[:10])}." if lists else "There is no list in the answer."
    if found is MISSING:
        what = f"There is nothing at result_path {result_path!r}: the answer has {described(value)}."
    elif result_path:
        what = f"At result_path {result_path!r} there is no list but {described(found)}."
    else:
        what = f"The answer is no list but an object with {described(found)}; set result_path to its list."
    raise ReadError(f"{what} {advice}", code="api.path")


def _lines(text: str) -> JsonAnswer:
    values: list[Any] = []
    flaws: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip().strip(_RECORD)
        if not stripped:
            continue
        try:
            values.append(json.loads(stripped))
        except (ValueError, RecursionError) as error:
            flaws.append(f"Line {number} is no JSON ({_reason(error)}): it begins {stripped[:_SHOWN]!r}.")
    if len(flaws) >= max(len(values), 1):
        # If at least half of the lines are invalid, this is not JSON lines.
        raise ReadError(flaws[0], code="api.malformed")
    return JsonAnswer(values, tuple(flaws))


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]
