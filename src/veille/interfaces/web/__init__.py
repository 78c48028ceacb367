"""HTTP: the REST API, the pages, and their middleware. Routes parse, call the services for a user, and render.

Every module in `routes` and `pages` defines `routes`; they are found automatically, there is no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route

import veille
from veille.bootstrap import App
from veille.interfaces.programs import Programs
from veille.interfaces.web import pages, routes
from veille.interfaces.web._routes import PROBLEMS, Routes
from veille.interfaces.web._switchboard import Switchboard
from veille.interfaces.web.actions.errands import Errands
from veille.interfaces.web.actions.field_fetches import FieldFetches
from veille.interfaces.web.actions.icons import SiteIcons
from veille.interfaces.web.actions.imports import RunningImports
from veille.interfaces.web.actions.live import Counters, Live
from veille.interfaces.web.actions.previews import Previews
from veille.interfaces.web.actions.show import Paces
from veille.interfaces.web.actions.trials import Trials
from veille.interfaces.web.requests.calls import Apps
from veille.interfaces.web.requests.errors import tell_errors
from veille.interfaces.web.requests.guard import Guard
from veille.interfaces.web.views.metrics import Counting, ServiceMetrics
from veille.interfaces.web.views.shapes import Problem
from veille.settings import Settings

_PROBLEM = "#/components/schemas/Problem"
_ABOUT = """Watch anything on the web or on disk, keep every version, find it again.

Sign in with the header `Authorization: Bearer vk_…` (a token: `veille tokens add`), or with the cookie that
`POST /api/auth/login` sets. Feed readers may give a token as the password of HTTP Basic.

Times are milliseconds since 1970. Lists are `[]` when empty. Errors are `{"error", "code"}`; what does not
exist and what you may not see give the same 404.
"""


def make_api(settings: Settings, metrics: ServiceMetrics | None = None) -> FastAPI:
    """Build the service as an ASGI application."""
    apps = Apps(settings)

    @asynccontextmanager
    async def lifespan(api: FastAPI) -> AsyncIterator[None]:
        async with apps.running() as app, _serving_programs(api, app):
            yield
            await api.state.errands.finish()

    api = FastAPI(
        title="veille",
        version=veille.__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    api.state.apps = apps
    api.state.metrics = metrics or ServiceMetrics(settings)
    api.state.counters = Counters()
    api.state.errands, api.state.previews, api.state.imports = Errands(apps), Previews(), RunningImports()
    api.state.trials, api.state.field_fetches = Trials(), FieldFetches()
    api.state.live = Live(api.state.metrics.workers)
    api.state.stocks, api.state.paces, api.state.site_icons = {}, Paces(), SiteIcons()
    #: When `/health` last read the data.
    api.state.data_read_at = float("-inf")
    tell_errors(api)
    api.state.switchboard = Switchboard(all_routes())
    api.router.routes.append(api.state.switchboard)
    api.add_middleware(Counting, metrics=api.state.metrics)
    api.add_middleware(Guard, settings=settings.serve)
    api.state.guard = Guard(api, settings.serve)
    api.state.description = lambda: openapi(api)
    return api


@asynccontextmanager
async def _serving_programs(api: FastAPI, app: App) -> AsyncIterator[None]:
    """Answer programs with a token, all with this `App`: MCP at `/mcp`, and the connectivity gateway.

    Both check the token themselves, before anything else; the guard applies to them as to all routes.
    """
    # Their libraries take most of a second to import.
    from veille.interfaces.connectivity import Gateway  # noqa: PLC0415 - see above
    from veille.interfaces.mcp import HttpTools  # noqa: PLC0415 - see above

    programs = Programs(app)
    tools = HttpTools(programs, sorted(api.state.guard.hosts))
    api.router.routes += [Route("/mcp", tools), Route("/connectivity/{service:path}", Gateway(programs))]
    async with tools.running():
        yield


def _name_places(operation: dict[str, Any], path: str) -> None:
    """Add the path parameters that the route's dependency reads and its handler does not declare."""
    parameters = operation.setdefault("parameters", [])
    named = {one["name"] for one in parameters if one["in"] == "path"}
    parameters[:0] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
        if name not in named
    ]


def _problems(responses: dict[str, Any]) -> dict[str, Any]:
    """The errors of a route, in the media type of its answer."""
    answer = responses.get("200", {}).get("content", {})
    content = {"text/html" if "text/html" in answer else "application/json": {"schema": {"$ref": _PROBLEM}}}
    return {str(status): {"description": text, "content": content} for status, text in PROBLEMS.items()}


def all_routes() -> Iterator[Routes]:
    """The routes of every topic, sorted by file name."""
    for package in (routes, pages):
        modules = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name in sorted(module.name for module in modules if not module.ispkg):
            found = importlib.import_module(name).routes
            if not isinstance(found, Routes):
                raise TypeError(f"{name}.routes must be Routes: they say who may call each.")
            yield found


def openapi(api: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of the API."""
    document = get_openapi(
        title=api.title,
        version=api.version,
        description=api.description,
        routes=api.state.switchboard.routes,
        separate_input_output_schemas=False,
    )
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _name_places(operation, path)
            # Validation errors are answered with 400 and a `Problem`, never with 422.
            operation["responses"].pop("422", None)
            known = _problems(operation["responses"]) | operation["responses"]
            operation["responses"] = dict(sorted(known.items()))
            operation.setdefault("security", [{"token": []}, {"session": []}])
    schemas = document["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
    }
    return document
