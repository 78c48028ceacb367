"""Search engines offered to all dossiers, for administrators."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from veille.interfaces.operations._limits import MAX_CONFIG, MAX_NAME, MAX_URL
from veille.interfaces.operations.catalogue import Engine, engine_record, engine_shape
from veille.interfaces.web._routes import ADMIN, Caller, Routes
from veille.interfaces.web.views.shapes import Body, Done, Made, Updated

routes = Routes("admin")

_ENGINES = "/api/admin/engines"

EngineId = Annotated[str, Path(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Address = Annotated[str, Field(min_length=1, max_length=MAX_URL)]
JsonText = Annotated[str, Field(max_length=MAX_CONFIG, description="JSON in a string.")]


class EngineView(Engine):
    """A search engine offered to all dossiers; credentials are hidden."""

    created_at: int = Field(description="0: it comes with the program.")
    updated_at: int


class EngineEdit(Body):
    """Changes to an engine; fields that are left out stay, and so do credentials that are sent back hidden."""

    name: Name | None = None
    strategy: Literal["api", "generic"] | None = None
    url_template: Address | None = None
    api_config: JsonText | None = None
    selectors: JsonText | None = None
    rate_limit_ms: Annotated[int, Field(ge=0, le=3_600_000)] | None = None
    max_pages: Annotated[int, Field(ge=1, le=100)] | None = None
    enabled: bool | None = None


class NewEngine(EngineEdit):
    """A search engine to offer; without an id, it gets one from its name."""

    id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,63}$")] | None = None
    name: Name = Field(examples=["Example Search"])
    url_template: Address = Field(examples=["https://example.org/search?q={query}"])


@routes.get(_ENGINES, auth=ADMIN)
def _list_offered_engines(call: Caller) -> list[EngineView]:
    """The search engines offered to all dossiers, by name."""
    return [
        EngineView.showing(
            engine_shape(engine),
            created_at=offer.created_at if offer else 0,
            updated_at=offer.updated_at if offer else 0,
        )
        for engine, offer in call.app.offers.engines(call.access)
    ]


@routes.post(_ENGINES, auth=ADMIN, status_code=201)
def _add_offered_engine(call: Caller, body: NewEngine) -> Made:
    """Offer a search engine to all dossiers. Refer to keys as `${secret:NAME}`: the secret of each dossier is used."""
    record = engine_record(body.model_dump(exclude_unset=True))
    record.setdefault("id", re.sub(r"[^a-z0-9]+", "_", body.name.lower()).strip("_")[:64])
    made = call.app.offers.add_engine(call.access, record)
    return Made.showing(made)


@routes.put(f"{_ENGINES}/{{engine_id}}", auth=ADMIN)
def _edit_offered_engine(call: Caller, engine_id: EngineId, body: EngineEdit) -> Updated:
    """Change a search engine; questions that ask it use the changed one."""
    before = call.app.offers.engine(call.access, engine_id)
    call.app.offers.put_engine(call.access, engine_record(body.model_dump(exclude_none=True), before))
    return Updated(id=engine_id)


@routes.delete(f"{_ENGINES}/{{engine_id}}", auth=ADMIN)
def _delete_offered_engine(call: Caller, engine_id: EngineId) -> Done:
    """Stop offering a search engine; questions that ask it keep their copy."""
    call.app.offers.delete_engine(call.access, engine_id)
    return Done(status="deleted")
