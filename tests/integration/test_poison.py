"""A request that ends the process of whoever works on it is set aside after a few tries, and blames no other."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from veille.core.change.poison import MAX_DEATHS
from veille.core.models import Change, Scope
from veille.core.schedule import DAY
from veille.services.watching.sources import Wish
from watching import Watch
from world import Site

#: A worker that is killed while it writes what one address brought, as a fault in a library would do.
DIES = """
    import os, signal, sys
    from pathlib import Path
    import veille
    from veille.core.models import Scope
    from watching import FAST

    data, dossier, deadly, now = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    with veille.open_app(data=data, fetch=FAST, clock=lambda: now) as app:
        with app.dossiers.open(dossier) as store:
            request, = store.db.execute("SELECT id FROM requests WHERE url = ?", (deadly,))

        def beat():
            if any(request[0] in path.read_text() for path in (data / "in_hand").glob("*.now")):
                os.kill(os.getpid(), signal.SIGKILL)

        app.beat = beat
        app.run(Scope())
"""


def _die(watch: Watch, deadly: str) -> None:
    given = [str(watch.folder / "data"), watch.dossier_id, deadly, str(watch.now)]
    command = [sys.executable, "-c", textwrap.dedent(DIES), *given]
    done = subprocess.run(command, check=False, env={"PYTHONPATH": ":".join(sys.path)}, timeout=50)
    assert done.returncode == -9


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Watch:
    return Watch(site, tmp_path)


def test_what_ends_its_worker_is_set_aside_after_three_tries_and_the_rest_is_done(watch: Watch, site: Site) -> None:
    with watch:
        for path in ("/bad", "/good"):
            site.article(path, "An article", f"The words of {path}, of which there are a few.")
            watch.add(path)
        other = watch.app.create_dossier("another")
        watch.app.sources.add(other.id, Wish(url=site.url + "/good", interval_ms=DAY))
        for _ in range(MAX_DEATHS):
            _die(watch, site.url + "/bad")
        site.seen.clear()
        watch.app.run(Scope())
        assert "/bad" not in [seen.path for seen in site.seen], "it is not even asked for"
        with watch.app.dossiers.open(watch.dossier_id) as store:
            sources = {source.url.removeprefix(site.url): source for source in store.sources.all()}
            assert (sources["/bad"].error_code, sources["/good"].error_code) == ("poison", "")
            assert "3 in a row" in sources["/bad"].error
        assert watch.found("words") == ["/good"]
        assert watch.app.searches.search([other.id], "words")

        # At its next turn it gets one try; this time nothing is wrong, and all is forgotten.
        report, seen = watch.turn()
        assert "/bad" in [one.path for one in seen]
        assert report.counts[Change.ERROR] == 0
        assert sorted(watch.found("words")) == ["/bad", "/good"]
        _die(watch_later(watch), site.url + "/bad")
        assert watch.turn()[0].counts[Change.ERROR] == 0


def watch_later(watch: Watch) -> Watch:
    """With everything due again."""
    watch.now += 3_600_000
    watch.app.queue.arm(watch.dossier_id, watch.now)
    return watch


def test_one_that_ends_its_worker_again_is_set_aside_again_at_once(watch: Watch, site: Site) -> None:
    with watch:
        site.article("/bad", "An article", "The words of an article, of which there are a few.")
        watch.add("/bad")
        for _ in range(MAX_DEATHS):
            _die(watch, site.url + "/bad")
        assert watch.run().counts[Change.ERROR] == 1
        _die(watch_later(watch), site.url + "/bad")
        assert watch.run().items[-1].code == "poison"


def test_a_worker_that_is_killed_elsewhere_blames_nobody(watch: Watch, site: Site) -> None:
    with watch:
        site.article("/a", "An article", "The words of an article, of which there are a few.")
        watch.add("/a")
        script = (
            "import os, sys, veille; from watching import FAST; from veille.core.models import Scope\n"
            + textwrap.dedent(
                """
            app = veille.open_app(data=sys.argv[1], fetch=FAST, clock=lambda: int(sys.argv[2]))
            app.outside.workshop.collect = lambda timeout: os.kill(os.getpid(), 9)
            app.run(Scope())
            """
            )
        )
        for _ in range(MAX_DEATHS + 1):
            command = [sys.executable, "-c", script, str(watch.folder / "data"), str(watch.now)]
            done = subprocess.run(command, check=False, env={"PYTHONPATH": ":".join(sys.path)}, timeout=50)
            assert done.returncode == -9
        assert watch.run().counts[Change.NEW] == 1
