"""A data folder with people in it, and a clock that tests turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import veille
from samples import NOW
from veille.core.access.access import SCOPES
from veille.core.access.accounts import User
from veille.services.people.access import Access
from veille.services.people.accounts import AccountService

PASSWORD = "correct horse lamp"


@dataclass
class Clock:
    now: int = NOW

    def __call__(self) -> int:
        return self.now


@dataclass
class People:
    """Users come in by one-time links, as that costs no password hash."""

    app: veille.App
    clock: Clock
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def accounts(self) -> AccountService:
        return self.app.accounts

    @property
    def local(self) -> Access:
        return self.accounts.local()

    def user(self, email: str, *, is_admin: bool = False, password: str | None = None) -> User:
        return self.accounts.users.add(self.local, email, "", password, is_admin=is_admin)

    def enter(self, email: str, *, is_admin: bool = False) -> Access:
        """The access of a browser of this user, who is made if need be."""
        if email not in {one.email for one in self.accounts.users.all(self.local) if one.removed_at is None}:
            self.user(email, is_admin=is_admin)
        entry = self.accounts.redeem(self.accounts.setup_link(self.local, email))
        self.cookies[email] = entry.cookie
        return entry.access

    def token(self, person: Access, *scopes: str, dossiers: list[str] | None = None) -> tuple[str, str]:
        """The id and the text."""
        made, text = self.accounts.tokens.add(person, "test", scopes or SCOPES, dossiers)
        return made.id, text


@contextmanager
def people(folder: Path, clock: Clock | None = None) -> Iterator[People]:
    clock = clock or Clock()
    with veille.open_app(data=folder, clock=clock) as app:
        yield People(app, clock)
