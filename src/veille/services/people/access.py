"""The one way into a dossier for anybody but the owner of the data folder.

An `Access` says who asks, by what, and what that allows. Only this layer makes one (`AccountService.local`,
`by_session`, `by_token`, `login`, `redeem`); whoever holds none opens nothing.

    access.who                                       Identity, as it is at this moment
    access.require(scope)                            Identity, or ForbiddenError
    access.require_admin(), .require_person(), …      likewise: an instance admin; no token; the command line
    access.dossiers(need, scope)                     the dossiers it may see
    access.dossier(name_or_id, need, scope)          Dossier, checked
    access.open(dossier_id, need, scope)             the DossierStore, as a context
    access.through(scope)                            a `Dossiers` port with these checks in it: services built on it
                                                     cannot reach anything else (`app.on_behalf(access, scope)`)
    access.create(name), access.delete(dossier_id)   whoever makes a dossier owns it
    access.rename(dossier_id, name)                  owners only
    access.log(action, dossier_id, **detail)         a line in the audit log

A dossier that does not exist and one that they may not use so are the same NotFoundError. A scope that is missing is a
ForbiddenError, whatever the dossier. What proves the way in is looked up every time, so that a token that is revoked, a
session that is ended or a role that is taken away ends the access at once, in every process.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veille.core.access.access import Identity, Role, ScopeName, Way, may
from veille.core.access.accounts import AuditLine, Member, Visit
from veille.errors import ForbiddenError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from veille.core.models import Dossier
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.accounts import Accounts

_SEAL = object()


@dataclass(frozen=True)
class Gate:
    """Where accesses are made; only the services of accounts have it."""

    dossiers: Dossiers
    accounts: Accounts
    clock: Clock

    def admit(self, prove: Callable[[], Identity], visit: Visit) -> Access:
        """An access for whom `prove` names, now and whenever it is asked again; it raises when it no longer can."""
        return Access(self, prove, visit, seal=_SEAL)


class Access:
    """Who asks, by what, and what that allows."""

    def __init__(self, gate: Gate, prove: Callable[[], Identity], visit: Visit, *, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("Only the services of accounts make an Access.")
        self._gate = gate
        self._prove = prove
        self._known = prove()
        self.visit = visit

    @property
    def who(self) -> Identity:
        """Who it is, as of now; LoginError when what proved it is no longer good."""
        self._known = self._prove()
        return self._known

    def require(self, scope: ScopeName) -> Identity:
        """Who it is, if their way in has the scope."""
        who = self.who
        if scope not in who.scopes:
            raise ForbiddenError(f"This token has no scope {scope!r}: make one that has.", code="no_scope")
        return who

    def require_admin(self) -> Identity:
        """Who it is, if they manage this instance."""
        who = self.require("admin")
        if not who.is_admin:
            raise ForbiddenError("Only an administrator may do this.", code="not_admin")
        return who

    def require_person(self) -> Identity:
        """Who it is, if it is no program with a token: tokens make no tokens, users or passwords."""
        who = self.who
        if not who.is_person:
            raise ForbiddenError("A token cannot do this: log in.", code="not_a_person")
        return who

    def require_local(self) -> Identity:
        """Who it is, at the command line: whoever can let people in as somebody could be that somebody."""
        who = self.who
        if who.way is not Way.LOCAL:
            raise ForbiddenError("This is done at the command line, where the data folder is.", code="not_local")
        return who

    def dossiers(self, need: Role = Role.READER, scope: ScopeName = "read") -> list[Dossier]:
        """The dossiers it may use so, by name."""
        who = self.require(scope)
        if who.way is Way.LOCAL:
            return self._gate.dossiers.all()
        roles = self._gate.accounts.members.of_user(who.user_id, self._gate.clock())
        seen = [one.dossier_id for one in roles if may(who, one.dossier_id, one.role, scope, need)]
        found = []
        for dossier_id in seen:
            # One that is deleted at this very moment is none of theirs any more.
            with suppress(NotFoundError):
                found.append(self._gate.dossiers.find(dossier_id))
        return sorted(found, key=lambda dossier: (dossier.name, dossier.id))

    def dossier(self, name_or_id: str, need: Role = Role.READER, scope: ScopeName = "read") -> Dossier:
        """The dossier, if it may be used so."""
        who = self.require(scope)
        if may(who, name_or_id, self._role(who, name_or_id), scope, need):
            return self._gate.dossiers.find(name_or_id)
        named = [one for one in self.dossiers(need, scope) if one.name == name_or_id]
        if len(named) != 1:
            raise NotFoundError("There is no such dossier, or your role in it does not allow this.", code="no_dossier")
        return named[0]

    @contextmanager
    def open(self, dossier_id: str, need: Role = Role.READER, scope: ScopeName = "read") -> Iterator[DossierStore]:
        """The dossier's store, if it may be used so."""
        with self._gate.dossiers.open(self.dossier(dossier_id, need, scope).id) as store:
            yield store

    def role(self, dossier_id: str) -> Role | None:
        """What they are in a dossier."""
        who = self.who
        return self._role(who, dossier_id) if who.reaches(dossier_id) else None

    def _role(self, who: Identity, dossier_id: str) -> Role | None:
        if who.way is not Way.LOCAL:
            return self._gate.accounts.members.role(who.user_id, dossier_id, self._gate.clock())
        try:
            return Role.OWNER if self._gate.dossiers.find(dossier_id).id == dossier_id else None
        except NotFoundError:
            return None

    def create(self, name: str) -> Dossier:
        """Make a dossier and be its owner."""
        who = self.require("write")
        if who.dossiers is not None:
            raise ForbiddenError("This token is for some dossiers only and cannot make one.", code="no_scope")
        with self._gate.accounts.writing():
            dossier = self._gate.dossiers.create(name, self._gate.clock(), who.user_id)
            if who.user_id:
                owner = Member(user_id=who.user_id, dossier_id=dossier.id, role=Role.OWNER)
                self._gate.accounts.members.put(owner)
            self.log("dossier.create", dossier.id, name=name)
        return dossier

    def rename(self, dossier_id: str, name: str) -> None:
        """Give a dossier another name; for its owners."""
        dossier = self.dossier(dossier_id, Role.OWNER, "admin")
        with self._gate.accounts.writing():
            self._gate.dossiers.rename(dossier.id, name)
            self.log("dossier.rename", dossier.id, name=name, before=dossier.name)

    def delete(self, dossier_id: str) -> Dossier:
        """Delete a dossier with all that is in it."""
        dossier = self.dossier(dossier_id, Role.OWNER, "admin")
        with self._gate.accounts.writing():
            self.log("dossier.delete", dossier.id, name=dossier.name)
            self._gate.dossiers.delete(dossier.id)
        return dossier

    def through(self, scope: ScopeName) -> Dossiers:
        """The dossiers as services need them, each use of which is checked."""
        return _CheckedDossiers(self, scope)

    def log(self, action: str, dossier_id: str = "", **detail: Any) -> None:
        """Keep who did this; secrets are left out of the detail."""
        who = self._known
        self._gate.accounts.audit.add(
            AuditLine(
                at=self._gate.clock(),
                user_id=who.user_id,
                who=who.login,
                way=f"{who.way}:{who.way_id}" if who.way_id else who.way.value,
                action=action,
                dossier_id=dossier_id,
                detail=detail,
                address=self.visit.address,
            )
        )


class _CheckedDossiers:
    """The port `Dossiers` behind an access."""

    def __init__(self, access: Access, scope: ScopeName) -> None:
        self._access = access
        self._scope: ScopeName = scope

    def create(self, name: str, now: int, maker: str = "") -> Dossier:  # noqa: ARG002 - the access knows both
        return self._access.create(name)

    def rename(self, dossier_id: str, name: str) -> None:
        self._access.rename(dossier_id, name)

    def all(self) -> list[Dossier]:
        return self._access.dossiers(scope=self._scope)

    def find(self, name_or_id: str) -> Dossier:
        return self._access.dossier(name_or_id, scope=self._scope)

    def delete(self, dossier_id: str) -> None:
        self._access.delete(dossier_id)

    def open(self, dossier_id: str) -> AbstractContextManager[DossierStore]:
        return self._access.open(dossier_id, scope=self._scope)

    def close(self) -> None:
        """The dossiers themselves are closed by whoever opened the program."""
