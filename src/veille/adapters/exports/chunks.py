"""One chunk per line, as JSON: input for a retrieval pipeline, with the same ids as the Chroma sink.

A line has the fields of `veille chunks --json` and `document_id`. In an export of changes it also has `change`; a
removed document is one line without chunk, so that a consumer can delete its copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veille.core.chunk.chunks import chunk_json, chunks
from veille.core.models import Change
from veille.core.outgoing.export_record import Exported, Record, json_line
from veille.ports import Export


class Chunks(Export):
    """JSON lines for retrieval."""

    def write(self, documents: Sequence[Exported]) -> None:
        self.out.writelines(json_line(line) for document in documents for line in _lines(document))


def _lines(document: Exported) -> Iterator[Record]:
    revision, change = document.revision, document.record["change"]
    told = {"document_id": revision.document_id} | ({"change": change} if change else {})
    if change == Change.REMOVED.value:
        yield {"source_url": revision.url, **told}
        return
    for chunk in chunks(revision):
        yield chunk_json(chunk, revision) | told
