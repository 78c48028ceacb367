"""Read WARC files with FastWARC: one pass, one record of each file in memory, nothing trusted.

FastWARC ends in silence where a file was cut off; so every block is measured, and the end of every file is looked at.
"""

from __future__ import annotations

import heapq
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from veille.adapters.fetch._body import BodyError, Unpacker
from veille.core.warc.captures import WarcCapture, WarcItem, WarcPart, WarcProblem, WarcRevision
from veille.core.warc.messages import HttpMessage, http_message
from veille.core.warc.revisions import FACTS_TYPE, RevisionFacts, unpacked_revision_facts
from veille.errors import ConfigError, ReadError

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

#: The named field that our own records have, and the value for answers.
OWN_FIELD, OWN_ANSWER = "WARC-Veille", "answer"
_WEB = ("http://", "https://")
#: Payloads whose place is remembered for the records that refer to them.
_MOST_PLACES = 500_000
_STEP = 1 << 20
_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_GZIP_MAGIC = b"\x1f\x8b"
#: For zlib: a gzip member.
_GZIP = 31
_MOST_HEADER = 64 * 1024
_HEADER_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,18})", re.IGNORECASE | re.MULTILINE)


def archive(stream: IO[bytes]) -> Iterator[WarcRecord]:
    """The records of an open file, from where it is."""
    try:
        with warnings.catch_warnings():
            # It warns of its own old names while it is loaded.
            warnings.simplefilter("ignore", DeprecationWarning)
            from fastwarc.warc import ArchiveIterator  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(
            "WARC files need libraries that are not installed: `pip install 'veille[warc]'`.", code="needs_extra"
        ) from error
    return iter(ArchiveIterator(stream, parse_http=False))


class WarcReader:
    """Reads files; `limit` is the most bytes of one body, and `part` says of which pages captures are read."""

    def __init__(self, paths: Sequence[Path], limit: int, part: WarcPart) -> None:
        self._paths = paths
        self._limit = limit
        self._part = part
        #: Where the payload with a digest is: the number of the file, and the offset in it.
        self._places: dict[str, tuple[int, int]] = {}

    def items(self) -> Iterator[WarcItem]:
        """What the files hold. Those that overlap in time are read side by side; each is opened when its time comes."""
        heap: list[tuple[int, int, Iterator[tuple[int, WarcItem]], WarcItem | None]] = [
            (_first_date(path), number, self._read(number), None) for number, path in enumerate(self._paths)
        ]
        heapq.heapify(heap)
        while heap:
            _, number, rest, item = heapq.heappop(heap)
            if item is not None:
                yield item
            following = next(rest, None)
            if following is not None:
                heapq.heappush(heap, (following[0], number, rest, following[1]))

    def _read(self, number: int) -> Iterator[tuple[int, WarcItem]]:
        """What one file holds, each with its time; for a problem, that of the record before."""
        path, at, last = self._paths[number], 0, -1
        found = _Records(path, number, self._limit, self._places, self._referred)
        part = self._part
        with path.open("rb") as stream:
            try:
                for record in archive(stream):
                    found.is_single = record.stream_pos != last
                    last = record.stream_pos
                    for item in found.items(record, part):
                        at = item.at if not isinstance(item, WarcProblem) else at
                        yield at, item
                    if found.is_over:
                        return
            except OSError as error:
                yield (
                    at,
                    found.problem(max(last, 0), f"{error}; what follows is not read", code="warc_damaged", is_end=True),
                )
                return
        if last < 0 or not _is_whole(path, last):
            why = "the file stops before its end" if last >= 0 else "the file is empty"
            yield at, found.problem(max(last, 0), why, code="warc_truncated", is_end=True)

    def _referred(self, place: tuple[int, int]) -> HttpMessage:
        """The answer that another record refers to."""
        number, offset = place
        with self._paths[number].open("rb") as stream:
            stream.seek(offset)
            record = next(archive(stream))
            return unpacked_message(_block(record, self._limit), self._limit)


class _Records:
    """The records of one file, and what is needed of one until the next."""

    def __init__(self, path: Path, number: int, limit: int, places: dict[str, tuple[int, int]], referred: Any) -> None:
        self._path = path
        self._number = number
        self._limit = limit
        self._places = places
        self._referred = referred
        self._answer: tuple[str, WarcCapture] | None = None
        self._facts: tuple[str, RevisionFacts] | None = None
        #: By type; records of other types (warcinfo, request) have nothing to store.
        self._readers = {
            "response": self._response,
            "resource": self._resource,
            "revisit": self._revisit,
            "metadata": self._metadata,
            "conversion": self._conversion,
        }
        #: Whether the record begins at its own offset; those of a file that was compressed as a whole do not.
        self.is_single = True
        #: Whether the file ended in a record.
        self.is_over = False

    def problem(self, offset: int, message: str, *, code: str, is_end: bool = False) -> WarcProblem:
        return WarcProblem(file=self._path.name, offset=offset, code=code, message=message, is_end=is_end)

    def items(self, record: WarcRecord, part: WarcPart) -> Iterator[WarcItem]:
        """What a record holds: at most one item, and nothing of what is not in the part."""
        read = self._readers.get((record.headers.get("WARC-Type") or "").lower())
        url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
        if url.startswith(_WEB):
            # Some crawlers write the link as it stands in the page; it was asked for like this.
            url = url.replace(" ", "%20")
        if read is None or not (url.startswith(_WEB) or (url and OWN_FIELD in record.headers)):
            return
        if OWN_FIELD not in record.headers and not part.has_page(url):
            # What is not read may be referred to.
            self._remember(record)
            return
        try:
            at = _moment(record)
            block = _block(record, self._limit)
            item = read(record, url, at, block)
        except _CutOffError as error:
            self.is_over = True
            yield self.problem(record.stream_pos, str(error), code="warc_truncated", is_end=True)
        except ReadError as error:
            yield self.problem(record.stream_pos, f"{url}: {error}", code=error.code)
        else:
            if item is not None and (not isinstance(item, WarcRevision) or part.has(item.facts.document)):
                yield item

    def _response(self, record: WarcRecord, url: str, at: int, block: bytes) -> WarcItem | None:
        message = unpacked_message(block, self._limit)
        capture = WarcCapture(url=url, at=at, status=message.status, headers=message.headers, body=message.body)
        if record.headers.get(OWN_FIELD) == OWN_ANSWER:
            self._answer = record.record_id or "", capture
            return None
        self._remember(record)
        return capture

    def _remember(self, record: WarcRecord) -> None:
        """Where the answer of a record is."""
        digest = record.headers.get("WARC-Payload-Digest")
        is_answer = (record.headers.get("WARC-Type") or "").lower() == "response"
        if digest and is_answer and self.is_single and len(self._places) < _MOST_PLACES:
            self._places.setdefault(digest, (self._number, record.stream_pos))

    def _resource(self, record: WarcRecord, url: str, at: int, block: bytes) -> WarcItem:
        headers = {"content-type": record.headers.get("Content-Type") or ""}
        return WarcCapture(url=url, at=at, status=200, headers=headers, body=block)

    def _revisit(self, record: WarcRecord, url: str, at: int, block: bytes) -> WarcItem | None:
        """The same bytes as another record's; one that the server called unchanged says nothing new."""
        del block
        if "not-modified" in (record.headers.get("WARC-Profile") or ""):
            return None
        place = self._places.get(record.headers.get("WARC-Payload-Digest") or "")
        if place is None:
            raise ReadError("what it refers to is in none of these files", code="warc_original")
        message = self._referred(place)
        return WarcCapture(url=url, at=at, status=message.status, headers=message.headers, body=message.body)

    def _metadata(self, record: WarcRecord, url: str, at: int, block: bytes) -> WarcItem | None:
        del url
        if record.headers.get("Content-Type") == FACTS_TYPE:
            facts = unpacked_revision_facts(block)
            if facts.is_removal:
                return WarcRevision(url=facts.url, at=at, facts=facts)
            self._facts = record.headers.get("WARC-Concurrent-To") or "", facts
        return None

    def _conversion(self, record: WarcRecord, url: str, at: int, block: bytes) -> WarcItem:
        known, self._facts = self._facts, None
        if known is None or known[0] != record.record_id:
            return self._resource(record, url, at, block)
        answer = None
        if self._answer is not None and self._answer[0] == record.headers.get("WARC-Refers-To"):
            answer = self._answer[1]
        try:
            return WarcRevision(url=url, at=at, facts=known[1], text=block.decode(), answer=answer)
        except UnicodeDecodeError as error:
            raise ReadError("its text is not UTF-8", code="warc_record") from error


class _CutOffError(Exception):
    """The file ended in a record."""


def unpacked_message(block: bytes, limit: int) -> HttpMessage:
    """The answer in a block, without its content coding; ReadError if it is broken, or larger than allowed."""
    message = http_message(block)
    coding = message.headers.get("content-encoding", "")
    if not coding or not message.body:
        return message
    try:
        unpacker = Unpacker(coding, limit)
        unpacker.feed(message.body)
        body = unpacker.finish()
    except BodyError as error:
        if error.code == "bad_encoding" and message.body.lstrip()[:1] == b"<":
            # Some tools keep the header of a body that they unpacked already.
            return message
        raise ReadError(f"its body cannot be unpacked: {error}", code=error.code) from error
    return HttpMessage(status=message.status, headers=message.headers, body=body)


def _block(record: WarcRecord, limit: int) -> bytes:
    """The whole block of a record; ReadError if it is larger than allowed."""
    written = record.headers.get("Content-Length") or ""
    if not written.isascii() or not written.isdigit():
        raise _CutOffError(f"the length of a record is {written[:40]!r}")
    size = int(written)
    if size > limit:
        raise ReadError(f"it has {size} bytes, {limit} are allowed", code="too_large")
    if record.headers.get("WARC-Truncated") and record.headers.get("WARC-Type") != "revisit":
        raise ReadError("it was cut off when it was fetched", code="warc_record")
    block = bytearray()
    while len(block) < size and (piece := record.reader.read(min(size - len(block), _STEP))):
        block += piece
    if len(block) < size:
        raise _CutOffError("the file stops in a record")
    return bytes(block)


def _moment(record: WarcRecord) -> int:
    date: datetime | None = _day(record.headers.get("WARC-Date") or "") or record.record_date
    if date is None:
        raise ReadError("it has no date", code="warc_record")
    return round(date.timestamp() * 1000)


def _day(written: str) -> datetime | None:
    """The beginning of a year, a month or a day: WARC 1.1 lets a date be no more than that."""
    if not (found := _DAY.fullmatch(written.strip())):
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    with suppress(ValueError):
        return datetime(year, month, day, tzinfo=UTC)
    return None


def _first_date(path: Path) -> int:
    """When the first record of a file was made; 0 if there is none, so that its problem is told first."""
    try:
        with path.open("rb") as stream:
            first = next(archive(stream), None)
            return _moment(first) if first is not None else 0
    except (ReadError, OSError) as error:
        if not path.is_file():
            raise ConfigError(f"{path} cannot be read ({error}); give a WARC file.", code="bad_file") from error
        return 0


def _is_whole(path: Path, last: int) -> bool:
    """Whether a file ends with the record that begins at this offset."""
    with path.open("rb") as stream:
        is_packed = stream.read(2) == _GZIP_MAGIC
        stream.seek(last)
        if is_packed and stream.read(2) != _GZIP_MAGIC:
            # It was compressed as a whole: its records have no offsets of their own.
            last = 0
        stream.seek(last)
        return _ends_member(stream) if is_packed else _ends_record(stream, path.stat().st_size - last)


def _ends_member(stream: IO[bytes]) -> bool:
    """Whether the rest of a file is one gzip member, and nothing else."""
    member = zlib.decompressobj(_GZIP)
    while data := stream.read(_STEP):
        while data and not member.eof:
            member.decompress(data, _STEP)
            data = member.unconsumed_tail
        if member.eof:
            return not member.unused_data and not stream.read(1)
    return False


def _ends_record(stream: IO[bytes], left: int) -> bool:
    """Whether the rest of a file, of so many bytes, is one record, and nothing else."""
    head = stream.read(_MOST_HEADER)
    length = _LENGTH.search(head)
    end = head.find(_HEADER_END)
    return length is not None and end >= 0 and 0 <= left - end - len(_HEADER_END) - int(length[1]) <= len(_HEADER_END)
