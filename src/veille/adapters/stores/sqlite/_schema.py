"""The schemas: one script per version, `schema/dossier/0001.sql` and so on. A released script is never edited."""

from __future__ import annotations

from veille.adapters.stores.migrations import number_of, scripts


def _versions(name: str) -> tuple[str, ...]:
    """One script per version; nothing for a version that changes the other schema only.

    Both count together, so that the catalog, which is opened first, tells an older program that it cannot go on.
    """
    assert __package__  # noqa: S101 - a module of ours is in a package
    ours = {number_of(one): text for one, text in scripts(__package__, name).items()}
    last = max(number_of(one) for other in ("dossier", "catalog") for one in scripts(__package__, other))
    return tuple(ours.get(number, "") for number in range(1, last + 1))


DOSSIER, CATALOG = map(_versions, ("dossier", "catalog"))
