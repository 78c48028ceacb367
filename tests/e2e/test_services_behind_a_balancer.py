"""`veille serve` twice, as on two machines: each with a data folder of its own, both with one database."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from postgres_server import shared
from samples import STORY
from service import Client, Service
from world import Site

pytestmark = pytest.mark.timeout(400)
KEY = base64.b64encode(b"k" * 32).decode()


@pytest.fixture
def database() -> Iterator[str]:
    server = shared()
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


def _link(service: Service) -> str:
    """Where its first user signs in, as soon as it says so."""
    while not (link := re.search(r"(/setup\?token=\S+)\n", "".join(service.said))):
        assert service.process
        assert service.process.poll() is None
    return link[1]


def test_what_is_begun_at_one_goes_on_at_the_other(tmp_path: Path, database: str, site: Site) -> None:
    site.article("/a", "Bridge", STORY)
    given = {"VEILLE_STORE": database, "VEILLE_VAULT__KEY": KEY}
    with (
        Service(tmp_path / "one", workers=1, **given) as one,
        Service(tmp_path / "two", workers=1, **given) as two,
    ):
        # Of two links for one user, the later one replaces the other.
        links = [_link(one), _link(two)]
        came = [two.anonymous().ask("POST", link).headers for link in links]
        (cookie,) = ({"Cookie": one["set-cookie"].partition(";")[0]} for one in came if "set-cookie" in one)
        here, there = Client(one.url, cookie), Client(two.url, cookie)
        where = f"/api/dossiers/{here.post('/api/dossiers', {'name': 'news'}, 201)['id']}"
        there.put(f"{where}/secrets/WIKI", {"value": "hush", "hosts": [site.url.partition("//")[2]]})
        with there.told(f"/live?in={where.rpartition('/')[2]}") as told:
            assert next(told)["seq"] == 0
            options = json.dumps({"headers": {"Authorization": "${secret:WIKI}"}})
            source = {"name": "a", "url": f"{site.url}/a", "source_type": "web", "config_json": options}
            here.post(f"{where}/sources", source, 201)
            while next(told)["seq"] != 1:
                pass
        assert [each["change"] for each in here.get(f"{where}/changes")["changes"]] == ["new"]
        asked = [seen.headers["Authorization"] for seen in site.seen if seen.path == "/a"]
        assert asked == ["hush"], "once, whichever worker it was"
        with psycopg.connect(database) as connection:
            row = connection.execute("SELECT count(DISTINCT machine) FROM veille.programs").fetchone()
            assert row == (2,)
        assert (one.end(), two.end()) == (0, 0)


def test_a_service_with_another_key_does_not_start_and_touches_nothing(tmp_path: Path, database: str) -> None:
    with Service(tmp_path / "one", VEILLE_STORE=database, VEILLE_VAULT__KEY=KEY):
        pass
    for name in ("serve", "work"):
        other = Service(tmp_path / "two", VEILLE_STORE=database)
        done = subprocess.run(
            [sys.executable, "-m", "veille", name, *(other.options if name == "serve" else ())],
            env=other.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 78, done.stderr
        assert "vault" in done.stderr
        assert "Traceback" not in done.stderr
        assert KEY not in done.stderr
    assert not (tmp_path / "two" / "data" / "secrets.key").exists()
