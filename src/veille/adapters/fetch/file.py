"""Local files and folders, only under those that the operator listed.

The path is walked component by component from an open folder, never following a link, so nothing swapped in
meanwhile can lead outside; what is opened at the end must be a regular file.
"""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import os
import re
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from veille.adapters.fetch._folder import FOLDER_TYPE, MAX_FILES, TooManyFilesError, listing, mark_of
from veille.adapters.fetch._retriever import Retriever, Turn
from veille.core.http.egress import ALLOWED, Verdict
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order, Payload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from veille.settings import FetchSettings

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
            body = listing(descriptor)
        except TooManyFilesError:
            return failure("too_large", f"more than {MAX_FILES} files are in it")
        return Payload(
            url=order.url,
            status=200,
            body=body,
            fetched_at=self.around.clock(),
            final_url=order.url,
            media_type=FOLDER_TYPE,
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
        tag = f'"{mark_of(facts)}"'
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
