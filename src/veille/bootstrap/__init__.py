"""Wires the parts together: the only package that knows the adapters."""

from __future__ import annotations

import atexit
import gc
import time
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veille.bootstrap._alerts import AlertParts
from veille.bootstrap._desks import Desks
from veille.bootstrap._meaning import EmbedderShelf
from veille.bootstrap._outlets import Outlets, make_embedder, write_export
from veille.bootstrap._outside import Outside, variables
from veille.bootstrap.checks import check_places
from veille.bootstrap.clock import AppClock, follow
from veille.bootstrap.stores import open_store
from veille.core.models import Dossier, Scope
from veille.core.records import Delivery, Run
from veille.core.urls import Tracking, use_tracking
from veille.errors import StoreError
from veille.services.container import Services
from veille.services.engine.attendance import Attendance
from veille.services.engine.mending import Mender
from veille.services.house import House
from veille.services.meaning.duty import VectorKeeper
from veille.services.offers.routing import OutsideServices
from veille.services.watching.deliver import Courier, Pressure
from veille.services.watching.request_builder import Orders
from veille.services.watching.watch import Progress, Tools, Worker, WorkerPace
from veille.settings import NO_MODEL, Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import IO

    from veille.core.access.access import ScopeName
    from veille.core.crawler.events import LogEvent
    from veille.core.outgoing.cursors import Cursor
    from veille.core.show.images import Signer
    from veille.ports import Clock, Embedder, Queue, Sink, Store, Vault
    from veille.ports.outside import IconShelf
    from veille.services.crawler.crawl_admin import CrawlerService
    from veille.services.model.consultation import ModelTools
    from veille.services.news.news import NewsDesk
    from veille.services.people.access import Access
    from veille.services.reading.export import ExportService
    from veille.services.reading.reader import Reader
    from veille.services.reading.reread import RereadService
    from veille.services.watching.field_trials import FieldTrials
    from veille.services.watching.preview import Preview
    from veille.services.watching.sources import Wish
    from veille.services.watching.trials import StepTrials


class App(Desks, AbstractContextManager["App"]):
    """Everything veille can do, on one data folder. Close it when done (it is a context manager).

    It has the services of all dossiers, a store, network access and sinks. All threads of a process share the store;
    everything else is for one thread at a time. `beside` creates an App for another thread, on the same store.
    """

    def __init__(self, settings: Settings, clock: Clock | None = None, store: Store | None = None) -> None:
        self.settings = settings
        clock = clock or AppClock()
        use_tracking(Tracking(settings.tracking.add, settings.tracking.keep))
        check_places(settings)
        self._outlets = Outlets(settings, clock)
        #: The sinks of the settings. Created at once, so that an unusable one is reported before any work begins.
        self.sinks: dict[str, Sink] = self._outlets.sinks()
        self._own_store, model = store is None, _model(settings, clock)
        self.store = store = store or open_store(settings)
        follow(clock, store.clock)
        self.dossiers, self.hosts, self._attendance = store.dossiers, store.hosts, Attendance(store.presence)
        #: Called regularly by a worker while it makes progress, for the supervisor of this process.
        self.beat: Callable[[], None] = lambda: None
        #: Called with every event that a crawler logs, in addition to its file.
        self.echo: Callable[[LogEvent], None] | None = None
        self.queue = store.queue(self._beat)
        self.outside = outside = Outside(settings, clock, store.hosts)
        self.detector, self.discoverer, self.outlines = outside.detector, outside.discoverer, outside.outlines
        self.judge, self.audit_egress = outside.judge, outside.audit_egress
        self.drawn, self.thumbnail, self.pointer = outside.drawn, outside.thumbnail, outside.pointer
        self.alerting = AlertParts(settings, clock, store, outside, self._attendance, lambda: self._found_sinks)
        #: Outside services by the kind of source they provide.
        self.bridges = OutsideServices(settings.bridges, settings.router, store.offers)
        house = House(
            clock=clock,
            offers=store.offers,
            reader_numbers=store.reader_numbers,
            bridges=self.bridges,
            max_sources=settings.quotas.sources,
            searches_kept=settings.searches_kept,
            judge=outside.judge,
            arm=self.queue.arm,
            outlines=outside.outlines,
            alerts=self.alerting,
            text_facts=outside.text_facts,
            embedders=EmbedderShelf(settings, self._outlets),
            model=model,
        )
        super().__init__(store.dossiers, house)
        self.mending = Mender(store, self.repairs, outside.looker, clock, round(settings.sweep_every_s * 1000))
        self.sweeper = self.mending.sweeper
        #: Embeds what waits for it.
        self.vectors = VectorKeeper(store, lambda: self.meaning)
        self._lease_ms, self._variables = round(settings.lease_s * 1000), variables(settings.fetch.allow_env)

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _beat(self) -> None:
        # Looked up each time, as `beat` is set after the queue was created.
        self.beat()

    def beside(self, settings: Settings | None = None) -> App:
        """Another App on the same store, for work in another thread or with other settings."""
        return App(settings or self.settings, self.clock, self.store)

    def close(self) -> None:
        with _unless_out_of_reach(), ExitStack() as ending:
            if self._own_store:
                self.dossiers.part()
                ending.callback(self.dossiers.close)
            # While there is a store to take its name from.
            ending.callback(self._attendance.close)
            ending.callback(self._outlets.close)
            ending.callback(self.outside.close)

    def embedder(self, options: Mapping[str, object]) -> Embedder:
        """The embedder with these options, as a sink would use it: for queries against the vectors of the sink."""
        return make_embedder(self._outlets.sender(), options)

    def on_behalf(self, access: Access, scope: ScopeName) -> Services:
        """The services for the dossiers that a user may access with this scope; rights are checked on every use."""
        return Services(access.through(scope), self._house)

    def dossier(self, name_or_id: str) -> Dossier:
        return self.dossiers.find(name_or_id)

    def create_dossier(self, name: str) -> Dossier:
        return self.dossiers.create(name, self.clock())

    @contextmanager
    def vault(self, dossier_id: str) -> Iterator[Vault]:
        """The secrets of a dossier."""
        with self.dossiers.open(dossier_id) as store:
            yield store.vault

    def worker(self, name: str = "", queue: Queue | None = None) -> Worker:
        """A worker of this process; pass `queue` to give it only a part of the work."""
        self._attendance.begin()
        fetch = self.settings.fetch
        pace = WorkerPace(
            name=name or self._attendance.next_worker(),
            lease_ms=self._lease_ms,
            room=fetch.concurrency * 2,
            room_per_host=max(8, fetch.host_concurrency * 4),
            capacity=fetch.concurrency,
        )
        tools = Tools(
            orders=self._orders,
            fetcher=self.outside.fetcher,
            workshop=self.outside.workshop,
            in_hand=self.store.in_hand(),
            beat=self._beat,
            is_gone=self._attendance.is_gone,
        )
        return Worker(pace, dossiers=self.dossiers, queue=queue or self.queue, tools=tools, clock=self.clock)

    @property
    def _orders(self) -> Orders:
        return Orders(self.vault, self._variables, self.bridges)

    @contextmanager
    def trials(self) -> Iterator[StepTrials]:
        """Tries the steps of pages, with its own fetcher."""
        from veille.services.watching.trials import StepTrials  # noqa: PLC0415 - seldom needed

        with self.outside.door(self.settings.fetch.timeout_s) as door:
            yield StepTrials(self._orders, door, self.outside.workshop)

    def field_trials(self) -> FieldTrials:
        """Tries fields of a source's options on its last fetch."""
        from veille.services.watching.field_trials import FieldTrials  # noqa: PLC0415 - seldom needed

        return FieldTrials(self.dossiers, self._orders, self.outside.workshop, self.clock)

    @contextmanager
    def reader(self, dossier_id: str) -> Iterator[Reader]:
        """The reader view of a dossier, with its own fetcher."""
        from veille.services.reading.reader import Reader  # noqa: PLC0415 - slow to import

        with self.outside.door() as door:
            yield Reader(
                dossier_id=dossier_id,
                dossiers=self.dossiers,
                fetcher=door,
                workshop=self.outside.workshop,
                clock=self.clock,
                sign=self.image_signer(dossier_id),
            )

    def image_signer(self, dossier_id: str) -> Signer:
        """Signs the addresses of images in a dossier's pages; the same all day, so that browsers can cache them."""
        from veille.services.reading.reader import KEEP_MS, signer  # noqa: PLC0415 - likewise

        return signer(self._image_key, dossier_id, (self.clock() // KEEP_MS + 2) * KEEP_MS)

    @property
    def _icon_folder(self) -> IconShelf:
        from veille.adapters.icon_folder import IconFolder  # noqa: PLC0415 - only pages need it

        return IconFolder(self.settings.data / "icons")

    @property
    def _image_key(self) -> bytes:
        return self.store.key("images")

    def news(self, dossier_id: str) -> NewsDesk:
        """The news workflow of a dossier, with its workbook."""
        from veille.bootstrap._news import news_desk  # noqa: PLC0415 - only news needs it
        from veille.services.news.news import NewsTools  # noqa: PLC0415 - likewise

        tools = NewsTools(
            dossiers=self.dossiers,
            sources=self.sources,
            analyses=self.analyses,
            queue=self.queue,
            fetcher=self.outside.fetcher,
            workshop=self.outside.workshop,
            worker=lambda name, queue: self.worker(f"{name}@{self._attendance.next_worker()}", queue),
            clock=self.clock,
        )
        return news_desk(dossier_id, self.settings, tools)

    def preview(self, wish: Wish, limit: int = 50) -> Preview:
        """The documents that a source would give: it is checked in a temporary store, with the usual politeness."""
        from veille.services.watching.preview import preview  # noqa: PLC0415 - seldom needed

        with TemporaryDirectory(prefix="veille-preview-") as folder:
            settings = self.settings.in_folder(Path(folder))
            # The state of hosts is shared both ways: previews respect known delays, and add what they learn.
            store = replace(open_store(settings), hosts=self.hosts)
            with closing(store.dossiers), App(settings, self.clock, store) as app:
                return preview(
                    wish, limit, dossiers=app.dossiers, sources=app.sources, worker=app.worker(), clock=self.clock
                )

    def rereading(self, access: Access | None = None) -> RereadService:
        """Reads kept answers again: in all dossiers, or in those that a user may change."""
        from veille.services.reading.reread import RereadService  # noqa: PLC0415 - seldom needed

        dossiers = self.dossiers if access is None else access.through("write")
        return RereadService(dossiers, self.outside.workshop, self.clock)

    @cached_property
    def crawler(self) -> CrawlerService:
        """The crawlers of intranets: one for each dossier that has a crawler configuration."""
        from veille.bootstrap._crawls import crawler_service  # noqa: PLC0415 - only crawlers need it

        return crawler_service(self)

    def run(
        self,
        scope: Scope,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
        *,
        wait: bool = False,
    ) -> list[Run]:
        """Check everything due in scope; returns a report per dossier. `wait`: see `Worker.drain`."""
        worker = self.worker()
        worker.drain(scope, progress, stop, wait=wait)
        self.mending.look_into(worker.doubtful, stop)
        return worker.finish()

    def check_now(self, dossier_id: str, source_id: str, stop: Callable[[], bool] = lambda: False) -> None:
        """Check a source now and deliver the changes; safe to call from several threads."""
        self.queue.arm(dossier_id, self.clock(), [source_id])
        self.check_armed(dossier_id, source_id, stop)

    def check_armed(self, dossier_id: str, source_id: str, stop: Callable[[], bool] = lambda: False) -> None:
        """The same for a source that is due already."""
        deadline = time.monotonic() + self.settings.check_s
        scope = Scope(dossiers=frozenset({dossier_id}), sources=frozenset({source_id}))
        with self.beside() as app:
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
        """Deliver all pending changes of these dossiers to the sinks; for the options see `Pressure`."""
        here, lease_ms, batch = self._attendance, self._lease_ms, self.settings.deliver_batch
        here.begin()
        courier = Courier(here.name, self.dossiers, self.sinks, self.clock, lease_ms=lease_ms, batch=batch)
        pressure = Pressure(wait=wait, at_once=at_once, limit_s=limit_s, is_gone=here.is_gone, stop=stop)
        ids = list(dossier_ids)
        # Before the sinks, as rules may hand changes to them.
        self.alerting.desk.judge(ids, stop)
        deliveries = courier.deliver(ids, pressure)
        return deliveries + self.alerting.desk.tell(
            (one for one in self.dossiers.all() if one.id in ids), stop, at_once=at_once
        )

    def analyse_new(self, dossier_ids: Iterable[str], stop: Callable[[], bool] = lambda: False) -> None:
        """Analyse the new documents of those of these dossiers that want it; for a thread of its own."""
        from veille.services.analyse.background import analyse_new, wanted  # noqa: PLC0415 - most want none

        ids = wanted(self.dossiers, dossier_ids)
        if ids:
            with self.beside() as app:
                analyse_new(app.dossiers, app.analyses, self.alerting.locks, ids, stop)

    def alerts_due(self) -> list[str]:
        """The dossiers whose alerts need attention: a digest, a second attempt, the end of a silence."""
        return self.alerting.desk.due()

    def _to_be_told(self) -> Mapping[str, Sink]:
        return self._outlets.to_be_told(self.sinks)

    @property
    def _found_sinks(self) -> list[str]:
        """The sinks that take only what searches and rules find."""
        return [name for name, sink in self.sinks.items() if sink.only_found]


def open_app(settings: Settings | None = None, *, clock: Clock | None = None, **given: object) -> App:
    """Open the data folder of the settings, creating it if needed.

    Settings can be given one by one: `open_app(data="news", buffer_dir="news/buffer")`.
    """
    _end_quickly()
    return App(settings or load_settings(**given), clock)


@contextmanager
def _unless_out_of_reach() -> Iterator[None]:
    """What cannot be told to the store at the end is told by its absence: leases lapse, and hosts are asked later."""
    try:
        yield
    except StoreError as error:
        if not error.is_unreachable:
            raise


@cache
def _end_quickly() -> None:
    """Exclude all objects from the last garbage collections of the process: these take 0.1 s, and it ends anyway."""
    atexit.register(gc.freeze)


def _model(settings: Settings, clock: Clock) -> Callable[[], ModelTools]:
    """Makes what asks the model: at once if there is one, so that an unusable one is reported before any work."""

    @cache
    def made() -> ModelTools:
        from veille.bootstrap._models import model_tools  # noqa: PLC0415 - few installations have a model

        return model_tools(settings, clock)

    if settings.model.kind != NO_MODEL or settings.model.options:
        made()
    return made
