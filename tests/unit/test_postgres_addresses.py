from __future__ import annotations

import pytest

from veille.adapters.stores.postgres._address import taken_apart
from veille.errors import StoreError


def _refusal(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        taken_apart(url)
    assert caught.value.code == "store.bad_url"
    return str(caught.value)


@pytest.mark.parametrize("after", ["@host/db", "@host:5432/db?sslmode=require", "@host"])
@pytest.mark.parametrize(
    "password",
    [
        "gqx zvk",
        "gqx%zzvk",
        "gqx/zvk",
        "gqx#zvk",
        "gqx?zvk",
        "gqx@zvk",
        "gqx[zvk",
        # What stands before the sign could be a port.
        "71/zvk",
        "71#zvk",
        "71?zvk",
        "71?a=zvk",
        "71@zvk",
        "#zvk",
        "/zvk",
        "@zvk",
    ],
)
def test_no_part_of_a_password_is_repeated(password: str, after: str) -> None:
    said = _refusal(f"postgresql://user:{password}{after}")
    assert [part for part in ("gqx", "zvk", "71", "zz") if part in said] == []
    assert "%XX" in said


@pytest.mark.parametrize(
    "url",
    [
        "mysql://localhost/x",
        "localhost/x",
        "postgresql://localhost:port/x",
        "postgresql://localhost:65536/x",
        "postgresql://localhost:5432,two:none/x",
        "postgresql://localhost/x?port=geh",
        "postgresql://localhost/x?port=0",
        "postgresql://localhost/x?sslmode=bogus",
        "postgresql://localhost/x?target_session_attrs=any-primary",
        "postgresql://localhost/x?gssencmode=maybe",
        "postgresql://localhost/x?connect_timeout=soon",
        "postgresql://localhost/x?keepalives_idle=often",
        "postgresql://localhost/x?no_such_option=1",
        "postgresql://localhost/x?sslmode",
        "postgresql://localhost/x?service=nobody_wrote_this",
        "postgresql://user:%ff@localhost/x",
    ],
)
def test_what_no_server_can_make_good_is_told_before_one_is_asked(url: str) -> None:
    assert _refusal(url)


def test_what_is_wrong_in_the_environment_is_told_as_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGSSLMODE", "bogus")
    assert "variables" in _refusal("postgresql://host/db")
    assert taken_apart("postgresql://host/db?sslmode=require")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://host/db",
        "postgres://user:ge%40h%2Fe%23i%3Fm%20%25@host:5433/db",
        "postgresql://user:a:b@host/db",
        "postgresql://one:5432,two:5433/db?target_session_attrs=read-write",
        "postgresql://[::1]:5432/db",
        "postgresql://host:/db",
        "postgresql://user@/db?host=/run/postgresql",
        "postgresql:///db?user=me@server&host=host&sslmode=verify-full&sslrootcert=/etc/ca.pem",
        "postgresql://host/db?connect_timeout=3&keepalives_idle=5&options=-c%20statement_timeout%3D5s",
    ],
)
def test_addresses_as_operators_write_them_are_taken(url: str) -> None:
    taken, options = taken_apart(url)
    assert taken.startswith("postgres")
    assert options["client_encoding"] == "UTF8"


def test_pgbouncer_is_ours_and_not_for_the_server() -> None:
    taken, options = taken_apart("postgresql://host/db?sslmode=require&pgbouncer=true")
    assert taken == "postgresql://host/db?sslmode=require"
    assert options["prepare_threshold"] is None
