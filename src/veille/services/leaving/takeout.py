"""Exports of a whole dossier or account: everything that is kept, without secrets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from veille.core.access.access import Role, Way
from veille.core.dates import iso
from veille.core.outgoing.takeout import FORMAT, README, safe_name
from veille.services.people.users import anybody

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

    from veille.core.access.accounts import User
    from veille.core.models import Dossier
    from veille.ports.accounts import LeavingRows
    from veille.ports.outlets import TakeoutFiles, TakeoutWriter
    from veille.services.people.access import Access, Gate


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeoutReport:
    """What an export has: how many files, lines and bytes, and the lines of each file."""

    files: int
    lines: int
    bytes: int
    #: By the name of the file, without those that are empty.
    counts: Mapping[str, int]


class TakeoutService:
    """Writes exports on behalf of an access."""

    def __init__(self, gate: Gate, rows: LeavingRows, files: TakeoutFiles, stays: Mapping[str, str]) -> None:
        self._gate = gate
        self._rows = rows
        self._files = files
        self._stays = stays

    def dossier(self, access: Access, dossier_id: str, out: Path | IO[bytes]) -> TakeoutReport:
        """Export a dossier, for its owners. Of what people read and keep it has only what is the caller's.

        At the command line it has everybody's.
        """
        dossier = access.dossier(dossier_id, Role.OWNER, "admin")
        who = access.who
        access.log("dossier.export", dossier.id)
        with self._files.write(out) as writer:
            about = self._begin(writer, f"the dossier {dossier.name}")
            self._whole(writer, dossier, "", None if who.way is Way.LOCAL else who.user_id)
            return _report(writer, about | {"dossier": asdict(dossier)})

    def account(self, access: Access, out: Path | IO[bytes], user: str = "") -> TakeoutReport:
        """Export what is kept about oneself, or, at the command line, about a user; and the dossiers that they own."""
        person = self._person(access, user)
        access.log("user.export", email=person.email)
        roles = self._gate.accounts.members.of_user(person.id, self._gate.clock())
        with self._files.write(out) as writer:
            about = self._begin(writer, f"the account {person.email}")
            for name, records in self._rows.of_account(person):
                writer.lines(f"{name}.jsonl", records)
            for member in roles:
                dossier = self._gate.dossiers.find(member.dossier_id)
                folder = f"dossiers/{safe_name(dossier.name)}-{dossier.id[-8:]}/"
                if member.role is Role.OWNER:
                    self._whole(writer, dossier, folder, person.id)
                else:
                    self._part(writer, dossier, folder, person)
            return _report(writer, about | {"account": {"id": person.id, "email": person.email}})

    def _person(self, access: Access, user: str) -> User:
        if not user:
            return anybody(self._gate.accounts.users, access.require_person().user_id)
        access.require_local()
        return anybody(self._gate.accounts.users, user)

    def _begin(self, writer: TakeoutWriter, what: str) -> dict[str, Any]:
        now = iso(self._gate.clock())
        writer.file("README.txt", README.format(what=what, when=now).encode())
        return {"format": FORMAT, "what": what, "begun_at": now, "left_out": dict(self._stays)}

    def _whole(self, writer: TakeoutWriter, dossier: Dossier, folder: str, user_id: str | None) -> None:
        with self._gate.dossiers.open(dossier.id) as store:
            # First, so that whoever goes on from this cursor misses nothing that changes meanwhile.
            end = store.outbox.last_seq()
        writer.lines(f"{folder}dossier.jsonl", [asdict(dossier) | {"cursor": f"{dossier.id}:{end}"}])
        members = self._gate.accounts.members.of_dossier(dossier.id, self._gate.clock())
        writer.lines(f"{folder}members.jsonl", (asdict(one) for one in members))
        for name, records in self._rows.of_dossier(dossier.id, user_id):
            writer.lines(f"{folder}{name}.jsonl", records)
        for name, content in self._rows.files_of(dossier.id):
            writer.file(f"{folder}{name}", content)

    def _part(self, writer: TakeoutWriter, dossier: Dossier, folder: str, person: User) -> None:
        writer.lines(f"{folder}dossier.jsonl", [{"id": dossier.id, "name": dossier.name}])
        for name, records in self._rows.of_person(dossier.id, person):
            writer.lines(f"{folder}{name}.jsonl", records)


def _report(writer: TakeoutWriter, about: dict[str, Any]) -> TakeoutReport:
    taken = writer.finish(about)
    return TakeoutReport(
        files=len(taken),
        lines=sum(one.lines or 0 for one in taken),
        bytes=sum(one.bytes for one in taken),
        counts={one.name: one.lines for one in taken if one.lines},
    )
