"""WARC files: what imports and exports them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.adapters.warc.files import WarcFolder
from veille.core.warc.captures import WarcPart
from veille.services.archives.exporting import WarcExport
from veille.services.archives.importing import WarcImport

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, Workshop
    from veille.services.watching.sources import SourceService


@dataclass(frozen=True)
class WarcDesk:
    """Imports and exports histories; no body with more bytes than `limit` is read."""

    dossiers: Dossiers
    sources: SourceService
    workshop: Workshop
    clock: Clock
    limit: int

    @property
    def imports(self) -> WarcImport:
        return self.imports_of(WarcPart())

    def imports_of(self, part: WarcPart) -> WarcImport:
        """Imports a part of what files hold."""
        return WarcImport(self.dossiers, self.sources, self.workshop, WarcFolder(self.limit, part), self.clock)

    @property
    def exports(self) -> WarcExport:
        return WarcExport(self.dossiers, WarcFolder(self.limit))
