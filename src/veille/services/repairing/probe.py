"""Fetches one address now, for a waiting caller: its answer, and whether robots.txt allows crawlers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.traffic import Failure, Order, Payload
from veille.core.urls import canonical, scheme_of

if TYPE_CHECKING:
    from veille.core.discover.detect import InputMeaning
    from veille.core.discover.examined import Examined, FeedSeen
    from veille.core.models import Json, Source
    from veille.core.seek.candidates import ProvenChange, Remembered, Sought
    from veille.ports import Fetcher, Workshop

#: Failures of a host that may still answer without TLS.
_NO_TLS = frozenset({"connect", "tls", "reset", "timeout", "protocol"})
#: Statuses of servers that do not support HEAD.
_NO_HEAD = frozenset({400, 403, 405, 501})
_VERDICTS = {"robots": "forbidden", "robots_unreachable": "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAnswer:
    """The result of a fetch."""

    url: str
    answer: Payload | Failure
    #: `allowed`, `forbidden` or `unknown`; empty where robots.txt does not apply or could not be requested.
    robots: str = ""


def fetched(fetcher: Fetcher, orders: Sequence[Order]) -> dict[str, Payload | Failure]:
    """The answers, by the keys of their orders; the fetcher must have nothing else in progress.

    Logins that their visits made are not kept, and go no further.
    """
    for order in orders:
        fetcher.submit(order)
    found: dict[str, Payload | Failure] = {}
    while len(found) < len({order.key for order in orders}):
        for key, answer in fetcher.collect(1):
            found[key] = replace(answer, login=None) if isinstance(answer, Payload) else answer
    return found


class Looker:
    """Fetches addresses one by one. It has its own fetcher, so that it never gets answers meant for other work."""

    def __init__(self, fetcher: Fetcher, workshop: Workshop) -> None:
        self._fetcher = fetcher
        self._workshop = workshop
        self._count = 0

    def examine(self, payload: Payload) -> Examined | Failure:
        """What an answer contains; a Failure if examining it took too long."""
        from veille.core.tasks.examining import Examine  # noqa: PLC0415 - slow to import, and probes need none

        return self._workshop.run(Examine(payload=replace(payload, body=b"")), payload.body)

    def examine_feed(self, payload: Payload) -> FeedSeen | Failure:
        """The feed that an answer is, or why it cannot be read as one."""
        from veille.core.tasks.examining import ExamineFeed  # noqa: PLC0415 - slow to import, and probes need none

        return self._workshop.run(ExamineFeed(payload=replace(payload, body=b"")), payload.body)

    def seek(
        self, what: Sought, source: Source, payload: Payload, before: Sequence[Remembered], ideas: Sequence[Json] = ()
    ) -> list[ProvenChange]:
        """Changes of a source with which an answer gives what was before; none if looking for them took too long."""
        from veille.core.tasks.seeking import SeekAgain  # noqa: PLC0415 - slow to import, and probes need none

        bare = replace(payload, body=b"")
        task = SeekAgain(what=what, source=source, payload=bare, before=tuple(before), ideas=tuple(ideas))
        found = self._workshop.run(task, payload.body)
        return [] if isinstance(found, Failure) else found

    def outline(self, what: Sought, source: Source, payload: Payload) -> str:
        """What there is to choose from in an answer; empty if that could not be made in time."""
        from veille.core.tasks.seeking import OutlineAnswer  # noqa: PLC0415 - slow to import, and probes need none

        task = OutlineAnswer(what=what, kind=source.kind, payload=replace(payload, body=b""))
        found = self._workshop.run(task, payload.body)
        return "" if isinstance(found, Failure) else found

    def first(self, target: InputMeaning) -> ProbeAnswer:
        """The first of its addresses that answers; if none does, the result of the first."""
        look = self.look(target.urls[0])
        for url in target.urls[1:]:
            if isinstance(look.answer, Failure) and (target.shape == "path" or look.answer.code in _NO_TLS):
                other = self.look(url)
                look = look if isinstance(other.answer, Failure) else other
        return look

    def look(self, text: str, user_agent: str = "", *, render: bool = False) -> ProbeAnswer:
        """Fetch an address that a user entered: robots.txt is read and reported, but not enforced."""
        url = canonical(text)
        if scheme_of(url) not in {"http", "https"}:
            return ProbeAnswer(url=url, answer=self._fetched(Order(key="", url=url)))
        headers = (("User-Agent", user_agent),) if user_agent else ()
        order = Order(key="", url=url, headers=headers, render=render)
        answer = self._fetched(replace(order, robots=True))
        verdict = "allowed"
        if isinstance(answer, Failure):
            # With a status, the address itself answered, so robots.txt allowed it.
            verdict = _VERDICTS.get(answer.code, "allowed" if answer.status else "")
        if verdict in {"forbidden", "unknown"}:
            answer = self._fetched(order)
        return ProbeAnswer(url=url, answer=answer, robots=verdict)

    def probe(self, urls: Iterable[str]) -> dict[str, Payload | Failure]:
        """Whether addresses answer, all requested at once; with HEAD if the servers support it."""
        found = fetched(self._fetcher, [Order(key=url, url=url, method="HEAD") for url in urls])
        no_head = [url for url, answer in found.items() if isinstance(answer, Failure) and answer.status in _NO_HEAD]
        return found | fetched(self._fetcher, [Order(key=url, url=url) for url in no_head])

    def _fetched(self, order: Order) -> Payload | Failure:
        self._count += 1
        (answer,) = fetched(self._fetcher, [replace(order, key=f"look {self._count}")]).values()
        return answer
