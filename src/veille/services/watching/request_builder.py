"""Builds the order for the fetcher from a leased request: method, headers, body, whether robots.txt applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from veille.core.addresses import AddressError, parse
from veille.core.browsing.logins import KeptLogin, login_steps, made_by
from veille.core.browsing.steps import references_of
from veille.core.browsing.visit import PageVisit
from veille.core.http.caching import to_send
from veille.core.http.secrets import IN_VAULT, Headers, Secret, filled, filled_body, typed
from veille.core.json.paging import is_walk
from veille.core.kinds import HttpCall, kind_of_source
from veille.core.models import Lease
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order, Validators
from veille.errors import NotFoundError, VeilleError

if TYPE_CHECKING:
    from veille.core.browsing.steps import BrowserStep
    from veille.core.browsing.visit import PictureWish
    from veille.ports import Vault
    from veille.settings import BridgeSettings

#: Opens the vault of a dossier.
Vaults = Callable[[str], AbstractContextManager["Vault"]]


class Orders:
    """Builds orders. Secrets are looked up at the last moment, and are in no database, log or report afterwards."""

    def __init__(self, vaults: Vaults, env: Mapping[str, Secret], bridges: Mapping[str, BridgeSettings]) -> None:
        self._vaults = vaults
        #: Only the variables that the operator listed.
        self._env = env
        self._bridges = bridges

    def make(self, key: str, lease: Lease, now: int) -> Order | Failure:
        """The order for a request, or why it cannot be made."""
        try:
            kind = kind_of_source(lease.source)
            call = kind.call(lease.source, lease.request)
            written = self._written(lease, call, kind.config.user_agent)
        except VeilleError as error:
            return Failure(code=error.code, message=str(error), retryable=False)
        if isinstance(written, Failure):
            return written
        visit = self.visit(lease.dossier_id, call.steps, call.picture)
        if isinstance(visit, Failure):
            return visit
        if visit is not None and login_steps(visit.steps):
            visit = replace(visit, login=self._login(lease, visit))
        url, headers, body = written
        request = lease.request
        if request.glimpse:
            # A confirming fetch bypasses caches: the first answer again would prove nothing.
            headers = (*headers, ("Cache-Control", "no-cache"))
        # Only GET can be conditional; and paging needs every answer, because it leads to the next page.
        # What steps lead to, and what a page looks like, may change without its answer.
        is_conditional = call.method == "GET" and not is_walk(request) and not request.glimpse and visit is None
        return Order(
            key=key,
            url=url,
            validators=to_send(request.validators, now) if is_conditional else Validators(),
            headers=headers,
            robots=call.robots if kind.config.robots is None else kind.config.robots,
            render=call.render,
            visit=visit,
            method=call.method,
            body=body,
            by_operator=bool(call.service),
            stay=kind.stays,
            delay_ms=max(call.delay_ms, round(kind.config.delay_s * 1000)),
        )

    def _login(self, lease: Lease, visit: PageVisit) -> KeptLogin:
        with self._vaults(lease.dossier_id) as vault:
            kept = vault.login(lease.source.id)
        return KeptLogin.loaded(kept, made_by(lease.request.url, visit.steps, visit.secrets))

    def visit(
        self,
        dossier_id: str,
        steps: tuple[BrowserStep, ...],
        picture: PictureWish | None = None,
        *,
        records: bool = False,
    ) -> PageVisit | Failure | None:
        """What a browser does and keeps, with the secrets that its steps type; None if a page is only fetched.

        With `records`, it brings the elements of the page for the next step.
        """
        if not steps and picture is None and not records:
            return None
        found: dict[str, Secret] = {}
        references = references_of(steps)
        if references:
            with self._vaults(dossier_id) as vault:
                for reference in sorted(references):
                    name = reference.removeprefix(IN_VAULT)
                    secret = vault.get(name)
                    if secret is None:
                        return failure("secret", f"there is none called {name!r} in this dossier")
                    found[reference] = secret
        values = tuple(secret.value for secret in found.values())
        return PageVisit(steps=steps, typed=partial(typed, found), secrets=values, picture=picture, records=records)

    def _written(self, lease: Lease, call: HttpCall, user_agent: str) -> tuple[str, Headers, bytes] | Failure:
        """Address, headers and body of the request; references to secrets are replaced here, for this one address."""
        if call.service:
            return (*self._bridge(call, lease.source.kind), call.body)
        address = lease.request.url
        headers = {**({"User-Agent": user_agent} if user_agent else {}), **call.headers}
        if not call.body_references and not any("${" in value for value in headers.values()):
            return address, tuple(headers.items()), call.body
        try:
            url = parse(address)
        except AddressError as error:
            return failure("bad_url", str(error))
        media_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "").lower()
        with self._vaults(lease.dossier_id) as vault:

            def known(reference: str) -> Secret | None:
                if reference.startswith(IN_VAULT):
                    return vault.get(reference.removeprefix(IN_VAULT))
                return self._env.get(reference)

            sent = filled(headers, url, known)
            body = filled_body(call.body, call.body_references, media_type, url, known)
        if isinstance(sent, Failure):
            return sent
        return body if isinstance(body, Failure) else (address, sent, body)

    def _bridge(self, call: HttpCall, kind: str) -> tuple[str, Headers]:
        bridge = self._bridges.get(call.service)
        if bridge is None:
            raise NotFoundError(
                f"The settings name no service for sources of kind {kind!r}; the operator can add [bridges.{kind}] "
                "with its url, or install the package that brings the kind.",
                code="no_bridge",
            )
        token = (("Authorization", f"Bearer {bridge.token.get_secret_value()}"),) if bridge.token else ()
        return bridge.url, (*call.headers.items(), *token)
