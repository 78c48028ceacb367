"""From a change of a site to what people are told: once, with the change in it, through every way it can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from receiver import answer
from veille.core.alerts.models import RULES_LOCK, ChannelState, RuleActions
from veille.core.alerts.records import AlertFilter, TellingState
from veille.core.crawler.config import check_config
from veille.core.crawler.runs import CrawlChoice
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from veille.services.crawler.crawl_run import CrawlRequest
from veille.services.engine.background import Deliveries
from veille.services.watching.sources import SourceEdit
from watching import Watch
from world import Asked, Page, Site

PROSE = "Tea from the mountains, smoked over pine wood for a day and a night, packed in tins of a hundred grams. " * 3


class Hook:
    """The other end of a channel: keeps every message by its id, and answers as it is told."""

    def __init__(self, site: Site, path: str) -> None:
        self.url = site.url + path
        self.messages: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.down: Page | None = None
        site.made[path] = self._answer

    def _answer(self, asked: Asked) -> Page:
        body = json.loads(asked.body)["message"]
        self.asked.append(body["id"])
        if self.down is not None:
            return self.down
        self.messages.setdefault(body["id"], body)
        return Page(b"", status=204, validates=False)

    @property
    def alerts(self) -> list[dict[str, Any]]:
        return [alert for message in self.messages.values() for alert in message["alerts"]]

    @property
    def rules(self) -> list[str]:
        return [alert["rule"]["name"] for alert in self.alerts]


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watch:
        yield watch


def shop(site: Site, price: str, stock: str = "InStock", words: str = "") -> None:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": f"https://schema.org/{stock}"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": "Smoked tea", "offers": offer}
    site["/tea"] = Page(
        f'<html><head><title>Smoked tea</title><script type="application/ld+json">{json.dumps(product)}</script></head>'
        "<body><main><h1>Smoked tea</h1>"
        f"<p>{PROSE}</p><p>It costs {price} EUR. {words}</p></main></body></html>".encode()
    )


def hooked(watch: Watch, name: str = "me", frequency: str = "at once") -> Hook:
    hook = Hook(watch.site, f"/{name}")
    wish = ChannelWish(name=name, kind="webhook", options={"url": hook.url}, frequency=frequency)
    watch.app.channels.add(watch.dossier_id, wish)
    return hook


def ruled(watch: Watch, expression: str, **given: Any) -> None:
    given = {"tell": ("me",)} | given
    watch.app.rules.add(watch.dossier_id, RuleWish(expression=expression, name=expression, **given))


def fired(watch: Watch) -> list[str]:
    return [line.alert.rule for line in watch.app.rules.alerts(watch.dossier_id, AlertFilter(), limit=1000)]


def later(watch: Watch) -> None:
    watch.turn()
    watch.deliver()


def test_a_price_that_falls_is_told_once_with_the_change_in_it(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price < 12")
    watch.run()
    watch.deliver()
    assert hook.alerts == [], "12.90 is not below 12"
    shop(site, "11.50")
    later(watch)
    (alert,) = hook.alerts
    assert alert["evidence"][0]["found"] == "price fell from 12.90 EUR to 11.50 EUR"
    assert [(one["before"]["text"], one["after"]["text"]) for one in alert["values"]] == [("12.90 EUR", "11.50 EUR")]
    shop(site, "11.40", words="Now with a new label.")
    later(watch)
    assert len(hook.alerts) == 1, "it was below 12 before"
    (line,) = watch.app.rules.alerts(watch.dossier_id, AlertFilter())
    assert [(one.channel, one.state) for one in line.tellings] == [("me", TellingState.SENT)]


def test_a_value_that_changes_alone_is_told_too(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90", "OutOfStock")
    watch.add("/tea", "page")
    ruled(watch, "availability = in stock")
    watch.run()
    watch.deliver()
    shop(site, "12.90", "InStock")
    later(watch)
    later(watch)
    assert hook.rules == ["availability = in stock"]


def test_what_a_first_check_finds_is_no_news_but_what_holds_then_is_told(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    ruled(watch, "is new")
    ruled(watch, '"smoked" appears')
    ruled(watch, "price < 20")
    shop(site, "12.90")
    watch.add("/tea", "page")
    watch.run()
    watch.deliver()
    assert hook.rules == ["price < 20"]


def test_a_channel_that_is_down_loses_nothing_and_keeps_the_order(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price changes")
    watch.run()
    hook.down = answer(503)
    prices = ["12.00", "11.00", "10.00"]
    for price in prices:
        shop(site, price)
        later(watch)
    assert hook.alerts == []
    hook.down = None
    later(watch)
    assert [one["values"][0]["after"]["text"] for one in hook.alerts] == [f"{price} EUR" for price in prices]
    assert len(set(hook.asked)) == len(prices), "a message has the same id at every attempt"


def test_a_channel_that_refuses_is_given_up_and_another_says_so(watch: Watch, site: Site) -> None:
    hook, other = hooked(watch), hooked(watch, "other")
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price changes")
    watch.run()
    hook.down = answer(403)
    shop(site, "11.00")
    for _ in range(5):
        later(watch)
    assert len(hook.asked) == 3
    assert watch.app.channels.find(watch.dossier_id, "me").state is ChannelState.FAILED
    (notice,) = other.messages.values()
    assert notice["kind"] == "notice"
    assert "'me' does not work" in notice["notice"]
    hook.down = None
    watch.app.channels.resume(watch.dossier_id, "me")
    watch.deliver()
    assert hook.rules == ["price changes"], "nothing was lost"


def test_a_rule_can_do_other_things_than_tell(watch: Watch, site: Site) -> None:
    hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price changes", tell=(), actions=RuleActions(tags=("cheap",), star=True, read=True, hide=True))
    watch.run()
    watch.deliver()
    shop(site, "11.00")
    later(watch)
    with watch.app.reading(watch.dossier_id) as reading:
        (document_id,) = reading.marks.kept("", 10)
        assert reading.marks.unread("") == 0
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert store.records.tags([document_id]) == {document_id: ("cheap",)}
        assert [event.change for event in store.outbox.latest(None, 10)] == ["new"], "the change is hidden"


def test_sources_that_break_recover_and_fall_silent_are_told(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "source is failing")
    ruled(watch, "source works again")
    ruled(watch, "source is silent for 3 days")
    watch.run()
    watch.deliver()
    site["/tea"] = Page(b"", status=500)
    later(watch)
    assert hook.rules == ["source is failing"]
    shop(site, "12.90")
    later(watch)
    assert hook.rules == ["source is failing", "source works again"]
    watch.now += 3 * DAY
    assert watch.app.alerts_due() == [watch.dossier_id]
    watch.deliver()
    watch.deliver()
    assert hook.rules.count("source is silent for 3 days") == 1


def test_what_another_process_judges_is_looked_at_again_soon(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price falls")
    watch.run()
    watch.deliver()
    shop(site, "11.00")
    watch.turn()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        store.outbox.lock(RULES_LOCK, "another", watch.now + MINUTE, watch.now)
    watch.deliver()
    assert hook.rules == []
    watch.now += 2 * MINUTE
    assert watch.app.alerts_due() == [watch.dossier_id]
    watch.deliver()
    assert hook.rules == ["price falls"]


def test_a_channel_that_is_down_is_not_asked_in_a_loop(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price falls")
    watch.run()
    watch.deliver()
    shop(site, "11.00")
    watch.turn()
    hook.down = answer(503)
    with ThreadPoolExecutor(1) as thread:
        deliveries = Deliveries(watch.app, thread, lambda: False, in_full=False)
        deliveries.hand_over([watch.dossier_id])
        assert deliveries.finish() == [], "nothing is left that only another attempt would deliver"
    assert len(hook.asked) == 1


def test_a_digest_gathers_a_day_and_comes_at_its_time(watch: Watch, site: Site) -> None:
    hook = hooked(watch, frequency="daily 08:00 Europe/Paris")
    shop(site, "12.90")
    watch.add("/tea", "page")
    ruled(watch, "price changes")
    watch.run()
    watch.deliver()
    for price in ("12.00", "11.00", "10.00"):
        shop(site, price)
        later(watch)
    while not hook.messages:
        watch.now += 10 * MINUTE
        watch.deliver()
    (digest,) = hook.messages.values()
    assert (digest["kind"], len(digest["alerts"])) == ("digest", 3)
    assert watch.now % HOUR < 10 * MINUTE


def test_a_rule_tried_on_the_past_says_when_it_would_have_fired(watch: Watch, site: Site) -> None:
    shop(site, "12.90")
    source = watch.add("/tea", "page")
    watch.run()
    for price in ("11.00", "13.00", "10.00"):
        shop(site, price)
        watch.turn()
    trial = watch.app.rules.try_on_the_past(watch.dossier_id, RuleWish(expression="price < 12", sources=(source.name,)))
    assert (trial.fired, trial.changes) == (2, 4)
    assert [hit.evidence[0].found for hit in trial.hits] == [
        "price fell from 13.00 EUR to 10.00 EUR",
        "price fell from 12.90 EUR to 11.00 EUR",
    ]
    assert fired(watch) == []


def test_a_number_of_a_diff_is_tried_on_the_past_and_known_from_the_moment_it_is_followed(
    watch: Watch, site: Site
) -> None:
    source_id = watch.add("/tea", offers=False).id
    # The same digits stand elsewhere, too.
    boxes = "Boxes 11, 12, 13, 20, 50 and 90."
    for price in ("12.90", "11.50", "13.20"):
        shop(site, price, words=boxes)
        watch.turn()
    rules, where = watch.app.rules, watch.dossier_id
    with watch.app.reading(where) as reading:
        (document,) = reading.records.documents(source_id)
    (number,) = rules.changing_numbers(where, document.document_id, 2, 3)
    assert (number.before.text, number.after.text) == ("11.50 EUR", "13.20 EUR")
    values = {"tin": {"near": number.wish.near, "type": number.wish.type}}
    wish = RuleWish(expression="tin falls", sources=(source_id,), values=values)
    trial = rules.try_on_the_past(where, wish)
    assert [hit.evidence[0].found for hit in trial.hits] == ["tin fell from 12.90 EUR to 11.50 EUR"]
    with watch.app.reading(where) as reading:
        assert reading.values.current() == [], "a trial stores nothing"
        rules.add(where, wish)
        (point,) = reading.values.current()
    assert (point.name, point.value and point.value.text, point.revision_id) == ("tin", "13.20 EUR", document.id)
    # The very next change is a change of the number, not its first appearance.
    shop(site, "9.80", words=boxes)
    later(watch)
    assert fired(watch) == ["tin falls"]


def test_a_rule_looks_at_what_comes_after_it(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    shop(site, "12.90")
    source = watch.add("/tea", "page")
    watch.run()
    shop(site, "11.00")
    watch.turn()
    ruled(watch, "price changes")
    watch.deliver()
    assert hook.alerts == []
    watch.app.rules.enable(watch.dossier_id, "price changes", enabled=False)
    shop(site, "10.00")
    later(watch)
    watch.app.rules.enable(watch.dossier_id, "price changes", enabled=True)
    watch.deliver()
    assert hook.alerts == []
    watch.app.sources.edit(watch.dossier_id, source.id, SourceEdit(name="Tea"))
    shop(site, "9.00")
    later(watch)
    assert [one["source"]["name"] for one in hook.alerts] == ["Tea"]


def test_runs_that_fail_are_told(watch: Watch, site: Site) -> None:
    hook = hooked(watch)
    ruled(watch, "crawl failed")
    config = check_config({"seeds": [f"{site.url}/gone"], "retry_wait_s": 0})
    watch.app.crawler.configure(watch.dossier_id, config, "anna")
    site["/gone"] = Page(b"", status=404)
    watch.app.crawler.run(watch.dossier_id, CrawlRequest(choice=CrawlChoice(), by="anna"))
    assert watch.app.alerts_due() == [watch.dossier_id]
    watch.deliver()
    (alert,) = hook.alerts
    assert alert["occasion"] == "run"
    assert "None of the seeds could be read" in alert["evidence"][0]["found"]
