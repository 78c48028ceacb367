"""The numbered scripts that make the tables, and how a database remembers which of them it has had.

A script of a released version is never edited: another number is added. The tables of a program are those of all its
scripts, one after the other. `VEILLE_TRY_SCHEMA` names a folder with further scripts, laid out as `schema` is in each
store (`sqlite/dossier/0002.sql`, `postgres/0002/1_tables.sql`): so the next migration is tried on a copy of real data.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from veille.errors import SettingError, StoreError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_VARIABLE = "VEILLE_TRY_SCHEMA"


@cache
def scripts(package: str, name: str = "") -> dict[str, str]:
    """The scripts of a store by their names, such as `0001.sql`, or `0001/1_tables.sql` where a version has several."""
    folder = files(package) / "schema"
    found = _in(folder / name if name else folder)
    if further := os.environ.get(_VARIABLE):
        place = Path(further, package.rpartition(".")[2], name)
        if not Path(further).is_dir():
            raise SettingError(f"{_VARIABLE}: there is no folder {further}.")
        found |= _in(place) if place.is_dir() else {}
    return dict(sorted(found.items()))


def number_of(name: str) -> int:
    """The number of the version that a script belongs to."""
    return int(name[:4])


def _in(folder: Traversable, above: str = "") -> dict[str, str]:
    """Scripts whose names begin with a number."""
    found: dict[str, str] = {}
    for path in folder.iterdir():
        if above or re.match(r"\d{4}\b", path.name):
            found |= _in(path, f"{path.name}/") if path.is_dir() else {above + path.name: path.read_text("utf-8")}
    return found


@cache
def fingerprint(migrations: tuple[str, ...]) -> str:
    """A hash of the scripts that ignores comments and whitespace."""
    plain = " ".join(re.sub(r"--.*", "", "\n".join(migrations)).split())
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def not_upgraded(what: object, problem: object) -> StoreError:
    """The failure of a script on data that it was not written for, which is our mistake; it was undone as a whole."""
    said = " ".join(str(problem).split())
    return StoreError(
        f"{what} could not be upgraded ({said}), and is as it was: go on with the version of before, and report this.",
        code="store.not_upgraded",
    )
