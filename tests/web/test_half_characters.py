"""Half a surrogate pair is valid JSON but no text: wherever it stands it is refused, and nothing is spoiled by it."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from service import Client, Here

HALF = "\ud800"
FORM = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
ENGINE = {"name": "e", "url_template": "https://example.org/?q={query}"}
SOURCE = {"name": "s", "url": "https://example.org/"}


@pytest.fixture(scope="module")
def ada(office: Here) -> Client:
    return office.person("ada@example.org", is_admin=True)


@pytest.fixture(scope="module")
def dossier_id(office: Here) -> str:
    return office.dossier("halves")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/auth/tokens", {"name": "a", "scopes": [HALF]}),
        ("/api/auth/tokens", {"name": "a", "scopes": ["read"], "dossiers": [HALF]}),
        ("/api/dossiers/{}/searches", {"name": "a", "query": f"{HALF} word"}),
        ("/api/dossiers/{}/sources", {**SOURCE, "name": HALF}),
        ("/api/dossiers/{}/sources", {**SOURCE, "config_json": json.dumps({"tags": [HALF]})}),
        ("/api/dossiers/{}/sources", {**SOURCE, "config_json": json.dumps({"headers": {"a": HALF}})}),
        ("/api/admin/source-registry", {**SOURCE, "category": HALF}),
        ("/api/admin/engines", {**ENGINE, "api_config": json.dumps({"body": {"a": HALF}})}),
    ],
)
def test_rest_refuses_it(ada: Client, dossier_id: str, path: str, body: dict[str, object]) -> None:
    assert ada.ask("POST", path.format(dossier_id), body).status == 400
    for listed in ("/api/dossiers/{}/sources", "/api/admin/engines", "/api/admin/source-registry"):
        ada.get(listed.format(dossier_id))


def test_the_page_of_engines_refuses_it(ada: Client, dossier_id: str) -> None:
    for record in ({**ENGINE, "id": "e", "name": HALF}, {**ENGINE, "id": "e", "body": {"a": HALF}}):
        sent = urlencode({"record": json.dumps(record)}).encode()
        assert ada.ask("POST", f"/d/{dossier_id}/engines/new", sent, FORM).status == 400
    assert ada.ask("GET", f"/d/{dossier_id}/engines", headers=FORM).status == 200


def test_forms_are_utf8(ada: Client) -> None:
    """In UTF-7 `+2AA-` is half a character."""
    part = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n+2AA-\r\n--x--\r\n'
    for charset, status in (("; charset=utf-7", 415), ("", 303)):
        form = {**FORM, "Content-Type": f"multipart/form-data; boundary=x{charset}"}
        assert ada.ask("POST", "/settings/name", part, form).status == status
    # As scripts send it.
    form = {**FORM, "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
    assert ada.ask("POST", "/settings/name", b"name=Ada", form).status == 303
