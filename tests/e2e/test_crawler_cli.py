"""The crawler as its administrator starts it: `meri crawler …`, with every JSON answer checked against its schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import veille
from command import Meri
from documents import case_bytes
from samples import STORY
from veille.core.crawler.config import parse_config
from veille.errors import ConfigError
from veille.interfaces.cli import meri_app
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


@pytest.mark.timeout(120)  # the program is started anew for every step
@pytest.mark.covers("R-190", "R-191", "R-192", "R-198", "R-200")
def test_answers_are_as_their_schemas_say(meri: Meri, site: Site, tmp_path: Path) -> None:
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
    again = meri.json("report", "retry-failures", "--window", "1h")
    assert (again["totals"]["total"], again["totals"]["removed"]) == (1, 1), "Twice not there is gone."
    assert meri.json("schedule", "schedule", "set", "@weekly")["next_run_at"].endswith("Z")
    meri("run", "--due")
    assert "not due yet" in meri.stderr


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
        ("seeds: [https://a.example]\nmax_depth: 3\nmax_depth: 4", "max_depth"),
        ('{"seeds": ["https://a.example"], "topics": [], "topics": []}', "topics"),
        ("seeds: [https://a.example]\nsinks: {x: {kind: buffer, folder: a, folder: b}}", "folder"),
        ("seeds: [https://a.example]\nmetadata: [colour]", "colour"),
        ("seeds: [https://a.example]\nchroma: {url: 'http://c.example', token: hunter2}", "token"),
        ("seeds: [https://a.example]\nsinks: {x: {kind: chroma, embedder: {kind: openai, token: a}}}", "settings"),
        ("a: [", "YAML"),
        ("- a", "keys and values"),
    ],
)
def test_a_wrong_configuration_is_refused_by_the_name_of_its_key(app: veille.App, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        app.crawler.test(parse_config(text), offline=True)


@pytest.mark.covers("R-183")
def test_what_cannot_be_done_ends_with_2_and_says_why(meri: Meri, tmp_path: Path) -> None:
    meri("run", status=2)
    assert "[no_crawl_config]" in meri.stderr
    meri("config", "set", str(tmp_path / "crawler.yaml"))
    for arguments, code in (
        (("run", "--full", "--since", "2026-01-01"), "bad_combination"),
        (("run", "--dry-run", "--due"), "bad_combination"),
        (("run", "--since", "yesterday"), "bad_date"),
        (("config", "set"), "bad_crawl_config"),
        (("config", "set", "--set", "colour=red"), "bad_crawl_config"),
        (("schedule", "set", "0 3 30 2 *"), "bad_cron"),
        (("schedule", "set", "@daily", "--time-zone", "Mars"), "bad_zone"),
        (("run", "--url", "https://elsewhere.example/"), "out_of_scope"),
        (("schedule", "set", "every day"), "bad_cron"),
        (("retry-failures", "--window", "long"), "bad_interval"),
        (("report",), "no_crawl"),
    ):
        meri(*arguments, status=2)
        assert f"[{code}]" in meri.stderr
    assert meri.json("config", "config", "get")["version"] == 1, "What was set stays."
    assert meri.json("schedule", "schedule", "get")["cron"] is None


@pytest.mark.covers("R-197")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(command: str) -> None:
    shown = CliRunner().invoke(meri_app, ["crawler", *command.split(), "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert "Example" in shown.stdout
    assert f"meri crawler {command}" in shown.stdout


@pytest.mark.covers("R-197")
def test_the_crawler_shows_an_example_of_every_command() -> None:
    text = CliRunner().invoke(meri_app, ["crawler", "--help"], env={"COLUMNS": "200"}).stdout
    assert [command for command in COMMANDS if f"meri crawler {command}" not in text] == []
