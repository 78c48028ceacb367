"""One chunk a line, as JSON: the records that a retrieval pipeline takes in, with the ids that the Chroma sink gives.

A line has the fields of `veille chunks --json` and `document_id`. In an export of changes it also has `change`; a
removed document is one line without chunk, so that whoever follows can delete what it has of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veille.core.chunk.chunks import chunk_json, chunks
from veille.core.models import Change
from veille.core.outgoing.export_record import Exported, Record, json_line
from veille.ports import Export


class Chunks(Export):
    """For retrieval."""

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
