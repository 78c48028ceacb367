"""`veille config`: every setting with its origin, and a settings file that explains all of them."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

import pytest

from command import Cli
from veille.configuration import keys_of
from veille.settings import Settings, load_settings
from veille.settings.listing import commented_file, settings_now


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path, VEILLE_CONFIG=str(tmp_path / "there" / "veille.toml"))


def test_a_written_file_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    cli("config", "init")
    path = tmp_path / "there" / "veille.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = {one["key"]: one for one in cli.json("config")}
    assert shown["fetch.timeout_s"] == {
        "key": "fetch.timeout_s",
        "value": 30.0,
        "default": 30.0,
        "origin": "",
        "about": "Longest time for one address, from name look-up to last byte.",
    }
    assert shown["data"]["origin"] == "VEILLE_DATA"
    assert all(not one["origin"] or one["origin"].startswith("VEILLE_") for one in shown.values())


def test_a_file_that_is_there_is_kept(cli: Cli, tmp_path: Path) -> None:
    cli("config", "init")
    path = tmp_path / "there" / "veille.toml"
    path.write_text("deliver_batch = 7\n")
    cli("config", "init", status=2)
    assert "[config_exists]" in cli.stderr
    assert path.read_text() == "deliver_batch = 7\n"
    cli("config", "init", "--force")
    assert "#deliver_batch = 200\n" in path.read_text()


def test_the_origin_is_the_place_that_wins(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("config", "init")
    path = tmp_path / "there" / "veille.toml"
    path.write_text("deliver_batch = 7\nlease_s = 5\n[fetch]\nretries = 3\n")
    monkeypatch.setenv("VEILLE_LEASE_S", "9")
    shown = {one["key"]: (one["value"], one["origin"]) for one in cli.json("--data", "/elsewhere", "config")}
    assert shown["deliver_batch"] == (7, str(path))
    assert shown["fetch.retries"] == (3, str(path))
    assert shown["lease_s"] == (9, "VEILLE_LEASE_S")
    assert shown["data"] == ("/elsewhere", "command line")
    table = cli("config", "--changed")
    assert re.search(r"^lease_s +9 +VEILLE_LEASE_S", table, re.MULTILINE)
    assert "default" not in table


def test_every_setting_is_shown_and_in_the_file() -> None:
    tables = {key[:-1] for key in keys_of(Settings)}
    keys = {".".join(key) for key in keys_of(Settings) if key not in tables}
    assert {one.key for one in settings_now(Settings())} == keys
    assert {one.key for one in settings_now(Settings()) if not one.about} == set()
    assert len(re.findall(r"^#[a-z0-9_]+ = ", commented_file(), re.MULTILINE)) == len(keys)


def test_the_comments_show_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = re.sub(r"^#([a-z0-9_]+ = )", r"\1", commented_file(), flags=re.MULTILINE)
    # The function of this example is not installed.
    everything = re.sub(r"^url_validator = .*\n", "", everything, flags=re.MULTILINE)
    # The key of secrets comes from one place.
    everything = re.sub(r"^key(_command)? = .*\n", "", everything, flags=re.MULTILINE)
    path = tmp_path / "veille.toml"
    path.write_text(everything)
    assert None not in tomllib.loads(everything).values()
    monkeypatch.setenv("VEILLE_CONFIG", str(path))
    examples = {
        "buffer_dir",
        "store",
        "token",
        "fetch.ca_file",
        "serve.workers",
        "serve.metrics_port",
        "meaning.embedders",
    }
    examples |= {"news.google_service_account_json", "news.workbook", "news.fulltext_dir"}
    examples |= {"alerts.mail.password", "alerts.mail.ca_file", "vault.key_file"}
    examples |= {"router.token"}
    assert {one.key for one in settings_now(load_settings()) if one.value != one.default} == examples


def test_secrets_are_not_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("config", "init")
    monkeypatch.setenv("VEILLE_TOKEN", "hush-1")
    monkeypatch.setenv(
        "VEILLE_SINKS",
        '{"hook": {"kind": "webhook", "url": "https://h.example/", "secret": "hush-2, and again hush-2"}}',
    )
    monkeypatch.setenv("VEILLE_BRIDGES__TV__URL", "http://127.0.0.1:9/tv")
    monkeypatch.setenv("VEILLE_BRIDGES__TV__TOKEN", "hush-3")
    monkeypatch.setenv("VEILLE_MODEL__KIND", "openai")
    monkeypatch.setenv("VEILLE_MODEL__OPTIONS", '{"url": "https://m.example/", "model": "m", "token": "hush-4"}')
    for told in (cli("config"), cli("config", "--json")):
        assert "webhook" in told
        assert "hush" not in told


def test_a_path_may_begin_at_the_home_folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("config", "init")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "there" / "veille.toml").write_text('[fetch]\nfile_roots = ["~/papers"]\n')
    shown = {one["key"]: one["value"] for one in cli.json("config")}
    assert shown["fetch.file_roots"] == [str(tmp_path / "papers")]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cli = Cli(tmp_path, VEILLE_CONFIG=str(tmp_path / "file" / "veille.toml"))
    cli("config", "init", status=78)
    assert "cannot be written (" in cli.stderr
    assert "[bad_config]" in cli.stderr
