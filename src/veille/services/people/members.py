"""Roles in dossiers. Owners decide; an instance admin does not, except by a break-glass access that is logged.

members.all(access, dossier)                        [(User, Member)]; readers may see it, too
members.add(access, dossier, user, role)            Member; also changes a role
members.remove(access, dossier, user)               owners, or oneself
members.break_glass(access, dossier_id, reason)     Member: an admin becomes a reader for an hour, and it is logged
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.access.access import Role
from veille.core.access.accounts import Member, User
from veille.core.schedule import HOUR
from veille.errors import ConfigError
from veille.services.people.users import found, named

if TYPE_CHECKING:
    from veille.services.people.access import Access, Gate

EMERGENCY = HOUR


class MemberService:
    """Grants and removes roles."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._store = gate.accounts
        self._clock = gate.clock

    def all(self, access: Access, dossier: str) -> list[tuple[User, Member]]:
        members = self._store.members.of_dossier(access.dossier(dossier).id, self._clock())
        pairs = [(found(self._store.users.get(one.user_id)), one) for one in members]
        return sorted(pairs, key=lambda pair: pair[0].email)

    def add(self, access: Access, dossier: str, user: str, role: Role) -> Member:
        chosen = access.dossier(dossier, Role.OWNER, "admin")
        with self._store.writing():
            member = Member(user_id=named(self._store.users, user).id, dossier_id=chosen.id, role=role)
            if role is not Role.OWNER:
                self._keep_an_owner(member)
            self._store.members.put(member)
            access.log("member.add", chosen.id, user=user, role=role.value)
        return member

    def remove(self, access: Access, dossier: str, user: str) -> Member:
        person, who = named(self._store.users, user), access.who
        leaves = who.is_person and who.user_id == person.id
        chosen = access.dossier(dossier) if leaves else access.dossier(dossier, Role.OWNER, "admin")
        with self._store.writing():
            role = self._store.members.role(person.id, chosen.id, self._clock())
            if role is None:
                raise ConfigError(f"{user} has no role in {chosen.name}.", code="no_member")
            member = Member(user_id=person.id, dossier_id=chosen.id, role=role)
            self._keep_an_owner(member)
            self._store.members.remove(person.id, chosen.id)
            access.log("member.remove", chosen.id, user=user)
        return member

    def break_glass(self, access: Access, dossier_id: str, reason: str) -> Member:
        """Let an admin read a dossier they have no role in, for an hour; its owners see the reason in their log."""
        who = access.require_person()
        access.require_admin()
        if not reason.strip():
            raise ConfigError("Say why: the owners of the dossier will read it.", code="no_reason")
        dossier = self._gate.dossiers.find(dossier_id)
        now = self._clock()
        with self._store.writing():
            role = self._store.members.role(who.user_id, dossier.id, now)
            member = Member(user_id=who.user_id, dossier_id=dossier.id, role=Role.READER, until=now + EMERGENCY)
            if role is not None or not who.user_id:
                raise ConfigError("You have a role in this dossier already.", code="has_role")
            self._store.members.put(member)
            access.log("break_glass", dossier.id, reason=reason, until=member.until)
        return member

    def _keep_an_owner(self, member: Member) -> None:
        """A dossier that has an owner keeps one."""
        owners = {
            one.user_id
            for one in self._store.members.of_dossier(member.dossier_id, self._clock())
            if one.role is Role.OWNER
        }
        if owners == {member.user_id}:
            raise ConfigError("The last owner stays: make somebody else one first.", code="last_owner")
