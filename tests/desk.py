"""A store under test, and one dossier of it with the steps of the flow by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from samples import NOW, request, source
from veille.core.change.batch import decide_again, decide_all, waves
from veille.core.change.decide import decide
from veille.core.models import Document, Lease, Plan, Quirk, Reading, Request, Scope, Source
from veille.core.traffic import Failure, Payload
from veille.core.workload import Room
from veille.ports import Dossiers, DossierStore, Hosts, Offers, Queue, Schedules, Sweeps, Vault
from veille.ports.accounts import Accounts
from veille.ports.alerts import AlertTimes
from veille.ports.dossiers import Duties
from veille.ports.readers import ReaderNumbers

LEASE_MS = 60_000
EVERYTHING = Scope()
RUN = "run"


def room(total: int) -> Room:
    """Room for so many, all of one host if need be."""
    return Room(total=total, per_host=total)


@dataclass(frozen=True)
class Program:
    """One process on the data: everything a store has to offer, by its ports."""

    dossiers: Dossiers
    queue: Queue
    hosts: Hosts
    offers: Offers
    reader_numbers: ReaderNumbers
    schedules: Schedules
    sweeps: Sweeps
    duties: Duties
    accounts: Accounts
    alert_times: AlertTimes
    #: The secrets of a dossier.
    vault: Callable[[str], AbstractContextManager[Vault]]


@dataclass
class Store:
    """A store adapter under test. `program()` is one more process on the same data."""

    start: Callable[[], Program]
    programs: list[Program] = field(default_factory=list)
    #: What remains to be done when all programs have ended.
    after: Callable[[], None] = lambda: None

    def program(self) -> Program:
        self.programs.append(self.start())
        return self.programs[-1]

    def close(self) -> None:
        for program in self.programs:
            program.dossiers.close()


@dataclass(frozen=True)
class Desk:
    """One dossier of one program, with the steps of the flow by hand."""

    program: Program
    dossier_id: str

    def open(self) -> AbstractContextManager[DossierStore]:
        return self.program.dossiers.open(self.dossier_id)

    def add(self, url: str = "https://example.org/a", *more: str, **given: object) -> Source:
        """A source with its root request, and one followed request for each further address."""
        added = source(url, **given)
        wanted = [request(added), *(request(added, other, "entry") for other in more)]
        with self.open() as opened:
            opened.sources.add(added, wanted)
        return added

    def claim(self, worker: str = "worker", now: int = NOW, limit: int = 100) -> list[Lease]:
        return self.program.queue.claim(worker, now, room(limit), EVERYTHING)

    def commit(
        self,
        lease: Lease,
        *documents: Document,
        now: int = NOW,
        failure: Failure | None = None,
        requests: Iterable[Request] = (),
        answer: Payload | None = None,
        quirks: tuple[tuple[str, tuple[Quirk, ...]], ...] = (),
    ) -> Plan | None:
        """Decide and write, as a worker does; None when the lease was lost."""
        url = lease.request.url
        answer = answer or Payload(url=url, status=200, body=b"", fetched_at=now, final_url=url)
        reading = Reading(
            lease=lease,
            payload=None if failure else answer,
            failure=failure,
            documents=documents,
            requests=tuple(requests),
        )
        with self.open() as opened:
            opened.runs.start(RUN, now)
            with opened.writing() as writer:
                if not writer.held([lease], now):
                    return None
                plan = decide(reading, writer, now)
                plan = replace(plan, quirks=quirks) if quirks else plan
                writer.apply([plan], RUN, now)
                return plan

    def commit_batches(self, groups: Sequence[Sequence[Reading]], now: int, *, ahead: bool = False) -> list[Plan]:
        """Decide and write groups of readings, each in one transaction, as a worker does; or decide all before."""
        plans: list[Plan] = []
        with self.open() as opened:
            early = [decide_all(group, opened.recall, now) for group in groups] if ahead else []
            for at, group in enumerate(groups):
                decisions = early[at] if ahead else decide_all(group, opened.recall, now)
                with opened.writing() as writer:
                    held = writer.held([reading.lease for reading in group], now)
                    opened.runs.start(RUN, now)
                    decisions = [one for one in decisions if one.reading.lease.request.id in held]
                    if ahead:
                        decisions = decide_again(decisions, writer.recall, now)
                    for wave in waves(decisions, writer.recall, now):
                        writer.apply([one.plan for one in wave], RUN, now)
                        plans += [one.plan for one in wave]
        return plans

    def bring(
        self, *documents: Document, url: str = "https://example.org/a", now: int = NOW, **given: object
    ) -> Source:
        """A source whose first check brought these documents."""
        added = self.add(url, **given)
        (lease,) = self.claim(now=now)
        assert self.commit(lease, *documents, now=now)
        self.program.queue.release("worker", now)
        return added

    def again(self, *documents: Document, now: int, failure: Failure | None = None) -> Plan:
        """The next check of the dossier's only source."""
        self.program.queue.arm(self.dossier_id, now)
        (lease,) = self.claim(now=now)
        plan = self.commit(lease, *documents, now=now, failure=failure)
        assert plan is not None
        self.program.queue.release("worker", now)
        return plan
