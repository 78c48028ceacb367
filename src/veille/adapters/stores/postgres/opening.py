"""Opens the store on PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from veille.adapters.presence import FilePresence
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from veille.adapters.stores.sqlite.dossier_pool import DossierPool
    from veille.ports import Clock, Presence
    from veille.ports.sharing import CallLimits, ServiceShelf
    from veille.settings import VaultSettings


class Opened(NamedTuple):
    """What all machines share."""

    name: str
    catalog: Catalog
    dossiers: DossierPool
    clock: Clock
    presence: Presence
    call_limits: CallLimits
    shelf: ServiceShelf


def open_database(url: str, folder: Path, max_open: int, lease_ms: int, vault: VaultSettings) -> Opened:
    """The catalog and the dossiers of a database; its tables are made if there are none.

    In the data folder are the archive files, and the key of the secrets unless it is given.
    """
    try:
        from veille.adapters.stores.postgres._db import PostgresDatabase  # noqa: PLC0415
        from veille.adapters.stores.postgres._pools import PostgresPools  # noqa: PLC0415 - an extra
        from veille.adapters.stores.postgres.dossiers import PostgresDossiers  # noqa: PLC0415
        from veille.adapters.stores.postgres.presence import MachinePresence  # noqa: PLC0415
        from veille.adapters.stores.postgres.sharing import (  # noqa: PLC0415
            SharedCallLimits,
            SharedShelf,
            shared_key,
        )
    except ImportError as error:
        raise ConfigError(
            "A store on PostgreSQL needs an extra: pip install 'veille[postgres]'.", code="needs_extra"
        ) from error
    connections = PostgresPools(url)
    db = PostgresDatabase(connections, folder / "catalog")
    catalog = Catalog(db)
    present = folder / "present"
    key = partial(shared_key, db, folder, vault)
    dossiers = PostgresDossiers(folder, catalog, connections, max_open, key)
    return Opened(
        name=connections.name,
        catalog=catalog,
        dossiers=dossiers,
        clock=connections.clock,
        presence=MachinePresence(FilePresence(present), present, db, connections.clock, lease_ms),
        call_limits=SharedCallLimits(db, connections.clock),
        shelf=SharedShelf(db, connections.clock, dossiers.key),
    )
