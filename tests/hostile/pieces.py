"""Inputs made of pieces: a text and how often it is repeated. So a body of megabytes is written down in one line.

In a piece that is repeated, `{n}` stands for the number of the repetition.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

Pieces = tuple[tuple[str, int], ...]

#: A little more than an answer may have, so that its limit is met too.
MOST_BYTES = 10 * 1024 * 1024 + 4096
_NUMBER = "{n}"


@dataclass(frozen=True, kw_only=True)
class Input:
    """Something to be read, or asked for: what it is, how it is to be read, and what it becomes the next time."""

    #: Which generator made it.
    kind: str
    #: What it is put to: a kind of source, or `opml`, `query` or `body`, the body of a request.
    to: str
    body: Pieces
    #: The body at the next check; nothing: it stays.
    again: Pieces = ()
    media_type: str = "text/html"
    encoding: str = "utf-8"
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return length(self.body) + length(self.again)

    def written(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=True) + "\n"


def read_input(text: str) -> Input:
    """An input that was written down."""
    found = json.loads(text)
    for name in ("body", "again"):
        found[name] = tuple((unit, count) for unit, count in found[name])
    return Input(**found)


def text_of(pieces: Pieces) -> str:
    """The whole text, cut where it would be longer than anything that is read."""
    out, left = [], MOST_BYTES
    for unit, count in pieces:
        times = min(count, left // max(1, len(unit)))
        if _NUMBER in unit and times > 1:
            out.append("".join(unit.replace(_NUMBER, str(n)) for n in range(times))[:left])
        else:
            out.append(unit * times)
        left -= len(out[-1])
    return "".join(out)


def bytes_of(pieces: Pieces, encoding: str) -> bytes:
    """The text as bytes; `raw` gives each character its own number, whatever it means."""
    text = text_of(pieces)
    if encoding == "raw":
        return text.encode("latin-1", "replace")
    return text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")


def length(pieces: Pieces) -> int:
    return min(sum(len(unit) * count for unit, count in pieces), MOST_BYTES)


def escaped(pieces: Pieces) -> Pieces:
    """As it stands in an attribute or in an element of XML."""
    return tuple((escape(unit), count) for unit, count in pieces)


def quoted(pieces: Pieces) -> Pieces:
    """As it stands in a string of JSON."""
    return tuple((json.dumps(unit)[1:-1], count) for unit, count in pieces)


def smaller(one: Input) -> Iterator[Input]:
    """Inputs that are a little less than this one, the least first."""
    if one.again:
        yield replace(one, again=())
    if one.encoding != "utf-8":
        yield replace(one, encoding="utf-8")
    yield from (replace(one, body=pieces) for pieces in _fewer(one.body))
    yield from (replace(one, again=pieces) for pieces in _fewer(one.again))
    for key, value in one.config.items():
        for less in _less(value):
            yield replace(one, config=one.config | {key: less})


def _fewer(pieces: Pieces) -> Iterator[Pieces]:
    for at, (unit, count) in enumerate(pieces):
        before, after = pieces[:at], pieces[at + 1 :]
        if len(pieces) > 1:
            yield before + after
        for times in (1, count // 10, count // 2):
            if 0 < times < count:
                yield (*before, (unit, times), *after)


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, list) and len(value) > 1:
        yield from ([one] for one in value)
    if isinstance(value, list):
        yield from ([less] for one in value for less in _less(one))
    if isinstance(value, str) and len(value) > 1:
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
