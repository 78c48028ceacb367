"""Everything that can go wrong with a source, played on a scripted host: does it end as it should, and say why?"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from repair.stage import ARTICLE, Stage
from veille.core.models import State
from veille.core.repair.forbidden import AGENTS
from veille.core.schedule import DAY, HOUR
from world import Asked, Page

#: What a scenario expected and what it found, by what it is about.
Checks = Iterator[tuple[str, object, object]]
Scenario = Callable[[Stage], Checks]

SCENARIOS: dict[str, Scenario] = {}
WELL = {State.OK, State.UNCHANGED}


def scenario(play: Scenario) -> Scenario:
    SCENARIOS[play.__name__] = play
    return play


def _state(stage: Stage) -> str:
    return "ok" if stage.source.state in WELL else str(stage.source.state)


def _rules(stage: Stage) -> list[str]:
    return [repair.rule for repair in stage.repairs]


@scenario
def moved_for_good(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.leads("/a", 301, "/b")
    stage.article("/b")
    stage.turns(1)
    yield "one redirect", "a", stage.path
    stage.turns(2)
    yield "address", ("b", "ok", ["moved"]), (stage.path, _state(stage), _rules(stage))
    yield "one document", 1, len(stage.play.found("harbour"))
    stage.undo()
    yield "undone", "a", stage.path
    stage.turns(6)
    yield "not done again", ("a", "ok", ["moved"]), (stage.path, _state(stage), _rules(stage))


@scenario
def sent_on_for_now(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.article("/b")
    for status in (302, 307):
        stage.leads("/a", status, "/b")
        stage.turns(5)
        yield str(status), ("a", "ok", []), (stage.path, _state(stage), _rules(stage))


@scenario
def moved_then_gone_then_back(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.leads("/a", 301, "/b")
    stage.article("/b")
    stage.turns(1)
    stage.sends("/a", 404)
    stage.sends("/b", 404)
    stage.turns(3)
    yield "gone", ("a", "broken", ["vanished"]), (stage.path, _state(stage), _rules(stage))
    stage.asked()
    stage.turns(24)
    yield "left alone", 0, stage.asked()
    yield "sweeper", (False, "broken"), (stage.sweep(), _state(stage))
    stage.article("/a", "It is back. " + ARTICLE)
    yield "found by the sweeper", (True, "pending"), (stage.sweep(), _state(stage))
    stage.turns(1)
    yield "back", ("ok", HOUR, 0), (_state(stage), stage.source.interval_ms, stage.source.failures)
    yield "text", True, stage.text.startswith("It is back.")


@scenario
def said_to_be_gone(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.sends("/a", 410)
    stage.turns(1)
    stage.turns(1)
    yield "gone", ("broken", ["vanished"]), (_state(stage), _rules(stage))
    stage.undo()
    yield "undone", "pending", _state(stage)
    stage.turns(3)
    yield "somebody said no", ("error", 1), (_state(stage), len(stage.repairs))


@scenario
def asked_to_slow_down(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a", tags="kept")
    stage.sends("/a", 429, headers={"Retry-After": "60"})
    stage.turns(1)
    yield "slower", ("error", "slow_down"), (_state(stage), _rules(stage)[0])
    yield "pause", True, stage.source.config["delay_s"] >= 2
    stage.article("/a")
    stage.turns(2)
    yield "well", ("ok", ["kept"]), (_state(stage), stage.source.config["tags"])


def _outage(stage: Stage, down: Callable[[], None], up: Callable[[], None]) -> Checks:
    down()
    stage.turns(7)
    yield "backed off", ("error", HOUR), (_state(stage), stage.source.original_interval_ms)
    yield "slower", True, stage.source.interval_ms > HOUR
    yield "rules", {"unreachable"}, set(_rules(stage))
    stage.turns(80)
    yield "a day at most", DAY, stage.source.interval_ms
    stage.asked()
    stage.turns(48)
    yield "seldom asked", True, stage.asked() <= 3
    up()
    stage.turns(26)
    yield "restored", ("ok", HOUR, None), (
        _state(stage), stage.source.interval_ms, stage.source.original_interval_ms,
    )  # fmt: skip
    yield "told", "recovered", _rules(stage)[-1]


@scenario
def server_errors(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    yield from _outage(stage, lambda: stage.sends("/a", 500), lambda: stage.article("/a"))


@scenario
def name_gone(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a", host="news.test")
    known = stage.dns.names["news.test"]

    def down() -> None:
        stage.dns.names["news.test"] = [[]]
        # Connections that are open need no name.
        stage.play.app.outside.fetcher.close()
        stage.reopen()

    def up() -> None:
        stage.dns.names["news.test"] = known

    yield from _outage(stage, down, up)


@scenario
def feed_moved(stage: Stage) -> Checks:
    entries = [(f"/{number}", f"Entry {number}", f"<p>{number} {ARTICLE}</p>") for number in range(3)]
    stage.site.feed("/blog/rss.xml", entries)
    stage.watch("/blog/rss.xml", "feed")
    stage.sends("/blog/rss.xml", 404)
    stage.site["/blog/"] = '<link rel=alternate type="application/rss+xml" href="/atom/all.xml"><h1>Blog</h1>'
    stage.site.feed("/atom/all.xml", [("/9", "Entry 9", "<p>New</p>"), *entries])
    stage.turns(4)
    yield "address", ("atom/all.xml", "ok"), (stage.path, _state(stage))
    yield "rules", ["feed_moved"], _rules(stage)
    yield "reason", True, "3 of its 4 entries are known" in stage.repairs[0].proof
    stage.undo()
    yield "undone", "blog/rss.xml", stage.path


def _redesigned(main: str) -> str:
    """A page with a menu and a footer around this."""
    links = "".join(f"<li><a href=/{n}>Menu item {n}</a>" for n in range(9))
    return f"<title>T</title><nav><ul>{links}</ul></nav>{main}<footer><p>About the council, the harbour, the ferry.</p>"


@scenario
def selector_renamed(stage: Stage) -> Checks:
    stage.site["/a"] = _redesigned(f"<div id=story><p>{ARTICLE}</div>")
    stage.watch("/a", mode="css", selectors=["#story"])
    stage.site["/a"] = _redesigned(f"<div class=page><section id=report><p>Rebuilt. {ARTICLE}</section></div>")
    stage.turns(4)
    found = stage.source.config["selectors"]
    yield "found again", ("ok", ["found_again"], ["#report"]), (_state(stage), _rules(stage), found)
    yield "text", True, stage.text.startswith("Rebuilt.")
    yield "reason", True, "of it is as it was" in stage.repairs[0].proof
    stage.undo()
    yield "undone", ["#story"], stage.source.config["selectors"]
    stage.turns(6)
    yield "not done again", (["#story"], ["found_again"]), (stage.source.config["selectors"], _rules(stage))


def _list(markup: str, names: range) -> str:
    return _redesigned("".join(markup.format(n=n) for n in names))


@scenario
def list_redesigned(stage: Stage) -> Checks:
    stage.site["/a"] = _list("<div class=entry><h3><a href=/e/{n}>News number {n} of the town</a></h3></div>", range(8))
    stage.watch("/a", "items", item="div.entry")
    new = _list("<li class=card><a href=/e/{n}><b>News number {n} of the town</b></a><p>More.</p></li>", range(2, 10))
    stage.site["/a"] = new
    stage.turns(4)
    found = stage.source.config["item"]
    yield "found again", ("ok", ["found_again"]), (_state(stage), _rules(stage))
    yield "selector", True, found.endswith("li.card")
    with stage.play.app.dossiers.open(stage.play.dossier_id) as store:
        titles = {one.title for one in store.records.documents(limit=50)}
    yield "known and new ones", {f"News number {n} of the town" for n in range(10)}, titles


@scenario
def path_of_a_list_changed(stage: Stage) -> Checks:
    items = [{"id": n, "title": f"Notice {n} of the council", "text": f"{n} {ARTICLE}"} for n in range(4)]
    stage.site["/api"] = Page(json.dumps({"data": {"items": items}}).encode(), type="application/json")
    stage.watch("/api", "api", result_path="data.items")
    stage.site["/api"] = Page(json.dumps({"result": {"notices": items}}).encode(), type="application/json")
    stage.turns(4)
    yield "found again", ("ok", ["found_again"]), (_state(stage), _rules(stage))
    yield "path", "result.notices", stage.source.config["result_path"]


@scenario
def page_relocated(stage: Stage) -> Checks:
    stage.site.article("/news/bridge", "The harbour bridge is rebuilt", ARTICLE)
    stage.watch("/news/bridge")
    stage.sends("/news/bridge", 404)
    stage.site["/news/"] = (
        "<ul><li><a href=/other>Something else</a><li><a href=/2026/b>The harbour bridge is rebuilt</a></ul>"
    )
    stage.site.article("/2026/b", "The harbour bridge is rebuilt", f"Updated. {ARTICLE}")
    stage.turns(4)
    yield "address", ("2026/b", "ok", ["relocated"]), (stage.path, _state(stage), _rules(stage))
    stage.undo()
    yield "undone", "news/bridge", stage.path


@scenario
def a_page_with_the_same_title_is_another(stage: Stage) -> Checks:
    stage.site.article("/news/bridge", "The harbour bridge is rebuilt", ARTICLE)
    stage.watch("/news/bridge")
    stage.sends("/news/bridge", 404)
    stage.site["/news/"] = "<a href=/2026/b>The harbour bridge is rebuilt</a>"
    stage.site.article("/2026/b", "The harbour bridge is rebuilt", "Nothing that was there before is said here. " * 9)
    stage.turns(4)
    yield "gone", ("news/bridge", "broken", ["vanished"]), (stage.path, _state(stage), _rules(stage))


@scenario
def selector_broken(stage: Stage) -> Checks:
    stage.site["/a"] = f"<title>T</title><div id=story><p>{ARTICLE}</div>"
    stage.watch("/a", mode="css", selectors=["#story"])
    other = "Quite another text stands here now, about other things, in other words, by other people. " * 5
    stage.site["/a"] = f"<title>T</title><main><article><p>Rebuilt. {other}</article></main>"
    stage.turns(1)
    yield "first", "error", _state(stage)
    stage.turns(3)
    yield "fallen back", ("ok", ["drifted"], "auto"), (_state(stage), _rules(stage), stage.source.config["mode"])
    yield "text", True, stage.text.startswith("Rebuilt.")
    stage.undo()
    yield "undone", ("css", ["#story"]), (stage.source.config["mode"], stage.source.config["selectors"])


def _turns_us_away(asked: Asked) -> Page:
    is_ours = "veille" in str(asked.headers["User-Agent"])
    return Page(b"No", status=403) if is_ours else Page(f"<title>T</title><main><p>{ARTICLE}</main>".encode())


@scenario
def turned_away_by_name(stage: Stage) -> Checks:
    stage.site.made["/a"] = _turns_us_away
    stage.watch("/a")
    stage.turns(4)
    yield "let in", ("ok", AGENTS[0]), (_state(stage), stage.source.config["user_agent"])
    yield "rules", ["forbidden"], _rules(stage)
    stage.undo()
    yield "undone", False, "user_agent" in stage.source.config


@scenario
def turned_away_by_robots(stage: Stage) -> Checks:
    stage.site["/robots.txt"] = Page(b"User-agent: *\nDisallow: /", type="text/plain")
    stage.site.made["/a"] = _turns_us_away
    stage.watch("/a")
    stage.turns(4)
    yield "broken", ("broken", False), (_state(stage), "user_agent" in stage.source.config)


@scenario
def key_revoked(stage: Stage) -> Checks:
    stage.site.json("/api", [{"id": 1, "title": "One", "text": ARTICLE}])
    stage.watch("/api", "api")
    stage.sends("/api", 403)
    stage.turns(2)
    yield "broken", ("broken", ["forbidden"]), (_state(stage), _rules(stage))


@scenario
def login_wanted(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.sends("/a", 401)
    stage.turns(2)
    yield "broken", ("broken", ["login"], True), (_state(stage), _rules(stage), stage.text.startswith("The council"))


@scenario
def feed_unreadable(stage: Stage) -> Checks:
    stage.site.feed("/rss.xml", [("/1", "One", ARTICLE)])
    stage.watch("/rss.xml", "feed")
    stage.site["/rss.xml"] = "<html><h1>We are moving</h1><p>Come back tomorrow.</html>"
    stage.turns(4)
    yield "broken", ("broken", ["unreadable"]), (_state(stage), _rules(stage))
    stage.site.feed("/rss.xml", [("/1", "One", ARTICLE), ("/2", "Two", ARTICLE)])
    yield "sweeper", True, stage.sweep()
    stage.turns(1)
    yield "back", "ok", _state(stage)


def _wall(stage: Stage, body: str, code: str) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.site["/a"] = body
    stage.turns(3)
    yield "suspect", ("suspect", code), (_state(stage), stage.source.error_code)
    yield "content", True, stage.text.startswith("The council")
    stage.article("/a", "News. " + ARTICLE)
    stage.turns(2)
    yield "back", ("ok", True), (_state(stage), stage.text.startswith("News."))


@scenario
def soft_404(stage: Stage) -> Checks:
    text = "Sorry, the page you are looking for does not exist. It may have been removed, or you followed an old link."
    yield from _wall(stage, f"<title>Page not found</title><main><p>{text}</main>", "soft_404")


@scenario
def login_wall(stage: Stage) -> Checks:
    form = "<form><input name=user><input type=password name=p></form>"
    text = "Please sign in with your account to go on reading. You can get an account here in less than a minute."
    yield from _wall(stage, f"<title>Gazette</title><main><p>{text}</p>{form}</main>", "login_wall")


@scenario
def consent_wall(stage: Stage) -> Checks:
    text = "We value your privacy. We and our partners store cookies on your device. Accept all or manage options here."
    yield from _wall(stage, f"<title>Gazette</title><main><p>{text}</p></main>", "consent_wall")


@scenario
def became_a_shell(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.site["/a"] = "<title>Gazette</title><div id=wrap></div><script src=/app.js></script>"
    stage.turns(2)
    yield "suspect", ("suspect", "empty_shell", True), (
        _state(stage), stage.source.error_code, stage.text.startswith("The council"),
    )  # fmt: skip
    (proposed,) = stage.repairs
    yield (
        "proposed",
        ("shell", None, {"config": {"render": True}}),
        (proposed.rule, proposed.applied_at, proposed.after),
    )


@scenario
def reset_by_hand(stage: Stage) -> Checks:
    stage.article("/a")
    stage.watch("/a")
    stage.sends("/a", 500)
    stage.turns(9)
    yield "backed off", HOUR, stage.source.original_interval_ms
    stage.play.app.repairs.reset(stage.play.dossier_id, stage.source.id)
    found = stage.source
    yield "reset", (State.PENDING, HOUR, None, 0, ""), (
        found.state, found.interval_ms, found.original_interval_ms, found.failures, found.error_code,
    )  # fmt: skip


def wrong(name: str, folder: Path) -> list[str]:
    """Where a scenario first did not come to what it should; the rest of it builds on that."""
    with Stage(folder) as stage:
        for what, wanted, found in SCENARIOS[name](stage):
            if wanted != found:
                return [f"{what}: expected {wanted!r}, found {found!r}"]
    return []


def main(argv: list[str] | None = None) -> int:
    names: list[Any] = (argv if argv is not None else sys.argv[1:]) or list(SCENARIOS)
    good = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="veille-repair-") as folder:
            found = wrong(name, Path(folder))
        good += not found
        print(f"{'ok  ' if not found else 'BAD '} {name.replace('_', ' ')}", *found, sep="\n       ")
    print(f"{good} of {len(names)} sources ended in the right state: {good / len(names):.0%}")
    return int(good < len(names))
