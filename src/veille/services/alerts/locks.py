"""A lock in a dossier, which is taken over from a process that has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.ports import Clock, DossierStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """Locks of one program."""

    worker: str
    clock: Clock
    lease_ms: int
    #: Whether the process of another worker is known to have ended.
    is_gone: Callable[[str], bool]

    def take(self, store: DossierStore, name: str) -> bool:
        """Take or renew a lock; False while another worker has it."""
        now, outbox = self.clock(), store.outbox
        if outbox.lock(name, self.worker, now + self.lease_ms, now):
            return True
        holder = outbox.holder(name)
        if holder is None or not self.is_gone(holder):
            return False
        outbox.unlock(name, holder)
        return outbox.lock(name, self.worker, now + self.lease_ms, now)

    def release(self, store: DossierStore, name: str) -> None:
        """Release a lock; does nothing if another worker has it."""
        store.outbox.unlock(name, self.worker)
