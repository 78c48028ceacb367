"""What is stored and was handed over, against what was published: lost, doubled, or in the wrong dossier."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from soak.books import Books
from soak.scene import Scene
from soak.web import FAULTY, Consumer, Thing

#: So many of each sort of breach are told in words.
_TOLD = 5


@dataclass
class Account:
    """The sums; `lines` has some of the breaches in words."""

    expected: int = 0
    stored: int = 0
    lost: int = 0
    doubled: int = 0
    crossed: int = 0
    #: What else is not as it should be.
    unsound: int = 0
    #: Dossiers in which anything is lost or doubled.
    uneven: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _said: Counter[str] = field(default_factory=Counter)

    def breach(self, sort: str, text: str, count: int = 1) -> None:
        setattr(self, sort, getattr(self, sort) + count)
        self._said[sort] += 1
        if self._said[sort] <= _TOLD:
            self.lines.append(f"{sort}: {text}")


def audit(scene: Scene, books: Books, consumer: Consumer, late: dict[str, set[str]]) -> Account:
    """Everything, once the service has ended, but for sources of which something was still to be stored then."""
    account = Account()
    taken: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for dossier_id, seq, revision, url in consumer.taken.values():
        taken[dossier_id].append((seq, revision, url))
    for place, dossier_id in enumerate(scene.dossiers):
        things = scene.of(dossier_id)
        before = (account.lost, account.doubled)
        _stored(
            account, {s: thing for s, thing in things.items() if s not in late.get(dossier_id, ())}, books, dossier_id
        )
        _alone(account, place, things, books, dossier_id)
        _handed_over(account, taken.pop(dossier_id, []), place, things, books, dossier_id)
        _at_rest(account, books, dossier_id)
        if before != (account.lost, account.doubled):
            account.uneven.append(dossier_id)
    for dossier_id, changes in taken.items():
        account.breach("crossed", f"changes of a dossier that there is not: {dossier_id}", len(changes))
    if consumer.forged:
        account.breach("unsound", f"{consumer.forged} requests to the consumer had a wrong signature")
    if late:
        account.breach("unsound", f"{sum(map(len, late.values()))} sources were not stored when time was up")
    if leases := books.host_leases():
        account.breach("unsound", f"{leases} hosts are still leased")
    return account


def _published(things: dict[str, Thing]) -> Iterator[tuple[str, int]]:
    """The address of every document there must be, with the number of its revisions."""
    for thing in things.values():
        if thing.is_listing:
            yield from ((thing.entry_url(n), 1) for n in range(1, thing.editions + 1))
        elif thing.sort != FAULTY:
            yield thing.url, thing.editions


def _stored(account: Account, things: dict[str, Thing], books: Books, dossier_id: str) -> None:
    sql = (
        "SELECT d.source_id, d.url, d.state, (SELECT count(*) FROM revisions r WHERE r.document_id = d.id), "
        "(SELECT count(*) FROM outbox o WHERE o.document_id = d.id) FROM documents d"
    )
    found: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for source, url, state, revisions, told in books.rows(dossier_id, sql):
        if source in things and things[source].sort != FAULTY:
            found[url].append((state, revisions, told))
    for url, editions in _published(things):
        account.expected += editions
        documents = found.pop(url, [])
        revisions = sum(document[1] for document in documents)
        account.stored += min(revisions, editions)
        if revisions < editions or any(document[0] != "current" for document in documents):
            account.breach("lost", f"{url}: {editions} published, kept {documents}", max(1, editions - revisions))
        if revisions > editions or len(documents) > 1:
            account.breach("doubled", f"{url}: {editions} published, kept {documents}", max(1, revisions - editions))
        told = sum(document[2] for document in documents)
        if told != revisions:
            account.breach("doubled" if told > revisions else "lost", f"{url}: {revisions} revisions told {told} times")
    for url, documents in found.items():
        account.breach("doubled", f"{url} was never published: {documents}", len(documents))


def _alone(account: Account, place: int, things: dict[str, Thing], books: Books, dossier_id: str) -> None:
    """Nothing in the dossier is somebody else's: no source, no address, no word of a text."""
    known = {source for (source,) in books.rows(dossier_id, "SELECT id FROM sources")}
    for table in ("requests", "documents", "outbox", "run_items"):
        for source, url in books.rows(dossier_id, f"SELECT DISTINCT source_id, url FROM {table}"):
            thing = things.get(source)
            its_own = thing is not None and (thing.sort == FAULTY or f"/d{place}/s{thing.number}" in url)
            if source not in known or not its_own:
                account.breach("crossed", f"{table} of {dossier_id}: {source} {url}")
    sql = (
        "SELECT d.source_id, d.url FROM bodies b JOIN documents d USING (row) "
        "WHERE b.text LIKE '%tenant%' AND (b.text NOT LIKE ?1 OR replace(b.text, ?2, '') LIKE '%tenant%')"
    )
    for source, url in books.rows(dossier_id, sql, (f"%tenant{place:03}%", f"tenant{place:03}")):
        account.breach("crossed", f"the text of {source} {url} in {dossier_id}")


def _handed_over(
    account: Account,
    taken: list[tuple[int, str, str]],
    place: int,
    things: dict[str, Thing],
    books: Books,
    dossier_id: str,
) -> None:
    told = {seq: (revision, source) for seq, revision, source in books.rows(
        dossier_id, "SELECT seq, revision_id, source_id FROM outbox")}  # fmt: skip
    counts = Counter(seq for seq, _, _ in taken)
    waiting = told.keys() - range(books.backlog_of(dossier_id)[1] + 1)
    if waiting:
        account.breach("unsound", f"{dossier_id}: {len(waiting)} changes still waited for the consumer", len(waiting))
    if missing := told.keys() - waiting - counts.keys():
        account.breach("lost", f"{dossier_id}: {len(missing)} changes never came to the consumer", len(missing))
    if surplus := sum(counts.values()) - len(told.keys() & counts.keys()):
        account.breach("doubled", f"{dossier_id}: {surplus} changes came to the consumer under two names", surplus)
    if [seq for seq, _, _ in taken] != sorted(counts):
        account.breach("unsound", f"{dossier_id}: changes came to the consumer out of order")
    for seq, revision, url in taken:
        own = told.get(seq)
        thing = things.get(own[1]) if own else None
        if own and (own[0] != revision or thing is None or (thing.sort != FAULTY and f"/d{place}/" not in url)):
            account.breach("crossed", f"{dossier_id}: change {seq} brought {url}")


def _at_rest(account: Account, books: Books, dossier_id: str) -> None:
    if (result := books.soundness(dossier_id)) != "ok":
        account.breach("unsound", f"{dossier_id}: {result}")
    leased = books.value(dossier_id, "SELECT count(*) FROM requests WHERE lease_owner IS NOT NULL")
    locked = books.value(dossier_id, "SELECT count(*) FROM cursors WHERE owner IS NOT NULL")
    if leased or locked:
        account.breach("unsound", f"{dossier_id}: {leased} leases and {locked} locks after the end")
