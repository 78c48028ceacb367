from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from desk import Program, Store
from samples import NOW
from veille.core.access.access import Role
from veille.core.access.accounts import INVITATION_LIFE, AuditLine, Member, Session, Token, User, Visit
from veille.core.access.logins import REMEMBERED
from veille.errors import ConfigError
from veille.ports.accounts import Accounts


@pytest.fixture
def accounts(program: Program) -> Accounts:
    return program.accounts


def _user(name: str = "ada", **given: Any) -> User:
    defaults: dict[str, Any] = {"name": name, "is_admin": False, "has_password": False, "created_at": NOW}
    return User(id=f"id of {name}", email=f"{name}@example.org", **(defaults | given))


def _add(accounts: Accounts, *names: str) -> list[str]:
    for name in names:
        accounts.users.add(_user(name), None)
    return [f"id of {name}" for name in names]


def _session(digest: str, user_id: str, seen_at: int = NOW) -> Session:
    visit = Visit(address="192.0.2.1", agent="a browser")
    return Session(digest=digest, user_id=user_id, created_at=NOW, seen_at=seen_at, visit=visit)


def _token(token_id: str, user_id: str, **given: Any) -> Token:
    defaults: dict[str, Any] = {"name": "robot", "scopes": ("read",), "dossiers": None, "created_at": NOW}
    return Token(id=token_id, user_id=user_id, **(defaults | {"expires_at": None} | given))


# Users


def test_a_user_is_found_by_id_and_by_address_and_by_no_other(accounts: Accounts) -> None:
    ada = _user(is_admin=True, has_password=True)
    accounts.users.add(ada, "a hash")
    assert accounts.users.get(ada.id) == accounts.users.find(ada.email) == ada
    assert accounts.users.password_hash(ada.id) == "a hash"
    assert (accounts.users.get("nobody"), accounts.users.find("nobody@example.org")) == (None, None)
    assert accounts.users.password_hash("nobody") is None


def test_an_address_is_taken_until_its_user_is_removed(accounts: Accounts) -> None:
    ada = _user()
    accounts.users.add(ada, None)
    with pytest.raises(ConfigError) as caught:
        accounts.users.add(replace(ada, id="another"), None)
    assert caught.value.code == "user_exists"
    accounts.users.remove(ada.id, NOW + 1)
    assert accounts.users.find(ada.email) is None
    later = replace(ada, id="another", created_at=NOW + 2)
    accounts.users.add(later, None)
    assert accounts.users.find(ada.email) == later
    assert accounts.users.get(ada.id) == replace(ada, removed_at=NOW + 1)


def test_users_are_listed_by_address_also_those_removed(accounts: Accounts) -> None:
    _add(accounts, "bob", "ada", "eve")
    accounts.users.remove("id of bob", NOW + 1)
    assert [user.name for user in accounts.users.all()] == ["ada", "bob", "eve"]


def test_what_is_set_about_a_user_is_there_and_about_nobody_else(accounts: Accounts) -> None:
    _add(accounts, "ada", "bob")
    accounts.users.set_password_hash("id of ada", "a hash")
    accounts.users.set_name("id of ada", "Ada L.")
    accounts.users.set_admin("id of ada", True)  # noqa: FBT003 - what it sets
    ada = accounts.users.get("id of ada")
    assert ada == replace(_user(), name="Ada L.", is_admin=True, has_password=True)
    assert accounts.users.password_hash("id of ada") == "a hash"
    assert accounts.users.get("id of bob") == _user("bob")
    accounts.users.set_admin("id of ada", False)  # noqa: FBT003 - likewise
    assert not accounts.users.all()[0].is_admin
    for change in (accounts.users.set_name, accounts.users.set_password_hash):
        change("nobody", "x")
    assert len(accounts.users.all()) == 2


def test_nothing_of_a_removed_user_opens_anything(program: Program) -> None:
    accounts, dossier = program.accounts, program.dossiers.create("news", NOW)
    for name in ("ada", "bob"):
        (user,) = _add(accounts, name)
        accounts.users.set_password_hash(user, "a hash")
        accounts.users.set_admin(user, True)  # noqa: FBT003 - what it sets
        accounts.sessions.add(_session(f"cookie of {name}", user))
        accounts.tokens.add(_token(f"token of {name}", user), "digest")
        accounts.members.put(Member(user_id=user, dossier_id=dossier.id, role=Role.OWNER))
        accounts.links.add(f"link of {name}", user, NOW + 10)
    accounts.users.remove("id of ada", NOW + 1)
    accounts.users.remove("id of ada", NOW + 2)
    ada = accounts.users.get("id of ada")
    assert ada == _user(removed_at=NOW + 1), "no administrator, no password, and removed when it first was"
    assert accounts.users.password_hash("id of ada") is None
    assert accounts.sessions.get("cookie of ada") is None
    assert [token.revoked_at for token in accounts.tokens.of("id of ada")] == [NOW + 1]
    assert accounts.members.of_user("id of ada", NOW) == []
    assert accounts.links.take("link of ada", NOW + 2) is None
    assert accounts.sessions.get("cookie of bob") is not None
    assert [token.revoked_at for token in accounts.tokens.of("id of bob")] == [None]
    assert accounts.members.role("id of bob", dossier.id, NOW) is Role.OWNER
    assert accounts.links.take("link of bob", NOW + 2) == "id of bob"


# Sessions


def test_sessions_are_listed_last_seen_first_and_end(store: Store) -> None:
    accounts, other = store.program().accounts, store.program().accounts
    ada, bob = _add(accounts, "ada", "bob")
    for digest, seen in (("one", NOW), ("two", NOW + 2), ("three", NOW + 1)):
        accounts.sessions.add(_session(digest, ada, seen))
    accounts.sessions.add(_session("his", bob))
    assert other.sessions.get("two") == _session("two", ada, NOW + 2)
    assert [one.digest for one in other.sessions.of(ada)] == ["two", "three", "one"]
    other.sessions.touch("one", NOW + 3)
    assert accounts.sessions.of(ada)[0] == _session("one", ada, NOW + 3)
    other.sessions.end("one")
    other.sessions.end("one")
    assert accounts.sessions.get("one") is None
    accounts.sessions.touch("one", NOW + 4)
    assert other.sessions.get("one") is None, "what ended is not brought back by a late request"
    accounts.sessions.end_all(ada)
    assert (other.sessions.of(ada), len(other.sessions.of(bob))) == ([], 1)


# Tokens


def test_a_token_comes_back_as_it_was_with_the_digest_of_its_secret(accounts: Accounts) -> None:
    ada, bob = _add(accounts, "ada", "bob")
    bound = _token(
        "bound", ada, scopes=("read", "write"), dossiers=("one", "two"), networks=("192.0.2.0/24",), expires_at=NOW + 9
    )
    confined = _token("confined", ada, dossiers=(), created_at=NOW + 1)
    accounts.tokens.add(confined, "digest 2")
    accounts.tokens.add(bound, "digest 1")
    accounts.tokens.add(_token("his", bob), "digest 3")
    assert accounts.tokens.get("bound") == (bound, "digest 1")
    assert accounts.tokens.get("confined") == (confined, "digest 2"), "to no dossier is not to all"
    assert accounts.tokens.get("another") is None
    assert accounts.tokens.of(ada) == [bound, confined]


def test_a_token_is_revoked_once(store: Store) -> None:
    accounts, other = store.program().accounts, store.program().accounts
    (ada,) = _add(accounts, "ada")
    for name in ("one", "two"):
        accounts.tokens.add(_token(name, ada), "digest")
    accounts.tokens.touch("one", NOW + 1)
    accounts.tokens.revoke("one", NOW + 2)
    other.tokens.revoke("one", NOW + 3)
    assert other.tokens.of(ada) == [_token("one", ada, used_at=NOW + 1, revoked_at=NOW + 2), _token("two", ada)]
    other.tokens.revoke("another", NOW)
    other.tokens.touch("another", NOW)
    assert len(other.tokens.of(ada)) == 2


# Roles


def test_a_role_takes_the_place_of_the_one_before_and_is_of_one_dossier(program: Program) -> None:
    members, news, other = program.accounts.members, *(program.dossiers.create(name, NOW).id for name in "ab")
    ada, bob = _add(program.accounts, "ada", "bob")
    members.put(Member(user_id=ada, dossier_id=news, role=Role.READER))
    members.put(Member(user_id=bob, dossier_id=news, role=Role.EDITOR))
    members.put(Member(user_id=ada, dossier_id=news, role=Role.OWNER))
    assert [members.role(ada, one, NOW) for one in (news, other, "nowhere")] == [Role.OWNER, None, None]
    owner, editor = members.of_dossier(news, NOW)
    assert (owner.user_id, owner.role, editor.user_id, editor.role) == (ada, Role.OWNER, bob, Role.EDITOR)
    assert members.of_user(bob, NOW) == [Member(user_id=bob, dossier_id=news, role=Role.EDITOR)]
    for _ in range(2):
        members.remove(ada, news)
    assert (members.role(ada, news, NOW), members.role(bob, news, NOW)) == (None, Role.EDITOR)


def test_a_role_for_a_while_ends_by_itself_and_owns_nothing(program: Program) -> None:
    members, news = program.accounts.members, program.dossiers.create("news", NOW).id
    (ada,) = _add(program.accounts, "ada")
    assert members.ownerless() == [news]
    taken = Member(user_id=ada, dossier_id=news, role=Role.OWNER, until=NOW + 10)
    members.put(taken)
    assert members.role(ada, news, NOW + 9) is Role.OWNER
    assert members.of_user(ada, NOW + 9) == members.of_dossier(news, NOW + 9) == [taken]
    assert members.role(ada, news, NOW + 10) is None
    assert members.of_user(ada, NOW + 10) == members.of_dossier(news, NOW + 10) == []
    assert members.ownerless() == [news]
    members.put(replace(taken, until=None))
    assert members.ownerless() == []


def test_roles_go_with_their_dossier(program: Program) -> None:
    members, news = program.accounts.members, program.dossiers.create("news", NOW).id
    (ada,) = _add(program.accounts, "ada")
    members.put(Member(user_id=ada, dossier_id=news, role=Role.OWNER))
    program.dossiers.delete(news)
    assert (members.of_user(ada, NOW), members.role(ada, news, NOW), members.ownerless()) == ([], None, [])


# Failed logins


def test_failed_logins_are_counted_by_account_and_address_across_programs(store: Store) -> None:
    here, there = store.program().accounts.tries, store.program().accounts.tries
    for number, (account, address) in enumerate([("ada", "x"), ("ada", "x"), ("bob", "x"), ("ada", "y")]):
        here.add(account, address, NOW + number)
    assert sorted(there.failed("x", "ada")) == [NOW, NOW + 1]
    assert sorted(there.failed_for_any("x", NOW)) == [NOW + 1, NOW + 2]
    assert there.failed_for_any("x", NOW, but="ada") == [NOW + 2]
    there.forget("ada", "x")
    assert (here.failed("x", "ada"), here.failed("y", "ada"), here.failed("x", "bob")) == ([], [NOW + 3], [NOW + 2])


def test_failed_logins_are_forgotten_when_they_are_too_old_to_matter(accounts: Accounts) -> None:
    accounts.tries.add("ada", "x", NOW)
    accounts.tries.add("bob", "y", NOW + REMEMBERED - 1)
    assert accounts.tries.failed("x", "ada") == [NOW]
    accounts.tries.add("bob", "y", NOW + REMEMBERED)
    assert accounts.tries.failed("x", "ada") == []
    assert len(accounts.tries.failed("y", "bob")) == 2


# One-time links


def test_a_link_lets_in_once_and_before_its_time_is_over(accounts: Accounts) -> None:
    ada, bob = _add(accounts, "ada", "bob")
    accounts.links.add("link", ada, NOW + 10)
    accounts.links.add("his", bob, NOW + 10)
    assert accounts.links.take("another", NOW) is None
    assert accounts.links.take("link", NOW + 9) == ada
    assert accounts.links.take("link", NOW + 9) is None
    assert accounts.links.take("his", NOW + 10) is None
    assert accounts.links.take("his", NOW + 9) is None, "one that was used too late is used up"


def test_a_new_link_takes_the_place_of_the_one_before(accounts: Accounts) -> None:
    ada, bob = _add(accounts, "ada", "bob")
    accounts.links.add("his", bob, NOW + 10)
    for name in ("first", "second"):
        accounts.links.add(name, ada, NOW + 10)
    assert [accounts.links.take(name, NOW) for name in ("first", "second", "his")] == [None, ada, bob]


def test_links_of_services_that_begin_together_are_good_until_one_is_used(accounts: Accounts) -> None:
    ada, bob = _add(accounts, "ada", "bob")
    accounts.links.add("his", bob, NOW + 10)
    accounts.links.add("before", ada, NOW + 9)
    for name in ("one", "two", "three"):
        accounts.links.add(name, ada, NOW + 10, NOW + 9)
    assert [accounts.links.take(name, NOW) for name in ("before", "two", "one", "his")] == [None, ada, None, bob]


def test_a_link_that_was_made_while_the_clock_was_ahead_lets_nobody_in(accounts: Accounts) -> None:
    (ada,) = _add(accounts, "ada")
    accounts.links.add("link", ada, NOW + INVITATION_LIFE + 1)
    assert accounts.links.take("link", NOW) is None


def test_of_many_who_take_a_link_at_once_one_gets_it(store: Store) -> None:
    programs = [store.program().accounts for _ in range(3)]
    (ada,) = _add(programs[0], "ada")
    programs[0].links.add("link", ada, NOW + 10)
    with ThreadPoolExecutor(9) as pool:
        taken = list(pool.map(lambda number: programs[number % 3].links.take("link", NOW), range(18)))
    assert [one for one in taken if one] == [ada]


# The audit log


def _line(action: str, dossier_id: str = "", **detail: Any) -> AuditLine:
    return AuditLine(
        at=NOW, user_id="id", who="ada", way="local", action=action, dossier_id=dossier_id, detail=detail, address="x"
    )


def test_lines_are_numbered_and_read_newest_first_from_any_on(accounts: Accounts) -> None:
    for number in range(5):
        accounts.audit.add(_line(f"act {number}", "odd" if number % 2 else ""))
    lines = accounts.audit.lines()
    assert [line.action for line in lines] == [f"act {number}" for number in (4, 3, 2, 1, 0)]
    assert [line.seq for line in lines] == sorted({line.seq for line in lines}, reverse=True)
    assert lines[0] == replace(_line("act 4"), seq=lines[0].seq)
    assert accounts.audit.lines(limit=2) == lines[:2]
    assert accounts.audit.lines(before=lines[1].seq, limit=2) == lines[2:4]
    assert [line.action for line in accounts.audit.lines("odd")] == ["act 3", "act 1"]
    assert [line.action for line in accounts.audit.lines("odd", before=lines[1].seq)] == ["act 1"]
    assert accounts.audit.lines("another") == []


def test_lines_outlive_their_dossier_and_user(program: Program) -> None:
    (ada,) = _add(program.accounts, "ada")
    dossier = program.dossiers.create("news", NOW)
    program.accounts.audit.add(replace(_line("make", dossier.id), user_id=ada))
    program.accounts.users.remove(ada, NOW)
    program.dossiers.delete(dossier.id)
    assert [(line.user_id, line.dossier_id) for line in program.accounts.audit.lines()] == [(ada, dossier.id)]


def test_no_secret_is_kept_in_a_line(accounts: Accounts) -> None:
    accounts.audit.add(_line("set", name="KEY", password="hunter22", nested={"token": "x"}, none=None))  # noqa: S106
    (line,) = accounts.audit.lines()
    assert line.detail == {"name": "KEY", "password": "***", "nested": {"token": "***"}}


# Transactions


def test_what_is_written_together_is_there_together_or_not_at_all(store: Store) -> None:
    program, other = store.program(), store.program()
    accounts = program.accounts

    def make(*, fail: bool) -> str:
        with accounts.writing(), accounts.writing():
            (ada,) = _add(accounts, "ada")
            dossier = program.dossiers.create("news", NOW)
            accounts.members.put(Member(user_id=ada, dossier_id=dossier.id, role=Role.OWNER))
            accounts.audit.add(_line("make", dossier.id))
            assert other.accounts.users.all() == []
            if fail:
                raise RuntimeError
        return dossier.id

    with pytest.raises(RuntimeError):
        make(fail=True)
    assert (other.accounts.users.all(), other.accounts.audit.lines(), other.dossiers.all()) == ([], [], [])
    made = make(fail=False)
    assert other.accounts.members.role("id of ada", made, NOW) is Role.OWNER
    with other.dossiers.open(made) as opened:
        assert opened.sources.all() == []
