"""A validator of the operator's own: asked for everything that goes out, and only ever to refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import veille
from receiver import SECRET
from veille.core.http.egress import Policy
from veille.core.models import Change, Scope
from veille.errors import ConfigError
from veille.services.watching.sources import SourceEdit, Wish
from veille.settings import load_settings
from watching import FAST
from world import Page, Site

OTHER = "127.0.0.2"


def not_the_other(url: str) -> bool:
    return OTHER not in url


def _broken(url: str) -> bool:
    raise LookupError(url)


def _forgetful(_: str) -> Any:
    return None


def _app(folder: Path, validator: Callable[[str], bool] | str | None, **settings: Any) -> veille.App:
    fetch = FAST.model_dump() | {"url_validator": validator}
    return veille.open_app(data=folder, fetch=fetch, **settings)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://db/", "http://10.0.0.1/", "http://example.org:25/", "x:y"]
)
def test_one_that_says_yes_to_everything_opens_nothing(url: str) -> None:
    assert not Policy(validator=lambda _: True).judge(url).allowed
    assert Policy(validator=lambda _: True).judge("https://example.org/").allowed


@pytest.mark.parametrize("validator", [_broken, _forgetful, lambda _: 1, lambda _: "yes", lambda _: False])
def test_anything_but_true_refuses(validator: Callable[[str], bool]) -> None:
    verdict = Policy(validator=validator).judge("https://example.org/a?b")
    assert (verdict.allowed, verdict.reason) == (False, "validator")
    assert not Policy(validator=validator).allowing("example.org").judge("https://example.org/").allowed


def test_every_address_is_asked_for_in_full_and_not_each_host_once() -> None:
    policy = Policy(validator=lambda url: not url.endswith("/private"))
    assert policy.judge("https://user:pw@EXAMPLE.org/public#x").allowed
    assert not policy.judge("https://example.org/private").allowed
    asked = Policy(validator=lambda url: url == "https://example.org/%C3%A9?q=1")
    assert asked.judge("https://user:pw@EXAMPLE.org/é?q=1#x").allowed


@pytest.mark.covers("R-029", "R-229")
def test_what_it_refuses_is_refused_when_added_when_asked_and_when_led_there(site: Site, tmp_path: Path) -> None:
    with Site(OTHER) as other:
        site["/away"] = Page(b"", status=302, headers={"Location": f"{other.url}/there"})
        site["/here"] = Page(b"", status=302, headers={"Location": "/there"})
        site.article("/there", "Title", "text " * 50)
        with _app(tmp_path, None) as app:
            dossier_id = app.create_dossier("news").id
            added = app.sources.add(dossier_id, Wish(url=f"{other.url}/before", kind="page"))
        hook = {"kind": "webhook", "url": f"{other.url}/hook", "secret": SECRET, "private": True}
        with _app(tmp_path, not_the_other, sinks={"hook": hook}) as app:
            engine = {"id": "mine", "url_template": f"{other.url}/?q={{query}}"}
            opml = f"<opml><body><outline xmlUrl='{other.url}/feed'/></body></opml>".encode()
            for refused in (
                lambda: app.sources.add(dossier_id, Wish(url=f"{other.url}/a", kind="page")),
                lambda: app.sources.edit(dossier_id, added.id, SourceEdit(url=f"{other.url}/b")),
                lambda: app.catalogue.put_engine(dossier_id, engine),
            ):
                with pytest.raises(ConfigError, match="validator") as caught:
                    refused()
                assert caught.value.code == "unsafe_address"
            assert [one.code for one in app.lists.take_in(opml, dossier_id)] == ["unsafe_address"]
            for path in ("/away", "/here"):
                app.sources.add(dossier_id, Wish(url=site.url + path, kind="page"))
            (report,) = app.run(Scope())
            ended = {item.url.rpartition("/")[2]: (item.change, item.code) for item in report.items}
            assert ended["before"] == ended["away"] == (Change.ERROR, "refused_address")
            assert Change.NEW in {change for change, _ in ended.values()}
            (delivery,) = app.deliver([dossier_id], at_once=True)
            assert "the operator's validator refuses it" in delivery.error
        assert other.seen == []


def test_it_can_be_named_in_the_settings(tmp_path: Path) -> None:
    with _app(tmp_path, f"{__name__}:not_the_other") as app:
        assert app.judge("http://127.0.0.3/").allowed
        assert not app.judge(f"http://{OTHER}/").allowed
    for wrong in ("nowhere.at:all", f"{__name__}:OTHER"):
        with pytest.raises(ConfigError) as caught:
            load_settings(fetch={"url_validator": wrong})
        assert caught.value.code == "bad_setting"
