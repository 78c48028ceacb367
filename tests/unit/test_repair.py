"""Every rule by itself: what it takes for a proof, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samples import failure, payload, source
from veille.core.change.source_patch import current, repaired
from veille.core.discover.examined import seen
from veille.core.models import Source, State
from veille.core.outcomes import OUTCOMES, failed_temporarily
from veille.core.repair import Case, Repair, Shown, Wanted, diagnosed, rules
from veille.core.repair.forbidden import AGENTS
from veille.core.repair.unreachable import MAX_BACKOFF
from veille.core.schedule import DAY, HOUR, MAX_ATTEMPTS, MINUTE
from veille.core.traffic import Failure, Payload

FEED = "https://example.org/feed.xml"
RSS = "<rss><channel><item><guid>{}</guid><title>A</title></item></channel></rss>"
HOME = '<link rel=alternate type="application/rss+xml" href="/new.xml"><p>Home</p>'


def _failing(code: str, failures: int = 1, **given: Any) -> Source:
    state: dict[str, Any] = {
        "state": State.ERROR,
        "error_code": code,
        "error": f"It failed with {code}.",
        "failures": failures,
    }
    return source(**(state | given))


def _diagnosed(of: Source, **given: Any) -> Repair:
    repair = diagnosed(Case(source=of, **given))
    assert isinstance(repair, Repair), repair
    assert repair.source_id == of.id
    assert repair.proof
    return repair


BROKEN = {"state": "broken"}


@pytest.mark.covers("R-168", "R-170", "R-171", "R-172", "R-174", "R-175")
@pytest.mark.parametrize(
    ("code", "failures", "kind", "rule", "change"),
    [
        ("http.500", MAX_ATTEMPTS, "page", "unreachable", {"interval_ms": 2 * HOUR, "original_interval_ms": HOUR}),
        ("http.599", MAX_ATTEMPTS, "api", "unreachable", {"interval_ms": 2 * HOUR, "original_interval_ms": HOUR}),
        ("timeout", MAX_ATTEMPTS, "feed", "unreachable", {"interval_ms": 2 * HOUR, "original_interval_ms": HOUR}),
        ("dns", MAX_ATTEMPTS, "site", "unreachable", {"interval_ms": 2 * HOUR, "original_interval_ms": HOUR}),
        ("reset", MAX_ATTEMPTS + 3, "page", "unreachable", {"interval_ms": 2 * HOUR, "original_interval_ms": HOUR}),
        ("http.429", 1, "page", "slow_down", {"config": {"delay_s": 2}}),
        ("http.404", 2, "site", "vanished", BROKEN),
        ("http.410", 1, "site", "vanished", BROKEN),
        ("http.401", 1, "page", "login", BROKEN),
        ("http.403", 1, "api", "forbidden", BROKEN),
        ("feed.hostile", 2, "feed", "unreadable", BROKEN),
        ("api.malformed", 2, "api", "unreadable", BROKEN),
    ],
)
def test_a_failure_is_classified_and_acted_upon(
    code: str, failures: int, kind: str, rule: str, change: dict[str, object]
) -> None:
    repair = _diagnosed(_failing(code, failures, kind=kind))
    assert (repair.rule, repair.change, repair.automatic) == (rule, change, True)
    if rule != "unreadable":
        assert code.removeprefix("http.") in repair.proof


@pytest.mark.parametrize(
    ("code", "failures"),
    [
        ("http.500", MAX_ATTEMPTS - 1),
        ("dns", 1),
        ("http.404", 1),
        ("http.403", 1),
        ("feed.malformed", 1),
        ("no_match", 1),
        ("http.429", 2),
        ("refused_address", 9),
        ("robots", 9),
        ("tls", 9),
        ("soft_404", 9),
        ("login_wall", 9),
        ("", 0),
    ],
)
def test_too_few_failures_prove_nothing(code: str, failures: int) -> None:
    assert diagnosed(Case(source=_failing(code, failures))) is None


@pytest.mark.covers("R-170", "R-179")
def test_the_interval_is_doubled_up_to_a_day_and_the_original_one_is_kept() -> None:
    failing = _failing("http.503", MAX_ATTEMPTS, interval_ms=5 * MINUTE)
    seen = [failing.interval_ms]
    while isinstance(repair := diagnosed(Case(source=failing)), Repair):
        failing = replace(repaired(failing, repair.change), failures=failing.failures + 1)
        seen.append(failing.interval_ms)
    assert seen == sorted(min(5 * MINUTE << step, MAX_BACKOFF) for step in range(len(seen)))
    assert (seen[-1], failing.original_interval_ms) == (DAY, 5 * MINUTE)
    well = replace(failing, failures=0, error_code="", state=State.OK)
    assert repaired(well, _diagnosed(well).change).interval_ms == 5 * MINUTE


def test_an_interval_that_is_longer_than_a_day_is_left_alone() -> None:
    assert diagnosed(Case(source=_failing("dns", MAX_ATTEMPTS, interval_ms=2 * DAY))) is None


@pytest.mark.covers("R-171")
def test_every_further_refusal_doubles_the_pause_once_a_check() -> None:
    failing, delays = _failing("http.429"), []
    for failures in (1, 2, 3, 4, 5, 6, 7):
        verdict = diagnosed(Case(source=replace(failing, failures=failures)))
        if isinstance(verdict, Repair):
            failing = repaired(failing, verdict.change)
            delays.append(failing.config["delay_s"])
    assert delays == [2, 4, 8, 16]


def test_only_a_permanent_redirect_seen_twice_rewrites_an_address() -> None:
    moved = source(moved_to="https://example.org/b", moved_seen=1)
    assert diagnosed(Case(source=moved)) is None
    repair = _diagnosed(replace(moved, moved_seen=2))
    assert (repair.rule, repair.change) == ("moved", {"url": "https://example.org/b"})
    assert diagnosed(Case(source=replace(moved, moved_seen=2, error_code="no_match", failures=1))) is None


def _other_name(of: Source, answers: list[Payload | Failure], robots: str = "allowed") -> tuple[object, list[str]]:
    """What comes of looking at a source under other names, and under which it was looked at."""
    looks: dict[Wanted, Shown] = {}
    while isinstance(verdict := diagnosed(Case(source=of, looks=looks)), Wanted):
        looks[verdict] = Shown(answer=answers[len(looks)], robots=robots)
    return verdict, [wanted.user_agent for wanted in looks]


@pytest.mark.covers("R-064", "R-173")
def test_a_refused_source_uses_the_first_user_agent_that_is_accepted() -> None:
    verdict, asked = _other_name(_failing("http.403", 2), [failure(403), payload("ok")])
    assert asked == list(AGENTS[:2])
    assert isinstance(verdict, Repair)
    assert (verdict.change, verdict.automatic) == ({"config": {"user_agent": AGENTS[1]}}, True)
    careful = _failing("http.403", 2, config={"rotate_agent": False})
    proposed, _ = _other_name(careful, [payload("ok")])
    assert isinstance(proposed, Repair)
    assert not proposed.automatic


@pytest.mark.covers("R-173")
@pytest.mark.parametrize("robots", ["forbidden", "unknown", ""])
def test_no_other_user_agent_is_used_if_robots_txt_does_not_allow_the_page(robots: str) -> None:
    verdict, asked = _other_name(_failing("http.403", 2), [payload("ok")], robots)
    assert isinstance(verdict, Repair)
    assert (verdict.change, len(asked)) == (BROKEN, 1)


def test_a_source_that_refuses_all_user_agents_is_broken() -> None:
    verdict, asked = _other_name(_failing("http.403", 2, kind="feed"), [failure(403)] * 3)
    assert isinstance(verdict, Repair)
    assert (verdict.change, asked) == (BROKEN, list(AGENTS))


def _moved_feed(code: str, new: Payload | Failure, known: str = "") -> Repair:
    answers = {
        "https://example.org/": payload(HOME, "https://example.org/"),
        "https://example.org/new.xml": new,
    }
    of = _failing(code, 2, url=FEED, kind="feed")
    looks: dict[Wanted, Shown] = {}
    while True:
        verdict = diagnosed(Case(source=of, looks=looks, knows=lambda key: bool(known) and known in key))
        if isinstance(verdict, Repair):
            return verdict
        assert isinstance(verdict, Wanted)
        answer = answers[verdict.url]
        looks[verdict] = Shown(
            answer=answer, robots="allowed", seen=seen(answer) if isinstance(answer, Payload) else None
        )


@pytest.mark.parametrize("code", ["http.404", "http.410", "feed.unknown_format"])
def test_a_feed_that_its_site_names_elsewhere_is_followed_if_its_entries_are_known(code: str) -> None:
    repair = _moved_feed(code, payload(RSS.format("7"), "https://example.org/new.xml"), known="7")
    assert (repair.rule, repair.change) == ("feed_moved", {"url": "https://example.org/new.xml"})
    assert repair.automatic
    assert "1 of its 1 entries are known" in repair.proof


def test_a_feed_without_known_entries_is_only_proposed() -> None:
    repair = _moved_feed("http.404", payload(RSS.format("7"), "https://example.org/new.xml"))
    assert (repair.rule, repair.automatic) == ("feed_moved", False)


@pytest.mark.parametrize("new", [failure(404), payload("<p>no feed"), payload("<rss><channel/></rss>")])
def test_a_feed_does_not_move_to_an_address_without_a_feed_or_entries(new: Payload | Failure) -> None:
    assert _moved_feed("http.404", new).rule == "vanished"
    assert _moved_feed("feed.malformed", new).rule == "unreadable"


def test_selectors_that_stopped_matching_are_given_up_for_now() -> None:
    css = _failing("no_match", 2, config={"mode": "css", "selectors": ["#price"]})
    looks = {Wanted(url=css.url, seek="content"): Shown(answer=payload("<p>Nothing of it."))}
    assert _diagnosed(css, looks=looks).change == {"config": {"mode": "auto"}}
    assert "#price" in _diagnosed(css, looks=looks).proof
    xpath = replace(css, config={"mode": "xpath", "selectors": ["//b"]})
    assert _diagnosed(xpath, looks=looks).change == {"config": {"mode": "auto", "selectors": None}}


@pytest.mark.parametrize("code", ["needs_rendering", "empty_shell"])
def test_a_page_that_became_a_shell_is_proposed_to_be_rendered(code: str) -> None:
    repair = _diagnosed(_failing(code))
    assert (repair.change, repair.automatic) == ({"config": {"render": True}}, False)
    assert diagnosed(Case(source=_failing(code, config={"render": True}))) is None


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://example.org/b"},
        {"state": "broken"},
        {"interval_ms": 1, "original_interval_ms": HOUR},
        {"config": {"mode": "auto", "selectors": None, "new": 1}},
    ],
)
def test_the_current_values_of_a_source_undo_a_change(change: dict[str, Any]) -> None:
    of = source(config={"mode": "css", "selectors": ["a"], "tags": ["kept"]})
    after = repaired(of, change)
    assert after != of
    assert current(after, change) == change
    assert repaired(after, current(of, change)) == of


def test_every_rule_says_when_it_applies_and_what_it_does() -> None:
    assert all(rule.when and rule.does for rule in rules())
    assert diagnosed(Case(source=source())) is None


def test_only_trouble_of_the_server_or_the_network_is_temporary() -> None:
    temporary = {code for code in OUTCOMES if failed_temporarily(code)}
    assert {"dns", "timeout", "reset", "connect", "http.503", "too_slow"} <= temporary
    assert not temporary & {"http.404", "http.401", "http.403", "http.429", "tls", "robots"}
    assert failed_temporarily("http.500")
    assert not failed_temporarily("http.418")
    assert not failed_temporarily("no_match")
