"""The schemas: one script per version, `schema/dossier/0001.sql` and so on. A released script is never edited."""

from __future__ import annotations

from importlib.resources import files


def _scripts(name: str) -> tuple[str, ...]:
    folder = files(__package__) / "schema" / name
    return tuple(path.read_text("utf-8") for path in sorted(folder.iterdir(), key=lambda path: path.name))


DOSSIER, CATALOG = map(_scripts, ("dossier", "catalog"))
