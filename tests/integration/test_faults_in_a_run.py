from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

import veille
from faults.expected import CASES
from faults.server import Faults
from veille.core.models import Change, Lease, Scope
from veille.core.traffic import Validators
from veille.core.workload import Room
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings

#: Every fault of a plain address that ends in an error, once each.
BAD = {case.fault: case.code for case in CASES if case.code != "ok" and case.port == "http" and not case.host}
BAD = {name: code for name, code in BAD.items() if ";" not in name and name != "flap"}
FETCH = FetchSettings(
    # Enough for the server, which plays all its tricks at once here.
    timeout_s=6,
    min_rate_grace_s=4,
    concurrency=8,
    max_bytes=2_000_000,
    host_delay_ms=0,
    retries=0,
    allow_networks=(ip_network("127.0.0.0/8"),),
)


@pytest.fixture
def faults() -> Iterator[Faults]:
    with Faults() as running:
        yield running


@pytest.mark.covers("R-053", "R-060", "R-061", "R-062")
def test_faults_leave_content_and_validators_as_they_were_and_the_worker_goes_on(
    faults: Faults, tmp_path: Path
) -> None:
    with veille.open_app(data=tmp_path, fetch=FETCH) as app:
        dossier = app.create_dossier("faults")
        for number, fault in enumerate(sorted(BAD)):
            url = faults.url(f"then;fault={fault};key=k{number}", f"127.2.0.{number + 1}")
            app.sources.add(dossier.id, Wish(url=url, kind="page", name=fault))
        app.sources.add(dossier.id, Wish(url=faults.url("ok", "127.2.1.1"), kind="page", name="healthy"))
        first = app.run(Scope())[0]
        assert first.counts[Change.NEW] == len(BAD) + 1
        before = stored(app, dossier.id)
        app.queue.arm(dossier.id, app.clock())
        second = app.run(Scope())[0]
        codes = {item.source_name: item.code for item in second.items}
        # A 304 nobody asked for is one that was asked for here: the first answer had a tag.
        wanted = {name: code for name, code in BAD.items() if not name.startswith("304")}
        assert {name: codes[name] for name in wanted} == wanted
        assert codes["healthy"] == ""
        assert stored(app, dossier.id) == before


def test_a_page_with_latin_1_in_its_headers_is_read(faults: Faults, tmp_path: Path) -> None:
    """Such a byte comes as half a character, with which nothing can be handed to the child that reads."""
    with veille.open_app(data=tmp_path, fetch=FETCH) as app:
        dossier = app.create_dossier("faults")
        app.sources.add(dossier.id, Wish(url=faults.url("latin-headers"), kind="page", config={"keep_raw": "all"}))
        (run,) = app.run(Scope())
        assert {item.change for item in run.items} == {Change.NEW}
        with app.dossiers.open(dossier.id) as store:
            (source,) = store.sources.all()
            found = store.raw_answers.newest(source.id, source.url)
        assert found is not None
        assert (found[1].link, found[1].robots) == ('</e>; rel=up; title="é"', "é")


def stored(app: veille.App, dossier_id: str) -> tuple[set[tuple[str, int, str]], dict[str, Validators]]:
    """Every document by its hash, and what the next request of each address would be sent with."""
    with app.dossiers.open(dossier_id) as store:
        texts = {(item.url, item.n, item.content_hash) for item in store.records.documents(limit=500)}
    app.queue.arm(dossier_id, app.clock())
    leases: list[Lease] = []
    while claimed := app.queue.claim("observer", app.clock(), Room(total=1000, per_host=1000), Scope()):
        leases += claimed
    app.queue.release("observer", app.clock())
    kept = {lease.request.url: lease.request.validators for lease in leases if "then" in lease.request.url}
    assert len(kept) == len(BAD)
    return texts, {url: validators for url, validators in kept.items() if "304" not in url}
