"""Users, tokens, members and the audit log, as the operator handles them."""

from __future__ import annotations

import json
import subprocess
import sys

from command import Cli
from people import PASSWORD


def _piped(cli: Cli, *arguments: str, text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "veille", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, env=cli.environment, check=False)


def test_an_operator_lets_somebody_in_and_sees_it_in_the_log(cli: Cli) -> None:
    made = _piped(cli, "users", "add", "Ada@example.org", "--name", "Ada", "--json", text=f"{PASSWORD}\n")
    assert json.loads(made.stdout)["email"] == "ada@example.org"
    cli("dossiers", "add", "news")
    cli("members", "add", "ada@example.org", "--role", "editor", "--dossier", "news")
    assert cli.json("members", "list", "--dossier", "news") == [
        {"email": "ada@example.org", "role": "editor", "until_at": None}
    ]
    cli("members", "remove", "ada@example.org", "--dossier", "news")
    cli("users", "remove", "ada@example.org")
    assert cli.json("users")[0]["removed_at"]
    log = cli("audit")
    actions = "user.add dossier.create member.add member.remove user.remove"
    assert [action for action in actions.split() if action not in log] == []
    assert PASSWORD not in log + made.stderr
    here = [line["action"] for line in cli.json("audit", "--dossier", "news")]
    assert here == ["member.remove", "member.add", "dossier.create"]


def test_a_token_is_printed_once(cli: Cli) -> None:
    _piped(cli, "users", "add", "ada@example.org", text=f"{PASSWORD}\n")
    token = cli.json("tokens", "add", "robot", "--scope", "read", "--expires", "never")
    assert token["token"].startswith(f"vk_{token['id']}_")
    assert token["expires_at"] is None
    assert cli("tokens", "add", "plain").startswith("vk_")
    assert token["token"] not in cli("tokens", "list", "--json")
    bound = cli.json("tokens", "add", "bound", "--network", "10.1.0.0/16", "--network", "192.0.2.7")
    assert bound["networks"] == ["10.1.0.0/16", "192.0.2.7/32"]
    assert "10.1.0.0/16" in cli("tokens")
    cli("tokens", "revoke", token["id"])
    assert "revoked" in cli("tokens")


def test_a_password_is_asked_for_and_never_shown(cli: Cli) -> None:
    answers = {"Password: ": PASSWORD, "confirmation: ": PASSWORD}
    shown = cli.in_dialogue("users", "add", "ada@example.org", answers=answers)
    assert PASSWORD not in shown
    assert "can log in" in shown
    refused = _piped(cli, "users", "password", "ada@example.org", text="password123\n")
    assert refused.returncode == 2
    assert "bad_password" in refused.stderr
    assert _piped(cli, "users", "password", "ada@example.org", text="twelve green lamps\n").returncode == 0
    assert _piped(cli, "users", "add", "ada@example.org", text=f"{PASSWORD}\n").stderr.count("user_exists") == 1


def test_what_is_not_there_is_said_with_its_code(cli: Cli) -> None:
    cli("tokens", "add", "x", status=2)
    assert "no_user" in cli.stderr
    cli("tokens", "revoke", "nothing", status=2)
    assert "no_token" in cli.stderr
    cli("users", "remove", "nobody", status=2)
    assert "no_user" in cli.stderr
