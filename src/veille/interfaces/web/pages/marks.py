"""Marks of a user: read or unread, kept or not."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Path, Request, Response
from fastapi.responses import JSONResponse

from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import within

routes = Pages("marks")

DocumentId = Annotated[str, Path(max_length=200)]
_DOCUMENT = "/d/{dossier_id}/documents/{document_id}"


@routes.post(f"{_DOCUMENT}/read", auth=within("read"))
def _read(show: Showing, request: Request, document_id: DocumentId, *, value: Annotated[bool, Form()]) -> Response:
    show.call.services.documents.mark_read(show.call.dossier.id, show.user_id, document_id, is_read=value)
    return _done(show, request, document_id, "Marked as read." if value else "Marked as unread.")


@routes.post(f"{_DOCUMENT}/keep", auth=within("read"))
def _keep(show: Showing, request: Request, document_id: DocumentId, *, value: Annotated[bool, Form()]) -> Response:
    show.call.services.documents.keep(show.call.dossier.id, show.user_id, document_id, is_kept=value)
    return _done(show, request, document_id, "Kept: see “What you keep”." if value else "No longer kept.")


def _done(show: Show, request: Request, document_id: str, said: str) -> Response:
    """JSON for scripts; after a form, redirect to the document."""
    back = show.go(f"/d/{show.call.dossier.id}/documents/{document_id}", said)
    return back if "text/html" in request.headers.get("accept", "") else JSONResponse({"status": "ok"})
