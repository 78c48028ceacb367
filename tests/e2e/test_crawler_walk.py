"""The whole walk of an administrator through the crawler, on an intranet of 200 pages and 60 documents."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import veille
from command import Meri, checked
from inside_sqlite import database_of
from intranet import LARGE, Intranet
from vectors import SMALL, Chroma, ChromaServer, Embeddings, Tap
from veille.core.crawler.config import check_config
from veille.core.schedule import HOUR
from world import Site

EDITED = 5


@pytest.fixture
def meri(site: Site, tmp_path: Path) -> Meri:
    made = Meri(tmp_path)
    config: dict[str, Any] = {
        "seeds": [f"{site.url}/"],
        "topics": ["handbook"],
        "metadata": ["source_url", "source_type", "domain", "tags"],
        "messages": "es",
        "retry_wait_s": 0,
        "chunk_size": 40,
        "chunk_overlap": 4,
        "chroma": {"folder": str(tmp_path / "chroma"), "collection": "meri_chunks", "embedder": "none"},
        "sinks": {"papers": {"kind": "buffer", "folder": str(tmp_path / "buffer")}},
    }
    _configure(made, config)
    return made


def _configure(meri: Meri, config: dict[str, Any]) -> None:
    file = meri.data.with_name("crawler.json")
    file.write_text(json.dumps(config))
    meri("config", "set", str(file))


def _wait(until: Callable[[], bool], what: str, patience_s: float = 30) -> None:
    deadline = time.monotonic() + patience_s
    while not until():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.05)


def _kept(meri: Meri) -> set[tuple[str, str, str, int]]:
    """Every document: where it is, what it says, and how often that changed."""
    with veille.open_app(data=meri.data) as app, app.dossiers.open(app.dossier("crawler").id) as store:
        rows = database_of(store).execute("SELECT url, content_hash, state, rev_n FROM documents")
    return set(rows)


@pytest.mark.timeout(120)  # the program is started anew for every step
@pytest.mark.covers("R-162", "R-165", "R-181", "R-182", "R-183", "R-190", "R-191", "R-192", "R-193", "R-194")
@pytest.mark.covers("R-195", "R-196", "R-198", "R-199", "R-200", "R-219", "R-221", "R-222")
@pytest.mark.covers("R-223", "R-224", "R-225", "R-226", "R-227", "R-131", "R-132", "R-133")
def test_the_walk(  # noqa: PLR0915 - one step after the other, on the same data
    meri: Meri, site: Site, tmp_path: Path
) -> None:
    intranet, chroma = Intranet(site), Chroma(tmp_path / "chroma")
    pages, papers, broken = len(intranet.names), len(intranet.papers), len(intranet.broken)

    # A run, seen from a second terminal while it is under way. The last page keeps it waiting.
    intranet.gate.clear()
    run = meri.start("run", "--json")
    assert intranet.reached.wait(30)
    status = meri.json("status", "status")
    assert (status["state"], status["run"]["launched_by"], status["run"]["config_version"]) == ("running", "ana", 1)
    assert pages / 2 <= status["metrics"]["new_count"] < pages + papers
    assert status["waiting"] >= 1
    meri("run", status=2)
    assert "[crawl_active]" in meri.stderr
    queued = meri.start("retry-failures", "--if-active", "queue", "--json")
    _wait(lambda: bool(meri.json("status", "status")["queued"]), "the second run in the queue")
    intranet.gate.set()
    first = checked("report", meri.ended(run, 1))
    retried = checked("report", meri.ended(queued, 1))

    # What it came to.
    assert (first["exit_code"], first["run"]["state"]) == (1, "completed")
    assert first["totals"] | {"total": 0} == {
        "new": pages + papers,
        "updated": 0,
        "unchanged": len(intranet.copies),
        "removed": 0,
        "failed": broken,
        "warning": 0,
        "total": 0,
    }
    assert {kind: tally["new"] for kind, tally in first["by_type"].items()} == {
        "html": pages,
        "docx": papers // 3,
        "xlsx": papers // 3,
        "pdf": papers // 3,
    }
    assert Counter(problem["code"] for problem in first["problems"]) == {
        "unreachable": len(intranet.dead),
        "redirect_loop": 1,
        "restricted": 1,
        "corrupt": 1,
        "too_large": 2,
    }
    assert f"No se pudo acceder al recurso {site.url}/dead/1." in {one["message"] for one in first["problems"]}
    assert site.sent["/large.pdf"] < LARGE / 10, "A length that is announced is believed."
    assert site.sent["/endless.docx"] < LARGE / 5, "Without one, it is given up at the limit."
    assert {one["sink"]: one["delivered"] for one in first["deliveries"]} == dict.fromkeys(
        ("papers", "chroma"), pages + papers
    )
    chunks = chroma.records("meri_chunks")
    assert Counter(chunk["source_url"] for chunk in chunks.values() if chunk["chunk_index"] == 0) == Counter(
        site.url + name for name in (*intranet.names, *intranet.papers)
    )
    assert len(chunks) == sum(chunk["chunk_total"] for chunk in chunks.values() if chunk["chunk_index"] == 0)
    assert {tuple(chunk["tags"]) for chunk in chunks.values()} == {("handbook",)}
    assert {chunk["domain"] for chunk in chunks.values()} == {site.url.removeprefix("http://")}
    assert not {"title", "parent_url"} & {name for chunk in chunks.values() for name in chunk}
    assert (retried["run"]["mode"], retried["totals"]["failed"], retried["totals"]["total"]) == (
        *("retry", broken, broken),
    )

    # The report in both formats.
    table = meri("report", "--format=table").splitlines()
    assert [line.split()[0] for line in table[:6]] == ["Type", "html", "docx", "pdf", "total", "Figure"]
    assert checked("report", meri("report", "--format=json", "--run", first["run"]["id"])) == first | {
        key: retried[key] for key in ("last_success_at", "next_run_at")
    }

    # Five pages are edited.
    before = _kept(meri)
    edited = intranet.names[7 : 7 + 13 * EDITED : 13]
    for name in edited:
        intranet.write(name, f"Since Monday {name} has another rule.")
    between = retried["run"]["finished_at"]
    second = meri.json("report", "run", status=1)
    assert (second["totals"]["new"], second["totals"]["updated"]) == (0, EDITED)
    assert second["totals"]["unchanged"] == pages + papers + len(intranet.copies) - EDITED
    assert second["totals"]["failed"] == broken
    assert {row[0] for row in _kept(meri) - before} == {site.url + name for name in edited}
    assert {one["sink"]: one["delivered"] for one in second["deliveries"]} == dict.fromkeys(
        ("papers", "chroma"), EDITED
    )
    now = chroma.records("meri_chunks")
    assert now.keys() == chunks.keys()
    written = [key for key in now if now[key] != chunks[key]]
    assert sorted(now[key]["source_url"] for key in written) == sorted(site.url + name for name in edited)
    assert all("another rule" in now[key]["text"] for key in written), "The other chunks of these pages are as before."

    # The log, by level and time.
    events = [checked("log-event", line) for line in meri("logs", "--json").splitlines()]
    told = Counter((event["run_id"], event["event"]) for event in events)
    assert told[first["run"]["id"], "ITEM_NEW"] == first["metrics"]["new_count"]
    assert told[second["run"]["id"], "ITEM_UPDATED"] == EDITED
    assert told[second["run"]["id"], "ITEM_UNCHANGED"] == second["totals"]["unchanged"]
    assert told[first["run"]["id"], "DOC_DOWNLOADED"] == papers
    assert {"CONFIG_SET", "CRAWL_STARTED", "CRAWL_COMPLETED", "PAGE_FETCHED"} <= {name for _, name in told}
    late = [json.loads(line) for line in meri("logs", "--json", "--level", "error", "--since", between).splitlines()]
    assert {(event["level"], event["event"]) for event in late} == {("error", "ITEM_FAILED")}
    assert {event["run_id"] for event in late} == {second["run"]["id"]} | {
        event["run_id"] for event in late if event["at"] == between
    }

    # What failed is mended, and tried again alone.
    site.seen.clear()
    for name in intranet.dead:
        site[name] = site.pages[intranet.names[1]]
    assert meri.json("report", "retry-failures", "--window", "1h", status=1)["totals"]["failed"] == broken - 3
    assert not {seen.path for seen in site.seen} & {*intranet.names, *intranet.papers}

    # Every week.
    plan = meri.json("schedule", "schedule", "set", "30 3 * * 0", "--time-zone", "Europe/Madrid")
    assert plan["next_run_at"][13:] == ":30:00Z"
    meri("schedule", "set", "30 25 * * *", status=2)
    assert "[bad_cron]" in meri.stderr
    assert meri.json("schedule", "schedule", "get") == plan, "What was set stays."
    assert meri.json("schedule", "schedule", "remove")["next_run_at"] is None


@pytest.mark.timeout(120)
@pytest.mark.covers("R-131", "R-132", "R-133", "R-144")
def test_a_chroma_server_gets_the_changed_chunks_and_what_it_missed(
    site: Site, tmp_path: Path, server: ChromaServer
) -> None:
    intranet, meri, embeddings = Intranet(site, pages=24, papers=6), Meri(tmp_path), Embeddings(site)
    with Tap(server) as tap:
        # The operator names this sink, for it has a token.
        vectors = {
            "kind": "chroma",
            "url": tap.url,
            "collection": "meri",
            "embedder": embeddings.options,
            **SMALL,
            "tags": ["hr"],
            "metadata": ["source_url", "parent_url", "domain", "tags"],
        }
        meri.environment["VEILLE_SINKS"] = json.dumps({"vectors": vectors})
        papers = {"kind": "buffer", "folder": str(tmp_path / "buffer")}
        _configure(meri, {"seeds": [f"{site.url}/"], "retry_wait_s": 0, "sinks": {"papers": papers}})
        meri("run", status=1)
        before = server.records("meri")
        (one,) = (chunk for chunk in before.values() if "The rules about /wiki/20." in chunk["text"])
        assert (one["source_url"], one["parent_url"]) == (f"{site.url}/wiki/20", f"{site.url}/wiki/1")
        assert (one["domain"], one["tags"], one.get("title")) == (site.url[7:], ["hr"], None)
        assert server.nearest("meri", embeddings.vector(one["text"])) == one["text"]

        embeddings.texts.clear()
        tap.seen.clear()
        intranet.write("/wiki/20", "Since Monday there is another rule.")
        meri("run", status=1)
        after = server.records("meri")
        (changed,) = (key for key in after if after[key] != before[key])
        assert tap.writes == [("upsert", [changed])]
        assert embeddings.texts == [after[changed]["text"]]

        # It is down for a while.
        server.stop()
        intranet.write("/wiki/21", "Since Tuesday there is another rule.")
        missed = {one["sink"]: one for one in meri.json("report", "run", status=1)["deliveries"]}
        assert (missed["papers"]["delivered"], missed["vectors"]["code"]) == (1, "sink.chroma")
        assert "DELIVERY_FAILED" in meri("logs", "--level", "warn")
        server.start()
        found = meri.json("report", "retry-failures", status=1)
        assert {one["sink"]: one["delivered"] for one in found["deliveries"]} == {"papers": 0, "vectors": 1}
        assert any("Since Tuesday" in chunk["text"] for chunk in server.records("meri").values())


@pytest.mark.timeout(120)
@pytest.mark.covers("R-193", "R-227")
def test_a_killed_run_is_told_of_and_gone_on_with(site: Site, tmp_path: Path) -> None:
    intranet = Intranet(site, pages=60, papers=9)
    config = tmp_path / "crawler.yaml"
    config.write_text(f"seeds: ['{site.url}/']\nretry_wait_s: 0\n")
    undisturbed, meri = Meri(tmp_path / "a"), Meri(tmp_path / "b")
    for one in (undisturbed, meri):
        one("config", "set", str(config))
    undisturbed("run", status=1)
    intranet.gate.clear()
    intranet.reached.clear()
    run = meri.start("run")
    assert intranet.reached.wait(30)
    run.kill()
    run.communicate()
    status = meri.json("status", "status")
    assert (status["state"], status["run"]["state"]) == ("interrupted", "interrupted")
    assert checked("report", meri("report", "--format=json"))["exit_code"] == 2
    intranet.gate.set()
    began = time.monotonic()
    found = meri.json("report", "run", status=1)
    assert time.monotonic() - began < 45, "It waits for nobody's lease."
    assert found["totals"]["failed"] == len(intranet.broken)
    assert _kept(meri) == _kept(undisturbed)
    errors = [checked("log-event", line) for line in meri("logs", "--level", "error", "--json").splitlines()]
    assert [(one["run_id"], one["code"]) for one in errors if one["event"] == "CRAWL_FAILED"] == [
        (status["run"]["id"], "crawl_interrupted")
    ]
    assert meri.json("status", "status")["state"] == "idle"


@pytest.fixture
def scheduled(site: Site, tmp_path: Path) -> Meri:
    """Two crawlers whose time has come; the first cannot run, for its configuration is of another version."""
    Intranet(site, pages=12, papers=3)
    meri = Meri(tmp_path)
    past = time.time_ns() // 1_000_000 - 2 * HOUR
    with veille.open_app(data=meri.data, clock=lambda: past) as app:
        for name in ("broken", "crawler"):
            where = app.create_dossier(name)
            config = check_config({"seeds": [f"{site.url}/"], "retry_wait_s": 0})
            app.crawler.configure(where.id, config, "ana")
            app.crawler.set_schedule(where.id, "*/5 * * * *", "UTC", "ana")
            if name == "broken":
                with app.dossiers.open(where.id) as store:
                    store.crawls.configure({"seeds": "none"}, "ana", past)
    return meri


@pytest.mark.timeout(120)
@pytest.mark.covers("R-192", "R-222", "R-158")
def test_a_worker_runs_what_is_scheduled_and_outlives_what_fails(scheduled: Meri) -> None:
    meri = scheduled
    worker = subprocess.Popen(
        [sys.executable, "-m", "veille", "work"], env=meri.environment, stderr=subprocess.PIPE, text=True
    )
    try:
        _wait(lambda: meri.json("status", "status")["last_success_at"] is not None, "the scheduled crawl")
        assert worker.poll() is None, "One that fails ends nothing."
    finally:
        worker.send_signal(signal.SIGTERM)
        said = worker.communicate(timeout=30)[1]
    assert worker.returncode == 0
    assert "[bad_crawl_config]" in said
    report = meri.json("report", "report")
    assert (report["run"]["launched_by"], report["totals"]["new"]) == ("scheduler", 15)
    assert report["next_run_at"] > report["run"]["started_at"]
    failed = meri("logs", "--dossier", "broken", "--level", "error", "--json").splitlines()
    assert [checked("log-event", line)["event"] for line in failed] == ["SCHEDULED_RUN_FAILED"]
