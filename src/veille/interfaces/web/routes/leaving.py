"""What leaves: whole exports of a dossier and of one's account, and the deletion of the account."""

from __future__ import annotations

from typing import IO

from fastapi import Response
from pydantic import Field

from veille.core.outgoing.takeout import safe_name
from veille.interfaces.web._routes import PERSON, Caller, Routes, within
from veille.interfaces.web.requests.files import FileResponse, written
from veille.interfaces.web.views.shapes import Body, DeletionReport

routes = Routes("leaving")


class AccountDeletion(Body):
    """Confirms the deletion of one's own account."""

    password: str = Field("", max_length=2000, description="Your password, if you have one.")
    anyway: bool = Field(default=False, description="Also if a sink cannot be told to delete what it was given.")


@routes.get("/api/dossiers/{dossier_id}/export/whole", auth=within("admin"), response_class=Response, asks_outside=True)
def _export_dossier(call: Caller) -> FileResponse:
    """Everything that is kept of the dossier, as a ZIP file of JSON lines, pictures and kept answers."""
    draft, _ = written(lambda file: call.app.leaving.takeout.dossier(call.access, call.dossier.id, file))
    return _zip(draft, safe_name(call.dossier.name))


@routes.get("/api/auth/me/export", auth=PERSON, response_class=Response, asks_outside=True)
def _export_account(call: Caller) -> FileResponse:
    """Everything that is kept about you, and the dossiers that you own, as a ZIP file."""
    draft, _ = written(lambda file: call.app.leaving.takeout.account(call.access, file))
    return _zip(draft, "account")


@routes.post("/api/auth/me/delete", auth=PERSON, asks_outside=True)
def _delete_account(call: Caller, body: AccountDeletion, response: Response) -> DeletionReport:
    """Delete your account, and the dossiers that nobody else is a member of. There is no way back."""
    call.app.accounts.confirm(call.access, body.password)
    _, farewells = call.app.leaving.deleting.account(call.access, anyway=body.anyway)
    call.take_back(response)
    return DeletionReport(status="deleted", left=[line for one in farewells for line in one.left])


def _zip(draft: IO[bytes], name: str) -> FileResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return FileResponse(draft, "application/zip", headers)
