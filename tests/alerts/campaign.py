"""A scripted world, forty rules, five channels, and processes that are killed: is what was told the truth?"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import veille
from alerts.scene import Scene, Script
from alerts.truth import TOLD, Firing, rules, truth
from postgres_server import databases_of
from samples import NOW
from telling import Mailbox
from veille.core.alerts.records import AlertFilter, AlertLine, TellingState
from veille.core.schedule import DAY, HOUR
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from veille.services.watching.sources import Wish
from world import Asked, Page, Site

WORKER: Final = Path(__file__).with_name("worker.py")
#: Where a process is killed, and how often it may pass there before.
_POINTS: Final = {
    "before_commit": 60, "during_commit": 40, "after_commit": 60, "before_alerts": 8, "after_message": 12,
    "after_telling": 12,
}  # fmt: skip
_LIMIT_S: Final = 120
_TEMPLATE: Final = (
    '{"alerts": [{% for one in message.alerts %}{"id": {{ one.id | tojson }}}{{ "," if not loop.last }}{% endfor %}]}'
)
_DAYTIME: Final = "at once, quiet 22:00-07:00 Europe/Paris"


@dataclass
class Ends:
    """The other ends of the channels: what each of them got, by the id of the message."""

    site: Site
    mailbox: Mailbox
    got: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    pushed: int = 0

    def __post_init__(self) -> None:
        for name in ("hook", "slow", "team"):
            self.site.made[f"/{name}"] = partial(self._take, name)
        # Where apprise posts for ntfy; the topic is in the body.
        self.site.made["/"] = self._push

    def _take(self, name: str, asked: Asked) -> Page:
        # Some answers fail, so that messages are tried again.
        if random.random() < 0.02:
            return Page(b"", status=503, validates=False)
        body = json.loads(asked.body)
        body = body.get("message", body)
        self.got[name].append({"id": asked.headers["Idempotency-Key"], "alerts": [one["id"] for one in body["alerts"]]})
        return Page(b"", status=204, validates=False)

    def _push(self, _: Asked) -> Page:
        self.pushed += 1
        return Page(b"{}", type="application/json", validates=False)

    def ids(self, channel: str) -> Counter[str]:
        """How often each message came."""
        if channel == "mail":
            return Counter(str(mail["Message-ID"]).strip("<>").partition("@")[0] for mail in self.mailbox.mails)
        return Counter(one["id"] for one in self.got[channel])


@dataclass
class Outcome:
    """What a campaign found."""

    truth: set[Firing]
    fired: Counter[Firing]
    kills: int = 0
    #: Alerts that a channel had to tell and did not, or told in two messages.
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    #: Messages that came again under their id, after a kill.
    repeated: int = 0
    messages: int = 0
    tellings: int = 0

    @property
    def missed(self) -> set[Firing]:
        return self.truth - set(self.fired)

    @property
    def wrong(self) -> set[Firing]:
        return set(self.fired) - self.truth

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / max(1, len(self.fired))

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / max(1, len(self.truth))

    @property
    def is_right(self) -> bool:
        more = [firing for firing, count in self.fired.items() if count > 1]
        return not (self.missed or self.wrong or self.lost or self.doubled or more)


class Campaign:
    """One world from its first to its last round."""

    def __init__(self, folder: Path, script: Script, kills: int, store: str = "") -> None:
        self._folder = folder
        #: The database that everything is kept in; empty: files in the folder.
        self._store = store or None
        self._script = script
        self._kills = kills
        self._chance = random.Random(script.seed)
        self.killed = 0
        self._process: subprocess.Popen[str] | None = None

    def run(self) -> Outcome:
        with Scene(self._script) as scene, Site() as site, Mailbox() as mailbox:
            ends = Ends(site, mailbox)
            self._alerts = mailbox.settings().model_dump(mode="json") | {"storm": 200}
            self._set_up(scene, site)
            try:
                for at in range(self._script.rounds):
                    scene.show(at)
                    self._round(NOW + at * HOUR, check=True)
                # Until the last digest is out.
                for later in range(1, 26):
                    self._round(NOW + (self._script.rounds - 1) * HOUR + later * HOUR, check=False)
            finally:
                self._end()
            return self._compared(ends)

    def _app(self, now: int) -> veille.App:
        fetch = {"host_delay_ms": 0, "allow_networks": ["127.0.0.0/8"]}
        data = self._folder / "data"
        return veille.open_app(data=data, store=self._store, fetch=fetch, alerts=self._alerts, clock=lambda: now)

    def _set_up(self, scene: Scene, site: Site) -> None:
        with self._app(NOW) as app:
            dossier = app.create_dossier("world").id
            for name in self._script.looks:
                group = name.partition("-")[0]
                config: dict[str, Any] = {"tags": [group]}
                if group == "counter":
                    config["values"] = {"ships": ".count"}
                kind = "feed" if group == "news" else "page"
                app.sources.add(dossier, Wish(url=scene.url(name), kind=kind, name=name, config=config))
            app.saved.add(dossier, "Budget", "budget")
            for name, kind, options, frequency in (
                ("hook", "webhook", {"url": f"{site.url}/hook"}, "at once"),
                ("slow", "webhook", {"url": f"{site.url}/slow"}, "every 6h"),
                ("team", "webhook", {"url": f"{site.url}/team", "template": _TEMPLATE}, _DAYTIME),
                ("mail", "email", {"to": "anna@example.org"}, "daily 08:00 Europe/Paris"),
                ("chat", "apprise", {"url": f"ntfy://127.0.0.1:{site.port}/chat"}, "every 1d"),
            ):  # fmt: skip
                app.channels.add(dossier, ChannelWish(name=name, kind=kind, options=options, frequency=frequency))
            for number, (expression, group, source) in enumerate(rules(self._script)):
                tell = ["hook"]
                tell += ["slow"] * (number % 4 == 0) + ["team"] * (number % 5 == 1)
                tell += ["mail"] * (number % 3 == 0) + ["chat"] * (number % 10 == 3)
                wish = RuleWish(
                    expression=expression,
                    name=expression,
                    sources=(source,) if source else (),
                    tags=() if source else (group,),
                    tell=tuple(tell),
                )
                app.rules.add(dossier, wish)

    def _round(self, now: int, *, check: bool) -> None:
        """One round, repeated by a new process as often as one is killed in it."""
        for _ in range(20):
            process = self._process or self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            timer = self._timer(process)
            try:
                process.stdin.write(json.dumps({"now": now, "check": check}) + "\n")
                process.stdin.flush()
                if process.stdout.readline().strip() == "done":
                    return
            except BrokenPipeError:
                pass
            finally:
                if timer is not None:
                    timer.cancel()
            code = process.wait(_LIMIT_S)
            process.stdout.close()
            self._process = None
            # What was written last may not have reached it.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            if code != -signal.SIGKILL:
                raise AssertionError(f"A worker ended with {code}.")
            self.killed += 1
        raise AssertionError("A round was never done.")

    def _timer(self, process: subprocess.Popen[str]) -> threading.Timer | None:
        """Kills the process at some moment of this round, wherever it is."""
        left = self._script.rounds / max(1, self._kills)
        if self.killed >= self._kills or self._chance.random() > 0.5 / left:
            return None
        timer = threading.Timer(self._chance.random() * 0.6, process.kill)
        timer.start()
        return timer

    def _start(self) -> subprocess.Popen[str]:
        options = {"data": str(self._folder / "data"), "store": self._store, "alerts": self._alerts}
        environment = dict(os.environ)
        if self.killed < self._kills:
            point = self._chance.choice(list(_POINTS))
            passes = self._chance.randint(1, _POINTS[point])
            environment["VEILLE_FAILPOINT"] = f"{point}:kill@{passes}"
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.wait(_LIMIT_S)
            assert self._process.stdout is not None
            self._process.stdout.close()

    def _compared(self, ends: Ends) -> Outcome:
        with self._app(NOW + 30 * DAY) as app:
            (dossier,) = app.dossiers.all()
            # While the last digests went out, silences went on.
            lines = [line for line in _all(app, dossier.id) if line.alert.at < NOW + self._script.rounds * HOUR]
            messages = app.channels.messages(dossier.id, None, None, 1_000_000)
        outcome = Outcome(truth(self._script), Counter(filter(None, map(_firing, lines))), self.killed)
        outcome.messages = len(messages)
        received = {name: ends.ids(name) for name in ("hook", "slow", "team", "mail")}
        outcome.repeated = sum(count - 1 for ids in received.values() for count in ids.values())
        for line in lines:
            outcome.tellings += len(line.tellings)
            for telling in line.tellings:
                ids = received.get(telling.channel)
                if telling.state is not TellingState.SENT or (ids is not None and telling.message_id not in ids):
                    outcome.lost.append(f"{line.alert.rule} by {telling.channel}: {telling.state} {telling.problem}")
        for name in ("hook", "slow", "team"):
            told: dict[str, set[str]] = defaultdict(set)
            for one in ends.got[name]:
                for alert in one["alerts"]:
                    told[alert].add(one["id"])
            outcome.doubled += [f"{alert} by {name}" for alert, ids in told.items() if len(ids) > 1]
        return outcome


def _all(app: veille.App, dossier_id: str) -> list[AlertLine]:
    lines: list[AlertLine] = []
    while page := app.rules.alerts(dossier_id, AlertFilter(), lines[-1].seq if lines else None, 500):
        lines += page
    return lines


def _firing(line: AlertLine) -> Firing | None:
    """What fired, as the truth has it; None if it was told with another source's telling of the story."""
    alert = line.alert
    if alert.told_by:
        return None
    if alert.rule == TOLD:
        return TOLD, f"story {alert.url.rpartition('/')[2]}", 0
    where = "/".join(alert.url.split("/")[3:]) if alert.source_name.startswith("news") else alert.source_name
    return alert.rule, where, (alert.at - NOW) // HOUR


def campaign(folder: Path, *, seed: int, rounds: int, kills: int, share: float = 1.0, store: str = "") -> Outcome:
    return Campaign(folder, Script(seed=seed, rounds=rounds, share=share), kills, store).run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--share", type=float, default=1.0, help="The share of the sixty sources.")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    script = Script(seed=seed, rounds=given.rounds, share=given.share)
    print(f"seed {seed}: {len(script.looks)} sources, {len(rules(script))} rules, 5 channels, {given.rounds} rounds")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="veille-alerts-") as folder, databases_of(given.store) as database:
        outcome = Campaign(Path(folder), script, given.kills, database()).run()
    print(
        f"{len(outcome.truth)} alerts have to fire: precision {outcome.precision:.4f}, recall {outcome.recall:.4f}\n"
        f"{outcome.tellings} tellings in {outcome.messages} messages: {len(outcome.lost)} lost, "
        f"{len(outcome.doubled)} doubled; {outcome.repeated} messages came again under their id\n"
        f"{outcome.kills} kills, {time.monotonic() - begin:.0f} s"
    )
    for title, found in (("missed", outcome.missed), ("wrong", outcome.wrong), ("lost", outcome.lost)):
        for one in sorted(map(str, found))[:20]:
            print(f"  {title}: {one}")
    return 0 if outcome.is_right else 1
