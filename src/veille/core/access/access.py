"""Authorization: one table, and a pure function that decides.

A *role* is what a user may do in one dossier; a *scope* is what one session or token may be used for. Both must allow
an action. An instance admin manages users, not content: without a role in a dossier they have no access to it.

    scope    least role   purpose
    read     reader       see sources and documents, search
    export   reader       export content in bulk
    mcp      reader       connect over MCP, in addition to the scope of each operation
    fetch    editor       start a fetch
    write    editor       change sources, questions, engines, rules and channels
    admin    owner        members, secrets and deletion of the dossier; users, for instance admins
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

ScopeName = Literal["read", "write", "fetch", "export", "admin", "mcp"]
SCOPES: tuple[ScopeName, ...] = get_args(ScopeName)


class Role(StrEnum):
    """Role of a user in a dossier."""

    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"

    def covers(self, need: Role) -> bool:
        """Whether this role includes the rights of the other."""
        return _RANK[self] >= _RANK[need]


_RANK = {role: rank for rank, role in enumerate(Role)}

#: The minimum role for each scope.
LEAST_ROLE: dict[ScopeName, Role] = {
    "read": Role.READER,
    "export": Role.READER,
    "mcp": Role.READER,
    "fetch": Role.EDITOR,
    "write": Role.EDITOR,
    "admin": Role.OWNER,
}


class Way(StrEnum):
    """How a user is authenticated."""

    LOCAL = "local"
    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - a word for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The user of a request, and what their session or token allows."""

    #: Empty for the owner of the data folder at the command line.
    user_id: str
    #: Name in records: the e-mail address they sign in with.
    login: str
    #: Display name.
    name: str
    way: Way
    #: Id of the session or token; never its secret.
    way_id: str = ""
    is_admin: bool = False
    scopes: frozenset[ScopeName] = frozenset(SCOPES)
    #: The dossiers a token is limited to; None: all of the user's.
    dossiers: frozenset[str] | None = None

    @property
    def is_person(self) -> bool:
        """Whether this is a person, and not a program with a token."""
        return self.way is not Way.TOKEN

    def reaches(self, dossier_id: str) -> bool:
        """Whether this session or token is valid for that dossier."""
        return self.dossiers is None or dossier_id in self.dossiers


def may(who: Identity, dossier_id: str, role: Role | None, scope: ScopeName, need: Role = Role.READER) -> bool:
    """Whether a user with this role in the dossier may do what requires this scope and at least the role `need`."""
    if role is None or scope not in who.scopes or not who.reaches(dossier_id):
        return False
    return role.covers(need) and role.covers(LEAST_ROLE[scope])
