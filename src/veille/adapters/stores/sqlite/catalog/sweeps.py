"""The last sweep, in the catalog database."""

from __future__ import annotations

import json
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Part
from veille.core.models import State
from veille.core.report.sweeps import Sweep, Swept


class SqliteSweeps(Part):
    """The port `Sweeps`."""

    def put(self, sweep: Sweep) -> None:
        found = json.dumps([asdict(one) for one in sweep.found], ensure_ascii=False)
        self._db.execute(
            "INSERT OR REPLACE INTO last_sweep VALUES (1, ?, ?, ?, ?)", (sweep.at, sweep.asked, sweep.recovered, found)
        )

    def last(self) -> Sweep | None:
        rows = self._db.execute("SELECT at, asked, recovered, found FROM last_sweep")
        if not rows:
            return None
        at, asked, recovered, text = rows[0]
        found = tuple(Swept(**one | {"state": State(one["state"])}) for one in json.loads(text))
        return Sweep(at=at, asked=asked, recovered=recovered, found=found)
