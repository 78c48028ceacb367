"""One process of the campaign: reads times from its input, and at each checks everything, judges and tells.

A line `{"now": …}` is a round; it answers `done` when everything was told that was due.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import veille
from veille.core.models import Scope


def main(options: dict[str, Any]) -> None:
    now = 0
    with veille.open_app(
        data=options["data"],
        store=options["store"],
        buffer_dir=None,
        lease_s=5,
        fetch={"host_delay_ms": 0, "timeout_s": 20, "allow_networks": ["127.0.0.0/8"]},
        alerts=options["alerts"],
        clock=lambda: now,
    ) as app:
        (dossier,) = app.dossiers.all()
        for line in sys.stdin:
            asked = json.loads(line)
            now = asked["now"]
            if asked["check"]:
                app.queue.arm(dossier.id, now)
                # Also what a killed process had: it may take a moment until it is known to have ended.
                app.run(Scope(), wait=True)
            app.deliver([dossier.id], at_once=True)
            print("done", flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
