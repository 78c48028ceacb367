"""An outside service on a real server becomes a kind of source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from samples import STORY
from veille.core.models import Change, Source, State
from veille.errors import ConfigError
from veille.services.watching.sources import Wish
from veille.settings import BridgeSettings, FetchSettings
from watching import Watch, told
from world import Asked, Page, Site

#: As strict as it comes: loopback is not allowed, for any source.
STRICT = FetchSettings(host_delay_ms=0, timeout_s=10)
TOKEN = "bridge-token-1"


class Service:
    """What the service has to say, and what it was asked."""

    def __init__(self, site: Site) -> None:
        self.posts = {"1": f"{STORY} 1", "2": f"{STORY} 2"}
        self.asked: list[dict[str, object]] = []
        site.made["/socmed_fetch"] = self._answer

    def _answer(self, asked: Asked) -> Page:
        if asked.headers.get("Authorization") != f"Bearer {TOKEN}":
            return Page(b"", status=401, validates=False)
        self.asked.append(json.loads(asked.body))
        extractions = [
            {"title": f"Post {number}", "content": text, "url": f"https://social.example/{number}", "content_hash": ""}
            for number, text in self.posts.items()
        ]
        return Page(json.dumps({"extractions": extractions}).encode(), type="application/json", validates=False)


@pytest.fixture
def bridged(site: Site, tmp_path: Path) -> Iterator[Watch]:
    bridges = {"socmed": {"url": f"{site.url}/socmed_fetch", "token": TOKEN}}
    with Watch(site, tmp_path, bridges=bridges, fetch=STRICT) as opened:
        yield opened


def _add(watch: Watch, kind: str = "socmed", **config: object) -> Source:
    wish = Wish(url="https://social.example/@ann", kind=kind, config=config)
    return watch.app.sources.add(watch.dossier_id, wish)


@pytest.mark.covers("R-021", "R-090", "R-091")
def test_a_service_that_the_settings_name_is_a_kind(bridged: Watch) -> None:
    service = Service(bridged.site)
    source = _add(bridged, lists=["friends"])
    assert source.kind == "socmed"
    assert told(bridged.run()) == {Change.NEW: 2}
    assert service.asked == [
        {
            "source_id": source.id,
            "url": "https://social.example/@ann",
            "config": {"lists": ["friends"]},
            "source_type": "socmed",
        }
    ]
    service.posts["2"] += " and an edit"
    service.posts["3"] = f"{STORY} 3"
    report, _ = bridged.turn()
    assert (report.counts[Change.NEW], report.counts[Change.CHANGED], report.counts[Change.SAME]) == (1, 1, 1)
    hits = bridged.app.searches.search([bridged.dossier_id], "edit")
    assert [(hit.url, hit.kind) for hit in hits] == [("https://social.example/2", "socmed")]
    assert TOKEN not in repr(bridged.app.settings)


def test_what_goes_to_a_service_names_no_secrets(bridged: Watch) -> None:
    for config in ({"key": "${secret:KEY}"}, {"lists": [{"name": "${HOME}"}]}, {"headers": {"X": "${secret:KEY}"}}):
        with pytest.raises(ConfigError, match="not expanded for an outside service") as refused:
            _add(bridged, **config)
        assert refused.value.code == "bad_option"


def test_the_service_may_be_private_but_no_source_gets_there(bridged: Watch) -> None:
    Service(bridged.site)
    _add(bridged)
    bridged.run()
    bridged.site.seen.clear()
    wishes = [Wish(url=f"{bridged.site.url}/socmed_fetch?{kind}", kind=kind) for kind in ("page", "api")]
    for wish in wishes:
        with pytest.raises(ConfigError) as refused:
            bridged.app.sources.add(bridged.dossier_id, wish)
        assert refused.value.code == "unsafe_address"
    # As if the operator had allowed more when they were added.
    with Watch(bridged.site, bridged.folder) as before:
        for wish in wishes:
            before.app.sources.add(bridged.dossier_id, wish)
    report = bridged.run()
    assert [item.code for item in report.items] == ["refused_address"] * 2
    assert bridged.site.seen == []


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (Page(b"", status=401, validates=False), "http.401"),
        (Page(b"", status=503, validates=False), "http.503"),
        (Page(b"", status=302, headers={"Location": "/x"}, validates=False), "bad_redirect"),
        (Page(b"<html>", validates=False), "api.not_json"),
        (Page(b'{"items": []}', validates=False), "bridge.reply"),
        (Page(b'{"error": "no such account"}', validates=False), "bridge.error"),
    ],
)
def test_a_service_that_fails_has_its_code_and_the_last_content_stays(bridged: Watch, page: Page, code: str) -> None:
    Service(bridged.site)
    source = _add(bridged)
    bridged.run()
    bridged.site.made["/socmed_fetch"] = lambda _: page
    assert [item.code for item in bridged.turn()[0].items] == [code]
    assert bridged.app.sources.find(bridged.dossier_id, source.id).state is State.ERROR
    assert len(bridged.app.searches.search([bridged.dossier_id], "harbour")) == 2


def test_a_service_that_is_named_no_longer_says_what_to_do(bridged: Watch, site: Site, tmp_path: Path) -> None:
    Service(site)
    _add(bridged)
    bridged.run()
    bridged.app.close()
    with Watch(site, tmp_path, fetch=STRICT) as without:
        without.now = bridged.now
        report, seen = without.turn()
        (item,) = report.items
    assert (item.code, "[bridges.socmed]" in item.message, seen) == ("no_bridge", True, [])


def test_names_of_kinds_cannot_be_taken_and_unknown_ones_are_refused(bridged: Watch, tmp_path: Path) -> None:
    for kind, code in (("bridge", "no_bridge"), ("elsewhere", "unknown_extension")):
        with pytest.raises(ConfigError) as caught:
            _add(bridged, kind)
        assert caught.value.code == code
    with pytest.raises(ConfigError) as caught:
        Watch(bridged.site, tmp_path / "2", bridges={"feed": BridgeSettings(url=bridged.site.url)})
    assert caught.value.code == "bad_bridge"
