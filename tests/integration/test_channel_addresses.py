"""Every kind of channel that people may set up, against every address vector: nothing inside is connected to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from canary import ROWS, Canary
from faults.dns import ScriptedDns
from mail_samples import SAMPLES
from samples import NOW
from telling import channel_means
from veille.adapters.fetch import Door
from veille.adapters.sender import DoorSender
from veille.bootstrap._channels import make_channel
from veille.core.alerts.models import MessageKind
from veille.core.http.audit import script, unescaped
from veille.core.traffic import Failure, Order, Payload
from veille.errors import ConfigError, SinkError
from veille.ports.channels import ChannelMeans
from veille.settings import FetchSettings
from world import Page, Site

ALERT = SAMPLES[MessageKind.ALERT]
KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}
#: apprise's generic kinds, and services that people host themselves.
HOSTED = ("json", "xml", "form", "ntfy", "gotify", "matrix", "apprise", "mmost")
SCHEME = re.compile(r"^\s*[A-Za-z]+:/*")


class ScriptedSender(DoorSender):
    """A sender whose names are resolved by a script."""

    dns: ScriptedDns
    #: The codes of the answers.
    ended: list[str]

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        answer = super().send(order, timeout_s=timeout_s, max_bytes=max_bytes)
        self.ended.append(answer.code if isinstance(answer, Failure) else "")
        return answer

    def _door(self, timeout_s: float, max_bytes: int) -> Door:
        limits = {"timeout_s": min(timeout_s, 2), "max_bytes": max_bytes}
        key = (timeout_s, max_bytes)
        if key not in self._doors:
            self._doors[key] = Door(self._settings.model_copy(update=limits), self._clock, resolve=self.dns)
        return self._doors[key]


@pytest.fixture(scope="module")
def means() -> Iterator[ChannelMeans]:
    with channel_means() as given:
        yield given


@pytest.fixture
def canary() -> Iterator[Canary]:
    with closing(Canary()) as listening:
        yield listening


def _channels(url: str) -> Iterator[tuple[str, dict[str, str]]]:
    yield "webhook", {"url": url}
    yield "webpush", {"subscription": json.dumps({"endpoint": SCHEME.sub("https://", url), "keys": KEYS})}
    for scheme in HOSTED:
        # Each address in the form of the service, with a key where it wants one.
        yield "apprise", {"url": SCHEME.sub(f"{scheme}://", url).rstrip("/") + "/" + "Ab1" * 8}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("family", sorted({row[2] for row in ROWS if row[1] == "deny"}))
def test_no_channel_reaches_inside(family: str, means: ChannelMeans, canary: Canary) -> None:
    settings = FetchSettings(timeout_s=2, host_delay_ms=0, retries=0)
    for row in ROWS:
        if row[2] != family or row[1] != "deny" or row[4]:
            continue
        try:
            url = unescaped(row[3])
        except ValueError:
            continue
        with closing(ScriptedSender(settings, lambda: NOW)) as sender:
            sender.dns, sender.ended = ScriptedDns(script(row[5])), []
            own = replace(means, sender=sender)
            for kind, options in _channels(url):
                for given in (options, {name: _at(text, canary) for name, text in options.items()}):
                    try:
                        make_channel(kind, given, own).send(ALERT)
                    except (ConfigError, SinkError):
                        continue
                    raise AssertionError((row[0], kind, given))
    assert canary.hits == 0


def _at(text: str, canary: Canary) -> str:
    """The same with the port of the canary, where it has none."""
    port = min(canary.ports)
    return re.sub(r"://([^/?#:\"]+)(?=[/?#\"]|$)", rf"://\1:{port}", text, count=1)


@pytest.mark.parametrize(("kind", "options"), list(_channels("http://127.0.0.1/")), ids=str)
def test_each_kind_really_asks_the_door(kind: str, options: dict[str, str], means: ChannelMeans) -> None:
    with closing(ScriptedSender(FetchSettings(retries=0), lambda: NOW)) as sender:
        sender.dns, sender.ended = ScriptedDns({}), []
        with pytest.raises(SinkError):
            make_channel(kind, options, replace(means, sender=sender)).send(ALERT)
    assert set(sender.ended) == {"refused_address"}


@pytest.mark.parametrize(("kind", "options"), list(_channels("http://SITE/")), ids=str)
def test_no_channel_follows_a_redirect(
    kind: str, options: dict[str, str], means: ChannelMeans, canary: Canary, site: Site
) -> None:
    inside = f"http://127.0.0.1:{min(canary.ports)}/"
    site.page = lambda *_: Page(b"", status=307, headers={"Location": inside}, validates=False)  # type: ignore[method-assign]
    there = {name: text.replace("SITE", f"127.0.0.1:{site.port}") for name, text in options.items()}
    with pytest.raises(SinkError):
        make_channel(kind, there, means).send(ALERT)
    # A browser's endpoint is reached by TLS, which the site does not speak.
    assert (bool(site.seen), canary.hits) == (kind != "webpush", 0)
