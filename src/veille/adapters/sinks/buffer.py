"""Markdown files with front matter in a folder, for whoever reads them later.

We put a file into `pending/`; the reader moves it to `done/`, or to `failed/` with its error. The name of a file is the
id of its revision, so after a crash the same change is the same file, and one that is in any of the three is not
written again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from veille.core.dates import iso
from veille.core.models import Change, Parcel
from veille.errors import SinkError
from veille.failpoints import failpoint
from veille.ports import Sink, SinkConfig

#: What readers of the buffer call our kinds.
SOURCE_TYPES = {"page": "web", "feed": "rss", "folder": "document", "site": "crawl"}


class BufferConfig(SinkConfig):
    """Options of the buffer."""

    folder: Path = Field(description="The folder that holds pending/, done/ and failed/.")


class BufferSink(Sink):
    """One file per revision."""

    Config = BufferConfig

    def __init__(self, config: SinkConfig) -> None:
        super().__init__(config)
        assert isinstance(config, BufferConfig)  # noqa: S101 - made by the registry
        self._pending = config.folder / "pending"
        self._elsewhere = (config.folder / "done", config.folder / "failed")

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        try:
            for folder in (self._pending, *self._elsewhere):
                folder.mkdir(parents=True, exist_ok=True)
            written = sum(self._write(parcel) for parcel in parcels if parcel.event.change is not Change.REMOVED)
            if written:
                _sync_folder(self._pending)
        except OSError as error:
            raise SinkError(
                f"The buffer {self._pending.parent} cannot be written ({error.strerror}); "
                "make room or check its rights, then run `veille deliver`.",
                code="sink.buffer",
            ) from error
        return written

    def _write(self, parcel: Parcel) -> bool:
        name = f"{parcel.revision.id}.md"
        target = self._pending / name
        if target.exists() or any((folder / name).exists() for folder in self._elsewhere):
            return False
        draft = self._pending / f"{name}.tmp"
        # A draft left by a crash is replaced; O_NOFOLLOW, so that nobody can point it elsewhere.
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            text = render(parcel)
            file.write(text[: len(text) // 2])
            file.flush()
            failpoint("during_file_write")
            file.write(text[len(text) // 2 :])
            file.flush()
            os.fsync(file.fileno())
        draft.rename(target)
        failpoint("after_file_write")
        return True


def render(parcel: Parcel) -> str:
    """The file: front matter in the fixed order, an empty line, the text."""
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
    """A YAML scalar that can only be read as this text. Ids, times and hashes are ours and stay plain."""
    plain = key in {"id", "source_id", "dossier_id", "extracted_at", "content_hash"} or _is_plain(value)
    return (
        value if plain else json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\x85", "\\x85")
    )


def _is_plain(value: str) -> bool:
    # What YAML could take for a number, a date, true or null begins with a digit or sign, or is one short word.
    words = all(part.isalnum() for part in value.replace("_", " ").split(" ")) if value else False
    url = (
        value.startswith(("https://", "http://")) and value.isascii() and not set(value) & set(" #'\"{}[],&*?|<>%@`\\")
    )
    return url or (words and value[0].isalpha() and value.lower() not in _YAML_WORDS)


_YAML_WORDS = frozenset("y n yes no on off true false null nan inf".split())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
