"""Wires the parts together: the only package that knows the adapters."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veille.adapters.in_hand import FileInHand
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.adapters.stores.sqlite.catalog.hosts import SqliteHosts
from veille.adapters.stores.sqlite.catalog.offers import SqliteOffers
from veille.adapters.stores.sqlite.catalog.schedules import SqliteSchedules
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.adapters.stores.sqlite.queue import SqliteQueue
from veille.adapters.stores.sqlite.read.vault import SqliteVault
from veille.bootstrap._attendance import Attendance
from veille.bootstrap._mending import Mending
from veille.bootstrap._outlets import Outlets, write_export
from veille.bootstrap.checks import check_places
from veille.core.http.secrets import Secret, bound_hosts
from veille.core.models import Dossier, Scope
from veille.core.records import Delivery, Run
from veille.core.urls import Tracking, use_tracking
from veille.services.container import Services
from veille.services.house import House
from veille.services.watching.deliver import Courier, Pressure
from veille.services.watching.request_builder import Orders
from veille.services.watching.watch import Pace, Progress, Tools, Worker
from veille.settings import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import IO

    from veille.adapters.logs import JsonLog
    from veille.adapters.vault import VaultKey
    from veille.core.access.access import ScopeName
    from veille.core.crawler.config import CrawlConfig
    from veille.core.crawler.events import LogEvent
    from veille.core.outgoing.cursors import Cursor
    from veille.core.show.images import Signer
    from veille.ports import Clock, Embedder, InHand, Queue, Sink, Vault
    from veille.services.crawler.crawl_admin import CrawlerService
    from veille.services.news.news import NewsDesk
    from veille.services.people.access import Access
    from veille.services.people.accounts import AccountService
    from veille.services.reading.export import ExportService
    from veille.services.reading.overview import OverviewService
    from veille.services.reading.reader import ImageService, Reader
    from veille.services.watching.offers import OfferService
    from veille.services.watching.preview import Preview
    from veille.services.watching.secrets import SecretService
    from veille.services.watching.sources import Wish


def system_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class App(Mending, Services, AbstractContextManager["App"]):
    """Everything veille can do, on one data folder. Close it when done (it is a context manager)."""

    def __init__(self, settings: Settings, clock: Clock = system_clock) -> None:
        self.settings = settings
        use_tracking(Tracking(settings.tracking.add, settings.tracking.keep))
        check_places(settings)
        self._outlets = Outlets(settings, clock)
        #: The sinks of the settings. Created at once, so that an unusable one is reported before any work begins.
        self.sinks: dict[str, Sink] = self._outlets.sinks()
        catalog = self._catalog = Catalog(settings.data)
        self._attendance = Attendance(settings.data)
        self._workers = count(1)
        self._lease_ms = round(settings.lease_s * 1000)
        self.hosts = SqliteHosts(catalog.db)
        self.schedules = SqliteSchedules(catalog.db)
        #: Called regularly by a worker while it makes progress, for the supervisor of this process.
        self.beat: Callable[[], None] = lambda: None
        #: Called with every event that a crawler logs, in addition to its file.
        self.echo: Callable[[LogEvent], None] | None = None
        self.dossiers = SqliteDossiers(settings.data, catalog, settings.open_dossiers, settings.min_free_mb)
        self.queue = SqliteQueue(catalog, self.dossiers, self._lease_ms, settings.quotas, beat=self._beat)
        self._variables = _variables(settings.fetch.allow_env)
        house = House(
            clock=clock,
            offers=SqliteOffers(catalog.db),
            bridges=frozenset(settings.bridges),
            max_sources=settings.quotas.sources,
            searches_kept=settings.searches_kept,
            judge=self.judge,
            arm=self.queue.arm,
            outlines=self.outlines,
        )
        super().__init__(self.dossiers, house)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _beat(self) -> None:
        # Looked up each time: it is set after this object was created.
        self.beat()

    def close(self) -> None:
        self.close_doors()
        self._outlets.close()
        self.dossiers.close()
        self._attendance.close()

    def embedder(self, options: Mapping[str, object]) -> Embedder:
        """The embedder of that `kind` and options, as a sink would use it: for queries against what the sink wrote."""
        return self._outlets.embedder(options)

    @cached_property
    def accounts(self) -> AccountService:
        """Users, tokens and roles: creates every `Access`."""
        from veille.bootstrap._accounts import account_service  # noqa: PLC0415 - needed by few commands

        return account_service(self.settings, self._catalog, self.dossiers, self.clock)

    def on_behalf(self, access: Access, scope: ScopeName) -> Services:
        """The services on the dossiers that a user may access with this scope; every use is checked again."""
        return Services(access.through(scope), self._house)

    def dossier(self, name_or_id: str) -> Dossier:
        return self.dossiers.find(name_or_id)

    def create_dossier(self, name: str) -> Dossier:
        return self.dossiers.create(name, self.clock())

    def worker(self, name: str = "", queue: Queue | None = None) -> Worker:
        """A worker of this process; pass `queue` to give it only a part of the work."""
        self._attendance.begin()
        fetch = self.settings.fetch
        pace = Pace(
            name=name or f"{self._attendance.name}:{next(self._workers)}",
            lease_ms=self._lease_ms,
            room=fetch.concurrency * 2,
            room_per_host=max(8, fetch.host_concurrency * 4),
            capacity=fetch.concurrency,
        )
        orders = Orders(self.vault, self._variables, self.settings.bridges)
        return Worker(
            pace,
            dossiers=self.dossiers,
            queue=queue or self.queue,
            tools=Tools(
                orders=orders,
                fetcher=self.fetcher,
                workshop=self.workshop,
                in_hand=self.in_hand(),
                beat=self._beat,
                is_gone=self._attendance.is_gone,
            ),
            clock=self.clock,
        )

    def in_hand(self) -> InHand:
        """What one worker has in progress, and what killed others."""
        return FileInHand(self.settings.data / "in_hand")

    @contextmanager
    def reader(self, dossier_id: str) -> Iterator[Reader]:
        """The reader of a dossier, with its own door."""
        from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import
        from veille.services.reading.reader import Reader, ReaderTools  # noqa: PLC0415 - likewise

        fetch = self.settings.fetch.model_copy(update={"timeout_s": self.settings.reader_timeout_s})
        with closing(Door(fetch, self.clock, self.hosts)) as door:
            sign = self.image_signer(dossier_id)
            tools = ReaderTools(fetcher=door, workshop=self.workshop, clock=self.clock, sign=sign)
            yield Reader(dossier_id, self.dossiers, tools)

    def image_signer(self, dossier_id: str) -> Signer:
        """Signs the addresses of images in a dossier's pages; the same all day, so that browsers can cache them."""
        from veille.services.reading.reader import KEEP_MS, signer  # noqa: PLC0415 - likewise

        until = (self.clock() // KEEP_MS + 2) * KEEP_MS
        return signer(self._vault_key.derived("images"), dossier_id, until)

    @cached_property
    def images(self) -> ImageService:
        """Fetches the images that a reader's pages show."""
        from veille.services.reading.reader import ImageService  # noqa: PLC0415 - seldom needed

        return ImageService(self.fetcher, self._vault_key.derived("images"), self.clock)

    @cached_property
    def overview(self) -> OverviewService:
        """What an administrator sees of all dossiers."""
        from veille.services.reading.overview import OverviewService  # noqa: PLC0415 - seldom needed

        return OverviewService(self.dossiers, self.sweeps)

    @cached_property
    def offers(self) -> OfferService:
        """What administrators offer to all dossiers."""
        from veille.services.watching.offers import OfferService  # noqa: PLC0415 - seldom needed

        return OfferService(self.dossiers, self.sources, self._house.offers, self.clock)

    @cached_property
    def secrets(self) -> SecretService:
        """The secrets of dossiers, for their owners."""
        from veille.services.watching.secrets import SecretService  # noqa: PLC0415 - seldom needed

        return SecretService(self.vault, self.clock)

    @contextmanager
    def vault(self, dossier_id: str) -> Iterator[Vault]:
        """The secrets of a dossier."""
        with self.dossiers.open(dossier_id) as store:
            yield SqliteVault(store.db, self._vault_key, dossier_id)

    @cached_property
    def _vault_key(self) -> VaultKey:
        from veille.adapters.vault import VaultKey  # noqa: PLC0415 - slow to import

        return VaultKey(self.settings.data)

    def news(self, dossier_id: str) -> NewsDesk:
        """The news workflow of a dossier, with its workbook."""
        from veille.bootstrap._news import news_desk  # noqa: PLC0415 - only news needs it
        from veille.services.news.news import NewsTools  # noqa: PLC0415 - likewise

        tools = NewsTools(
            dossiers=self.dossiers,
            sources=self.sources,
            queue=self.queue,
            fetcher=self.fetcher,
            workshop=self.workshop,
            worker=lambda name, queue: self.worker(f"{name}@{self._attendance.name}:{next(self._workers)}", queue),
            clock=self.clock,
        )
        return news_desk(dossier_id, self.settings, tools)

    def preview(self, wish: Wish, limit: int = 50) -> Preview:
        """What a source would bring; it is watched in a temporary folder, with the usual politeness."""
        from veille.services.watching.preview import preview  # noqa: PLC0415 - seldom needed

        with TemporaryDirectory(prefix="veille-preview-") as folder:
            settings = self.settings.model_copy(update={"data": Path(folder), "buffer_dir": None, "sinks": {}})
            with App(settings, self.clock) as app:
                # Share what is known of hosts, in both directions.
                app.hosts = self.hosts
                return preview(
                    wish, limit, dossiers=app.dossiers, sources=app.sources, worker=app.worker(), clock=self.clock
                )

    @cached_property
    def crawler(self) -> CrawlerService:
        """The crawlers of intranets: one for each dossier that has a crawler configuration."""
        from veille.bootstrap._crawls import crawl_log  # noqa: PLC0415 - likewise
        from veille.services.crawler.crawl_admin import CrawlerService, Stores  # noqa: PLC0415 - likewise
        from veille.services.crawler.crawl_run import Crawler, CrawlTools  # noqa: PLC0415 - likewise

        def logs(dossier_id: str) -> JsonLog:
            return crawl_log(self.settings, dossier_id, self.echo)

        presence = self._attendance.presence
        return CrawlerService(
            Stores(dossiers=self.dossiers, schedules=self.schedules, logs=logs, presence=presence),
            Crawler(self.dossiers, self.clock, CrawlTools(self._crawl_engine, logs, presence, self.workshop)),
            self._crawl_engine,
            self.clock,
            host_delay_ms=self.settings.fetch.host_delay_ms,
        )

    @contextmanager
    def _crawl_engine(self, config: CrawlConfig) -> Iterator[App]:
        """The program on the same folder, with the settings of a crawl's configuration."""
        from veille.bootstrap._crawls import crawl_settings  # noqa: PLC0415 - likewise

        with App(crawl_settings(self.settings, config), self.clock) as app:
            yield app

    def run_scheduled(
        self, stop: Callable[[], bool], only: Collection[str] | None, failed: Callable[[str], None]
    ) -> None:
        """Run the crawlers that are due, on separate connections, so that a thread can do it beside other work."""
        if self.crawler.due(only):
            with App(self.settings, self.clock) as app:
                app.crawler.run_due(stop, only, failed)

    def mend(self, doubtful: Iterable[tuple[str, str]], stop: Callable[[], bool], *, sweeps: bool) -> None:
        """Look into doubtful sources, and sweep if that is due, on separate connections."""
        with App(self.settings, self.clock) as app:
            app.look_into(doubtful, stop)
            if sweeps and not stop():
                app.sweep_if_due()

    def run(
        self,
        scope: Scope,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
        *,
        wait: bool = False,
    ) -> list[Run]:
        """Work through everything due in scope, and report per dossier; `wait` as in `Worker.drain`."""
        worker = self.worker()
        worker.drain(scope, progress, stop, wait=wait)
        self.look_into(worker.doubtful, stop)
        return worker.finish()

    def check_now(self, dossier_id: str, source_id: str, stop: Callable[[], bool] = lambda: False) -> None:
        """Check a source now and deliver the changes, on separate connections: safe to call from several threads."""
        self.queue.arm(dossier_id, self.clock(), [source_id])
        self.check_armed(dossier_id, source_id, stop)

    def check_armed(self, dossier_id: str, source_id: str, stop: Callable[[], bool] = lambda: False) -> None:
        """The same for a source that is due already."""
        deadline = time.monotonic() + self.settings.check_s
        scope = Scope(dossiers=frozenset({dossier_id}), sources=frozenset({source_id}))
        with App(self.settings, self.clock) as app:
            app.run(scope, stop=lambda: stop() or time.monotonic() > deadline, wait=True)
            app.deliver([dossier_id], limit_s=self.settings.check_s)

    def export(
        self,
        dossier_ids: Iterable[str],
        form: str,
        out: Path | IO[bytes],
        since: Cursor | None = None,
        *,
        exports: ExportService | None = None,
    ) -> tuple[int, Cursor]:
        """Write the documents of these dossiers, or what changed since a cursor; returns number and new cursor.

        Pass `exports` to do it on behalf of a user.
        """
        ids, exports = list(dossier_ids), exports or self.exports
        end = exports.end(ids)
        pages = exports.documents(ids) if since is None else exports.changes(ids, since, end)
        return write_export(form, out, pages), end

    def deliver(
        self,
        dossier_ids: Iterable[str],
        *,
        wait: bool = False,
        at_once: bool = False,
        limit_s: float | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> list[Delivery]:
        """Deliver all waiting changes of these dossiers to the sinks; options as in `Pressure`."""
        lease_ms, batch = self._lease_ms, self.settings.deliver_batch
        self._attendance.begin()
        name, is_gone = self._attendance.name, self._attendance.is_gone
        courier = Courier(name, self.dossiers, self.sinks, self.clock, lease_ms=lease_ms, batch=batch)
        pressure = Pressure(wait=wait, at_once=at_once, limit_s=limit_s, is_gone=is_gone, stop=stop)
        return courier.deliver(dossier_ids, pressure)


def open_app(settings: Settings | None = None, *, clock: Clock = system_clock, **given: object) -> App:
    """Open the data folder of the settings, creating it if needed.

    Settings can be given one by one: `open_app(data="news", buffer_dir="news/buffer")`.
    """
    return App(settings or load_settings(**given), clock)


def _variables(allowed: Mapping[str, Collection[str]]) -> dict[str, Secret]:
    """The environment variables that sources may reference, each for its hosts."""
    bound = {name: bound_hosts(hosts) for name, hosts in allowed.items()}
    return {name: Secret(os.environ[name], hosts) for name, hosts in bound.items() if name in os.environ}
