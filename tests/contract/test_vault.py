from __future__ import annotations

from collections.abc import Iterator

import pytest

from desk import Desk, Store
from samples import NOW
from veille.core.http.secrets import Secret
from veille.errors import ConfigError, NotFoundError
from veille.ports import Vault


@pytest.fixture
def vault(desk: Desk) -> Iterator[Vault]:
    with desk.program.vault(desk.dossier_id) as opened:
        yield opened


def test_a_secret_comes_back_with_its_hosts_in_their_one_spelling(vault: Vault) -> None:
    vault.set("TOKEN", "s3cret ü", ["API.example.org", "*.example.com", "api.example.org"], NOW)
    vault.set("ANOTHER", "x", ["example.net:8443"], NOW)
    assert vault.get("TOKEN") == Secret("s3cret ü", ("api.example.org", "*.example.com"))
    assert vault.hosts() == {"ANOTHER": ("example.net:8443",), "TOKEN": ("api.example.org", "*.example.com")}
    assert list(vault.hosts()) == ["ANOTHER", "TOKEN"]


def test_a_secret_that_is_set_again_has_its_new_value_and_hosts_alone(vault: Vault) -> None:
    vault.set("TOKEN", "old", ["old.example"], NOW)
    vault.set("TOKEN", "new", ["new.example"], NOW + 1)
    assert vault.get("TOKEN") == Secret("new", ("new.example",))


def test_a_secret_that_is_not_there_is_none_and_cannot_be_deleted(vault: Vault) -> None:
    vault.set("TOKEN", "x", ["example.org"], NOW)
    vault.delete("TOKEN")
    assert (vault.get("TOKEN"), vault.hosts()) == (None, {})
    with pytest.raises(NotFoundError) as caught:
        vault.delete("TOKEN")
    assert caught.value.code == "no_secret"


@pytest.mark.parametrize(
    ("name", "value", "hosts", "code"),
    [
        ("", "hunter22", ["example.org"], "bad_secret_name"),
        ("two words", "hunter22", ["example.org"], "bad_secret_name"),
        ("N" * 65, "hunter22", ["example.org"], "bad_secret_name"),
        ("TOKEN", "", ["example.org"], "bad_secret_value"),
        ("TOKEN", "hunter22\n", ["example.org"], "bad_secret_value"),
        ("TOKEN", "hunter22" * 1001, ["example.org"], "bad_secret_value"),
        ("TOKEN", "hunter22", [], "bad_secret_host"),
        ("TOKEN", "hunter22", ["https://example.org/"], "bad_secret_host"),
        ("TOKEN", "hunter22", ["*.org"], "bad_secret_host"),
    ],
)
def test_what_is_no_secret_is_refused_and_the_one_before_stays(
    vault: Vault, name: str, value: str, hosts: list[str], code: str
) -> None:
    vault.set("TOKEN", "before", ["example.org"], NOW)
    with pytest.raises(ConfigError) as caught:
        vault.set(name, value, hosts, NOW)
    assert caught.value.code == code
    assert "hunter22" not in str(caught.value)
    assert vault.hosts() == {"TOKEN": ("example.org",)}
    assert vault.get("TOKEN") == Secret("before", ("example.org",))


def test_a_secret_is_of_one_dossier_and_for_every_program(store: Store) -> None:
    here, there = store.program(), store.program()
    one, other = (here.dossiers.create(name, NOW).id for name in ("one", "other"))
    with here.vault(one) as vault:
        vault.set("TOKEN", "x", ["example.org"], NOW)
    with there.vault(one) as vault:
        assert vault.get("TOKEN") == Secret("x", ("example.org",))
    with there.vault(other) as vault:
        assert (vault.get("TOKEN"), vault.hosts()) == (None, {})
