"""Ready-made sources and engines from a registry: signed, looked at first, taken as a whole, undone as a whole."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import veille
from samples import NOW
from veille.core.discover.catalogue import CatalogueEntry
from veille.errors import ConfigError

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
FERRIES = {"category": "harbour", "name": "Ferries", "url": "https://ferries.example/feed", "kind": "feed"}
TIDES = {"category": "harbour", "name": "Tides", "url": "https://tides.example/", "kind": "page", "every": "2h"}
ENGINE = {"id": "ships", "name": "Ships", "url_template": "https://ships.example/?q={query}", "result_path": "hits"}


def _public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    keys = {"community": _public(KEY), "other": _public(OTHER)}
    with veille.open_app(data=tmp_path / "data", registry={"keys": keys}, clock=lambda: NOW) as opened:
        yield opened


def _index(folder: Path, number: int = 1, key: Ed25519PrivateKey = KEY, **other: Any) -> Path:
    value = {"format": 1, "name": "community", "number": number, "sources": [FERRIES, TIDES], "engines": [ENGINE]}
    path = folder / "index.json"
    path.write_text(json.dumps(value | other))
    path.with_name("index.json.sig").write_bytes(key.sign(path.read_bytes()))
    return path


def _offered(app: veille.App) -> dict[str, str]:
    """What is offered that does not come with the program, by name."""
    local = app.accounts.local()
    entries = {one.name: one.url for one, offer in app.offers.entries(local) if offer is not None}
    return entries | {one.name: one.url_template for one, offer in app.offers.engines(local) if offer is not None}


@pytest.mark.covers("R-215")
def test_a_registry_is_looked_at_taken_and_undone(app: veille.App, tmp_path: Path) -> None:
    local, path = app.accounts.local(), _index(tmp_path)
    shown = app.registries.pull(local, path, apply=False)
    assert (shown.added, shown.changed, shown.number) == (("Ferries", "Ships", "Tides"), (), 1)
    assert _offered(app) == {}
    assert app.registries.pull(local, path, apply=True) == shown
    assert sorted(_offered(app)) == ["Ferries", "Ships", "Tides"]
    # The same again changes nothing; the next edition changes what it says, and nothing that is an administrator's.
    assert not app.registries.pull(local, path, apply=True).added
    mine = app.offers.find_entry(local, "Tides")
    app.offers.edit_entry(local, CatalogueEntry(**{**_fields(mine), "every": "6h"}))
    moved = FERRIES | {"name": "Ferries and trams"}
    news = app.registries.pull(local, _index(tmp_path, 2, sources=[moved, TIDES], engines=[]), apply=True)
    assert (news.added, news.changed, news.removed, news.kept) == ((), ("Ferries and trams",), ("Ships",), ("Tides",))
    assert sorted(_offered(app)) == ["Ferries and trams", "Tides"]
    assert app.registries.all(local) == {"community": 2}
    undone = app.registries.undo(local, "community")
    assert (undone.added, undone.changed, undone.removed) == (("Ships",), ("Ferries",), ())
    assert sorted(_offered(app)) == ["Ferries", "Ships", "Tides"]
    assert app.offers.find_entry(local, "Tides").every == "6h"
    assert app.registries.all(local) == {"community": 1}
    with pytest.raises(ConfigError) as refused:
        app.registries.undo(local, "community")
    assert refused.value.code == "registry.nothing_to_undo"


def test_what_is_undone_is_told_by_its_name(app: veille.App, tmp_path: Path) -> None:
    local = app.accounts.local()
    brought = app.registries.pull(local, _index(tmp_path), apply=True).added
    undone = app.registries.undo(local, "community")
    assert (undone.removed, undone.changed, undone.number) == (brought, (), 0)


def _fields(entry: CatalogueEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in CatalogueEntry.__dataclass_fields__}


@pytest.mark.covers("R-215")
def test_a_folder_is_taken_as_it_is(app: veille.App, tmp_path: Path) -> None:
    checkout = tmp_path / "Harbour"
    for kind, records in (("sources", [FERRIES, TIDES]), ("engines", [ENGINE])):
        (checkout / kind).mkdir(parents=True)
        for number, record in enumerate(records):
            (checkout / kind / f"{number}.json").write_text(json.dumps(record))
    local = app.accounts.local()
    assert app.registries.pull(local, checkout, apply=True).added == ("Ferries", "Ships", "Tides")
    (checkout / "sources" / "9.json").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError) as refused:
        app.registries.pull(local, checkout, apply=True)
    assert refused.value.code == "registry.format"


def test_an_index_needs_the_signature_of_its_name(app: veille.App, tmp_path: Path) -> None:
    local, path = app.accounts.local(), _index(tmp_path)
    sig = tmp_path / "index.json.sig"

    def code() -> str:
        with pytest.raises(ConfigError) as refused:
            app.registries.pull(local, path, apply=True)
        assert _offered(app) == {}
        return refused.value.code

    good = path.read_bytes()
    path.write_bytes(good + b" ")
    assert code() == "registry.signature"
    path.write_bytes(good)
    for wrong in (b"", b"x" * 64, b"no base64!", b"A" * 2000):
        sig.write_bytes(wrong)
        assert code() in {"registry.signature", "registry.format"}
    sig.unlink()
    assert code() == "registry.signature"
    _index(tmp_path, key=Ed25519PrivateKey.generate())
    assert code() == "registry.signature"
    _index(tmp_path, key=OTHER)
    assert code() == "registry.unknown_key"
    # As text, as many tools write signatures.
    sig.write_bytes(base64.b64encode(KEY.sign(path.read_bytes())) + b"\n")
    assert app.registries.pull(local, path, apply=True).added
    with pytest.raises(ConfigError) as refused:
        app.registries.pull(local, _index(tmp_path, 0), apply=True)
    assert refused.value.code == "registry.format"


def test_an_older_edition_is_refused(app: veille.App, tmp_path: Path) -> None:
    local = app.accounts.local()
    app.registries.pull(local, _index(tmp_path, 7), apply=True)
    for apply in (False, True):
        with pytest.raises(ConfigError) as refused:
            app.registries.pull(local, _index(tmp_path, 6), apply=apply)
        assert refused.value.code == "registry.rollback"


HOSTILE: dict[str, dict[str, Any]] = {
    "a private address": {"sources": [FERRIES | {"url": "http://169.254.169.254/latest"}]},
    "a folder of the machine": {"sources": [FERRIES | {"kind": "folder", "url": "/etc/"}]},
    "a file": {"sources": [FERRIES | {"url": "file:///etc/passwd"}]},
    "an outside service": {"sources": [FERRIES | {"kind": "bridge"}]},
    "steps": {"sources": [TIDES | {"config": {"steps": [{"click": "#buy"}]}}]},
    "an unknown option": {"sources": [TIDES | {"config": {"nonsense": 1}}]},
    "an unknown field": {"sources": [TIDES | {"script": "x"}]},
    "no fields": {"sources": [{}]},
    "a number for a name": {"sources": [TIDES | {"name": 7}]},
    "hidden signs": {"sources": [TIDES | {"name": "Ti\u202edes"}]},
    "a long text": {"sources": [TIDES | {"description": "x" * 2001}]},
    "a secret in an address": {"sources": [TIDES | {"url": "https://tides.example/?k=${secret:KEY}"}]},
    "a wrong interval": {"sources": [TIDES | {"every": "never"}]},
    "twice": {"sources": [TIDES, TIDES]},
    "an engine at home": {"engines": [ENGINE | {"url_template": "http://127.0.0.1/?q={query}"}]},
    "an engine in its host": {"engines": [ENGINE | {"url_template": "https://{query}.example/"}]},
    "an engine without words": {"engines": [ENGINE | {"url_template": "https://ships.example/"}]},
    "no engine": {"engines": ["ships"]},
}


def test_hostile_content_is_refused_as_a_whole(app: veille.App, tmp_path: Path) -> None:
    local = app.accounts.local()
    for name, content in HOSTILE.items():
        with pytest.raises(ConfigError) as refused:
            app.registries.pull(local, _index(tmp_path, **content), apply=True)
        assert refused.value.code == "registry.content", (name, str(refused.value))
        assert _offered(app) == {}, name
    wrong: list[dict[str, Any]] = [{"sources": {}}, {"engines": 7}, {"name": "../x"}, {"number": True}, {"format": 2}]
    for one in wrong:
        with pytest.raises(ConfigError) as refused:
            app.registries.pull(local, _index(tmp_path, **one), apply=True)
        assert refused.value.code == "registry.format", one
