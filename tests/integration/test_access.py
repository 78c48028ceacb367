"""Who may open which dossier, and that nobody else may."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from people import People, people
from veille.core.access.access import SCOPES, Identity, Role, ScopeName, Way
from veille.core.access.accounts import Visit
from veille.core.schedule import HOUR
from veille.errors import ConfigError, ForbiddenError, LoginError, NotFoundError, VeilleError
from veille.services.container import Services
from veille.services.people.access import Access, Gate
from veille.services.watching.sources import Wish

WISH = Wish(url="https://example.org/news", kind="page")


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[People]:
    with people(tmp_path) as opened:
        yield opened


def _refused(call: Callable[[], object]) -> tuple[type, str, str]:
    with pytest.raises(VeilleError) as caught:
        call()
    return type(caught.value), caught.value.code, str(caught.value)


def _opened(access: Access, dossier_id: str, need: Role = Role.READER, scope: ScopeName = "read") -> str:
    with access.open(dossier_id, need, scope) as store:
        return store.id


def test_nobody_else_makes_an_access(crowd: People) -> None:
    who = Identity(user_id="", login="x", name="x", way=Way.LOCAL)
    gate = Gate(crowd.app.dossiers, crowd.local._gate.accounts, crowd.clock)
    with pytest.raises(TypeError):
        Access(gate, lambda: who, Visit(), seal=object())


@pytest.mark.covers("R-002")
def test_whoever_makes_a_dossier_owns_it_and_others_see_nothing_of_it(crowd: People) -> None:
    ada, bob = crowd.enter("ada"), crowd.enter("bob")
    secret = ada.create("plans")
    assert ada.role(secret.id) is Role.OWNER
    assert [one.id for one in ada.dossiers()] == [secret.id]
    assert _opened(ada, secret.id, Role.OWNER, "admin") == secret.id
    assert bob.dossiers() == []
    assert bob.role(secret.id) is None
    # The name tells nothing either: it is free for everybody.
    assert bob.create("plans").id != secret.id
    assert _refused(lambda: ada.create("plans"))[1] == "dossier_exists"
    assert ada.dossier("plans").id == secret.id


@pytest.mark.covers("R-002")
def test_absent_and_forbidden_are_one_answer(crowd: People) -> None:
    ada, bob, root = crowd.enter("ada"), crowd.enter("bob"), crowd.enter("root", is_admin=True)
    secret = ada.create("plans")
    crowd.accounts.members.add(ada, secret.id, "bob", Role.READER)
    absent = _refused(lambda: bob.dossier("0" * 8 + "-0000-7000-8000-" + "0" * 12))
    assert absent[:2] == (NotFoundError, "no_dossier")
    assert absent == _refused(lambda: _opened(root, secret.id))
    assert absent == _refused(lambda: _opened(bob, secret.id, scope="write"))
    assert absent == _refused(lambda: bob.delete(secret.id))
    assert absent == _refused(lambda: root.delete(secret.id))
    assert absent == _refused(lambda: root.dossier("plans"))
    assert absent == _refused(lambda: root.dossier("../../etc/passwd"))
    assert absent == _refused(lambda: crowd.accounts.members.all(root, secret.id))
    assert absent == _refused(lambda: crowd.accounts.audit(root, secret.id))
    _, text = crowd.token(ada, dossiers=[ada.create("other").id])
    assert absent == _refused(lambda: _opened(crowd.accounts.by_token(text), secret.id))
    assert absent == _refused(lambda: crowd.local.dossier("nothing"))


def _services(crowd: People, who: Access, scope: ScopeName) -> Services:
    return crowd.app.on_behalf(who, scope)


Act = Callable[[People, Access, str], object]
OPERATIONS: dict[str, tuple[ScopeName, Role, Act]] = {
    "see": ("read", Role.READER, lambda crowd, who, one: _services(crowd, who, "read").sources.all(one)),
    "search": ("read", Role.READER, lambda crowd, who, one: _services(crowd, who, "read").searches.search([one], "x")),
    "see members": ("read", Role.READER, lambda crowd, who, one: crowd.accounts.members.all(who, one)),
    "export": ("export", Role.READER, lambda _, who, one: _opened(who, one, scope="export")),
    "mcp": ("mcp", Role.READER, lambda _, who, one: _opened(who, one, scope="mcp")),
    "add": ("write", Role.EDITOR, lambda crowd, who, one: _services(crowd, who, "write").sources.add(one, WISH)),
    "fetch": ("fetch", Role.EDITOR, lambda _, who, one: _opened(who, one, scope="fetch")),
    "invite": ("admin", Role.OWNER, lambda crowd, who, one: crowd.accounts.members.add(who, one, "guest", Role.READER)),
    "expel": ("admin", Role.OWNER, lambda crowd, who, one: crowd.accounts.members.remove(who, one, "extra")),
    "read the log": ("admin", Role.OWNER, lambda crowd, who, one: crowd.accounts.audit(who, one)),
    "delete": ("admin", Role.OWNER, lambda _, who, one: who.delete(one)),
}


@pytest.mark.covers("R-002")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_role_and_way_in_does_what_it_may_and_nothing_else(operation: str, crowd: People) -> None:
    scope, least, act = OPERATIONS[operation]
    ada, eve = crowd.enter("ada"), crowd.enter("eve")
    crowd.user("guest")
    crowd.user("extra")
    done = 0
    for role, scopes in itertools.product([None, *Role], [None, (scope,), tuple(set(SCOPES) - {scope})]):
        dossier = ada.create(f"{role} {scopes and len(scopes)}").id
        crowd.accounts.members.add(ada, dossier, "extra", Role.READER)
        if role:
            crowd.accounts.members.add(ada, dossier, "eve", role)
        who = eve if scopes is None else crowd.accounts.by_token(crowd.token(eve, *scopes)[1])
        if scopes is not None and scope not in scopes:
            assert _refused(lambda: act(crowd, who, dossier))[:2] == (ForbiddenError, "no_scope")  # noqa: B023
        elif role is not None and role.covers(least):
            act(crowd, who, dossier)
            done += 1
        else:
            assert _refused(lambda: act(crowd, who, dossier))[:2] == (NotFoundError, "no_dossier")  # noqa: B023
    assert done == 2 * len([role for role in Role if role.covers(least)])


def test_an_admin_manages_people_and_reads_no_content(crowd: People) -> None:
    ada, root = crowd.enter("ada"), crowd.enter("root", is_admin=True)
    secret = ada.create("plans").id
    assert {one.email for one in crowd.accounts.users.all(root)} == {"ada", "root"}
    crowd.accounts.users.add(root, "new@example.org", "New", None)
    assert root.dossiers() == []
    for scope in SCOPES:
        assert _refused(lambda: _opened(root, secret, scope=scope))[0] is NotFoundError  # noqa: B023
    assert _refused(lambda: crowd.accounts.members.add(root, secret, "root", Role.OWNER))[0] is NotFoundError
    assert _refused(lambda: crowd.accounts.users.all(ada))[:2] == (ForbiddenError, "not_admin")


def test_breaking_the_glass_takes_a_reason_lasts_an_hour_and_is_told_to_the_owner(crowd: People) -> None:
    ada, root = crowd.enter("ada"), crowd.enter("root", is_admin=True)
    secret = ada.create("plans").id
    assert _refused(lambda: crowd.accounts.members.break_glass(ada, secret, "curious"))[1] == "not_admin"
    assert _refused(lambda: crowd.accounts.members.break_glass(root, secret, " "))[1] == "no_reason"
    crowd.accounts.members.break_glass(root, secret, "court order 7")
    assert _opened(root, secret) == secret
    assert _refused(lambda: _opened(root, secret, scope="write"))[0] is NotFoundError
    line = crowd.accounts.audit(ada, secret)[0]
    assert (line.who, line.action, line.detail["reason"]) == ("root", "break_glass", "court order 7")
    crowd.clock.now += HOUR
    assert _refused(lambda: _opened(root, secret))[0] is NotFoundError
    assert root.dossiers() == []


def test_a_dossier_that_has_an_owner_keeps_one_and_members_may_leave(crowd: People) -> None:
    ada, bob = crowd.enter("ada"), crowd.enter("bob")
    one = ada.create("plans").id
    members = crowd.accounts.members
    assert _refused(lambda: members.remove(ada, one, "ada"))[1] == "last_owner"
    assert _refused(lambda: members.add(ada, one, "ada", Role.READER))[1] == "last_owner"
    members.add(ada, one, "bob", Role.READER)
    assert [(user.email, member.role) for user, member in members.all(bob, one)] == [
        ("ada", "owner"),
        ("bob", "reader"),
    ]
    members.remove(bob, one, "bob")
    assert bob.dossiers() == []
    members.add(ada, one, "bob", Role.OWNER)
    members.remove(ada, one, "ada")
    assert ada.dossiers() == []


def test_services_on_behalf_of_somebody_make_dossiers_that_are_theirs(crowd: People) -> None:
    ada, bob = crowd.enter("ada"), crowd.enter("bob")
    bob.create("news")
    where = ada.create("start")
    opml = (
        b'<opml version="2.0"><body><outline text="news">'
        b'<outline type="rss" xmlUrl="https://example.org/a.rss"/></outline></body></opml>'
    )
    services = crowd.app.on_behalf(ada, "write")
    services.lists.take_in(opml, where.id, interval_ms=HOUR, by_folder=True)
    assert [one.name for one in ada.dossiers()] == ["news", "start"]
    assert len(services.sources.all(ada.dossier("news").id)) == 1
    assert crowd.app.sources.all(bob.dossier("news").id) == []


def test_the_command_line_owns_the_folder(crowd: People) -> None:
    made, theirs = crowd.local.create("mine"), crowd.enter("ada").create("mine")
    assert {one.id for one in crowd.local.dossiers()} == {made.id, theirs.id}
    assert _opened(crowd.local, theirs.id, Role.OWNER, "admin") == theirs.id
    with pytest.raises(ConfigError) as caught:
        crowd.app.dossier("mine")
    assert caught.value.code == "ambiguous_dossier"
    assert theirs.id in str(caught.value)
    crowd.local.delete(theirs.id)
    assert crowd.app.dossier("mine") == made


def test_an_access_that_is_held_ends_when_what_proves_it_does(crowd: People) -> None:
    ada = crowd.enter("ada")
    one = ada.create("plans").id
    token_id, text = crowd.token(ada)
    held = crowd.accounts.by_token(text)
    assert _opened(held, one) == one
    crowd.accounts.tokens.revoke(ada, token_id)
    assert _refused(lambda: _opened(held, one))[0] is LoginError
    crowd.accounts.logout(crowd.cookies["ada"])
    assert _refused(lambda: ada.dossiers())[0] is LoginError  # noqa: PLW0108 - read when called


def test_a_brief_access_asks_again_after_a_moment(crowd: People) -> None:
    ada, bob = crowd.enter("ada"), crowd.enter("bob")
    one = ada.create("plans").id
    crowd.accounts.members.add(ada, one, "bob", Role.READER)
    brief = crowd.accounts.by_session(crowd.cookies["bob"]).briefly()
    assert (_opened(brief, one), brief.role(one)) == (one, Role.READER)
    crowd.accounts.members.remove(ada, one, "bob")
    # Another access of the same person does not know what this one remembers.
    assert bob.dossiers() == []
    assert crowd.accounts.by_session(crowd.cookies["bob"]).briefly().dossiers() == []
    assert _opened(brief, one) == one
    crowd.clock.now += 50
    assert _refused(lambda: _opened(brief, one))[0] is NotFoundError
    assert (brief.dossiers(), brief.role(one)) == ([], None)
    crowd.accounts.logout(crowd.cookies["bob"])
    crowd.clock.now += 50
    assert _refused(brief.dossiers)[0] is LoginError
    # What it does itself it sees at once.
    brief = crowd.accounts.by_session(crowd.cookies["ada"]).briefly()
    assert [dossier.name for dossier in brief.dossiers()] == ["plans"]
    brief.rename(one, "deeds")
    assert (brief.dossier(one).name, [dossier.name for dossier in brief.dossiers()]) == ("deeds", ["deeds"])
    made = brief.create("more")
    assert len(brief.dossiers()) == 2
    brief.delete(made.id)
    assert len(brief.dossiers()) == 1
