"""What a rule takes from the last fetch: the newest state of each document, and the change that led to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from veille.core.models import Change
from veille.core.values.value import ValueChange
from veille.services.alerts.judging import BATCH

if TYPE_CHECKING:
    from veille.core.records import Event, Parcel
    from veille.core.rules.facts import Facts
    from veille.core.rules.judging import JudgedChange
    from veille.ports import DossierStore
    from veille.services.alerts.gathering import Case, Gatherer
    from veille.services.alerts.judging import Judge, RulesInForce

#: The most documents whose last state is judged, the last changed ones.
MOST_DOCUMENTS: Final = 500


def last_changes(store: DossierStore, sources: frozenset[str], most: int) -> list[Parcel]:
    """The newest change of each document of these sources (all if there are none), of the last changes of a dossier."""
    newest: dict[str, Parcel] = {}
    seq = store.outbox.last_seq() - most
    while parcels := store.outbox.parcels(seq, BATCH):
        seq = parcels[-1].event.seq
        for one in parcels:
            if not sources or one.event.source_id in sources:
                # Put last again.
                newest.pop(one.event.document_id, None)
                newest[one.event.document_id] = one
    kept = [one for one in newest.values() if one.event.change is not Change.REMOVED]
    return kept[-MOST_DOCUMENTS:]


def matching(
    judge: Judge, shelf: RulesInForce, gatherer: Gatherer, parcels: list[Parcel], dossier_id: str
) -> Iterator[tuple[Facts, Event, JudgedChange]]:
    """The documents that fulfil a rule now: by what they say, or by how they changed last."""
    by_seq = {one.event.seq: one.event for one in parcels}
    told: set[int] = set()
    changes = [(replace(facts, is_first=False), rules) for facts, rules in gatherer.of_changes(parcels)]
    for cases in (changes, _as_new(shelf, changes)):
        for facts, case in judge.run(shelf, cases, dossier_id):
            if facts.seq not in told:
                told.add(facts.seq)
                yield facts, by_seq[facts.seq], case


def _as_new(shelf: RulesInForce, cases: list[Case]) -> list[Case]:
    """The same documents as if they had come now: so also what was so before counts."""
    found: list[Case] = []
    for facts, _ in cases:
        values = tuple(ValueChange(name=one.name, after=one.after) for one in facts.values)
        new = replace(facts, change=Change.NEW, before=None, is_same_text=False, values=values)
        found.append((new, shelf.book.candidates(new)))
    return found
