"""Deletion that deletes: a dossier or an account, in the store and wherever sinks took it."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.access.access import Role, Way
from veille.errors import ConfigError, SinkError, StoreError
from veille.failpoints import failpoint
from veille.ports.outlets import Recall
from veille.services.people.users import anybody

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from veille.core.access.accounts import User
    from veille.core.models import Dossier
    from veille.ports import DossierStore, Sink
    from veille.ports.accounts import LeavingRows
    from veille.services.people.access import Access, Gate
    from veille.services.people.users import UserService

#: How long to wait for a worker that is delivering to a sink.
_PATIENCE_S = 10.0
_ASK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkFarewell:
    """What became of what a sink was given."""

    sink: str
    recall: Recall
    #: Why it could not be told.
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Farewell:
    """A dossier that is deleted, and what of it is left elsewhere."""

    dossier: Dossier
    sinks: tuple[SinkFarewell, ...] = ()
    #: The channels that sent messages, which cannot be recalled.
    channels: tuple[str, ...] = ()
    #: Why files outside the store are left for now; empty if none are.
    bodies: str = ""

    @property
    def left(self) -> list[str]:
        """What is left elsewhere, in words."""
        told = [_LEFT[one.recall].format(one.sink) for one in self.sinks if one.recall is not Recall.GONE]
        if self.channels:
            told.append(f"Messages that were sent by {', '.join(self.channels)} cannot be recalled.")
        if self.bodies:
            told.append(f"Files outside the store are left ({self.bodies}): every start tries again to delete them.")
        return told


#: A deletion must not pass over it in silence: what it was given is still where its options pointed to.
_NOT_CONFIGURED = "it was given changes, and is not in today's settings; set it up again under this name"

_LEFT = {
    Recall.TOLD: "The sink {} was told; what it sent cannot be recalled, the receiver has to delete it.",
    Recall.KEPT: "The sink {} keeps what it was given: delete it there.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPlan:
    """What the deletion of an account would do."""

    user: User
    #: Dossiers that nobody else is a member of: they are deleted, too.
    goes: tuple[Dossier, ...] = ()
    #: Dossiers that stay with their other members.
    stays: tuple[Dossier, ...] = ()
    #: Dossiers that have other members and no other owner: one is needed first.
    needs_owner: tuple[Dossier, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivering:
    """The sinks, and under which name this program holds them back."""

    sinks: Callable[[], Mapping[str, Sink]]
    worker: Callable[[], str]
    is_gone: Callable[[str], bool]
    lease_ms: int


def _unreachable(store: DossierStore) -> StoreError | None:
    """Why files outside the store cannot be deleted now."""
    try:
        store.bodies.check()
    except StoreError as error:
        return error
    return None


class DeletingService:
    """Deletes dossiers and accounts on behalf of an access."""

    def __init__(self, gate: Gate, users: UserService, rows: LeavingRows, delivering: Delivering) -> None:
        self._gate = gate
        self._users = users
        self._rows = rows
        self._delivering = delivering

    def dossier(self, access: Access, dossier_id: str, *, anyway: bool = False) -> Farewell:
        """Delete a dossier, for its owners: first where sinks took it, then here.

        SinkError `delete.not_told` if a sink cannot be told, StoreError `bodies.unreachable` if its files outside the
        store cannot be deleted now, and nothing is deleted; unless it is wanted `anyway`.
        """
        dossier = access.dossier(dossier_id, Role.OWNER, "admin")
        with ExitStack() as held:
            with self._gate.dossiers.open(dossier.id) as store:
                bodies = _unreachable(store)
                if bodies is not None and not anyway:
                    raise bodies
                channels = tuple(one.name for one in store.channels.all())
                told = self._all_told(store, held, anyway=anyway)
            if not anyway and (missed := [one for one in told if one.code]):
                names = "; ".join(f"{one.sink}: {one.error}" for one in missed)
                raise SinkError(
                    f"Nothing is deleted, because not every sink could be told ({names}). Correct that, or delete it "
                    "anyway: what these sinks were given then stays there.",
                    code="delete.not_told",
                )
            access.delete(dossier.id)
            # With the dossier, what was locked is gone.
            held.pop_all()
        return Farewell(dossier=dossier, sinks=told, channels=channels, bodies=str(bodies or ""))

    def plan(self, access: Access, user: str = "") -> AccountPlan:
        """What the deletion of one's own account would do, or, at the command line, of any."""
        person = self._person(access, user)
        plan: dict[str, list[Dossier]] = {"goes": [], "stays": [], "needs_owner": []}
        now, members = self._gate.clock(), self._gate.accounts.members
        for role in members.of_user(person.id, now):
            others = [one for one in members.of_dossier(role.dossier_id, now) if one.user_id != person.id]
            if not others:
                # A guest of an ownerless dossier, which is the owner's of the data folder, leaves it as it is.
                fate = "goes" if role.role is Role.OWNER else "stays"
            elif role.role is Role.OWNER and not any(one.role is Role.OWNER for one in others):
                fate = "needs_owner"
            else:
                fate = "stays"
            plan[fate].append(self._gate.dossiers.find(role.dossier_id))
        return AccountPlan(user=person, **{name: tuple(found) for name, found in plan.items()})

    def account(self, access: Access, user: str = "", *, anyway: bool = False) -> tuple[AccountPlan, list[Farewell]]:
        """Delete an account with the dossiers that are nobody else's. If it is interrupted, the user can repeat it.

        ConfigError `last_owner` if others would be left without an owner, `last_admin` if without an administrator.
        """
        plan = self.plan(access, user)
        if plan.needs_owner:
            names = ", ".join(one.name for one in plan.needs_owner)
            raise ConfigError(
                f"Others would be left without an owner in {names}: make one of them an owner, or remove them first.",
                code="last_owner",
            )
        self._users.check_removable(plan.user)
        farewells = [self.dossier(access, one.id, anyway=anyway) for one in plan.goes]
        # The account last: as long as there is anything of theirs, they can log in and repeat it.
        self._erase_in_all(plan.user)
        # Before the session of whoever deletes their own account ends; the line loses its name with the others.
        access.log("user.delete", email=plan.user.email)
        self._rows.erase_account(plan.user)
        # What other sessions of theirs did meanwhile.
        self._erase_in_all(plan.user)
        return plan, farewells

    def _erase_in_all(self, user: User) -> None:
        for dossier in self._gate.dossiers.all():
            self._rows.erase_in(dossier.id, user)
            failpoint("after_erasing_in_dossier")

    def _person(self, access: Access, user: str) -> User:
        if access.who.way is not Way.LOCAL:
            return anybody(self._gate.accounts.users, access.require_person().user_id)
        return anybody(self._gate.accounts.users, user)

    def _all_told(self, store: DossierStore, held: ExitStack, *, anyway: bool) -> tuple[SinkFarewell, ...]:
        """Tell every sink; unless it is wanted `anyway`, none after one that cannot be told."""
        sinks = self._delivering.sinks()
        told = [
            SinkFarewell(sink=name, recall=Recall.KEPT, code="sink.not_configured", error=_NOT_CONFIGURED)
            for name in store.outbox.delivered_to()
            if name not in sinks
        ]
        for name, sink in sinks.items():
            if anyway or not any(one.code for one in told):
                told.append(self._told(store, name, sink, held))
        return tuple(told)

    def _told(self, store: DossierStore, name: str, sink: Sink, held: ExitStack) -> SinkFarewell:
        """Let a sink forget the dossier, and keep workers from delivering to it until the dossier is gone."""
        try:
            self._hold(store, name, held)
            return SinkFarewell(sink=name, recall=self._forgotten(store, name, sink))
        except (SinkError, StoreError) as error:
            return SinkFarewell(sink=name, recall=Recall.KEPT, code=error.code, error=str(error))

    def _forgotten(self, store: DossierStore, name: str, sink: Sink) -> Recall:
        """Let a sink forget the dossier. Should the dossier stay after all, the sink will get everything again."""
        worker, recall = self._delivering.worker(), Recall.KEPT
        before = store.outbox.rewind(name, worker)
        try:
            failpoint("before_sink_forgets")
            recall = sink.forget(store.id, self._rows.document_ids(store.id))
            failpoint("after_sink_forgot")
        finally:
            if recall is Recall.KEPT:
                store.outbox.rewind(name, worker, before)
        return recall

    def _hold(self, store: DossierStore, name: str, held: ExitStack) -> None:
        delivering, clock = self._delivering, self._gate.clock
        worker, deadline = delivering.worker(), time.monotonic() + _PATIENCE_S
        while not store.outbox.lock(name, worker, clock() + delivering.lease_ms, clock()):
            holder = store.outbox.holder(name)
            if holder is not None and delivering.is_gone(holder):
                store.outbox.unlock(name, holder)
            elif time.monotonic() > deadline:
                raise SinkError(f"Changes are being delivered to {name}; try again.", code="sink.busy")
            else:
                time.sleep(_ASK_EVERY_S)
        held.callback(self._release, store.id, name, worker)

    def _release(self, dossier_id: str, name: str, worker: str) -> None:
        with self._gate.dossiers.open(dossier_id) as store:
            store.outbox.unlock(name, worker)
