"""Ready-made sources: users pick from them, administrators manage them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from veille.core.discover.catalogue import CatalogueEntry, Offer
from veille.core.http.credentials import refuse_to_hand_over, shown_options, unhidden
from veille.core.schedule import HOUR, MAX_INTERVAL, MIN_INTERVAL, duration_ms, duration_text
from veille.errors import NotFoundError
from veille.interfaces.operations import call as operate
from veille.interfaces.operations import shapes
from veille.interfaces.operations._limits import MAX_CONFIG, MAX_NAME, MAX_URL, kind_named, options, placed
from veille.interfaces.web._routes import ADMIN, KNOWN, Routes, within
from veille.interfaces.web.requests.calls import Call, Caller
from veille.interfaces.web.views.shapes import Body, Done, Made, RestView, Updated, example

routes = Routes("admin")

_REGISTRY = "/api/admin/source-registry"

EntryId = Annotated[str, Path(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Address = Annotated[str, Field(min_length=1, max_length=MAX_URL)]
Interval = Annotated[int, Field(ge=MIN_INTERVAL, le=MAX_INTERVAL, description="Milliseconds.")]
JsonText = Annotated[str, Field(max_length=MAX_CONFIG, description="JSON in a string.")]


class RegistryEntry(RestView):
    """A ready-made source."""

    model_config = example(
        id="9f86d081884c7d65",
        name="Example",
        url="https://example.org/feed",
        source_type="rss",
        category="tech",
        config_json="{}",
        description="",
        fetch_interval=3600000,
        enabled=True,
        created_at=0,
        updated_at=0,
    )

    id: str
    name: str
    url: str
    source_type: str
    category: str
    config_json: str
    description: str
    fetch_interval: int
    enabled: bool
    created_at: int = Field(description="0: it comes with the program.")
    updated_at: int

    @classmethod
    def of(cls, entry: CatalogueEntry, offer: Offer | None = None) -> RegistryEntry:
        return cls.showing(
            entry,
            source_type=shapes.TYPES.get(entry.kind, entry.kind),
            config_json=json.dumps(shown_options(entry.config), ensure_ascii=False),
            fetch_interval=duration_ms(entry.every),
            created_at=offer.created_at if offer else 0,
            updated_at=offer.updated_at if offer else 0,
        )


class NewEntry(Body):
    """A ready-made source to offer."""

    name: Name = Field(examples=["Example"])
    url: Address = Field(examples=["https://example.org/feed"])
    source_type: str = "rss"
    category: str = ""
    config_json: JsonText = "{}"
    description: str = ""
    fetch_interval: Interval = HOUR
    enabled: bool = True


class EntryEdit(Body):
    """Changes to a ready-made source; fields that are left out stay."""

    name: Name | None = None
    url: Address | None = None
    source_type: str | None = None
    category: str | None = None
    config_json: JsonText | None = None
    description: str | None = None
    fetch_interval: Interval | None = None
    enabled: bool | None = None


@routes.get("/api/source-registry", auth=KNOWN)
def _source_registry(call: Caller) -> list[RegistryEntry]:
    """The enabled ready-made sources, by category and name."""
    found = sorted(call.services.catalogue.entries(), key=lambda entry: (entry.category, entry.name))
    return [RegistryEntry.of(one) for one in found]


@routes.post(
    "/api/dossiers/{dossier_id}/sources/from-registry/{entry_id}",
    auth=within("write"),
    status_code=201,
    response_model=shapes.Source,
    response_model_exclude_none=True,
)
def _add_from_registry(call: Caller, entry_id: EntryId) -> object:
    """Watch a ready-made source."""
    for entry in call.services.catalogue.entries():
        if entry.id == entry_id:
            wanted = {
                "dossier_id": call.dossier.id,
                "name": entry.name,
                "url": entry.url,
                "source_type": shapes.TYPES.get(entry.kind, entry.kind),
                "fetch_interval": duration_ms(entry.every),
                "config_json": json.dumps(entry.config, ensure_ascii=False),
            }
            return operate(call.app, call.access, "veille_add_source", wanted)
    raise NotFoundError("There is no such ready-made source.", code="no_entry")


@routes.get(_REGISTRY, auth=ADMIN)
def _list_entries(call: Caller) -> list[RegistryEntry]:
    """All ready-made sources, including disabled ones, by category and name."""
    return [RegistryEntry.of(entry, offer) for entry, offer in call.app.offers.entries(call.access)]


@routes.post(_REGISTRY, auth=ADMIN, status_code=201)
def _add_entry(call: Caller, body: NewEntry) -> Made:
    """Offer a ready-made source."""
    bare = CatalogueEntry(id="", category="", name=body.name, url=body.url, kind="feed", every="1h")
    made = call.app.offers.add_entry(call.access, _changed(call, bare, body.model_dump()))
    return Made.showing(made)


@routes.put(f"{_REGISTRY}/{{entry_id}}", auth=ADMIN)
def _edit_entry(call: Caller, entry_id: EntryId, body: EntryEdit) -> Updated:
    """Change a ready-made source; dossiers that already watch it are not changed."""
    before = call.app.offers.entry(call.access, entry_id)
    call.app.offers.edit_entry(call.access, _changed(call, before, body.model_dump(exclude_none=True)))
    return Updated(id=entry_id)


@routes.delete(f"{_REGISTRY}/{{entry_id}}", auth=ADMIN)
def _delete_entry(call: Caller, entry_id: EntryId) -> Done:
    """Stop offering a ready-made source; dossiers that watch it continue."""
    call.app.offers.delete_entry(call.access, entry_id)
    return Done(status="deleted")


def _changed(call: Call, before: CatalogueEntry, sent: dict[str, Any]) -> CatalogueEntry:
    """The entry with the sent changes, validated like a source."""
    kind = kind_named(call.app, sent["source_type"]) if "source_type" in sent else before.kind
    kind, url = placed(call.app, kind, sent.get("url", before.url))
    config = options(sent.get("config_json"))
    if config is None:
        config = shown_options(before.config)
    if isinstance(config.get("headers"), dict):
        known = before.config.get("headers") or {}
        refuse_to_hand_over(known, config["headers"], before.url, url)
        config = config | {"headers": unhidden(config["headers"], known)}
    return replace(
        before,
        kind=kind,
        url=url,
        config=config,
        every=duration_text(sent["fetch_interval"]) if "fetch_interval" in sent else before.every,
        **{name: sent[name] for name in ("name", "category", "description", "enabled") if name in sent},
    )
