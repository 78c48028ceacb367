"""A process for one task of a large piece of work: `python -m veille.interfaces.bulk DATA` (see the port `Bulk`)."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from veille.bootstrap import App, open_app
from veille.errors import StoreError, VeilleError
from veille.ports.outside import BulkTask, TaskOutcome
from veille.services.archives.bulk_import import IMPORT, import_part
from veille.services.meaning.bulk_embedding import EMBED, embed_part
from veille.services.reading.bulk_reread import REREAD, reread_part

_WORKS: dict[str, Callable[[App, BulkTask], dict[str, Any]]] = {
    REREAD: lambda app, task: reread_part(app.rereading(), task),
    EMBED: lambda app, task: embed_part(app.meaning, task),
    IMPORT: lambda app, task: import_part(app.warc.imports_of, task),
}


def main(data: str) -> None:
    """Read one task from standard input, do it, and print its outcome as a line of JSON."""
    task = BulkTask(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout.write(json.dumps(asdict(_outcome(data, task))) + "\n")
    sys.stdout.flush()


def _outcome(data: str, task: BulkTask) -> TaskOutcome:
    try:
        with open_app(data=data) as app:
            return TaskOutcome(found=_WORKS[task.work](app, task))
    except VeilleError as error:
        is_passing = isinstance(error, StoreError) and error.is_passing
        return TaskOutcome(error=str(error), code=error.code, is_passing=is_passing)
    except Exception as error:  # noqa: BLE001 - a bug, told by the program that waits for this one
        return TaskOutcome(error=f"{type(error).__name__}: {error}", is_passing=True)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: what it did not commit is done by another."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
