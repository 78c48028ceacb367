"""Access control: the only way into a dossier, except for the owner of the data folder.

An `Access` says who asks, how they authenticated, and what that allows. Only this layer creates one
(`AccountService.local`, `by_session`, `by_token`, `login`, `redeem`); without one, nothing can be opened.

    access.who                                       Identity, as of now
    access.require(scope)                            Identity, or ForbiddenError
    access.require_admin(), .require_person(), …      likewise: an instance admin; not a token; the command line
    access.dossiers(need, scope)                     the dossiers it may see
    access.dossier(name_or_id, need, scope)          Dossier, checked
    access.open(dossier_id, need, scope)             the DossierStore, as a context
    access.through(scope)                            a `Dossiers` port with these checks in it: services built on it
                                                     cannot reach anything else (`app.on_behalf(access, scope)`)
    access.create(name), access.delete(dossier_id)   the creator of a dossier owns it
    access.rename(dossier_id, name)                  owners only
    access.log(action, dossier_id, **detail)         a line in the audit log
    access.briefly()                                 the same, for one request that only reads: what was just checked
                                                     is not checked again within the next moment

A dossier that does not exist and one that they may not use in this way are the same NotFoundError. A missing scope is a
ForbiddenError for every dossier. Credentials are checked on every use, so that revoking a token, ending a session or
removing a role ends the access at once, in every process.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from veille.core.access.access import Identity, Role, ScopeName, Way, may
from veille.core.access.accounts import AuditLine, Member, Visit
from veille.errors import ForbiddenError, NotFoundError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from veille.core.models import Dossier
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.accounts import Accounts

_SEAL = object()
#: How long a brief access remembers what it checked, in milliseconds: about as long as a page takes.
_MOMENT = 50

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Gate:
    """Creates accesses; only the account services have it."""

    dossiers: Dossiers
    accounts: Accounts
    clock: Clock

    def admit(self, prove: Callable[[], Identity], visit: Visit) -> Access:
        """An access for the identity that `prove` returns; it is called on every use, and raises once it is invalid."""
        return Access(self, prove, visit, seal=_SEAL)


class Access:
    """Who asks, how they authenticated, and what that allows."""

    def __init__(self, gate: Gate, prove: Callable[[], Identity], visit: Visit, *, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("Only the services of accounts make an Access.")
        self._gate = gate
        self._prove = prove
        self._known = prove()
        self.visit = visit
        #: What was checked in this moment, and when it began; None: everything is checked on every use.
        self._checked: dict[Hashable, Any] | None = None
        self._since = 0

    def briefly(self) -> Self:
        """Use it for one request that only reads, and ends soon.

        A page asks dozens of times who reads it and what they may see. Within a moment the answers stay the same; what
        is revoked meanwhile is over when the moment is, or with the next request.
        """
        self._checked, self._since = {"who": self._known}, self._gate.clock()
        return self

    def _once(self, what: Hashable, check: Callable[[], _Answer]) -> _Answer:
        """The answer of this moment; what raises is asked again."""
        if self._checked is None:
            return check()
        now = self._gate.clock()
        if not 0 <= now - self._since < _MOMENT:
            self._forget()
            self._since = now
        if what not in self._checked:
            self._checked[what] = check()
        return cast("_Answer", self._checked[what])

    def _note(self, what: Hashable, answer: object) -> None:
        """Keep for this moment what another check has just answered."""
        if self._checked is not None:
            self._checked[what] = answer

    def _forget(self) -> None:
        """Check everything again: something was changed."""
        if self._checked is not None:
            self._checked.clear()

    @property
    def who(self) -> Identity:
        """The identity, as of now; LoginError when the session or token is no longer valid."""
        self._known = self._once("who", self._prove)
        return self._known

    def require(self, scope: ScopeName) -> Identity:
        """The identity, if its session or token has the scope."""
        who = self.who
        if scope not in who.scopes:
            raise ForbiddenError(f"This token has no scope {scope!r}: make one that has.", code="no_scope")
        return who

    def require_admin(self) -> Identity:
        """The identity, if it is an administrator of this instance."""
        who = self.require("admin")
        if not who.is_admin:
            raise ForbiddenError("Only an administrator may do this.", code="not_admin")
        return who

    def require_person(self) -> Identity:
        """The identity, if it is not a token: tokens create no tokens, users or passwords."""
        who = self.who
        if not who.is_person:
            raise ForbiddenError("A token cannot do this: log in.", code="not_a_person")
        return who

    def require_local(self) -> Identity:
        """The identity, if at the command line: a setup link or a new password allows acting as that user."""
        who = self.who
        if who.way is not Way.LOCAL:
            raise ForbiddenError("This is done at the command line, where the data folder is.", code="not_local")
        return who

    def dossiers(self, need: Role = Role.READER, scope: ScopeName = "read") -> list[Dossier]:
        """The dossiers it may use with this role and scope, by name."""
        return list(self._once(("dossiers", need, scope), lambda: self._dossiers(need, scope)))

    def _dossiers(self, need: Role, scope: ScopeName) -> list[Dossier]:
        who = self.require(scope)
        if who.way is Way.LOCAL:
            return self._gate.dossiers.all()
        roles = self._gate.accounts.members.of_user(who.user_id, self._gate.clock())
        seen = [one.dossier_id for one in roles if may(who, one.dossier_id, one.role, scope, need)]
        # One that is deleted at this very time is missing.
        found = self._gate.dossiers.some(seen)
        for dossier in found:
            # A page of all dossiers opens each of them next.
            self._note(("dossier", dossier.id, need, scope), dossier)
        return sorted(found, key=lambda dossier: (dossier.name, dossier.id))

    def dossier(self, name_or_id: str, need: Role = Role.READER, scope: ScopeName = "read") -> Dossier:
        """The dossier, if it may be used with this role and scope."""
        return self._once(("dossier", name_or_id, need, scope), lambda: self._dossier(name_or_id, need, scope))

    def _dossier(self, name_or_id: str, need: Role, scope: ScopeName) -> Dossier:
        who = self.require(scope)
        if may(who, name_or_id, self._role(who, name_or_id), scope, need):
            return self._gate.dossiers.find(name_or_id)
        named = [one for one in self.dossiers(need, scope) if one.name == name_or_id]
        if len(named) != 1:
            raise NotFoundError("There is no such dossier, or your role in it does not allow this.", code="no_dossier")
        return named[0]

    @contextmanager
    def open(self, dossier_id: str, need: Role = Role.READER, scope: ScopeName = "read") -> Iterator[DossierStore]:
        """The store of the dossier, if it may be used with this role and scope."""
        with self._gate.dossiers.open(self.dossier(dossier_id, need, scope).id) as store:
            yield store

    def role(self, dossier_id: str) -> Role | None:
        """Their role in a dossier."""
        who = self.who
        return self._role(who, dossier_id) if who.reaches(dossier_id) else None

    def _role(self, who: Identity, dossier_id: str) -> Role | None:
        return self._once(("role", who.user_id, dossier_id), lambda: self._stored_role(who, dossier_id))

    def _stored_role(self, who: Identity, dossier_id: str) -> Role | None:
        if who.way is not Way.LOCAL:
            return self._gate.accounts.members.role(who.user_id, dossier_id, self._gate.clock())
        try:
            return Role.OWNER if self._gate.dossiers.find(dossier_id).id == dossier_id else None
        except NotFoundError:
            return None

    def create(self, name: str) -> Dossier:
        """Create a dossier and become its owner."""
        who = self.require("write")
        if who.dossiers is not None:
            raise ForbiddenError("This token is limited to some dossiers and cannot create one.", code="no_scope")
        with self._gate.accounts.writing():
            dossier = self._gate.dossiers.create(name, self._gate.clock(), who.user_id)
            if who.user_id:
                owner = Member(user_id=who.user_id, dossier_id=dossier.id, role=Role.OWNER)
                self._gate.accounts.members.put(owner)
            self.log("dossier.create", dossier.id, name=name)
        self._forget()
        return dossier

    def rename(self, dossier_id: str, name: str) -> None:
        """Rename a dossier; owners only."""
        dossier = self.dossier(dossier_id, Role.OWNER, "admin")
        with self._gate.accounts.writing():
            self._gate.dossiers.rename(dossier.id, name)
            self.log("dossier.rename", dossier.id, name=name, before=dossier.name)
        self._forget()

    def delete(self, dossier_id: str) -> Dossier:
        """Delete a dossier with all its contents; owners only."""
        dossier = self.dossier(dossier_id, Role.OWNER, "admin")
        with self._gate.accounts.writing():
            self.log("dossier.delete", dossier.id, name=dossier.name)
            self._gate.dossiers.delete(dossier.id)
            failpoint("before_dossier_is_deleted")
        self._forget()
        return dossier

    def through(self, scope: ScopeName) -> Dossiers:
        """A `Dossiers` port for services, in which every use is checked."""
        return _CheckedDossiers(self, scope)

    def log(self, action: str, dossier_id: str = "", **detail: Any) -> None:
        """Add a line to the audit log; keep secrets out of the detail."""
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

    def some(self, dossier_ids: Sequence[str]) -> list[Dossier]:
        return [one for one in self.all() if one.id in set(dossier_ids)]

    def delete(self, dossier_id: str) -> None:
        self._access.delete(dossier_id)

    def open(self, dossier_id: str) -> AbstractContextManager[DossierStore]:
        return self._access.open(dossier_id, scope=self._scope)

    def part(self) -> None:
        """Nothing to do, likewise."""

    def close(self) -> None:
        """Nothing to do: the program that opened the dossiers closes them."""
