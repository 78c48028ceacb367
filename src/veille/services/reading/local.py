"""What the command line asks of several dossiers at once, for the owner of the data folder.

local.all()                                  every dossier
local.usable(failed)                         those that can be opened; `failed` is called with the others
local.having(dossiers, source)               those that have the source; NotFoundError
local.document(dossiers, text)               (dossier id, document id); NotFoundError, AmbiguousError
local.history(*place)                        the revisions of a document, and its story
local.examine(dossier, sinks)                the health of a dossier
local.discard(dossier_id)                    delete a dossier that has no sources
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from veille.core.models import State
from veille.core.report.read_share import LEAST_PLAUSIBLE
from veille.errors import AmbiguousError, NotFoundError, StoreError, VeilleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.core.models import Dossier
    from veille.core.records import Revision
    from veille.core.search.answers import Story
    from veille.core.search.meaning import MeaningFlaws
    from veille.ports import Clock, Dossiers


class LocalService:
    """The dossiers of a data folder, for its owner."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self.all = dossiers.all

    def usable(self, failed: Callable[[Dossier, StoreError], None]) -> list[Dossier]:
        """The dossiers that can be opened; `failed` is called with each of the others."""
        found = []
        for dossier in self._dossiers.all():
            try:
                with self._dossiers.open(dossier.id):
                    found.append(dossier)
            except StoreError as error:
                failed(dossier, error)
        return found

    def having(self, dossiers: list[Dossier], source: str) -> list[Dossier]:
        """The dossiers that have the source, if one is named; NotFoundError if none has."""
        if not source:
            return dossiers
        found, missing = [], None
        for dossier in dossiers:
            try:
                with self._dossiers.open(dossier.id) as store:
                    store.sources.find(source)
            except NotFoundError as error:
                missing = error
            else:
                found.append(dossier)
        if missing is not None and not found:
            raise missing
        return found

    def discard(self, dossier_id: str) -> None:
        """Delete the dossier, if it has no sources."""
        with self._dossiers.open(dossier_id) as store:
            is_empty = not store.sources.count()
        if is_empty:
            self._dossiers.delete(dossier_id)

    def document(self, dossiers: Iterable[Dossier], text: str) -> tuple[str, str]:
        """The dossier and the id of the document with that id (or its beginning) or address."""
        found: list[tuple[str, str]] = []
        several: list[str] = []
        for dossier in dossiers:
            with self._dossiers.open(dossier.id) as store, suppress(NotFoundError):
                try:
                    document_id = store.records.find(text)
                except AmbiguousError as error:
                    several += error.candidates
                    continue
                store.records.revision(document_id)
                found.append((dossier.id, document_id))
                if not document_id.startswith(text.lower()):
                    # Named by its address: the first dossier that has it is used.
                    return found[-1]
                several.append(f"{document_id} (in {dossier.name})")
        if len(several) > 1:
            raise AmbiguousError(
                f"{text!r} is the beginning of several ids, or the address of several documents",
                several,
                code="ambiguous_document",
            )
        if not found:
            raise NotFoundError(
                f"No document has the id or address {text!r}; `veille search` shows ids.", code="no_document"
            )
        return found[0]

    def history(self, dossier_id: str, document_id: str) -> tuple[list[Revision], Story | None]:
        """The revisions of a document, newest first, and its story."""
        with self._dossiers.open(dossier_id) as store:
            return store.records.revisions(document_id), store.stories.of(document_id)

    def examine(self, dossier: Dossier, sinks: Iterable[str]) -> dict[str, Any]:
        """The health of a dossier: integrity, index, queue, undelivered changes, and what should be repaired."""
        try:
            with self._dossiers.open(dossier.id) as store:
                health = store.records.health(self._clock())
                late = store.waiting.too_late(self._clock())
                waiting = {name: store.outbox.pending(name) for name in sinks}
                repairs = [repair.proof for repair in store.repairs.open(limit=1000)]
                ailing = store.sources.ailing()
                barely_read = store.records.barely_read(LEAST_PLAUSIBLE)
                bodies = store.bodies.flaws()
                counts, flaws = store.meaning.counts(), store.meaning.flaws()
        except VeilleError as error:
            return {"dossier": dossier.name, "healthy": False, "code": error.code, "error": str(error)}
        repairs += [f"{source.name} is broken: {source.error}" for source in ailing if source.state is State.BROKEN]
        repairs += [f"{source.name}: {source.error}" for source in ailing if source.error_code == "text_lost"]
        if late:
            repairs.append(
                f"{late} addresses are scheduled later than their sources allow, because the clock was ahead when they "
                "were checked; `veille run`, or a worker within the hour, corrects that."
            )
        repairs += _mendable(flaws)
        if bodies.missing:
            repairs.append(
                f"{len(bodies.missing)} files with kept answers, pictures or old texts are missing, such as "
                f"{bodies.missing[0]}: put them back, or name the place of before with "
                "`veille bodies move --from PLACE`."
            )
        sound = health["integrity"] == "ok" and not health["foreign_keys"] and health["documents"] == health["indexed"]
        return {
            "dossier": dossier.name,
            "healthy": sound and not health["stale_leases"] and not repairs,
            **health,
            "due_too_late": late,
            "undelivered": waiting,
            "vectors": {"pieces": counts.pieces, "made": counts.vectors, "waiting": counts.waiting} | asdict(flaws),
            "body_files": {"missing": len(bodies.missing), "unused": bodies.unused},
            "repairs": repairs,
            # Little is plausible for some pages, such as shops: it is only said.
            "barely_read": [{**asdict(one), "advice": str(one)} for one in barely_read],
        }


def _mendable(flaws: MeaningFlaws) -> list[str]:
    """What is wrong with search by meaning, in words."""
    told = (
        (flaws.strays, "vectors belong to no text or cannot be found"),
        (flaws.lost, "pieces of texts neither have a vector nor wait for one"),
        (flaws.uncut, "texts are not found by meaning and do not wait for it"),
    )
    return [f"{count} {what}; `veille doctor --fix` has them made again." for count, what in told if count]
