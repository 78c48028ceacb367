"""Following a dossier: changes since a cursor, with long polling, and exports."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field

from veille.core.models import Change
from veille.core.outgoing.cursors import parse_cursor
from veille.core.outgoing.export_record import event_id
from veille.core.records import Event
from veille.interfaces.operations._first_sight import ChangedValue, ExcerptPart, first_sight
from veille.interfaces.web._routes import Routes, within
from veille.interfaces.web.requests.calls import Call, Caller, Waiting
from veille.interfaces.web.requests.files import FileResponse, written
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, RestView, example

routes = Routes("changes")

#: How often a waiting request polls.
_LOOK_EVERY_S = 0.5
#: File name and media type, by format.
_FILES = {
    "jsonl": ("veille.jsonl", "application/x-ndjson"),
    "csv": ("veille.csv", "text/csv"),
    "parquet": ("veille.parquet", "application/vnd.apache.parquet"),
    "chunks": ("chunks.jsonl", "application/x-ndjson"),
}

CursorText = Annotated[str, Query(max_length=200, description="Where to continue; empty for the beginning.")]


class ChangeView(RestView):
    """A document that is new, changed or removed."""

    model_config = example(
        id=ID,
        seq=121,
        at=1790000000000,
        change="changed",
        source_id=ID,
        source_name="Prices",
        kind="page",
        document_id=ID,
        revision=3,
        url="https://example.org/prices",
        title="Prices",
        excerpt=[
            {"kind": "equal", "text": "Tea costs "},
            {"kind": "delete", "text": "12.50"},
            {"kind": "insert", "text": "13.90"},
        ],
    )

    id: str
    seq: int
    at: int
    change: Change
    source_id: str
    source_name: str
    kind: str
    document_id: str
    revision: int
    url: str
    title: str
    changed_metadata: list[str] = Field([], description="The metadata that changed, if the text did not.")
    excerpt: list[ExcerptPart] = Field([], description="The words struck and added; of a new document its lead.")
    values: list[ChangedValue] = Field([], description="The values that changed.")
    reason: str = Field("", description="Why a document was removed.")


class Changes(RestView):
    """Changes in order, and the cursor for the next request: nothing is missed, nothing comes twice."""

    model_config = example(changes=[], cursor=f"{ID}:121")

    changes: list[ChangeView]
    cursor: str


@routes.get("/api/dossiers/{dossier_id}/changes", auth=within("read"), waits=True)
async def _list_changes(
    patience: Waiting,
    since: CursorText = "",
    limit: Limit = 100,
    wait: Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the first change.")] = 0,
) -> Changes:
    """Changes after a cursor. With `wait`, the response comes with the first change, or after that time."""

    def look(call: Call) -> Changes:
        events, cursor = call.services.exports.events([call.dossier.id], parse_cursor(since), limit)
        return Changes(
            changes=[_view(event) for event in events],
            cursor=str(cursor),
        )

    end = time.monotonic() + wait
    while True:
        found = await patience.ask(look)
        left = end - time.monotonic()
        if found.changes or left <= 0 or await patience.is_over():
            return found
        await asyncio.sleep(min(_LOOK_EVERY_S, left))


def _view(event: Event) -> ChangeView:
    return ChangeView.showing(event, id=event_id(event), revision=event.rev_n, **first_sight(event))


@routes.get("/api/dossiers/{dossier_id}/export", auth=within("export"), response_class=Response)
def _export(
    call: Caller,
    form: Annotated[Literal["jsonl", "csv", "parquet", "chunks"], Query(alias="format")] = "jsonl",
    since: Annotated[str | None, Query(max_length=200, description="A cursor: only what changed after it.")] = None,
) -> FileResponse:
    """All current documents, or what changed since a cursor; the header X-Cursor is the cursor for the next export."""
    cursor = None if since is None else parse_cursor(since)
    draft, (_, end) = written(
        lambda file: call.app.export([call.dossier.id], form, file, cursor, exports=call.services.exports)
    )
    name, media_type = _FILES[form]
    headers = {"X-Cursor": str(end), "Content-Disposition": f'attachment; filename="{name}"'}
    return FileResponse(draft, media_type, headers)
