"""The last lists that were shown of each data folder: the number of a row can be given instead of a name or id."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from veille.errors import NotFoundError

#: How many rows of a list are kept.
_MOST = 1000
#: `3`, or `#3` where a name could be a number.
_NUMBER = re.compile(r"#?([1-9]\d{0,3})")


class Row(NamedTuple):
    """What a row of a list shows."""

    dossier_id: str
    id: str
    name: str


def remember(data: Path, noun: str, rows: Sequence[Row]) -> None:
    """Keep the rows of a list of `noun`, such as sources; a folder that cannot be written is no error."""
    file = _file(data)
    kept = _read(file) | {noun: [list(row) for row in rows[:_MOST]]}
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
        fresh.replace(file)


def recall(data: Path, noun: str) -> list[Row]:
    """The rows of the last list of `noun`."""
    rows = _read(_file(data)).get(noun, ())
    return [Row(*row) for row in rows]


def row_meant(data: Path, noun: str, text: str) -> Row | None:
    """The row whose number was given; None if the text is no number of a row, or the name of something listed."""
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    rows = recall(data, noun)
    if any(text in row[1:] for row in rows):
        return None
    if int(number[1]) <= len(rows):
        return rows[int(number[1]) - 1]
    if text.startswith("#"):
        raise NotFoundError(
            f"The last list of {noun} had {len(rows)} rows, so none has the number {number[1]}; "
            f"`veille {_LISTS.get(noun, noun)}` shows a new one.",
            code="no_row",
        )
    return None


#: The command that lists them, where it has another name.
_LISTS = {"documents": "changes"}


def _read(file: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(file.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def _file(data: Path) -> Path:
    from platformdirs import user_state_path  # noqa: PLC0415 - only where a list is shown or used

    key = hashlib.sha256(os.fsencode(data.absolute())).hexdigest()[:16]
    return user_state_path("veille", appauthor=False) / "lists" / f"{key}.json"
