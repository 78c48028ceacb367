"""Exports as ZIP files, written from beginning to end: also to a stream that cannot go back."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from veille.adapters.exports import replaced
from veille.core.outgoing.takeout import MANIFEST, SUMS, TakenFile

#: Pictures and most bodies do not become smaller.
_AS_IT_IS = {".webp", ".png", ".bin"}


class ZipTakeouts:
    """The port `TakeoutFiles`."""

    @contextmanager
    def write(self, out: Path | IO[bytes]) -> Iterator[ZipTakeout]:
        whole = replaced(out, private=True) if isinstance(out, Path) else nullcontext(out)
        with whole as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            yield ZipTakeout(archive)


class ZipTakeout:
    """The port `TakeoutWriter`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._taken: dict[str, TakenFile] = {}

    def lines(self, name: str, records: Iterable[dict[str, Any]]) -> int:
        encoded = (json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)
        return self._add(name, encoded, counts=True).lines or 0

    def file(self, name: str, content: bytes) -> None:
        if name not in self._taken:
            self._add(name, [content], counts=False)

    def finish(self, about: dict[str, Any]) -> list[TakenFile]:
        taken = list(self._taken.values())
        self._put(SUMS, "".join(f"{one.sha256}  {one.name}\n" for one in taken))
        files = [
            {"name": one.name, "lines": one.lines, "bytes": one.bytes, "sha256": one.sha256}
            if one.lines is not None
            else {"name": one.name, "bytes": one.bytes, "sha256": one.sha256}
            for one in taken
        ]
        self._put(MANIFEST, json.dumps(about | {"files": files}, ensure_ascii=False, indent=1) + "\n")
        return taken

    def _put(self, name: str, text: str) -> None:
        self._archive.writestr(_entry(name), text.encode())

    def _add(self, name: str, pieces: Iterable[bytes], *, counts: bool) -> TakenFile:
        digest, size, lines = hashlib.sha256(), 0, 0
        # Any of them may grow beyond 4 GB.
        with self._archive.open(_entry(name), "w", force_zip64=True) as member:
            for piece in pieces:
                member.write(piece)
                digest.update(piece)
                size += len(piece)
                lines += 1
        taken = TakenFile(name=name, bytes=size, sha256=digest.hexdigest(), lines=lines if counts else None)
        self._taken[name] = taken
        return taken


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_STORED if Path(name).suffix in _AS_IT_IS else zipfile.ZIP_DEFLATED
    # Readable by its owner only.
    entry.external_attr = 0o600 << 16
    return entry
