"""Who has which role in which dossier, in the catalog database."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.access.access import Role
from veille.core.access.accounts import Member

_MEMBER = Columns(Member, "user_id, dossier_id, role, until", role=Role)
_LIVES = "(until IS NULL OR until > ?)"


class SqliteMembers(Part):
    """The port `Members`."""

    def put(self, member: Member) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO members ({_MEMBER}) VALUES ({_MEMBER.places})",
            asdict(member) | {"role": member.role.value},
        )

    def role(self, user_id: str, dossier_id: str, now: int) -> Role | None:
        found = self._db.value(
            f"SELECT role FROM members WHERE user_id = ? AND dossier_id = ? AND {_LIVES}", (user_id, dossier_id, now)
        )
        return Role(found) if found else None

    def of_user(self, user_id: str, now: int) -> list[Member]:
        return self._list(f"user_id = ? AND {_LIVES} ORDER BY dossier_id", user_id, now)

    def of_dossier(self, dossier_id: str, now: int) -> list[Member]:
        return self._list(f"dossier_id = ? AND {_LIVES} ORDER BY user_id", dossier_id, now)

    def _list(self, condition: str, *values: Any) -> list[Member]:
        rows = self._db.execute(f"SELECT {_MEMBER} FROM members WHERE {condition}", values)
        return list(map(_MEMBER, rows))

    def remove(self, user_id: str, dossier_id: str) -> None:
        self._db.execute("DELETE FROM members WHERE user_id = ? AND dossier_id = ?", (user_id, dossier_id))

    def ownerless(self) -> list[str]:
        rows = self._db.execute(
            "SELECT id FROM dossiers WHERE NOT EXISTS (SELECT 1 FROM members "
            "WHERE dossier_id = dossiers.id AND role = 'owner' AND until IS NULL) ORDER BY id"
        )
        return [row[0] for row in rows]
