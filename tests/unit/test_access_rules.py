from __future__ import annotations

import itertools

import pytest
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from veille.adapters.passwords import Argon2Passwords
from veille.core.access.access import LEAST_ROLE, SCOPES, Identity, Role, Way, may
from veille.core.access.accounts import without_secrets
from veille.core.access.logins import (
    FREE_TRIES,
    LONGEST_WAIT,
    SESSION_IDLE,
    SESSION_LIFE,
    TRIES_A_MINUTE,
    counted_address,
    next_try_at,
    next_try_of_address,
    session_lives,
)
from veille.core.access.passwords import MIN_LENGTH, check_password, is_common
from veille.core.access.tokens import make_token, parse_token, without_tokens
from veille.core.schedule import DAY, MINUTE, SECOND
from veille.errors import ConfigError

COMMON = Argon2Passwords().common()
#: Written out by hand, against the table in the code.
MATRIX = {
    "read": {Role.READER, Role.EDITOR, Role.OWNER},
    "export": {Role.READER, Role.EDITOR, Role.OWNER},
    "mcp": {Role.READER, Role.EDITOR, Role.OWNER},
    "fetch": {Role.EDITOR, Role.OWNER},
    "write": {Role.EDITOR, Role.OWNER},
    "admin": {Role.OWNER},
}


def _who(**given: object) -> Identity:
    return Identity(user_id="u", login="u@x", name="U", way=Way.TOKEN, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("scope", "role"), list(itertools.product(SCOPES, [None, *Role])))
def test_what_a_role_may_do_with_a_scope(scope: str, role: Role | None) -> None:
    expected = role in MATRIX[scope]
    assert may(_who(), "d", role, scope) is expected  # type: ignore[arg-type]
    others = frozenset(SCOPES) - {scope}
    assert not may(_who(scopes=others), "d", role, scope)  # type: ignore[arg-type]
    assert not may(_who(dossiers=frozenset({"other"})), "d", role, scope)  # type: ignore[arg-type]
    assert may(_who(dossiers=frozenset({"d"})), "d", role, scope) is expected  # type: ignore[arg-type]


def test_every_scope_has_a_least_role_and_a_higher_need_counts() -> None:
    assert set(LEAST_ROLE) == set(SCOPES) == set(MATRIX)
    assert may(_who(), "d", Role.EDITOR, "read", Role.EDITOR)
    assert not may(_who(), "d", Role.READER, "read", Role.EDITOR)


def test_an_admin_without_a_role_may_do_nothing_in_a_dossier() -> None:
    assert not any(may(_who(is_admin=True), "d", None, scope) for scope in SCOPES)


TEXT = make_token(bytes(range(10)), bytes(range(200, 232)))


def test_a_token_is_made_of_its_parts_and_read_back() -> None:
    assert len(TEXT) == len("vk_") + 16 + 1 + 43 + 1 + 8
    proof = parse_token(TEXT)
    assert proof is not None
    assert TEXT.startswith(f"vk_{proof.id}_{proof.secret}_")
    assert proof.secret not in repr(proof)
    assert make_token(bytes(10), bytes(32)).split("_")[2] == "0" * 43
    assert make_token(bytes(10), b"\xff" * 32) != make_token(bytes(10), b"\xff" * 31 + b"\xfe")


@pytest.mark.parametrize("place", range(len(TEXT)))
def test_a_token_with_any_character_changed_is_refused(place: int) -> None:
    other = "b" if TEXT[place] != "b" else "c"
    assert parse_token(TEXT[:place] + other + TEXT[place + 1 :]) is None


@pytest.mark.parametrize(
    "text", ["", "vk_", f"{TEXT}\n", f" {TEXT}", TEXT[:-1], TEXT + "0", TEXT.upper(), "x" * 10_000]
)
def test_other_texts_are_no_tokens(text: str) -> None:
    assert parse_token(text) is None


def test_the_secret_of_a_token_in_a_text_is_masked() -> None:
    shown = without_tokens(f"curl -H 'Authorization: Bearer {TEXT}' x")
    assert TEXT.split("_")[2] not in shown
    assert TEXT.split("_")[1] in shown


@pytest.mark.parametrize(
    "password",
    [
        "short", "aaaaaaaaaaaa", "1234567890", "0987654321", "qwertyuiop", "azertyuiop12", "abcdefghijkl",
        "password123",
        "P4ssw0rd!2026", "123password", "abcabcabcabc", "Motdepasse1!", "ada@example.org",
        "adalovelace1", "20261115120000",
        "!!!!!!!!!!?", "letmein!!!!", "iloveyou2026", "x" * 600,
        "q1w2e3r4t5", "1qaz2wsx3edc", "manchester", "realmadrid", "Playstation", "leavemealone", "salamander",
        "nuttertools", "1357924680", "tinkerbell!", "D3epthroat1", "smallville2026", "trustno1trustno1",
        "SecretSecret", "veilleveille", "passwordpassword", "superuser2026", "administrator",
    ],
)  # fmt: skip
def test_common_passwords_are_refused(password: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_password(password, COMMON, "ada@example.org", "Adalovelace")
    assert caught.value.code == "bad_password"
    assert password not in str(caught.value)


def test_the_ten_thousand_most_common_passwords_are_refused() -> None:
    first = [word for word in FREQUENCY_LISTS["passwords"][:10_000] if len(word) >= MIN_LENGTH]
    assert len(first) > 250
    for word in first:
        for form in (word, word.upper(), f"{word}!", f"2026{word}"):
            assert is_common(form, COMMON), form


@pytest.mark.parametrize(
    "password",
    [
        "correct horse lamp", "Vq7#mzP0-rt", "наша тайна вечна", "grandma bakes 9 pies", "teal-otter-bakes-bread",
        "Ein Fahrrad fliegt 3 Mal", "kettle.monday.violin", "we saw 4 herons at dusk", "hT9w-kq2L-z7Rm",
    ],
)  # fmt: skip
def test_other_passwords_are_accepted(password: str) -> None:
    check_password(password, COMMON, "ada@example.org", "Ada")


def test_after_some_free_attempts_the_wait_grows_with_each_failure() -> None:
    assert next_try_at([1000] * (FREE_TRIES - 1), 1000) == 0
    waits = [next_try_at([0] * count, 0) for count in range(FREE_TRIES, FREE_TRIES + 12)]
    assert waits[:4] == [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]
    assert waits[-1] == LONGEST_WAIT
    assert next_try_at([5, 9, 7, 1, 2], 9) == 9 + MINUTE


def test_nobody_can_guess_faster_than_the_limits_allow() -> None:
    tries: list[int] = []
    for now in range(0, DAY, 10 * SECOND):
        if now >= next_try_at(tries, now):
            tries.append(now)
    assert len([at for at in tries if at < MINUTE]) == FREE_TRIES
    assert len(tries) < 40
    sprayed: list[int] = []
    for now in range(0, 10 * MINUTE, SECOND):
        if now >= next_try_of_address(sprayed, now):
            sprayed.append(now)
    assert len(sprayed) <= 10 * TRIES_A_MINUTE


def test_a_session_ends_when_idle_and_when_old() -> None:
    assert session_lives(0, 0, SESSION_IDLE - 1)
    assert not session_lives(0, 0, SESSION_IDLE)
    assert session_lives(0, SESSION_LIFE - 2, SESSION_LIFE - 1)
    assert not session_lives(0, SESSION_LIFE - 1, SESSION_LIFE)


def test_a_clock_that_was_ahead_locks_nobody_out_and_lets_nobody_stay() -> None:
    ahead = 400 * DAY
    assert next_try_at([ahead] * 20, MINUTE) == next_try_of_address([ahead] * 100, MINUTE) == 0
    assert not session_lives(ahead, ahead, MINUTE)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_ipv6_addresses_are_counted_by_network(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a table's column
    assert (counted_address(one) == counted_address(other)) is same


def test_audit_detail_holds_no_secrets() -> None:
    detail = {
        "password": "x1",
        "api_token": "x2",
        "deep": {"Secret": "x3", "list": [f"a {TEXT}"]},
        "none": None,
        "n": 3,
    }
    kept = without_secrets(detail)
    assert kept == {
        "password": "***",
        "api_token": "***",
        "deep": {"Secret": "***", "list": [f"a vk_{TEXT.split('_')[1]}_***"]},
        "n": 3,
    }
