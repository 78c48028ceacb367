"""Dossiers: creating one; its name, members, usage and quotas, secrets, and deletion."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, Path, Response

from veille.core.access.access import Role
from veille.core.models import KeepRaw, Scope
from veille.errors import ConfigError, NotFoundError, SinkError, StoreError
from veille.interfaces.web._routes import KNOWN, Pages, Permission, within
from veille.interfaces.web.actions.show import Show, Showing, refusal

routes = Pages("dossiers")

_SETTINGS = "/d/{dossier_id}/settings"

Name = Annotated[str, Form(max_length=1000)]
Value = Annotated[str, Form(max_length=10_000)]


@routes.get("/dossiers/new", auth=KNOWN)
def _ask_name(show: Showing) -> Response:
    return show("dossier_new.html", name="", problem="")


@routes.post("/dossiers/new", auth=Permission("known", "write"))
def _make(show: Showing, name: Annotated[str, Form(max_length=1000)] = "") -> Response:
    try:
        made = show.access.create(name)
    except ConfigError as error:
        return show("dossier_new.html", name=name, problem=str(error))
    return show.go(f"/d/{made.id}", f"The dossier {made.name} is created. Watch something in it.")


@routes.get(_SETTINGS, auth=within("read"))
def _settings(show: Showing) -> Response:
    return _page(show)


@routes.post(f"{_SETTINGS}/name", auth=within("admin"))
def _rename(show: Showing, name: Name = "") -> Response:
    try:
        show.access.rename(show.dossier.id, name.strip())
    except ConfigError as error:
        return _page(show, at="name", problem=str(error), name=name)
    return show.go(f"{show.home}/settings", f"The dossier is called {name.strip()} now.")


@routes.post(f"{_SETTINGS}/keep-raw", auth=within("admin"))
def _keep_raw(show: Showing, keep_raw: Annotated[KeepRaw, Form()] = KeepRaw.NONE) -> Response:
    show.services.raw_answers.set_keep_raw(show.dossier.id, keep_raw)
    show.access.log("dossier.options", show.dossier.id, keep_raw=keep_raw)
    return show.go(f"{show.home}/settings", "Saved.")


@routes.post(f"{_SETTINGS}/retention", auth=within("admin"))
def _retention(
    show: Showing, rule: Annotated[str, Form(max_length=300)] = "", do: Annotated[str, Form()] = ""
) -> Response:
    """Save the rule of retention; or, to try it, only say what it would do now."""
    service = show.services.retention
    try:
        report = service.run(show.dossier.id, rule=rule, dry_run=True)
        if do != "try":
            service.set_rule(show.dossier.id, rule)
            show.access.log("dossier.options", show.dossier.id, retention=rule)
    except ConfigError as error:
        return _page(show, at="retention", problem=str(error), retention=rule)
    if do == "try":
        return _page(show, at="retention", told=f"This rule would now {report.in_words()}.", retention=rule)
    return show.go(
        f"{show.home}/settings", f"Saved. Rules are carried out every six hours; this would now {report.in_words()}."
    )


@routes.post(f"{_SETTINGS}/members", auth=within("admin"))
def _put_member(show: Showing, email: Name = "", role: Annotated[Role, Form()] = Role.READER) -> Response:
    """Add a member, or change their role."""
    try:
        show.app.accounts.members.add(show.access, show.dossier.id, email, role)
    except NotFoundError:
        problem = f"There is no user {email}: an administrator of this service has to add them first."
        return _page(show, at="members", problem=problem, email=email, role=role)
    except ConfigError as error:
        return _page(show, at="members", problem=str(error), email=email, role=role)
    return show.go(f"{show.home}/settings", f"{email} is {role} now.")


@routes.post(f"{_SETTINGS}/members/{{user_id}}/remove", auth=within("read"))
def _remove_member(show: Showing, user_id: Annotated[str, Path(max_length=200)]) -> Response:
    """Remove a member; owners may remove anybody, everybody may remove themselves."""
    try:
        show.app.accounts.members.remove(show.access, show.dossier.id, user_id)
    except ConfigError as error:
        return _page(show, at="members", problem=refusal(error))
    back = "/" if user_id == show.user_id else f"{show.home}/settings"
    return show.go(back, "They have no role in this dossier any more.")


@routes.post(f"{_SETTINGS}/secrets", auth=within("admin"))
def _put_secret(show: Showing, name: Name = "", value: Value = "", hosts: Name = "") -> Response:
    """Store a secret for some hosts; its value is never shown again, not even in a refused form."""
    try:
        show.app.secrets.put(show.access, show.dossier.id, name.strip(), value.strip(), hosts.split())
    except ConfigError as error:
        return _page(show, at="secrets", problem=refusal(error), secret=name, hosts=hosts)
    return show.go(f"{show.home}/settings#secrets", f"{name.strip()} is kept.")


@routes.post(f"{_SETTINGS}/secrets/{{name}}/delete", auth=within("admin"))
def _delete_secret(show: Showing, name: Annotated[str, Path(max_length=200)]) -> Response:
    show.app.secrets.delete(show.access, show.dossier.id, name)
    return show.go(f"{show.home}/settings#secrets", f"{name} is forgotten.")


@routes.post(f"{_SETTINGS}/delete", auth=within("admin"), asks_outside=True)
def _delete(
    show: Showing,
    name: Name = "",
    anyway: Annotated[bool, Form()] = False,  # noqa: FBT002 - a box of a form
) -> Response:
    """Delete the dossier; the user confirms by typing its name."""
    dossier = show.dossier
    if name.strip() != dossier.name:
        return _page(show, at="delete", problem=f"Nothing is deleted: type {dossier.name} to delete it.", typed=name)
    try:
        farewell = show.app.leaving.deleting.dossier(show.access, dossier.id, anyway=anyway)
    except (SinkError, StoreError) as error:
        return _page(show, at="delete", problem=str(error), typed=name)
    return show.go("/", " ".join([f"The dossier {dossier.name} is deleted.", *farewell.left]))


def _page(show: Show, *, at: str = "", problem: str = "", told: str = "", **typed: Any) -> Response:
    app, dossier = show.app, show.dossier
    usage = {
        "sources": show.reading.sources.count(),
        "traffic": show.reading.figures.traffic(app.clock()),
        "stored": show.reading.figures.stored(),
    }
    values = {
        "name": dossier.name,
        "retention": show.services.retention.rule(dossier.id),
        "email": "",
        "role": Role.READER,
        "typed": "",
        "secret": "",
        "hosts": "",
    } | typed
    return show(
        "dossier_settings.html",
        at=at,
        problem=problem,
        told=told,
        members=app.accounts.members.all(show.access, dossier.id),
        roles=list(Role),
        usage=usage,
        keep_raw=show.services.raw_answers.keep_raw(dossier.id),
        keep_raws=list(KeepRaw),
        quotas=app.settings.quotas,
        used_up=app.queue.exhausted(app.clock(), Scope(dossiers=frozenset({dossier.id}))).get(dossier.id),
        user_id=show.user_id,
        has_sinks=bool(app.sinks),
        secrets=app.secrets.all(show.access, dossier.id) if show.may("admin") else {},
        **values,
    )
