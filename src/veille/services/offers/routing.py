"""Outside services by kind: those of the settings, and those of a router, which come and go without a restart."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.discover.services import offered_services, service_record, stored_service
from veille.core.kinds import BRIDGE, PACKAGE, Kind, config_type
from veille.core.traffic import Failure, Order
from veille.errors import ReadError
from veille.registry import names
from veille.settings.sections import BridgeSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.discover.services import OutsideService
    from veille.core.models import Json
    from veille.ports import Clock, Offers, Sender
    from veille.ports.dossiers import Duties
    from veille.settings.sections import RouterSettings

#: The offers that are services of the router, by kind.
SERVICE = "service"
#: The name of the duty: one of all programs asks.
ROUTER = "router"
#: Further names of our own kinds.
_SEED_TYPES = ("web", "rss", "document", "crawl")
_TIMEOUT_S = 5.0
_MOST_BYTES = 1024 * 1024
#: How long a program relies on what it read of the store.
_KNOWN_S = 1.0


class OutsideServices(Mapping[str, BridgeSettings]):
    """The services by the kind of source they provide, as they are now; those of the settings come first."""

    def __init__(self, named: Mapping[str, BridgeSettings], router: RouterSettings, offers: Offers) -> None:
        self._named = named
        self._router = router
        self._offers = offers
        self._known: dict[str, OutsideService] = {}
        self._known_at = float("-inf")

    def offered(self) -> dict[str, OutsideService]:
        """Those that the router offers, by kind."""
        if not self._router.url:
            return {}
        if time.monotonic() - self._known_at >= _KNOWN_S:
            records = {kind: offer.record for kind, offer in self._offers.all(SERVICE).items()}
            self._known = {kind: stored_service(kind, record) for kind, record in records.items() if record}
            self._known_at = time.monotonic()
        return self._known

    def forget(self) -> None:
        """Read the store again at the next use."""
        self._known_at = float("-inf")

    def vet(self, kind: str, config: Json) -> None:
        """ConfigError if a source of a kind that the router offers cannot have these options."""
        if kind not in self._named and (service := self.offered().get(kind)):
            service.vet(config, config_type(BRIDGE).model_fields)

    def __getitem__(self, kind: str) -> BridgeSettings:
        if kind in self._named:
            return self._named[kind]
        return BridgeSettings(url=self.offered()[kind].url, token=self._router.token)

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._named), **dict.fromkeys(self.offered())})

    def __len__(self) -> int:
        return len({*self._named, *self.offered()})


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterNews:
    """What the router says that is new; by kind."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterService:
    """Asks the router which services it has. Whatever goes wrong, what was known stays."""

    router: RouterSettings
    services: OutsideServices
    named: Mapping[str, BridgeSettings]
    offers: Offers
    duties: Duties
    sender: Callable[[], Sender]
    clock: Clock

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return bool(self.router.url)

    def ask(self) -> RouterNews:
        """Ask now; ReadError `router.down` or `router.reply` if that does not work, and nothing is changed."""
        found = offered_services(self._answer(), self.router.url, {*names(PACKAGE, Kind), *_SEED_TYPES, *self.named})
        before = {kind: offer.record for kind, offer in self.offers.all(SERVICE).items()}
        after = {kind: service_record(one) for kind, one in found.items()}
        now = self.clock()
        for kind, record in after.items():
            if before.get(kind) != record:
                self.offers.put(SERVICE, kind, record, now)
        for kind in before.keys() - after.keys():
            self.offers.delete(SERVICE, kind)
        self.services.forget()
        return RouterNews(
            added=tuple(sorted(after.keys() - before.keys())),
            changed=tuple(sorted(kind for kind in after.keys() & before.keys() if after[kind] != before[kind])),
            removed=tuple(sorted(before.keys() - after.keys())),
        )

    def ask_if_due(self) -> RouterNews | None:
        """Ask if that is due; only one of all programs does it."""
        every_ms = round(self.router.every_s * 1000)
        if not self.is_set or not every_ms or not self.duties.take(ROUTER, self.clock(), every_ms):
            return None
        return self.ask()

    def _answer(self) -> bytes:
        if not self.is_set:
            raise ReadError("The settings name no router ([router] url).", code="router.none")
        token = self.router.token
        bearer = (("Authorization", f"Bearer {token.get_secret_value()}"),) if token is not None else ()
        headers = (("Accept", "application/json"), *bearer)
        order = Order(key=ROUTER, url=self.router.url, headers=headers, by_operator=True, direct=True)
        answer = self.sender().send(order, timeout_s=_TIMEOUT_S, max_bytes=_MOST_BYTES)
        if isinstance(answer, Failure):
            raise ReadError(
                f"The router did not answer ({answer.code}: {answer.message}). What it said before stays.",
                code="router.down",
            )
        return answer.body
