"""From a leased request to an order for the fetcher: how it is asked, what it carries, whether robots.txt has a say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from veille.core.caching import to_send
from veille.core.kinds import Call, kind_of_source
from veille.core.models import Lease
from veille.core.paging import is_walk
from veille.core.secrets import Headers, filled, filled_body, names_in
from veille.core.traffic import Failure, Order, Validators
from veille.errors import NotFoundError, VeilleError

if TYPE_CHECKING:
    from veille.ports import Vault
    from veille.settings import BridgeSettings

#: Opens the vault of a dossier.
Vaults = Callable[[str], AbstractContextManager["Vault"]]


class Orders:
    """Makes orders. Secrets are looked up at the last moment and are in no database, log or report afterwards."""

    def __init__(self, vaults: Vaults, env: Mapping[str, str], bridges: Mapping[str, BridgeSettings]) -> None:
        self._vaults = vaults
        #: Only what the operator listed.
        self._env = env
        self._bridges = bridges

    def make(self, key: str, lease: Lease, now: int) -> Order | Failure:
        """The order for a request, or why it cannot be made."""
        try:
            kind = kind_of_source(lease.source)
            call = kind.call(lease.source, lease.request)
            url, headers = self._addressed(lease, call, kind.config.user_agent)
            body = self._body(lease, call)
        except VeilleError as error:
            return Failure(code=error.code, message=str(error), retryable=False)
        if isinstance(headers, Failure):
            return headers
        if isinstance(body, Failure):
            return body
        request = lease.request
        if request.glimpse:
            # A second look is taken past caches: the first answer again would tell nothing.
            headers = (*headers, ("Cache-Control", "no-cache"))
        # News only can be asked for with GET; and on a walk every answer is needed, because it leads to the next.
        is_conditional = call.method == "GET" and not is_walk(request) and not request.glimpse
        return Order(
            key=key,
            url=url,
            validators=to_send(request.validators, now) if is_conditional else Validators(),
            headers=headers,
            robots=call.robots if kind.config.robots is None else kind.config.robots,
            render=call.render,
            method=call.method,
            body=body,
            by_operator=bool(call.service),
            stay=kind.stays,
            delay_ms=max(call.delay_ms, round(kind.config.delay_s * 1000)),
        )

    def _addressed(self, lease: Lease, call: Call, user_agent: str) -> tuple[str, Headers | Failure]:
        if call.service:
            return self._bridge(call, lease.source.kind)
        agent = (("User-Agent", user_agent),) if user_agent else ()
        if not names_in(call.headers.values()):
            found = filled(call.headers, lambda _: None, self._env)
        else:
            with self._vaults(lease.dossier_id) as vault:
                found = filled(call.headers, vault.get, self._env)
        return lease.request.url, found if isinstance(found, Failure) else agent + found

    def _body(self, lease: Lease, call: Call) -> bytes | Failure:
        if not call.body_secrets:
            return call.body
        media_type = next((value for name, value in call.headers.items() if name.lower() == "content-type"), "")
        with self._vaults(lease.dossier_id) as vault:
            return filled_body(call.body, call.body_secrets, media_type.lower(), vault.get)

    def _bridge(self, call: Call, kind: str) -> tuple[str, Headers]:
        bridge = self._bridges.get(call.service)
        if bridge is None:
            raise NotFoundError(
                f"The settings name no service for sources of kind {kind!r}; the operator can add [bridges.{kind}] "
                "with its url, or install the package that brings the kind.",
                code="no_bridge",
            )
        token = (("Authorization", f"Bearer {bridge.token.get_secret_value()}"),) if bridge.token else ()
        return bridge.url, (*call.headers.items(), *token)
