"""The format of archive files: JSON lines in Zstandard frames, one frame for the revisions of a document.

`zstdcat FILE` prints all lines, so that they can be read without this program. A line has the facts of a revision, its
`text` and `html`, and the answer it was read from (`raw`) if that was kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from veille.core.models import Json
from veille.core.zstandard import zstd
from veille.errors import ReadError

_CHECKSUM: dict[int, int] = {
    zstd.CompressionParameter.checksum_flag: 1,
    zstd.CompressionParameter.compression_level: 9,
}
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
        raise ReadError(
            "The archive file with this revision is damaged: put a good copy of it in its place.",
            code="archive_damaged",
        ) from error
    return found
