"""The format of archive files: JSON lines in Zstandard frames, one frame for the revisions of a document.

`zstdcat FILE` prints all lines, so that they can be read without this program. A line has the facts of a revision, its
`text` and `html`, and the answer it was read from (`raw`) if that was kept.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veille.core.fingerprint import raw_hash
from veille.core.models import Json
from veille.core.traffic import Payload
from veille.core.zstandard import zstd
from veille.errors import ReadError

_CHECKSUM: dict[int, int] = {
    zstd.CompressionParameter.checksum_flag: 1,
    zstd.CompressionParameter.compression_level: 9,
}
#: The facts of an answer that are archived with its body.
_FACTS = "url final_url status fetched_at media_type charset etag last_modified link robots".split()
_NUMBERS = frozenset({"status", "fetched_at"})
#: More than a document has: SQLite stores no more in one row.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePlace:
    """Where an archived revision is: a frame of a file, and the number of the line in it."""

    file: str
    start: int
    length: int
    line: int


def packed_lines(lines: Sequence[Json]) -> bytes:
    """A frame with these lines."""
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    return zstd.compress(text.encode("utf-8", "surrogatepass"), options=_CHECKSUM)


def line_of(frame: bytes, number: int) -> Json:
    """A line of a frame; ReadError `archive_damaged` if it cannot be read."""
    try:
        text = zstd.ZstdDecompressor().decompress(frame, max_length=_MOST_BYTES)
        found: Json = json.loads(text.split(b"\n")[number])
    except (zstd.ZstdError, ValueError, IndexError, EOFError) as error:
        raise _damaged() from error
    return found


def packed_answer(payload: Payload, sha256: str) -> Json:
    """An answer as a line has it."""
    facts = {name: getattr(payload, name) for name in _FACTS}
    return {**facts, "sha256": sha256, "body": base64.b64encode(payload.body).decode()}


def unpacked_answer(line: Json) -> Payload | None:
    """The answer of a line; None if it has none. ReadError `archive_damaged` if it cannot be read."""
    if (raw := line.get("raw")) is None:
        return None
    try:
        facts: dict[str, Any] = {name: raw[name] for name in _FACTS if name in raw}
        is_sound = all(isinstance(value, int if name in _NUMBERS else str) for name, value in facts.items())
        answer = Payload(**facts, body=base64.b64decode(raw["body"]))
        is_sound = is_sound and raw_hash(answer.body) == raw["sha256"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _damaged() from error
    if not is_sound:
        raise _damaged()
    return answer


def _damaged() -> ReadError:
    return ReadError(
        "The archive file with this revision is damaged: put a good copy of it in its place.", code="archive_damaged"
    )
