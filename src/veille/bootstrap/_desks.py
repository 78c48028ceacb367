"""The services that an `App` has beside those of dossiers; each is made when it is first used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from veille.registry import later
from veille.services.container import Services
from veille.services.offers.routing import RouterService

if TYPE_CHECKING:
    from functools import cached_property

    from veille.bootstrap._leaving import LeavingDesk
    from veille.bootstrap._outlets import Outlets
    from veille.bootstrap._warc import WarcDesk
    from veille.ports import Clock, Store
    from veille.services.archives.bodies import BodyService
    from veille.services.offers.registries import RegistryService
    from veille.services.offers.routing import OutsideServices
    from veille.services.people.accounts import AccountService
    from veille.services.reading.favicons import FaviconService
    from veille.services.reading.overview import OverviewService
    from veille.services.reading.reader import ImageService
    from veille.services.watching.offers import OfferService
    from veille.services.watching.secrets import SecretService
    from veille.services.watching.sources import SourceService
    from veille.settings import Settings


class Desks(Services):
    """For accounts, operators and whatever concerns more than one dossier."""

    #: Users, tokens and roles: creates every `Access`.
    accounts: cached_property[AccountService] = later(
        "bootstrap._accounts:account_service", "settings", "store", "clock"
    )
    #: Fetches the images that a reader's pages show.
    images: cached_property[ImageService] = later(
        "services.reading.reader:ImageService", "outside.fetcher", "_image_key", "clock"
    )
    #: The icons of the sites that are watched.
    favicons: cached_property[FaviconService] = later(
        "services.reading.favicons:FaviconService", "images", "_icon_folder"
    )
    #: For administrators: an overview of all dossiers, and what is offered to them.
    overview: cached_property[OverviewService] = later(
        "services.reading.overview:OverviewService", "dossiers", "store.sweeps"
    )
    offers: cached_property[OfferService] = later(
        "services.watching.offers:OfferService", "dossiers", "sources", "store.offers", "clock"
    )
    #: The router of outside services.
    router: cached_property[RouterService] = later(
        "bootstrap._desks:router_service", "settings", "store", "bridges", "_outlets", "clock"
    )
    #: Ready-made sources and engines from registries.
    registries: cached_property[RegistryService] = later(
        "bootstrap._desks:registry_service", "settings", "store", "offers", "sources", "clock"
    )
    #: Histories from and for other tools, as WARC files.
    warc: cached_property[WarcDesk] = later(
        "bootstrap._warc:WarcDesk", "dossiers", "sources", "outside.workshop", "clock", "settings.fetch.max_bytes"
    )
    #: Where kept answers, pictures and archive files are.
    bodies: cached_property[BodyService] = later("bootstrap._desks:body_service", "settings", "store", "clock")
    #: Whole exports of dossiers and accounts, and their deletion.
    leaving: cached_property[LeavingDesk] = later(
        "bootstrap._leaving:LeavingDesk", "store", "accounts", "_to_be_told", "_attendance", "_lease_ms", "clock"
    )
    #: The secrets of dossiers, for their owners.
    secrets: cached_property[SecretService] = later("services.watching.secrets:SecretService", "vault", "clock")


def body_service(settings: Settings, store: Store, clock: Clock) -> BodyService:
    """Bodies at the place of the settings."""
    from veille.adapters.bodies import former_place  # noqa: PLC0415 - seldom needed
    from veille.services.archives.bodies import BodyService  # noqa: PLC0415 - likewise

    return BodyService(store.dossiers, store.body_place, partial(former_place, settings.bodies), store.duties, clock)


def registry_service(
    settings: Settings, store: Store, offering: OfferService, sources: SourceService, clock: Clock
) -> RegistryService:
    """Registries on disk, for the offers of a data folder."""
    from veille.adapters.registry_files import registry_at  # noqa: PLC0415 - seldom needed
    from veille.services.offers.registries import RegistryService  # noqa: PLC0415 - likewise

    return RegistryService(
        offers=store.offers,
        offering=offering,
        sources=sources,
        accounts=store.accounts,
        load=partial(registry_at, keys=settings.registry.keys),
        clock=clock,
    )


def router_service(
    settings: Settings, store: Store, services: OutsideServices, outlets: Outlets, clock: Clock
) -> RouterService:
    """The router of the settings."""
    return RouterService(
        router=settings.router,
        services=services,
        named=settings.bridges,
        offers=store.offers,
        duties=store.duties,
        sender=outlets.sender,
        clock=clock,
    )
