"""Large pieces of work in several processes, or on a Ray cluster."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from veille.adapters.bulk.processes import BulkProcesses
from veille.services.archives.bulk_import import BulkImport
from veille.services.meaning.bulk_embedding import BulkEmbedding
from veille.services.reading.bulk_reread import BulkReread

if TYPE_CHECKING:
    from veille.bootstrap import App
    from veille.ports.outside import Bulk


def bulk(app: App, program: str, processes: int, ray: str) -> Bulk:
    """Runs tasks in so many processes, or on the cluster at this address; each runs the module `program`."""
    command = [sys.executable, "-P", "-m", program, str(app.settings.data.absolute())]
    if not ray:
        return BulkProcesses(command, processes)
    from veille.adapters.bulk.ray import BulkRay  # noqa: PLC0415 - seldom needed

    return BulkRay(command, ray)


def bulk_rereading(app: App, program: str, processes: int, ray: str = "") -> BulkReread:
    """Reads kept answers again."""
    return BulkReread(app.rereading(), bulk(app, program, processes, ray))


def bulk_embedding(app: App, program: str, processes: int, ray: str = "") -> BulkEmbedding:
    """Embeds what waits."""
    return BulkEmbedding(app.meaning, bulk(app, program, processes, ray))


def bulk_import(app: App, program: str, processes: int, ray: str = "") -> BulkImport:
    """Imports WARC files."""
    return BulkImport(bulk(app, program, processes, ray))
