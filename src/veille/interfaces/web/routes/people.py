"""For administrators: users, what they see of all dossiers, and the searches in those where they have a role."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from veille.core.schedule import DAY, MAX_INTERVAL, MIN_INTERVAL
from veille.interfaces.operations import call as operate
from veille.interfaces.operations.questions import MAX_TEXT
from veille.interfaces.web._routes import ADMIN, Caller, Routes
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, Body, Done, RestView, example

routes = Routes("admin")

_DossierId = Annotated[str, Path(max_length=200)]
_RoleName = Literal["user", "admin"]


class OverviewUser(RestView):
    """A user, in brief."""

    id: str
    name: str
    email: str
    role: str


class ShardStats(RestView):
    """The size of a dossier; null when it cannot be opened."""

    sources: int | None
    extractions: int | None


class Shard(RestView):
    """A dossier with its size, without content."""

    dossier_id: str
    name: str
    stats: ShardStats


class Overview(RestView):
    """All users and dossiers."""

    model_config = example(
        users=[{"id": ID, "name": "Ada", "email": "ada@example.org", "role": "admin"}],
        shards=[{"dossier_id": ID, "name": "competitors", "stats": {"sources": 12, "extractions": 4711}}],
    )

    users: list[OverviewUser]
    shards: list[Shard]


class SearchMadeView(RestView):
    """A search that was made in a dossier."""

    model_config = example(id=ID, query="whale -opinion", result_count=3, searched_at=1790000000000)

    id: str
    query: str
    result_count: int
    searched_at: int


class Promotion(Body):
    """A search to turn into a question for search engines."""

    query: str = Field(min_length=1, max_length=MAX_TEXT, examples=["whale"])
    channels: list[str] = Field(default_factory=list, description="Ids of engines; none: all that are switched on.")
    schedule_ms: Annotated[int, Field(ge=MIN_INTERVAL, le=MAX_INTERVAL)] = DAY


class Promoted(RestView):
    """The question that was created."""

    model_config = example(id=ID, status="promoted")

    id: str
    status: Literal["promoted"] = "promoted"


@routes.get("/api/admin/overview", auth=ADMIN)
def _overview(call: Caller) -> Overview:
    """The users, and every dossier with its size; no content."""
    users = [OverviewUser.showing(one) for one in call.app.accounts.users.all(call.access) if one.removed_at is None]
    shards = [
        Shard(
            dossier_id=one.dossier.id,
            name=one.dossier.name,
            stats=ShardStats(sources=one.sources, extractions=one.revisions),
        )
        for one in call.app.overview.sizes(call.access)
    ]
    return Overview(users=users, shards=shards)


@routes.get("/api/admin/overview/{dossier_id}/searches", auth=ADMIN)
def _list_searches_made(call: Caller, dossier_id: _DossierId, limit: Limit = 50) -> list[SearchMadeView]:
    """The last searches in a dossier, newest first; for administrators who have a role in it."""
    dossier = call.access.dossier(dossier_id)
    found = call.app.on_behalf(call.access, "read").search_log.recent(dossier.id, limit)
    return list(map(SearchMadeView.showing, found))


@routes.post("/api/admin/overview/{dossier_id}/promote", auth=ADMIN, status_code=201)
def _promote_search(call: Caller, dossier_id: _DossierId, body: Promotion) -> Promoted:
    """Turn a search into a question of the dossier; for administrators who may change it."""
    wanted = {
        "dossier_id": call.access.dossier(dossier_id, scope="write").id,
        "text": body.query,
        "keywords": body.query,
        "channels": json.dumps(body.channels),
        "schedule_ms": body.schedule_ms,
    }
    made = operate(call.app, call.access, "veille_add_question", wanted)
    return Promoted(id=made["id"])


class MadeUser(RestView):
    """The user that was created."""

    model_config = example(id=ID, name="Ada", email="ada@example.org", role="user")

    id: str
    name: str
    email: str
    role: _RoleName


class UserView(MadeUser):
    """A user, active or removed."""

    model_config = example(
        id=ID, name="Ada", email="ada@example.org", role="user", status="active", created_at=1790000000000
    )

    status: Literal["active", "deleted"]
    created_at: int


class NewUser(Body):
    """A user to create."""

    email: str = Field(examples=["ada@example.org"])
    name: str = Field("", examples=["Ada"])
    password: str = Field(max_length=2000, examples=["correct horse lamp"])
    role: _RoleName = "user"


@routes.get("/api/admin/users", auth=ADMIN)
def _list_users(call: Caller) -> list[UserView]:
    """All users, including removed ones."""
    return [
        UserView.showing(user, status="active" if user.removed_at is None else "deleted")
        for user in call.app.accounts.users.all(call.access)
    ]


@routes.post("/api/admin/users", auth=ADMIN, status_code=201)
def _add_user(call: Caller, body: NewUser) -> MadeUser:
    """Create a user. Not allowed with a token."""
    made = call.app.accounts.users.add(call.access, body.email, body.name, body.password, is_admin=body.role == "admin")
    return MadeUser.showing(made)


@routes.delete("/api/admin/users/{user_id}", auth=ADMIN)
def _remove_user(call: Caller, user_id: str) -> Done:
    """Remove a user: their sessions, tokens and roles end at once; the record stays."""
    call.app.accounts.users.remove(call.access, user_id)
    return Done(status="deleted")
