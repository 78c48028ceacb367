"""The chunks of every current document as JSON lines, one file per document, for building your own index.

A file is `FOLDER/<dossier id>/<document id>.jsonl`; its lines have the fields of `veille chunks --json` and
`document_id`. It is replaced as a whole if the document changes and deleted if the document is removed, so that the
folder always holds the current state, and a repeat after a crash changes nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import Field

from veille.adapters.files import replaced
from veille.core.chunk.chunks import DEFAULT, ChunkOptions, chunk_json, chunks
from veille.core.models import Change
from veille.core.outgoing.export_record import json_line
from veille.core.records import Parcel
from veille.errors import SinkError
from veille.ports import Means, Recall, Sink, SinkConfig


class ChunksConfig(SinkConfig):
    """Options of the sink."""

    folder: Path = Field(description="The folder that holds a folder for each dossier.")
    chunk_size: int = Field(DEFAULT.size, gt=0, description="Words of a chunk at most.")
    chunk_overlap: int = Field(DEFAULT.overlap, ge=0, description="Words that a chunk repeats of the one before.")


class ChunksSink(Sink):
    """Keeps a folder in sync with the current documents."""

    Config = ChunksConfig
    config: ChunksConfig
    is_apart = True

    def __init__(self, config: SinkConfig, means: Means) -> None:
        super().__init__(config, means)
        size = self.config.chunk_size
        self._cut = ChunkOptions(size=size, overlap=self.config.chunk_overlap, least=min(DEFAULT.least, size // 4))

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        try:
            return sum(self._settle(parcel) for parcel in parcels)
        except OSError as error:
            raise SinkError(
                f"The chunks cannot be written to {self.config.folder} ({error.strerror}); make room or check its "
                "rights, then run `veille deliver --now`.",
                code="sink.chunks",
            ) from error

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - its folder goes
        """Delete the folder of the dossier."""
        folder = self.config.folder / dossier_id
        try:
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise SinkError(
                f"{folder} cannot be deleted ({error.strerror}); check its rights.", code="sink.chunks"
            ) from error
        return Recall.GONE

    def _settle(self, parcel: Parcel) -> bool:
        """Bring the file of a document up to date; returns whether that changed it."""
        revision = parcel.revision
        path = self.config.folder / parcel.event.dossier_id / f"{revision.document_id}.jsonl"
        before = path.read_bytes() if path.exists() else None
        if parcel.event.change is Change.REMOVED:
            path.unlink(missing_ok=True)
            return before is not None
        told = {"document_id": revision.document_id}
        content = b"".join(json_line(chunk_json(chunk, revision) | told) for chunk in chunks(revision, self._cut))
        if content == before:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced(path) as file:
            file.write(content)
        return True
