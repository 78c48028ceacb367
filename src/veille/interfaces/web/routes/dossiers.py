"""Dossiers and their members."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from veille.core.access.access import Role
from veille.interfaces.web._routes import ADMIN, Caller, Permission, Routes, within
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, Body, DeletionReport, Done, RestView, example

routes = Routes("dossiers")


class DossierView(RestView):
    """A dossier."""

    model_config = example(id=ID, name="competitors")

    id: str
    name: str


class NewDossier(Body):
    """A dossier to create."""

    name: str = Field(examples=["competitors"])


class MemberView(RestView):
    """A member of a dossier, with their role."""

    model_config = example(id=ID, email="ada@example.org", name="Ada", role="editor")

    id: str
    email: str
    name: str
    role: Role
    until: int | None = None


class NewMember(Body):
    """The role of a member."""

    role: Role


class AuditView(RestView):
    """A line of the audit log: who did what, when."""

    model_config = example(at=1, who="ada@example.org", way="session:3f2a", action="dossier.create", detail={})

    at: int
    who: str
    way: str
    action: str
    dossier_id: str = ""
    detail: dict[str, Any]
    address: str = ""


@routes.get("/api/dossiers", auth=Permission("known", "read"))
def _list_dossiers(call: Caller) -> list[DossierView]:
    """The dossiers in which you have a role, by name."""
    return list(map(DossierView.showing, call.access.dossiers()))


@routes.post("/api/dossiers", auth=Permission("known", "write"), status_code=201)
def _add_dossier(call: Caller, body: NewDossier) -> DossierView:
    """Create a dossier; you become its owner."""
    return DossierView.showing(call.access.create(body.name))


@routes.delete(
    "/api/dossiers/{dossier_id}", auth=within("admin"), asks_outside=True, response_model_exclude_defaults=True
)
def _delete_dossier(
    call: Caller,
    *,
    anyway: Annotated[bool, Query(description="Also if a sink cannot be told to delete what it was given.")] = False,
) -> DeletionReport:
    """Delete a dossier with all its content, also where sinks took it; `left` says what could not be recalled."""
    farewell = call.app.leaving.deleting.dossier(call.access, call.dossier.id, anyway=anyway)
    return DeletionReport(status="deleted", left=farewell.left)


@routes.get("/api/dossiers/{dossier_id}/members", auth=within("read"))
def _list_members(call: Caller) -> list[MemberView]:
    """The members of the dossier."""
    return [
        MemberView.showing(user, role=member.role, until=member.until)
        for user, member in call.app.accounts.members.all(call.access, call.dossier.id)
    ]


@routes.put("/api/dossiers/{dossier_id}/members/{user}", auth=within("admin"))
def _put_member(call: Caller, user: str, body: NewMember) -> Done:
    """Add a member, by e-mail address or id, or replace their role."""
    call.app.accounts.members.add(call.access, call.dossier.id, user, body.role)
    return Done(status="updated")


@routes.delete("/api/dossiers/{dossier_id}/members/{user}", auth=within("read"))
def _remove_member(call: Caller, user: str) -> Done:
    """Remove a member; owners may remove anybody, everybody may remove themselves."""
    call.app.accounts.members.remove(call.access, call.dossier.id, user)
    return Done(status="deleted")


@routes.get("/api/dossiers/{dossier_id}/audit", auth=within("admin"))
def _dossier_audit(call: Caller, limit: Limit = 100) -> list[AuditView]:
    """The audit log of the dossier, newest first; for its owners."""
    return list(map(AuditView.showing, call.app.accounts.audit(call.access, call.dossier.id, limit)))


@routes.get("/api/admin/audit", auth=ADMIN)
def _whole_audit(call: Caller, limit: Limit = 100) -> list[AuditView]:
    """The audit log of the whole service, newest first."""
    return list(map(AuditView.showing, call.app.accounts.audit(call.access, None, limit)))


class Emergency(Body):
    """Why an administrator needs to read a dossier."""

    reason: str = Field(max_length=500, examples=["A subpoena of 3 March"])


@routes.post("/api/admin/dossiers/{dossier_id}/break-glass", auth=ADMIN)
def _break_glass(call: Caller, dossier_id: str, body: Emergency) -> MemberView:
    """Become a reader of any dossier for an hour; its owners see it, and the reason, in their log."""
    member = call.app.accounts.members.break_glass(call.access, dossier_id, body.reason)
    user = call.app.accounts.me(call.access)
    return MemberView.showing(user, role=member.role, until=member.until)
