"""Markdown files with front matter in a folder, for a reader that processes them later.

We put a file into `pending/`; the reader moves it to `done/`, or to `failed/` with its error. The name of a file is the
id of its revision, so after a crash the same change is the same file, and one that is in any of the three is not
written again. A file is written as a draft (`.tmp`) under a lock that ends with its process: if two processes deliver,
one of them frozen past its lease, only one writes it, and drafts of dead processes are rewritten.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field

from veille.adapters.files import has_name, sync_folder, try_lock
from veille.core.dates import iso
from veille.core.models import Change
from veille.core.records import Parcel
from veille.errors import SinkError
from veille.failpoints import failpoint
from veille.ports import Means, Recall, Sink, SinkConfig

#: Names of our kinds for readers of the buffer.
SOURCE_TYPES = {"page": "web", "feed": "rss", "folder": "document", "site": "crawl"}

#: Drafts are written in milliseconds, and those of a crash are replaced when their change is delivered again. An older
#: one belongs to a change that was withdrawn.
STALE_DRAFT_S = 3600
_HEAD_BYTES = 1000


class BufferConfig(SinkConfig):
    """Options of the buffer."""

    folder: Path = Field(description="The folder that holds pending/, done/ and failed/.")


class BufferSink(Sink):
    """One file per revision."""

    Config = BufferConfig
    config: BufferConfig

    def __init__(self, config: SinkConfig, means: Means) -> None:
        super().__init__(config, means)
        folder = self.config.folder
        self._pending = folder / "pending"
        self._folders = (self._pending, folder / "done", folder / "failed")
        self._swept = False

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        try:
            for folder in self._folders:
                folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            written = sum(self._write(parcel) for parcel in parcels if parcel.event.change is not Change.REMOVED)
            # Also if all were there already: their writer may have died before this.
            sync_folder(self._pending)
        except OSError as error:
            raise SinkError(
                f"The buffer {self._pending.parent} cannot be written ({error.strerror}); "
                "make room or check its rights, then run `veille deliver --now`.",
                code="sink.buffer",
            ) from error
        return written

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - a file names its dossier
        """Delete the files of the dossier, in all three folders."""
        mark = f"\ndossier_id: {dossier_id}\n".encode()
        try:
            for path in (path for folder in self._folders for path in folder.glob("*.md*")):
                if mark in _head(path):
                    path.unlink(missing_ok=True)
            for folder in self._folders:
                if folder.exists():
                    sync_folder(folder)
        except OSError as error:
            raise SinkError(
                f"Files of the buffer {self._pending.parent} cannot be deleted ({error.strerror}); check its rights.",
                code="sink.buffer",
            ) from error
        return Recall.GONE

    def _write(self, parcel: Parcel) -> bool:
        name = f"{parcel.revision.id}.md"
        if self._has(name):
            return False
        draft = self._pending / f"{name}.tmp"
        with _locked(draft) as descriptor:
            # Check again under the lock: it may have been written, and taken by the reader, since the first check.
            if self._has(name):
                draft.unlink(missing_ok=True)
                return False
            _fill(descriptor, render(parcel).encode())
            draft.rename(self._pending / name)
        failpoint("after_file_write")
        return True

    def _has(self, name: str) -> bool:
        return any((folder / name).exists() for folder in self._folders)

    def _sweep(self) -> None:
        """Delete abandoned drafts; once."""
        if self._swept:
            return
        self._swept = True
        for draft in self._pending.glob("*.tmp"):
            if time.time() - draft.stat().st_mtime > STALE_DRAFT_S:
                draft.unlink(missing_ok=True)


def _head(path: Path) -> bytes:
    """The first lines of a file; empty if its reader took it away meanwhile. The ids come before what may be long."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except FileNotFoundError:
        return b""


@contextmanager
def _locked(draft: Path) -> Iterator[int]:
    """The draft, open for writing and locked until the context ends or the process dies."""
    # O_NOFOLLOW, so that nobody can redirect it by a link. Not truncated yet: another process may still own it.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        if not try_lock(descriptor) or not has_name(descriptor, draft):
            raise SinkError(
                f"Another program is writing {draft.name} at this moment; it will be tried again.", code="sink.busy"
            )
        yield descriptor
    finally:
        os.close(descriptor)


def _fill(descriptor: int, content: bytes) -> None:
    os.ftruncate(descriptor, 0)
    half = len(content) // 2
    _write_all(descriptor, content[:half])
    failpoint("during_file_write")
    _write_all(descriptor, content[half:])
    os.fsync(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def render(parcel: Parcel) -> str:
    """The file: front matter in a fixed order, an empty line, the text."""
    event, revision = parcel.event, parcel.revision
    head = {
        "id": revision.id,
        "source_id": event.source_id,
        "dossier_id": event.dossier_id,
        "source_url": revision.url,
        "source_type": SOURCE_TYPES.get(event.kind, event.kind),
        "title": revision.title,
        "extracted_at": iso(revision.extracted_at),
        "content_hash": revision.content_hash,
    }
    lines = "\n".join(f"{key}: {_scalar(key, value)}" for key, value in head.items())
    return f"---\n{lines}\n---\n\n{revision.text}"


def _scalar(key: str, value: str) -> str:
    """A YAML scalar that can only be read as this text. Ids, times and hashes are ours and stay unquoted."""
    plain = key in {"id", "source_id", "dossier_id", "extracted_at", "content_hash"} or _is_plain(value)
    return value if plain else _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", json.dumps(value, ensure_ascii=False))


def _is_plain(value: str) -> bool:
    # What YAML could take for a number, a date, true or null begins with a digit or sign, or is one short word.
    words = all(part.isalnum() for part in value.replace("_", " ").split(" ")) if value else False
    url = (
        value.startswith(("https://", "http://"))
        and value.isascii()
        and value.isprintable()
        and not value.endswith(":")
        and not set(value) & set(" #'\"{}[],&*?|<>%@`\\")
    )
    return url or (words and value[0].isalpha() and value.lower() not in _YAML_WORDS)


_YAML_WORDS = frozenset("y n yes no on off true false null nan inf".split())
#: Characters that YAML takes for a line break or does not allow, even between quotes.
_ODD = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
