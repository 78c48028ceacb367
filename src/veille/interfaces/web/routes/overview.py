"""What administrators see of all dossiers, and the catalogue of ready-made sources."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel

from veille.core.catalogue import Entry, entries
from veille.core.fingerprint import raw_hash
from veille.core.schedule import duration_ms
from veille.errors import NotFoundError
from veille.interfaces.operations import call as operate
from veille.interfaces.operations import shapes
from veille.interfaces.web._auth import ADMIN, KNOWN, within
from veille.interfaces.web._calls import Caller
from veille.interfaces.web._routes import Routes
from veille.interfaces.web._shapes import ID, example

routes = Routes("admin")

_ID_CHARS = 16


class OverviewUser(BaseModel):
    """A user, in short."""

    id: str
    name: str
    email: str
    role: str


class ShardStats(BaseModel):
    """How much is in a dossier; null when it cannot be opened."""

    sources: int | None
    extractions: int | None


class Shard(BaseModel):
    """A dossier, from outside."""

    dossier_id: str
    name: str
    stats: ShardStats


class Overview(BaseModel):
    """Who and what there is."""

    model_config = example(
        users=[{"id": ID, "name": "Ada", "email": "ada@example.org", "role": "admin"}],
        shards=[{"dossier_id": ID, "name": "competitors", "stats": {"sources": 12, "extractions": 4711}}],
    )

    users: list[OverviewUser]
    shards: list[Shard]


class RegistryEntry(BaseModel):
    """A ready-made source."""

    model_config = example(
        id="9f86d081884c7d65",
        name="Example",
        url="https://example.org/feed",
        source_type="rss",
        category="tech",
        fetch_interval=3600000,
        config_json="{}",
        enabled=True,
    )

    id: str
    name: str
    url: str
    source_type: str
    category: str
    fetch_interval: int
    config_json: str
    enabled: bool = True

    @classmethod
    def of(cls, entry: Entry) -> RegistryEntry:
        return cls(
            id=_id(entry),
            name=entry.name,
            url=entry.url,
            source_type=shapes.TYPES.get(entry.kind, entry.kind),
            category=entry.category,
            fetch_interval=duration_ms(entry.every),
            config_json=json.dumps(entry.config, ensure_ascii=False),
        )


@routes.get("/api/admin/overview", auth=ADMIN)
def _overview(call: Caller) -> Overview:
    """The users, and every dossier with how much is in it; no content."""
    users = [
        OverviewUser(id=one.id, name=one.name, email=one.email, role="admin" if one.is_admin else "user")
        for one in call.app.accounts.users.all(call.access)
        if one.removed_at is None
    ]
    shards = [
        Shard(
            dossier_id=one.dossier.id,
            name=one.dossier.name,
            stats=ShardStats(sources=one.sources, extractions=one.revisions),
        )
        for one in call.app.overview.sizes(call.access)
    ]
    return Overview(users=users, shards=shards)


@routes.get("/api/source-registry", auth=KNOWN)
def _source_registry(call: Caller) -> list[RegistryEntry]:  # noqa: ARG001 - the same for all
    """The ready-made sources, by category and name."""
    return [RegistryEntry.of(one) for one in sorted(entries(), key=lambda entry: (entry.category, entry.name))]


@routes.post(
    "/api/dossiers/{dossier_id}/sources/from-registry/{entry_id}",
    auth=within("write"),
    status_code=201,
    response_model=shapes.Source,
    response_model_exclude_none=True,
)
def _add_from_registry(call: Caller, entry_id: Annotated[str, Path(max_length=100)]) -> object:
    """Watch a ready-made source."""
    for entry in entries():
        if _id(entry) == entry_id:
            wanted = RegistryEntry.of(entry).model_dump(exclude={"id", "category", "enabled"})
            return operate(call.app, call.access, "veille_add_source", wanted | {"dossier_id": call.dossier.id})
    raise NotFoundError("There is no such ready-made source.", code="no_entry")


def _id(entry: Entry) -> str:
    return raw_hash(entry.url.encode())[:_ID_CHARS]
