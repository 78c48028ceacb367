"""The crawler as its administrator starts it: `meri crawler …`, with every JSON answer checked against its schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Meri, checked
from documents import case_bytes
from samples import STORY
from world import Page, Site

COMMANDS = (
    "config set|config get|config test|run|schedule set|schedule get|schedule remove|status|report|logs|retry-failures"
).split("|")


@pytest.fixture
def meri(site: Site, tmp_path: Path) -> Meri:
    for path in ("/", "/a", "/b"):
        site[path] = (
            f"<title>{path}</title><main><p>This is {path}. {STORY}</p></main>"
            "<a href=/a>a</a><a href=/b>b</a><a href=/report.pdf>r</a>"
        )
    site["/report.pdf"] = Page(case_bytes("report-pdf"), type="application/pdf")
    (tmp_path / "crawler.yaml").write_text(
        f"seeds: ['{site.url}/']\nallowed_domains: ['{site.url[7:]}']\ntopics: [handbook]\n"
        "messages: es\nretry_wait_s: 0\nmax_depth: 3\n"
    )
    return Meri(tmp_path)


@pytest.mark.timeout(300)  # twenty times the program is started anew
@pytest.mark.covers("R-190", "R-191", "R-192", "R-193", "R-194", "R-195", "R-196", "R-198", "R-200", "R-221")
def test_the_whole_walk_with_every_answer_as_its_schema_says(meri: Meri, site: Site, tmp_path: Path) -> None:
    file = str(tmp_path / "crawler.yaml")
    assert meri.json("config-test", "config", "test", file)["seeds"][0]["reached"]
    assert meri.json("config", "config", "set", file)["set_by"] == "ana"
    assert meri.json("config", "config", "set", "--set", "max_depth=4")["config"]["max_depth"] == 4
    assert meri.json("config", "config", "get")["version"] == 2
    assert "topics:\n- handbook" in meri("config", "get")
    assert len(meri.json("dry-run", "run", "--dry-run")["items"]) == 4
    report = meri.json("report", "run")
    assert (report["totals"]["new"], report["by_type"]["pdf"]["new"], report["exit_code"]) == (4, 1, 0)
    assert meri.json("status", "status")["state"] == "idle"
    site.pages["/b"] = Page(b"no", status=404, validates=False)
    assert meri.json("report", "run", "--full", status=1)["metrics"]["error_count"] == 1
    table = meri("report", "--format=table")
    assert "No se pudo acceder al recurso" in table
    assert [line.split()[0] for line in table.splitlines()[:4]] == ["Type", "html", "pdf", "total"]
    assert json.loads(meri("report", "--format=json"))["totals"]["unchanged"] == 3
    again = meri.json("report", "retry-failures", "--window", "1h")
    assert (again["totals"]["total"], again["totals"]["removed"]) == (1, 1), "Twice not there is gone."
    for line in meri("logs", "--json").splitlines():
        checked("log-event", line)
    assert meri("logs", "--level", "error", "--since", "2099-01-01T00:00:00Z") == ""
    assert "ITEM_FAILED" in meri("logs", "--level", "error")
    assert meri.json("schedule", "schedule", "set", "@weekly")["next_run_at"].endswith("Z")
    assert meri.json("schedule", "schedule", "get")["cron"] == "@weekly"
    meri("run", "--due")
    assert "not time yet" in meri.stderr
    assert meri.json("schedule", "schedule", "remove")["cron"] is None


@pytest.mark.covers("R-024", "R-025", "R-026", "R-183")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds: []", "seeds"),
        ("seeds: [nonsense]", "seeds.0"),
        ("seeds: [https://a.example]\ncolour: red", "colour"),
        ("seeds: [https://a.example]\nhosts: []", "hosts"),
        ("seeds: [https://a.example]\nhosts: [b.example]", "b.example"),
        ("seeds: [https://a.example]\nhosts: [a.example]\nallowed_domains: [a.example]", "allowed_domains"),
        ("seeds: [https://a.example]\nfile_types: [html, exe]", "exe"),
        ("seeds: [https://a.example]\nmax_depth: many", "max_depth"),
        ("seeds: [https://a.example]\ninclude: ['re:(']", "include"),
        ("seeds: [https://a.example]\nauth: {type: bearer, credentials_ref: hunter2}", "credentials_ref"),
        ("seeds: [https://a.example]\nchunk_size: 100\nchunk_overlap: 90", "chunk_overlap"),
        ("seeds: [https://a.example]\nsinks: {x: {kind: nothing}}", "nothing"),
        ("a: [", "YAML"),
        ("- a", "keys and values"),
    ],
)
def test_a_wrong_configuration_is_refused_by_the_name_of_its_key(
    meri: Meri, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    meri("config", "test", "--offline", str(tmp_path / "bad.yaml"), status=2)
    assert said in meri.stderr


@pytest.mark.covers("R-183")
def test_what_cannot_be_done_ends_with_2_and_says_why(meri: Meri, tmp_path: Path) -> None:
    meri("run", status=2)
    assert "[no_crawl_config]" in meri.stderr
    meri("config", "set", str(tmp_path / "crawler.yaml"))
    for arguments, code in (
        (("run", "--full", "--since", "2026-01-01"), "bad_combination"),
        (("run", "--since", "yesterday"), "bad_date"),
        (("schedule", "set", "every day"), "bad_cron"),
        (("retry-failures", "--window", "long"), "bad_interval"),
        (("report",), "no_crawl"),
    ):
        meri(*arguments, status=2)
        assert f"[{code}]" in meri.stderr


@pytest.mark.covers("R-197")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(meri: Meri, command: str) -> None:
    text = meri(*command.split(), "--help")
    assert "Example" in text
    assert f"meri crawler {command}" in text
