"""What people get wrong: every mistake is one line that says what is wrong and what to do, and changes nothing."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import Cli, run_here
from veille.errors import StoreError
from veille.interfaces.cli import main, start
from veille.interfaces.cli._failures import fail
from world import Site

USAGE, BUG, CONFIGURATION = 2, 70, 78

HOOK = '[sinks.desk]\nkind = "webhook"\nurl = "https://example.org/hook"\n'

#: A file of settings, and what the line about it says beside the name of the file.
FILES: dict[str, tuple[str | bytes, str]] = {
    "a table that is not closed": ("[fetch\ntimeout_s = 1", ":1:7: this is no TOML"),
    "a key without a value": ("[fetch]\ntimeout_s =\n", ":2:12: this is no TOML"),
    "text without quotes": ('data = "x"\nbuffer_dir = /srv/x\n', ":2:14: this is no TOML"),
    "a quote that is not closed": ('buffer_dir = "/srv/x\n', ":1:21: this is no TOML"),
    "a key that is there twice": ("lease_s = 5\nlease_s = 6\n", ":2:12: this is no TOML: Cannot overwrite a value"),
    "a table that is there twice": ("[fetch]\n[log]\n[fetch]\n", ":3:7: this is no TOML"),
    "UTF-16": ("lease_s = 5\n".encode("utf-16"), ":1:1: this is UTF-16"),
    "Latin-1": ('lease_s = 5\nbuffer_dir = "/srv/bücher"\n'.encode("latin-1"), ":2:21: this is no UTF-8"),
    "no text at all": (b"\x00\x01\x02", ":1:1: this is no TOML"),
    "no end of brackets": ("x = " + "[" * 5000, ": this is no TOML"),
    "a table of another name": ("[fecth]\ntimeout_s = 5\n", ": fecth is no setting. Did you mean fetch?"),
    "a key of another name": (
        "[fetch]\ntime_out_s = 5\n",
        ": fetch.time_out_s is no setting. Did you mean fetch.timeout_s?",
    ),
    "a key in the wrong table": (
        "timeout_s = 5\n",
        ": timeout_s is no setting. Did you mean fetch.timeout_s, ",
    ),
    "a key of a service": (
        '[bridges.tides]\nurll = "http://a/"\n',
        ": bridges.tides.urll is no setting. Did you mean bridges",
    ),
    "a table in a number": ("[fetch.timeout_s]\na = 1\n", ": fetch.timeout_s: input should be a valid number"),
    "a number for a table": ("fetch = 5\n", ": fetch: this must be a table (found 5)"),
    "text for a number": ('[fetch]\nretries = "many"\n', ": fetch.retries: input should be a valid integer"),
    "a switch for a number": ("open_dossiers = true\n", ": open_dossiers: this must be a number"),
    "text for a list": ('[news]\nlanguages = "en"\n', ": news.languages: this must be a list (found 'en')"),
    "a negative number": ("[fetch]\ntimeout_s = -1\n", ": fetch.timeout_s: input should be greater than 0 (found -1)"),
    "a number without end": ("lease_s = inf\n", ": lease_s: "),
    "a number that is too large": ("deliver_batch = 99999999999999999999\n", ": deliver_batch: "),
    "a port that is none": ("[serve]\nport = 99999\n", ": serve.port: input should be less than or equal to 65535"),
    "a word that is none of these": (
        '[log]\nlevel = "loud"\n',
        ": log.level: input should be 'info', 'warn' or 'error'",
    ),
    "a network that is none": ('[fetch]\nallow_networks = ["10.0.0.0/33"]\n', ": fetch.allow_networks.0: "),
    "an address that is none": (
        '[serve]\npublic_url = "example"\n',
        ": serve.public_url: this must be: The address for browsers",
    ),
    "a user agent of two lines": ('[fetch]\nuser_agent = "a\\nb"\n', ": fetch.user_agent: "),
    "certificates that are not there": (
        '[fetch]\nca_file = "/nowhere.pem"\n',
        ": fetch.ca_file: /nowhere.pem holds no",
    ),
    "a file for a folder": ('buffer_dir = "/etc/hosts"\n', ": buffer_dir: /etc/hosts is a file; name a folder."),
    "a webhook without a secret": (HOOK, ": sinks.desk.secret: this must be given."),
    "a webhook with a short secret": (HOOK + 'secret = "abc"\n', ": sinks.desk.secret: "),
    "an option that a sink has not": (
        f'{HOOK}secret = "{"x" * 32}"\nbach = 2\n',
        ": sinks.desk.bach is no setting. Did you mean",
    ),
    "a sink that there is not": (
        HOOK.replace("webhook", "webhok"),
        ": sinks.desk: There is no sink called 'webhok'; known: ",
    ),
    "an embedder that there is not": (
        '[sinks.c]\nkind = "chroma"\nfolder = "x"\nembedder = "opnai"\n',
        ": sinks.c: There is no embedder called 'opnai'; known: ",
    ),
    "a sink that is no table": ('[sinks]\ndesk = "webhook"\n', ": sinks.desk: this must be a table (found 'webhook')"),
    "a time with its unit": (
        '[fetch]\ntimeout_s = "30s"\n',
        ": fetch.timeout_s: this must be a number, in seconds (found '30s').",
    ),
    "a size with its unit": (
        'min_free_mb = "2 GB"\n',
        ": min_free_mb: this must be a number, in megabytes (found '2 GB').",
    ),
    "a path that is empty": ('buffer_dir = ""\n', ": buffer_dir: this must be a path (found '')."),
    "a path with a sign that no path has": ('[news]\nworkbook = "a\\u0000b"\n', ": news.workbook: this must be a path"),
    "a proxy that is no network": (
        '[serve]\ntrusted_proxies = ["proxy.example"]\n',
        ": serve.trusted_proxies.0: value is not a valid IPv4 or IPv6 network (found 'proxy.example')",
    ),
    "an address for a host": (
        '[fetch]\nallow_hosts = ["http://wiki.corp.example/"]\n',
        ": fetch.allow_hosts: 'http://wiki.corp.example/' is no name of a host: write",
    ),
    "a host that is empty": ('read_hosts = [""]\n', ": read_hosts: '' is no name of a host: write"),
    "two ports that are one": (
        "[serve]\nport = 8420\nmetrics_port = 8420\n",
        ": serve: `port` and `metrics_port` are both 8420: give one of them another.",
    ),
    "a parameter that is to go and to stay": (
        '[tracking]\nadd = ["ref", "a"]\nkeep = ["ref"]\n',
        ": tracking: `add` and `keep` both have 'ref': take it out of one of them.",
    ),
    "mail from nobody": (
        '[alerts.mail]\nhost = "mail.example.org"\n',
        ": alerts.mail: `host` is set and `sender` is not: say whom mails are from.",
    ),
    "a login to no mail server": (
        '[alerts.mail]\nusername = "veille"\n',
        ": alerts.mail: `username` is set and `host` is not: name the mail server.",
    ),
    "certificates of a mail server that are not there": (
        '[alerts.mail]\nca_file = "/nowhere.pem"\n',
        ": alerts.mail.ca_file: /nowhere.pem holds no",
    ),
    "a kind of channel that there is not": (
        '[alerts]\nkinds = ["emial"]\n',
        ": alerts.kinds: there is no channel called 'emial'; known: apprise, email, ",
    ),
    "an embedder of all dossiers that there is not": (
        '[meaning]\nembedders = ["multilingal"]\n',
        ": meaning.embedders: there is no embedder called 'multilingal'; known: english, multilingual",
    ),
    "an embedder of a kind that there is not": (
        '[meaning.options.mine]\nkind = "opnai"\n',
        ": meaning.options.mine: there is no embedder called 'opnai'; known: ",
    ),
    "a model that there is not": (
        '[model]\nkind = "opnai"\n',
        ": model.kind: There is no model called 'opnai'; known: ",
    ),
    "a model without its address": ('[model]\nkind = "openai"\n', ": model.options.url: this must be given."),
    "a check of addresses that is not there": (
        '[fetch]\nurl_validator = "nowhere.rules:is_allowed"\n',
        ": fetch.url_validator: invalid python path: No module named 'nowhere'",
    ),
    "a service with the name of a kind": (
        '[bridges.feed]\nurl = "http://a/"\n',
        ": bridges.feed: there is a kind of that name",
    ),
    "a service whose name no kind can have": (
        '[bridges."T V/"]\nurl = "http://a/"\n',
        ": bridges: 'T V/' is no name of a kind of source",
    ),
    "a service at a port that there is not": (
        '[bridges.tides]\nurl = "http://a:99999/"\n',
        ": bridges.tides.url: this is no address: Port out of range 0-65535",
    ),
    "a router at half an address": ('[router]\nurl = "http://[::1/x"\n', ": router.url: this is no address: "),
    "half an address for browsers": (
        '[serve]\npublic_url = "https://[::1"\n',
        ": serve.public_url: this is no address: ",
    ),
    "a path below the address for browsers": (
        '[serve]\npublic_url = "https://veille.example.org/news"\n',
        ": serve.public_url: this must be the address of a host alone",
    ),
    "a password in the address for browsers": (
        '[serve]\npublic_url = "https://ada:pw@veille.example.org"\n',
        ": serve.public_url: this must be the address of a host alone",
    ),
    "no host to listen on": ('[serve]\nhost = ""\n', ": serve.host: this must be: The address to listen on"),
    "words for a host to listen on": ('[serve]\nhost = "this one"\n', ": serve.host: this must be: "),
    "a folder of files that is empty": (
        '[fetch]\nfile_roots = ["/srv", ""]\n',
        ": fetch.file_roots: this must be a path",
    ),
    "a file for a folder of files": (
        '[fetch]\nfile_roots = ["/etc/hosts"]\n',
        ": fetch.file_roots: /etc/hosts is a file",
    ),
    "a folder of a sink in a file": (
        '[sinks.chunks]\nfolder = "/etc/hosts/x"\n',
        ": sinks.chunks.folder: /etc/hosts is a file; name a folder.",
    ),
    "a prefix that NAT64 has not": (
        '[fetch]\nnat64_prefixes = ["64:ff9b::/33"]\n',
        ": fetch.nat64_prefixes: 64:ff9b::/33 is no NAT64 prefix",
    ),
    "a NAT64 prefix of IPv4": (
        '[fetch]\nnat64_prefixes = ["10.0.0.0/8"]\n',
        ": fetch.nat64_prefixes: 10.0.0.0/8 is no",
    ),
    "a check of addresses that is no name": (
        '[fetch]\nurl_validator = "..."\n',
        ": fetch.url_validator: it cannot be imported (TypeError: ",
    ),
    "a variable for an address with its scheme": (
        '[fetch]\nallow_env = {KEY = ["http://api.example.org/"]}\n',
        ": fetch.allow_env: 'http://api.example.org/' is no host",
    ),
    "a model at half an address": (
        '[model]\nkind = "openai"\noptions = {url = "http://[::1", model = "m"}\n',
        ": model.options.url: the IPv6 address is not closed by a bracket",
    ),
    "a mail address for a domain": (
        '[alerts.mail]\nto_domains = ["ada@example.org"]\n',
        ": alerts.mail.to_domains: 'ada@example.org' is no name of a host",
    ),
    "a key of secrets from two places": (
        '[vault]\nkey = "a"\nkey_file = "/etc/key"\n',
        ": vault: `key_file` and `key` are set: keep one of them.",
    ),
    "a command in one text": ('[vault]\nkey_command = "vault get"\n', ": vault.key_command: this must be a list."),
    "a place of bodies that is none": ('[bodies]\nplace = "ftp://x/y"\n', ": bodies.place: this must be: An absolute"),
    "a database at a port that is none": (
        'store = "postgresql://a@db.example:five/b"\n',
        ": store: This is no address of a PostgreSQL database (",
    ),
    "a list of tables": ("[[fetch]]\nretries = 1\n", ": fetch: this must be a table."),
    "a date for a path": ("buffer_dir = 2026-01-01\n", ": buffer_dir: this must be a path."),
    "half a number": ("[fetch]\nretries = 1.5\n", ": fetch.retries: input should be a valid integer"),
    "Python for TOML": ("[fetch]\nrobots = True\n", ":2:10: this is no TOML"),
    "JSON for TOML": ('{"lease_s": 5}\n', ":1:1: this is no TOML"),
    "YAML for TOML": ("fetch:\n  retries: 5\n", ":1:6: this is no TOML"),
    "a key of two lines": ('"a\\nb" = 1\n', ': "a\\nb" is no setting.'),
    "a key that is empty": ('"" = 1\n', ': "" is no setting.'),
    "an archive": (b"PK\x03\x04\x00\x00", ":1:3: this is no TOML"),
    "far too much": (b"#" * 11_000_000, ": this is no file of settings: it has over "),
}

#: Variables, and what the line about them says.
VARIABLES = {
    "a setting that is none": ({"VEILLE_FECTH__TIMEOUT_S": "5"}, "Did you mean VEILLE_FETCH__TIMEOUT_S?"),
    "one underscore too few": (
        {"VEILLE_SERVE_PORT": "5"},
        "VEILLE_SERVE_PORT is no setting. Did you mean VEILLE_SERVE__PORT?",
    ),
    "a key of another name in JSON": ({"VEILLE_FETCH": '{"timeout": 5}'}, "VEILLE_FETCH: fetch.timeout is no setting"),
    "a part of a number": ({"VEILLE_LEASE_S__X": "5"}, "VEILLE_LEASE_S__X is no setting"),
    "a list that is no JSON": ({"VEILLE_FETCH__ALLOW_HOSTS": "a,b"}, "VEILLE_FETCH__ALLOW_HOSTS is no JSON"),
    "text for a number": (
        {"VEILLE_FETCH__TIMEOUT_S": "soon"},
        "VEILLE_FETCH__TIMEOUT_S: this must be a number, in seconds (found 'soon').",
    ),
    "nothing": ({"VEILLE_LEASE_S": ""}, "VEILLE_LEASE_S is empty"),
    "a bare name": ({"FRESH_DAYS_LIMIT": "soon"}, "FRESH_DAYS_LIMIT: input should be a valid integer"),
    "a sink without a secret": (
        {"VEILLE_SINKS__HOOK__URL": "https://a.example/", "VEILLE_SINKS__HOOK__KIND": "webhook"},
        "HOOK__SECRET",
    ),
    "a file of settings that is not there": ({"VEILLE_CONFIG": "/nowhere/veille.toml"}, "/nowhere/veille.toml: "),
    "a folder for a file": ({"VEILLE_CONFIG": "/etc"}, "/etc: the settings cannot be read (Is a directory)"),
    "a data folder that is a file": (
        {"VEILLE_DATA": "/etc/hosts"},
        "VEILLE_DATA: /etc/hosts is a file; name a folder.",
    ),
    "a data folder in a file": ({"VEILLE_DATA": "/etc/hosts/data"}, "VEILLE_DATA: /etc/hosts is a file; name"),
    "a data folder that cannot be made": ({"VEILLE_DATA": "/proc/data"}, "/proc/data"),
    "a database of another maker": (
        {"VEILLE_STORE": "mysql://db.example/x"},
        "VEILLE_STORE: This is no address of a PostgreSQL",
    ),
    "a file that cannot be read": (
        {"VEILLE_CONFIG": "/proc/self/mem"},
        "/proc/self/mem: the settings cannot be read (Input/output error)",
    ),
    "a file without an end": ({"VEILLE_CONFIG": "/dev/zero"}, "/dev/zero: this is no file of settings"),
    "brackets without an end": ({"VEILLE_SINKS": '{"a":' * 5000}, "VEILLE_SINKS is no JSON"),
    "a path with signs that no text has": (
        {"VEILLE_BUFFER_DIR": "/srv/\udcff"},
        "VEILLE_BUFFER_DIR: this must be a path",
    ),
    "a path of two lines": ({"VEILLE_BUFFER_DIR": "/srv\n/x"}, "VEILLE_BUFFER_DIR: this must be a path"),
    "nothing to search with": ({"VEILLE_MEANING__EMBEDDERS": '["nothing"]'}, "no embedder called 'nothing'"),
}

#: None of them opens what it is asked for before it has read the settings.
COMMANDS = (
    "sources",
    "serve",
    "run",
    "work",
    "doctor",
    "backup b.zip",
    "restore b.zip",
    "search x",
    "mcp",
    "news poll",
)


def _one_line(said: str) -> str:
    assert "Traceback" not in said, said
    (line,) = said.splitlines()
    assert line.startswith("veille: ")
    assert line.endswith("]")
    return line


def _told(tmp_path: Path, command: str, variables: dict[str, str]) -> str:
    environment = {"VEILLE_DATA": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path), **variables}
    status, out, said = run_here(main, ["veille", *command.split()], environment)
    assert (status, out) == (CONFIGURATION, ""), (status, out, said)
    assert not (tmp_path / "data").exists()
    return _one_line(said)


@pytest.mark.parametrize(("name", "command"), list(zip(FILES, COMMANDS * 10, strict=False)))
def test_a_file_of_settings_that_is_not_right_ends_every_command_at_once(
    name: str, command: str, tmp_path: Path
) -> None:
    text, says = FILES[name]
    file = tmp_path / "veille" / "veille.toml"
    file.parent.mkdir()
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    line = _told(tmp_path, command, {})
    assert f"{file}{says}" in line


@pytest.mark.parametrize(("name", "command"), list(zip(VARIABLES, COMMANDS * 10, strict=False)))
def test_a_variable_that_is_not_right_ends_every_command_at_once(name: str, command: str, tmp_path: Path) -> None:
    variables, says = VARIABLES[name]
    assert says in _told(tmp_path, command, variables)


def test_the_service_ends_at_once_with_each_of_them(tmp_path: Path) -> None:
    """All in one test, of which a case takes a hundredth of a second: `serve` never begins, and nothing is left.

    `veille config` says the same of a file.
    """
    file = tmp_path / "veille" / "veille.toml"
    file.parent.mkdir()
    for text, says in FILES.values():
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert f"{file}{says}" in _told(tmp_path, "serve --port 0", {})
        assert f"{file}{says}" in _told(tmp_path, "config", {})
    file.unlink()
    for variables, says in VARIABLES.values():
        assert says in _told(tmp_path, "serve --port 0", variables)
    assert len(FILES) + len(VARIABLES) > 100


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_the_settings_before_it_does_anything(command: str, tmp_path: Path) -> None:
    assert "VEILLE_SINKS__HOOK" in _told(tmp_path, command, {"VEILLE_SINKS__HOOK__KIND": "webhook"})


def test_what_other_programs_say_with_our_prefix_is_left_alone(tmp_path: Path) -> None:
    of_kubernetes = {
        "VEILLE_SERVICE_HOST": "10.0.0.1",
        "VEILLE_SERVICE_PORT_HTTP": "80",
        "VEILLE_PORT": "tcp://10.0.0.1:80",
        "VEILLE_PORT_80_TCP_ADDR": "10.0.0.1",
    }
    environment = {"VEILLE_DATA": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path), **of_kubernetes}
    assert run_here(main, ["veille", "dossiers"], environment)[0] == 0


def test_a_file_of_settings_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(b'\xef\xbb\xbfdata = "there"\n'.replace(b"there", str(tmp_path / "d").encode()))
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    environment.pop("VEILLE_DATA", None)
    command = [sys.executable, "-m", "veille", "--config", "s.toml", "dossiers", "add", "a"]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "d" / "catalog.db").exists()


def test_a_service_with_a_wrong_sink_ends_before_it_starts_a_worker(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(HOOK)
    environment = {**os.environ, "VEILLE_DATA": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "veille", "--config", str(tmp_path / "s.toml"), "serve", "--port", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == CONFIGURATION
    assert "sinks.desk.secret: this must be given." in _one_line(done.stderr)


def test_a_service_that_could_not_hand_on_what_it_finds_does_not_begin(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    environment = {**os.environ, "VEILLE_DATA": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path)}
    environment["VEILLE_BUFFER_DIR"] = str(tmp_path / "closed" / "buffer")
    # Root may write anywhere, unless it gives that up.
    as_user = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] if os.geteuid() == 0 else []
    command = [*as_user, sys.executable, "-m", "veille", "serve", "--port", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == CONFIGURATION
    assert f"VEILLE_BUFFER_DIR: {tmp_path}/closed/buffer cannot be written by this user" in _one_line(done.stderr)


#: Commands as they are mistyped: the status, the code, and a part of what is said.
MISTAKES = [
    ("serach whales", USAGE, "usage", "Did you mean 'search'?"),
    ("sources paus Harbour", USAGE, "usage", "Did you mean 'pause'?"),
    ("dossiers frobnicate", USAGE, "usage", "`veille dossiers --help`"),
    ("add", USAGE, "usage", "Missing argument"),
    ("add https://example.org/ --evry 1h", USAGE, "usage", "Did you mean --every?"),
    ("add https://example.org/ https://example.net/", USAGE, "usage", "unexpected extra argument"),
    ("--josn sources", USAGE, "usage", "Did you mean --json?"),
    ("sources --json=yes", USAGE, "usage", "does not take a value"),
    ("--data", USAGE, "usage", "requires an argument"),
    ("--data /etc/hosts sources", USAGE, "usage", "is a file"),
    ("search whales --limit many", USAGE, "usage", "--limit"),
    ("search whales --limit 0", USAGE, "usage", "--limit"),
    ("serve --port 99999", USAGE, "usage", "65535"),
    ("serve --workers -1", USAGE, "usage", "--workers"),
    ("serve --config veille.toml", USAGE, "usage", "`veille --config … serve`"),
    ("backup", USAGE, "usage", "Missing argument"),
    ("add https://example.org/ --every 15x", USAGE, "bad_interval", "15min, 2h, 1 day or 1h30m"),
    ("add https://example.org/ --every 400d", USAGE, "bad_interval", "between 1 minute and 7 days"),
    ("add https://example.org/ -k page --cron '61 * * * *'", USAGE, "bad_cron", "minute, hour"),
    ("add htps://example.org/news", USAGE, "bad_url", "Did you mean https://example.org/news?"),
    ("add htp:/example.org", USAGE, "bad_url", "Did you mean http://example.org?"),
    ("add http//example.org", USAGE, "bad_url", "Did you mean http://example.org?"),
    ("add https:://example.org/a", USAGE, "bad_url", "Did you mean https://example.org/a?"),
    ("add example.org/news -k page", USAGE, "bad_url", "Did you mean https://example.org/news?"),
    ("add ftp://example.org/", USAGE, "unsafe_address", "'ftp' is not known"),
    ("add http://192.168.1.1/", USAGE, "unsafe_address", "192.168.1.1"),
    ("add /etc -k folder", USAGE, "unsafe_address", "fetch.file_roots"),
    ("add /etc/hosts", USAGE, "file_refused", "fetch.file_roots"),
    ("add https://example.org/ --kind paeg", USAGE, "unknown_extension", "Did you mean page?"),
    ("add https://example.org/ -k page --set selectrs=.a", USAGE, "bad_option", "Did you mean selectors?"),
    ("add https://example.org/ -k page --set min_chars=few", USAGE, "bad_option", "min_chars"),
    ("""add https://example.org/ -k page --set 'headers={"a": '""", USAGE, "bad_option", "no JSON"),
    ("add https://example.org/ -k page --set nothing", USAGE, "bad_option", "key=value"),
    ("add https://example.org/ --dossier nowhere", USAGE, "no_dossier", "veille dossiers"),
    ("add 'Who rebuilds the bridge?' --channel gogle", USAGE, "no_engine", "there are:"),
    ("sources edit Harbour --url htps://example.org/", USAGE, "bad_url", "Did you mean https://example.org/?"),
    ("sources pause nothing", USAGE, "no_source", "veille sources"),
    ("run nothing", USAGE, "no_source", "veille sources"),
    ("show ffff", USAGE, "no_document", "veille search"),
    ("export --format xml", USAGE, "unknown_extension", "csv, jsonl"),
    ("changes --since yesterday", USAGE, "bad_cursor", "cursor"),
    ("deliveries --sink nothing", USAGE, "no_sink", "sink"),
    ("import /nowhere.opml", USAGE, "bad_file", "/nowhere.opml"),
    ("import /dev/null", USAGE, "list.unknown_format", "no list"),
    ("restore /nowhere.zip", USAGE, "bad_file", "/nowhere.zip"),
    ("probe htps://example.org/", USAGE, "bad_url", "Did you mean https://example.org/?"),
    ("preview htps://example.org/", USAGE, "bad_url", "Did you mean https://example.org/?"),
    ("discover htps://example.org/", USAGE, "bad_url", "Did you mean https://example.org/?"),
    ("doctor egress --vectors /nowhere.tsv", USAGE, "bad_vectors", "/nowhere.tsv"),
    ("crawler config set /nowhere.toml", USAGE, "bad_crawl_config", "/nowhere.toml"),
    ("catalogue add sport", USAGE, "no_category", "there are:"),
    ("mcp --scope everything", USAGE, "bad_scope", "there are:"),
    ("repairs undo 01a1", USAGE, "no_repair", "veille repairs"),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A dossier with a source; no mistake changes anything about them."""
    cli = Cli(tmp_path_factory.mktemp("begun"))
    cli("dossiers", "add", "news")
    cli("add", "https://harbour.example.org/", "--kind", "page", "--name", "Harbour", "--dossier", "news")
    before = cli.json("sources"), cli.json("dossiers"), cli.json("questions"), cli.json("audit")
    yield cli
    assert (cli.json("sources"), cli.json("dossiers"), cli.json("questions"), cli.json("audit")) == before


@pytest.mark.parametrize(("command", "status", "code", "says"), MISTAKES, ids=[one[0] for one in MISTAKES])
def test_a_mistyped_command_is_told_in_one_line(begun: Cli, command: str, status: int, code: str, says: str) -> None:
    words = [*_words(command), *(("--dossier", "news") if "Harbour" in command and "--url" in command else ())]
    assert begun(*words, status=status) == ""
    line = _one_line(begun.stderr)
    assert line.endswith(f"[{code}]"), line
    assert says in line


def _words(command: str) -> list[str]:
    return shlex.split(command)


@pytest.mark.parametrize("command", ["serach whales", "add htps://example.org/", "add"])
def test_so_it_is_in_a_process_of_its_own(begun: Cli, command: str) -> None:
    begun.process(*_words(command), status=USAGE)
    _one_line(begun.stderr)


def test_a_date_that_is_none_is_searched_for_as_words_and_told_of(begun: Cli) -> None:
    """Any text can be searched for, so this is no failure."""
    begun("search", "whales after:2026-13-45")
    (line,) = begun.stderr.splitlines()
    assert "after:2026-13-45 is no date" in line


def test_with_json_the_line_is_json(begun: Cli) -> None:
    begun("add", "htps://example.org/", "--json", status=USAGE)
    assert json.loads(begun.stderr)["code"] == "bad_url"
    begun("sources", "paus", "--json", status=USAGE)
    assert json.loads(begun.stderr)["code"] == "usage"


def _broken() -> int:
    return 1 // 0


def test_a_fault_of_ours_is_one_line_too_and_says_how_to_see_where(begun: Cli) -> None:
    status, _, said = run_here(lambda: start(_broken), ["veille"], {})
    assert (status, "ZeroDivisionError" in _one_line(said), "--debug" in said) == (BUG, True, True)
    begun("--debug", "show", "ffff", status=USAGE)
    assert "Traceback" in begun.stderr
    # What one command was told is not told to the next of the same process.
    begun("--josn", "sources", status=USAGE)
    _one_line(begun.stderr)


def test_the_beginning_of_several_ids_is_told_with_all_of_them(begun: Cli, site: Site) -> None:
    own = Cli(begun.folder / "several")
    for name in ("one", "two"):
        site.article(f"/{name}", f"The {name}", f"A tale of {name}. " * 30)
        own("add", f"{site.url}/{name}", "--name", "Twin")
    own("run")
    ids = [hit["document_id"] for hit in own.json("search", "tale")]
    shared = next(ids[0][:n] for n in range(36, 0, -1) if ids[1].startswith(ids[0][:n]))  # they begin with the time
    for command in (("show", shared), ("diff", shared), ("chunks", shared), ("quirks", shared)):
        own(*command, status=USAGE)
        line = _one_line(own.stderr)
        assert line.endswith("[ambiguous_document]")
        assert all(one in line for one in ids)
    own("show", ids[0])
    own("sources", "pause", "Twin", status=USAGE)
    assert _one_line(own.stderr).endswith("[ambiguous_source]")
    assert all(source["enabled"] for source in own.json("sources"))


@pytest.mark.parametrize("command", ["run", "values --name", "members add", "reread --source"])
def test_an_argument_that_is_not_utf_8_is_told_as_such(cli: Cli, command: str) -> None:
    cli("dossiers", "add", "default")
    cli(*command.split(), "caf\udce9", status=USAGE)
    assert cli.stderr == "veille: 'caf\\udce9' is no text in UTF-8, as names and addresses have to be. [usage]\n"


def test_a_port_that_is_taken_is_named(begun: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for option, named in (("--port", "--host and --port"), ("--metrics-port", "--metrics-port")):
            begun("serve", option, str(port), status=78)
            assert _one_line(begun.stderr) == (
                f"veille: It cannot listen on 127.0.0.1 port {port} (Address already in use): "
                f"choose another with {named}. [cannot_listen]"
            )


def test_a_database_that_is_late_is_waited_for_and_a_host_that_there_is_not_is_wrong(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    store = {"VEILLE_STORE": f"postgresql://veille:s3cret@127.0.0.1:{port}/veille"}
    command = [sys.executable, "-m", "veille", "serve"]
    with subprocess.Popen(command, env=cli.environment | store, stderr=subprocess.PIPE, text=True) as started:
        try:
            assert started.stderr is not None
            assert started.stderr.readline() == "Waiting for the database on 127.0.0.1 ...\n"
        finally:
            started.kill()
    assert fail(StoreError("There is no such host.", code="store.no_server")) == 78
    assert fail(StoreError("It does not answer.", code="store.unreachable")) == USAGE


@pytest.mark.parametrize("folder", ["/proc/veille", "/sys/kernel/veille/buffer"])
def test_a_buffer_that_cannot_be_written_by_anybody_ends_serve_at_once(cli: Cli, folder: str) -> None:
    other = Cli(cli.folder, VEILLE_BUFFER_DIR=folder)
    other("serve", status=78)
    assert _one_line(other.stderr).startswith(f"veille: VEILLE_BUFFER_DIR: {folder} cannot be written")
