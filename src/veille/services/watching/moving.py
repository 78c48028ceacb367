"""Move a source to another dossier, with everything that it brought.

Both dossiers are locked meanwhile. The target commits first, and only then is the source deleted where it was: after a
crash in between it is in both, and moving it again finishes the move. What stays behind can be restored for some days.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.archive.retention import no_archive, refuse_to_archive
from veille.core.http.secrets import names_in
from veille.errors import ConfigError, NotFoundError, StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.watching.sources import SourceService


@dataclass(frozen=True, slots=True)
class MovingService:
    """Moves sources between dossiers."""

    dossiers: Dossiers
    sources: SourceService
    clock: Clock

    def move(self, dossier_id: str, source_id: str, to: str) -> Source:
        """Move one source; ConfigError if the other dossier cannot have it."""
        target = self.dossiers.find(to).id
        if target == dossier_id:
            raise ConfigError("It is in this dossier: choose another one.", code="same_dossier")
        now = self.clock()
        with self.dossiers.open(dossier_id) as here, self.dossiers.open(target) as there, here.writing():
            source = here.sources.find(source_id)
            # After a crash it is there already.
            if there.sources.get(source.id) is None:
                self._carry(here, there, source, now)
            failpoint("during_move")
            here.trash.put(source.id, now, is_moved=True)
        with self.dossiers.open(target) as there, suppress(StoreError, NotFoundError):
            # Now, as only this machine has what came with it. While the place does not answer, the duty does it.
            for _ in there.bodies.bring_over():
                pass
        return source

    def _carry(self, here: DossierStore, there: DossierStore, source: Source, now: int) -> None:
        documents = here.moving.documents(source.id)
        self._refuse(there, source, has_archive=here.moving.has_archive(documents))
        with there.writing():
            # It was there before, and was moved away: all that is left of it there is in what comes back.
            if any(one.id == source.id for one in there.trash.all(_TRASHED)):
                there.sources.delete(source.id)
            known = there.moving.known(documents)
            new = [one for one in documents if one not in known]
            there.moving.unpack(source.id, here.moving.pack(source.id, new), now)
            there.trash.restore(source.id, now)
            there.moving.appear(new, now)

    def _refuse(self, there: DossierStore, source: Source, *, has_archive: bool) -> None:
        self.sources.refuse_if_full(there)
        if not there.retained.can_archive():
            refuse_to_archive(source.config.get("retention") or "")
            if has_archive:
                raise no_archive()
        missing = sorted(names_in([json.dumps(source.config)]) - set(there.vault.hosts()))
        if missing:
            raise ConfigError(
                f"It sends {', '.join(missing)}, which the other dossier does not have: set it there first.",
                code="secret_missing",
            )


#: The trash that is looked through.
_TRASHED = 10_000
