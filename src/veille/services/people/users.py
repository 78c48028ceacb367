"""The users, who can log in. Instance admins manage them; a token never does.

users.add(access, email, name, password, is_admin=False)   User
users.all(access), users.find(access, email_or_id)
users.invite(access, email, name, is_admin=False)          (User, the secret of their one-time link)
users.set_name(access, name)                               of oneself
users.remove(access, email_or_id)                          stays on record, but loses every access
users.set_password(access, email_or_id, password)          local only; ends all their sessions
users.set_admin(access, email_or_id, is_admin)             ends all their sessions
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from veille.core.access.accounts import INVITATION_LIFE, User, clean_email
from veille.core.access.passwords import check_password
from veille.core.access.tokens import digest
from veille.core.fingerprint import uuid7
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from veille.core.access.access import Identity
    from veille.ports.accounts import PasswordHasher, Users
    from veille.services.people.access import Access, Gate

_MAX_NAME = 200
_LINK_BYTES = 32
# An invitation (`INVITATION_LIFE`) lives longer than a setup link: it is sent to somebody else.


class UserService:
    """Creates, lists and removes users."""

    def __init__(self, gate: Gate, hasher: PasswordHasher) -> None:
        self._store = gate.accounts
        self._clock = gate.clock
        self._hasher = hasher

    def add(self, access: Access, email: str, name: str, password: str | None, *, is_admin: bool = False) -> User:
        """Create a user; without a password they log in by a one-time link."""
        _require_admin_in_person(access)
        email, now = clean_email(email), self._clock()
        name = _clean_name(name) or email
        if password is not None:
            check_password(password, self._hasher.common(), email, name)
        user = User(
            id=uuid7(now, email, secrets.token_hex(8)),
            email=email,
            name=name,
            is_admin=is_admin,
            has_password=password is not None,
            created_at=now,
        )
        password_hash = None if password is None else self._hasher.hash(password)
        with self._store.writing():
            self._store.users.add(user, password_hash)
            access.log("user.add", email=email, is_admin=is_admin)
        return user

    def invite(self, access: Access, email: str, name: str, *, is_admin: bool = False) -> tuple[User, str]:
        """Create a user with a one-time link. Only for new users: for others it would allow acting as them."""
        link = secrets.token_urlsafe(_LINK_BYTES)
        with self._store.writing():
            user = self.add(access, email, name, None, is_admin=is_admin)
            self._store.links.add(digest(link), user.id, self._clock() + INVITATION_LIFE)
            access.log("link.add", email=user.email)
        return user, link

    def set_name(self, access: Access, name: str) -> None:
        """Change one's own name."""
        who = access.require_person()
        cleaned = _clean_name(name)
        if not cleaned:
            raise ConfigError("A name is required.", code="bad_name")
        with self._store.writing():
            self._store.users.set_name(who.user_id, cleaned)
            access.log("user.name", name=cleaned)

    def all(self, access: Access) -> list[User]:
        """All users, including removed ones."""
        access.require_admin()
        return self._store.users.all()

    def find(self, access: Access, email_or_id: str) -> User:
        """A user who was not removed."""
        access.require_admin()
        return named(self._store.users, email_or_id)

    def remove(self, access: Access, email_or_id: str) -> User:
        _require_admin_in_person(access)
        with self._store.writing():
            user = self.find(access, email_or_id)
            self.check_removable(user)
            self._store.users.remove(user.id, self._clock())
            access.log("user.remove", email=user.email)
        return user

    def set_password(self, access: Access, email_or_id: str, password: str) -> User:
        access.require_local()
        user = self.find(access, email_or_id)
        check_password(password, self._hasher.common(), user.email, user.name)
        password_hash = self._hasher.hash(password)
        with self._store.writing():
            self._store.users.set_password_hash(user.id, password_hash)
            self._store.sessions.end_all(user.id)
            access.log("user.password", email=user.email)
        return user

    def set_admin(self, access: Access, email_or_id: str, *, is_admin: bool) -> User:
        _require_admin_in_person(access)
        with self._store.writing():
            user = self.find(access, email_or_id)
            if not is_admin:
                self.check_removable(user)
            self._store.users.set_admin(user.id, is_admin)
            self._store.sessions.end_all(user.id)
            access.log("user.admin", email=user.email, is_admin=is_admin)
        return user

    def check_removable(self, user: User) -> None:
        """ConfigError `last_admin` if the others would have no administrator without this user."""
        others = [one for one in self._store.users.all() if one.removed_at is None and one.id != user.id]
        if user.is_admin and others and not any(one.is_admin for one in others):
            raise ConfigError("The last administrator stays: make somebody else one first.", code="last_admin")


def named(users: Users, email_or_id: str) -> User:
    """The user with this id or e-mail address, unless there is none or they were removed."""
    return found(users.get(email_or_id) or users.find(clean_email(email_or_id)))


def anybody(users: Users, email_or_id: str) -> User:
    """The user with this id or e-mail address, also if they were removed."""
    email = clean_email(email_or_id) if "@" in email_or_id else email_or_id
    removed = (one for one in users.all() if one.email == email)
    user = users.get(email_or_id) or users.find(email) or next(removed, None)
    if user is None:
        raise NotFoundError("There is no such user; `veille users` lists them.", code="no_user")
    return user


def found(user: User | None) -> User:
    """The user, unless there is none or they were removed."""
    if user is None or user.removed_at is not None:
        raise NotFoundError("There is no such user; `veille users` lists them.", code="no_user")
    return user


def _clean_name(name: str) -> str:
    name = name.strip()
    if len(name) > _MAX_NAME or not (name.isprintable() or not name):
        raise ConfigError(f"A name has up to {_MAX_NAME} printable characters.", code="bad_name")
    return name


def _require_admin_in_person(access: Access) -> Identity:
    access.require_person()
    return access.require_admin()
