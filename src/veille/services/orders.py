"""From a leased request to an order for the fetcher: which headers it carries, and whether robots.txt has a say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from veille.core.caching import to_send
from veille.core.kinds import KindConfig, kind_of
from veille.core.models import Failure, Lease, Order
from veille.core.secrets import Headers, filled, names_in, same_origin
from veille.errors import VeilleError

if TYPE_CHECKING:
    from veille.ports import Vault

#: Opens the vault of a dossier.
Vaults = Callable[[str], AbstractContextManager["Vault"]]


class Orders:
    """Makes orders. Secrets are looked up at the last moment and are in no database, log or report afterwards."""

    def __init__(self, vaults: Vaults, env: Mapping[str, str]) -> None:
        self._vaults = vaults
        #: Only what the operator listed.
        self._env = env

    def make(self, key: str, lease: Lease, now: int) -> Order | Failure:
        """The order for a request, or why it cannot be made."""
        try:
            kind = kind_of(lease.source.kind, lease.source.config)
            config = kind.config
            headers = self._headers(lease, config)
        except VeilleError as error:
            return Failure(code=error.code, message=str(error), retryable=False)
        if isinstance(headers, Failure):
            return headers
        request = lease.request
        robots = config.robots if config.robots is not None else request.purpose != "root"
        return Order(
            key=key,
            url=request.url,
            validators=to_send(request.validators, now),
            headers=headers,
            robots=robots,
            render=config.render,
            stay=kind.stays,
            delay_ms=round(config.delay_s * 1000),
        )

    def _headers(self, lease: Lease, config: KindConfig) -> Headers | Failure:
        agent = (("User-Agent", config.user_agent),) if config.user_agent else ()
        # What is configured for a site stays with that site: links to elsewhere carry nothing of it.
        if not config.headers or not same_origin(lease.source.url, lease.request.url):
            return agent
        if not names_in(config.headers.values()):
            found = filled(config.headers, lambda _: None, self._env)
        else:
            with self._vaults(lease.dossier_id) as vault:
                found = filled(config.headers, vault.get, self._env)
        return found if isinstance(found, Failure) else agent + found
