"""The secrets of dossiers, for their owners: set for some hosts, listed without their values, deleted.

secrets.all(access, dossier)                        {name: its hosts}
secrets.put(access, dossier, name, value, hosts)    the normalised hosts
secrets.delete(access, dossier, name)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.access.access import Role
from veille.core.http.secrets import bound_hosts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.ports import Clock
    from veille.services.people.access import Access
    from veille.services.watching.request_builder import Vaults


class SecretService:
    """The vault of a dossier, for its owners only; every change is logged, no value is."""

    def __init__(self, vaults: Vaults, clock: Clock) -> None:
        self._vaults = vaults
        self._clock = clock

    def all(self, access: Access, dossier: str) -> dict[str, tuple[str, ...]]:
        """The hosts of every secret, by name."""
        with self._vaults(_owned(access, dossier)) as vault:
            return vault.hosts()

    def put(self, access: Access, dossier: str, name: str, value: str, hosts: Iterable[str]) -> tuple[str, ...]:
        """Save a value for these hosts; replaces the secret of that name."""
        chosen, bound = _owned(access, dossier), bound_hosts(hosts)
        with self._vaults(chosen) as vault:
            vault.set(name, value, bound, self._clock())
        access.log("secret.put", chosen, name=name, hosts=list(bound))
        return bound

    def delete(self, access: Access, dossier: str, name: str) -> None:
        """Delete a secret."""
        chosen = _owned(access, dossier)
        with self._vaults(chosen) as vault:
            vault.delete(name)
        access.log("secret.delete", chosen, name=name)


def _owned(access: Access, dossier: str) -> str:
    return access.dossier(dossier, Role.OWNER, "admin").id
