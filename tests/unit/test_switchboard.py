"""Finding the route of a request."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.routing import Match

from veille.interfaces.web._routes import ANYBODY, Routes
from veille.interfaces.web._switchboard import Switchboard


def _served(*registered: tuple[str, str]) -> Switchboard:
    topic = Routes("things")
    for method, path in registered:
        topic.add(method, path, auth=ANYBODY)(_named(f"{method} {path}"))
    return Switchboard([topic])


def _named(name: str) -> Any:
    def handler() -> None: ...

    handler.__name__ = name
    return handler


def _found(board: Switchboard, method: str, path: str) -> tuple[Match, str, dict[str, str]]:
    match, scope = board.matches({"type": "http", "method": method, "path": path, "root_path": ""})
    return match, getattr(scope.get("route"), "name", ""), scope.get("path_params", {})


BOARD = _served(
    ("GET", "/"),
    ("GET", "/d/{dossier_id}"),
    ("GET", "/d/{dossier_id}/sources/new"),
    ("GET", "/d/{dossier_id}/sources/{source_id}"),
    ("POST", "/d/{dossier_id}/sources/{source_id}"),
    ("GET", "/files/{name}.json"),
)


@pytest.mark.parametrize(
    ("method", "path", "name", "parameters"),
    [
        ("GET", "/", "GET /", {}),
        ("GET", "/d/7", "GET /d/{dossier_id}", {"dossier_id": "7"}),
        ("GET", "/d/7/sources/new", "GET /d/{dossier_id}/sources/new", {"dossier_id": "7"}),
        (
            "POST",
            "/d/7/sources/new",
            "POST /d/{dossier_id}/sources/{source_id}",
            {"dossier_id": "7", "source_id": "new"},
        ),
        ("GET", "/files/a.json", "GET /files/{name}.json", {"name": "a"}),
    ],
)
def test_the_first_route_of_a_path_and_method_is_found(
    method: str, path: str, name: str, parameters: dict[str, str]
) -> None:
    assert _found(BOARD, method, path) == (Match.FULL, name, parameters)


def test_a_wrong_method_finds_the_route_that_refuses_it() -> None:
    assert _found(BOARD, "DELETE", "/d/7/sources/8")[:2] == (Match.PARTIAL, "GET /d/{dossier_id}/sources/{source_id}")


@pytest.mark.parametrize("path", ["/d", "/d/", "/d/7/", "/d/7/8", "/d/7/sources/8/9", "//", "", "/files/a.xml"])
def test_other_paths_find_none(path: str) -> None:
    assert _found(BOARD, "GET", path)[0] is Match.NONE


def test_a_path_of_any_length_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be counted"):
        _served(("GET", "/files/{rest:path}"))
