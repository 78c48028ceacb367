"""Authentication: every way to get an `Access`.

    accounts.local()                                 the owner of the data folder, at the command line
    accounts.by_session(cookie, visit)               a browser that is logged in, else LoginError
    accounts.by_token(header, visit)                 `Bearer vk_…`, else LoginError
    accounts.by_app_password(password, visit)        a reader app; LoginError, ThrottledError; by_fever_key too
    accounts.at_home(visit)                          the first user, on a single-user machine; no credentials
    accounts.login(email, password, visit, cookie)   LoginResult(cookie, access); LoginError, ThrottledError
    accounts.logout(cookie)
    accounts.change_password(access, old, new)       LoginResult with a new cookie; all other sessions end
    accounts.setup_link(access, email)               local only: the secret of a one-time link (15 minutes)
    accounts.redeem(link, visit)                     LoginResult, once
    accounts.me(access)                              the User
    accounts.sessions(access), .end_session(access, id)
    accounts.has_passwords(), .needs_setup()         to decide where to listen, and to greet the first user
    accounts.audit(access, dossier, limit)           admins: all lines; owners: those of their dossier
    accounts.users, .tokens, .members                see the modules of the same names

`visit` says where a request came from. Every login creates a new cookie and ends the session of the old one.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.access.access import Identity, Role, Way
from veille.core.access.accounts import AuditLine, Member, Session, Token, User, Visit, clean_email
from veille.core.access.logins import (
    LINK_LIFE,
    SEEN_EVERY,
    counted_address,
    next_try_at,
    next_try_of_address,
    session_lives,
)
from veille.core.access.networks import is_loopback
from veille.core.access.passwords import MAX_LENGTH, check_password
from veille.core.access.tokens import digest, parse_token
from veille.core.schedule import MINUTE
from veille.errors import ConfigError, ForbiddenError, LoginError, NotFoundError, ThrottledError
from veille.services.people.access import Access, Gate
from veille.services.people.members import MemberService
from veille.services.people.tokens import TokenService
from veille.services.people.users import UserService

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.ports.accounts import LinkFile, PasswordHasher

#: The user of the first one-time link.
FIRST_USER = "owner"
_COOKIE_BYTES = 32
_NOWHERE = Visit()
#: What wrong passwords of reader apps are counted as, and not at the login: any page can make a browser send them.
_APPS = digest("reader apps")


@dataclass(frozen=True)
class LoginResult:
    """A successful login: the cookie to set, and the access it gives."""

    cookie: str = field(repr=False)
    access: Access


class AccountService:
    """Every way to get an `Access`."""

    def __init__(self, gate: Gate, hasher: PasswordHasher, link_file: LinkFile, operator: str) -> None:
        self._gate = gate
        self._store = gate.accounts
        self._clock = gate.clock
        self._hasher = hasher
        self._link_file = link_file
        self._operator = operator
        self.users = UserService(gate, hasher)
        self.tokens = TokenService(gate)
        self.members = MemberService(gate)

    def local(self) -> Access:
        """An access for the command line: a user who can read the data folder owns what is in it."""
        who = Identity(user_id="", login=self._operator, name=self._operator, way=Way.LOCAL, is_admin=True)
        return self._gate.admit(lambda: who, _NOWHERE)

    def by_session(self, cookie: str, visit: Visit = _NOWHERE) -> Access:
        return self._gate.admit(self._session_proof(digest(cookie)), visit)

    def _session_proof(self, key: str) -> Callable[[], Identity]:
        def prove() -> Identity:
            session, now = self._store.sessions.get(key), self._clock()
            if session is None or not session_lives(session.created_at, session.seen_at, now):
                raise _unknown()
            user = self._living(session.user_id)
            if now - session.seen_at >= SEEN_EVERY:
                self._store.sessions.touch(key, now)
            return _in_session(user, session.id)

        return prove

    def at_home(self, visit: Visit = _NOWHERE) -> Access:
        """The first user, without credentials: for an operator who said that this is a single-user machine.

        Refused as soon as any user has a password.
        """

        def prove() -> Identity:
            if not is_loopback(visit.address) or self.has_passwords():
                raise _unknown()
            user = self._store.users.find(FIRST_USER)
            if user is None:
                with self._store.writing():
                    user = self._store.users.find(FIRST_USER) or self._first_user(self.local())
            return _in_session(user, "at home")

        return self._gate.admit(prove, visit)

    def by_token(self, header: str, visit: Visit = _NOWHERE) -> Access:
        """An access by token; `header` is the value of `Authorization`, or the token alone."""
        kind, _, rest = header.strip().partition(" ")
        given = parse_token(rest.strip() if kind.lower() == "bearer" else header.strip())
        if given is None:
            raise _unknown()
        key = digest(given.secret)
        return self._by_token_id(given.id, visit, lambda kept: hmac.compare_digest(kept, key))

    def _by_token_id(self, token_id: str, visit: Visit, is_right: Callable[[str], bool]) -> Access:
        def prove() -> Identity:
            found, now = self._store.tokens.get(token_id), self._clock()
            if found is None or not is_right(found[1]) or not found[0].lives(now):
                raise _unknown()
            if not found[0].is_good_from(visit.address):
                raise _unknown()
            return self._used(found[0], now)

        return self._gate.admit(prove, visit)

    def by_app_password(self, password: str, visit: Visit = _NOWHERE, login: str | None = None) -> Access:
        """An access of a reader app, by its password; `login`, if given, has to be the name of its user."""
        access = self._by_app(visit, self._store.app_passwords.by_password, password)
        if login is not None and access.who.login != login.strip().casefold():
            raise _unknown()
        return access

    def by_fever_key(self, key: str, visit: Visit = _NOWHERE) -> Access:
        """The same, by the key that an app makes of name and password (the Fever protocol)."""
        return self._by_app(visit, self._store.app_passwords.by_fever, key)

    def _by_app(self, visit: Visit, find: Callable[[str], str | None], secret: str) -> Access:
        if not secret:
            # Apps look whether somebody is there before they send anything: that is no try.
            raise _unknown()
        # A right password is never refused: they are random and too long to be guessed, and an old phone with a revoked
        # one must not lock out the others of its address. Wrong ones are counted, so that they cannot fill the store.
        if (token_id := find(digest(secret))) is not None:
            return self._by_token_id(token_id, visit, lambda _: True)
        address, now, tries = counted_address(visit.address), self._clock(), self._store.tries
        wait = next_try_of_address([at for at in tries.failed(address, _APPS) if at > now - MINUTE], now)
        if now < wait:
            raise ThrottledError("Too many failed tries: wait before the next.", code="throttled", retry_at=wait)
        tries.add(_APPS, address, now)
        raise _unknown()

    def _used(self, token: Token, now: int) -> Identity:
        user = self._living(token.user_id)
        if now - (token.used_at or 0) >= SEEN_EVERY:
            self._store.tokens.touch(token.id, now)
        return replace(
            _in_session(user, token.id),
            way=Way.TOKEN,
            scopes=frozenset(token.scopes),
            dossiers=None if token.dossiers is None else frozenset(token.dossiers),
        )

    def _living(self, user_id: str) -> User:
        user = self._store.users.get(user_id)
        if user is None or user.removed_at is not None:
            raise _unknown()
        return user

    def login(self, email: str, password: str, visit: Visit = _NOWHERE, cookie: str = "") -> LoginResult:
        """Log in by password; `cookie` is the browser's old one, whose session ends."""
        try:
            email = clean_email(email)
        except ConfigError:
            email = email[:MAX_LENGTH]
        user = self._store.users.find(email)
        if not self._is_right(user, email, password, visit) or user is None:
            raise LoginError("This name and password do not belong together.", code="bad_login")
        with self._store.writing():
            self._store.sessions.end(digest(cookie))
            return self._enter(user, visit, "login")

    def _is_right(self, user: User | None, email: str, password: str, visit: Visit) -> bool:
        """Whether the password is right. Unknown users take as long, and are throttled, like known ones."""
        account, address, now = digest(email), counted_address(visit.address), self._clock()
        tries = self._store.tries
        # Counted before the check, so that parallel tries cannot escape the throttling.
        with self._store.writing():
            wait = max(
                next_try_at(tries.failed(address, account), now),
                next_try_of_address(tries.failed_for_any(address, now - MINUTE, but=_APPS), now),
            )
            if now < wait:
                raise ThrottledError("Too many failed tries: wait before the next.", code="throttled", retry_at=wait)
            tries.add(account, address, now)
        kept = self._store.users.password_hash(user.id) if user else None
        if not self._hasher.verify(kept, password[: MAX_LENGTH + 1]):
            if user:
                self._log_failure(user, visit)
            return False
        tries.forget(account, address)
        if user and kept and self._hasher.is_outdated(kept):
            self._store.users.set_password_hash(user.id, self._hasher.hash(password))
        return True

    def _log_failure(self, user: User, visit: Visit) -> None:
        # Not for unknown names: a password may have been typed there, and anybody could make the log grow.
        line = AuditLine(
            at=self._clock(), user_id=user.id, who="", way="", action="login.failed", detail={}, address=visit.address
        )
        self._store.audit.add(line)

    def _enter(self, user: User, visit: Visit, action: str) -> LoginResult:
        cookie, now = secrets.token_urlsafe(_COOKIE_BYTES), self._clock()
        key = digest(cookie)
        for one in self._store.sessions.of(user.id):
            if not session_lives(one.created_at, one.seen_at, now):
                self._store.sessions.end(one.digest)
        session = Session(digest=key, user_id=user.id, created_at=now, seen_at=now, visit=_shortened(visit))
        self._store.sessions.add(session)
        access = self._gate.admit(self._session_proof(key), visit)
        access.log(action)
        return LoginResult(cookie, access)

    def logout(self, cookie: str) -> None:
        self._store.sessions.end(digest(cookie))

    def change_password(self, access: Access, old: str, new: str) -> LoginResult:
        """Change one's own password. All sessions end; this one continues with a new cookie."""
        user = self._living(access.require_person().user_id)
        if user.has_password and not self._is_right(user, user.email, old, access.visit):
            raise LoginError("The old password is not right.", code="bad_login")
        check_password(new, self._hasher.common(), user.email, user.name)
        new_hash = self._hasher.hash(new)
        with self._store.writing():
            self._store.users.set_password_hash(user.id, new_hash)
            self._store.sessions.end_all(user.id)
            return self._enter(user, access.visit, "user.password")

    def confirm(self, access: Access, password: str) -> None:
        """LoginError `bad_login` unless the password is the user's own; who has none needs none."""
        user = self._living(access.require_person().user_id)
        if user.has_password and not self._is_right(user, user.email, password, access.visit):
            raise LoginError("The password is not right.", code="bad_login")

    def me(self, access: Access) -> User:
        """The user of the access; ForbiddenError at the command line, which is no user."""
        who = access.who
        if who.way is Way.LOCAL:
            raise ForbiddenError("The command line is no user.", code="forbidden")
        return self._living(who.user_id)

    def sessions(self, access: Access) -> list[Session]:
        """The user's own sessions that have not expired."""
        now = self._clock()
        mine = self._store.sessions.of(access.require_person().user_id)
        return [one for one in mine if session_lives(one.created_at, one.seen_at, now)]

    def end_session(self, access: Access, session_id: str) -> None:
        for one in self.sessions(access):
            if one.id == session_id:
                self._store.sessions.end(one.digest)
                access.log("session.end", id=session_id)
                return
        raise NotFoundError("You have no such session.", code="no_session")

    def has_passwords(self) -> bool:
        """Whether any user has a password; until then, the program should not be reachable from other machines."""
        return any(user.has_password for user in self._store.users.all())

    def needs_setup(self) -> bool:
        """Whether no user has a password or a live session."""
        now = self._clock()
        return not self.has_passwords() and not any(
            session_lives(one.created_at, one.seen_at, now)
            for user in self._store.users.all()
            for one in self._store.sessions.of(user.id)
        )

    def setup_link(self, access: Access, email: str = FIRST_USER) -> str:
        """The secret of a one-time link for this user; creates the first user, who gets dossiers without an owner."""
        access.require_local()
        link, now = secrets.token_urlsafe(_COOKIE_BYTES), self._clock()
        with self._store.writing():
            user = self._store.users.find(clean_email(email))
            if user is None and email == FIRST_USER:
                user = self._first_user(access)
            if user is None:
                raise NotFoundError(f"There is no user {email!r}.", code="no_user")
            # Services that begin together each print one: all are good until one is used.
            self._store.links.add(digest(link), user.id, now + LINK_LIFE, now + LINK_LIFE - MINUTE)
            access.log("link.add", email=user.email)
        self._link_file.write(link)
        return link

    def _first_user(self, access: Access) -> User:
        user = self.users.add(access, FIRST_USER, "Owner", None, is_admin=True)
        for dossier_id in self._store.members.ownerless():
            self._store.members.put(Member(user_id=user.id, dossier_id=dossier_id, role=Role.OWNER))
        return user

    def redeem(self, link: str, visit: Visit = _NOWHERE) -> LoginResult:
        """Log in with a one-time link."""
        with self._store.writing():
            user_id = self._store.links.take(digest(link), self._clock())
            entry = self._enter(self._living(user_id), visit, "link.use") if user_id else None
        if entry is None:
            raise LoginError("This link was used, or its time is over: ask for another.", code="bad_link")
        self._link_file.clear()
        return entry

    def audit(
        self, access: Access, dossier: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[AuditLine]:
        """Lines of the audit log, newest first; with `before`, those before that number."""
        if dossier is None:
            access.require_admin()
            return self._store.audit.lines(None, limit, before)
        return self._store.audit.lines(access.dossier(dossier, Role.OWNER, "admin").id, limit, before)


def _in_session(user: User, way_id: str) -> Identity:
    return Identity(
        user_id=user.id, login=user.email, name=user.name, way=Way.SESSION, way_id=way_id, is_admin=user.is_admin
    )


def _unknown() -> LoginError:
    return LoginError("Log in first: there is no session or token, or it is no longer good.", code="login")


def _shortened(visit: Visit) -> Visit:
    return Visit(address=visit.address[:80], agent=visit.agent[:200])
