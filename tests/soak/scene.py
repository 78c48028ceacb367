"""The dossiers and their sources."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import veille
from faults.expected import CASES, Case
from faults.server import Faults
from soak.web import FAULTY, Thing, Web, host, mixture
from veille.core.kinds import kind_of
from veille.core.models import Source

#: Those that need a name or a certificate for the address they are at.
DRAWN = tuple(case for case in CASES if not case.host and case.port != "tls_ok")
_KINDS = {"feed": "feed", "list": "api", "page": "page", "paper": "page", FAULTY: "page"}


@dataclass(frozen=True)
class Scene:
    """What is watched, by the id of its dossier and source."""

    dossiers: list[str]
    things: dict[tuple[str, str], Thing]

    def of(self, dossier_id: str) -> dict[str, Thing]:
        return {source: thing for (owner, source), thing in self.things.items() if owner == dossier_id}


def build(app: veille.App, web: Web, faults: Faults, *, sources: int, interval_s: float, seed: int) -> Scene:
    """100 dossiers with so many sources in all, whose first turns are spread over two intervals."""
    chance = random.Random(seed)
    sorts = mixture(sources, chance)
    dossiers = [app.create_dossier(f"tenant {number:03}").id for number in range(100)]
    things = {}
    now, interval_ms = app.clock(), round(interval_s * 1000)
    for place, dossier_id in enumerate(dossiers):
        with app.dossiers.open(dossier_id) as store, store.writing():
            for number in range(place, sources, len(dossiers)):
                thing = web.add(Thing(number, place, sorts[number]))
                if thing.sort == FAULTY:
                    _spoil(thing, chance.choice(DRAWN), faults)
                first = now + chance.randrange(2 * interval_ms)
                source = _source(thing, first, interval_ms)
                store.sources.add(source, kind_of(source.kind, source.config).start(source))
                things[dossier_id, source.id] = thing
    return Scene(dossiers, things)


def _source(thing: Thing, at: int, interval_ms: int) -> Source:
    given: dict[str, Any] = {"created_at": at, "updated_at": at, "interval_ms": interval_ms}
    return Source(id=f"s{thing.number}", name=f"thing {thing.number}", kind=_KINDS[thing.sort], url=thing.url, **given)


def _spoil(thing: Thing, case: Case, faults: Faults) -> None:
    fault = case.fault.replace("key=expected", f"key={thing.number}")
    base = faults.url(fault, host(thing.number), case.port)
    thing.url = f"{base.removesuffix('x')}d{thing.dossier}s{thing.number}"
    thing.fault = case.code
