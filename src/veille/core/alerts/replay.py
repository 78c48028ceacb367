"""Runs a plugin of apprise without network: its requests become orders, and answers are played back to it.

A run starts from the beginning each time. Requests that have an answer get it, in their order; the first one without
stops the run, and is returned to be made by the door. Times and random numbers may differ between runs: what counts is
the order of the requests.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any, Final

from veille.core.alerts.services import service_of
from veille.errors import ConfigError

#: Longer addresses are refused.
MAX_URL: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAnswer:
    """What came back for a request; status 0 if nothing did."""

    status: int
    content_type: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOrder:
    """A request that a plugin wants to make; its body is in base64."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStep:
    """How far a run came: the next request, or the verdict of the plugin."""

    order: ServiceOrder | None = None
    is_sent: bool = False
    #: How many receivers the address names.
    receivers: int = 1


class _Stopped(BaseException):
    """The run needs an answer."""

    def __init__(self, order: ServiceOrder) -> None:
        super().__init__()
        self.order = order


def run_service(url: str, title: str, body: str, answers: tuple[ServiceAnswer, ...]) -> ServiceStep:
    """Run the plugin of the address; without a body, it is only made. ConfigError if the address is wrong."""
    requests, left = import_module("requests"), list(answers)
    plugin = _plugin(url)
    receivers = max(len(plugin), 1) if hasattr(plugin, "__len__") else 1
    if not body:
        return ServiceStep(receivers=receivers)

    def send(_: Any, request: Any, **__: Any) -> Any:
        if not left:
            raise _Stopped(_order(request))
        return _response(requests, request, left.pop(0))

    requests.sessions.Session.send = send
    try:
        is_sent = plugin.notify(body=body, title=title, overflow="truncate", body_format="text")
    except _Stopped as stopped:
        return ServiceStep(order=stopped.order, receivers=receivers)
    return ServiceStep(is_sent=bool(is_sent), receivers=receivers)


def _plugin(url: str) -> Any:
    apprise = import_module("apprise")
    module = import_module(f"apprise.plugins.{service_of(url)}")
    scheme = url.partition("://")[0].strip().lower()
    kinds = [kind for kind in vars(module).values() if _is_for(kind, scheme, module.__name__)]
    # Nothing is stored, no template is read from a file, and redirects are not followed.
    asset = apprise.AppriseAsset(
        app_id="veille", app_desc="veille", app_url="https://pypi.org/project/veille", async_mode=False,
        storage_mode="memory", secure_logging=True,
    )  # fmt: skip
    wrong = ConfigError(
        f"This is no complete address of {scheme}://; its form is on https://appriseit.com/services/.",
        code="bad_service_url",
    )
    try:
        found = kinds[0].parse_url(url.replace("/#", "/%23"))
        if not found:
            raise wrong  # noqa: TRY301 - as if it had raised
        plugin = kinds[0](**found, asset=asset)
    except ConfigError:
        raise
    except Exception as error:
        raise wrong from error
    # The door has its own pauses.
    plugin.throttle = lambda *_, **__: None
    plugin.request_rate_per_sec = 0
    return plugin


def _is_for(kind: object, scheme: str, module: str) -> bool:
    if not isinstance(kind, type) or not kind.__module__.startswith(module):
        return False
    schemes: set[str] = set()
    for name in ("protocol", "secure_protocol"):
        given = getattr(kind, name, None) or ()
        schemes.update([given] if isinstance(given, str) else given)
    return scheme in schemes


def _order(request: Any) -> ServiceOrder:
    body = request.body or b""
    if hasattr(body, "read"):
        body = body.read()
    content = body.encode() if isinstance(body, str) else bytes(body)
    return ServiceOrder(
        method=str(request.method),
        url=str(request.url),
        headers=tuple((_text(name), _text(value)) for name, value in request.headers.items()),
        body=b64encode(content).decode("ascii"),
    )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _response(requests: Any, request: Any, answer: ServiceAnswer) -> Any:
    if not answer.status:
        raise requests.ConnectionError("There was no answer.")
    response = requests.Response()
    response.status_code = answer.status
    response.raw = BytesIO(answer.body.encode())
    response.encoding = "utf-8"
    response.url = request.url
    response.request = request
    response.headers["Content-Type"] = answer.content_type
    return response
