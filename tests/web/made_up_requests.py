"""Requests made up from the OpenAPI document, bounded: no 5xx, and every answer as the document says.

Run by test_schemathesis.py.
"""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from service import Client, Here
from veille.interfaces.web import make_api, openapi
from veille.settings import load_settings

DOCUMENT = openapi(make_api(load_settings(data="unused")))
#: They fetch from outside and tell what went wrong there with a 500 or 502, as documented.
OUTSIDE = {
    "post_sources_source_id_fetch", "post_questions_question_id_run", "post_channels_channel_id_test", "proxy_image",
}  # fmt: skip
schema = schemathesis.openapi.from_dict(DOCUMENT).exclude(operation_id=sorted(OUTSIDE))


@pytest.fixture(scope="module")
def robot(office: Here) -> Client:
    return office.robot("root@example.org", is_admin=True)


@pytest.fixture(scope="module")
def ids(robot: Client) -> dict[str, str]:
    dossier_id = robot.post("/api/dossiers", {"name": "made up"}, 201)["id"]
    where = f"/api/dossiers/{dossier_id}"
    source = robot.post(f"{where}/sources", {"name": "a", "url": "https://example.org/a"}, 201)
    engine = robot.get(f"{where}/engines")[0]["id"]
    question = robot.post(f"{where}/questions", {"text": "Why?", "channels": f'["{engine}"]'}, 201)
    search = robot.post(f"{where}/searches", {"name": "s", "query": "x"}, 201)
    channel = robot.post(f"{where}/channels", {"name": "c", "where": "https://example.org/hook"}, 201)
    rule = robot.post(f"{where}/rules", {"expression": "is new", "tell": ["c"]}, 201)
    return {
        "dossier_id": dossier_id,
        "source_id": source["id"],
        "question_id": question["id"],
        "search_id": search["id"],
        "engine_id": engine,
        "channel_id": channel["id"],
        "rule_id": rule["id"],
    }


@schema.parametrize()
@hypothesis.settings(
    max_examples=1,
    deadline=None,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_made_up_requests_are_answered(case: Any, office: Here, robot: Client, ids: dict[str, str]) -> None:
    if case.operation.method.upper() != "DELETE":
        known = {name: value for name, value in ids.items() if name in (case.path_parameters or {})}
        case.path_parameters = {**(case.path_parameters or {}), **known}
    if case.query and "wait" in case.query:
        case.query = {name: value for name, value in case.query.items() if name != "wait"}
    case.call_and_validate(
        base_url=office.url,
        headers=robot.headers,
        checks=[not_a_server_error, response_schema_conformance, status_code_conformance],
        timeout=20,
    )
