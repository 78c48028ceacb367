"""Who may do what: one table, and the pure answer to "may they?".

A *role* says what a person is in one dossier; a *scope* says what one way in (a session, a token) may be used for.
Both must allow it. An instance admin manages people, not content: without a role in a dossier there is none for them.

    scope    least role   what it is for
    read     reader       see sources and documents, search
    export   reader       take content out in bulk
    mcp      reader       come in over MCP, beside the scope of what is done there
    fetch    editor       have something fetched now
    write    editor       change sources, questions and engines
    admin    owner        members, secrets and deletion of the dossier; users, for instance admins
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

ScopeName = Literal["read", "write", "fetch", "export", "admin", "mcp"]
SCOPES: tuple[ScopeName, ...] = get_args(ScopeName)


class Role(StrEnum):
    """What somebody is in a dossier."""

    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"

    def covers(self, need: Role) -> bool:
        """Whether this role may do all that the other may."""
        return _RANK[self] >= _RANK[need]


_RANK = {role: rank for rank, role in enumerate(Role)}

#: The least role that each scope is of any use to.
LEAST_ROLE: dict[ScopeName, Role] = {
    "read": Role.READER,
    "export": Role.READER,
    "mcp": Role.READER,
    "fetch": Role.EDITOR,
    "write": Role.EDITOR,
    "admin": Role.OWNER,
}


class Way(StrEnum):
    """How somebody came in."""

    LOCAL = "local"
    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - a word for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who is asking, and what their way in allows at this moment."""

    #: Empty for the owner of the data folder at the command line.
    user_id: str
    #: What they are called in records: the e-mail they log in with.
    login: str
    #: What they want to be called.
    name: str
    way: Way
    #: Which session or token; never what proves it.
    way_id: str = ""
    is_admin: bool = False
    scopes: frozenset[ScopeName] = frozenset(SCOPES)
    #: The dossiers a token is confined to; None: all of the user's.
    dossiers: frozenset[str] | None = None

    @property
    def is_person(self) -> bool:
        """Whether a person is there, and not a program with a token."""
        return self.way is not Way.TOKEN

    def reaches(self, dossier_id: str) -> bool:
        """Whether this way in leads to that dossier at all."""
        return self.dossiers is None or dossier_id in self.dossiers


def may(who: Identity, dossier_id: str, role: Role | None, scope: ScopeName, need: Role = Role.READER) -> bool:
    """Whether somebody with this role in the dossier may do there what needs this scope and at least that role."""
    if role is None or scope not in who.scopes or not who.reaches(dossier_id):
        return False
    return role.covers(need) and role.covers(LEAST_ROLE[scope])
