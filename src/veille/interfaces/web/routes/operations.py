"""Routes for the operations on sources, questions, extractions, rules, channels and alerts: one line each.

Arguments in the path are not sent again; GET takes the others as its query, other methods as their JSON body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Body as JsonBody
from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from veille.interfaces.operations import OPERATIONS, Operation
from veille.interfaces.operations import call as operate
from veille.interfaces.web._routes import Routes, within
from veille.interfaces.web.requests.calls import Call, Caller

routes = Routes("operations")

_IN_DOSSIER = "/api/dossiers/{dossier_id}"


@dataclass(frozen=True)
class _Way:
    method: str
    path: str
    operation: str
    status: int = 200
    #: Arguments that have another name in the query.
    renamed: Mapping[str, str] = field(default_factory=dict)


_WAYS = (
    _Way("POST", "/sources", "veille_add_source", 201),
    _Way("GET", "/sources", "veille_list_sources"),
    _Way("PUT", "/sources/{source_id}", "veille_update_source"),
    _Way("PATCH", "/sources/{source_id}", "veille_update_source"),
    _Way("DELETE", "/sources/{source_id}", "veille_delete_source"),
    _Way("POST", "/sources/{source_id}/restore", "veille_restore_source"),
    _Way("POST", "/sources/tags", "veille_tag_sources"),
    _Way("POST", "/sources/move", "veille_move_sources"),
    _Way("POST", "/sources/{source_id}/mute", "veille_mute_source"),
    _Way("POST", "/sources/{source_id}/fetch", "veille_fetch_now"),
    _Way("GET", "/sources/{source_id}/extractions", "veille_list_extractions"),
    _Way("GET", "/sources/{source_id}/history", "veille_fetch_history"),
    _Way("GET", "/sources/{source_id}/values", "veille_values"),
    _Way("GET", "/values", "veille_values"),
    _Way("GET", "/extractions", "veille_list_extractions"),
    _Way("GET", "/search", "veille_search", renamed={"query": "q"}),
    _Way("GET", "/search/did-you-mean", "veille_did_you_mean", renamed={"query": "q"}),
    _Way("GET", "/search/facets", "veille_search_facets", renamed={"query": "q"}),
    _Way("GET", "/ask", "veille_ask", renamed={"question": "q"}),
    _Way("GET", "/stats", "veille_stats"),
    _Way("POST", "/analyses", "veille_analyse"),
    _Way("GET", "/documents/{document}/analysis", "veille_get_analysis"),
    _Way("POST", "/documents/{document_id}/shares", "veille_share_document", 201),
    _Way("GET", "/shares", "veille_list_shares"),
    _Way("DELETE", "/shares/{share_id}", "veille_revoke_share"),
    _Way("GET", "/digest", "veille_digest"),
    _Way("PUT", "/brands", "veille_set_brands"),
    _Way("POST", "/questions", "veille_add_question", 201),
    _Way("GET", "/questions", "veille_list_questions"),
    _Way("PUT", "/questions/{question_id}", "veille_update_question"),
    _Way("PATCH", "/questions/{question_id}", "veille_update_question"),
    _Way("DELETE", "/questions/{question_id}", "veille_delete_question"),
    _Way("POST", "/questions/{question_id}/run", "veille_run_question"),
    _Way("GET", "/questions/{question_id}/results", "veille_question_results"),
    _Way("POST", "/catalogue/{category}", "veille_populate"),
    _Way("GET", "/engines", "veille_list_engines"),
    _Way("PUT", "/engines/{engine_id}", "veille_enable_engine"),
    _Way("GET", "/rules", "veille_list_rules"),
    _Way("POST", "/rules", "veille_add_rule", 201),
    _Way("POST", "/rules/try", "veille_try_rule"),
    _Way("PATCH", "/rules/{rule_id}", "veille_update_rule"),
    _Way("DELETE", "/rules/{rule_id}", "veille_delete_rule"),
    _Way("POST", "/rules/{rule_id}/restore", "veille_restore_rule"),
    _Way("GET", "/channels", "veille_list_channels"),
    _Way("POST", "/channels", "veille_add_channel", 201),
    _Way("PATCH", "/channels/{channel_id}", "veille_update_channel"),
    _Way("DELETE", "/channels/{channel_id}", "veille_delete_channel"),
    _Way("POST", "/channels/{channel_id}/restore", "veille_restore_channel"),
    _Way("POST", "/channels/{channel_id}/test", "veille_test_channel"),
    _Way("GET", "/alerts", "veille_list_alerts"),
    _Way("POST", "/alerts/{alert_id}/resend", "veille_resend_alert"),
)


def _register(way: _Way) -> None:
    operation = OPERATIONS[way.operation]
    path = _IN_DOSSIER + way.path
    handler = _handler(operation, _given(operation, way, path))
    words = re.sub(r"\W+", "_", way.path).strip("_")
    handler.__name__ = f"{way.method.lower()}_{words}"
    routes.add(
        way.method,
        path,
        auth=within(operation.scope),
        asks_outside=operation.asks_outside,
        status_code=way.status,
        summary=operation.summary,
        response_model=operation.result,
        response_model_exclude_none=True,
    )(handler)


async def _nothing() -> None:
    # Not a plain function: FastAPI would run it in a thread.
    return None


def _given(operation: Operation, way: _Way, path: str) -> Any:
    """The type annotation of the query or body; of a parameter without a value when all arguments are in the path."""
    taken = set(re.findall(r"{(\w+)}", path))
    fields: dict[str, Any] = {
        name: (info.annotation, _renamed(info, way.renamed.get(name)))
        for name, info in operation.arguments.model_fields.items()
        if name not in taken
    }
    if not fields:
        return Annotated[None, Depends(_nothing)]
    name = f"{operation.arguments.__name__}{'Query' if way.method == 'GET' else 'Body'}"
    model = create_model(
        f"{name}{way.method.title()}" if way.method == "PATCH" else name,
        __config__=ConfigDict(extra="forbid", populate_by_name=True),
        __doc__=operation.arguments.__doc__,
        **fields,
    )
    return Annotated[model, Query() if way.method == "GET" else JsonBody()]


def _renamed(info: FieldInfo, alias: str | None) -> FieldInfo:
    info = copy(info)
    if alias:
        info.alias = info.validation_alias = info.serialization_alias = alias
    return info


def _handler(operation: Operation, given_type: Any) -> Callable[..., Any]:
    def work(call: Call, given: BaseModel | None) -> Any:
        sent = given.model_dump(exclude_unset=True) if given else {}
        arguments = sent | call.request.path_params | {"dossier_id": call.dossier.id}
        return operate(call.app, call.access, operation.name, arguments)

    work.__annotations__ = {"call": Caller, "given": given_type}
    return work


for _way in _WAYS:
    _register(_way)
