"""Rules, channels and alerts at the command line."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import pytest

import veille
from command import Cli
from samples import STORY
from telling import Mailbox
from world import Page, Site

KEY = "0123456789abcdef0123456789abcdef"


def _price(site: Site, price: str) -> None:
    site["/tea"] = f"<main><h1>Sencha</h1><p>{STORY}</p><p class=price>{price} EUR</p></main>"


def mail_variables(mailbox: Mailbox) -> dict[str, str]:
    """The settings of a mail server, as an operator gives them."""
    given = {"HOST": "127.0.0.1", "PORT": str(mailbox.port), "SECURITY": "none", "SENDER": "veille@example.org"}
    return {f"VEILLE_ALERTS__MAIL__{name}": value for name, value in given.items()}


@pytest.mark.covers("R-245")
def test_a_price_falls_and_a_mail_says_so(site: Site, tmp_path: Path) -> None:
    with Mailbox() as mailbox:
        cli = Cli(tmp_path, **mail_variables(mailbox))
        _price(site, "12.90")
        cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea", "--set", 'values={"price": ".price"}')
        cli("channels", "add", "me", "anna@example.org")
        cli("rules", "add", "price falls", "--source", "tea", "--tell", "me")
        assert "price falls is watched for in tea; then: tell me." in cli.stderr
        cli("run", "tea")
        assert mailbox.mails == []
        _price(site, "11.50")
        assert "channel me" in cli("run", "tea")
        listed = cli("alerts")
        cli("alerts", "resend", "1")
        assert "told again by me" in cli.stderr
        cli("deliver")
        cli("channels", "test", "me")
        assert "a test was sent to anna@example.org" in cli.stderr
    price = "Sencha: price 12.90 EUR → 11.50 EUR"
    assert [mail["Subject"] for mail in mailbox.mails] == [price, price, "Test: “me” works"]
    assert price in listed
    assert "because: price falls · price fell from 12.90 EUR to 11.50 EUR" in listed
    assert "told: me sent" in listed
    (rule,) = cli.json("rules")
    assert (rule["sources"], rule["tell"], rule["fired"], rule["enabled"]) == (["tea"], ["me"], 1, True)
    cli("rules", "try", "price falls by 5%", "--source", "tea")
    assert cli.stderr == "It would have fired 1 time in 30 days (2 changes).\n"
    assert cli.json("rules", "add", "price rises", "--source", "tea", "--try")["fired"] == 0
    assert len(cli.json("rules")) == 1


def test_a_mistake_in_a_rule_is_shown_at_its_place(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("rules", "add", 'is new and price fals by "tea"', status=2)
    said, line, mark = cli.stderr.splitlines()
    assert said.startswith("veille: Expected ")
    assert said.endswith("[bad_rule]")
    assert (line, mark) == ('  is new and price fals by "tea"', "                   ^^^^")
    cli("rules", "add", "price fals", "--json", status=2)
    error = json.loads(cli.stderr)
    assert (error["code"], error["place"], error["length"]) == ("bad_rule", 6, 4)
    assert "\n" not in error["error"]
    # Nothing was made for a rule that is none.
    assert cli.json("dossiers") == []


def test_a_rule_is_changed_switched_off_and_deleted(site: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    _price(site, "12.90")
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea")
    cli("channels", "add", "desk", f"{site.url}/hook")
    cli("rules", "add", "stock < 5", "--source", "tea", "--value", "stock=.stock", "--tell", "desk", "--star", "--mute")
    (source,) = cli.json("sources")
    assert source["config"]["values"]["stock"]["selector"] == ".stock"
    changed = cli.json("rules", "edit", "stock < 5", "-x", "stock < 3", "--name", "Few", "--no-star", "--weight", "5")
    assert (changed["expression"], changed["tell"], changed["star"], changed["mute"]) == (
        "stock < 3", ["desk"], False, True,
    )  # fmt: skip
    assert cli.json("rules", "edit", "Few", "--everything", "--tell-nobody", "--tag", "shops")["tags"] == ["shops"]
    row = cli("rules").splitlines()[1]
    assert row.split() == ["1", "default", "Few", "stock", "<", "3", "tag", "shops", "mute", "0", "on"]
    assert not cli.json("rules", "pause", "Few")["enabled"]
    assert cli.json("rules", "resume", "Few")["enabled"]
    cli("rules", "delete", "Few")
    assert cli.json("rules") == []
    cli("rules", "delete", "Few", status=2)
    assert "[no_rule]" in cli.stderr
    assert cli.json("rules", "restore", "Few")["expression"] == "stock < 3"
    cli("rules", "restore", "Few", status=2)
    assert "[no_rule]" in cli.stderr


def test_a_channel_is_set_up_from_a_pipe_and_its_secrets_are_never_printed(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(tmp_path)
    site.made["/hook"] = lambda _: Page(b"{}")
    said = []
    monkeypatch.setattr(sys, "stdin", StringIO(f"{site.url}/hook?key={KEY}\n"))
    said.append(cli("channels", "add", "desk", "-", "--every", "2h", "--json") + cli.stderr)
    monkeypatch.setattr(sys, "stdin", StringIO(KEY))
    headers = json.dumps({"Authorization": f"Bearer {KEY}"})
    said.append(cli("channels", "edit", "desk", "-s", "secret=-", "-s", f"headers={headers}", "--name", "hook"))
    said.append(cli("channels", "edit", "hook", "-s", f"headers={{{KEY}", status=2) + cli.stderr)
    said.append(cli("channels", "add", "x", f"slack://{KEY}", status=2) + cli.stderr)
    said.append(cli("channels", "add", "x", f"nothing://{KEY}", status=2) + cli.stderr)
    said += [cli("channels", action, "hook", "--json") for action in ("test", "pause", "resume", "skip")]
    said.append(cli("channels"))
    said.append(cli("channels", "--json"))
    assert KEY not in "".join(said)
    host = site.url.removeprefix("http://")
    assert cli("channels").splitlines()[1].split() == ["1", "default", "hook", "webhook", host, "every", "2h", "on"]
    (sent,) = [one for one in site.seen if one.path.startswith("/hook")]
    assert (sent.path, sent.headers["Authorization"]) == (f"/hook?key={KEY}", f"Bearer {KEY}")
    assert sent.headers["Veille-Signature"]
    cli("channels", "delete", "hook", "--yes")
    assert cli.json("channels") == []
    assert cli.json("channels", "restore", "hook")["name"] == "hook"


def test_a_channel_that_refuses_says_why_in_the_list(site: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    _price(site, "12.90")
    site.made["/hook"] = lambda _: Page(b"no", status=403)
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea")
    cli("channels", "add", "desk", f"{site.url}/hook")
    cli("rules", "add", '"Sencha" is there', "--tell", "desk", "--hide")
    assert "channel.webhook_refused" in cli("run", "tea", status=1)
    assert "desk: " in cli("channels").splitlines()[2]
    cli("channels", "skip", "desk")
    assert cli.stderr == "desk leaves its message out.\n"
    assert cli.json("alerts")[0]["tellings"][0]["state"] == "skipped"
    cli("alerts", "--rule", "none", status=2)
    assert "[no_rule]" in cli.stderr


def test_a_channel_that_asks_to_wait_is_left_alone_unless_somebody_says_now(site: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    _price(site, "12.90")
    site.made["/hook"] = lambda _: Page(b"", status=503, headers={"Retry-After": "3600"})
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea")
    cli("channels", "add", "desk", f"{site.url}/hook")
    cli("rules", "add", '"Sencha" is there', "--tell", "desk")
    told = cli.json("run", "tea", status=1)["deliveries"][-1]
    assert (told["sink"], told["delivered"], told["pending"], told["code"]) == (
        "channel desk", 0, 1, "channel.webhook",
    )  # fmt: skip
    assert "desk" not in cli("deliver")
    site.made["/hook"] = lambda _: Page(b"{}")
    assert "channel desk" in cli("deliver", "--now")
    assert cli.json("alerts")[0]["tellings"][0]["state"] == "sent"


def test_stars_of_a_rule_are_for_one_user(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    with veille.open_app(data=tmp_path / "data") as app:
        local = app.accounts.local()
        ada, _ = (app.accounts.users.add(local, f"{name}@example.org", name, None) for name in ("ada", "bob"))
    cli("rules", "add", "is new", "--star", status=2)
    assert "[no_user]" in cli.stderr
    cli("rules", "add", "is new", "--star", "--user", "ada@example.org")
    with veille.open_app(data=tmp_path / "data") as app:
        (rule,) = app.rules.all(app.dossier("default").id)
    assert rule.user_id == ada.id
