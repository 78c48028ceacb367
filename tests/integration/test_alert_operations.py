"""Rules, channels and alerts from outside: set up, tried, fired, told again; and what is never told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operating import Do, doing, refused
from samples import STORY
from veille.core.schedule import DAY
from watching import Watch
from world import Page

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def do(watch: Watch) -> Do:
    return doing(watch)


def _price(watch: Watch, price: str) -> None:
    watch.site["/tea"] = f"<main><h1>Tea</h1><p>{STORY}</p><p class=price>{price} EUR</p></main>"


def _tea(do: Do, watch: Watch) -> str:
    _price(watch, "12.90")
    config = json.dumps({"values": {"price": ".price"}})
    return str(do("add_source", name="tea", url=f"{watch.site.url}/tea", config_json=config)["id"])


def _hook(do: Do, watch: Watch, **given: Any) -> dict[str, Any]:
    watch.site.made["/hook"] = lambda _: Page(b"{}")
    added: dict[str, Any] = do("add_channel", name="desk", where=f"{watch.site.url}/hook", **given)
    return added


@pytest.mark.covers("R-245")
def test_a_price_that_falls_is_told_and_told_again(do: Do, watch: Watch) -> None:
    source_id, channel = _tea(do, watch), _hook(do, watch)
    rule = do("add_rule", expression="price falls", sources=["tea"], tell=["desk"])
    assert (rule["name"], rule["sources"], rule["tell"]) == ("price falls", [source_id], [channel["id"]])
    watch.turn()
    watch.deliver()
    assert do("list_alerts") == []
    _price(watch, "11.50")
    watch.turn()
    watch.deliver()
    (alert,) = do("list_alerts", rule_id="price falls", source_id="tea")
    assert alert["headline"] == "Tea: price 12.90 EUR → 11.50 EUR"
    assert alert["evidence"][0]["found"] == "price fell from 12.90 EUR to 11.50 EUR"
    assert alert["values"] == [{"name": "price", "before": "12.90 EUR", "after": "11.50 EUR"}]
    assert [(one["channel"], one["state"]) for one in alert["tellings"]] == [("desk", "sent")]
    (told,) = [seen for seen in watch.site.seen if seen.path == "/hook"]
    assert told.headers["Veille-Message-Id"] == alert["tellings"][0]["message_id"]
    assert do("list_rules")[0]["fired"] == 1
    again = do("resend_alert", alert_id=str(alert["number"]))
    assert [one["state"] for one in again["tellings"]] == ["sent", "waiting"]
    watch.deliver()
    assert [seen.path for seen in watch.site.seen].count("/hook") == 2


def test_a_rule_is_tried_on_the_past_before_it_is_saved(do: Do, watch: Watch) -> None:
    _tea(do, watch)
    for price in ("12.90", "11.50", "13.00", "11.00"):
        _price(watch, price)
        watch.turn()
    tried = do("try_rule", expression="price falls", sources=["tea"], days=7)
    assert (tried["fired"], tried["changes"], tried["days"]) == (2, 4, 7)
    assert [hit["evidence"][0]["found"] for hit in tried["hits"]] == [
        "price fell from 13.00 EUR to 11.00 EUR",
        "price fell from 12.90 EUR to 11.50 EUR",
    ]
    assert (do("list_rules"), do("list_alerts")) == ([], [])
    assert tried["is_whole"]
    assert not do("try_rule", expression="price falls or nothing new for 2 days")["is_whole"]
    watch.now += 8 * DAY
    assert do("try_rule", expression="price falls", days=7)["fired"] == 0


def test_an_update_of_a_rule_keeps_what_was_not_sent(do: Do, watch: Watch) -> None:
    _tea(do, watch)
    channel = _hook(do, watch)
    given = {"sources": ["tea"], "tell": ["desk"], "set_tags": ["cheap"], "star": True, "weight": 5}
    rule = do("add_rule", expression="price falls", name="Tea", **given)
    assert do("update_rule", rule_id="Tea", enabled=False) == rule | {"enabled": False}
    changed = {"expression": "price < 12"}
    assert do("update_rule", rule_id="Tea", enabled=True, **changed) == rule | changed
    do("delete_channel", channel_id="desk")
    # Of a channel that is gone nothing stays.
    assert do("update_rule", rule_id="Tea", weight=1) == rule | changed | {"weight": 1, "tell": []}
    assert channel["id"] not in str(do("list_rules"))
    # A rule for one source does not become one for all when the source is deleted.
    do("delete_source", source_id="tea")
    assert refused(do, "update_rule", rule_id="Tea", weight=2) == (404, "no_source")
    assert do("update_rule", rule_id="Tea", sources=[], weight=2)["sources"] == []
    assert do("delete_rule", rule_id="Tea") == {"status": "deleted"}


def test_the_secrets_of_a_channel_are_in_no_answer_and_in_no_log(do: Do, watch: Watch) -> None:
    options = {"secret": SECRET, "headers": {"Authorization": f"Bearer {SECRET}"}}
    watch.site.made["/hook"] = lambda _: Page(b"{}")
    where = f"{watch.site.url}/hook?key={SECRET}"
    shown = [do("add_channel", name="desk", where=where, options=options)]
    shown.append(do("update_channel", channel_id="desk", frequency="every 2h", options={"method": "PUT"}))
    shown += [do("update_channel", channel_id="desk", enabled=value) for value in (False, True)]
    shown.append(do("test_channel", channel_id="desk"))
    shown.append(do("list_channels"))
    assert [one["state"] for one in shown[:4]] == ["on", "on", "paused", "on"]
    for wrong in ({"url": f"gopher://{SECRET}"}, {"headers": {"X\n": SECRET}}):
        given = {"channel_id": "desk", "options": wrong}
        with pytest.raises(Exception, match=next(iter(wrong))) as caught:
            do("update_channel", **given)
        assert SECRET not in str(caught.value)
    local = watch.app.accounts.local()
    log = watch.app.accounts.audit(local, watch.dossier_id)
    assert {line.action for line in log} >= {"add_channel", "update_channel", "test_channel"}
    assert SECRET not in str(shown) + str(log)
    # And still it is sent.
    (told,) = [seen for seen in watch.site.seen if seen.path.startswith("/hook")]
    assert (told.method, told.headers["Authorization"]) == ("PUT", f"Bearer {SECRET}")


BAD_CHANNELS: dict[str, tuple[dict[str, Any], tuple[int, str]]] = {
    "nowhere": ({}, (400, "bad_destination")),
    "a word": ({"where": "gopher"}, (400, "bad_destination")),
    "another kind": ({"where": "a@example.org", "kind": "webhook"}, (400, "bad_destination")),
    "no such kind": ({"kind": "pigeon"}, (404, "unknown_extension")),
    "no mail server": ({"where": "a@example.org"}, (400, "no_mail_server")),
    "no frequency": ({"where": "https://example.org/", "frequency": "often"}, (400, "bad_frequency")),
    "no such option": ({"where": "https://example.org/", "options": {"colour": "red"}}, (400, "bad_option")),
    "another socket": ({"where": "syslog://localhost"}, (400, "bad_option")),
    "taken": ({"where": "https://example.org/", "name": "taken"}, (409, "channel_exists")),
}


@pytest.mark.parametrize("case", BAD_CHANNELS)
def test_a_channel_that_leads_nowhere_is_refused(case: str, do: Do) -> None:
    given, expected = BAD_CHANNELS[case]
    do("add_channel", name="taken", where="https://example.org/hook")
    assert refused(do, "add_channel", **{"name": "one"} | given) == expected
    assert len(do("list_channels")) == 1


BAD_RULES: dict[str, tuple[dict[str, Any], tuple[int, str]]] = {
    "no rule": ({"expression": "price fals"}, (400, "bad_rule")),
    "no channel": ({"tell": ["nobody"]}, (404, "no_channel")),
    "no source": ({"sources": ["nothing"]}, (404, "no_source")),
    "no sink": ({"sink": "drain"}, (400, "no_sink")),
    "a value of no source": ({"values": {"price": ".price"}}, (400, "bad_option")),
    "too heavy": ({"weight": 6}, (400, "invalid_arguments")),
    "taken": ({"name": "taken"}, (409, "rule_exists")),
}


@pytest.mark.parametrize("case", BAD_RULES)
def test_a_rule_that_cannot_be_kept_is_refused(case: str, do: Do) -> None:
    given, expected = BAD_RULES[case]
    do("add_rule", expression="is new", name="taken")
    assert refused(do, "add_rule", **{"expression": "is new"} | given) == expected
    assert len(do("list_rules")) == 1


def test_a_test_that_is_refused_says_so(do: Do, watch: Watch) -> None:
    _hook(do, watch)
    watch.site.made["/hook"] = lambda _: Page(b"", status=410)
    assert refused(do, "test_channel", channel_id="desk") == (502, "channel.webhook_refused")
    do("add_channel", name="inside", where="http://10.0.0.1/hook")
    assert refused(do, "test_channel", channel_id="inside") == (502, "channel.webhook_refused")
