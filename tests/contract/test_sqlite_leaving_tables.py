"""No table is forgotten when everything leaves."""

from __future__ import annotations

from veille.adapters.stores.transfer.leaving_tables import ACCOUNT, DOSSIER, STAYS
from veille.adapters.stores.transfer.tables import catalog_tables, dossier_tables


def test_every_table_leaves_or_says_why_it_stays() -> None:
    dossier, catalog = {one.name for one in dossier_tables()}, {one.name for one in catalog_tables()}
    assert set(DOSSIER) | set(ACCOUNT) | set(STAYS) == dossier | catalog
    assert not set(STAYS) & (set(DOSSIER) | set(ACCOUNT))
    assert len({one.file for one in DOSSIER.values()}) == len(DOSSIER)
    columns = {one.name: set(one.columns) for one in (*dossier_tables(), *catalog_tables())}
    for name, leaving in (DOSSIER | ACCOUNT).items():
        assert leaving.without <= columns[name], name
