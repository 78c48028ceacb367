"""The option of a dossier that says which answers are kept as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.models import KeepRaw
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.ports import Dossiers


class RawAnswerService:
    """What a dossier keeps of sources that do not say it themselves."""

    def __init__(self, dossiers: Dossiers) -> None:
        self._dossiers = dossiers

    def keep_raw(self, dossier_id: str) -> KeepRaw:
        """The option as it is."""
        with self._dossiers.open(dossier_id) as store:
            return store.raw_answers.default()

    def set_keep_raw(self, dossier_id: str, keep: str) -> KeepRaw:
        """Set the option; what is no longer kept is deleted."""
        if keep not in set(KeepRaw):
            raise ConfigError(f"keep_raw is {', '.join(KeepRaw)}, not {keep[:40]!r}.", code="bad_option")
        with self._dossiers.open(dossier_id) as store:
            store.raw_answers.set_default(KeepRaw(keep))
        return KeepRaw(keep)
