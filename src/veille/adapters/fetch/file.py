"""Local files and recursive listings of folders, only under those that the operator listed.

The path is walked component by component from an open folder, never following a link, so nothing swapped in
meanwhile can lead outside; what is opened at the end must be a regular file.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import mimetypes
import os
import re
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, unquote

from veille.adapters.fetch._retriever import Retriever, Turn
from veille.core.http.egress import ALLOWED, Verdict
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order, Payload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from veille.settings import FetchSettings

_FOLDER_TYPE = "application/vnd.veille.folder+json"
#: Folders with more files are not watched as one source.
_MAX_FILES = 200_000
#: Maximum depth below the watched folder.
_MAX_LEVELS = 64
_SHAPE = re.compile(r"file://(?:localhost)?(/[^?#]*)", re.IGNORECASE)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# NONBLOCK: opening a pipe would otherwise wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class File(Retriever):
    """Reads `file:` addresses in a thread; a file that is unchanged is "not modified"."""

    async def retrieve(self, order: Order, turn: Turn, seconds: float) -> Payload | Failure:
        del turn
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            async with asyncio.timeout(seconds):
                answer = await loop.run_in_executor(None, self._read, order)
        except TimeoutError:
            return failure("timeout", f"{seconds:.0f} s")
        object.__setattr__(answer, "duration_ms", round((loop.time() - started) * 1000))
        return answer

    @classmethod
    def judge(cls, settings: FetchSettings, url: str) -> Verdict:
        place = _place(url, settings.file_roots)
        return Verdict(allowed=False, reason="file", detail=place.message) if isinstance(place, Failure) else ALLOWED

    def _read(self, order: Order) -> Payload | Failure:
        place = _place(order.url, self.around.settings.file_roots)
        if isinstance(place, Failure):
            return place
        root, parts, is_folder = place
        try:
            with _opened(root, parts[len(root.parts) - 1 :], is_folder=is_folder) as descriptor:
                return self._listing(order, descriptor) if is_folder else self._payload(order, descriptor)
        except FileNotFoundError:
            return failure("file_missing")
        except OSError as error:
            return failure("file_refused", error.strerror or "")

    def _listing(self, order: Order, descriptor: int) -> Payload | Failure:
        try:
            body = _listing_of(descriptor)
        except _TooManyFilesError:
            return failure("too_large", f"more than {_MAX_FILES} files are in it")
        return Payload(
            url=order.url,
            status=200,
            body=body,
            fetched_at=self.around.clock(),
            final_url=order.url,
            media_type=_FOLDER_TYPE,
            raw_hash=hashlib.sha256(body).hexdigest(),
            wire_bytes=len(body),
        )

    def _payload(self, order: Order, descriptor: int) -> Payload | Failure:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return failure("file_refused", "it is not a regular file")
        limit = self.around.settings.max_bytes
        if facts.st_size > limit:
            return failure("too_large", f"{facts.st_size} bytes, {limit} are allowed")
        tag = f'"{_mark_of(facts)}"'
        same = order.validators.etag == tag
        # One byte more than allowed, to notice a file that grows while it is read.
        body = b"" if same else _contents(descriptor, limit + 1)
        if len(body) > limit:
            return failure("too_large", f"more than {limit} bytes")
        return Payload(
            url=order.url,
            status=304 if same else 200,
            body=body,
            fetched_at=self.around.clock(),
            final_url=order.url,
            media_type=mimetypes.guess_type(order.url, strict=False)[0] or "application/octet-stream",
            etag=tag,
            last_modified=_modified(facts),
            raw_hash=order.validators.raw_hash if same else hashlib.sha256(body).hexdigest(),
            wire_bytes=len(body),
        )


def _place(url: str, roots: Sequence[Path]) -> tuple[Path, list[str], bool] | Failure:
    """The allowed folder an address is in, the parts of its path, and whether it names a folder."""
    match = _SHAPE.fullmatch(url)
    if match is None:
        return failure("bad_url", "write it as file:///folder/name")
    is_folder = match[1].endswith("/")
    parts = [part for part in unquote(match[1], errors="surrogateescape").split("/") if part]
    if any(part in {".", ".."} or "\0" in part for part in parts):
        return failure("file_refused", "the path does not lead straight down")
    root = _root_of(parts, roots, itself=is_folder)
    if root is None:
        return failure("file_refused", "it is in none of the allowed folders")
    return root, parts, is_folder


def _root_of(parts: Sequence[str], roots: Sequence[Path], *, itself: bool) -> Path | None:
    """The allowed folder this path is in, by its components; a common prefix of a name is not enough."""
    for root in roots:
        inside = list(root.parts[1:])
        if root.is_absolute() and len(parts) >= len(inside) + (not itself) and list(parts[: len(inside)]) == inside:
            return root
    return None


@contextmanager
def _opened(root: Path, parts: Sequence[str], *, is_folder: bool) -> Iterator[int]:
    # The operator configured the root, so links on the way to it are followed; below it none is.
    held = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for place, part in enumerate(parts, 1):
            flags = _FILE if place == len(parts) and not is_folder else _FOLDER
            inner = os.open(part, flags, dir_fd=held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


def _contents(descriptor: int, limit: int) -> bytes:
    pieces = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1024 * 1024))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


class _TooManyFilesError(Exception):
    """The folder has more files than can be listed."""


@dataclass(slots=True)
class _Found:
    #: Path and mark of every regular file, and the paths that are links, could not be read, or are too deep.
    files: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    deep: list[str] = field(default_factory=list)


def _listing_of(folder: int) -> bytes:
    """The listing of an open folder as JSON, the same bytes for the same state. Raises _TooManyFilesError."""
    found = _Found()
    _walk(folder, "", found, _MAX_LEVELS)
    content = {name: sorted(getattr(found, name)) for name in ("files", "links", "refused", "deep")}
    return json.dumps(content, separators=(",", ":")).encode()


def _modified(facts: os.stat_result) -> str:
    """The modification time in the form of a Last-Modified header; empty if the file has an impossible one."""
    with suppress(ValueError, OverflowError, OSError):
        return formatdate(facts.st_mtime, usegmt=True)
    return ""


def _mark_of(facts: os.stat_result) -> str:
    """Changes whenever a file is written or replaced; stays if it is renamed."""
    return f"{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"


def _walk(folder: int, prefix: str, found: _Found, levels: int) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            # Escaped as in an address: names may be any bytes.
            path = prefix + quote_from_bytes(os.fsencode(entry.name))
            if entry.is_symlink():
                found.links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                _enter(folder, entry.name, path, found, levels)
            else:
                _note(entry, path, found)
            if len(found.files) > _MAX_FILES:
                raise _TooManyFilesError


def _enter(folder: int, name: str, path: str, found: _Found, levels: int) -> None:
    try:
        inner = os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        found.refused.append(path)
        return
    try:
        if levels:
            _walk(inner, f"{path}/", found, levels - 1)
        else:
            found.deep.append(path)
    except OSError:
        found.refused.append(path)
    finally:
        os.close(inner)


def _note(entry: os.DirEntry[str], path: str, found: _Found) -> None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        # Deleted meanwhile: the next listing is correct.
        found.refused.append(path)
        return
    if stat.S_ISREG(facts.st_mode):
        found.files.append((path, _mark_of(facts)))
